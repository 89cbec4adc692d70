#include "core/ops/def/dtype_group.h"

#include "core/ops/def/inference.h"

namespace signet {
namespace {

using enum DTypeGroup;

// Returns what to write for texts, which ops on numbers do not accept.
std::string_view HintForTexts(const OpDef& op) {
  return op.name == "add" ? "; `string_concat(x, y)` joins texts"
                          : "; `cast` reads numbers from texts";
}

}  // namespace

bool Contains(DTypeGroup group, DType dtype) {
  switch (group) {
    case kBool:
      return dtype == DType::kBool;
    case kInteger:
      return IsInteger(dtype);
    case kReal:
      return IsInteger(dtype) || IsFloat(dtype);
    case kFloat:
      return IsFloat(dtype);
    case kFloatOrComplex:
      return IsFloat(dtype) || IsComplex(dtype);
    case kNumeric:
      return IsNumeric(dtype);
    case kOrdered:
      return IsInteger(dtype) || IsFloat(dtype) || dtype == DType::kString;
    case kAny:
      return true;
  }
  __builtin_unreachable();
}

std::string_view NameOf(DTypeGroup group) {
  switch (group) {
    case kBool:
      return "dtype bool";
    case kInteger:
      return "an integer dtype";
    case kReal:
      return "an integer or float dtype";
    case kFloat:
      return "a float dtype";
    case kFloatOrComplex:
      return "a float or complex dtype";
    case kNumeric:
      return "an integer, float or complex dtype";
    case kOrdered:
      return "an integer or float dtype, or string";
    case kAny:
      return "any dtype";
  }
  __builtin_unreachable();
}

StatusOr<const TensorSpec*> TensorInputOf(const OpCall& call, size_t i, DTypeGroup group) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* input, TensorInput(call, i));
  if (Contains(group, input->dtype())) return input;
  const bool is_text = input->dtype() == DType::kString && group != kBool;
  return WithConstraint(
      "C2", InvalidArgument("input ", i, ": expected ", NameOf(group), ", found `", call.inputs[i],
                            "`", is_text ? HintForTexts(call.op) : ""));
}

Status CheckSameDType(const OpCall& call, size_t i, size_t j, std::string_view label) {
  DType first = call.inputs[i].As<TensorSpec>()->dtype();
  DType second = call.inputs[j].As<TensorSpec>()->dtype();
  if (first == second) return absl::OkStatus();
  return WithConstraint(
      label,
      InvalidArgument("inputs ", i, " and ", j, ": expected the same dtype, found `",
                      call.inputs[i], "` and `", call.inputs[j], "`; convert one with `cast`"));
}

StatusOr<PartialShape> BroadcastInputs(const OpCall& call, std::string_view label) {
  PartialShape shape = PartialShape::OfRank(0);
  for (const TypeSpec& input : call.inputs) {
    if (!input) continue;
    auto both = BroadcastShapes(shape, *input.shape());
    if (!both.ok()) return WithConstraint(label, both.status());
    shape = *std::move(both);
  }
  return shape;
}

}  // namespace signet
