#include "core/model/language/parser.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include <absl/container/flat_hash_set.h>

#include "core/model/language/limits.h"
#include "core/model/native/literal_value.h"
#include "core/types/identifier.h"
#include "core/types/notation/notation.h"
#include "core/values/builders/value_notation.h"
#include "signet/dtype.h"
#include "signet/extension_spec.h"

namespace signet {
namespace {

using TokenKind = Token::Kind;

// Words that are not names of values, in addition to Python's keywords and the names of dtypes.
constexpr std::string_view kReserved[] = {"captures", "locals", "inf", "nan", "_"};

struct Operator {
  std::string_view text;
  int precedence;
};
constexpr int kComparison = 4;
constexpr int kUnaryMinus = 7;
constexpr int kPower = 8;
constexpr Operator kOperators[] = {
    {"or", 1}, {"and", 2}, {"==", 4}, {"!=", 4}, {"<", 4},  {"<=", 4}, {">", 4}, {">=", 4},
    {"+", 5},  {"-", 5},   {"*", 6},  {"/", 6},  {"//", 6}, {"%", 6},  {"@", 6}, {"**", kPower},
};

// Operators of Python that the language does not have, and what to write.
constexpr std::pair<std::string_view, std::string_view> kUnsupportedOperators[] = {
    {"&", "write `and` for bools, or `bitwise_and(x, y)`"},
    {"|", "write `or` for bools, or `bitwise_or(x, y)`"},
    {"^", "write `logical_xor(x, y)` for bools, or `bitwise_xor(x, y)`"},
    {"in", "compare with `==`, and combine with `reduce_any`"},
    {"is", "compare with `==`"},
    {"not", "compare with `!=`"},
};

class Parser {
 public:
  Parser(const TokenList& list, SourceErrors& errors)
      : list_(list), tokens_(list.tokens), errors_(errors), line_ends_(tokens_.size()) {
    size_t end = list.notation.size();
    for (size_t i = tokens_.size(); i-- > 0;) {
      if (tokens_[i].kind == TokenKind::kNewline) end = tokens_[i].notation;
      line_ends_[i] = end;
    }
  }

  FileSyntax Parse() && {
    FileSyntax file;
    if (At(TokenKind::kString)) ReadDoc(file.doc, file.doc_position);
    while (!At(TokenKind::kEnd) && !errors_.is_full()) {
      if (!ReadTopLevel(file)) Recover();
    }
    return file;
  }

 private:
  // --- tokens

  const Token& Next() const { return tokens_[index_]; }
  const Token& After(size_t n) const { return tokens_[std::min(index_ + n, tokens_.size() - 1)]; }
  bool At(TokenKind kind) const { return Next().kind == kind; }
  bool At(std::string_view text) const {
    return (At(TokenKind::kPunctuation) || At(TokenKind::kName)) && Next().text == text;
  }
  void Skip() {
    if (index_ + 1 < tokens_.size()) ++index_;
  }
  bool Take(std::string_view text) {
    if (!At(text)) return false;
    Skip();
    return true;
  }
  bool TakeKind(TokenKind kind) {
    if (!At(kind)) return false;
    Skip();
    return true;
  }
  bool Fail(std::string_view expected) {
    errors_.Add(Next().begin, Cat("expected ", expected, ", found ", DescribeToken(Next())));
    return false;
  }
  bool FailAt(size_t position, std::string message) {
    errors_.Add(position, std::move(message));
    return false;
  }
  bool Expect(std::string_view text, std::string_view context) {
    return Take(text) || Fail(Cat("`", text, "`", context.empty() ? "" : " ", context));
  }
  size_t LastEnd() const { return index_ == 0 ? 0 : tokens_[index_ - 1].end; }

  bool EndStatement() {
    if (TakeKind(TokenKind::kNewline)) return true;
    if (At(";")) return Fail("one statement per line");
    if (At("=")) return Fail("a name before `=`");
    if (At("if")) {
      return FailAt(Next().begin,
                    "unsupported `if`; write `select(condition, x, y)`, or `cond` with functions");
    }
    for (const auto& [token, advice] : kUnsupportedOperators) {
      if (At(token)) return FailAt(Next().begin, Cat("unsupported `", token, "`; ", advice));
    }
    if (At(TokenKind::kString) && index_ > 0 && tokens_[index_ - 1].text == "f") {
      return FailAt(tokens_[index_ - 1].begin,
                    "unsupported text with the prefix `f`; write `string_concat(x, y)`, and "
                    "`number_to_string(x)` for numbers");
    }
    return Fail("an operator or the end of the line");
  }

  // Skips the rest of a statement, and the block that follows it.
  void Recover() {
    while (!At(TokenKind::kNewline) && !At(TokenKind::kEnd) && !At(TokenKind::kDedent)) Skip();
    if (!TakeKind(TokenKind::kNewline)) {
      if (At(TokenKind::kDedent) && depth_ == 0) Skip();
      return;
    }
    if (!TakeKind(TokenKind::kIndent)) return;
    for (int depth = 1; depth > 0 && !At(TokenKind::kEnd); Skip()) {
      if (At(TokenKind::kIndent)) ++depth;
      if (At(TokenKind::kDedent)) --depth;
    }
  }

  // --- the file

