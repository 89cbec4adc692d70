// Operators on lists of tensors (TensorList, TensorArray). A list whose elements have one shape is
// a tensor with one more dimension. A list whose elements differ in their first size, or are
// encoded ragged values, is a ragged value. Elements that are not set are zeros, and an unknown
// size of their shape is 0 until an element is set. If the rank of elements is unknown, they are
// scalars until then.

#include <algorithm>

#include "core/frontends/savedmodel/lower/tf_op.h"

namespace signet {
namespace {

// A list of `count` unset elements.
Expr UnsetList(OpBuilder& build, const Operand& count, const std::vector<int64_t>& element,
               DType dtype) {
  std::vector<Operand> dims = {count};
  for (int64_t size : element) {
    dims.push_back(Operand(Int64Constant(build, std::max<int64_t>(size, 0))));
  }
  return build.BroadcastTo(Zero(build, dtype), StackScalars(build, dims));
}

// The shape of elements that an input states. A scalar -1 means any shape.
StatusOr<std::vector<int64_t>> ElementShape(OpBuilder& build, TfInputs in, size_t i) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* shape, TensorAt(in, i));
  if (shape->shape().has_rank() && shape->shape().rank() == 0) return std::vector<int64_t>();
  if (auto known = KnownInts(build, in, i)) return *known;
  if (!shape->shape().has_rank() || shape->shape().rank() != 1 ||
      shape->shape().dim(0) == kUnknownDim) {
    return Unimplemented("`element_shape`: expected a known rank");
  }
  return std::vector<int64_t>(static_cast<size_t>(shape->shape().dim(0)), -1);
}

bool IsRows(const GraphValue& list) { return list.spec.is(TypeKind::kRagged); }

bool HoldsVariants(const OpCall& call) {
  auto dtype = call.attributes.String("element_dtype");
  return dtype.ok() && *dtype == "DT_VARIANT";
}

// Returns `rows`, whose elements must have one shape, as a tensor.
Expr Dense(OpBuilder& build, const GraphValue& rows) {
  Expr splits = build.RaggedRowSplits(rows, {.axis = 1});
  Expr lengths = build.RowLengths(splits);
  Expr zero = build.AsExpr(Ints(build, std::vector<int64_t>{0}));
  Expr longest = build.ReduceMax(build.Concat({AsInt64(build, lengths), zero}, {.axis = 0}));
  SIGNET_RETURN_IF_ERROR(
      CheckCondition(build, build.ReduceAll(build.Equal(lengths, longest)),
                     InvalidArgument("expected elements of one shape, found different sizes")));
  return build.RaggedToDense(rows);
}

// --- lists whose elements differ in their first size

// Returns true if a list and items whose dimensions start at `first` are known to differ in the
// first size of an element. An element of size 0 is not set.
bool DiffersInSize(const GraphValue& list, const GraphValue& item, int first) {
  if (!list.spec.is(TypeKind::kTensor) || !item.spec.is(TypeKind::kTensor)) return false;
  const auto rank = TensorRank(Operand(list));
  const auto item_rank = TensorRank(Operand(item));
  if (!rank.ok() || !item_rank.ok() || *rank < 2 || *item_rank <= first) return false;
  const int64_t own = KnownSize(Operand(list), 1);
  const int64_t other = KnownSize(Operand(item), first);
  return own > 0 && other != kUnknownDim && own != other;
}

// Returns a list of tensors as rows.
StatusOr<GraphValue> AsRows(OpBuilder& build, const GraphValue& list) {
  if (!IsRows(list)) {
    SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(Operand(list)));
    if (rank < 2) return InvalidArgument("expected elements of rank 1 or more, found scalars");
    return build.RaggedFromDense(list, {.ragged_rank = 1});
  }
  if (RaggedPartsOf(list).splits.size() != 1) {
    return Unimplemented("unsupported list of encoded values");
  }
  return list;
}

