// Operators that cut ranges from tensors, or add elements around them.

#include <algorithm>

#include "core/frontends/savedmodel/lower/tf_op.h"

namespace signet {
namespace {

TfOutputs ExpandSlice(OpBuilder& build, const OpCall&, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  const auto begin = KnownInts(build, in, 1);
  const auto size = KnownInts(build, in, 2);
  auto number = [&](const std::optional<std::vector<int64_t>>& known, size_t input,
                    int axis) -> Expr {
    if (known) return build.AsExpr(Int64Constant(build, known->at(static_cast<size_t>(axis))));
    return build.Gather(AsInt64(build, in[input]), Int64Constant(build, axis), {.axis = 0});
  };
  for (const auto* known : {&begin, &size}) {
    if (*known && (*known)->size() != static_cast<size_t>(rank)) {
      return InvalidArgument("expected one number per dimension of `", in[0].spec, "`");
    }
  }
  std::vector<Operand> starts;
  std::vector<Operand> limits;
  std::vector<int64_t> known_starts;
  std::vector<int64_t> known_limits;
  for (int axis = 0; axis < rank; ++axis) {
    Expr start = number(begin, 1, axis);
    Expr count = number(size, 2, axis);
    Expr whole = DimSize(build, in[0], axis);
    Expr limit = build.Select(build.Equal(count, -1), whole, build.Add(start, count));
    Expr fits = build.LogicalAnd(
        build.LogicalAnd(build.GreaterEqual(start, 0), build.LessEqual(limit, whole)),
        build.GreaterEqual(limit, start));
    SIGNET_RETURN_IF_ERROR(CheckCondition(
        build, fits, InvalidArgument("expected a slice within dimension ", axis, " of the input")));
    if (auto known = KnownInt(build, start)) known_starts.push_back(*known);
    if (auto known = KnownInt(build, limit)) known_limits.push_back(*known);
    starts.push_back(start);
    limits.push_back(limit);
  }
  if (rank == 0) return build.Identity(in[0]);
  const auto count = static_cast<size_t>(rank);
  if (known_starts.size() == count && known_limits.size() == count) {
    return build.Slice(in[0], {.starts = known_starts, .limits = known_limits});
  }
  return build.Slice(in[0], StackScalars(build, starts), StackScalars(build, limits));
}

TfOutputs ExpandPad(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  const bool mirrors = call.op.name == "tf.MirrorPad";
  auto known = KnownInts(build, in, 1);
  if (!known) {
    if (mirrors) return Unimplemented("`paddings`: expected a constant");
    Expr pads = AsInt64(build, in[1]);
    auto column = [&](int64_t i) {
      return build.Gather(pads, Int64Constant(build, i), {.axis = 1});
    };
    Operand value = in.size() > 2 ? Operand(in[2]) : Operand(Zero(build, DTypeAt(in, 0)));
    return build.Pad(in[0], value, column(0), column(1));
  }
  if (known->size() != 2 * static_cast<size_t>(rank)) {
    return InvalidArgument("`paddings`: expected ", rank, " pairs, found ", known->size() / 2);
  }
  std::vector<int64_t> before;
  std::vector<int64_t> after;
  for (size_t i = 0; i < known->size(); i += 2) {
    before.push_back((*known)[i]);
    after.push_back((*known)[i + 1]);
    if (before.back() < 0 || after.back() < 0) {
      return InvalidArgument("`paddings`: expected numbers of at least 0");
    }
  }
  if (!mirrors) {
    if (in.size() > 2) return build.Pad(in[0], in[2], {}, {}, {.before = before, .after = after});
    return build.Pad(in[0], {.before = before, .after = after});
  }
  SIGNET_ASSIGN_OR_RETURN(std::string mode, call.attributes.String("mode"));
  if (mode == "REFLECT") {
    return build.Pad(in[0], {.before = before, .after = after, .mode = "reflect"});
  }
  if (mode != "SYMMETRIC") {
    return InvalidArgument("`mode`: expected REFLECT or SYMMETRIC, found `", mode, "`");
  }
  // Repeats the edge, too: the first rows and the last rows are reversed and joined.
  Operand x = in[0];
  for (int axis = 0; axis < rank; ++axis) {
    const auto at = static_cast<size_t>(axis);
    if (before[at] == 0 && after[at] == 0) continue;
    const int64_t size = KnownSize(x, axis);
    if (size != kUnknownDim && std::max(before[at], after[at]) > size) {
      return InvalidArgument("`paddings`: expected at most ", size, " for dimension ", axis);
    }
    std::vector<Operand> parts;
    const int64_t axes[] = {axis};
    if (before[at] > 0) {
      Expr first = build.Slice(x, {.starts = {0}, .limits = {before[at]}, .axes = axes});
      parts.push_back(build.Reverse(first, {.axes = axes}));
    }
    parts.push_back(x);
    if (after[at] > 0) {
      Expr last = build.Slice(x, {.starts = {-after[at]}, .limits = {INT64_MAX}, .axes = axes});
      parts.push_back(build.Reverse(last, {.axes = axes}));
    }
    x = build.Concat(Operands(parts), {.axis = axis});
  }
  return x;
}

// XlaDynamicSlice(input, start_indices, size_indices): a slice of the given sizes. A start that is
// out of range is moved to the nearest one at which the slice is within the input.
// XlaDynamicUpdateSlice(input, update, indices): the input with `update` in place of such a slice.
TfOutputs ExpandDynamicSlice(OpBuilder& build, const OpCall& call, TfInputs in) {
  const bool is_update = call.op.name == "tf.XlaDynamicUpdateSlice";
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  Expr whole = DimSizes(build, in[0], 0, rank);
  Expr starts = AsInt64(build, in[is_update ? 2 : 1]);
  Expr sizes = is_update ? DimSizes(build, in[1], 0, rank) : AsInt64(build, in[2]);
  if (is_update) {
    SIGNET_ASSIGN_OR_RETURN(int update_rank, RankAt(in, 1));
    if (update_rank != rank) {
      return InvalidArgument("`update`: expected rank ", rank, ", found rank ", update_rank);
    }
  }
  for (const Expr* numbers : {&starts, &sizes}) {
    if (KnownSize(*numbers, 0) != rank) {
      return InvalidArgument("expected one number per dimension of `", in[0].spec, "`");
    }
  }
  if (rank == 0) return build.Identity(in[is_update ? 1 : 0]);
  SIGNET_RETURN_IF_ERROR(
      CheckCondition(build,
                     build.ReduceAll(build.LogicalAnd(build.GreaterEqual(sizes, 0),
                                                      build.LessEqual(sizes, whole))),
                     InvalidArgument("expected a slice that is not larger than the input")));
  starts = build.Maximum(build.Minimum(starts, build.Sub(whole, sizes)), 0);
  if (!is_update) return build.Slice(in[0], starts, build.Add(starts, sizes));
  // The places of the elements of the update, in the flat input.
  std::vector<Operand> parts;
  for (int axis = 0; axis < rank; ++axis) {
    Expr start = build.Gather(starts, Int64Constant(build, axis), {.axis = 0});
    Expr places = build.Add(build.Range({DimSize(build, in[1], axis)}), start);
    Expr column = WithTrailingOnes(
        build, build.Mul(places, DimProduct(build, in[0], axis + 1, rank)), rank - 1 - axis);
    parts.push_back(parts.empty() ? column : build.Add(parts.back(), column));
  }
  Expr flat = build.Reshape(in[0], {.shape = {-1}});
  Expr places = build.Reshape(parts.back(), {.shape = {-1, 1}});
  Expr out = build.ScatterNd(flat, places, build.Reshape(in[1], {.shape = {-1}}));
  return ReshapeLike(build, out, in[0]);
}

// What a StridedSlice does with one dimension, or a new one.
struct SliceKey {
  enum class Kind : uint8_t { kWhole, kNew, kElement, kRange };
  Kind kind = Kind::kWhole;
  size_t entry = 0;  // of begin, end, and strides
  bool has_begin = false;
  bool has_end = false;
};

StatusOr<std::vector<SliceKey>> SliceKeysOf(const OpCall& call, size_t entries, int rank) {
  auto mask = [&](const char* name) -> StatusOr<uint64_t> {
    SIGNET_ASSIGN_OR_RETURN(int64_t bits, call.attributes.Int(name));
    return static_cast<uint64_t>(bits);
  };
  SIGNET_ASSIGN_OR_RETURN(uint64_t begin, mask("begin_mask"));
  SIGNET_ASSIGN_OR_RETURN(uint64_t end, mask("end_mask"));
  SIGNET_ASSIGN_OR_RETURN(uint64_t ellipsis, mask("ellipsis_mask"));
  SIGNET_ASSIGN_OR_RETURN(uint64_t new_axis, mask("new_axis_mask"));
  SIGNET_ASSIGN_OR_RETURN(uint64_t shrink, mask("shrink_axis_mask"));
  if (entries > 32) return InvalidArgument("expected at most 32 entries, found ", entries);
  auto has = [](uint64_t bits, size_t i) { return ((bits >> i) & 1) != 0; };
  int consumed = 0;
  int ellipses = 0;
  for (size_t i = 0; i < entries; ++i) {
    if (has(ellipsis, i)) {
      ++ellipses;
    } else if (!has(new_axis, i)) {
      ++consumed;
    }
  }
  if (ellipses > 1) return InvalidArgument("expected at most one ellipsis, found ", ellipses);
  if (consumed > rank) {
    return InvalidArgument("expected at most ", rank, " entries for dimensions, found ", consumed);
  }
  std::vector<SliceKey> keys;
  for (size_t i = 0; i < entries; ++i) {
    if (has(ellipsis, i)) {
      for (int k = consumed; k < rank; ++k) keys.push_back({});
    } else if (has(new_axis, i)) {
      keys.push_back({.kind = SliceKey::Kind::kNew});
    } else if (has(shrink, i)) {
      keys.push_back({.kind = SliceKey::Kind::kElement, .entry = i});
    } else {
      keys.push_back({.kind = SliceKey::Kind::kRange,
                      .entry = i,
                      .has_begin = !has(begin, i),
                      .has_end = !has(end, i)});
    }
  }
  return keys;
}

TfOutputs ExpandStridedSlice(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  SIGNET_ASSIGN_OR_RETURN(auto steps, FindInts(build, call, in, 3));
  SIGNET_ASSIGN_OR_RETURN(auto keys, SliceKeysOf(call, steps.size(), rank));
  const auto begin = KnownInts(build, in, 1);
  const auto end = KnownInts(build, in, 2);
  for (const auto* known : {&begin, &end}) {
    if (*known && (*known)->size() != steps.size()) {
      return InvalidArgument("expected as many bounds as strides");
    }
  }
  for (const SliceKey& key : keys) {
    if (key.kind == SliceKey::Kind::kElement && steps[key.entry] <= 0) {
      return InvalidArgument("expected a positive stride for one element");
    }
    if (key.kind == SliceKey::Kind::kRange && steps[key.entry] == 0) {
      return InvalidArgument("expected a stride other than 0");
    }
  }
  auto number = [&](const std::optional<std::vector<int64_t>>& known, size_t input, size_t entry) {
    if (known) return build.AsExpr(Int64Constant(build, (*known)[entry]));
    return build.Gather(AsInt64(build, in[input]),
                        Int64Constant(build, static_cast<int64_t>(entry)), {.axis = 0});
  };
  // One slice for all ranges, then one element per shrunk dimension.
  std::vector<Operand> starts;
  std::vector<Operand> limits;
  std::vector<int64_t> known_starts;
  std::vector<int64_t> known_limits;
  std::vector<int64_t> axes;
  std::vector<int64_t> strides;
  int axis = 0;
  for (const SliceKey& key : keys) {
    if (key.kind == SliceKey::Kind::kNew) continue;
    if (key.kind == SliceKey::Kind::kRange &&
        (key.has_begin || key.has_end || steps[key.entry] != 1)) {
      const bool is_forward = steps[key.entry] > 0;
      Expr start = key.has_begin ? number(begin, 1, key.entry)
                                 : build.AsExpr(Int64Constant(build, is_forward ? 0 : INT64_MAX));
      Expr limit = key.has_end
                       ? number(end, 2, key.entry)
                       : build.AsExpr(Int64Constant(build, is_forward ? INT64_MAX : INT64_MIN));
      if (auto known = KnownInt(build, start)) known_starts.push_back(*known);
      if (auto known = KnownInt(build, limit)) known_limits.push_back(*known);
      starts.push_back(start);
      limits.push_back(limit);
      axes.push_back(axis);
      strides.push_back(steps[key.entry]);
    }
    ++axis;
  }
  Operand x = in[0];
  if (!axes.empty()) {
    const bool is_known = known_starts.size() == axes.size() && known_limits.size() == axes.size();
    x = is_known
            ? build.Slice(
                  x,
                  {.starts = known_starts, .limits = known_limits, .steps = strides, .axes = axes})
            : build.Slice(x, StackScalars(build, starts), StackScalars(build, limits),
                          Ints(build, axes), Ints(build, strides));
  }
  axis = 0;
  for (const SliceKey& key : keys) {
    switch (key.kind) {
      case SliceKey::Kind::kNew:
        x = build.ExpandDims(x, {.axis = axis++});
        break;
      case SliceKey::Kind::kElement: {
        // An index below 0 counts from the end; one outside is an error.
        Expr size = DimSize(build, x, axis);
        Expr at = number(begin, 1, key.entry);
        Expr from_start = build.Select(build.Less(at, 0), build.Add(at, size), at);
        if (begin) {
          const int64_t known_size = KnownSize(x, axis);
          const int64_t index = (*begin)[key.entry];
          if (known_size != kUnknownDim && (index >= known_size || index < -known_size)) {
            return OutOfRange("index ", index, " of dimension ", axis, " of size ", known_size);
          }
        }
        x = build.Gather(x, from_start, {.axis = axis});
        break;
      }
      default:
        ++axis;
    }
  }
  if (axes.empty() && keys.empty()) return build.Identity(x);
  return x;
}

// Replaces the elements that a StridedSlice selects.
TfOutputs ExpandStridedSliceUpdate(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  // The same slice of the positions of all elements has the positions of the selected ones.
  Expr count = DimProduct(build, in[0], 0, rank);
  SIGNET_ASSIGN_OR_RETURN(GraphValue positions, ReshapeLike(build, build.Range({count}), in[0]));
  const GraphValue slice_inputs[] = {positions, in[1], in[2], in[3]};
  SIGNET_ASSIGN_OR_RETURN(auto sliced, ExpandStridedSlice(build, call, slice_inputs));
  const GraphValue& places = sliced[0];
  const PartialShape& wanted = *places.spec.shape();
  const PartialShape& found = *in[4].spec.shape();
  auto error = [&] {
    return InvalidArgument("`value`: expected the shape `", wanted, "` of the slice, found `",
                           in[4].spec, "`");
  };
  if (!wanted.IsCompatibleWith(found)) return error();
  SIGNET_RETURN_IF_ERROR(RankAt(in, 4).status());
  for (int axis = 0; axis < wanted.rank(); ++axis) {
    if (wanted.dim(axis) != kUnknownDim && found.dim(axis) != kUnknownDim) continue;
    SIGNET_RETURN_IF_ERROR(CheckCondition(
        build, build.Equal(DimSize(build, places, axis), DimSize(build, in[4], axis)), error()));
  }
  Expr flat = build.Reshape(in[0], {.shape = {-1}});
  Expr updates = build.Reshape(in[4], {.shape = {-1}});
  Expr indices = build.Reshape(places, {.shape = {-1, 1}});
  return ReshapeLike(build, build.ScatterNd(flat, indices, updates), in[0]);
}

}  // namespace

std::vector<OpDef> TfSliceOps() {
  std::vector<OpDef> ops;
  auto add = [&](const char* name, const char* summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    ops.push_back(TfOp(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  add("Slice", "Selects a range of each dimension", {"input", "begin", "size"}, {}, ExpandSlice);

  add("XlaDynamicSlice", "Selects a slice at a position that a call computes",
      {"input", "start_indices", "size_indices"}, {}, ExpandDynamicSlice);

  add("XlaDynamicUpdateSlice", "Replaces a slice at a position that a call computes",
      {"input", "update", "indices"}, {}, ExpandDynamicSlice);

  const std::vector<AttributeDef> masks = {{"begin_mask", AttributeOf(0)},
                                           {"end_mask", AttributeOf(0)},
                                           {"ellipsis_mask", AttributeOf(0)},
                                           {"new_axis_mask", AttributeOf(0)},
                                           {"shrink_axis_mask", AttributeOf(0)}};
  add("StridedSlice", "Indexes a value as Python does", {"input", "begin", "end", "strides"}, masks,
      ExpandStridedSlice);

  add("TensorStridedSliceUpdate", "Replaces the elements of a slice",
      {"input", "begin", "end", "strides", "value"}, masks, ExpandStridedSliceUpdate);

  add("Pad", "Adds zeros around a value", {"input", "paddings"}, {}, ExpandPad);

  add("PadV2", "Adds elements around a value", {"input", "paddings", "constant_values"}, {},
      ExpandPad);

  add("MirrorPad", "Mirrors a value at its edges", {"input", "paddings"}, {{"mode"}}, ExpandPad);

  return ops;
}

}  // namespace signet
