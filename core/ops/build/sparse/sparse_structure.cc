#include "core/ops/build/sparse/sparse_structure.h"

#include <numeric>

#include "core/base/checked_math.h"
#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/cuts.h"
#include "core/ops/build/slice_ranges.h"
#include "core/ops/build/sparse/sparse_parts.h"
#include "core/ops/def/inference.h"
#include "signet/sparse_spec.h"

namespace signet {
namespace {

using Outputs = StatusOr<std::vector<GraphValue>>;
using Inputs = std::span<const GraphValue>;

StatusOr<SparseParts> TheInput(OpBuilder& build, const OpCall& call, Inputs inputs) {
  return SparsePartsOf(build, inputs[0], call.op.name);
}

Outputs One(OpBuilder& build, StatusOr<SparseParts> parts) {
  if (!parts.ok()) return parts.status();
  return std::vector<GraphValue>{MakeSparseValue(build, *parts)};
}

// Returns the parts of the inputs, which are sparse values of the same dtype and rank.
StatusOr<std::vector<SparseParts>> AlikeInputs(OpBuilder& build, std::string_view op,
                                               Inputs inputs) {
  std::vector<SparseParts> all;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto* spec = inputs[i].spec ? inputs[i].spec.As<SparseSpec>() : nullptr;
    if (spec == nullptr) {
      return WithConstraint(
          "C1",
          InvalidArgument("input ", i, ": expected a sparse value, like the other inputs, found `",
                          inputs[i].spec ? inputs[i].spec.ToString() : "None", "`"));
    }
    SIGNET_ASSIGN_OR_RETURN(SparseParts parts, SparsePartsOf(build, inputs[i], op));
    all.push_back(std::move(parts));
    const auto& first = *inputs[0].spec.As<SparseSpec>();
    if (spec->dtype() != first.dtype() || all[i].rank() != all[0].rank()) {
      return WithConstraint(
          "C2", InvalidArgument("input ", i, ": expected the dtype and rank of input 0, `",
                                inputs[0].spec, "`, found `", inputs[i].spec, "`"));
    }
  }
  return all;
}

// Sets the sizes of all values to the largest sizes, except along `axis`. If `axis` is -1, sets all
// sizes.
Status Widen(OpBuilder& build, std::vector<SparseParts>& all, int axis) {
  GraphValue greatest = all[0].dense_shape;
  PartialShape shape = all[0].shape;
  for (size_t i = 1; i < all.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(greatest, build.Maximum(greatest, all[i].dense_shape));
    for (int k = 0; k < shape.rank(); ++k) {
      bool known = shape.dim(k) != kUnknownDim && all[i].shape.dim(k) != kUnknownDim;
      shape = shape.WithDim(k, known ? std::max(shape.dim(k), all[i].shape.dim(k)) : kUnknownDim);
    }
  }
  for (SparseParts& parts : all) {
    SparseParts wide = parts;
    wide.dense_shape = greatest;
    wide.shape = shape;
    if (axis >= 0) {
      SIGNET_ASSIGN_OR_RETURN(GraphValue own, SizeAt(build, parts, axis));
      SIGNET_ASSIGN_OR_RETURN(wide.dense_shape, WithSizeAt(build, wide, axis, own));
      wide.shape = wide.shape.WithDim(axis, parts.shape.dim(axis));
    }
    parts = std::move(wide);
  }
  return absl::OkStatus();
}

// Concatenates all values along `axis`. The other sizes are those of the first value.
StatusOr<SparseParts> Concatenated(OpBuilder& build, std::vector<SparseParts> all, int axis) {
  int rank = all[0].rank();
  GraphValue zero = Int64Constant(build, 0);
  GraphValue end = zero;
  int64_t known_end = 0;
  std::vector<GraphValue> indices;
  std::vector<GraphValue> values;
  for (SparseParts& parts : all) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue size, SizeAt(build, parts, axis));
    if (!indices.empty()) {
      SparseParts zeros = parts;
      zeros.dense_shape = Int64Vector(build, std::vector<int64_t>(static_cast<size_t>(rank)));
      SIGNET_ASSIGN_OR_RETURN(parts.indices,
                              build.Add(parts.indices, WithSizeAt(build, zeros, axis, end)));
    }
    SIGNET_ASSIGN_OR_RETURN(end, build.Add(end, size));
    auto sum = CheckedAdd(known_end, std::max<int64_t>(parts.shape.dim(axis), 0));
    if (!sum)
      return WithConstraint(
          "C4", InvalidArgument("sizes along axis ", axis, " of more than an int64 in all"));
    bool known = known_end != kUnknownDim && parts.shape.dim(axis) != kUnknownDim;
    known_end = known ? *sum : kUnknownDim;
    indices.push_back(parts.indices);
    values.push_back(parts.values);
  }
  SparseParts out = all[0];
  SIGNET_ASSIGN_OR_RETURN(GraphValue joined, build.Concat(indices));
  out.indices = joined;
  SIGNET_ASSIGN_OR_RETURN(joined, build.Concat(values));
  out.values = joined;
  SIGNET_ASSIGN_OR_RETURN(out.dense_shape, WithSizeAt(build, out, axis, end));
  out.shape = out.shape.WithDim(axis, known_end);
  if (axis > 0) return InOrder(build, std::move(out));
  // The entries are in order. Only the number of elements is left to check.
  SIGNET_ASSIGN_OR_RETURN(out.dense_shape, build.CompleteShape(out.dense_shape, out.dense_shape));
  return out;
}