  bool ReadTopLevel(FileSyntax& file) {
    if (At(TokenKind::kIndent)) {
      Fail("a statement without indentation");
      Skip();
      return false;
    }
    if (TakeKind(TokenKind::kDedent)) return true;
    if (At("@") || At("def")) {
      auto function = std::make_unique<FunctionSyntax>();
      if (!ReadFunction(*function)) return false;
      file.functions.push_back(std::move(function));
      return true;
    }
    if (At("class")) return ReadClass(file);
    if (At("import")) return ReadImport(file.imports);
    if (At("capture")) return ReadCapture(file.captures);
    if (At("metadata")) return ReadTextEntry(file.metadata);
    if (At("message_field")) return ReadTextEntry(file.message_fields);
    if (At(TokenKind::kString)) {
      return FailAt(Next().begin,
                    "expected the documentation of the model at the start of the file");
    }
    if (At(TokenKind::kName) && After(1).text == "=") {
      return FailAt(Next().begin,
                    Cat("expected a declaration, found an assignment; write `capture ",
                        Printable(Next().text), " = VALUE`"));
    }
    return Fail("`def`, `class`, `import`, `capture`, `metadata`, or `message_field`");
  }

  bool ReadImport(std::vector<ImportSyntax>& imports) {
    Skip();
    ImportSyntax import{.file = Next().text, .name = {}, .position = Next().begin};
    if (!TakeKind(TokenKind::kString)) return Fail("the name of a file in quotation marks");
    if (!Take("as")) return Fail("`as NAME` after the file");
    import.name = Next().text;
    if (!At(TokenKind::kName)) return Fail("a name for the model");
    Skip();
    if (!EndStatement()) return false;
    imports.push_back(import);
    return true;
  }

  bool ReadTextEntry(std::vector<TextEntry>& entries) {
    Skip();
    TextEntry entry{.key = Next().text, .text = {}, .position = Next().begin};
    if (!TakeKind(TokenKind::kString)) return Fail("a key in quotation marks");
    if (!Expect("=", "after the key")) return false;
    entry.text = Next().text;
    if (!TakeKind(TokenKind::kString)) return Fail("a text in quotation marks");
    if (!EndStatement()) return false;
    entries.push_back(entry);
    return true;
  }

  bool ReadCapture(std::vector<CaptureSyntax>& captures) {
    Skip();
    CaptureSyntax capture{.name = Next().text, .position = Next().begin, .notation = {}};
    if (!TakeKind(TokenKind::kName) && !TakeKind(TokenKind::kString))
      return Fail("the name of a capture");
    capture.is_value = At("=");
    if (!Take("=") && !Take(":")) return Fail("`= VALUE` or `: TYPE` after the name of a capture");
    capture.notation = RestOfLine();
    if (capture.notation.begin == capture.notation.end) {
      return Fail(capture.is_value ? "a value in the notation" : "a type");
    }
    SkipLine();
    captures.push_back(capture);
    return true;
  }

  NotationRange RestOfLine() const { return {Next().notation, line_ends_[index_]}; }
  void SkipLine() {
    while (!At(TokenKind::kNewline) && !At(TokenKind::kEnd)) Skip();
    TakeKind(TokenKind::kNewline);
  }

  void ReadDoc(std::string& doc, size_t& position) {
    position = Next().begin;
    const bool is_single = After(1).kind == TokenKind::kNewline;
    if (is_single && Next().is_multiline) {
      doc = WithoutIndentation(Next().text);
    } else {
      doc.clear();
      while (At(TokenKind::kString)) {
        doc.append(Next().text);
        Skip();
      }
      TakeKind(TokenKind::kNewline);
      return;
    }
    Skip();
    TakeKind(TokenKind::kNewline);
  }

  // --- functions

  bool ReadDecorators(std::vector<Declaration>& decorators) {
    while (Take("@")) {
      Declaration decorator;
      const bool has_arguments = At(TokenKind::kName) && After(1).text == "(";
      if (has_arguments) {
        if (!ReadDeclaration(decorator, "")) return false;
      } else {
        decorator.name = Next().text;
        decorator.position = Next().begin;
        if (!TakeKind(TokenKind::kName)) return Fail("a decorator, such as `example`");
        if (!EndStatement()) return false;
      }
      decorators.push_back(std::move(decorator));
    }
    return true;
  }

  bool ReadDeclaration(Declaration& declaration, std::string_view what) {
    declaration.name = Next().text;
    declaration.position = Next().begin;
    if (!TakeKind(TokenKind::kName)) return Fail(what);
    if (!Expect("(", Cat("after `", declaration.name, "`"))) return false;
    Expression call;
    if (declaration.name == "conversion" || declaration.name == "older") {
      ExpressionPointer type = ReadTypeArgument();
      if (type == nullptr || (!At(")") && !Expect(",", "or `)`"))) return false;
      call.children.push_back(std::move(type));
    }
    if (!ReadArguments(call)) return false;
    declaration.arguments = std::move(call.children);
    declaration.named = std::move(call.named);
    return EndStatement();
  }

  bool ReadFunction(FunctionSyntax& function) {
    if (!ReadDecorators(function.decorators)) {
      SkipToDef();
      return false;
    }
    if (!Expect("def", function.decorators.empty() ? "" : "after a decorator")) return false;
    function.name = Next().text;
    function.position = Next().begin;
    if (!TakeKind(TokenKind::kName)) return Fail("the name of the function");
    if (IsPythonKeyword(function.name)) {
      return FailAt(function.position, Cat("`", function.name,
                                           "` is a reserved word of Python; "
                                           "choose another name"));
    }
    if (!At("(")) return Fail("`(` before the parameters");
    const size_t start = index_;
    int depth = 0;
    while (!At(TokenKind::kNewline) && !At(TokenKind::kEnd) && !(depth == 0 && At(":"))) {
      if (At("(") || At("[") || At("{")) ++depth;
      if (At(")") || At("]") || At("}")) --depth;
      Skip();
    }
    function.signature = {tokens_[start].notation, Next().notation};
    if (!Expect(":", "after the signature")) return false;
    if (!TakeKind(TokenKind::kNewline)) return Fail("the body of the function in the next line");
    return ReadBody(function);
  }

