// Checks that core/ops/build/op_methods.{h,cc} and op_names.h match the catalog. With
// SIGNET_UPDATE_GOLDEN=1, writes these files (clang-format must be installed).

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/ops/catalog.h"
#include "core/ops/control/control_ops.h"
#include "core/ops/def/output_count.h"
#include "core/ops/elementwise/elementwise_ops.h"
#include "core/ops/extension/extension_ops.h"
#include "core/ops/indexing/indexing_ops.h"
#include "core/ops/linalg/linalg_ops.h"
#include "core/ops/nn/nn_ops.h"
#include "core/ops/quantization/quantization_ops.h"
#include "core/ops/ragged/ragged_ops.h"
#include "core/ops/random/random_ops.h"
#include "core/ops/reduction/reduction_ops.h"
#include "core/ops/shape/shape_ops.h"
#include "core/ops/signal/signal_ops.h"
#include "core/ops/sparse/sparse_ops.h"
#include "core/ops/structured/structured_ops.h"
#include "core/ops/tabular/tabular_ops.h"
#include "core/ops/text/text_ops.h"
#include "core/ops/vision/vision_ops.h"

namespace signet {
namespace {

constexpr char kHeaderPath[] = "core/ops/build/op_methods.h";
constexpr char kSourcePath[] = "core/ops/build/op_methods.cc";
constexpr char kNamesPath[] = "core/ops/build/op_names.h";

// The ops of a family by name.
class Family {
 public:
  explicit Family(std::string name) : name_(std::move(name)) {}

  void Add(OpDef op) { ops_.emplace(op.name, std::move(op)); }
  void AddAll(std::vector<OpDef> ops) {
    for (OpDef& op : ops) Add(std::move(op));
  }
  const std::string& name() const { return name_; }
  const std::map<std::string, OpDef>& ops() const { return ops_; }

 private:
  std::string name_;
  std::map<std::string, OpDef> ops_;
};

std::vector<Family> Families() {
  std::vector<Family> families;
#define SIGNET_ADD_OP(maker) families.back().Add(maker());
#define SIGNET_ADD_OPS(maker) families.back().AddAll(maker());
#define SIGNET_ADD_FAMILY(name, list) \
  families.emplace_back(name);        \
  list(SIGNET_ADD_OP, SIGNET_ADD_OPS)
  SIGNET_ADD_FAMILY("control", SIGNET_CONTROL_OPS)
  SIGNET_ADD_FAMILY("elementwise", SIGNET_ELEMENTWISE_OPS)
  SIGNET_ADD_FAMILY("extension", SIGNET_EXTENSION_OPS)
  SIGNET_ADD_FAMILY("indexing", SIGNET_INDEXING_OPS)
  SIGNET_ADD_FAMILY("linalg", SIGNET_LINALG_OPS)
  SIGNET_ADD_FAMILY("nn", SIGNET_NN_OPS)
  SIGNET_ADD_FAMILY("quantization", SIGNET_QUANTIZATION_OPS)
  SIGNET_ADD_FAMILY("ragged", SIGNET_RAGGED_OPS)
  SIGNET_ADD_FAMILY("random", SIGNET_RANDOM_OPS)
  SIGNET_ADD_FAMILY("reduction", SIGNET_REDUCTION_OPS)
  SIGNET_ADD_FAMILY("shape", SIGNET_SHAPE_OPS)
  SIGNET_ADD_FAMILY("signal", SIGNET_SIGNAL_OPS)
  SIGNET_ADD_FAMILY("sparse", SIGNET_SPARSE_OPS)
  SIGNET_ADD_FAMILY("structured", SIGNET_STRUCTURED_OPS)
  SIGNET_ADD_FAMILY("tabular", SIGNET_TABULAR_OPS)
  SIGNET_ADD_FAMILY("text", SIGNET_TEXT_OPS)
  SIGNET_ADD_FAMILY("vision", SIGNET_VISION_OPS)
#undef SIGNET_ADD_FAMILY
#undef SIGNET_ADD_OPS
#undef SIGNET_ADD_OP
  return families;
}

// Control ops call functions of a model, which an expansion does not know.
bool HasMethod(const OpDef& op) { return op.control == Control::kNone; }

std::string CamelCase(std::string_view name) {
  std::string out;
  bool starts_word = true;
  for (char c : name) {
    if (c != '_') out += starts_word ? static_cast<char>(std::toupper(c)) : c;
    starts_word = c == '_';
  }
  return out;
}

// `name` as the name of a member or parameter: with an underscore if it is a keyword.
std::string Identifier(std::string_view name) {
  static const auto* const keywords =
      new std::set<std::string, std::less<>>{"case", "default", "else", "operator", "switch"};
  return keywords->contains(name) ? Cat(name, "_") : std::string(name);
}

// `text` as a comment of lines of at most 100 columns.
std::string Comment(const std::string& text, const std::string& indent) {
  std::istringstream words(text);
  std::string out;
  std::string line = Cat(indent, "//");
  for (std::string word; words >> word;) {
    if (line.size() + 1 + word.size() > 100) {
      out += Cat(line, "\n");
      line = Cat(indent, "//");
    }
    line += Cat(" ", word);
  }
  return Cat(out, line, "\n");
}

// The parts of a method's signature.
class Method {
 public:
  explicit Method(const OpDef& op) : op_(op), name_(CamelCase(op.name)) {
    for (const std::string& input : op.inputs) {
      if (input.ends_with("...")) {
        list_ = Identifier(input.substr(0, input.size() - 3));
      } else if (input.ends_with("?")) {
        optional_.push_back(Identifier(input.substr(0, input.size() - 1)));
      } else {
        required_.push_back(Identifier(input));
      }
    }
  }