// Returns the window of x that starts at `starts` and has the sizes `sizes`, both int64[rank].
StatusOr<SparseParts> Cut(OpBuilder& build, SparseParts x, const GraphValue& starts,
                          const GraphValue& sizes, PartialShape shape) {
  SIGNET_ASSIGN_OR_RETURN(auto cut, build.CutEntries(x.indices, starts, sizes));
  SIGNET_ASSIGN_OR_RETURN(x.values, build.Gather(x.values, cut[0]));
  return SparseParts{cut[1], x.values, sizes, std::move(shape)};
}

// A range of one dimension.
struct Range {
  GraphValue start;
  GraphValue length;
  int64_t known_length = kUnknownDim;
};

// Cuts x along `axis` into `ranges`, which follow one another from 0 to the size of the axis. The
// entries are sorted by part once, so that each part is a contiguous range of entries.
StatusOr<std::vector<SparseParts>> PartsAlong(OpBuilder& build, SparseParts x, int axis,
                                              std::span<const Range> ranges) {
  std::vector<GraphValue> starts;
  for (const Range& range : ranges) starts.push_back(range.start);
  if (starts.empty()) return std::vector<SparseParts>();
  SIGNET_ASSIGN_OR_RETURN(GraphValue boundaries, build.Stack(starts));
  SIGNET_ASSIGN_OR_RETURN(GraphValue column,
                          build.Gather(x.indices, Int64Constant(build, axis), {.axis = 1}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue ids,
                          build.Bucketize(column, boundaries) - Int64Constant(build, 1));
  if (axis > 0) {
    SIGNET_ASSIGN_OR_RETURN(auto sorted, build.Sort(ids));
    ids = sorted[0];
    SIGNET_ASSIGN_OR_RETURN(x, EntriesAt(build, std::move(x), sorted[1]));
  }
  GraphValue count = Int64Constant(build, static_cast<int64_t>(ranges.size()));
  SIGNET_ASSIGN_OR_RETURN(GraphValue splits, build.RowSplitsFromRowIds(ids, count));
  SparseParts zeros = x;
  zeros.dense_shape = Int64Vector(build, std::vector<int64_t>(static_cast<size_t>(x.rank())));
  std::vector<SparseParts> parts;
  for (size_t i = 0; i < ranges.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(
        auto run, build.CutRowSplits(splits, Int64Constant(build, static_cast<int64_t>(i)),
                                     Int64Constant(build, 1)));
    SparseParts part = x;
    part.shape = x.shape.WithDim(axis, ranges[i].known_length);
    SIGNET_ASSIGN_OR_RETURN(part.values, build.CutRows(x.values, run[1], run[2]));
    SIGNET_ASSIGN_OR_RETURN(part.indices, build.CutRows(x.indices, run[1], run[2]));
    SIGNET_ASSIGN_OR_RETURN(
        part.indices, build.Sub(part.indices, WithSizeAt(build, zeros, axis, ranges[i].start)));
    SIGNET_ASSIGN_OR_RETURN(part.dense_shape, WithSizeAt(build, x, axis, ranges[i].length));
    parts.push_back(std::move(part));
  }
  return parts;
}

// Returns the same elements without the dimensions `dropped`, which have size 1.
StatusOr<SparseParts> WithoutDims(OpBuilder& build, const SparseParts& x,
                                  const std::vector<bool>& dropped) {
  std::vector<int64_t> kept;
  PartialShape shape = Shape{};
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (dropped[static_cast<size_t>(axis)]) continue;
    kept.push_back(axis);
    shape = shape.Concatenate({x.shape.dim(axis)});
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue sizes, build.Gather(x.dense_shape, Int64Vector(build, kept)));
  return Reshaped(build, x, sizes, std::move(shape));
}

