#include "core/ops/build/sparse/sparse_structure.h"

#include <numeric>

#include "core/base/checked_math.h"
#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/cuts.h"
#include "core/ops/build/slice_ranges.h"
#include "core/ops/build/sparse/sparse_parts.h"
#include "core/ops/def/inference.h"
#include "core/types/sparse_spec.h"

namespace signet {
namespace {

using Outputs = StatusOr<std::vector<GraphValue>>;
using Inputs = std::span<const GraphValue>;

StatusOr<SparseParts> TheInput(Expander& expander, const OpCall& call, Inputs inputs) {
  return SparsePartsOf(expander, inputs[0], call.op.name);
}

Outputs One(Expander& expander, StatusOr<SparseParts> parts) {
  if (!parts.ok()) return parts.status();
  return std::vector<GraphValue>{MakeSparseValue(expander, *parts)};
}

// The inputs as sparse values of one dtype and rank.
StatusOr<std::vector<SparseParts>> AlikeInputs(Expander& expander, std::string_view op,
                                               Inputs inputs) {
  std::vector<SparseParts> all;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto* spec = inputs[i].spec ? inputs[i].spec.As<SparseSpec>() : nullptr;
    if (spec == nullptr) {
      return InvalidArgument("C1 input ", i, " is `",
                             inputs[i].spec ? inputs[i].spec.ToString() : "None",
                             "` beside sparse values; takes sparse values");
    }
    SIGNET_ASSIGN_OR_RETURN(SparseParts parts, SparsePartsOf(expander, inputs[i], op));
    all.push_back(std::move(parts));
    const auto& first = *inputs[0].spec.As<SparseSpec>();
    if (spec->dtype() != first.dtype() || all[i].rank() != all[0].rank()) {
      return InvalidArgument("C2 input ", i, " is `", inputs[i].spec,
                             "`; takes the dtype and rank of input 0, `", inputs[0].spec, "`");
    }
  }
  return all;
}

// Gives all the greatest sizes that any has, but along `axis`; -1: along all.
Status Widen(Expander& expander, std::vector<SparseParts>& all, int axis) {
  GraphValue greatest = all[0].dense_shape;
  PartialShape shape = all[0].shape;
  for (size_t i = 1; i < all.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(greatest, expander.Call1("maximum", {greatest, all[i].dense_shape}));
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
      SIGNET_ASSIGN_OR_RETURN(GraphValue own, SizeAt(expander, parts, axis));
      SIGNET_ASSIGN_OR_RETURN(wide.dense_shape, WithSizeAt(expander, wide, axis, own));
      wide.shape = wide.shape.WithDim(axis, parts.shape.dim(axis));
    }
    parts = std::move(wide);
  }
  return absl::OkStatus();
}

// The entries of all, along `axis`; the other sizes are those of the first.
StatusOr<SparseParts> Concatenated(Expander& expander, std::vector<SparseParts> all, int axis) {
  int rank = all[0].rank();
  GraphValue zero = Int64Constant(expander, 0);
  GraphValue end = zero;
  int64_t known_end = 0;
  std::vector<GraphValue> indices;
  std::vector<GraphValue> values;
  for (SparseParts& parts : all) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue size, SizeAt(expander, parts, axis));
    if (!indices.empty()) {
      SparseParts zeros = parts;
      zeros.dense_shape = Int64Vector(expander, std::vector<int64_t>(static_cast<size_t>(rank)));
      SIGNET_ASSIGN_OR_RETURN(GraphValue offset, WithSizeAt(expander, zeros, axis, end));
      SIGNET_ASSIGN_OR_RETURN(parts.indices, expander.Call1("add", {parts.indices, offset}));
    }
    SIGNET_ASSIGN_OR_RETURN(end, expander.Call1("add", {end, size}));
    auto sum = CheckedAdd(known_end, std::max<int64_t>(parts.shape.dim(axis), 0));
    if (!sum) return InvalidArgument("C4 sizes along axis ", axis, " of more than an int64 in all");
    bool known = known_end != kUnknownDim && parts.shape.dim(axis) != kUnknownDim;
    known_end = known ? *sum : kUnknownDim;
    indices.push_back(parts.indices);
    values.push_back(parts.values);
  }
  SparseParts out = all[0];
  SIGNET_ASSIGN_OR_RETURN(auto joined, expander.Call("concat", indices, {}));
  out.indices = joined[0];
  SIGNET_ASSIGN_OR_RETURN(joined, expander.Call("concat", values, {}));
  out.values = joined[0];
  SIGNET_ASSIGN_OR_RETURN(out.dense_shape, WithSizeAt(expander, out, axis, end));
  out.shape = out.shape.WithDim(axis, known_end);
  if (axis > 0) return InOrder(expander, std::move(out));
  // They follow one another; what is left is that their elements can be counted.
  SIGNET_ASSIGN_OR_RETURN(out.dense_shape,
                          expander.Call1("complete_shape", {out.dense_shape, out.dense_shape}));
  return out;
}