  // The struct of the attributes; nothing if there are none.
  std::string Struct() const {
    if (op_.attributes.empty()) return "";
    std::string out = Cat("struct ", name_, "Attributes {\n");
    for (const AttributeDef& attribute : op_.attributes) {
      out += Cat("  AttributeArgument ", Identifier(attribute.name),
                 attribute.default_value ? " = kUnset" : "", ";\n");
    }
    return Cat(out, "};\n");
  }

  std::string Declaration() const {
    std::string out = Comment(Cat(op_.summary, "."), "  ");
    out += Cat("  ", Signature("", /*declares=*/true), ";\n");
    if (!optional_.empty() && !op_.attributes.empty()) {
      // Without the optional inputs.
      std::string arguments = Join(required_, ", ");
      for (size_t i = 0; i < optional_.size(); ++i) arguments += arguments.empty() ? "{}" : ", {}";
      std::string parameters;
      for (const std::string& input : required_) {
        parameters += Cat("const Operand& ", input, ", ");
      }
      out += Cat("  ", Result(), " ", name_, "(", parameters, "const ", name_,
                 "Attributes& attributes) { return ", name_, "(", arguments, ", attributes); }\n");
    }
    return out;
  }

  std::string Definition() const {
    std::string operands;
    for (const auto* names : {&required_, &optional_}) {
      for (const std::string& input : *names)
        operands += Cat(operands.empty() ? "&" : ", &", input);
    }
    std::string attributes;
    for (const AttributeDef& attribute : op_.attributes) {
      attributes += Cat(attributes.empty() ? ", {" : ", ", "{\"", attribute.name, "\", attributes.",
                        Identifier(attribute.name), "}");
    }
    if (!attributes.empty()) attributes += "}";
    return Cat(Signature("OpMethods::", /*declares=*/false), " {\n  return CallTyped",
               HasOneOutput() ? "One" : "", "(\"", op_.name, "\", {{", operands, "}",
               list_.empty() ? "" : Cat(", &", list_), "}", attributes, ");\n}\n");
  }

 private:
  bool HasOneOutput() const { return MaxOutputs(op_, 1) == std::optional<size_t>(1); }
  std::string Result() const {
    return HasOneOutput() ? "Expr" : "StatusOr<std::vector<GraphValue>>";
  }
  std::string Signature(std::string_view scope, bool declares) const {
    std::vector<std::string> parameters;
    bool attributes_are_optional =
        std::all_of(op_.attributes.begin(), op_.attributes.end(),
                    [](const AttributeDef& a) { return static_cast<bool>(a.default_value); });
    std::string_view unset = declares && attributes_are_optional ? " = {}" : "";
    for (const std::string& input : required_) {
      parameters.push_back(Cat("const Operand& ", input));
    }
    for (const std::string& input : optional_) {
      parameters.push_back(Cat("const Operand& ", input, unset));
    }
    if (!list_.empty()) parameters.push_back(Cat("const Operands& ", list_));
    if (!op_.attributes.empty()) {
      parameters.push_back(Cat("const ", name_, "Attributes& attributes", unset));
    }
    return Cat(Result(), " ", scope, name_, "(", Join(parameters, ", "), ")");
  }