// Returns the same elements with a dimension of size 1 before dimension `axis`.
StatusOr<SparseParts> WithDim(OpBuilder& build, const SparseParts& x, int axis) {
  std::vector<int64_t> order(static_cast<size_t>(x.rank()));
  std::iota(order.begin(), order.end(), 0);
  order.insert(order.begin() + axis, x.rank());
  const int64_t one[] = {1};
  SIGNET_ASSIGN_OR_RETURN(GraphValue sizes,
                          build.Gather(build.Concat({x.dense_shape, Int64Vector(build, one)}),
                                       Int64Vector(build, order)));
  return Reshaped(
      build, x, sizes,
      x.shape.Slice(0, axis).Concatenate({1}).Concatenate(x.shape.Slice(axis, x.rank())));
}

}  // namespace

StatusOr<GraphValue> JoinSparseRows(OpBuilder& build, Inputs values) {
  SIGNET_ASSIGN_OR_RETURN(auto all, AlikeInputs(build, "concat", values));
  SIGNET_RETURN_IF_ERROR(Widen(build, all, 0));
  SIGNET_ASSIGN_OR_RETURN(SparseParts joined, Concatenated(build, std::move(all), 0));
  return MakeSparseValue(build, joined);
}

Outputs ExpandSparseConcat(OpBuilder& build, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(auto all, AlikeInputs(build, call.op.name, inputs));
  if (all[0].rank() == 0) {
    return WithConstraint("C2", InvalidArgument("input 0: expected a rank of at least 1, found `",
                                                inputs[0].spec, "`"));
  }
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", all[0].rank(), "C3"));
  // C4: the inputs agree in all other dimensions.
  GraphValue zero = Int64Constant(build, 0);
  SIGNET_ASSIGN_OR_RETURN(GraphValue others, WithSizeAt(build, all[0], axis, zero));
  PartialShape shape = all[0].shape.WithDim(axis, kUnknownDim);
  for (size_t i = 1; i < all.size(); ++i) {
    auto merged = shape.MergeWith(all[i].shape.WithDim(axis, kUnknownDim));
    if (!merged.ok()) {
      return WithConstraint("C4", InvalidArgument("input ", i, ": expected dimensions `", shape,
                                                  "`, of any size along axis ", axis, ", found `",
                                                  inputs[i].spec, "`"));
    }
    shape = *std::move(merged);
    SIGNET_ASSIGN_OR_RETURN(GraphValue same,
                            build.IsSame(others, WithSizeAt(build, all[i], axis, zero)));
    SIGNET_RETURN_IF_ERROR(CheckThat(
        build, same, call.op.name,
        WithConstraint(
            "C4", InvalidArgument("input ", i,
                                  ": expected the sizes of input 0, except along axis ", axis))));
  }
  all[0].shape = shape.WithDim(axis, all[0].shape.dim(axis));
  return One(build, Concatenated(build, std::move(all), axis));
}