// The window of x that starts at `starts` and is of `sizes`, both int64[rank].
StatusOr<SparseParts> Cut(Expander& expander, SparseParts x, const GraphValue& starts,
                          const GraphValue& sizes, PartialShape shape) {
  const GraphValue window[] = {x.indices, starts, sizes};
  SIGNET_ASSIGN_OR_RETURN(auto cut, expander.Call("cut_entries", window, {}));
  SIGNET_ASSIGN_OR_RETURN(x.values, expander.Call1("gather", {x.values, cut[0]}));
  return SparseParts{cut[1], x.values, sizes, std::move(shape)};
}

// A range of one dimension.
struct Range {
  GraphValue start;
  GraphValue length;
  int64_t known_length = kUnknownDim;
};

// The parts of x along `axis` that `ranges` are, one behind the other, from 0 to its size: entries
// are put in order of their parts once, and each part is a run of them.
StatusOr<std::vector<SparseParts>> PartsAlong(Expander& expander, SparseParts x, int axis,
                                              std::span<const Range> ranges) {
  std::vector<GraphValue> starts;
  for (const Range& range : ranges) starts.push_back(range.start);
  if (starts.empty()) return std::vector<SparseParts>();
  SIGNET_ASSIGN_OR_RETURN(auto boundaries, expander.Call("stack", starts, {}));
  Attributes along_columns({{"axis", AttributeOf(1)}});
  SIGNET_ASSIGN_OR_RETURN(
      GraphValue column,
      expander.Call1("gather", {x.indices, Int64Constant(expander, axis)}, along_columns));
  SIGNET_ASSIGN_OR_RETURN(GraphValue ids, expander.Call1("bucketize", {column, boundaries[0]}));
  SIGNET_ASSIGN_OR_RETURN(ids, expander.Call1("sub", {ids, Int64Constant(expander, 1)}));
  if (axis > 0) {
    SIGNET_ASSIGN_OR_RETURN(auto sorted, expander.Call("sort", std::span(&ids, 1), {}));
    ids = sorted[0];
    SIGNET_ASSIGN_OR_RETURN(x, EntriesAt(expander, std::move(x), sorted[1]));
  }
  GraphValue count = Int64Constant(expander, static_cast<int64_t>(ranges.size()));
  SIGNET_ASSIGN_OR_RETURN(GraphValue splits,
                          expander.Call1("row_splits_from_row_ids", {ids, count}));
  SparseParts zeros = x;
  zeros.dense_shape = Int64Vector(expander, std::vector<int64_t>(static_cast<size_t>(x.rank())));
  std::vector<SparseParts> parts;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const GraphValue row[] = {splits, Int64Constant(expander, static_cast<int64_t>(i)),
                              Int64Constant(expander, 1)};
    SIGNET_ASSIGN_OR_RETURN(auto run, expander.Call("cut_row_splits", row, {}));
    SparseParts part = x;
    part.shape = x.shape.WithDim(axis, ranges[i].known_length);
    SIGNET_ASSIGN_OR_RETURN(part.values, expander.Call1("cut_rows", {x.values, run[1], run[2]}));
    SIGNET_ASSIGN_OR_RETURN(part.indices, expander.Call1("cut_rows", {x.indices, run[1], run[2]}));
    SIGNET_ASSIGN_OR_RETURN(GraphValue offset, WithSizeAt(expander, zeros, axis, ranges[i].start));
    SIGNET_ASSIGN_OR_RETURN(part.indices, expander.Call1("sub", {part.indices, offset}));
    SIGNET_ASSIGN_OR_RETURN(part.dense_shape, WithSizeAt(expander, x, axis, ranges[i].length));
    parts.push_back(std::move(part));
  }
  return parts;
}

