#include "core/ops/sparse_rows.h"

#include "core/base/checked_math.h"
#include "core/ops/inference.h"
#include "core/ops/parts.h"
#include "core/types/sparse_spec.h"

namespace signet {
namespace {

TypeSpec AttributeOfInts(std::initializer_list<int64_t> values) {
  return AttributeOf(std::span<const int64_t>(values.begin(), values.size()));
}

const SparseSpec& SpecOf(const GraphValue& value) { return *value.spec.As<SparseSpec>(); }
GraphValue Indices(const GraphValue& value) { return ComponentOf(value, 0); }
GraphValue Elements(const GraphValue& value) { return ComponentOf(value, 1); }
GraphValue DenseShape(const GraphValue& value) { return ComponentOf(value, 2); }

StatusOr<GraphValue> CallOnAll(Expander& expander, std::string_view op,
                               std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(auto outputs, expander.Call(op, inputs, {}));
  return std::move(outputs[0]);
}

// The vector [first, rest...].
StatusOr<GraphValue> Prepend(Expander& expander, const GraphValue& first, const GraphValue& rest) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue one, expander.Call1("expand_dims", {first},
                                                         Attributes({{"axis", AttributeOf(0)}})));
  return expander.Call1("concat", {one, rest});
}

// A vector, or the columns of a matrix, without the first.
StatusOr<GraphValue> WithoutFirst(Expander& expander, const GraphValue& x, int axis) {
  return expander.Call1(
      "slice", {x},
      Attributes({{"starts", AttributeOfInts({1})}, {"axes", AttributeOfInts({axis})}}));
}

// `shift`, one for all entries or one for each, in column 0 of as many as there are dimensions.
StatusOr<GraphValue> InFirstColumn(Expander& expander, const GraphValue& shift, int rank) {
  int axis = shift.spec.shape()->rank();
  SIGNET_ASSIGN_OR_RETURN(
      GraphValue column,
      expander.Call1("expand_dims", {shift}, Attributes({{"axis", AttributeOf(axis)}})));
  std::vector<int64_t> before(static_cast<size_t>(axis) + 1, 0);
  std::vector<int64_t> after = before;
  after.back() = rank - 1;
  return expander.Call1("pad", {column},
                        Attributes({{"before", AttributeOf(std::span<const int64_t>(before))},
                                    {"after", AttributeOf(std::span<const int64_t>(after))}}));
}

Status CheckAlike(std::span<const GraphValue> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].spec) return InvalidArgument("C1 input ", i, " is left out; takes a value");
    const auto* spec = values[i].spec.As<SparseSpec>();
    bool known = spec == nullptr || spec->shape().has_rank();
    if (!known) {
      return Unimplemented("C5 input ", i, " is `", values[i].spec, "`; takes a known rank");
    }
    const auto* first = values[0].spec.As<SparseSpec>();
    bool alike = spec != nullptr && first != nullptr && spec->dtype() == first->dtype() &&
                 spec->shape().rank() == first->shape().rank();
    if (alike) continue;
    return InvalidArgument("C5 input ", i, " is `", values[i].spec,
                           "`; takes the dtype and rank of input 0, `", values[0].spec, "`");
  }
  return absl::OkStatus();
}

// The sum of the first sizes, the greatest of each other.
PartialShape JoinedShape(std::span<const GraphValue> values) {
  PartialShape shape = SpecOf(values[0]).shape();
  for (const GraphValue& value : values.subspan(1)) {
    for (int axis = 0; axis < shape.rank(); ++axis) {
      int64_t a = shape.dim(axis);
      int64_t b = SpecOf(value).shape().dim(axis);
      bool known = a != kUnknownDim && b != kUnknownDim;
      int64_t size = kUnknownDim;
      if (known) size = axis == 0 ? CheckedAdd(a, b).value_or(kUnknownDim) : std::max(a, b);
      shape = shape.WithDim(axis, size);
    }
  }
  return shape;
}

StatusOr<GraphValue> WithOuter(Expander& expander, const GraphValue& value) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue indices,
                          expander.Call1("pad", {Indices(value)},
                                         Attributes({{"before", AttributeOfInts({0, 1})},
                                                     {"after", AttributeOfInts({0, 0})}})));
  SIGNET_ASSIGN_OR_RETURN(GraphValue shape,
                          Prepend(expander, Int64Constant(expander, 1), DenseShape(value)));
  const SparseSpec& spec = SpecOf(value);
  const GraphValue parts[] = {indices, Elements(value), shape};
  return Joined(SparseType(spec.dtype(), PartialShape{1}.Concatenate(spec.shape())), parts);
}

}  // namespace

StatusOr<GraphValue> CountSparseRows(Expander& expander, const GraphValue& value) {
  return expander.Call1("gather", {DenseShape(value), Int64Constant(expander, 0)});
}