  const OpDef& op_;
  std::string name_;
  std::vector<std::string> required_;
  std::vector<std::string> optional_;
  std::string list_;
};

std::string HeaderText() {
  std::string structs;
  std::string methods;
  for (const Family& family : Families()) {
    std::string of_family;
    for (const auto& [name, op] : family.ops()) {
      if (!HasMethod(op)) continue;
      structs += Method(op).Struct();
      of_family += Method(op).Declaration();
    }
    if (!of_family.empty()) methods += Cat("  // --- ", family.name(), " ---\n\n", of_family, "\n");
  }
  return Cat(
      "// OpMethods: a method per op, with which an expansion calls it.\n//\n"
      "// Generated from the catalog of ops; do not edit. `./dev golden OpMethodsTest` writes "
      "this\n"
      "// file again after an op has changed, and a test compares it.\n//\n"
      "// A method returns an Expr if its op has one output, and else all outputs. An attribute "
      "that\n"
      "// is not set has the op's default. Not thread-safe.\n\n"
      "#pragma once\n\n#include \"core/ops/build/op_caller.h\"\n\nnamespace signet {\n\n",
      structs, "\nclass OpMethods : public OpCaller {\n public:\n", methods,
      "};\n\n}  // namespace signet\n");
}

std::string SourceText() {
  std::string out =
      "// Generated from the catalog of ops, as op_methods.h is; do not edit.\n\n"
      "#include \"core/ops/build/op_methods.h\"\n\nnamespace signet {\n\n";
  for (const Family& family : Families()) {
    for (const auto& [name, op] : family.ops()) {
      if (HasMethod(op)) out += Cat(Method(op).Definition(), "\n");
    }
  }
  return Cat(out, "}  // namespace signet\n");
}

std::string NamesText() {
  std::set<std::string> names;
  for (const Family& family : Families()) {
    for (const auto& [name, op] : family.ops()) names.insert(Cat("\"", name, "\""));
  }
  return Cat(
      "// kOpNames: the names of all ops of the catalog, sorted.\n//\n"
      "// Generated from the catalog, as op_methods.h is; do not edit.\n\n"
      "#pragma once\n\n#include <string_view>\n\nnamespace signet {\n\n"
      "inline constexpr std::string_view kOpNames[] = {",
      Join(std::vector<std::string>(names.begin(), names.end()), ", "),
      "};\n\n}  // namespace signet\n");
}

// The text without spaces and comment marks, which clang-format moves.
std::string Squeezed(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0 && c != '/') out += c;
  }
  return out;
}

void CompareOrWrite(const std::string& path, const std::string& text) {
  if (std::getenv("SIGNET_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << text;
    ASSERT_EQ(std::system(Cat("clang-format -i ", path).c_str()), 0);
  }
  std::ifstream file(path);
  std::stringstream found;
  found << file.rdbuf();
  EXPECT_TRUE(Squeezed(found.str()) == Squeezed(text))
      << path << " is not what the catalog says; `./dev golden OpMethodsTest` writes it";
}

TEST(OpMethodsTest, FilesMatchTheCatalog) {
  CompareOrWrite(kHeaderPath, HeaderText());
  CompareOrWrite(kSourcePath, SourceText());
  CompareOrWrite(kNamesPath, NamesText());
}

TEST(OpMethodsTest, EachOpOfTheCatalogIsInAFamily) {
  std::set<std::string> found;
  for (const Family& family : Families()) {
    for (const auto& [name, op] : family.ops()) found.insert(name);
  }
  for (const OpDef* op : BuiltinOps().All()) {
    if (op->name.find('.') != std::string::npos) continue;
    EXPECT_TRUE(found.contains(op->name)) << op->name;
  }
}

}  // namespace
}  // namespace signet