  // After an error in a decorator, the function that follows has no further errors.
  void SkipToDef() {
    while (!At(TokenKind::kNewline) && !At(TokenKind::kEnd)) Skip();
    TakeKind(TokenKind::kNewline);
    while (At("@")) SkipLine();
  }

  bool ReadBody(FunctionSyntax& function) {
    if (!TakeKind(TokenKind::kIndent)) {
      return FailAt(function.position,
                    Cat("function `", function.name, "`: expected an indented body"));
    }
    ++depth_;
    if (At(TokenKind::kString)) ReadDoc(function.doc, function.doc_position);
    while (!At(TokenKind::kDedent) && !At(TokenKind::kEnd) && !errors_.is_full()) {
      function.end = Next().begin;
      if (!ReadStatement(function)) Recover();
    }
    --depth_;
    TakeKind(TokenKind::kDedent);
    return true;
  }

  bool ReadStatement(FunctionSyntax& function) {
    if (TakeKind(TokenKind::kIndent)) {
      errors_.Add(tokens_[index_ - 1].begin, "unexpected indentation");
      while (!At(TokenKind::kDedent) && !At(TokenKind::kEnd)) SkipLine();
      TakeKind(TokenKind::kDedent);
      return true;
    }
    if (At("def") || At("@")) {
      auto nested = std::make_unique<FunctionSyntax>();
      if (!ReadFunction(*nested)) return false;
      function.functions.push_back(std::move(nested));
      return true;
    }
    for (std::string_view word :
         {"if", "for", "while", "with", "import", "from", "class", "pass"}) {
      if (!At(word)) continue;
      const bool is_loop = word == "for" || word == "while";
      const std::string_view hint =
          word == "if"     ? "; write `select(condition, x, y)`, or `cond` with functions"
          : word == "for"  ? "; write `map`, `scan`, `reduce`, or `loop` with a function"
          : is_loop        ? "; write `ops.while(..., condition=f, body=g)`"
          : word == "pass" ? "; a function returns a value: `return x`"
                           : "";
      return FailAt(Next().begin, Cat("unsupported statement `", word, "`", hint));
    }
    Statement statement;
    statement.position = Next().begin;
    if (Take("return")) {
      statement.kind = Statement::Kind::kReturn;
      if (At(TokenKind::kNewline)) return Fail("the result of the function");
    } else if (!ReadTargets(statement)) {
      return false;
    }
    statement.value = ReadExpressionList();
    if (statement.value == nullptr || !EndStatement()) return false;
    function.statements.push_back(std::move(statement));
    return true;
  }

  // Reads `a, b =`, or nothing if the statement is an expression.
  bool ReadTargets(Statement& statement) {
    const size_t start = index_;
    std::vector<Target> targets;
    while (true) {
      Target target{.name = Next().text, .position = Next().begin};
      if (At("locals") && After(1).text == "[" && After(2).kind == TokenKind::kString) {
        Skip();
        Skip();
        target.name = Next().text;
        Skip();
        if (!Take("]")) break;
      } else if (At(TokenKind::kName)) {
        target.is_blank = At("_");
        Skip();
      } else {
        break;
      }
      targets.push_back(target);
      if (Take("=")) {
        for (size_t i = start; i < index_; ++i) CheckTargetName(i);
        statement.targets = std::move(targets);
        return true;
      }
      if (At(":") && targets.size() == 1) {
        return Fail("`=`; assignments have no type, as `cast` changes one");
      }
      for (std::string_view text : {"+", "-", "*", "/"}) {
        if (targets.size() == 1 && At(text) && After(1).text == "=" &&
            After(1).begin == Next().end) {
          return FailAt(Next().begin, Cat("unsupported assignment `", text, "=`; write `NAME = ",
                                          Printable(targets[0].name), " ", text, " ...`"));
        }
      }
      if (!Take(",")) break;
    }
    index_ = start;
    statement.kind = Statement::Kind::kExpression;
    return true;
  }

  void CheckTargetName(size_t i) {
    const Token& token = tokens_[i];
    if (token.kind != TokenKind::kName || token.text == "_" || IsLanguageName(token.text)) return;
    if (token.text == "locals" && tokens_[i + 1].text == "[") return;
    errors_.Add(token.begin, Cat("`", token.text, "` is reserved; choose another name"));
  }

  // --- classes

  bool ReadTypeName(std::string& name, std::string_view what) {
    if (!At(TokenKind::kName)) return Fail(what);
    name = Next().text;
    Skip();
    while (Take(".")) {
      if (!At(TokenKind::kName)) return Fail("a name after `.`");
      name.append(".").append(Next().text);
      Skip();
    }
    return true;
  }