Outputs ExpandSparseStack(OpBuilder& build, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(auto all, AlikeInputs(build, call.op.name, inputs));
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", all[0].rank() + 1, "C3"));
  SIGNET_RETURN_IF_ERROR(Widen(build, all, -1));
  for (SparseParts& parts : all) {
    SIGNET_ASSIGN_OR_RETURN(parts, WithDim(build, parts, axis));
  }
  return One(build, Concatenated(build, std::move(all), axis));
}

Outputs ExpandSparseUnstack(OpBuilder& build, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, TheInput(build, call, inputs));
  if (x.rank() == 0) {
    return WithConstraint("C1", InvalidArgument("input 0: expected a rank of at least 1, found `",
                                                inputs[0].spec, "`"));
  }
  // C2: `num` is the size of dimension `axis`. It may be omitted if the size is known.
  SIGNET_ASSIGN_OR_RETURN(auto num, WithConstraint("C2", call.attributes.OptionalInt("num")));
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", x.rank(), "C2"));
  int64_t size = x.shape.dim(axis) == kUnknownDim ? num.value_or(kUnknownDim) : x.shape.dim(axis);
  if (size < 0 || size > kMaxParts || (num && *num != size)) {
    return WithConstraint(
        "C2", InvalidArgument("dimension ", axis, ": expected ",
                              num ? Cat("size ", *num) : Cat("a known size of at most ", kMaxParts),
                              ", found `", inputs[0].spec, "`"));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue fits,
                          build.Equal(SizeAt(build, x, axis), Int64Constant(build, size)));
  SIGNET_RETURN_IF_ERROR(CheckThat(
      build, fits, call.op.name,
      WithConstraint("C2", InvalidArgument("dimension ", axis, ": expected size ", size))));
  std::vector<bool> dropped(static_cast<size_t>(x.rank()), false);
  dropped[static_cast<size_t>(axis)] = true;
  std::vector<Range> ranges;
  for (int64_t i = 0; i < size; ++i) {
    ranges.push_back({Int64Constant(build, i), Int64Constant(build, 1), 1});
  }
  SIGNET_ASSIGN_OR_RETURN(auto parts, PartsAlong(build, std::move(x), axis, ranges));
  std::vector<GraphValue> out;
  for (const SparseParts& part : parts) {
    SIGNET_ASSIGN_OR_RETURN(SparseParts element, WithoutDims(build, part, dropped));
    out.push_back(MakeSparseValue(build, element));
  }
  return out;
}

Outputs ExpandSparseSplit(OpBuilder& build, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, TheInput(build, call, inputs));
  if (x.rank() == 0) {
    return WithConstraint("C1", InvalidArgument("input 0: expected a rank of at least 1, found `",
                                                inputs[0].spec, "`"));
  }
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", x.rank(), "C2"));
  SIGNET_ASSIGN_OR_RETURN(auto asked, WantedPartsOf(call));
  const auto& [count, sizes, total] = asked;
  SIGNET_ASSIGN_OR_RETURN(GraphValue size, SizeAt(build, x, axis));
  GraphValue wanted = Int64Constant(build, count);
  GraphValue fits;
  Status error;
  if (!sizes) {
    // C4: the number of parts is at most the number of elements.
    error = WithConstraint("C4", InvalidArgument("expected a dimension of at least ", count,
                                                 " elements, one per part"));
    SIGNET_ASSIGN_OR_RETURN(fits, build.LessEqual(wanted, size));
  } else {
    // C4: the parts make up the dimension.
    error = WithConstraint(
        "C4",
        InvalidArgument("expected parts with the total size of the dimension, found ", total));
    SIGNET_ASSIGN_OR_RETURN(fits, build.Equal(Int64Constant(build, total), size));
  }
  SIGNET_RETURN_IF_ERROR(CheckThat(build, fits, call.op.name, error));
  // The first of the `num` parts are larger by one if there is a remainder.
  GraphValue least, rest;
  SIGNET_ASSIGN_OR_RETURN(least, build.Floordiv(size, wanted));
  SIGNET_ASSIGN_OR_RETURN(rest, build.Mod(size, wanted));
  int64_t known = x.shape.dim(axis);
  GraphValue start = Int64Constant(build, 0);
  std::vector<Range> ranges;
  for (int64_t i = 0; i < count; ++i) {
    GraphValue length;
    int64_t known_length = kUnknownDim;
    if (sizes) {
      known_length = (*sizes)[static_cast<size_t>(i)];
      length = Int64Constant(build, known_length);
    } else {
      if (known != kUnknownDim) known_length = known / count + (i < known % count ? 1 : 0);
      SIGNET_ASSIGN_OR_RETURN(length, least + build.Cast(build.Less(Int64Constant(build, i), rest),
                                                         {.dtype = "int64"}));
    }
    ranges.push_back({start, length, known_length});
    SIGNET_ASSIGN_OR_RETURN(start, build.Add(start, length));
  }
  SIGNET_ASSIGN_OR_RETURN(auto parts, PartsAlong(build, std::move(x), axis, ranges));
  std::vector<GraphValue> out;
  for (const SparseParts& part : parts) out.push_back(MakeSparseValue(build, part));
  return out;
}

