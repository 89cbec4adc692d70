#include "core/ops/build/sparse/sparse_picks.h"

#include <numeric>

#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/sparse/sparse_parts.h"
#include "core/ops/def/gather_axes.h"
#include "core/ops/def/inference.h"
#include "signet/sparse_spec.h"

namespace signet {
namespace {

using Outputs = StatusOr<std::vector<GraphValue>>;
using Inputs = std::span<const GraphValue>;

constexpr int64_t kFlat[] = {-1};
constexpr int64_t kColumn[] = {-1, 1};

std::vector<int64_t> Numbers(int from, int to) {
  std::vector<int64_t> numbers(static_cast<size_t>(to - from));
  std::iota(numbers.begin(), numbers.end(), from);
  return numbers;
}

// Returns columns `from` to before `to` of a matrix.
StatusOr<GraphValue> Columns(OpBuilder& build, const GraphValue& matrix, int from, int to) {
  return build.Gather(matrix, Int64Vector(build, Numbers(from, to)), {.axis = 1});
}

StatusOr<GraphValue> JoinColumns(OpBuilder& build, const GraphValue& a, const GraphValue& b) {
  return build.Concat({a, b}, {.axis = 1});
}

StatusOr<GraphValue> Reshape(OpBuilder& build, const GraphValue& x,
                             std::span<const int64_t> shape) {
  return build.Reshape(x, {.shape = shape});
}

// The selected elements. Each row of `vectors`, int64[n, k], is the index of an element of the
// first k dimensions. The selected elements are arranged in the shape `dims`, an int64 vector.
// `shape` is the known part of `dims`.
struct Picks {
  GraphValue vectors = {};
  int width = 0;  // k
  GraphValue dims = {};
  PartialShape shape = {};
};

// Returns the dense shape of the first `count` dimensions.
StatusOr<GraphValue> LeadingSizes(OpBuilder& build, const SparseParts& x, int count) {
  return build.Gather(x.dense_shape, Int64Vector(build, Numbers(0, count)));
}

// Returns `indices` into dimension `axis`. C3: rejects an index without an element as OUT_OF_RANGE.
StatusOr<GraphValue> Within(OpBuilder& build, const SparseParts& x, int axis,
                            const GraphValue& indices) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue splits,
                          build.Stack({Int64Constant(build, 0), SizeAt(build, x, axis)}));
  return build.RowElements(splits, build.ZerosLike(indices), indices);
}

// Selects the entries of the elements. The entries are sorted, so the entries of one element are a
// contiguous range, which is found by binary search.
StatusOr<SparseParts> Pick(OpBuilder& build, SparseParts x, const Picks& picks) {
  const int width = picks.width;
  SIGNET_ASSIGN_OR_RETURN(GraphValue sizes, LeadingSizes(build, x, width));
  SIGNET_ASSIGN_OR_RETURN(GraphValue there,
                          build.RavelIndices(Columns(build, x.indices, 0, width), sizes));
  SIGNET_ASSIGN_OR_RETURN(GraphValue wanted, build.RavelIndices(picks.vectors, sizes));
  GraphValue one = Int64Constant(build, 1);
  SIGNET_ASSIGN_OR_RETURN(GraphValue ends, build.Bucketize(wanted, there));
  SIGNET_ASSIGN_OR_RETURN(GraphValue starts, build.Bucketize(build.Sub(wanted, one), there));
  SIGNET_ASSIGN_OR_RETURN(GraphValue splits, build.RowSplitsFromLengths(build.Sub(ends, starts)));
  SIGNET_ASSIGN_OR_RETURN(GraphValue pick_of, build.SegmentIds(splits));
  SIGNET_ASSIGN_OR_RETURN(GraphValue positions, build.Range({build.NumValues(splits)}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue first, build.Gather(splits, pick_of));
  SIGNET_ASSIGN_OR_RETURN(positions, build.Sub(positions, first));
  SIGNET_ASSIGN_OR_RETURN(first, build.Gather(starts, pick_of));
  SIGNET_ASSIGN_OR_RETURN(positions, build.Add(positions, first));
  SIGNET_ASSIGN_OR_RETURN(x, EntriesAt(build, std::move(x), positions));
  SIGNET_ASSIGN_OR_RETURN(GraphValue rest, Columns(build, x.indices, width, x.rank()));
  SIGNET_ASSIGN_OR_RETURN(GraphValue places, build.UnravelIndices(pick_of, picks.dims));
  SIGNET_ASSIGN_OR_RETURN(x.indices, JoinColumns(build, places, rest));
  SIGNET_ASSIGN_OR_RETURN(
      rest, build.Gather(x.dense_shape, Int64Vector(build, Numbers(width, x.rank()))));
  SIGNET_ASSIGN_OR_RETURN(x.dense_shape, build.Concat({picks.dims, rest}));
  x.shape = picks.shape.Concatenate(x.shape.Slice(width, x.rank()));
  return x;
}

// Returns x with its dimensions in the order of `perm`.
StatusOr<SparseParts> Transposed(OpBuilder& build, const SparseParts& x,
                                 const std::vector<int64_t>& perm) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue out,
                          build.Transpose(MakeSparseValue(build, x), {.perm = perm}));
  return SparsePartsOf(build, out, "transpose");
}