// Returns true if a list with the item, whose dimensions start at `first`, is a list of rows.
StatusOr<bool> BecomesRows(const OpCall& call, const GraphValue& list, const GraphValue& item,
                           int first) {
  if (IsRows(list) || DiffersInSize(list, item, first)) return true;
  if (!call.attributes.Lookup("as_rows")) return false;
  SIGNET_ASSIGN_OR_RETURN(bool as_rows, call.attributes.Bool("as_rows"));
  const auto rank = TensorRank(Operand(item));
  // An element of size 0 cannot be distinguished from an element that is not set.
  return as_rows && rank.ok() && *rank > first && KnownSize(Operand(item), first) <= 0;
}

// Returns a list of tensors as rows, to which `items` will be added.
StatusOr<GraphValue> AsRowsFor(OpBuilder& build, const GraphValue& list, const GraphValue& items) {
  if (IsRows(list)) return AsRows(build, list);
  SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(Operand(list)));
  SIGNET_ASSIGN_OR_RETURN(int item_rank, TensorRank(Operand(items)));
  const bool is_unset = rank == 1 || KnownSize(Operand(list), 1) == 0;
  if (!is_unset || item_rank < 2) return AsRows(build, list);
  std::vector<Operand> dims = {Operand(Int64Constant(build, 0))};
  for (int axis = 2; axis < item_rank; ++axis) dims.push_back(DimSize(build, items, axis));
  Expr values =
      build.BroadcastTo(Zero(build, TensorDType(Operand(list))), StackScalars(build, dims));
  Expr count = build.Add(DimSize(build, list, 0), 1);
  return build.RaggedFromRowSplits(
      values, build.BroadcastTo(Int64Constant(build, 0), StackScalars(build, {count})));
}

Expr NumElements(OpBuilder& build, const GraphValue& rows) {
  return build.NumRows(build.RaggedRowSplits(rows, {.axis = 1}));
}

// Returns the elements at `positions` of the list, the items, and an empty element, in this order.
// `items` may be null.
Expr SelectElements(OpBuilder& build, const GraphValue& rows, const GraphValue* items,
                    const Operand& positions) {
  const GraphValue values = RaggedPartsOf(rows).values;
  SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(Operand(values)));
  std::vector<Operand> dims = {Operand(Int64Constant(build, 1)), Operand(Int64Constant(build, 0))};
  for (int axis = 1; axis < rank; ++axis) dims.push_back(DimSize(build, values, axis));
  SIGNET_ASSIGN_OR_RETURN(
      GraphValue empty,
      build.BroadcastTo(Zero(build, TensorDType(Operand(values))), StackScalars(build, dims)));
  SIGNET_ASSIGN_OR_RETURN(empty, AsRows(build, empty));
  std::vector<Operand> all = {Operand(rows)};
  if (items != nullptr) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue more, AsRows(build, *items));
    all.push_back(Operand(more));
  }
  all.push_back(Operand(empty));
  return build.Gather(build.Concat(all, {.axis = 0}), positions, {.axis = 0});
}

// Returns the list with the items, whose first dimension is the number of items, at the indices.
Expr ReplaceElements(OpBuilder& build, const OpCall& call, const GraphValue& list,
                     const GraphValue& items, const Operand& indices) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue rows, AsRowsFor(build, list, items));
  SIGNET_RETURN_IF_ERROR(TensorRank(Operand(items)).status());
  Expr at = build.Reshape(indices, {.shape = {-1}});
  Expr count = NumElements(build, rows);
  Expr num_items = DimSize(build, items, 0);
  Expr positions = build.Range({Int64Constant(build, 0), count});
  if (call.attributes.Lookup("resize_if_index_out_of_bounds")) {
    SIGNET_ASSIGN_OR_RETURN(bool grows, call.attributes.Bool("resize_if_index_out_of_bounds"));
    if (grows) {
      Expr minus = build.AsExpr(Ints(build, std::vector<int64_t>{-1}));
      Expr least = build.Add(build.ReduceMax(build.Concat({at, minus}, {.axis = 0})), 1);
      Expr added = build.Maximum(build.Sub(least, count), 0);
      Expr empty = build.BroadcastTo(build.Add(count, num_items), StackScalars(build, {added}));
      positions = build.Concat({positions, empty}, {.axis = 0});
    }
  }
  Expr replaced = build.Add(build.Range({Int64Constant(build, 0), num_items}), count);
  positions = build.ScatterNd(positions, build.ExpandDims(at, {.axis = 1}), replaced);
  return SelectElements(build, rows, &items, positions);
}

