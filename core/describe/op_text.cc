#include "core/describe/op_text.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/ops/catalog.h"
#include "core/ops/def/output_count.h"
#include "core/ops/op_reference.h"
#include "signet/cat.h"

namespace signet {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr size_t kWidth = 100;

// `text` in lines that start with `indent`, and the first with `first`.
std::string Wrapped(std::string_view first, std::string_view indent, std::string_view text) {
  std::string out(first);
  size_t column = first.size();
  bool start = true;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (!start && column + 1 + word.size() > kWidth) {
      out += Cat("\n", indent);
      column = indent.size();
    } else if (!start) {
      out += " ";
      ++column;
    }
    out += word;
    column += word.size();
    start = false;
  }
  return out + "\n";
}

std::string Section(std::string_view title, std::string_view text) {
  return Cat("\n", title, "\n", Wrapped("  ", "  ", text));
}

std::string_view FamilyOf(const OpDef& op) {
  for (const OpFamilyList& family : OpFamilies()) {
    if (std::find(family.ops.begin(), family.ops.end(), &op) != family.ops.end()) {
      return family.name;
    }
  }
  return "";
}

OrderedJson JsonOf(const OpDef& op, std::string_view family) {
  OrderedJson inputs = OrderedJson::array();
  for (const InputEntry& input : InputEntries(op)) {
    inputs.push_back({{"name", input.name}, {"kind", NameOf(input.kind)}});
  }
  OrderedJson attributes = OrderedJson::array();
  for (const AttributeEntry& attribute : AttributeEntries(op)) {
    bool required = attribute.default_value.empty();
    attributes.push_back(
        {{"name", attribute.name},
         {"type", attribute.type},
         {"required", required},
         {"default", required ? OrderedJson() : OrderedJson(attribute.default_value)}});
  }
  OrderedJson constraints = OrderedJson::array();
  for (size_t i = 0; i < op.constraints.size(); ++i) {
    if (op.constraints[i].empty()) continue;
    constraints.push_back({{"label", Cat("C", i + 1)}, {"text", op.constraints[i]}});
  }
  return {{"name", op.name},
          {"family", family},
          {"summary", op.summary},
          {"description", op.description},
          {"signature", SignatureText(op)},
          {"inputs", std::move(inputs)},
          {"attributes", std::move(attributes)},
          {"outputs", op.outputs},
          {"result", op.result},
          {"constraints", std::move(constraints)},
          {"composites", CompositesText(op)},
          {"examples", ExamplesOf(op.name)}};
}

// The ops of frontends are documented on pages of their own.
template <class Visit>
void VisitDocumentedOps(Visit visit) {
  for (const OpFamilyList& family : OpFamilies()) {
    if (IsFrontendOp(family.ops[0]->name)) continue;
    for (const OpDef* op : family.ops) {
      if (!op->internal) visit(family, *op);
    }
  }
}

}  // namespace

std::string RenderOpList() {
  size_t width = 0;
  VisitDocumentedOps(
      [&](const OpFamilyList&, const OpDef& op) { width = std::max(width, op.name.size()); });
  std::string out;
  std::string_view last;
  VisitDocumentedOps([&](const OpFamilyList& family, const OpDef& op) {
    if (family.name != last) out += Cat(last.empty() ? "" : "\n", family.title, "\n");
    last = family.name;
    out += Cat("  ", op.name, std::string(width - op.name.size() + 2, ' '), op.summary, "\n");
  });
  return out;
}

std::string RenderOp(const OpDef& op) {
  std::string out = Cat(SignatureText(op), "\n", op.summary, ".\n");
  if (op.description.empty()) return out;
  out += Cat("\n", Wrapped("", "", op.description));
  out += Section("Result", op.result);
  if (!op.constraints.empty()) out += "\nConstraints\n";
  for (size_t i = 0; i < op.constraints.size(); ++i) {
    if (op.constraints[i].empty()) continue;
    out += Wrapped(Cat("  C", i + 1, "  "), "      ", op.constraints[i]);
  }
  out += Section("Composite values", CompositesText(op));
  std::vector<std::string_view> examples = ExamplesOf(op.name);
  if (!examples.empty()) out += "\nExamples\n";
  for (std::string_view example : examples) {
    while (!example.empty()) {
      std::string_view line = example.substr(0, example.find('\n'));
      example.remove_prefix(std::min(line.size() + 1, example.size()));
      out += Cat("  ", line, "\n");
    }
  }
  return out;
}

std::string OpListJson() {
  OrderedJson all = OrderedJson::array();
  VisitDocumentedOps(
      [&](const OpFamilyList& family, const OpDef& op) { all.push_back(JsonOf(op, family.name)); });
  return Cat(all.dump(2), "\n");
}

std::string OpJson(const OpDef& op) { return Cat(JsonOf(op, FamilyOf(op)).dump(2), "\n"); }

StatusOr<const OpDef*> FindDocumentedOp(std::string_view name) {
  return BuiltinOps().FindCallable(name);
}

}  // namespace signet
