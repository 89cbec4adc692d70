// Syntax: the tree of a source file of the model language, as the parser returns it.
//
//   total = sum_of(x.items) * 2   =>  assignment of a binary expression of a call and a literal
//
// Positions are bytes of the source. Names and signatures borrow the tokens. Plain data.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "signet/type_spec.h"
#include "signet/value.h"

namespace signet {

struct Expression;
using ExpressionPointer = std::unique_ptr<Expression>;

// A range of the notation of a file (TokenList::notation).
struct NotationRange {
  size_t begin = 0;
  size_t end = 0;
};

// A keyword argument, or an entry of a dict.
struct NamedExpression {
  std::string_view name;
  size_t position = 0;
  ExpressionPointer value;
};

// One key between the brackets of an index.
struct KeyExpression {
  enum class Kind : uint8_t { kValue, kSlice, kEllipsis };
  Kind kind = Kind::kValue;
  size_t position = 0;
  ExpressionPointer value;  // or the start of a slice; null if left out
  ExpressionPointer stop;
  ExpressionPointer step;
};

struct Expression {
  enum class Kind : uint8_t {
    kName,     // text
    kValue,    // value: a literal, or a value with its type in the notation
    kType,     // type; if it is null, `notation`, which may contain names of extension types
    kList,     // children
    kTuple,    // children
    kDict,     // named
    kField,    // children[0] . text
    kIndex,    // children[0] [keys]
    kCall,     // children[0] (children[1..], named)
    kUnary,    // text is `-` or `not`
    kBinary,   // text is the operator
    kCapture,  // captures["text"]
    kLocal,    // locals["text"]
    kStatic,   // static(children[0])
  };

  Kind kind = Kind::kName;
  bool is_number = false;  // a number without parentheses
  bool is_parenthesized = false;
  int depth = 1;
  size_t begin = 0;
  size_t end = 0;
  size_t operator_position = 0;  // of a unary or binary expression, a field, or an index
  std::string_view text;
  Value value;
  TypeSpec type;
  NotationRange notation;
  std::vector<ExpressionPointer> children;
  std::vector<NamedExpression> named;
  std::vector<KeyExpression> keys;
};

// A name on the left of an assignment.
struct Target {
  std::string_view name;
  size_t position = 0;
  bool is_blank = false;  // `_`: the value is not used
};

struct FunctionSyntax;

struct Statement {
  enum class Kind : uint8_t { kAssign, kReturn, kExpression };
  Kind kind = Kind::kAssign;
  size_t position = 0;
  std::vector<Target> targets;
  ExpressionPointer value;
};

// `@example("...")` before a function, or `override("shape", f)` in a class.
struct Declaration {
  std::string_view name;
  size_t position = 0;
  std::vector<ExpressionPointer> arguments;
  std::vector<NamedExpression> named;
};

struct FunctionSyntax {
  std::string_view name;
  size_t position = 0;      // of the name
  NotationRange signature;  // from the `(` to the `:`, which it does not include
  std::string doc;
  size_t doc_position = 0;
  std::vector<Declaration> decorators;
  std::vector<Statement> statements;
  std::vector<std::unique_ptr<FunctionSyntax>> functions;  // nested
  size_t end = 0;
};

struct ComponentSyntax {
  std::string_view name;
  size_t position = 0;
  bool is_static = false;  // a static attribute
  bool has_type = false;
  NotationRange type;
};

struct ClassSyntax {
  std::string name;  // `project.Type`
  size_t position = 0;
  std::string parent;
  size_t parent_position = 0;
  std::string doc;
  size_t doc_position = 0;
  bool batches = true;
  std::vector<ComponentSyntax> components;
  // In order. A function that is defined in the class is the last argument of its decorators.
  std::vector<Declaration> declarations;
  std::vector<std::unique_ptr<FunctionSyntax>> functions;
};

// `metadata "key" = "text"` or `message_field "step" = "name"`.
struct TextEntry {
  std::string_view key;
  std::string_view text;
  size_t position = 0;
};

struct CaptureSyntax {
  std::string_view name;
  size_t position = 0;
  bool is_value = false;   // else a type
  NotationRange notation;  // of the value or the type
};

struct ImportSyntax {
  std::string_view file;
  std::string_view name;
  size_t position = 0;
};

struct FileSyntax {
  std::string doc;
  size_t doc_position = 0;
  std::vector<TextEntry> metadata;
  std::vector<TextEntry> message_fields;
  std::vector<ImportSyntax> imports;
  std::vector<CaptureSyntax> captures;
  std::vector<ClassSyntax> classes;
  std::vector<std::unique_ptr<FunctionSyntax>> functions;
};

}  // namespace signet
