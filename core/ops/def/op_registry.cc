#include "core/ops/def/op_registry.h"

#include <algorithm>
#include <limits>

#include "core/base/edit_distance.h"
#include "core/ops/def/familiar_names.h"
#include "core/ops/def/output_count.h"

namespace signet {
namespace {

// Returns true if `name` has the form of a name of an op, input, or attribute, such as `concat`,
// `reduce_max`, or `log1p`.
bool IsPlainName(std::string_view name) {
  if (name.empty() || !(name[0] >= 'a' && name[0] <= 'z')) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// Returns true for a name of an op of a frontend, or of its input or attribute: `onnx.MatMul`,
// `transA`.
bool IsWord(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
  });
}

bool IsNameIn(const OpDef& op, std::string_view name) {
  return IsFrontendOp(op.name) ? IsWord(name) : IsPlainName(name);
}

bool IsVariadic(std::string_view input) { return input.ends_with("..."); }
bool IsOptional(std::string_view input) { return input.ends_with('?'); }

std::string_view PlainInputName(std::string_view input) {
  if (IsVariadic(input)) input.remove_suffix(3);
  if (IsOptional(input)) input.remove_suffix(1);
  return input;
}

Status CheckSummary(std::string_view summary) {
  if (summary.empty() || summary.size() > 90) {
    return InvalidArgument("the summary: expected 1 to 90 characters, found ", summary.size());
  }
  if (!(summary[0] >= 'A' && summary[0] <= 'Z') || summary.back() == '.' ||
      summary.find('\n') != std::string_view::npos) {
    return InvalidArgument(
        "the summary: expected one line that starts with a capital letter and has no final period, "
        "found `",
        summary, "`");
  }
  return absl::OkStatus();
}

// Checks that `text` is complete sentences in one line.
Status CheckSentences(std::string_view what, std::string_view text) {
  bool complete = !text.empty() && text.back() == '.' && text.find('\n') == std::string_view::npos;
  if (complete) return absl::OkStatus();
  return InvalidArgument(what, ": expected complete sentences in one line, found `", text, "`");
}

// Checks that the documentation is complete. Internal ops are not documented, and the op set of a
// frontend is documented by the frontend.
Status CheckDocumentation(const OpDef& op) {
  for (size_t i = 0; i < op.constraints.size(); ++i) {
    // An empty constraint is a label that the op does not use.
    if (op.constraints[i].empty() && i + 1 < op.constraints.size()) continue;
    SIGNET_RETURN_IF_ERROR(CheckSentences(Cat("constraint C", i + 1), op.constraints[i]));
  }
  if (op.internal || IsFrontendOp(op.name)) return absl::OkStatus();
  SIGNET_RETURN_IF_ERROR(CheckSentences("the description", op.description));
  SIGNET_RETURN_IF_ERROR(CheckSentences("the result", op.result));
  bool composites = op.expand != nullptr || op.expand_sparse != nullptr || op.any_type;
  if (composites || !op.composites.empty()) {
    SIGNET_RETURN_IF_ERROR(CheckSentences("the meaning on composite values", op.composites));
  }
  return absl::OkStatus();
}

// Checks that the fields about composite values agree with one another.
Status CheckExpansions(const OpDef& op) {
  if (op.infer == nullptr && op.expand == nullptr && op.control == Control::kNone) {
    return InvalidArgument("missing `infer` and `expand`; set at least one");
  }
  if (op.by_leaf != ByLeaf::kNone && op.inputs.empty()) {
    return InvalidArgument("`by_leaf` is set, but there are no inputs");
  }
  if (op.expand_tensors_if.empty()) return absl::OkStatus();
  bool known = std::any_of(op.attributes.begin(), op.attributes.end(), [&](const auto& attribute) {
    return attribute.name == op.expand_tensors_if;
  });
  if (known && op.expand != nullptr) return absl::OkStatus();
  return InvalidArgument("`expand_tensors_if` is `", op.expand_tensors_if,
                         "`: expected the name of an attribute of an op that has `expand`");
}

Status CheckInputs(const OpDef& op) {
  std::span<const std::string> inputs = op.inputs;
  bool optional = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string_view name = PlainInputName(inputs[i]);
    if (!IsNameIn(op, name)) {
      return InvalidArgument("input ", i,
                             ": expected a name of lower-case letters, digits, and _, found `",
                             inputs[i], "`");
    }
    for (size_t j = 0; j < i; ++j) {
      if (PlainInputName(inputs[j]) == name) return InvalidArgument("duplicate input `", name, "`");
    }
    if (IsVariadic(inputs[i]) && i + 1 != inputs.size()) {
      return InvalidArgument("input `", inputs[i],
                             "`: expected only the last input to be variadic");
    }
    if (optional && !IsOptional(inputs[i])) {
      return InvalidArgument("input `", inputs[i],
                             "`: expected an optional input, because it follows one");
    }
    optional = IsOptional(inputs[i]);
  }
  return absl::OkStatus();
}

Status CheckAttributes(const OpDef& op) {
  std::span<const AttributeDef> attributes = op.attributes;
  for (size_t i = 0; i < attributes.size(); ++i) {
    const std::string& name = attributes[i].name;
    if (!IsNameIn(op, name)) {
      return InvalidArgument("attribute ", i,
                             ": expected a name of lower-case letters, digits, and _, found `",
                             name, "`");
    }
    for (size_t j = 0; j < i; ++j) {
      if (attributes[j].name == name) return InvalidArgument("duplicate attribute `", name, "`");
    }
  }
  return absl::OkStatus();
}