// --- operators

TfOutputs ExpandReserve(OpBuilder& build, const OpCall& call, TfInputs in) {
  // Unset encoded values, which have no dtype, are never read.
  DType dtype = DType::kBool;
  std::vector<int64_t> shape;
  if (!HoldsVariants(call)) {
    SIGNET_ASSIGN_OR_RETURN(dtype, TfDType(call, "element_dtype"));
    SIGNET_ASSIGN_OR_RETURN(shape, ElementShape(build, in, 0));
  }
  const bool is_empty = call.op.name == "tf.EmptyTensorList";
  Operand count =
      is_empty ? Operand(Int64Constant(build, 0)) : Operand(AsScalar(build, AsInt64(build, in[1])));
  return UnsetList(build, count, shape, dtype);
}

TfOutputs ExpandArray(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(DType dtype, TfDType(call, "dtype"));
  std::vector<int64_t> shape;
  if (!IsNone(call.attributes, "element_shape")) {
    SIGNET_ASSIGN_OR_RETURN(shape, call.attributes.Ints("element_shape"));
  }
  return UnsetList(build, AsScalar(build, AsInt64(build, in[0])), shape, dtype);
}

TfOutputs ExpandListItself(OpBuilder& build, const OpCall&, TfInputs in) {
  return build.Identity(in[0]);
}

// A list with room for elements of the shape of `item`, which has the dimensions from `first` on.
StatusOr<GraphValue> MakeRoom(OpBuilder& build, const GraphValue& list, const GraphValue& item,
                              int first) {
  SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(Operand(list)));
  SIGNET_ASSIGN_OR_RETURN(int item_rank, TensorRank(Operand(item)));
  const DType dtype = TensorDType(Operand(list));
  if (rank == 1 && item_rank > first) {
    // Elements of unknown rank: nothing was set.
    std::vector<Operand> dims = {DimSize(build, list, 0)};
    for (int axis = first; axis < item_rank; ++axis) dims.push_back(DimSize(build, item, axis));
    return build.BroadcastTo(Zero(build, dtype), StackScalars(build, dims));
  }
  if (rank - 1 != item_rank - first) {
    return InvalidArgument("expected elements of one rank, found `", list.spec, "` and `",
                           item.spec, "`");
  }
  bool fits = true;
  std::vector<Operand> before = {Operand(Int64Constant(build, 0))};
  std::vector<Operand> after = before;
  for (int axis = 1; axis < rank; ++axis) {
    const int64_t own = KnownSize(Operand(list), axis);
    const int64_t other = KnownSize(Operand(item), axis - 1 + first);
    const bool is_same = own != kUnknownDim && own == other;
    fits = fits && is_same;
    before.push_back(Operand(Int64Constant(build, 0)));
    Expr size = DimSize(build, list, axis);
    Expr wanted = DimSize(build, item, axis - 1 + first);
    if (!is_same && own != 0) {
      SIGNET_RETURN_IF_ERROR(CheckCondition(
          build, build.LogicalOr(build.Equal(size, 0), build.Equal(size, wanted)),
          Unimplemented("unsupported list of elements of different shapes, in dimension ",
                        axis - 1)));
    }
    after.push_back(build.Maximum(build.Sub(wanted, size), 0));
  }
  if (fits) return list;
  return build.Pad(list, Zero(build, dtype), StackScalars(build, before),
                   StackScalars(build, after));
}