// Returns input `i` as an int64 tensor of known rank.
StatusOr<GraphValue> IndexInput(OpBuilder& build, Inputs inputs, size_t i) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue x,
                          WithConstraint("C1", TensorFor(build, inputs[i], DType::kInt64)));
  const auto* tensor = x.spec ? x.spec.As<TensorSpec>() : nullptr;
  bool fits = tensor != nullptr && IsIndexDType(tensor->dtype()) && tensor->shape().has_rank();
  if (!fits) {
    return WithConstraint(
        "C1",
        InvalidArgument("input ", i, ": expected a tensor of int32 or int64 of known rank, found `",
                        x.spec ? x.spec.ToString() : "None", "`"));
  }
  if (tensor->dtype() == DType::kInt64) return x;
  return build.Cast(x, {.dtype = DType::kInt64});
}

// Selects the elements of dimension `axis` at `indices`. The dimensions of the indices replace this
// dimension.
StatusOr<SparseParts> PickAlong(OpBuilder& build, SparseParts x, int axis,
                                const GraphValue& indices) {
  const int rank = x.rank();
  const int picked = indices.spec.shape()->rank();
  if (axis > 0) {
    std::vector<int64_t> to_front = Numbers(0, rank);
    to_front.erase(to_front.begin() + axis);
    to_front.insert(to_front.begin(), axis);
    SIGNET_ASSIGN_OR_RETURN(x, Transposed(build, x, to_front));
  }
  Picks picks{.width = 1, .shape = *indices.spec.shape()};
  SIGNET_ASSIGN_OR_RETURN(GraphValue flat, Reshape(build, indices, kFlat));
  SIGNET_ASSIGN_OR_RETURN(flat, Within(build, x, 0, flat));
  SIGNET_ASSIGN_OR_RETURN(picks.vectors, Reshape(build, flat, kColumn));
  SIGNET_ASSIGN_OR_RETURN(picks.dims, build.Shape(indices));
  SIGNET_ASSIGN_OR_RETURN(x, Pick(build, std::move(x), picks));
  if (axis == 0) return x;
  std::vector<int64_t> back = Numbers(picked, picked + axis);
  for (int64_t i : Numbers(0, picked)) back.push_back(i);
  for (int64_t i : Numbers(picked + axis, x.rank())) back.push_back(i);
  return Transposed(build, x, back);
}