  bool ReadClass(FileSyntax& file) {
    Skip();
    ClassSyntax type;
    type.position = Next().begin;
    if (!ReadTypeName(type.name, "the name of the type, such as `project.Type`")) return false;
    if (!IsTypeName(type.name)) {
      return FailAt(type.position, Cat("expected the name of the type in the form `project.Type`, "
                                       "found `",
                                       Printable(type.name), "`"));
    }
    if (Take("(")) {
      if (!At(")") && !ReadTypeName(type.parent, "the name of the parent type")) return false;
      if (!Expect(")", "after the parent type")) return false;
    }
    if (!Expect(":", "after the name of the type")) return false;
    if (!TakeKind(TokenKind::kNewline)) return Fail("the members of the type in the next line");
    if (!TakeKind(TokenKind::kIndent)) return Fail("the members of the type in indented lines");
    ++depth_;
    if (At(TokenKind::kString)) ReadDoc(type.doc, type.doc_position);
    while (!At(TokenKind::kDedent) && !At(TokenKind::kEnd) && !errors_.is_full()) {
      if (!ReadMember(type)) Recover();
    }
    --depth_;
    TakeKind(TokenKind::kDedent);
    file.classes.push_back(std::move(type));
    return true;
  }

  bool ReadMember(ClassSyntax& type) {
    if (type.components.size() + type.declarations.size() >= kMaxMembers) {
      return FailAt(Next().begin, Cat("the members of a type exceed the limit of ", kMaxMembers));
    }
    if (At("@") || At("def")) return ReadMethod(type);
    if (At("pass")) {
      Skip();
      return EndStatement();
    }
    if (At("batches") && After(1).text == "=") {
      Skip();
      Skip();
      if (!At("True") && !At("False")) return Fail("`True` or `False`");
      type.batches = At("True");
      Skip();
      return EndStatement();
    }
    if (At(TokenKind::kName) && After(1).text == ":") {
      ComponentSyntax component{.name = Next().text, .position = Next().begin, .type = {}};
      Skip();
      Skip();
      if (At("static") && After(1).kind == TokenKind::kNewline) {
        component.is_static = true;
        Skip();
        if (!EndStatement()) return false;
      } else if (At("...") && After(1).kind == TokenKind::kNewline) {
        Skip();
        if (!EndStatement()) return false;
      } else {
        component.has_type = true;
        component.type = RestOfLine();
        if (At(TokenKind::kNewline)) return Fail("a type, `static`, or `...` for any type");
        SkipLine();
      }
      type.components.push_back(component);
      return true;
    }
    if (At(TokenKind::kName) && After(1).text == "(") {
      Declaration declaration;
      if (!ReadDeclaration(declaration, "a declaration")) return false;
      type.declarations.push_back(std::move(declaration));
      return true;
    }
    return Fail("a component `NAME: TYPE`, `invariant`, `override`, `conversion`, or `older`");
  }

  // A method is a function of the model. Its decorators declare what it is for.
  bool ReadMethod(ClassSyntax& type) {
    auto function = std::make_unique<FunctionSyntax>();
    if (!ReadFunction(*function)) return false;
    std::vector<Declaration> own;
    for (Declaration& decorator : function->decorators) {
      const bool is_of_class = decorator.name == "invariant" || decorator.name == "override" ||
                               decorator.name == "conversion";
      if (!is_of_class) {
        own.push_back(std::move(decorator));
        continue;
      }
      auto name = std::make_unique<Expression>();
      name->text = function->name;
      name->begin = function->position;
      name->end = function->position + function->name.size();
      decorator.arguments.push_back(std::move(name));
      type.declarations.push_back(std::move(decorator));
    }
    function->decorators = std::move(own);
    type.functions.push_back(std::move(function));
    return true;
  }

  // --- expressions

  // Counts the depth of recursive calls.
  class Nesting {
   public:
    explicit Nesting(int& depth) : depth_(depth) { ++depth_; }
    ~Nesting() { --depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    int& depth_;
  };

  ExpressionPointer FailExpression(std::string_view expected) {
    Fail(expected);
    return nullptr;
  }

  ExpressionPointer Make(Expression::Kind kind, size_t begin) {
    auto made = std::make_unique<Expression>();
    made->kind = kind;
    made->begin = begin;
    return made;
  }

  // Sets the end and the depth. Returns null if the expression is too deep.
  ExpressionPointer Close(ExpressionPointer expression) {
    expression->end = LastEnd();
    auto include = [&](const ExpressionPointer& child) {
      if (child != nullptr) expression->depth = std::max(expression->depth, child->depth + 1);
    };
    for (const auto& child : expression->children) include(child);
    for (const auto& entry : expression->named) include(entry.value);
    for (const auto& key : expression->keys) {
      include(key.value);
      include(key.stop);
      include(key.step);
    }
    if (expression->depth <= kMaxSyntaxDepth) return expression;
    FailAt(expression->begin, Cat("the depth of the expression exceeds the limit of ",
                                  kMaxSyntaxDepth, "; assign parts of it to names"));
    return nullptr;
  }

  // Reads `a, b` as a tuple, and `a` as it is.
  ExpressionPointer ReadExpressionList() {
    ExpressionPointer first = ReadExpression();
    if (first == nullptr || !At(",")) return first;
    ExpressionPointer tuple = Make(Expression::Kind::kTuple, first->begin);
    tuple->children.push_back(std::move(first));
    while (Take(",")) {
      if (At(TokenKind::kNewline)) break;
      ExpressionPointer next = ReadExpression();
      if (next == nullptr) return nullptr;
      tuple->children.push_back(std::move(next));
    }
    return Close(std::move(tuple));
  }

  ExpressionPointer ReadExpression() {
    const Nesting nesting(nesting_);
    if (nesting_ > kMaxSyntaxDepth) {
      FailAt(Next().begin, Cat("the depth of the expression exceeds the limit of ", kMaxSyntaxDepth,
                               "; assign parts of it to names"));
      return nullptr;
    }
    ExpressionPointer expression = ReadBinary(1);
    if (expression != nullptr && (At("if") || At("for") || At("lambda"))) {
      FailAt(Next().begin, At("if") ? "unsupported `if` in an expression; write "
                                      "`select(condition, x, y)`, or `cond` with functions"
                                    : "unsupported `for` in an expression; write `map` with a "
                                      "function");
      return nullptr;
    }
    return expression;
  }