// The list with at least `count` elements. The added ones are not set.
Expr Lengthened(OpBuilder& build, const Operand& list, const Operand& count) {
  SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(list));
  if (rank < 1) return InvalidArgument("expected a list, found a scalar");
  std::vector<Operand> before(static_cast<size_t>(rank), Operand(Int64Constant(build, 0)));
  std::vector<Operand> after = before;
  after[0] = build.Maximum(build.Sub(count, DimSize(build, list, 0)), 0);
  return build.Pad(list, Zero(build, TensorDType(list)), StackScalars(build, before),
                   StackScalars(build, after));
}

// The list with an element at each of the indices, if the operator lets lists grow.
StatusOr<GraphValue> GrownFor(OpBuilder& build, const OpCall& call, const GraphValue& list,
                              const Operand& indices) {
  SIGNET_ASSIGN_OR_RETURN(bool grows, call.attributes.Bool("resize_if_index_out_of_bounds"));
  if (!grows) return list;
  Expr minus = build.AsExpr(Ints(build, std::vector<int64_t>{-1}));
  Expr all = build.Concat({build.Reshape(indices, {.shape = {-1}}), minus}, {.axis = 0});
  return Lengthened(build, list, build.Add(build.ReduceMax(all), 1));
}

TfOutputs ExpandSetItem(OpBuilder& build, const OpCall& call, TfInputs in) {
  // TensorListSetItem(list, index, item); TensorArrayWriteV3(index, value, flow).
  const bool is_array = call.op.name == "tf.TensorArrayWriteV3";
  const GraphValue& given = is_array ? in[2] : in[0];
  const GraphValue& index = is_array ? in[0] : in[1];
  const GraphValue& item = is_array ? in[1] : in[2];
  SIGNET_ASSIGN_OR_RETURN(bool as_rows, BecomesRows(call, given, item, 0));
  if (as_rows) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue items, build.ExpandDims(item, {.axis = 0}));
    return ReplaceElements(build, call, given, items, AsInt64(build, index));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue list, MakeRoom(build, given, item, 0));
  Expr at = build.Reshape(AsInt64(build, index), {.shape = {1, 1}});
  SIGNET_ASSIGN_OR_RETURN(list, GrownFor(build, call, list, at));
  return build.ScatterNd(list, at, build.ExpandDims(item, {.axis = 0}));
}

// Returns elements whose sizes are 0, because no element was set, with the sizes that input `i`
// states. The dimensions of an element start at `first`.
TfOutputs WithStatedSizes(OpBuilder& build, TfInputs in, size_t i, const Operand& value,
                          int first) {
  const auto stated = i < in.size() ? KnownInts(build, in, i) : std::nullopt;
  SIGNET_ASSIGN_OR_RETURN(int shape_rank, i < in.size() ? RankAt(in, i) : StatusOr<int>(0));
  if (!stated || shape_rank != 1) return build.Identity(value);
  SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(value));
  const DType dtype = TensorDType(value);
  if (rank == first && !stated->empty()) {
    // Elements of unknown rank: nothing was set.
    std::vector<Operand> dims;
    for (int axis = 0; axis < first; ++axis) dims.push_back(DimSize(build, value, axis));
    for (int64_t size : *stated) {
      dims.push_back(Operand(Int64Constant(build, std::max<int64_t>(size, 0))));
    }
    return build.BroadcastTo(Zero(build, dtype), StackScalars(build, dims));
  }
  if (static_cast<size_t>(rank - first) != stated->size()) {
    return InvalidArgument("expected elements of rank ", stated->size(), ", found rank ",
                           rank - first);
  }
  bool fits = true;
  std::vector<Operand> before(static_cast<size_t>(rank), Operand(Int64Constant(build, 0)));
  std::vector<Operand> after = before;
  for (int axis = first; axis < rank; ++axis) {
    const int64_t size = (*stated)[static_cast<size_t>(axis - first)];
    const int64_t own = KnownSize(value, axis);
    if (size <= 0 || own > 0) continue;
    fits = false;
    Expr missing = build.Equal(DimSize(build, value, axis), 0);
    after[static_cast<size_t>(axis)] =
        build.Select(missing, Int64Constant(build, size), Int64Constant(build, 0));
  }
  if (fits) return build.Identity(value);
  return build.Pad(value, Zero(build, dtype), StackScalars(build, before),
                   StackScalars(build, after));
}

