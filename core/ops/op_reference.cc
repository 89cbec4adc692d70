#include "core/ops/op_reference.h"

#include "core/ops/op_examples.h"
#include "signet/cat.h"
#include "signet/literal_spec.h"

namespace signet {
namespace {

std::string_view TypeOfDefault(const TypeSpec& value) {
  switch (value.kind()) {
    case TypeKind::kList:
    case TypeKind::kTuple:
      return "list";
    case TypeKind::kDict:
      return "dict";
    default:
      break;
  }
  const auto* literal = value.As<LiteralSpec>();
  if (literal == nullptr) return "any";
  switch (literal->literal().kind()) {
    case Literal::Kind::kNone:
      return "any";
    case Literal::Kind::kBool:
      return "bool";
    case Literal::Kind::kInt:
      return "int";
    case Literal::Kind::kFloat:
      return "float";
    case Literal::Kind::kString:
      return "str";
  }
  __builtin_unreachable();
}

}  // namespace

std::vector<InputEntry> InputEntries(const OpDef& op) {
  std::vector<InputEntry> entries;
  for (const std::string& input : op.inputs) {
    std::string_view name = input;
    InputKind kind = InputKind::kRequired;
    if (name.ends_with("...")) {
      kind = InputKind::kAnyNumber;
      name.remove_suffix(3);
    } else if (name.ends_with('?')) {
      kind = InputKind::kOptional;
      name.remove_suffix(1);
    }
    entries.push_back({std::string(name), kind});
  }
  return entries;
}

std::string_view NameOf(InputKind kind) {
  switch (kind) {
    case InputKind::kRequired:
      return "required";
    case InputKind::kOptional:
      return "optional";
    case InputKind::kAnyNumber:
      return "any number";
  }
  __builtin_unreachable();
}

std::vector<AttributeEntry> AttributeEntries(const OpDef& op) {
  std::vector<AttributeEntry> entries;
  for (const AttributeDef& attribute : op.attributes) {
    const TypeSpec& value = attribute.default_value;
    if (!value) {
      entries.push_back({attribute.name, "any", ""});
    } else {
      entries.push_back({attribute.name, std::string(TypeOfDefault(value)), value.ToString()});
    }
  }
  return entries;
}

std::string SignatureText(const OpDef& op) {
  std::string text = Cat(op.name, "(", Join(op.inputs, ", "));
  std::string_view separator = op.inputs.empty() ? "" : "; ";
  for (const AttributeEntry& attribute : AttributeEntries(op)) {
    text += Cat(separator, attribute.name);
    if (!attribute.default_value.empty()) text += Cat("=", attribute.default_value);
    separator = ", ";
  }
  return Cat(text, ")");
}

std::string CompositesText(const OpDef& op) {
  std::string text = op.composites;
  auto add = [&](std::string_view sentence) { text += Cat(text.empty() ? "" : " ", sentence); };
  if (text.empty() && op.expand == nullptr && op.control == Control::kNone) {
    add("The inputs are tensors.");
  }
  switch (op.by_leaf) {
    case ByLeaf::kNone:
      break;
    case ByLeaf::kAllInputs:
      add("Nests are processed leaf by leaf.");
      break;
    case ByLeaf::kFirstInput:
      add("If the first input is a nest, its leaves are processed one by one.");
      break;
  }
  if (op.by_leaf != ByLeaf::kNone) {
    add("An extension value is processed component by component if no override accepts the call, "
        "unless its type cannot be batched.");
  }
  if (op.family != OpFamily::kNone && op.expand_sparse == nullptr) {
    add("Sparse values are not supported (UNIMPLEMENTED); `sparse_to_dense` converts them to "
        "tensors.");
  }
  return text;
}

std::vector<std::string_view> ExamplesOf(std::string_view op) {
  std::vector<std::string_view> found;
  for (const OpExample& example : AllOpExamples()) {
    if (example.op == op) found.push_back(example.text);
  }
  return found;
}

}  // namespace signet