  const Operator* NextOperator() const {
    if (!At(TokenKind::kPunctuation) && !At(TokenKind::kName)) return nullptr;
    for (const Operator& op : kOperators) {
      if (At(op.text)) return &op;
    }
    return nullptr;
  }

  ExpressionPointer ReadBinary(int precedence) {
    ExpressionPointer left = ReadUnary(precedence);
    bool is_comparison = false;
    while (left != nullptr) {
      const Operator* op = NextOperator();
      if (op == nullptr || op->precedence < precedence || op->precedence == kPower) return left;
      if (op->precedence == kComparison && is_comparison) {
        FailAt(Next().begin, "unsupported chain of comparisons; write `a < b and b < c`");
        return nullptr;
      }
      is_comparison = op->precedence == kComparison;
      left = ReadRight(std::move(left), *op, op->precedence + 1);
    }
    return nullptr;
  }

  // Reads an operator and the operand on its right.
  ExpressionPointer ReadRight(ExpressionPointer left, const Operator& op, int precedence) {
    ExpressionPointer binary = Make(Expression::Kind::kBinary, left->begin);
    binary->operator_position = Next().begin;
    binary->text = op.text;
    Skip();
    if (op.text == "*" && At("*")) return FailExpression("an operand");
    ExpressionPointer right = ReadBinary(precedence);
    if (right == nullptr) return nullptr;
    binary->children.push_back(std::move(left));
    binary->children.push_back(std::move(right));
    return Close(std::move(binary));
  }

  ExpressionPointer ReadUnary(int precedence) {
    const Nesting nesting(nesting_);
    if (nesting_ > kMaxSyntaxDepth) {
      FailAt(Next().begin, Cat("the depth of the expression exceeds the limit of ", kMaxSyntaxDepth,
                               "; assign parts of it to names"));
      return nullptr;
    }
    const size_t begin = Next().begin;
    if (At("not") && precedence <= 3) {
      ExpressionPointer negation = Make(Expression::Kind::kUnary, begin);
      negation->operator_position = begin;
      negation->text = "not";
      Skip();
      ExpressionPointer operand = ReadBinary(3);
      if (operand == nullptr) return nullptr;
      negation->children.push_back(std::move(operand));
      return Close(std::move(negation));
    }
    if (At("not")) return FailExpression("an operand; put `not ...` in parentheses");
    if (At("-") || At("+")) {
      const bool is_minus = At("-");
      Skip();
      ExpressionPointer operand = ReadUnary(kUnaryMinus);
      if (operand == nullptr) return nullptr;
      if (operand->is_number) return Signed(std::move(operand), is_minus, begin);
      if (!is_minus) return operand;
      ExpressionPointer negation = Make(Expression::Kind::kUnary, begin);
      negation->operator_position = begin;
      negation->text = "-";
      negation->children.push_back(std::move(operand));
      return Close(std::move(negation));
    }
    ExpressionPointer base = ReadPostfix();
    if (base == nullptr || !At("**")) return base;
    ExpressionPointer power = Make(Expression::Kind::kBinary, base->begin);
    power->operator_position = Next().begin;
    power->text = "**";
    Skip();
    ExpressionPointer exponent = ReadUnary(kUnaryMinus);
    if (exponent == nullptr) return nullptr;
    power->children.push_back(std::move(base));
    power->children.push_back(std::move(exponent));
    return Close(std::move(power));
  }

  // A number with a sign is a literal.
  ExpressionPointer Signed(ExpressionPointer number, bool is_minus, size_t begin) {
    number->begin = begin;
    if (!is_minus) return number;
    const Literal& literal = number->value.literal();
    if (literal.is(Literal::Kind::kFloat)) {
      number->value = Value::OfLiteral(Literal::Float(-literal.float_value()));
    } else {
      const absl::int128 value = -literal.int_value();
      if (value < -(absl::int128{1} << 63)) {
        FailAt(begin, "expected an integer from -2^63 to 2^64 - 1");
        return nullptr;
      }
      number->value = Value::OfLiteral(Literal::Int(value));
    }
    return number;
  }

  ExpressionPointer ReadPostfix() {
    ExpressionPointer base = ReadPrimary();
    while (base != nullptr) {
      if (At(".")) {
        ExpressionPointer field = Make(Expression::Kind::kField, base->begin);
        Skip();
        field->operator_position = Next().begin;
        field->text = Next().text;
        if (!TakeKind(TokenKind::kName)) return FailExpression("the name of a field");
        field->children.push_back(std::move(base));
        base = Close(std::move(field));
      } else if (At("[")) {
        base = ReadIndex(std::move(base));
      } else if (At("(")) {
        ExpressionPointer call = Make(Expression::Kind::kCall, base->begin);
        call->operator_position = Next().begin;
        Skip();
        call->children.push_back(std::move(base));
        if (!ReadArguments(*call)) return nullptr;
        base = Close(std::move(call));
      } else {
        break;
      }
    }
    return base;
  }