Outputs ExpandSparseSlice(OpBuilder& build, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, TheInput(build, call, inputs));
  // Inputs that are constants are used like attributes.
  Attributes attributes = call.attributes;
  constexpr std::string_view kNames[] = {"", "starts", "limits"};
  for (size_t i = 1; i < inputs.size() && i < std::size(kNames); ++i) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue list, TensorFor(build, inputs[i], DType::kInt64));
    if (!list.spec) continue;
    bool ints = list.spec.is(TypeKind::kTensor) &&
                IsIndexDType(list.spec.As<TensorSpec>()->dtype()) && IsNone(attributes, kNames[i]);
    const Tensor* known = ints ? build.LookupConstant(list.components[0]) : nullptr;
    if (known == nullptr) {
      return Unimplemented("`slice`: expected constant starts and limits for `", inputs[0].spec,
                           "`, found `", list.spec, "`");
    }
    attributes = attributes.With(kNames[i], AttributeOf(std::span<const int64_t>(IntsOf(*known))));
  }
  SIGNET_ASSIGN_OR_RETURN(auto steps, WithConstraint("C2", OptionalInts(attributes, "steps")));
  for (int64_t step : steps.value_or(std::vector<int64_t>())) {
    if (step == 1) continue;
    return Unimplemented("`slice`: expected steps of 1 for `", inputs[0].spec, "`, found ", step);
  }
  SIGNET_ASSIGN_OR_RETURN(auto window, build.CallAll("sparse_window", {x.dense_shape}, attributes));
  PartialShape shape = PartialShape::OfRank(x.rank());
  return One(build, Cut(build, std::move(x), window[0], window[1], std::move(shape)));
}

Outputs ExpandSparseReshape(OpBuilder& build, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, TheInput(build, call, inputs));
  // C1: the shape is given once: as an attribute or as a vector of integers.
  SIGNET_ASSIGN_OR_RETURN(auto given, WithConstraint("C1", OptionalInts(call.attributes, "shape")));
  GraphValue wanted;
  if (inputs.size() > 1) {
    SIGNET_ASSIGN_OR_RETURN(wanted, TensorFor(build, inputs[1], DType::kInt64));
  }
  if (given.has_value() == static_cast<bool>(wanted.spec)) {
    return WithConstraint(
        "C1", InvalidArgument(given ? "attribute `shape` and input 1 are mutually exclusive"
                                    : "missing `shape`; pass it as an attribute or as input 1"));
  }
  if (given) wanted = Int64Vector(build, *given);
  const auto* sizes = wanted.spec.As<TensorSpec>();
  bool fits = sizes != nullptr && IsIndexDType(sizes->dtype()) && sizes->shape().has_rank() &&
              sizes->shape().rank() == 1 && sizes->shape().dim(0) != kUnknownDim;
  if (!fits) {
    return WithConstraint(
        "C1",
        InvalidArgument("input 1: expected a vector of int32 or int64 of known length, found `",
                        wanted.spec, "`"));
  }
  if (sizes->dtype() != DType::kInt64) {
    SIGNET_ASSIGN_OR_RETURN(wanted, build.Cast(wanted, {.dtype = "int64"}));
  }
  PartialShape shape = PartialShape::OfRank(static_cast<int>(sizes->shape().dim(0)));
  if (const Tensor* known = build.LookupConstant(wanted.components[0])) {
    shape = KnownSizes(*known);
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue dense_shape, build.CompleteShape(x.dense_shape, wanted));
  return One(build, Reshaped(build, x, dense_shape, std::move(shape)));
}