// The same elements without the dimensions `dropped`, of size 1.
StatusOr<SparseParts> WithoutDims(Expander& expander, const SparseParts& x,
                                  const std::vector<bool>& dropped) {
  std::vector<int64_t> kept;
  PartialShape shape = Shape{};
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (dropped[static_cast<size_t>(axis)]) continue;
    kept.push_back(axis);
    shape = shape.Concatenate({x.shape.dim(axis)});
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue sizes,
                          expander.Call1("gather", {x.dense_shape, Int64Vector(expander, kept)}));
  return Reshaped(expander, x, sizes, std::move(shape));
}

// The same elements with a dimension of size 1 before dimension `axis`.
StatusOr<SparseParts> WithDim(Expander& expander, const SparseParts& x, int axis) {
  std::vector<int64_t> order(static_cast<size_t>(x.rank()));
  std::iota(order.begin(), order.end(), 0);
  order.insert(order.begin() + axis, x.rank());
  const int64_t one[] = {1};
  SIGNET_ASSIGN_OR_RETURN(GraphValue sizes,
                          expander.Call1("concat", {x.dense_shape, Int64Vector(expander, one)}));
  SIGNET_ASSIGN_OR_RETURN(sizes, expander.Call1("gather", {sizes, Int64Vector(expander, order)}));
  return Reshaped(
      expander, x, sizes,
      x.shape.Slice(0, axis).Concatenate({1}).Concatenate(x.shape.Slice(axis, x.rank())));
}

}  // namespace

StatusOr<GraphValue> JoinSparseRows(Expander& expander, Inputs values) {
  SIGNET_ASSIGN_OR_RETURN(auto all, AlikeInputs(expander, "concat", values));
  SIGNET_RETURN_IF_ERROR(Widen(expander, all, 0));
  SIGNET_ASSIGN_OR_RETURN(SparseParts joined, Concatenated(expander, std::move(all), 0));
  return MakeSparseValue(expander, joined);
}

Outputs ExpandSparseConcat(Expander& expander, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(auto all, AlikeInputs(expander, call.op.name, inputs));
  if (all[0].rank() == 0) {
    return InvalidArgument("C2 input 0 is `", inputs[0].spec, "`; takes a rank of at least 1");
  }
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", all[0].rank(), "C3"));
  // C4: inputs agree in all dimensions but that one.
  GraphValue zero = Int64Constant(expander, 0);
  SIGNET_ASSIGN_OR_RETURN(GraphValue others, WithSizeAt(expander, all[0], axis, zero));
  PartialShape shape = all[0].shape.WithDim(axis, kUnknownDim);
  for (size_t i = 1; i < all.size(); ++i) {
    auto merged = shape.MergeWith(all[i].shape.WithDim(axis, kUnknownDim));
    if (!merged.ok()) {
      return InvalidArgument("C4 input ", i, " is `", inputs[i].spec, "`; takes dimensions `",
                             shape, "`, any along axis ", axis);
    }
    shape = *std::move(merged);
    SIGNET_ASSIGN_OR_RETURN(GraphValue its, WithSizeAt(expander, all[i], axis, zero));
    SIGNET_ASSIGN_OR_RETURN(GraphValue same, expander.Call1("is_same", {others, its}));
    SIGNET_RETURN_IF_ERROR(
        CheckThat(expander, same, call.op.name,
                  Cat("C4 input ", i, " is of another size than input 0 off axis ", axis)));
  }
  all[0].shape = shape.WithDim(axis, all[0].shape.dim(axis));
  return One(expander, Concatenated(expander, std::move(all), axis));
}

