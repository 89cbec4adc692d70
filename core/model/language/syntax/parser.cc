#include "core/model/language/syntax/parser.h"

#include <algorithm>
#include <utility>

#include "core/model/language/syntax/expression_parser.h"
#include "core/model/language/syntax/limits.h"
#include "core/types/identifier.h"
#include "signet/cat.h"
#include "signet/dtype.h"

namespace signet {
namespace {

// Words that are not names of values, in addition to Python's keywords and the names of dtypes.
constexpr std::string_view kReserved[] = {"captures", "locals", "inf", "nan", "_"};

// Statements of Python that the language does not have, and what to write.
constexpr std::pair<std::string_view, std::string_view> kUnsupportedStatements[] = {
    {"if", "; write `select(condition, x, y)`, or `cond` with functions"},
    {"elif", "; write `case` with functions"},
    {"else", "; write `select(condition, x, y)`, or `cond` with functions"},
    {"for", "; write `map`, `scan`, `reduce`, or `loop` with a function"},
    {"while", "; write `ops.while(..., condition=f, body=g)`"},
    {"assert", "; write `check_true`"},
    {"raise", "; write `check_true`"},
    {"pass", "; a function returns a value: `return x`"},
    {"with", ""},
    {"import", "; imports are at the start of the file"},
    {"from", "; imports are at the start of the file"},
    {"class", ""},
    {"try", ""},
    {"except", ""},
    {"finally", ""},
    {"del", ""},
    {"global", ""},
    {"nonlocal", ""},
    {"yield", ""},
    {"async", ""},
    {"await", ""},
};

// Parses declarations, functions, and statements.
class Parser : private ExpressionParser {
 public:
  Parser(const TokenList& list, SourceErrors& errors) : ExpressionParser(list, errors) {}

  FileSyntax Parse() && {
    FileSyntax file;
    if (At(TokenKind::kString)) ReadDoc(file.doc, file.doc_position);
    while (!At(TokenKind::kEnd) && !errors_.is_full()) {
      if (!ReadTopLevel(file)) Recover();
    }
    return file;
  }

 private:
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
    if (!TakeKind(TokenKind::kString)) {
      return Fail(
          "the name of a model in quotation marks, such as `\"risk.onnx\"` or "
          "`\"risk/3\"`");
    }
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
      if (!TakeKind(TokenKind::kNewline) && !At(TokenKind::kEnd)) {
        Fail("the end of the line after the documentation");
        SkipLine();
      }
      return;
    }
    Skip();
    TakeKind(TokenKind::kNewline);
  }

  bool ReadDecorators(std::vector<Declaration>& decorators) {
    while (Take("@")) {
      Declaration decorator;
      const bool has_arguments = At(TokenKind::kName) && After(1).text == "(";
      if (has_arguments) {
        if (!ReadDeclaration(decorator, "")) return false;
      } else {
        decorator.name = Next().text;
        decorator.position = Next().begin;
        if (At(TokenKind::kName) && After(1).text == ".") {
          return FailAt(decorator.position,
                        Cat("decorator `", Printable(decorator.name), ".", Printable(After(2).text),
                            "` not found; decorators: batch, defaults, example, parameters; a "
                            "function needs none"));
        }
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
    // After an error in `if`, its `else` is not reported as another error.
    const bool continues = At("elif") || At("else") || At("except") || At("finally");
    if (continues && !errors_.empty()) return false;
    for (const auto& [word, hint] : kUnsupportedStatements) {
      if (At(word)) return FailAt(Next().begin, Cat("unsupported statement `", word, "`", hint));
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
      type.parent_position = Next().begin;
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
};

}  // namespace

FileSyntax ParseFile(const TokenList& tokens, SourceErrors& errors) {
  return Parser(tokens, errors).Parse();
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