TfOutputs ExpandStack(OpBuilder& build, const OpCall& call, TfInputs in) {
  if (IsRows(in[0])) {
    if (HoldsVariants(call)) return build.Identity(in[0]);
    return Dense(build, in[0]);
  }
  return WithStatedSizes(build, in, 1, in[0], 1);
}

TfOutputs ExpandGetItem(OpBuilder& build, const OpCall& call, TfInputs in) {
  // TensorListGetItem(list, index, shape); TensorArrayReadV3(index, flow).
  const bool is_array = call.op.name == "tf.TensorArrayReadV3";
  const GraphValue& list = in[is_array ? 1 : 0];
  Expr item =
      build.Gather(list, AsScalar(build, AsInt64(build, in[is_array ? 0 : 1])), {.axis = 0});
  if (HoldsVariants(call)) return item;
  if (IsRows(list)) {
    // The stated sizes are not known from the type of the rows.
    const auto stated = is_array ? std::nullopt : KnownInts(build, in, 2);
    if (!stated || stated->empty() ||
        std::any_of(stated->begin(), stated->end(), [](int64_t size) { return size < 0; })) {
      return item;
    }
    return build.Reshape(item, {.shape = *stated});
  }
  return WithStatedSizes(build, in, 2, item, 0);
}

TfOutputs ExpandGatherItems(OpBuilder& build, const OpCall& call, TfInputs in) {
  // TensorListGather(list, indices, shape); TensorArrayGatherV3(indices, flow).
  const bool is_array = call.op.name == "tf.TensorArrayGatherV3";
  const GraphValue& list = in[is_array ? 1 : 0];
  Expr items = build.Gather(list, AsInt64(build, in[is_array ? 0 : 1]), {.axis = 0});
  if (IsRows(list)) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue rows, items);
    if (HoldsVariants(call)) return OneOutput(std::move(rows));
    return Dense(build, rows);
  }
  return WithStatedSizes(build, in, 2, items, 1);
}

TfOutputs ExpandScatter(OpBuilder& build, const OpCall& call, TfInputs in) {
  const std::string_view name = std::string_view(call.op.name).substr(3);
  // The tensor with the items, the indices, and the list.
  size_t tensor = 0;
  size_t indices = 1;
  GraphValue list;
  if (name == "TensorArrayScatterV3" || name == "TensorListScatterIntoExistingList") {
    const bool is_array = name == "TensorArrayScatterV3";
    list = in[is_array ? 2 : 0];
    tensor = 1;
    indices = is_array ? 0 : 2;
    if (IsRows(list) || DiffersInSize(list, in[tensor], 1)) {
      return ReplaceElements(build, call, list, in[tensor], AsInt64(build, in[indices]));
    }
    if (is_array) {
      SIGNET_ASSIGN_OR_RETURN(list, GrownFor(build, call, list, AsInt64(build, in[indices])));
    }
  } else {
    // TensorListScatter[V2](tensor, indices, element_shape[, num_elements])
    Expr least =
        build.Add(build.ReduceMax(build.Concat(
                      {AsInt64(build, in[1]), build.AsExpr(Ints(build, std::vector<int64_t>{-1}))},
                      {.axis = 0})),
                  1);
    Expr count =
        in.size() > 3 ? build.Maximum(AsScalar(build, AsInt64(build, in[3])), least) : least;
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
    std::vector<Operand> dims = {count};
    for (int axis = 1; axis < rank; ++axis) dims.push_back(DimSize(build, in[0], axis));
    SIGNET_ASSIGN_OR_RETURN(
        list, build.BroadcastTo(Zero(build, DTypeAt(in, 0)), StackScalars(build, dims)));
  }
  SIGNET_ASSIGN_OR_RETURN(list, MakeRoom(build, list, in[tensor], 1));
  return build.ScatterNd(list, build.ExpandDims(AsInt64(build, in[indices]), {.axis = 1}),
                         in[tensor]);
}