  // Reads arguments up to the `)`.
  bool ReadArguments(Expression& call) {
    absl::flat_hash_set<std::string_view> names;
    while (!Take(")")) {
      if (At("*") || At("**")) {
        return FailAt(Next().begin, "unsupported `*` before an argument; write each argument");
      }
      if (At(TokenKind::kName) && After(1).text == "=" &&
          After(1).kind == TokenKind::kPunctuation) {
        NamedExpression argument{.name = Next().text, .position = Next().begin, .value = nullptr};
        Skip();
        Skip();
        if (!names.insert(argument.name).second) {
          return FailAt(argument.position,
                        Cat("duplicate keyword argument `", Printable(argument.name), "`"));
        }
        argument.value = ReadExpression();
        if (argument.value == nullptr) return false;
        call.named.push_back(std::move(argument));
      } else {
        if (!call.named.empty()) return Fail("a keyword argument after keyword arguments");
        ExpressionPointer argument = ReadExpression();
        if (argument == nullptr) return false;
        call.children.push_back(std::move(argument));
      }
      if (!At(")") && !Expect(",", "or `)`")) return false;
    }
    return true;
  }

  // --- indices

  ExpressionPointer ReadIndex(ExpressionPointer base) {
    ExpressionPointer index = Make(Expression::Kind::kIndex, base->begin);
    index->operator_position = Next().begin;
    Skip();
    index->children.push_back(std::move(base));
    do {
      if (At("]") && !index->keys.empty()) break;
      KeyExpression key;
      if (!ReadKey(key)) return nullptr;
      index->keys.push_back(std::move(key));
    } while (Take(","));
    if (!Expect("]", "or `,`")) return nullptr;
    return Close(std::move(index));
  }

  bool ReadKey(KeyExpression& key) {
    key.position = Next().begin;
    if (Take("...")) {
      key.kind = KeyExpression::Kind::kEllipsis;
      return true;
    }
    if (!At(":")) {
      key.value = ReadExpression();
      if (key.value == nullptr) return false;
    }
    if (!Take(":")) return true;
    key.kind = KeyExpression::Kind::kSlice;
    if (!ReadBound(key.stop)) return false;
    return !Take(":") || ReadBound(key.step);
  }

  bool ReadBound(ExpressionPointer& bound) {
    if (At(":") || At(",") || At("]")) return true;
    bound = ReadExpression();
    return bound != nullptr;
  }

  // --- primaries

  ExpressionPointer ReadPrimary() {
    const Token& token = Next();
    switch (token.kind) {
      case TokenKind::kNumber:
        return ReadNumber();
      case TokenKind::kString:
        return ReadText();
      case TokenKind::kName:
        return ReadName();
      case TokenKind::kPunctuation:
        if (token.text == "(") return ReadParentheses();
        if (token.text == "[") return ReadList();
        if (token.text == "{") return ReadDict();
        break;
      default:
        break;
    }
    return FailExpression("an expression");
  }

  ExpressionPointer OfValue(Value value, size_t begin) {
    ExpressionPointer made = Make(Expression::Kind::kValue, begin);
    made->value = std::move(value);
    made->end = LastEnd();
    return made;
  }
  ExpressionPointer OfLiteral(Literal literal, size_t begin) {
    return OfValue(Value::OfLiteral(std::move(literal)), begin);
  }

  ExpressionPointer ReadNumber() {
    const Token& token = Next();
    std::string text;
    for (char c : token.text) {
      if (c != '_') text.push_back(c);
    }
    const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
    const bool is_float = !is_hex && text.find_first_of(".eE") != std::string::npos;
    const char* begin = text.data() + (is_hex ? 2 : 0);
    const char* end = text.data() + text.size();
    Literal literal;
    bool is_valid = false;
    if (is_float) {
      double value = 0;
      auto [stop, error] = std::from_chars(begin, end, value);
      is_valid = error == std::errc() && stop == end;
      literal = Literal::Float(value);
    } else {
      uint64_t value = 0;
      auto [stop, error] = std::from_chars(begin, end, value, is_hex ? 16 : 10);
      is_valid = error == std::errc() && stop == end;
      literal = Literal::Int(static_cast<absl::int128>(value));
    }
    if (!is_valid) {
      FailAt(token.begin, Cat("expected an integer from -2^63 to 2^64 - 1 or a float64, found `",
                              Printable(token.text), "`"));
      return nullptr;
    }
    Skip();
    ExpressionPointer number = OfLiteral(std::move(literal), token.begin);
    number->is_number = true;
    return number;
  }

  ExpressionPointer ReadText() {
    const size_t begin = Next().begin;
    std::string text;
    while (At(TokenKind::kString)) {
      text.append(Next().text);
      Skip();
    }
    return OfLiteral(Literal::String(std::move(text)), begin);
  }

  // `float32[`, `ragged int64[`, `sparse<`: a type or a value in the notation.
  bool AtNotation() const {
    const Token& next = After(1);
    if (LookupDType(Next().text)) return next.text == "[";
    const bool is_kind = At("ragged") || At("sparse") || At("dense");
    return is_kind &&
           ((next.kind == TokenKind::kName && LookupDType(next.text)) || next.text == "<");
  }