StatusOr<GraphValue> JoinSparseRows(Expander& expander, std::span<const GraphValue> values) {
  SIGNET_RETURN_IF_ERROR(CheckAlike(values));
  if (values.size() == 1) return values[0];
  const int rank = SpecOf(values[0]).shape().rank();
  std::vector<GraphValue> indices, elements, shapes, counts, rows;
  for (const GraphValue& value : values) {
    indices.push_back(Indices(value));
    elements.push_back(Elements(value));
    shapes.push_back(DenseShape(value));
    SIGNET_ASSIGN_OR_RETURN(GraphValue count, DimSize(expander, Elements(value), 0));
    counts.push_back(std::move(count));
    SIGNET_ASSIGN_OR_RETURN(GraphValue own, CountSparseRows(expander, value));
    rows.push_back(std::move(own));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue all_indices, CallOnAll(expander, "concat", indices));
  SIGNET_ASSIGN_OR_RETURN(GraphValue all_elements, CallOnAll(expander, "concat", elements));
  // Entries move by the rows of the values before theirs.
  SIGNET_ASSIGN_OR_RETURN(GraphValue lengths, CallOnAll(expander, "stack", counts));
  SIGNET_ASSIGN_OR_RETURN(GraphValue splits, expander.Call1("row_splits_from_lengths", {lengths}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue origins, expander.Call1("segment_ids", {splits}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue heights, CallOnAll(expander, "stack", rows));
  SIGNET_ASSIGN_OR_RETURN(GraphValue starts, expander.Call1("row_splits_from_lengths", {heights}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue shifts, expander.Call1("gather", {starts, origins}));
  SIGNET_ASSIGN_OR_RETURN(shifts, InFirstColumn(expander, shifts, rank));
  SIGNET_ASSIGN_OR_RETURN(all_indices, expander.Call1("add", {all_indices, shifts}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue sizes, CallOnAll(expander, "stack", shapes));
  SIGNET_ASSIGN_OR_RETURN(
      sizes, expander.Call1("reduce_max", {sizes}, Attributes({{"axes", AttributeOf(0)}})));
  SIGNET_ASSIGN_OR_RETURN(sizes, WithoutFirst(expander, sizes, 0));
  SIGNET_ASSIGN_OR_RETURN(GraphValue total, expander.Call1("num_values", {starts}));
  SIGNET_ASSIGN_OR_RETURN(sizes, Prepend(expander, total, sizes));
  const GraphValue parts[] = {all_indices, all_elements, sizes};
  return Joined(SparseType(SpecOf(values[0]).dtype(), JoinedShape(values)), parts);
}

StatusOr<GraphValue> StackSparse(Expander& expander, std::span<const GraphValue> values,
                                 int64_t axis) {
  SIGNET_RETURN_IF_ERROR(CheckAlike(values));
  SIGNET_ASSIGN_OR_RETURN(
      int along, Labelled("C3", NormalizeAxis(axis, SpecOf(values[0]).shape().rank() + 1)));
  if (along != 0) {
    return Unimplemented("`stack` of `", values[0].spec, "` along axis ", axis, "; takes axis 0");
  }
  std::vector<GraphValue> boxed;
  for (const GraphValue& value : values) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue one, WithOuter(expander, value));
    boxed.push_back(std::move(one));
  }
  return JoinSparseRows(expander, boxed);
}

StatusOr<std::vector<GraphValue>> CutSparseRows(Expander& expander, const GraphValue& value,
                                                std::span<const RowRange> ranges, bool drop) {
  const SparseSpec& spec = SpecOf(value);
  const int rank = spec.shape().rank();
  SIGNET_ASSIGN_OR_RETURN(GraphValue rows, CountSparseRows(expander, value));
  SIGNET_ASSIGN_OR_RETURN(GraphValue column,
                          expander.Call1("gather", {Indices(value), Int64Constant(expander, 0)},
                                         Attributes({{"axis", AttributeOf(1)}})));
  SIGNET_ASSIGN_OR_RETURN(GraphValue splits,
                          expander.Call1("row_splits_from_row_ids", {column, rows}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue sizes, WithoutFirst(expander, DenseShape(value), 0));
  std::vector<GraphValue> parts;
  for (const auto& [start, count] : ranges) {
    const GraphValue range[] = {splits, start, count};
    SIGNET_ASSIGN_OR_RETURN(auto cut, expander.Call("cut_row_splits", range, {}));
    SIGNET_ASSIGN_OR_RETURN(GraphValue indices,
                            expander.Call1("cut_rows", {Indices(value), cut[1], cut[2]}));
    SIGNET_ASSIGN_OR_RETURN(GraphValue elements,
                            expander.Call1("cut_rows", {Elements(value), cut[1], cut[2]}));
    GraphValue shape = sizes;
    if (drop) {
      SIGNET_ASSIGN_OR_RETURN(indices, WithoutFirst(expander, indices, 1));
    } else {
      SIGNET_ASSIGN_OR_RETURN(GraphValue shift, InFirstColumn(expander, start, rank));
      SIGNET_ASSIGN_OR_RETURN(indices, expander.Call1("sub", {indices, shift}));
      SIGNET_ASSIGN_OR_RETURN(shape, Prepend(expander, count, sizes));
    }
    const Tensor* known = expander.LookupConstant(count.components[0]);
    PartialShape type = spec.shape().Slice(1, rank);
    if (!drop) {
      type =
          PartialShape{known == nullptr ? kUnknownDim : known->scalar<int64_t>()}.Concatenate(type);
    }
    const GraphValue components[] = {indices, elements, shape};
    parts.push_back(Joined(SparseType(spec.dtype(), std::move(type)), components));
  }
  return parts;
}

}  // namespace signet
