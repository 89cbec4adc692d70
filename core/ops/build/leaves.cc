#include "core/ops/build/leaves.h"

#include <algorithm>

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/types/child_path.h"
#include "signet/extension_spec.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

// Returns true if `spec` contains a value that is not a plain value.
bool HasLeaves(const TypeSpec& spec) {
  if (!IsNest(spec) && !spec.is(TypeKind::kExtension)) return !spec.is(TypeKind::kLiteral);
  return std::any_of(spec.children().begin(), spec.children().end(), HasLeaves);
}

// Returns true if both are the same kind of container, or the same plain value, or neither a
// container nor a plain value.
bool HaveOneForm(const TypeSpec& a, const TypeSpec& b) {
  if (!HasLeaves(a) || !HasLeaves(b)) return a == b;
  bool containers = IsNest(a) || IsNest(b) || a.is(TypeKind::kExtension);
  if (!containers) return true;
  return a.kind() == b.kind() && a.rep().EqualFixed(b.rep()) &&
         a.children().size() == b.children().size();
}

Status CheckForm(std::span<const GraphValue> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].spec) return InvalidArgument("missing input ", i, "; expected a value");
    if (HaveOneForm(values[0].spec, values[i].spec)) continue;
    return InvalidArgument("input ", i, ": expected the form of input 0, `", values[0].spec,
                           "`, found `", values[i].spec, "`");
  }
  return absl::OkStatus();
}

// Returns the results of `change` for child `i` of all values, or nothing for a plain value.
StatusOr<std::vector<GraphValue>> ChangeChild(std::span<const GraphValue> values, size_t i,
                                              ChangeLeaves change) {
  std::vector<GraphValue> within;
  for (const GraphValue& value : values) within.push_back(ChildOf(value, i));
  SIGNET_RETURN_IF_ERROR(CheckForm(within));
  if (!HasLeaves(within[0].spec)) return std::vector<GraphValue>();
  return change(within);
}

}  // namespace

bool IsNest(const TypeSpec& spec) {
  return IsSequence(spec) || spec.is(TypeKind::kDict) || spec.is(TypeKind::kNamedTuple);
}

size_t InputsByLeaf(const OpDef& op, size_t count) {
  switch (op.by_leaf) {
    case ByLeaf::kNone:
      return 0;
    case ByLeaf::kAllInputs:
      return count;
    case ByLeaf::kFirstInput:
      return std::min<size_t>(count, 1);
  }
  __builtin_unreachable();
}

StatusOr<std::vector<GraphValue>> MapChildren(std::span<const GraphValue> values,
                                              ChangeLeaves change) {
  SIGNET_RETURN_IF_ERROR(CheckForm(values));
  const TypeSpec& form = values[0].spec;
  std::vector<std::vector<GraphValue>> changed;
  size_t count = 0;
  bool has_leaf = false;
  for (size_t i = 0; i < form.children().size(); ++i) {
    auto results = ChangeChild(values, i, change);
    if (!results.ok()) return At(Cat("`", ChildStep(form, i), "`"), results.status());
    changed.push_back(*std::move(results));
    if (!HasLeaves(form.children()[i])) continue;
    if (has_leaf && changed.back().size() != count) {
      return InvalidArgument("`", ChildStep(form, i), "`: expected ", count,
                             " results, like the other leaves, found ", changed.back().size());
    }
    has_leaf = true;
    count = changed.back().size();
  }
  if (!has_leaf) {
    return InvalidArgument("input 0: expected at least one tensor, found `", form, "`");
  }
  std::vector<GraphValue> results;
  for (size_t i = 0; i < count; ++i) {
    std::vector<GraphValue> children;
    std::vector<TypeSpec> types;
    for (size_t child = 0; child < changed.size(); ++child) {
      children.push_back(changed[child].empty() ? ChildOf(values[0], child) : changed[child][i]);
      types.push_back(children.back().spec);
    }
    SIGNET_ASSIGN_OR_RETURN(TypeSpec spec, form.rep().Rebuild(PartialShape(), std::move(types)));
    results.push_back(Joined(std::move(spec), children));
  }
  return results;
}

StatusOr<std::vector<GraphValue>> CallOnLeaves(OpBuilder& build, const OpCall& call,
                                               std::span<const GraphValue> inputs) {
  size_t taken = InputsByLeaf(call.op, inputs.size());
  return MapChildren(inputs.first(taken), [&](std::span<const GraphValue> within) {
    std::vector<GraphValue> all(within.begin(), within.end());
    all.insert(all.end(), inputs.begin() + static_cast<std::ptrdiff_t>(taken), inputs.end());
    return build.Call(call.op.name, all, call.attributes);
  });
}

StatusOr<GraphValue> MapLeaves(const GraphValue& value, ChangeLeaf change) {
  if (IsStatic(value.spec)) return value;
  if (!IsNest(value.spec)) return change(value);
  SIGNET_ASSIGN_OR_RETURN(
      auto results,
      MapChildren(std::span(&value, 1),
                  [&](std::span<const GraphValue> child) -> StatusOr<std::vector<GraphValue>> {
                    return OneOutput(MapLeaves(child[0], change));
                  }));
  return std::move(results[0]);
}

}  // namespace signet