// Selects elements of the dimension after the first `batch` dimensions, with which `indices` begin,
// too.
StatusOr<SparseParts> PickInBatches(OpBuilder& build, const OpCall& call, SparseParts x, int batch,
                                    const GraphValue& indices) {
  Picks picks{.width = batch + 1, .shape = *indices.spec.shape()};
  SIGNET_ASSIGN_OR_RETURN(picks.dims, build.Shape(indices));
  SIGNET_ASSIGN_OR_RETURN(GraphValue same,
                          build.Gather(picks.dims, Int64Vector(build, Numbers(0, batch))));
  SIGNET_ASSIGN_OR_RETURN(same, build.IsSame(same, LeadingSizes(build, x, batch)));
  SIGNET_RETURN_IF_ERROR(CheckThat(
      build, same, call.op.name,
      WithConstraint("C4",
                     InvalidArgument("the first ", batch,
                                     " dimensions of the indices are not those of the input"))));
  SIGNET_ASSIGN_OR_RETURN(GraphValue places,
                          build.UnravelIndices(build.Range({build.Size(indices)}), picks.dims));
  SIGNET_ASSIGN_OR_RETURN(places, Columns(build, places, 0, batch));
  SIGNET_ASSIGN_OR_RETURN(GraphValue last, Reshape(build, indices, kFlat));
  SIGNET_ASSIGN_OR_RETURN(last, Within(build, x, batch, last));
  SIGNET_ASSIGN_OR_RETURN(last, Reshape(build, last, kColumn));
  SIGNET_ASSIGN_OR_RETURN(picks.vectors, JoinColumns(build, places, last));
  return Pick(build, std::move(x), picks);
}

// Returns the entries of `x` whose elements the condition selects. The condition has the first
// dimensions of `x`.
StatusOr<SparseParts> Chosen(OpBuilder& build, const SparseParts& x, GraphValue condition,
                             bool wanted) {
  const int depth = condition.spec.shape()->rank();
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, DimSize(build, x.values, 0));
  if (!wanted) {
    SIGNET_ASSIGN_OR_RETURN(condition, build.LogicalNot(condition));
  }
  if (depth == 0) {
    SIGNET_ASSIGN_OR_RETURN(condition, build.Fill(condition, build.Stack({count})));
  } else {
    SIGNET_ASSIGN_OR_RETURN(condition,
                            build.GatherNd(condition, Columns(build, x.indices, 0, depth)));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue kept, build.WhereRows(condition, count));
  return EntriesAt(build, x, kept);
}

// Returns the coordinates of the entries that are True.
Outputs WhereHolds(OpBuilder& build, const SparseParts& condition) {
  return build.Gather(condition.indices,
                      build.WhereRows(condition.values, DimSize(build, condition.values, 0)));
}

}  // namespace

Outputs ExpandSparseBooleanMask(OpBuilder& build, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, SparsePartsOf(build, inputs[0], call.op.name));
  // C1: the mask is a vector of bool. A matrix would leave rows of different lengths, which a
  // sparse value cannot have.
  const auto* mask = inputs[1].spec ? inputs[1].spec.As<TensorSpec>() : nullptr;
  bool fits = mask != nullptr && mask->dtype() == DType::kBool &&
              mask->shape().IsCompatibleWith(PartialShape::OfRank(1)) && x.rank() > 0;
  if (!fits) {
    return WithConstraint(
        "C1",
        InvalidArgument("input 1: expected a vector of bool for `", inputs[0].spec, "`, found `",
                        inputs[1].spec ? inputs[1].spec.ToString() : "None", "`"));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue kept, build.WhereRows(inputs[1], SizeAt(build, x, 0)));
  SIGNET_ASSIGN_OR_RETURN(x, PickAlong(build, std::move(x), 0, kept));
  return std::vector<GraphValue>{MakeSparseValue(build, x)};
}

Outputs ExpandSparseGather(OpBuilder& build, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, SparsePartsOf(build, inputs[0], call.op.name));
  SIGNET_ASSIGN_OR_RETURN(GraphValue indices, IndexInput(build, inputs, 1));
  SIGNET_ASSIGN_OR_RETURN(GatherRequest request, ReadGather(call.attributes));
  SIGNET_ASSIGN_OR_RETURN(GatherAxes axes, request.For(x.rank(), indices.spec.shape()->rank()));
  if (axes.batch_dims == 0) {
    SIGNET_ASSIGN_OR_RETURN(x, PickAlong(build, std::move(x), axes.axis, indices));
  } else if (axes.axis == axes.batch_dims) {
    SIGNET_ASSIGN_OR_RETURN(x, PickInBatches(build, call, std::move(x), axes.batch_dims, indices));
  } else {
    return Unimplemented("`gather`: expected axis ", axes.batch_dims,
                         ", the first axis after the batch dimensions of `", inputs[0].spec,
                         "`, found axis ", axes.axis);
  }
  return std::vector<GraphValue>{MakeSparseValue(build, x)};
}