  ExpressionPointer ReadName() {
    const Token& token = Next();
    const size_t begin = token.begin;
    const bool is_call = After(1).text == "(" && After(1).kind == TokenKind::kPunctuation;
    if (AtNotation()) return ReadNotation();
    if (At("literal") && is_call) return ReadWrappedNotation(/*is_type=*/false);
    if (At("type") && is_call) return ReadWrappedNotation(/*is_type=*/true);
    if (At("static") && is_call) return ReadStatic();
    if ((At("captures") || At("locals")) && After(1).text == "[") return ReadNamed();
    Skip();
    if (token.text == "None") return OfLiteral(Literal(), begin);
    if (token.text == "True") return OfLiteral(Literal::Bool(true), begin);
    if (token.text == "False") return OfLiteral(Literal::Bool(false), begin);
    if (token.text == "inf" || token.text == "nan") {
      const double value = token.text == "inf" ? std::numeric_limits<double>::infinity()
                                               : std::numeric_limits<double>::quiet_NaN();
      ExpressionPointer number = OfLiteral(Literal::Float(value), begin);
      number->is_number = token.text == "inf";
      return number;
    }
    if (token.text == "lambda") {
      FailAt(begin, "unsupported `lambda`; define a function with `def`");
      return nullptr;
    }
    if (IsPythonKeyword(token.text)) {
      FailAt(begin, Cat("expected an expression, found the reserved word `", token.text, "`"));
      return nullptr;
    }
    ExpressionPointer name = Make(Expression::Kind::kName, begin);
    name->text = token.text;
    return Close(std::move(name));
  }

  ExpressionPointer ReadNamed() {
    ExpressionPointer named =
        Make(At("captures") ? Expression::Kind::kCapture : Expression::Kind::kLocal, Next().begin);
    Skip();
    Skip();
    named->text = Next().text;
    named->operator_position = Next().begin;
    if (!TakeKind(TokenKind::kString)) return FailExpression("a name in quotation marks");
    if (!Expect("]", "after the name")) return nullptr;
    return Close(std::move(named));
  }

  ExpressionPointer ReadStatic() {
    ExpressionPointer made = Make(Expression::Kind::kStatic, Next().begin);
    Skip();
    Skip();
    ExpressionPointer value = ReadExpression();
    if (value == nullptr || !Expect(")", "after the value of an attribute")) return nullptr;
    made->children.push_back(std::move(value));
    return Close(std::move(made));
  }

  // Continues with the first token that begins at `end` of the notation or later.
  void ContinueAt(size_t end) {
    while (index_ + 1 < tokens_.size() && Next().notation < end) Skip();
  }

  ExpressionPointer FailNotation(NotationRange range, size_t fallback, const Status& status) {
    AddNotationError(list_, range, fallback, status, errors_);
    return nullptr;
  }

  ExpressionPointer ReadNotation() {
    const size_t begin = Next().begin;
    const NotationRange range = RestOfLine();
    NotationReader in(
        std::string_view(list_.notation).substr(range.begin, range.end - range.begin));
    NotationReader before = in;
    auto type = in.ReadType();
    if (!type.ok()) return FailNotation(range, begin, type.status());
    const bool is_type = in.AtEnd() || in.Peek(",") || in.Peek(")") || in.Peek("]") || in.Peek("}");
    if (is_type) {
      ContinueAt(range.begin + in.position());
      ExpressionPointer made = Make(Expression::Kind::kType, begin);
      made->type = *std::move(type);
      return Close(std::move(made));
    }
    auto value = ReadValue(before);
    if (!value.ok()) return FailNotation(range, begin, value.status());
    ContinueAt(range.begin + before.position());
    return OfValue(*std::move(value), begin);
  }

  // Reads a type that is an argument of a declaration.
  ExpressionPointer ReadTypeArgument() {
    const size_t begin = Next().begin;
    const NotationRange range = RestOfLine();
    NotationReader in(
        std::string_view(list_.notation).substr(range.begin, range.end - range.begin));
    auto type = in.ReadType();
    if (!type.ok()) return FailNotation(range, begin, type.status());
    ContinueAt(range.begin + in.position());
    ExpressionPointer made = Make(Expression::Kind::kType, begin);
    made->type = *std::move(type);
    return Close(std::move(made));
  }

  // `literal(VALUE)` or `type(TYPE)`, with any value or type in the notation.
  ExpressionPointer ReadWrappedNotation(bool is_type) {
    const size_t begin = Next().begin;
    Skip();
    Skip();
    const size_t start = Next().notation;
    for (int depth = 0; !(depth == 0 && At(")"));) {
      if (At(TokenKind::kNewline) || At(TokenKind::kEnd)) return FailExpression("`)`");
      if (At("(") || At("[") || At("{")) ++depth;
      if (At(")") || At("]") || At("}")) --depth;
      Skip();
    }
    const NotationRange range{start, Next().notation};
    const auto text = std::string_view(list_.notation).substr(start, range.end - start);
    Skip();
    if (is_type) {
      auto type = ParseTypeSpec(text);
      if (!type.ok()) return FailNotation(range, begin, type.status());
      ExpressionPointer made = Make(Expression::Kind::kType, begin);
      made->type = *std::move(type);
      return Close(std::move(made));
    }
    auto value = ParseLiteralValue(text);
    if (!value.ok()) return FailNotation(range, begin, value.status());
    return OfValue(*std::move(value), begin);
  }

  ExpressionPointer ReadParentheses() {
    const size_t begin = Next().begin;
    Skip();
    ExpressionPointer tuple = Make(Expression::Kind::kTuple, begin);
    bool is_tuple = At(")");
    while (!Take(")")) {
      ExpressionPointer next = ReadExpression();
      if (next == nullptr) return nullptr;
      tuple->children.push_back(std::move(next));
      if (At(",")) {
        is_tuple = true;
        Skip();
      } else if (!At(")")) {
        return FailExpression("`)` or an operator");
      }
    }
    if (is_tuple) return Close(std::move(tuple));
    ExpressionPointer inner = std::move(tuple->children[0]);
    inner->is_number = false;
    inner->is_parenthesized = true;
    return inner;
  }