Status CheckOwnDTypes(const OpDef& op) {
  for (const std::string& name : op.own_dtypes) {
    bool known = std::any_of(op.inputs.begin(), op.inputs.end(), [&](const std::string& input) {
      return PlainInputName(input) == name;
    });
    if (!known) return InvalidArgument("`own_dtypes`: input `", name, "` not found");
  }
  return absl::OkStatus();
}

Status CheckOp(const OpDef& op) {
  if (!IsNameIn(op, op.name))
    return InvalidArgument("expected a name of lower-case letters, digits, and _");
  SIGNET_RETURN_IF_ERROR(CheckSummary(op.summary));
  SIGNET_RETURN_IF_ERROR(CheckInputs(op));
  SIGNET_RETURN_IF_ERROR(CheckAttributes(op));
  SIGNET_RETURN_IF_ERROR(CheckOwnDTypes(op));
  SIGNET_RETURN_IF_ERROR(CheckExpansions(op));
  return CheckDocumentation(op);
}

}  // namespace

Status OpRegistry::Add(OpDef op) {
  std::string name = op.name;
  SIGNET_RETURN_IF_ERROR(At(Cat("op `", name, "`"), CheckOp(op)));
  if (!ops_.try_emplace(name, std::make_unique<OpDef>(std::move(op))).second) {
    return AlreadyExists("duplicate op `", name, "`");
  }
  return absl::OkStatus();
}

StatusOr<const OpDef*> OpRegistry::FindCallable(std::string_view name) const {
  SIGNET_ASSIGN_OR_RETURN(const OpDef* op, Find(name));
  if (!op->internal) return op;
  return NotFound("op `", name, "` is internal to Signet; models cannot call it");
}

StatusOr<const OpDef*> OpRegistry::Find(std::string_view name) const {
  if (const OpDef* op = Lookup(name)) return op;
  if (std::string_view familiar = LookupFamiliarName(name); Lookup(familiar) != nullptr) {
    return NotFound("op `", name, "` not found; its name in Signet is `", familiar, "`");
  }
  if (std::string_view expression = LookupFamiliarExpression(name); !expression.empty()) {
    return NotFound("op `", name, "` not found; write `", expression, "`");
  }
  const OpDef* nearest = nullptr;
  size_t distance = std::numeric_limits<size_t>::max();
  std::string_view start = name.substr(0, 64);
  for (const OpDef* op : All()) {
    if (op->internal) continue;
    size_t found = EditDistance(start, op->name);
    if (found < distance) {
      nearest = op;
      distance = found;
    }
  }
  if (nearest == nullptr)
    return NotFound("op `", Printable(name), "` not found; the registry is empty");
  return NotFound("op `", Printable(name), "` not found; the nearest is `", nearest->name, "`");
}

const OpDef* OpRegistry::Lookup(std::string_view name) const {
  auto found = ops_.find(absl::string_view(name.data(), name.size()));
  return found == ops_.end() ? nullptr : found->second.get();
}

std::vector<const OpDef*> OpRegistry::All() const {
  std::vector<const OpDef*> all;
  for (const auto& [name, op] : ops_) all.push_back(op.get());
  std::sort(all.begin(), all.end(),
            [](const OpDef* a, const OpDef* b) { return a->name < b->name; });
  return all;
}

StatusOr<Attributes> CompleteAttributes(const OpDef& op, const Attributes& given) {
  for (const auto& [name, value] : given.entries()) {
    bool known =
        std::any_of(op.attributes.begin(), op.attributes.end(),
                    [&wanted = name](const AttributeDef& def) { return def.name == wanted; });
    if (known) continue;
    std::vector<std::string> names;
    for (const AttributeDef& def : op.attributes) names.push_back(def.name);
    return InvalidArgument("attribute `", Printable(name), "` not found; `", op.name,
                           "` has: ", ListNames(std::move(names)));
  }
  NamedTypes complete;
  for (const AttributeDef& def : op.attributes) {
    TypeSpec value = given.Lookup(def.name);
    if (!value) value = def.default_value;
    if (!value)
      return InvalidArgument("missing attribute `", def.name, "`, which `", op.name, "` requires");
    complete.emplace_back(def.name, std::move(value));
  }
  return Attributes(std::move(complete));
}

bool HasOwnDType(const OpDef& op, size_t i) {
  if (op.own_dtypes.empty()) return false;
  std::string_view name = PlainInputName(op.inputs[std::min(i, op.inputs.size() - 1)]);
  return std::find(op.own_dtypes.begin(), op.own_dtypes.end(), name) != op.own_dtypes.end();
}

Status CheckArity(const OpDef& op, size_t count) {
  size_t least = 0;
  bool variadic = false;
  for (const std::string& input : op.inputs) {
    variadic = variadic || IsVariadic(input);
    if (!IsOptional(input) && !IsVariadic(input)) ++least;
  }
  if (count >= least && (variadic || count <= op.inputs.size())) return absl::OkStatus();
  return InvalidArgument("`", op.name, "`: expected the inputs (", Join(op.inputs, ", "),
                         "), found ", count, count == 1 ? " input" : " inputs");
}

}  // namespace signet