Outputs ExpandSparseGatherNd(OpBuilder& build, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, SparsePartsOf(build, inputs[0], call.op.name));
  SIGNET_ASSIGN_OR_RETURN(GraphValue indices, IndexInput(build, inputs, 1));
  const PartialShape& shape = *indices.spec.shape();
  const int last = shape.rank() - 1;
  // C2: the vectors have a known size of at most the rank of x.
  const int64_t width = last < 0 ? kUnknownDim : shape.dim(last);
  if (width == kUnknownDim || width > x.rank()) {
    return WithConstraint(
        "C2", InvalidArgument("input 1: expected vectors of a known size, at most ", x.rank(),
                              " for `", inputs[0].spec, "`, found `", indices.spec, "`"));
  }
  Picks picks{.width = static_cast<int>(width), .shape = shape.Slice(0, last)};
  SIGNET_ASSIGN_OR_RETURN(GraphValue dims, build.Shape(indices));
  SIGNET_ASSIGN_OR_RETURN(picks.dims, build.Gather(dims, Int64Vector(build, Numbers(0, last))));
  SIGNET_ASSIGN_OR_RETURN(picks.vectors,
                          build.Reshape(indices, build.Stack({build.ReduceProd(picks.dims),
                                                              Int64Constant(build, width)})));
  std::vector<GraphValue> columns;
  for (int i = 0; i < picks.width; ++i) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue column,
                            build.Gather(picks.vectors, Int64Constant(build, i), {.axis = 1}));
    SIGNET_ASSIGN_OR_RETURN(column, Within(build, x, i, column));
    SIGNET_ASSIGN_OR_RETURN(column, Reshape(build, column, kColumn));
    columns.push_back(std::move(column));
  }
  if (!columns.empty()) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue checked, build.Concat(columns, {.axis = 1}));
    picks.vectors = std::move(checked);
  }
  SIGNET_ASSIGN_OR_RETURN(x, Pick(build, std::move(x), picks));
  return std::vector<GraphValue>{MakeSparseValue(build, x)};
}

Outputs ExpandSparseTile(OpBuilder& build, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, SparsePartsOf(build, inputs[0], call.op.name));
  // C1: the multiples are given once: as an attribute or as a vector of integers.
  SIGNET_ASSIGN_OR_RETURN(auto multiples,
                          WithConstraint("C1", OptionalInts(call.attributes, "multiples")));
  if (multiples.has_value() == HasInput(call, 1)) {
    return WithConstraint(
        "C1",
        InvalidArgument(multiples ? "attribute `multiples` and input 1 are mutually exclusive"
                                  : "missing `multiples`; pass it as an attribute or as input 1"));
  }
  if (!multiples) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue list, IndexInput(build, inputs, 1));
    const Tensor* known = build.LookupConstant(list.components[0]);
    if (known == nullptr) {
      return Unimplemented("`tile`: expected constant multiples for `", inputs[0].spec,
                           "`, found computed multiples");
    }
    multiples = IntsOf(*known);
  }
  // C2: there is one multiple per dimension, and each is at least 0.
  if (multiples->size() != static_cast<size_t>(x.rank())) {
    return WithConstraint("C2", InvalidArgument("`multiples`: expected ", x.rank(),
                                                " elements, one per dimension of `", inputs[0].spec,
                                                "`, found ", multiples->size()));
  }
  for (int axis = 0; axis < x.rank(); ++axis) {
    const int64_t multiple[] = {(*multiples)[static_cast<size_t>(axis)]};
    if (multiple[0] < 0) {
      return WithConstraint(
          "C2", InvalidArgument("multiple ", axis, ": expected at least 0, found ", multiple[0]));
    }
    if (multiple[0] == 1) continue;
    SIGNET_ASSIGN_OR_RETURN(
        GraphValue all, build.Tile(build.Range({SizeAt(build, x, axis)}), {.multiples = multiple}));
    SIGNET_ASSIGN_OR_RETURN(x, PickAlong(build, std::move(x), axis, all));
  }
  return std::vector<GraphValue>{MakeSparseValue(build, x)};
}