TfOutputs ExpandPushBack(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(bool as_rows, BecomesRows(call, in[0], in[1], 0));
  if (as_rows) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue items, build.ExpandDims(in[1], {.axis = 0}));
    SIGNET_ASSIGN_OR_RETURN(GraphValue rows, AsRowsFor(build, in[0], items));
    SIGNET_ASSIGN_OR_RETURN(items, AsRows(build, items));
    return build.Concat({rows, items}, {.axis = 0});
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue list, MakeRoom(build, in[0], in[1], 0));
  return build.Concat({list, build.ExpandDims(in[1], {.axis = 0})}, {.axis = 0});
}

TfOutputs ExpandPopBack(OpBuilder& build, const OpCall&, TfInputs in) {
  if (IsRows(in[0])) {
    Expr index = build.Sub(NumElements(build, in[0]), 1);
    Expr others = build.Range({Int64Constant(build, 0), build.Maximum(index, 0)});
    return AllOf(
        {build.Gather(in[0], others, {.axis = 0}), build.Gather(in[0], index, {.axis = 0})});
  }
  Expr last = build.Sub(DimSize(build, in[0], 0), 1);
  return AllOf({build.Slice(in[0], {.starts = {0}, .limits = {-1}, .axes = {0}}),
                build.Gather(in[0], last, {.axis = 0})});
}

TfOutputs ExpandLength(OpBuilder& build, const OpCall&, TfInputs in) {
  if (IsRows(in[0])) return CastTo(build, NumElements(build, in[0]), DType::kInt32);
  return CastTo(build, DimSize(build, in[0], 0), DType::kInt32);
}

TfOutputs ExpandResizeList(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(bool only_grows, call.attributes.Bool("only_grow"));
  if (IsRows(in[0])) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue rows, AsRows(build, in[0]));
    Expr count = NumElements(build, rows);
    Expr size = AsScalar(build, AsInt64(build, in[1]));
    if (only_grows) size = build.Maximum(size, count);
    Expr positions = build.Minimum(build.Range({Int64Constant(build, 0), size}), count);
    return SelectElements(build, rows, nullptr, positions);
  }
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank < 1) return InvalidArgument("input 0: expected a list, found a scalar");
  Expr size = AsScalar(build, AsInt64(build, in[1]));
  const int64_t own = KnownSize(Operand(in[0]), 0);
  if (auto known = KnownInt(build, size); known && *known == own) return build.Identity(in[0]);
  if (only_grows) return Lengthened(build, in[0], size);
  Expr zero = build.AsExpr(Ints(build, std::vector<int64_t>{0}));
  Expr cut = build.Slice(in[0], zero, build.Reshape(size, {.shape = {1}}), zero);
  return Lengthened(build, cut, size);
}

TfOutputs ExpandElementShape(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(DType dtype, TfDType(call, "shape_type"));
  if (IsRows(in[0])) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue rows, AsRows(build, in[0]));
    const GraphValue values = RaggedPartsOf(rows).values;
    SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(Operand(values)));
    Expr unknown = build.AsExpr(Ints(build, std::vector<int64_t>{-1}));
    return CastTo(build, build.Concat({unknown, DimSizes(build, values, 1, rank)}, {.axis = 0}),
                  dtype);
  }
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank < 1) return InvalidArgument("input 0: expected a list, found a scalar");
  return CastTo(build, DimSizes(build, in[0], 1, rank), dtype);
}

TfOutputs ExpandConcatLists(OpBuilder& build, const OpCall&, TfInputs in) {
  if (IsRows(in[0]) || IsRows(in[1]) || DiffersInSize(in[0], in[1], 1)) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue first, AsRows(build, in[0]));
    SIGNET_ASSIGN_OR_RETURN(GraphValue second, AsRows(build, in[1]));
    return build.Concat({first, second}, {.axis = 0});
  }
  return build.Concat({in[0], in[1]}, {.axis = 0});
}