Outputs ExpandSparseStack(Expander& expander, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(auto all, AlikeInputs(expander, call.op.name, inputs));
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", all[0].rank() + 1, "C3"));
  SIGNET_RETURN_IF_ERROR(Widen(expander, all, -1));
  for (SparseParts& parts : all) {
    SIGNET_ASSIGN_OR_RETURN(parts, WithDim(expander, parts, axis));
  }
  return One(expander, Concatenated(expander, std::move(all), axis));
}

Outputs ExpandSparseUnstack(Expander& expander, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, TheInput(expander, call, inputs));
  if (x.rank() == 0) {
    return InvalidArgument("C1 input 0 is `", inputs[0].spec, "`; takes a rank of at least 1");
  }
  // C2: `num` is the size of dimension `axis`; it may be left out where that is known.
  SIGNET_ASSIGN_OR_RETURN(auto num, Labelled("C2", call.attributes.OptionalInt("num")));
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", x.rank(), "C2"));
  int64_t size = x.shape.dim(axis) == kUnknownDim ? num.value_or(kUnknownDim) : x.shape.dim(axis);
  if (size < 0 || size > kMaxParts || (num && *num != size)) {
    return InvalidArgument("C2 dimension ", axis, " of `", inputs[0].spec, "`; takes one of ",
                           num ? Cat("size ", *num) : Cat("known size, at most ", kMaxParts));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue its_size, SizeAt(expander, x, axis));
  SIGNET_ASSIGN_OR_RETURN(GraphValue fits,
                          expander.Call1("equal", {its_size, Int64Constant(expander, size)}));
  SIGNET_RETURN_IF_ERROR(CheckThat(expander, fits, call.op.name,
                                   Cat("C2 dimension ", axis, " is not of size ", size)));
  std::vector<bool> dropped(static_cast<size_t>(x.rank()), false);
  dropped[static_cast<size_t>(axis)] = true;
  std::vector<Range> ranges;
  for (int64_t i = 0; i < size; ++i) {
    ranges.push_back({Int64Constant(expander, i), Int64Constant(expander, 1), 1});
  }
  SIGNET_ASSIGN_OR_RETURN(auto parts, PartsAlong(expander, std::move(x), axis, ranges));
  std::vector<GraphValue> out;
  for (const SparseParts& part : parts) {
    SIGNET_ASSIGN_OR_RETURN(SparseParts element, WithoutDims(expander, part, dropped));
    out.push_back(MakeSparseValue(expander, element));
  }
  return out;
}

Outputs ExpandSparseSplit(Expander& expander, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, TheInput(expander, call, inputs));
  if (x.rank() == 0) {
    return InvalidArgument("C1 input 0 is `", inputs[0].spec, "`; takes a rank of at least 1");
  }
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", x.rank(), "C2"));
  SIGNET_ASSIGN_OR_RETURN(auto asked, WantedPartsOf(call));
  const auto& [count, sizes, total] = asked;
  SIGNET_ASSIGN_OR_RETURN(GraphValue size, SizeAt(expander, x, axis));
  GraphValue wanted = Int64Constant(expander, count);
  GraphValue fits;
  std::string message;
  if (!sizes) {
    // C4: there are at most as many parts as elements.
    message = Cat("C4 ", count, " parts of a dimension of fewer elements");
    SIGNET_ASSIGN_OR_RETURN(fits, expander.Call1("less_equal", {wanted, size}));
  } else {
    // C4: the parts make up the dimension.
    message = Cat("C4 parts of ", total, " in all; the dimension is of another size");
    SIGNET_ASSIGN_OR_RETURN(fits, expander.Call1("equal", {Int64Constant(expander, total), size}));
  }
  SIGNET_RETURN_IF_ERROR(CheckThat(expander, fits, call.op.name, message));
  // Of `num` parts the first take the remainder.
  GraphValue least, rest;
  SIGNET_ASSIGN_OR_RETURN(least, expander.Call1("floordiv", {size, wanted}));
  SIGNET_ASSIGN_OR_RETURN(rest, expander.Call1("mod", {size, wanted}));
  int64_t known = x.shape.dim(axis);
  GraphValue start = Int64Constant(expander, 0);
  std::vector<Range> ranges;
  for (int64_t i = 0; i < count; ++i) {
    GraphValue length;
    int64_t known_length = kUnknownDim;
    if (sizes) {
      known_length = (*sizes)[static_cast<size_t>(i)];
      length = Int64Constant(expander, known_length);
    } else {
      if (known != kUnknownDim) known_length = known / count + (i < known % count ? 1 : 0);
      SIGNET_ASSIGN_OR_RETURN(GraphValue more,
                              expander.Call1("less", {Int64Constant(expander, i), rest}));
      SIGNET_ASSIGN_OR_RETURN(
          more, expander.Call1("cast", {more}, Attributes({{"dtype", AttributeOf("int64")}})));
      SIGNET_ASSIGN_OR_RETURN(length, expander.Call1("add", {least, more}));
    }
    ranges.push_back({start, length, known_length});
    SIGNET_ASSIGN_OR_RETURN(start, expander.Call1("add", {start, length}));
  }
  SIGNET_ASSIGN_OR_RETURN(auto parts, PartsAlong(expander, std::move(x), axis, ranges));
  std::vector<GraphValue> out;
  for (const SparseParts& part : parts) out.push_back(MakeSparseValue(expander, part));
  return out;
}