Outputs ExpandSparseExpandDims(OpBuilder& build, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, TheInput(build, call, inputs));
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", x.rank() + 1, "C2"));
  return One(build, WithDim(build, x, axis));
}

Outputs ExpandSparseSqueeze(OpBuilder& build, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, TheInput(build, call, inputs));
  SIGNET_ASSIGN_OR_RETURN(auto axes, WithConstraint("C2", OptionalInts(call.attributes, "axes")));
  std::vector<bool> dropped(static_cast<size_t>(x.rank()), false);
  if (!axes && !x.shape.IsFullyDefined()) {
    return WithConstraint(
        "C2", InvalidArgument("missing `axes`, which are required for `", inputs[0].spec, "`"));
  }
  for (int axis = 0; !axes && axis < x.rank(); ++axis) {
    dropped[static_cast<size_t>(axis)] = x.shape.dim(axis) == 1;
  }
  for (int64_t given : axes.value_or(std::vector<int64_t>())) {
    // C2: each of `axes` is a dimension of size 1.
    SIGNET_ASSIGN_OR_RETURN(int axis, WithConstraint("C2", NormalizeAxis(given, x.rank())));
    SIGNET_ASSIGN_OR_RETURN(GraphValue size, SizeAt(build, x, axis));
    SIGNET_ASSIGN_OR_RETURN(GraphValue is_one, build.Equal(size, Int64Constant(build, 1)));
    SIGNET_RETURN_IF_ERROR(
        CheckThat(build, is_one, call.op.name,
                  WithConstraint("C2", InvalidArgument("dimension ", axis, ": expected size 1"))));
    dropped[static_cast<size_t>(axis)] = true;
  }
  return One(build, WithoutDims(build, x, dropped));
}

Outputs ExpandSparseTranspose(OpBuilder& build, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, TheInput(build, call, inputs));
  SIGNET_ASSIGN_OR_RETURN(auto perm, WithConstraint("C2", OptionalInts(call.attributes, "perm")));
  auto rank = static_cast<size_t>(x.rank());
  // C2: `perm` contains each dimension once.
  if (perm && perm->size() != rank) {
    return WithConstraint(
        "C2", InvalidArgument("`perm`: expected ", rank, " axes, one per dimension of `",
                              inputs[0].spec, "`, found ", perm->size()));
  }
  std::vector<int64_t> order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  std::vector<bool> seen(rank, false);
  PartialShape shape = PartialShape::OfRank(x.rank());
  for (size_t i = 0; i < rank; ++i) {
    SIGNET_ASSIGN_OR_RETURN(
        int axis, WithConstraint("C2", NormalizeAxis(perm ? (*perm)[i] : order[i], x.rank())));
    if (seen[static_cast<size_t>(axis)]) {
      return WithConstraint("C2", InvalidArgument("`perm`: duplicate axis ", axis));
    }
    seen[static_cast<size_t>(axis)] = true;
    order[i] = axis;
    shape = shape.WithDim(static_cast<int>(i), x.shape.dim(axis));
  }
  GraphValue axes = Int64Vector(build, order);
  SIGNET_ASSIGN_OR_RETURN(x.indices, build.Gather(x.indices, axes, {.axis = 1}));
  SIGNET_ASSIGN_OR_RETURN(x.dense_shape, build.Gather(x.dense_shape, axes));
  x.shape = std::move(shape);
  return One(build, InOrder(build, std::move(x)));
}

}  // namespace signet