TfOutputs ExpandConcatElements(OpBuilder& build, const OpCall&, TfInputs in) {
  if (IsRows(in[0])) {
    const RaggedParts parts = RaggedPartsOf(in[0]);
    if (parts.splits.size() != 1) return Unimplemented("unsupported list of encoded values");
    return AllOf({parts.values, build.RowLengths(AsInt64(build, parts.splits[0]))});
  }
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank < 2) return InvalidArgument("expected elements of rank 1 or more");
  Expr count = DimSize(build, in[0], 0);
  Expr length = DimSize(build, in[0], 1);
  Expr lengths = build.BroadcastTo(length, build.Reshape(count, {.shape = {1}}));
  return AllOf({build.Flatten(in[0], {.first = 0, .last = 1}), lengths});
}

// Divides the rows of a tensor among the elements of a list.
TfOutputs ExpandSplitRows(OpBuilder& build, const OpCall& call, TfInputs in) {
  // TensorListSplit(tensor, element_shape, lengths); TensorArraySplitV3(value, lengths, flow).
  const bool is_array = call.op.name == "tf.TensorArraySplitV3";
  Expr lengths = build.Reshape(AsInt64(build, in[is_array ? 1 : 2]), {.shape = {-1}});
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank < 1) return InvalidArgument("input 0: expected rows, found a scalar");
  Expr splits = build.RowSplitsFromLengths(lengths);
  Expr total = build.Gather(splits, DimSize(build, lengths, 0), {.axis = 0});
  SIGNET_RETURN_IF_ERROR(CheckCondition(
      build, build.Equal(total, DimSize(build, in[0], 0)),
      InvalidArgument("`lengths`: expected numbers whose sum is the number of rows")));
  return build.RaggedFromRowSplits(in[0], splits);
}

// TensorListLike(list, lists): a new list of elements of unknown rank with room for elements of
// `lists`.
TfOutputs ExpandListLike(OpBuilder& build, const OpCall&, TfInputs in) {
  return OneOutput(MakeRoom(build, in[0], in[1], 2));
}

// TensorListRow(element): a list with one element, as a ragged value. TensorListRows(lists) joins
// lists of one element, which a loop collected.
TfOutputs ExpandListRow(OpBuilder& build, const OpCall&, TfInputs in) {
  if (in[0].spec.is(TypeKind::kTensor)) {
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
    if (rank == 0) return build.ExpandDims(in[0], {.axis = 0});
  } else if (!IsRows(in[0])) {
    return InvalidArgument("expected a tensor or rows, found `", in[0].spec, "`");
  }
  Expr size = IsRows(in[0]) ? NumElements(build, in[0]) : DimSize(build, in[0], 0);
  return build.RaggedFromRowSplits(in[0], StackScalars(build, {Int64Constant(build, 0), size}));
}

TfOutputs ExpandListRows(OpBuilder& build, const OpCall&, TfInputs in) {
  return build.MergeDims(in[0], {.outer = 0, .inner = 1});
}

}  // namespace

