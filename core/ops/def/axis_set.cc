#include "core/ops/def/axis_set.h"

#include "core/ops/def/inference.h"
#include "core/ops/def/int_list.h"

namespace signet {

StatusOr<AxisSet> AxesOf(const std::optional<std::vector<int64_t>>& axes, int rank) {
  if (rank > kMaxReducedRank) {
    return InvalidArgument("expected a rank of at most ", kMaxReducedRank, ", found ", rank);
  }
  if (!axes) return (AxisSet{1} << rank) - 1;
  AxisSet set = 0;
  for (int64_t named : *axes) {
    SIGNET_ASSIGN_OR_RETURN(int axis, NormalizeAxis(named, rank));
    if (HasAxis(set, axis)) return InvalidArgument("duplicate axis ", named);
    set |= AxisSet{1} << axis;
  }
  return set;
}

StatusOr<ReducedAxes> ReadReducedAxes(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(IntList list, FindIntList(call, "axes", 1));
  ReducedAxes axes;
  SIGNET_ASSIGN_OR_RETURN(axes.empty_is_all, call.attributes.Bool("empty_is_all"));
  axes.known = std::move(list.known);
  axes.computed = list.given && !axes.known;
  axes.length = list.length;
  if (axes.known && axes.known->empty() && axes.empty_is_all) axes.known.reset();
  return axes;
}

PartialShape ReducedShape(const PartialShape& shape, AxisSet axes, bool keepdims) {
  Dims dims;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (!HasAxis(axes, axis)) {
      dims.push_back(shape.dim(axis));
    } else if (keepdims) {
      dims.push_back(1);
    }
  }
  return PartialShape(std::span<const int64_t>(dims.data(), dims.size()));
}

}  // namespace signet
