#include "core/ops/build/rows/joins.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/row_splits.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

// Returns the common rank of all values.
StatusOr<int> CommonRank(std::span<const GraphValue> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    // C5: composite inputs are tensors, ragged values, and structures of the same rank.
    if (!values[i].spec)
      return WithConstraint("C1", InvalidArgument("missing input ", i, "; expected a value"));
    const PartialShape* shape = values[i].spec.shape();
    if (shape == nullptr || values[i].spec.is(TypeKind::kSparse)) {
      return WithConstraint(
          "C5", InvalidArgument("input ", i,
                                ": expected a tensor, a ragged value, or a structure, found `",
                                values[i].spec, "`"));
    }
    if (!shape->has_rank()) {
      return WithConstraint("C5",
                            Unimplemented("input ", i, ": expected a value of known rank, found `",
                                          values[i].spec, "`"));
    }
    if (shape->rank() == values[0].spec.shape()->rank()) continue;
    return WithConstraint("C5", InvalidArgument("input ", i, ": expected the rank of input 0, `",
                                                values[0].spec, "`, found `", values[i].spec, "`"));
  }
  return values[0].spec.shape()->rank();
}

bool AreTensors(std::span<const GraphValue> values) {
  return std::all_of(values.begin(), values.end(),
                     [](const GraphValue& value) { return value.spec.is(TypeKind::kTensor); });
}

// Returns true if dimension `axis` is after all row partitions.
bool IsDenseAfter(const GraphValue& value, int axis) {
  const auto* ragged = value.spec.As<RaggedSpec>();
  return value.spec.is(TypeKind::kTensor) || (ragged != nullptr && ragged->ragged_rank() < axis);
}

StatusOr<GraphValue> ConcatTensors(OpBuilder& build, std::span<const GraphValue> tensors,
                                   int axis) {
  return build.Concat(tensors, {.axis = axis});
}

// Returns the joined dimension of all values. `splits` are the row splits of the joined elements.
StatusOr<RowDim> JoinedDim(OpBuilder& build, std::span<const RowDim> dims,
                           const GraphValue& splits) {
  if (!std::all_of(dims.begin(), dims.end(), [](const RowDim& dim) { return dim.is_uniform(); })) {
    return RaggedDim(splits);
  }
  bool has_splits = false;
  std::optional<int64_t> known = 0;
  GraphValue length;
  for (const RowDim& dim : dims) {
    has_splits |= static_cast<bool>(dim.splits.spec);
    known = known && dim.known_length != kUnknownDim ? CheckedAdd(*known, dim.known_length)
                                                     : std::nullopt;
    if (!length.spec) {
      length = dim.length;
    } else {
      SIGNET_ASSIGN_OR_RETURN(length, build.Add(length, dim.length));
    }
  }
  RowDim joined = known ? UniformDim(build, *known) : UniformDim(std::move(length));
  if (has_splits) joined.splits = splits;
  return joined;
}

// Joins values along a dimension other than the first. The dimensions before it must be equal.
StatusOr<GraphValue> ConcatWithin(OpBuilder& build, std::span<const GraphValue> values, int axis,
                                  bool ragged) {
  bool dense = std::all_of(values.begin(), values.end(),
                           [axis](const GraphValue& value) { return IsDenseAfter(value, axis); });
  // The splits stay int32 if all of them are int32.
  bool narrow = std::all_of(values.begin(), values.end(), [](const GraphValue& value) {
    const auto* spec = value.spec.As<RaggedSpec>();
    return spec != nullptr && spec->splits_dtype() == DType::kInt32;
  });
  Rows rows;
  std::vector<GraphValue> elements;
  std::vector<GraphValue> splits;
  std::vector<RowDim> joined;
  for (const GraphValue& value : values) {
    SIGNET_ASSIGN_OR_RETURN(Opened opened, OpenRows(build, value, dense ? axis : axis + 1));
    if (!dense) {
      SIGNET_ASSIGN_OR_RETURN(GraphValue own, SplitsOf(build, opened.rows, axis,
                                                       narrow ? DType::kInt32 : DType::kInt64));
      if (!narrow) {
        SIGNET_ASSIGN_OR_RETURN(own, Int64Splits(build, own));
      }
      splits.push_back(std::move(own));
      joined.push_back(std::move(opened.rows.dims.back()));
      opened.rows.dims.pop_back();
    }
    // C4: the inputs agree in all dimensions before the axis.
    if (elements.empty()) {
      rows = std::move(opened.rows);
    } else {
      SIGNET_ASSIGN_OR_RETURN(rows, MergeRows(build, rows, opened.rows, axis, "C4"));
    }
    elements.push_back(std::move(opened.elements));
  }
  if (dense) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue made, ConcatTensors(build, elements, 1));
    return CloseRows(build, rows, made, values[0].spec);
  }
  SIGNET_ASSIGN_OR_RETURN(auto made, build.InterleaveRows(splits));
  SIGNET_ASSIGN_OR_RETURN(RowDim dim, JoinedDim(build, joined, made[0]));
  rows.dims.push_back(std::move(dim));
  SIGNET_ASSIGN_OR_RETURN(GraphValue all, JoinRows(build, elements, ragged));
  SIGNET_ASSIGN_OR_RETURN(all, TakeRows(build, all, made[1]));
  return CloseRows(build, rows, all, values[0].spec);
}

}  // namespace

GraphValue DenseForm(const GraphValue& value) {
  const auto* ragged = value.spec ? value.spec.As<RaggedSpec>() : nullptr;
  return ragged != nullptr && ragged->ragged_rank() == 0 ? ComponentOf(value, 0) : value;
}

StatusOr<GraphValue> ConcatValues(OpBuilder& build, std::span<const GraphValue> given, int64_t axis,
                                  bool ragged) {
  SIGNET_ASSIGN_OR_RETURN(int rank, CommonRank(given));
  std::vector<GraphValue> values;
  for (const GraphValue& value : given) values.push_back(DenseForm(value));
  // C2: the rank is at least 1.
  if (rank == 0) {
    return WithConstraint("C2", InvalidArgument("input 0: expected a rank of at least 1, found `",
                                                values[0].spec, "`"));
  }
  // C3: `axis` is one of the dimensions.
  SIGNET_ASSIGN_OR_RETURN(int along, WithConstraint("C3", NormalizeAxis(axis, rank)));
  // Along the last dimension, no other size can differ.
  if (AreTensors(values) && (!ragged || along == rank - 1)) {
    return ConcatTensors(build, values, along);
  }
  if (values.size() == 1 || along == 0) return JoinRows(build, values, ragged);
  return ConcatWithin(build, values, along, ragged);
}

StatusOr<GraphValue> StackValues(OpBuilder& build, std::span<const GraphValue> values, int64_t axis,
                                 bool ragged) {
  SIGNET_ASSIGN_OR_RETURN(int rank, CommonRank(values));
  SIGNET_ASSIGN_OR_RETURN(int along, WithConstraint("C3", NormalizeAxis(axis, rank + 1)));
  if (AreTensors(values) && !ragged) {
    return build.Stack(values, {.axis = along});
  }
  std::vector<GraphValue> expanded;
  for (const GraphValue& value : values) {
    // Along axis 0, a value that is declared ragged stays ragged.
    SIGNET_ASSIGN_OR_RETURN(
        GraphValue one, build.ExpandDims(along == 0 ? value : DenseForm(value), {.axis = along}));
    expanded.push_back(std::move(one));
  }
  return ConcatValues(build, expanded, along, ragged);
}

}  // namespace signet