std::vector<OpDef> TfListOps() {
  std::vector<OpDef> ops;
  auto add = [&](const char* name, const char* summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    ops.push_back(TfOp(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  // Operators that accept rows, too.
  auto add_on_rows = [&](const char* name, const char* summary, std::vector<std::string> inputs,
                         ExpandFn expand,
                         std::vector<AttributeDef> attributes = {
                             {"element_dtype", NoneAttribute()}}) {
    ops.push_back(TfOpOnValues(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  add("TensorListReserve", "Creates a list of unset elements", {"element_shape", "num_elements"},
      {{"element_dtype"}}, ExpandReserve);
  add("EmptyTensorList", "Creates an empty list", {"element_shape", "max_num_elements"},
      {{"element_dtype"}}, ExpandReserve);
  add("TensorArrayV3", "Creates a list of unset elements", {"size"},
      {{"dtype"}, {"element_shape", NoneAttribute()}}, ExpandArray);
  add_on_rows("TensorListFromTensor", "Creates a list of the rows of a tensor",
              {"tensor", "element_shape"}, ExpandListItself);
  add_on_rows("TensorListStack", "Joins all elements", {"input_handle", "element_shape"},
              ExpandStack);
  // The operators of TensorArrays have the attribute if the array was made with `dynamic_size`.
  const AttributeDef grows = {"resize_if_index_out_of_bounds", AttributeOf(false)};
  // The importer sets the attribute if the elements of the list are only joined, or only read.
  const AttributeDef as_rows = {"as_rows", AttributeOf(false)};
  add_on_rows("TensorListSetItem", "Replaces an element", {"input_handle", "index", "item"},
              ExpandSetItem, {grows, as_rows});
  add_on_rows("TensorArrayWriteV3", "Replaces an element", {"index", "value", "flow_in"},
              ExpandSetItem, {grows, as_rows});
  add_on_rows("TensorListGetItem", "Returns an element", {"input_handle", "index", "element_shape"},
              ExpandGetItem);
  add_on_rows("TensorArrayReadV3", "Returns an element", {"index", "flow_in"}, ExpandGetItem);
  add_on_rows("TensorListGather", "Joins some elements",
              {"input_handle", "indices", "element_shape"}, ExpandGatherItems);
  add_on_rows("TensorArrayGatherV3", "Joins some elements", {"indices", "flow_in"},
              ExpandGatherItems);
  add_on_rows("TensorArrayScatterV3", "Replaces some elements", {"indices", "value", "flow_in"},
              ExpandScatter, {grows});
  add("TensorListScatter", "Creates a list from elements", {"tensor", "indices", "element_shape"},
      {}, ExpandScatter);
  add("TensorListScatterV2", "Creates a list from elements",
      {"tensor", "indices", "element_shape", "num_elements"}, {}, ExpandScatter);
  add_on_rows("TensorListScatterIntoExistingList", "Replaces some elements",
              {"input_handle", "tensor", "indices"}, ExpandScatter, {});
  add_on_rows("TensorListPushBack", "Adds an element", {"input_handle", "tensor"}, ExpandPushBack,
              {as_rows});
  add_on_rows("TensorListPopBack", "Removes the last element", {"input_handle", "element_shape"},
              ExpandPopBack, {});
  add_on_rows("TensorListLength", "Counts elements", {"input_handle"}, ExpandLength);
  add_on_rows("TensorArraySizeV3", "Counts elements", {"flow_in"}, ExpandLength);
  add_on_rows("TensorListResize", "Changes the number of elements", {"input_handle", "size"},
              ExpandResizeList, {{"only_grow", AttributeOf(false)}});
  add_on_rows("TensorListElementShape", "Returns the shape of elements", {"input_handle"},
              ExpandElementShape, {{"shape_type", AttributeOf(DType::kInt32)}});
  add_on_rows("TensorListConcatLists", "Joins two lists", {"input_a", "input_b"}, ExpandConcatLists,
              {});
  add_on_rows("TensorListConcat", "Joins the rows of all elements", {"input_handle"},
              ExpandConcatElements);
  add_on_rows("TensorListConcatV2", "Joins the rows of all elements",
              {"input_handle", "element_shape", "leading_dims"}, ExpandConcatElements);
  add("TensorListSplit", "Divides rows among elements", {"tensor", "element_shape", "lengths"}, {},
      ExpandSplitRows);
  add("TensorArraySplitV3", "Divides rows among elements", {"value", "lengths", "flow_in"}, {},
      ExpandSplitRows);
  add_on_rows("TensorArrayConcatV3", "Joins the rows of all elements", {"flow_in"},
              ExpandConcatElements);
  add("TensorListLike", "For the importer: gives a list the rank of the elements of other lists",
      {"list", "lists"}, {}, ExpandListLike);
  add_on_rows("TensorListRow", "For the importer: creates a list of one element", {"element"},
              ExpandListRow);
  add_on_rows("TensorListRows", "For the importer: joins lists of one element", {"lists"},
              ExpandListRows);
  return ops;
}

}  // namespace signet