Outputs ExpandSparseSlice(Expander& expander, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, TheInput(expander, call, inputs));
  // Inputs are as good as attributes where they are known.
  Attributes attributes = call.attributes;
  constexpr std::string_view kNames[] = {"", "starts", "limits"};
  for (size_t i = 1; i < inputs.size() && i < std::size(kNames); ++i) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue list, TensorFor(expander, inputs[i], DType::kInt64));
    if (!list.spec) continue;
    bool ints = list.spec.is(TypeKind::kTensor) &&
                IsIndexDType(list.spec.As<TensorSpec>()->dtype()) && IsNone(attributes, kNames[i]);
    const Tensor* known = ints ? expander.LookupConstant(list.components[0]) : nullptr;
    if (known == nullptr) {
      return Unimplemented("`slice` of `", inputs[0].spec, "` by `", list.spec,
                           "`; takes starts and limits that are known beforehand");
    }
    attributes = attributes.With(kNames[i], AttributeOf(std::span<const int64_t>(IntsOf(*known))));
  }
  SIGNET_ASSIGN_OR_RETURN(auto steps, Labelled("C2", OptionalInts(attributes, "steps")));
  for (int64_t step : steps.value_or(std::vector<int64_t>())) {
    if (step == 1) continue;
    return Unimplemented("`slice` of `", inputs[0].spec, "` by steps of ", step, "; takes 1");
  }
  SIGNET_ASSIGN_OR_RETURN(auto window,
                          expander.Call("sparse_window", std::span(&x.dense_shape, 1), attributes));
  PartialShape shape = PartialShape::OfRank(x.rank());
  return One(expander, Cut(expander, std::move(x), window[0], window[1], std::move(shape)));
}

Outputs ExpandSparseReshape(Expander& expander, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, TheInput(expander, call, inputs));
  // C1: the shape is an attribute or a vector of integers, one of them.
  SIGNET_ASSIGN_OR_RETURN(auto given, Labelled("C1", OptionalInts(call.attributes, "shape")));
  GraphValue wanted;
  if (inputs.size() > 1) {
    SIGNET_ASSIGN_OR_RETURN(wanted, TensorFor(expander, inputs[1], DType::kInt64));
  }
  if (given.has_value() == static_cast<bool>(wanted.spec)) {
    return InvalidArgument("C1 ", given ? "both an attribute and an input" : "no",
                           " shape; takes one");
  }
  if (given) wanted = Int64Vector(expander, *given);
  const auto* sizes = wanted.spec.As<TensorSpec>();
  bool fits = sizes != nullptr && IsIndexDType(sizes->dtype()) && sizes->shape().has_rank() &&
              sizes->shape().rank() == 1 && sizes->shape().dim(0) != kUnknownDim;
  if (!fits) {
    return InvalidArgument("C1 input 1 is `", wanted.spec,
                           "`; takes a vector of int32 or int64 of known length");
  }
  if (sizes->dtype() != DType::kInt64) {
    SIGNET_ASSIGN_OR_RETURN(
        wanted, expander.Call1("cast", {wanted}, Attributes({{"dtype", AttributeOf("int64")}})));
  }
  PartialShape shape = PartialShape::OfRank(static_cast<int>(sizes->shape().dim(0)));
  if (const Tensor* known = expander.LookupConstant(wanted.components[0])) {
    shape = KnownSizes(*known);
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue dense_shape,
                          expander.Call1("complete_shape", {x.dense_shape, wanted}));
  return One(expander, Reshaped(expander, x, dense_shape, std::move(shape)));
}

