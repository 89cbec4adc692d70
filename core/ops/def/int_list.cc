#include "core/ops/def/int_list.h"

#include "core/ops/def/inference.h"

namespace signet {

StatusOr<IntList> FindIntList(const OpCall& call, std::string_view name, size_t input) {
  SIGNET_ASSIGN_OR_RETURN(auto attribute, OptionalInts(call.attributes, name));
  IntList list;
  if (attribute) {
    if (HasInput(call, input)) {
      return InvalidArgument("attribute `", name, "` and input ", input, " are mutually exclusive");
    }
    list = {true, std::move(attribute), 0};
    list.length = static_cast<int64_t>(list.known->size());
    return list;
  }
  if (!HasInput(call, input)) return list;
  const auto* tensor = call.inputs[input].As<TensorSpec>();
  bool fits = tensor != nullptr && IsIndexDType(tensor->dtype()) &&
              (!tensor->shape().has_rank() || tensor->shape().rank() <= 1);
  if (!fits) {
    return InvalidArgument("input ", input, ": expected a vector of int32 or int64, found `",
                           call.inputs[input], "`");
  }
  list.given = true;
  if (const Tensor* constant = call.constant(input)) {
    list.known = IntsOf(*constant);
    list.length = static_cast<int64_t>(list.known->size());
  } else if (tensor->shape().has_rank()) {
    list.length = tensor->shape().rank() == 0 ? 1 : tensor->shape().dim(0);
  }
  return list;
}

StatusOr<IntList> RequiredIntList(const OpCall& call, std::string_view name, size_t input) {
  SIGNET_ASSIGN_OR_RETURN(IntList list, FindIntList(call, name, input));
  if (list.given) return list;
  return InvalidArgument("missing `", name, "`; pass it as an attribute or as input ", input);
}

StatusOr<std::optional<int64_t>> FindCount(const OpCall& call, std::string_view name,
                                           size_t input) {
  SIGNET_ASSIGN_OR_RETURN(IntList list, FindIntList(call, name, input));
  if (!list.given) return std::optional<int64_t>();
  if (list.length >= 0 && list.length != 1) {
    return InvalidArgument("`", name, "`: expected one integer, found ", list.length);
  }
  const int64_t count = list.known ? list.known->at(0) : kUnknownDim;
  if (list.known && count < 0) {
    return InvalidArgument("`", name, "`: expected at least 0, found ", count);
  }
  return std::optional(count);
}

StatusOr<int64_t> RequiredCount(const OpCall& call, std::string_view name, size_t input) {
  SIGNET_ASSIGN_OR_RETURN(auto count, FindCount(call, name, input));
  if (count) return *count;
  return InvalidArgument("missing `", name, "`; pass it as an attribute or as input ", input);
}

PartialShape ShapeOfLength(int64_t length) {
  return length < 0 ? PartialShape() : PartialShape::OfRank(static_cast<int>(length));
}

}  // namespace signet