Outputs ExpandSparseWhere(OpBuilder& build, const OpCall& call, Inputs inputs) {
  // C1: the condition has dtype bool and a known rank.
  const auto* sparse = inputs[0].spec ? inputs[0].spec.As<SparseSpec>() : nullptr;
  const auto* tensor = inputs[0].spec ? inputs[0].spec.As<TensorSpec>() : nullptr;
  bool is_bool =
      (sparse != nullptr && sparse->dtype() == DType::kBool) ||
      (tensor != nullptr && tensor->dtype() == DType::kBool && tensor->shape().has_rank());
  if (!is_bool) {
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected bool of known rank, found `",
                              inputs[0].spec ? inputs[0].spec.ToString() : "None", "`"));
  }
  // C2: either both `x` and `y` are given, or neither is.
  if (HasInput(call, 1) != HasInput(call, 2)) {
    return WithConstraint("C2",
                          InvalidArgument("expected both `x` and `y` or neither, found only `",
                                          HasInput(call, 1) ? "x" : "y", "`"));
  }
  if (!HasInput(call, 1)) {
    SIGNET_ASSIGN_OR_RETURN(SparseParts condition, SparsePartsOf(build, inputs[0], call.op.name));
    return WhereHolds(build, condition);
  }
  const auto* x_spec = inputs[1].spec.As<SparseSpec>();
  const auto* y_spec = inputs[2].spec.As<SparseSpec>();
  if (tensor == nullptr || x_spec == nullptr || y_spec == nullptr) {
    return Unimplemented("`where`: expected a tensor and two sparse values, found `",
                         inputs[0].spec, "`, `", inputs[1].spec, "`, and `", inputs[2].spec, "`");
  }
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, SparsePartsOf(build, inputs[1], call.op.name));
  SIGNET_ASSIGN_OR_RETURN(SparseParts y, SparsePartsOf(build, inputs[2], call.op.name));
  // C3: the values have the same rank. The condition has this rank, or is a vector or a scalar.
  const int depth = tensor->shape().rank();
  if (x.rank() != y.rank() || depth > x.rank() || (depth > 1 && depth != x.rank())) {
    return WithConstraint(
        "C3",
        InvalidArgument(
            "expected values of the same rank, and a condition that has this rank, is a vector, or "
            "is a scalar, "
            "found condition `",
            inputs[0].spec, "` and values `", inputs[1].spec, "` and `", inputs[2].spec, "`"));
  }
  // C5: the values have the same dtype.
  if (x_spec->dtype() != y_spec->dtype()) {
    return WithConstraint("C5", InvalidArgument("expected values of the same dtype, found `",
                                                inputs[1].spec, "` and `", inputs[2].spec, "`"));
  }
  // C4: the values have the dimensions of the condition.
  SIGNET_ASSIGN_OR_RETURN(GraphValue same, build.IsSame(x.dense_shape, y.dense_shape));
  SIGNET_RETURN_IF_ERROR(
      CheckThat(build, same, call.op.name,
                WithConstraint("C4", InvalidArgument("expected values of the same dense shape"))));
  SIGNET_ASSIGN_OR_RETURN(GraphValue sizes, LeadingSizes(build, x, depth));
  SIGNET_ASSIGN_OR_RETURN(same, build.IsSame(build.Shape(inputs[0]), sizes));
  SIGNET_RETURN_IF_ERROR(CheckThat(
      build, same, call.op.name,
      WithConstraint("C4",
                     InvalidArgument("expected a condition with the dimensions of the values"))));
  auto shape = x.shape.MergeWith(y.shape);
  SIGNET_ASSIGN_OR_RETURN(x, Chosen(build, x, inputs[0], true));
  SIGNET_ASSIGN_OR_RETURN(y, Chosen(build, y, inputs[0], false));
  SIGNET_ASSIGN_OR_RETURN(x.indices, build.Concat({x.indices, y.indices}));
  SIGNET_ASSIGN_OR_RETURN(x.values, build.Concat({x.values, y.values}));
  if (shape.ok()) x.shape = *std::move(shape);
  SIGNET_ASSIGN_OR_RETURN(x, InOrder(build, std::move(x)));
  return std::vector<GraphValue>{MakeSparseValue(build, x)};
}

}  // namespace signet