  ExpressionPointer ReadList() {
    ExpressionPointer list = Make(Expression::Kind::kList, Next().begin);
    Skip();
    while (!Take("]")) {
      ExpressionPointer next = ReadExpression();
      if (next == nullptr) return nullptr;
      list->children.push_back(std::move(next));
      if (!At("]") && !Expect(",", "or `]`")) return nullptr;
    }
    return Close(std::move(list));
  }

  ExpressionPointer ReadDict() {
    ExpressionPointer dict = Make(Expression::Kind::kDict, Next().begin);
    absl::flat_hash_set<std::string_view> keys;
    Skip();
    while (!Take("}")) {
      NamedExpression entry{.name = Next().text, .position = Next().begin, .value = nullptr};
      if (!TakeKind(TokenKind::kString)) {
        return FailExpression(At(TokenKind::kName) ? "a key in quotation marks" : "a key or `}`");
      }
      if (!Expect(":", "after a key")) return nullptr;
      entry.value = ReadExpression();
      if (entry.value == nullptr) return nullptr;
      if (!keys.insert(entry.name).second) {
        FailAt(entry.position, Cat("duplicate key `", Printable(entry.name), "`"));
        return nullptr;
      }
      dict->named.push_back(std::move(entry));
      if (!At("}") && !Expect(",", "or `}`")) return nullptr;
    }
    return Close(std::move(dict));
  }

  const TokenList& list_;
  const std::vector<Token>& tokens_;
  SourceErrors& errors_;
  std::vector<size_t> line_ends_;  // by token: the end of its statement in the notation
  size_t index_ = 0;
  int depth_ = 0;    // of blocks
  int nesting_ = 0;  // of recursive calls
};

// Returns the position in the source of a position in the notation.
size_t SourceOffset(const TokenList& tokens, size_t notation) {
  const auto& list = tokens.tokens;
  auto after = std::upper_bound(
      list.begin(), list.end(), notation,
      [](size_t position, const Token& token) { return position < token.notation; });
  if (after == list.begin()) return list.front().begin;
  const Token& token = *(after - 1);
  const size_t offset = notation - token.notation;
  if (token.kind == Token::Kind::kString) return token.begin;
  const size_t size = token.end - token.begin;
  if (offset < size) return token.begin + offset;
  return after == list.end() || offset == size ? token.end : size_t{after->begin};
}

struct StatedColumn {
  size_t column;
  std::string message;  // without the column
};

// Finds `column 12: ` in a message.
std::optional<StatedColumn> ReadColumn(std::string_view message) {
  constexpr std::string_view kWord = "column ";
  const size_t begin = message.find(kWord);
  if (begin == message.npos) return std::nullopt;
  size_t column = 0;
  const char* digits = message.data() + begin + kWord.size();
  auto [end, error] = std::from_chars(digits, message.data() + message.size(), column);
  const auto rest = static_cast<size_t>(end - message.data());
  if (error != std::errc() || !message.substr(rest).starts_with(": ")) return std::nullopt;
  return StatedColumn{column, Cat(message.substr(0, begin), message.substr(rest + 2))};
}

}  // namespace

FileSyntax ParseFile(const TokenList& tokens, SourceErrors& errors) {
  return Parser(tokens, errors).Parse();
}

void AddNotationError(const TokenList& tokens, NotationRange range, size_t fallback,
                      const Status& status, SourceErrors& errors) {
  if (errors.is_full()) return;
  const std::string_view message = MessageOf(status);
  if (auto stated = ReadColumn(message)) {
    // The text of the range may end with spaces, which are not part of the source.
    const size_t offset = std::min(range.begin + stated->column - 1, range.end);
    return errors.Add(SourceOffset(tokens, offset), std::move(stated->message));
  }
  // Point at the first name in backticks that occurs in the range; of a duplicate, at the last.
  const auto first = std::lower_bound(
      tokens.tokens.begin(), tokens.tokens.end(), range.begin,
      [](const Token& token, size_t position) { return token.notation < position; });
  const bool is_duplicate =
      message.find("duplicate") != message.npos || message.find("two parameters") != message.npos;
  for (size_t begin = message.find('`'); begin != message.npos;) {
    const size_t end = message.find('`', begin + 1);
    if (end == message.npos) break;
    const std::string_view name = message.substr(begin + 1, end - begin - 1);
    const Token* named = nullptr;
    for (auto token = first; token != tokens.tokens.end() && token->notation < range.end; ++token) {
      if (token->text == name && (named == nullptr || is_duplicate)) named = &*token;
    }
    if (named != nullptr) return errors.Add(named->begin, std::string(message));
    begin = message.find('`', end + 1);
  }
  errors.Add(fallback, std::string(message));
}

std::string WithoutIndentation(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  auto is_blank = [](std::string_view line) {
    return line.find_first_not_of(' ') == std::string_view::npos;
  };
  size_t indent = std::string_view::npos;
  for (size_t i = 1; i < lines.size(); ++i) {
    if (!is_blank(lines[i])) indent = std::min(indent, lines[i].find_first_not_of(' '));
  }
  for (size_t i = 1; i < lines.size(); ++i) {
    lines[i] = is_blank(lines[i]) ? std::string_view() : lines[i].substr(indent);
  }
  while (!lines.empty() && is_blank(lines.back())) lines.pop_back();
  size_t first = 0;
  while (first < lines.size() && is_blank(lines[first])) ++first;
  lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(first));
  return Join(lines, "\n");
}

bool IsLanguageName(std::string_view name) {
  return IsIdentifier(name) && !IsPythonKeyword(name) && !LookupDType(name) &&
         std::find(std::begin(kReserved), std::end(kReserved), name) == std::end(kReserved);
}

}  // namespace signet
