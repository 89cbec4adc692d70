// Checks that docs/reference/ops and core/ops/op_examples.cc are what the OpDefs and the case files
// say. With SIGNET_UPDATE_GOLDEN=1, writes them.
//
// In a page of docs/reference/ops, the text above the line `<!-- generated -->` is written by hand.
// The page ends with the generated entries.

#include "core/ops/op_reference.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "core/ops/catalog.h"
#include "core/ops/def/output_count.h"
#include "signet/cat.h"
#include "tests/support/case_file.h"

namespace signet {
namespace {

constexpr size_t kWidth = 120;
constexpr std::string_view kMark = "<!-- generated -->\n";
constexpr char kIndexPath[] = "docs/reference/ops.md";
constexpr char kExamplesPath[] = "core/ops/op_examples.cc";

std::string ReadText(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void CompareOrWrite(const std::string& path, const std::string& text) {
  if (std::getenv("SIGNET_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  EXPECT_EQ(ReadText(path), text) << path << ": `./dev golden OpReferenceTest` writes it";
}

// The text of `path` that is written by hand, with the mark.
std::string Introduction(const std::string& path) {
  std::string text = ReadText(path);
  size_t mark = text.find(kMark);
  return mark == std::string::npos ? Cat(text, kMark) : text.substr(0, mark + kMark.size());
}

// `text` in lines of at most 120 characters, the first of which starts with `first`, the others
// with `next`. Code between backticks is not broken.
std::string Wrapped(std::string_view first, std::string_view next, std::string_view text) {
  std::string out(first);
  size_t column = first.size();
  bool start = true;
  while (!text.empty()) {
    size_t end = 0;
    bool code = false;
    while (end < text.size() && (code || text[end] != ' ')) {
      if (text[end] == '`') code = !code;
      ++end;
    }
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!start && column + 1 + word.size() > kWidth) {
      out += Cat("\n", next);
      column = next.size();
    } else if (!start) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    start = false;
  }
  return out + "\n";
}

std::string Item(std::string_view heading, std::string_view text) {
  return Wrapped(Cat("- **", heading, "**: "), "  ", text);
}

std::string InputsText(const OpDef& op) {
  std::vector<std::string> parts;
  for (const InputEntry& input : InputEntries(op)) {
    std::string kind = input.kind == InputKind::kRequired ? "" : Cat(" (", NameOf(input.kind), ")");
    parts.push_back(Cat("`", input.name, "`", kind));
  }
  return parts.empty() ? "none" : Join(parts, ", ");
}

std::string AttributesText(const OpDef& op) {
  std::vector<std::string> parts;
  for (const AttributeEntry& attribute : AttributeEntries(op)) {
    std::string about = attribute.default_value.empty()
                            ? "required"
                            : Cat("default `", attribute.default_value, "`");
    parts.push_back(Cat("`", attribute.name, "` (", about, ")"));
  }
  return parts.empty() ? "none" : Join(parts, ", ");
}

std::string Entry(const OpDef& op) {
  std::string out = Cat("\n### ", op.name, "\n\n");
  out += Cat("    ", SignatureText(op), "\n\n");
  out += Wrapped("", "", Cat(op.summary, "."));
  out += "\n";
  out += Wrapped("", "", op.description);
  out += "\n";
  out += Item("Inputs", InputsText(op));
  out += Item("Attributes", AttributesText(op));
  out += Item("Result", op.result);
  if (op.constraints.empty()) out += Item("Constraints", "none");
  if (!op.constraints.empty()) out += "- **Constraints**:\n";
  for (size_t i = 0; i < op.constraints.size(); ++i) {
    if (op.constraints[i].empty()) continue;
    out += Wrapped(Cat("  - C", i + 1, ": "), "    ", op.constraints[i]);
  }
  out += Item("Composite values", CompositesText(op));
  std::vector<std::string_view> examples = ExamplesOf(op.name);
  if (examples.empty()) return out;
  out += "- **Examples**:\n";
  for (std::string_view example : examples) {
    out += "\n";
    for (std::istringstream lines{std::string(example)}; !lines.eof();) {
      std::string line;
      if (std::getline(lines, line)) out += Cat("      ", line, "\n");
    }
  }
  return out;
}

std::string PagePath(const OpFamilyList& family) {
  return Cat("docs/reference/ops/", family.name, ".md");
}

// The families of the reference: without the operators of ONNX, which docs/reference/onnx.md lists.
std::vector<OpFamilyList> DocumentedFamilies() {
  std::vector<OpFamilyList> families;
  for (const OpFamilyList& family : OpFamilies()) {
    if (IsFrontendOp(family.ops[0]->name)) continue;
    OpFamilyList documented = family;
    std::erase_if(documented.ops, [](const OpDef* op) { return op->internal; });
    families.push_back(std::move(documented));
  }
  return families;
}

std::string PageText(const OpFamilyList& family) {
  std::string out = Introduction(PagePath(family));
  for (const OpDef* op : family.ops) out += Entry(*op);
  return out;
}

std::string IndexText() {
  std::string out = Introduction(kIndexPath);
  for (const OpFamilyList& family : DocumentedFamilies()) {
    out += Cat("\n## ", family.title, "\n\n| Op | Summary |\n|---|---|\n");
    for (const OpDef* op : family.ops) {
      out += Cat("| [`", op->name, "`](ops/", family.name, ".md#", op->name, ") | ", op->summary,
                 " |\n");
    }
  }
  return out;
}

struct Example {
  std::string op;
  std::string text;
};

// The cases after an `# Example` comment. The lines stay as they are in the file.
std::vector<Example> MarkedExamples() {
  std::vector<Example> examples;
  for (const CaseFile& file : ReadCaseFiles()) {
    std::ifstream in(file.name);
    std::string line;
    bool marked = false;
    bool answered = false;
    while (std::getline(in, line)) {
      bool continues = !line.empty() && line[0] == ' ';
      if (marked && answered && !continues) marked = answered = false;
      if (line == "# Example") {
        marked = true;
        examples.emplace_back();
      } else if (marked) {
        Example& example = examples.back();
        if (example.op.empty()) example.op = line.substr(0, line.find(' '));
        example.text += Cat(example.text.empty() ? "" : "\n", line);
        answered = answered || line.starts_with("->") || line.starts_with("!!");
      }
    }
  }
  return examples;
}

std::string ExamplesText() {
  std::string out =
      "// Generated from tests/core/ops/**/*.cases; do not edit. `./dev golden OpReferenceTest` "
      "writes\n// this file again.\n\n#include \"core/ops/op_examples.h\"\n\nnamespace signet {\n"
      "namespace {\n\n// clang-format off\nconstexpr OpExample kExamples[] = {\n";
  for (const Example& example : MarkedExamples()) {
    out += Cat("    {\"", example.op, "\", R\"example(", example.text, ")example\"},\n");
  }
  return out +
         "};\n// clang-format on\n\n}  // namespace\n\nstd::span<const OpExample> AllOpExamples() "
         "{ return kExamples; }\n\n}  // namespace signet\n";
}

TEST(OpReferenceTest, ExamplesMatchTheCases) { CompareOrWrite(kExamplesPath, ExamplesText()); }

TEST(OpReferenceTest, PagesMatchTheOps) {
  std::set<std::string> pages;
  for (const OpFamilyList& family : DocumentedFamilies()) {
    CompareOrWrite(PagePath(family), PageText(family));
    pages.insert(PagePath(family));
  }
  CompareOrWrite(kIndexPath, IndexText());
  for (const auto& entry : std::filesystem::directory_iterator("docs/reference/ops")) {
    EXPECT_TRUE(pages.contains(entry.path().string())) << entry.path() << " is not a family";
  }
}

TEST(OpReferenceTest, EachDocumentedOpHasAnExample) {
  // Control ops call functions of a model, and extension types belong to a model.
  const std::set<std::string> without = {"decline", "make_extension", "gru", "lstm"};
  for (const OpFamilyList& family : DocumentedFamilies()) {
    for (const OpDef* op : family.ops) {
      if (op->control != Control::kNone || without.contains(op->name)) continue;
      EXPECT_FALSE(ExamplesOf(op->name).empty()) << op->name;
    }
  }
}

TEST(OpReferenceTest, EachLabelOfACaseIsAConstraint) {
  for (const CaseFile& file : ReadCaseFiles()) {
    for (const OpCase& op_case : file.cases) {
      const OpDef* op = BuiltinOps().Lookup(op_case.op);
      if (op == nullptr || op->internal || IsFrontendOp(op->name)) continue;
      if (op_case.constraint.empty()) continue;
      const size_t number = std::stoul(op_case.constraint.substr(1));
      bool documented =
          number >= 1 && number <= op->constraints.size() && !op->constraints[number - 1].empty();
      EXPECT_TRUE(documented) << file.name << ":" << op_case.line << ": `" << op->name
                              << "` documents no constraint C" << number;
    }
  }
}

TEST(OpReferenceTest, SignaturesShowInputsAndAttributes) {
  const OpRegistry& ops = BuiltinOps();
  EXPECT_EQ(SignatureText(*ops.Lookup("gather")), "gather(x, indices; axis=None, batch_dims=0)");
  EXPECT_EQ(SignatureText(*ops.Lookup("make_list")), "make_list(elements...)");
  EXPECT_EQ(SignatureText(*ops.Lookup("cast")), "cast(x; dtype)");
  auto attributes = AttributeEntries(*ops.Lookup("concat"));
  ASSERT_EQ(attributes.size(), 2u);
  EXPECT_EQ(attributes[0].type, "int");
  EXPECT_EQ(attributes[1].type, "bool");
  EXPECT_EQ(attributes[1].default_value, "False");
  auto inputs = InputEntries(*ops.Lookup("clip"));
  ASSERT_EQ(inputs.size(), 3u);
  EXPECT_EQ(inputs[1].name, "low");
  EXPECT_EQ(inputs[1].kind, InputKind::kOptional);
}

}  // namespace
}  // namespace signet