Outputs ExpandSparseExpandDims(Expander& expander, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, TheInput(expander, call, inputs));
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", x.rank() + 1, "C2"));
  return One(expander, WithDim(expander, x, axis));
}

Outputs ExpandSparseSqueeze(Expander& expander, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, TheInput(expander, call, inputs));
  SIGNET_ASSIGN_OR_RETURN(auto axes, Labelled("C2", OptionalInts(call.attributes, "axes")));
  std::vector<bool> dropped(static_cast<size_t>(x.rank()), false);
  if (!axes && !x.shape.IsFullyDefined()) {
    return InvalidArgument("C2 no axes, of `", inputs[0].spec,
                           "`; takes them where sizes are not known");
  }
  for (int axis = 0; !axes && axis < x.rank(); ++axis) {
    dropped[static_cast<size_t>(axis)] = x.shape.dim(axis) == 1;
  }
  for (int64_t given : axes.value_or(std::vector<int64_t>())) {
    // C2: each of `axes` is a dimension of size 1.
    SIGNET_ASSIGN_OR_RETURN(int axis, Labelled("C2", NormalizeAxis(given, x.rank())));
    SIGNET_ASSIGN_OR_RETURN(GraphValue size, SizeAt(expander, x, axis));
    SIGNET_ASSIGN_OR_RETURN(GraphValue is_one,
                            expander.Call1("equal", {size, Int64Constant(expander, 1)}));
    SIGNET_RETURN_IF_ERROR(
        CheckThat(expander, is_one, call.op.name, Cat("C2 dimension ", axis, " is not of size 1")));
    dropped[static_cast<size_t>(axis)] = true;
  }
  return One(expander, WithoutDims(expander, x, dropped));
}

Outputs ExpandSparseTranspose(Expander& expander, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, TheInput(expander, call, inputs));
  SIGNET_ASSIGN_OR_RETURN(auto perm, Labelled("C2", OptionalInts(call.attributes, "perm")));
  auto rank = static_cast<size_t>(x.rank());
  // C2: `perm` names each dimension once.
  if (perm && perm->size() != rank) {
    return InvalidArgument("C2 ", perm->size(), " axes for `", inputs[0].spec, "`; takes ", rank);
  }
  std::vector<int64_t> order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  std::vector<bool> seen(rank, false);
  PartialShape shape = PartialShape::OfRank(x.rank());
  for (size_t i = 0; i < rank; ++i) {
    SIGNET_ASSIGN_OR_RETURN(int axis,
                            Labelled("C2", NormalizeAxis(perm ? (*perm)[i] : order[i], x.rank())));
    if (seen[static_cast<size_t>(axis)]) {
      return InvalidArgument("C2 axis ", axis, " appears twice; takes each once");
    }
    seen[static_cast<size_t>(axis)] = true;
    order[i] = axis;
    shape = shape.WithDim(static_cast<int>(i), x.shape.dim(axis));
  }
  GraphValue axes = Int64Vector(expander, order);
  SIGNET_ASSIGN_OR_RETURN(x.indices, expander.Call1("gather", {x.indices, axes},
                                                    Attributes({{"axis", AttributeOf(1)}})));
  SIGNET_ASSIGN_OR_RETURN(x.dense_shape, expander.Call1("gather", {x.dense_shape, axes}));
  x.shape = std::move(shape);
  return One(expander, InOrder(expander, std::move(x)));
}

}  // namespace signet
