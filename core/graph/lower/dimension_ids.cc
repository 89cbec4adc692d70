#include "core/graph/lower/dimension_ids.h"

#include <algorithm>
#include <optional>

#include <absl/container/flat_hash_map.h>

#include "core/ops/build/parts.h"
#include "core/ops/def/axis_set.h"
#include "core/ops/def/gather_axes.h"
#include "core/ops/def/inference.h"
#include "core/types/child_path.h"

namespace signet {
namespace {

using Kind = DimensionRegistry::Kind;

constexpr size_t kMaxMembers = 8;  // of a joint dimension

// How the dimensions of the outputs of an op follow from the dimensions of its inputs.
enum class Rule : uint8_t {
  kSame,          // every output has the dimensions of input 0
  kSameEdge,      // the same, and output 0 is row splits if input 0 is
  kSameSplits,    // row splits that both inputs are
  kBroadcast,     // the inputs broadcast
  kStack,         // the inputs are of one shape; a new dimension at `axis`
  kConcat,        // the inputs are of one shape, except for the size of `axis`
  kVaries,        // outputs have another size than input 0 in dimension 0, and vary if it does
  kResize,        // the dimensions of input 0, with other sizes
  kResizeAxis,    // the dimensions of input 0, with another size of `axis`
  kFirst,         // dimension 0 of input 0
  kSameSecond,    // the output has the dimensions of input 1
  kLinearSecond,  // the dimensions of input 1, except for the last one
  kBroadcastTo,
  kGatherElements,  // the dimensions of the indices, and those of input 0 where they are unknown
  kLinear,          // the dimensions of input 0, except for the last one
  kReduce,          // without `axes`, or with `keepdims` of size 1 there
  kDropAxis,        // without `axis`, or with `keepdims` of size 1 there
  kUnstack,         // every output is without `axis`
  kGather,
  kLookUpRows,  // the dimensions of input 0, then those of a row of input 2
  kAddAxis,     // the dimensions of input 0, and a new one at `axis`
  kSqueeze,
  kTranspose,
  kFlatten,
  kSlice,
  kCutRows,
  kMatmul,
  // On row splits.
  kSegments,         // one result per row: (values, splits)
  kRepeatRows,       // one element per value: (rows, splits)
  kRowsOf,           // a vector with one element per row: (splits)
  kValuesOf,         // a vector with one element per value: (splits)
  kGatherSplits,     // (splits, positions) -> splits, positions of their values
  kCutSplits,        // (splits, start, count) -> splits
  kDivide,           // splits, with one row per element of the first input that is known
  kPadRows,          // (values, splits) -> a dense row per row
  kGroups,           // (values, groups) -> values of groups
  kSubRowsOfFirst,   // some values of each row, or other ones: (splits) -> splits
  kSubRowsOfSecond,  // the same: (values, splits) -> values, splits
  kSegmentSort,      // (values, splits) -> values, positions, splits
};

const absl::flat_hash_map<std::string_view, Rule>& Rules() {
  static const auto* rules = new absl::flat_hash_map<std::string_view, Rule>{
      {"argmax", Rule::kDropAxis},
      {"argmin", Rule::kDropAxis},
      {"average_pool", Rule::kFirst},
      {"betainc", Rule::kBroadcast},
      {"bitcast", Rule::kSame},
      {"broadcast_to", Rule::kBroadcastTo},
      {"bucketize", Rule::kSame},
      {"cast", Rule::kSameEdge},
      {"check_num_values", Rule::kSameEdge},
      {"check_row_splits", Rule::kSameEdge},
      {"check_same_splits", Rule::kSameSplits},
      {"clip", Rule::kSame},
      {"concat", Rule::kConcat},
      {"conv", Rule::kFirst},
      {"conv_transpose", Rule::kFirst},
      {"couple_pairs", Rule::kFirst},
      {"cross_rows", Rule::kSubRowsOfFirst},
      {"cumprod", Rule::kSame},
      {"cumsum", Rule::kSame},
      {"cumulative_logsumexp", Rule::kSame},
      {"cut_row_splits", Rule::kCutSplits},
      {"cut_rows", Rule::kCutRows},
      {"dequantize", Rule::kSame},
      {"expand_dims", Rule::kAddAxis},
      {"flatten", Rule::kFlatten},
      {"fused_elementwise", Rule::kBroadcast},
      {"gather", Rule::kGather},
      {"gather_elements", Rule::kGatherElements},
      {"gather_row_splits", Rule::kGatherSplits},
      {"group_all", Rule::kGroups},
      {"group_any", Rule::kGroups},
      {"group_max", Rule::kGroups},
      {"group_mean", Rule::kGroups},
      {"group_min", Rule::kGroups},
      {"group_prod", Rule::kGroups},
      {"group_sum", Rule::kGroups},
      {"identity", Rule::kSameEdge},
      {"interleave_rows", Rule::kSubRowsOfFirst},
      {"join_row_text", Rule::kSegments},
      {"layer_norm", Rule::kSame},
      {"linear", Rule::kLinear},
      {"local_response_norm", Rule::kSame},
      {"log_softmax", Rule::kSame},
      {"lookup", Rule::kSame},
      {"lookup_value", Rule::kLookUpRows},
      {"lp_pool", Rule::kFirst},
      {"mask_row_splits", Rule::kSubRowsOfFirst},
      {"matmul", Rule::kMatmul},
      {"max_pool", Rule::kFirst},
      {"ngram_weights", Rule::kFirst},
      {"normalize_rows", Rule::kSame},
      {"number_to_string", Rule::kSame},
      {"one_hot", Rule::kAddAxis},
      {"ones_like", Rule::kSame},
      {"pad", Rule::kResize},
      {"pad_rows", Rule::kPadRows},
      {"pick", Rule::kBroadcast},
      {"quantize", Rule::kSame},
      {"random_categorical", Rule::kLinearSecond},
      {"random_gamma", Rule::kSameSecond},
      {"random_poisson", Rule::kSameSecond},
      {"random_shuffle", Rule::kSame},
      {"regex_full_match_computed", Rule::kSame},
      {"regex_replace_computed", Rule::kSame},
      {"repeat_rows", Rule::kRepeatRows},
      {"requantize", Rule::kSame},
      {"reverse", Rule::kSame},
      {"rms_norm", Rule::kSame},
      {"round_to", Rule::kSame},
      {"row_lengths", Rule::kRowsOf},
      {"row_ranges", Rule::kDivide},
      {"row_splits_from_lengths", Rule::kDivide},
      {"scatter_elements", Rule::kSame},
      {"scatter_nd", Rule::kSame},
      {"segment_all", Rule::kSegments},
      {"segment_any", Rule::kSegments},
      {"segment_argmax", Rule::kSegments},
      {"segment_argmin", Rule::kSegments},
      {"segment_cumsum", Rule::kSame},
      {"segment_ids", Rule::kValuesOf},
      {"segment_log_softmax", Rule::kSame},
      {"segment_max", Rule::kSegments},
      {"segment_mean", Rule::kSegments},
      {"segment_min", Rule::kSegments},
      {"segment_prod", Rule::kSegments},
      {"segment_softmax", Rule::kSame},
      {"segment_sort", Rule::kSegmentSort},
      {"segment_sum", Rule::kSegments},
      {"segment_top_k", Rule::kSubRowsOfSecond},
      {"select", Rule::kBroadcast},
      {"serialize_tensor_rows", Rule::kSegments},
      {"slice", Rule::kSlice},
      {"slice_row_values", Rule::kSubRowsOfSecond},
      {"slice_rows", Rule::kSubRowsOfFirst},
      {"softmax", Rule::kSame},
      {"sort", Rule::kSame},
      {"split", Rule::kResizeAxis},
      {"split_text", Rule::kDivide},
      {"squeeze", Rule::kSqueeze},
      {"stack", Rule::kStack},
      {"string_bytes", Rule::kFirst},
      {"string_concat", Rule::kBroadcast},
      {"string_to_number", Rule::kSame},
      {"substr", Rule::kBroadcast},
      {"tile", Rule::kResize},
      {"tile_rows", Rule::kSubRowsOfFirst},
      {"top_k", Rule::kResizeAxis},
      {"transpose", Rule::kTranspose},
      {"tree_ensemble", Rule::kFirst},
      {"unique", Rule::kVaries},
      {"unstack", Rule::kUnstack},
      {"vote_pairs", Rule::kFirst},
      {"where_indices", Rule::kVaries},
      {"where_rows", Rule::kVaries},
      {"zeros_like", Rule::kSame},
  };
  return *rules;
}

std::optional<Rule> RuleOf(const OpDef& op) {
  auto found = Rules().find(op.name);
  if (found != Rules().end()) return found->second;
  switch (op.family) {
    case OpFamily::kUnaryElementwise:
      return Rule::kSame;
    case OpFamily::kBinaryElementwise:
      return Rule::kBroadcast;
    case OpFamily::kReduction:
      return Rule::kReduce;
    case OpFamily::kNone:
      return std::nullopt;
  }
  __builtin_unreachable();
}

DimensionIdList Unidentified(int rank) {
  return DimensionIdList(static_cast<size_t>(rank), kUnidentified);
}

void Append(const DimensionIdList& from, size_t first, size_t last, DimensionIdList& to) {
  for (size_t i = first; i < last; ++i) to.push_back(from[i]);
}

// Derives the dimensions of the outputs of one node.
class Deriver {
 public:
  Deriver(DimensionIds& ids, const FlatNode& node, const std::vector<FlatEdge>& edges)
      : ids_(ids), registry_(*ids.registry()), node_(node), edges_(edges) {}

  void Run(Rule rule) {
    switch (rule) {
      case Rule::kSame:
        for (int output : node_.outputs) SetDims(output, Dims(0));
        return;
      case Rule::kSameEdge:
        return ids_.Set(node_.outputs[0], In(0));
      case Rule::kSameSplits:
        return ids_.Set(node_.outputs[0], In(0).is_known() ? In(0) : In(1));
      case Rule::kBroadcast:
        return SetDims(node_.outputs[0], Broadcast());
      case Rule::kStack:
        return Stack();
      case Rule::kConcat:
        return Concat();
      case Rule::kVaries:
        for (int output : node_.outputs) SetVarying(output);
        return;
      case Rule::kResize:
        return Resize(Dims(0));
      case Rule::kResizeAxis:
        return ResizeAxis();
      case Rule::kFirst:
        for (int output : node_.outputs) SetFirst(output, FirstOf(0));
        return;
      case Rule::kBroadcastTo:
        return BroadcastTo();
      case Rule::kGatherElements:
        return GatherElements();
      case Rule::kSameSecond:
        return SetDims(node_.outputs[0], Dims(1));
      case Rule::kLinear:
      case Rule::kLinearSecond: {
        DimensionIdList dims = Dims(rule == Rule::kLinear ? 0 : 1);
        if (!dims.empty()) dims.back() = kUnidentified;
        return SetDims(node_.outputs[0], std::move(dims));
      }
      case Rule::kReduce:
        return Reduce("axes");
      case Rule::kDropAxis:
        return Reduce("axis");
      case Rule::kUnstack:
        return Unstack();
      case Rule::kGather:
        return Gather();
      case Rule::kLookUpRows:
        return LookUpRows();
      case Rule::kAddAxis:
        return AddAxis();
      case Rule::kSqueeze:
        return Squeeze();
      case Rule::kTranspose:
        return Transpose();
      case Rule::kFlatten:
        return Flatten();
      case Rule::kSlice:
        return Slice();
      case Rule::kCutRows:
        return SetRows(PickedRows(FirstOf(0), 1), 0);
      case Rule::kMatmul:
        return Matmul();
      case Rule::kSegments:
        return SetRows(In(1).rows, 0);
      case Rule::kRepeatRows:
        return SetRows(In(1).values, 0);
      case Rule::kRowsOf:
        return SetDims(node_.outputs[0], {In(0).rows});
      case Rule::kValuesOf:
        return SetDims(node_.outputs[0], {In(0).values});
      case Rule::kGatherSplits: {
        DimensionId rows = PickedBy(1, In(0).rows);
        DimensionId values = registry_.Divided(In(0).values, rows);
        ids_.Set(node_.outputs[0], {{}, rows, values});
        return SetDims(node_.outputs[1], {values});
      }
      case Rule::kCutSplits: {
        DimensionId rows = PickedRows(In(0).rows, 1);
        return ids_.Set(node_.outputs[0], {{}, rows, registry_.Divided(In(0).values, rows)});
      }
      case Rule::kDivide:
        return Divide();
      case Rule::kPadRows:
        return PadRows();
      case Rule::kGroups:
        return SetRows(kUnidentified, 0);
      case Rule::kSegmentSort: {
        EdgeDimensions some = SubRows(In(1));
        for (int i : {0, 1}) SetFirst(node_.outputs[static_cast<size_t>(i)], some.values, Dims(0));
        return ids_.Set(node_.outputs[2], std::move(some));
      }
      case Rule::kSubRowsOfFirst:
        return ids_.Set(node_.outputs[0], SubRows(In(0)));
      case Rule::kSubRowsOfSecond:
        return ids_.Set(node_.outputs[1], SubRows(In(1)));
    }
  }

 private:
  const EdgeDimensions& In(size_t i) const {
    static const EdgeDimensions kNone;
    bool given = i < node_.inputs.size() && node_.inputs[i] != kNoEdge;
    return given ? ids_.Of(node_.inputs[i]) : kNone;
  }
  bool IsGiven(size_t i) const { return i < node_.inputs.size() && node_.inputs[i] != kNoEdge; }
  const PartialShape& ShapeOf(int edge) const {
    return *edges_[static_cast<size_t>(edge)].spec.shape();
  }
  // Returns the rank, or -1 if it is unknown.
  int RankOf(size_t i) const {
    const PartialShape& shape = ShapeOf(node_.inputs[i]);
    return shape.has_rank() ? shape.rank() : -1;
  }
  // Returns one entry per dimension of input `i`; empty for an unknown rank or rank 0.
  DimensionIdList Dims(size_t i) const {
    if (!IsGiven(i)) return {};
    const DimensionIdList& dims = In(i).dims;
    return dims.empty() ? Unidentified(std::max(RankOf(i), 0)) : dims;
  }
  DimensionId FirstOf(size_t i) const { return In(i).dims.empty() ? kUnidentified : In(i).dims[0]; }
  void SetDims(int edge, DimensionIdList dims) {
    const PartialShape& shape = ShapeOf(edge);
    if (!shape.has_rank() || static_cast<size_t>(shape.rank()) != dims.size()) return;
    ids_.Set(edge, {std::move(dims)});
  }

  // Sets the dimensions of output 0: `rows`, then the dimensions of a row of input `i`.
  void SetRows(DimensionId rows, size_t i) {
    DimensionIdList dims = Dims(i);
    if (dims.empty()) return;
    dims[0] = rows;
    SetDims(node_.outputs[0], std::move(dims));
  }
  // Returns the elements that the positions in input `i` select from `source`.
  DimensionId PickedBy(size_t i, DimensionId source) {
    DimensionId own = FirstOf(i);
    return own != kUnidentified ? own : registry_.Picked(source, node_.inputs[i]);
  }
  // Returns the elements that inputs `i` and `i` + 1, a start and a count, select from `source`.
  DimensionId PickedRows(DimensionId source, size_t i) {
    return registry_.PickedRange(source, node_.inputs[i], node_.inputs[i + 1]);
  }
  EdgeDimensions SubRows(const EdgeDimensions& splits) {
    return {{}, splits.rows, registry_.SomeOf(splits.values, splits.rows)};
  }

  DimensionIdList Broadcast() {
    size_t rank = 0;
    for (size_t i = 0; i < node_.inputs.size(); ++i) rank = std::max(rank, Dims(i).size());
    DimensionIdList out;
    for (size_t dim = 0; dim < rank; ++dim) {
      DimensionId found = kUnidentified;
      bool repeats = false;  // a dimension of size 1, which is repeated for an unidentified one
      for (size_t i = 0; i < node_.inputs.size(); ++i) {
        DimensionIdList own = Dims(i);
        if (own.size() + dim < rank) continue;
        DimensionId id = own[own.size() + dim - rank];
        repeats |= id == kUnidentified;
        found = Aligned(found, id);
      }
      out.push_back(repeats && registry_.IsAdded(found) ? kUnidentified : found);
    }
    return out;
  }
  // Returns the identity of two dimensions that the op aligns.
  DimensionId Aligned(DimensionId a, DimensionId b) {
    if (registry_.IsUnnamed(a) && b != kUnidentified && !registry_.IsAdded(b)) return b;
    if (registry_.IsUnnamed(b) && a != kUnidentified && !registry_.IsAdded(a)) return a;
    if (registry_.Varies(a)) return a;
    return registry_.Varies(b) ? b : registry_.JointOf(a, b);
  }

  void Stack() {
    DimensionIdList dims = Broadcast();
    auto named = node_.attributes.Int("axis");
    if (!named.ok() || RankOf(0) < 0) return;
    auto axis = NormalizeAxis(*named, static_cast<int>(dims.size()) + 1);
    if (!axis.ok()) return;
    dims.insert(dims.begin() + *axis, kUnidentified);
    SetDims(node_.outputs[0], std::move(dims));
  }

  void Concat() {
    DimensionIdList dims = Broadcast();
    auto named = node_.attributes.Int("axis");
    if (!named.ok()) return;
    auto axis = NormalizeAxis(*named, static_cast<int>(dims.size()));
    if (!axis.ok()) return;
    DimensionId& joined = dims[static_cast<size_t>(*axis)];
    joined = registry_.ChangedFrom(joined);
    SetDims(node_.outputs[0], std::move(dims));
  }

  // Sets dimension 0 of an output, followed by the other dimensions of `like`, if given.
  void SetFirst(int output, DimensionId first, DimensionIdList like = {}) {
    const PartialShape& shape = ShapeOf(output);
    if (!shape.has_rank() || shape.rank() == 0) return;
    if (like.empty()) like = Unidentified(shape.rank());
    like[0] = first;
    SetDims(output, std::move(like));
  }
  void SetVarying(int output) { SetFirst(output, registry_.ChangedFrom(FirstOf(0))); }

  void Resize(DimensionIdList dims) {
    for (DimensionId& id : dims) id = registry_.ChangedFrom(id);
    SetDims(node_.outputs[0], std::move(dims));
  }

  void ResizeAxis() {
    DimensionIdList dims = Dims(0);
    auto named = node_.attributes.Int("axis");
    if (!named.ok()) return;
    auto axis = NormalizeAxis(*named, static_cast<int>(dims.size()));
    if (!axis.ok()) return;
    DimensionId& resized = dims[static_cast<size_t>(*axis)];
    resized = registry_.ChangedFrom(resized);
    for (int output : node_.outputs) SetDims(output, dims);
  }

  // Leading dimensions are added, and those of size 1 may be repeated.
  void BroadcastTo() {
    const PartialShape& shape = ShapeOf(node_.outputs[0]);
    DimensionIdList dims = Dims(0);
    if (!shape.has_rank() || static_cast<size_t>(shape.rank()) < dims.size()) return;
    DimensionIdList out = Unidentified(shape.rank() - static_cast<int>(dims.size()));
    for (DimensionId id : dims) out.push_back(registry_.IsAdded(id) ? kUnidentified : id);
    SetDims(node_.outputs[0], std::move(out));
  }

  void GatherElements() {
    DimensionIdList x = Dims(0);
    DimensionIdList out = Dims(1);
    auto named = node_.attributes.Int("axis");
    if (!named.ok() || x.size() != out.size()) return;
    auto axis = NormalizeAxis(*named, static_cast<int>(x.size()));
    if (!axis.ok()) return;
    for (size_t i = 0; i < x.size(); ++i) {
      if (out[i] == kUnidentified && i != static_cast<size_t>(*axis)) out[i] = x[i];
    }
    SetDims(node_.outputs[0], std::move(out));
  }

  // One row per start, limit, or length.
  void Divide() {
    for (size_t i = 0; i < node_.inputs.size(); ++i) {
      if (FirstOf(i) != kUnidentified) {
        return ids_.Set(node_.outputs[0], {{}, FirstOf(i), kUnidentified});
      }
    }
  }

  void PadRows() {
    DimensionIdList values = Dims(0);
    DimensionIdList out = {In(1).rows, kUnidentified};
    if (!values.empty()) Append(values, 1, values.size(), out);
    SetDims(node_.outputs[0], std::move(out));
  }

  void Reduce(std::string_view attribute) {
    DimensionIdList dims = Dims(0);
    auto named = OptionalInts(node_.attributes, attribute);
    auto empty_is_all = node_.attributes.Bool("empty_is_all");
    auto keepdims = node_.attributes.Bool("keepdims");
    if (IsGiven(1) || !named.ok() || !keepdims.ok()) return;
    if (*named && (*named)->empty() && empty_is_all.value_or(false)) named->reset();
    auto axes = AxesOf(*named, static_cast<int>(dims.size()));
    if (!axes.ok()) return;
    DimensionIdList out;
    for (size_t i = 0; i < dims.size(); ++i) {
      bool reduced = HasAxis(*axes, static_cast<int>(i));
      if (!reduced || *keepdims) out.push_back(reduced ? registry_.Added() : dims[i]);
    }
    SetDims(node_.outputs[0], std::move(out));
  }

  void Unstack() {
    DimensionIdList dims = Dims(0);
    auto named = node_.attributes.Int("axis");
    if (!named.ok()) return;
    auto axis = NormalizeAxis(*named, static_cast<int>(dims.size()));
    if (!axis.ok()) return;
    dims.erase(dims.begin() + *axis);
    for (int output : node_.outputs) SetDims(output, dims);
  }

  void Gather() {
    // Row splits of row splits have the rows of the outer ones and the values of the inner ones.
    if (In(0).values != kUnidentified && In(1).rows != kUnidentified) {
      return ids_.Set(node_.outputs[0], {{}, In(1).rows, In(0).values});
    }
    auto request = ReadGather(node_.attributes);
    if (!request.ok() || RankOf(0) < 1 || RankOf(1) < 0) return;
    auto found = request->For(RankOf(0), RankOf(1));
    if (!found.ok()) return;
    DimensionIdList x = Dims(0);
    DimensionIdList picked = Dims(1);
    auto axis = static_cast<size_t>(found->axis);
    auto batch = static_cast<size_t>(found->batch_dims);
    if (picked.size() == 1 && batch == 0) picked[0] = PickedBy(1, x[axis]);
    DimensionIdList out;
    Append(x, 0, axis, out);
    for (size_t i = 0; i < batch; ++i) out[i] = Aligned(out[i], picked[i]);
    Append(picked, batch, picked.size(), out);
    Append(x, axis + 1, x.size(), out);
    SetDims(node_.outputs[0], std::move(out));
  }

  void LookUpRows() {
    DimensionIdList out = Dims(0);
    DimensionIdList row = Dims(2);
    if (!row.empty()) Append(row, 1, row.size(), out);
    SetDims(node_.outputs[0], std::move(out));
  }

  void AddAxis() {
    DimensionIdList dims = Dims(0);
    auto named = node_.attributes.Int("axis");
    if (!named.ok() || RankOf(0) < 0) return;
    auto axis = NormalizeAxis(*named, static_cast<int>(dims.size()) + 1);
    if (!axis.ok()) return;
    // The new dimension of one_hot has a size of its own.
    const bool is_one = node_.op->name == "expand_dims";
    dims.insert(dims.begin() + *axis, is_one ? registry_.Added() : kUnidentified);
    SetDims(node_.outputs[0], std::move(dims));
  }

  void Squeeze() {
    DimensionIdList dims = Dims(0);
    auto named = OptionalInts(node_.attributes, "axes");
    if (!named.ok() || !*named) return;
    auto axes = AxesOf(*named, static_cast<int>(dims.size()));
    if (!axes.ok()) return;
    DimensionIdList out;
    for (size_t i = 0; i < dims.size(); ++i) {
      if (!HasAxis(*axes, static_cast<int>(i))) out.push_back(dims[i]);
    }
    SetDims(node_.outputs[0], std::move(out));
  }

  void Transpose() {
    DimensionIdList dims = Dims(0);
    auto perm = OptionalInts(node_.attributes, "perm");
    if (!perm.ok()) return;
    DimensionIdList out(dims.rbegin(), dims.rend());
    if (*perm) {
      out.clear();
      for (int64_t named : **perm) {
        auto axis = NormalizeAxis(named, static_cast<int>(dims.size()));
        if (!axis.ok()) return;
        out.push_back(dims[static_cast<size_t>(*axis)]);
      }
    }
    SetDims(node_.outputs[0], std::move(out));
  }

  void Flatten() {
    DimensionIdList dims = Dims(0);
    auto first = node_.attributes.Int("first");
    auto last = node_.attributes.Int("last");
    if (!first.ok() || !last.ok() || dims.empty()) return;
    auto from = NormalizeAxis(*first, static_cast<int>(dims.size()));
    auto to = NormalizeAxis(*last, static_cast<int>(dims.size()));
    if (!from.ok() || !to.ok() || *from >= *to) return;
    DimensionIdList out;
    Append(dims, 0, static_cast<size_t>(*from), out);
    out.push_back(kUnidentified);
    Append(dims, static_cast<size_t>(*to) + 1, dims.size(), out);
    SetDims(node_.outputs[0], std::move(out));
  }

  // Dimensions that are not in `axes` keep their identities.
  void Slice() {
    DimensionIdList dims = Dims(0);
    auto named = OptionalInts(node_.attributes, "axes");
    auto starts = OptionalInts(node_.attributes, "starts");
    if (IsGiven(3) || !named.ok() || !starts.ok()) return;
    if (!*named) {  // the first ones, one per start
      const PartialShape* given = IsGiven(1) ? &ShapeOf(node_.inputs[1]) : nullptr;
      int64_t count = given != nullptr && given->has_rank() && given->rank() == 1 ? given->dim(0)
                      : *starts ? static_cast<int64_t>((*starts)->size())
                                : kUnknownDim;
      if (count == kUnknownDim || count > static_cast<int64_t>(dims.size())) return;
      for (auto dim = dims.begin(); dim != dims.begin() + count; ++dim) {
        *dim = registry_.ChangedFrom(*dim);
      }
      return SetDims(node_.outputs[0], std::move(dims));
    }
    for (int64_t axis : **named) {
      auto at = NormalizeAxis(axis, static_cast<int>(dims.size()));
      if (!at.ok()) return;
      DimensionId& dim = dims[static_cast<size_t>(*at)];
      dim = registry_.ChangedFrom(dim);
    }
    SetDims(node_.outputs[0], std::move(dims));
  }

  void Matmul() {
    DimensionIdList a = Dims(0);
    DimensionIdList b = Dims(1);
    auto transpose_a = node_.attributes.Bool("transpose_a");
    auto transpose_b = node_.attributes.Bool("transpose_b");
    if (a.empty() || b.empty() || !transpose_a.ok() || !transpose_b.ok()) return;
    size_t batch = std::max({a.size(), b.size(), size_t{2}}) - 2;
    DimensionIdList out;
    for (size_t dim = 0; dim < batch; ++dim) {
      auto at = [&](const DimensionIdList& dims) {
        size_t own = std::max(dims.size(), size_t{2}) - 2;
        return own + dim < batch ? kUnidentified : dims[own + dim - batch];
      };
      out.push_back(Aligned(at(a), at(b)));
    }
    if (a.size() > 1) out.push_back(a[a.size() - (*transpose_a ? 1 : 2)]);
    if (b.size() > 1) out.push_back(b[b.size() - (*transpose_b ? 2 : 1)]);
    SetDims(node_.outputs[0], std::move(out));
  }

  DimensionIds& ids_;
  DimensionRegistry& registry_;
  const FlatNode& node_;
  const std::vector<FlatEdge>& edges_;
};

// Returns true if the signature declares a size of 1.
bool IsDeclaredOne(const TypeSpec& declared, int dim) {
  const PartialShape* shape = declared ? declared.shape() : nullptr;
  return shape != nullptr && shape->has_rank() && dim < shape->rank() && shape->dim(dim) == 1;
}

// Returns the last dimension that is identified.
DimensionId InnermostOf(const DimensionIdList& levels) {
  for (size_t i = levels.size(); i-- > 0;) {
    if (levels[i] != kUnidentified) return levels[i];
  }
  return kUnidentified;
}

}  // namespace

bool EdgeDimensions::is_known() const {
  return rows != kUnidentified || values != kUnidentified ||
         std::any_of(dims.begin(), dims.end(), [](DimensionId id) { return id != kUnidentified; });
}

DimensionId DimensionRegistry::AddName(std::string name) {
  dimensions_.push_back({Kind::kName, std::move(name), kUnidentified, kUnidentified});
  return static_cast<DimensionId>(dimensions_.size()) - 1;
}

DimensionId DimensionRegistry::AddUnnamed(std::string_view path, int dim) {
  dimensions_.push_back(
      {Kind::kUnnamed, Cat("dimension ", dim, " of `", path, "`"), kUnidentified, kUnidentified});
  return static_cast<DimensionId>(dimensions_.size()) - 1;
}

DimensionId DimensionRegistry::Add(Kind kind, std::string path, DimensionId parent,
                                   DimensionId root) {
  auto id = static_cast<DimensionId>(dimensions_.size());
  dimensions_.push_back(
      {kind, std::move(path), parent, root == kUnidentified ? id : At(root).root});
  return id;
}

DimensionId DimensionRegistry::InEachOf(DimensionId rows) {
  auto [found, is_new] = in_each_.try_emplace(rows, kUnidentified);
  if (is_new) {
    found->second = Add(Kind::kVector, "", rows, rows);
    dimensions_.back().is_derived = true;
  }
  return found->second;
}

DimensionId DimensionRegistry::ElementsIn(DimensionId rows) {
  DimensionId id = Add(Kind::kElements, At(rows).path, rows, rows);
  dimensions_.back().is_derived = true;
  return id;
}

DimensionId DimensionRegistry::Added() {
  if (added_ == kUnidentified) added_ = Add(Kind::kAdded, "", kUnidentified, kUnidentified);
  return added_;
}

// A dimension that was selected from `source`. Elements of vectors stay in their rows.
DimensionId DimensionRegistry::AddSelection(DimensionId source, bool stays_in_rows) {
  const Dimension from = At(source);
  DimensionIdList origins = OriginsOf(source);
  stays_in_rows |= from.kind == Kind::kVector;
  DimensionId id =
      Add(from.kind, from.path, stays_in_rows ? from.parent : kUnidentified, kUnidentified);
  dimensions_.back().varies = from.varies;
  dimensions_.back().is_derived = true;
  dimensions_.back().origins = std::move(origins);
  return id;
}

bool DimensionRegistry::HasNoSelections(DimensionId id) const {
  return id == kUnidentified || IsName(id) || IsUnnamed(id) || IsAdded(id);
}

DimensionId DimensionRegistry::Picked(DimensionId source, int positions) {
  if (HasNoSelections(source)) return kUnidentified;
  auto [found, is_new] = picked_.try_emplace({source, positions, kNoEdge}, kUnidentified);
  if (is_new) found->second = AddSelection(source, /*stays_in_rows=*/false);
  return found->second;
}

DimensionId DimensionRegistry::PickedRange(DimensionId source, int start, int count) {
  if (HasNoSelections(source)) return kUnidentified;
  auto [found, is_new] = picked_.try_emplace({source, start, count}, kUnidentified);
  if (is_new) found->second = AddSelection(source, /*stays_in_rows=*/true);
  return found->second;
}

DimensionId DimensionRegistry::AddVarying() {
  DimensionId id = Add(Kind::kElements, "", kUnidentified, kUnidentified);
  dimensions_.back().varies = true;
  dimensions_.back().is_derived = true;
  return id;
}

DimensionId DimensionRegistry::ChangedFrom(DimensionId source) {
  if (Varies(source)) return AddVarying();
  if (HasNoSelections(source)) return kUnidentified;
  return AddSelection(source, /*stays_in_rows=*/false);
}

DimensionId DimensionRegistry::JointOf(DimensionId a, DimensionId b) {
  if (a == b || b == kUnidentified || IsAdded(b)) return a == kUnidentified ? b : a;
  if (a == kUnidentified || IsAdded(a) || AreAlike(a, b)) return b;
  auto [found, is_new] = joint_.try_emplace({a, b}, kUnidentified);
  if (!is_new) return found->second;
  DimensionIdList members = MembersOf(a);
  for (DimensionId member : MembersOf(b)) {
    bool is_known = std::any_of(members.begin(), members.end(), [&](DimensionId known) {
      return known == member || AreAlike(known, member);
    });
    if (!is_known && members.size() < kMaxMembers) members.push_back(member);
  }
  if (members == MembersOf(a)) return found->second = a;
  // Names are last, because what is selected from a name has no identity.
  std::stable_partition(members.begin(), members.end(),
                        [&](DimensionId id) { return !IsName(id) && !IsUnnamed(id); });
  DimensionIdList origins;
  for (DimensionId member : members) {
    for (DimensionId origin : OriginsOf(member)) origins.push_back(origin);
  }
  const Dimension first = At(members[0]);
  DimensionId id = Add(first.kind, first.path, first.parent, first.root);
  dimensions_.back().is_derived = true;
  dimensions_.back().origins = std::move(origins);
  dimensions_.back().members = std::move(members);
  return joint_[{a, b}] = id;
}

DimensionId DimensionRegistry::EitherOf(DimensionId a, DimensionId b) const {
  if (a == b || AreAlike(a, b)) return a;
  return Varies(a) && Varies(b) ? a : kUnidentified;
}

DimensionId DimensionRegistry::Divided(DimensionId source, DimensionId rows) {
  if (source == kUnidentified || rows == kUnidentified) return kUnidentified;
  const Dimension from = At(source);
  DimensionIdList origins = OriginsOf(source);
  DimensionId id = Add(from.kind, from.path, rows, rows);
  dimensions_.back().is_derived = true;
  dimensions_.back().origins = std::move(origins);
  return id;
}

DimensionId DimensionRegistry::SomeOf(DimensionId source, DimensionId rows) {
  if (source == kUnidentified || rows == kUnidentified) return kUnidentified;
  DimensionId id = Divided(source, rows);
  dimensions_.back().kind = Kind::kElements;
  return id;
}

bool DimensionRegistry::IsRows(DimensionId id) const {
  for (DimensionId member : MembersOf(id)) {
    if (At(member).kind == Kind::kRows || At(member).kind == Kind::kElements) return true;
  }
  return false;
}

DimensionIdList DimensionRegistry::MembersOf(DimensionId id) const {
  if (id == kUnidentified) return {};
  return At(id).members.empty() ? DimensionIdList{id} : At(id).members;
}

DimensionIdList DimensionRegistry::OriginsOf(DimensionId id) const {
  return At(id).origins.empty() ? DimensionIdList{id} : At(id).origins;
}

bool DimensionRegistry::HaveOneOrigin(DimensionId a, DimensionId b) const {
  if (a == b) return true;
  DimensionIdList others = OriginsOf(b);
  DimensionIdList own = OriginsOf(a);
  return std::any_of(own.begin(), own.end(), [&](DimensionId origin) {
    return std::find(others.begin(), others.end(), origin) != others.end();
  });
}

bool DimensionRegistry::AreAlike(DimensionId a, DimensionId b) const {
  if (!IsVector(a) || !IsVector(b)) return false;
  return At(a).members.empty() && At(b).members.empty() && At(a).parent == At(b).parent;
}

bool DimensionRegistry::IsWithin(DimensionId inner, DimensionId outer) const {
  for (DimensionId member : MembersOf(inner)) {
    for (DimensionId id = At(member).parent; id != kUnidentified; id = At(id).parent) {
      if (HaveOneOrigin(id, outer)) return true;
    }
  }
  return false;
}

bool DimensionRegistry::Conflict(DimensionId a, DimensionId b) const {
  if (a == b) return false;
  for (DimensionId x : MembersOf(a)) {
    for (DimensionId y : MembersOf(b)) {
      if (MembersConflict(x, y)) return true;
    }
  }
  return false;
}

bool DimensionRegistry::MembersConflict(DimensionId a, DimensionId b) const {
  if (a == b || IsUnnamed(a) || IsUnnamed(b) || IsAdded(a) || IsAdded(b)) return false;
  if (IsName(a) || IsName(b)) return IsName(a) && IsName(b);
  bool both_rows = At(a).kind == Kind::kRows && At(b).kind == Kind::kRows;
  return (both_rows && At(a).root == At(b).root) || IsWithin(a, b) || IsWithin(b, a);
}

DimensionId DimensionRegistry::RepresentativeOf(DimensionId id) const {
  for (auto found = united_.find(id); found != united_.end(); found = united_.find(id)) {
    id = found->second;
  }
  return id;
}

void DimensionRegistry::Unite(DimensionId a, DimensionId b) {
  if (a == kUnidentified || b == kUnidentified) return;
  a = RepresentativeOf(a);
  b = RepresentativeOf(b);
  if (a != b) united_[a] = b;
}

bool DimensionRegistry::AreUnited(DimensionId a, DimensionId b) const {
  return a != kUnidentified && b != kUnidentified && RepresentativeOf(a) == RepresentativeOf(b);
}

std::string DimensionRegistry::Describe(DimensionId id) const {
  const Dimension& dimension = At(id);
  if (dimension.kind == Kind::kVector && dimension.path.empty()) {
    return Cat("elements in each of the ", Describe(dimension.parent));
  }
  if (dimension.kind == Kind::kName) return Cat("`", dimension.path, "`");
  if (dimension.kind == Kind::kUnnamed) return dimension.path;
  return Cat(dimension.kind == Kind::kRows ? "rows" : "elements", " of `", dimension.path, "`");
}

DimensionIds::DimensionIds(std::shared_ptr<DimensionRegistry> registry)
    : registry_(registry != nullptr ? std::move(registry) : std::make_shared<DimensionRegistry>()) {
}

const EdgeDimensions& DimensionIds::Of(int edge) const {
  static const EdgeDimensions kNone;
  auto found = edges_.find(edge);
  return found == edges_.end() ? kNone : found->second;
}

void DimensionIds::Set(int edge, EdgeDimensions dimensions) {
  if (!dimensions.is_known()) return;
  IdentifyVectors(dimensions.dims);
  if (dimensions.values == kUnidentified && registry_->IsRows(dimensions.rows)) {
    dimensions.values = registry_->ElementsIn(dimensions.rows);
  }
  edges_[edge] = std::move(dimensions);
}

void DimensionIds::IdentifyVectors(DimensionIdList& dims) {
  DimensionId rows = kUnidentified;
  for (DimensionId& id : dims) {
    if (registry_->IsRows(id)) {
      rows = id;
    } else if (rows != kUnidentified && !registry_->IsAdded(id) &&
               (id == kUnidentified || !registry_->IsWithin(id, rows))) {
      DimensionId other = id;
      id = registry_->JointOf(registry_->InEachOf(rows), other);
      if (registry_->IsUnnamed(other)) registry_->Unite(id, other);
    }
  }
}

EdgeDimensions DimensionIds::JointOf(const EdgeDimensions& a, const EdgeDimensions& b) {
  EdgeDimensions joint = EitherOf(a, b);
  if (a.dims.size() != b.dims.size()) return joint;
  for (size_t i = 0; i < a.dims.size(); ++i) {
    bool vary = registry_->Varies(a.dims[i]) || registry_->Varies(b.dims[i]);
    if (!vary && joint.dims[i] == kUnidentified) {
      joint.dims[i] = registry_->JointOf(a.dims[i], b.dims[i]);
    }
  }
  return joint;
}

EdgeDimensions DimensionIds::EitherOf(const EdgeDimensions& a, const EdgeDimensions& b) const {
  if (a == b) return a;
  EdgeDimensions either;
  if (a.dims.size() != b.dims.size()) return either;
  for (size_t i = 0; i < a.dims.size(); ++i) {
    either.dims.push_back(registry_->EitherOf(a.dims[i], b.dims[i]));
  }
  return either;
}

void DimensionIds::IdentifyArgument(const GraphValue& argument, const TypeSpec& declared,
                                    std::string path, const std::vector<std::string>& names) {
  const TypeSpec& spec = argument.spec;
  bool has_rank = spec.shape() != nullptr && spec.shape()->has_rank();
  if (spec.is(TypeKind::kTensor)) {
    if (!has_rank || names.size() != static_cast<size_t>(spec.shape()->rank())) return;
    DimensionIdList dims;
    for (const std::string& name : names) {
      auto [found, is_new] = names_.try_emplace(name, kUnidentified);
      if (is_new && !name.empty()) found->second = registry_->AddName(name);
      dims.push_back(found->second);
    }
    return Set(argument.components[0], {std::move(dims)});
  }
  if (spec.is(TypeKind::kStructured)) {
    if (has_rank) IdentifyStructure(argument, declared, path, {}, kUnidentified);
    return;
  }
  if (const auto* ragged = spec.As<RaggedSpec>()) {
    if (!has_rank || ragged->ragged_rank() == 0) return;
    DimensionId rows = IsDeclaredOne(declared, 0)
                           ? kUnidentified
                           : registry_->Add(Kind::kRows, path, kUnidentified, kUnidentified);
    return IdentifyColumn(argument, declared, path, {rows}, rows);
  }
  if (spec.is(TypeKind::kSparse)) return;
  std::span<const TypeSpec> parts = declared ? declared.children() : std::span<const TypeSpec>();
  for (size_t i = 0; i < spec.children().size(); ++i) {
    bool alike =
        declared && declared.kind() == spec.kind() && parts.size() == spec.children().size();
    IdentifyArgument(ChildOf(argument, i), alike ? parts[i] : TypeSpec(), ChildPath(path, spec, i),
                     {});
  }
}

void DimensionIds::IdentifyUnnamed(const GraphValue& argument, std::string_view path) {
  const PartialShape* shape = argument.spec.shape();
  if (!argument.spec.is(TypeKind::kTensor) || !shape->has_rank() || shape->rank() == 0) return;
  EdgeDimensions known = Of(argument.components[0]);
  known.dims.resize(static_cast<size_t>(shape->rank()), kUnidentified);
  for (int dim = 0; dim < shape->rank(); ++dim) {
    DimensionId& id = known.dims[static_cast<size_t>(dim)];
    bool is_open = shape->dim(dim) == kUnknownDim;
    if (id == kUnidentified && is_open) id = registry_->AddUnnamed(path, dim);
  }
  Set(argument.components[0], std::move(known));
}

void DimensionIds::IdentifyStructure(const GraphValue& structure, const TypeSpec& declared,
                                     const std::string& path, DimensionIdList levels,
                                     DimensionId root) {
  const auto* fields = declared ? declared.As<StructuredSpec>() : nullptr;
  StructureParts parts = StructurePartsOf(structure);
  const auto rank = static_cast<size_t>(parts.shape.rank());
  // A single record has no rows, but the structures in it belong to one argument.
  if (rank == 0 && root == kUnidentified) {
    root = registry_->Add(Kind::kRows, path, kUnidentified, kUnidentified);
  }
  for (size_t dim = levels.size(); dim < rank; ++dim) {
    DimensionId id = kUnidentified;
    if (!IsDeclaredOne(declared, static_cast<int>(dim))) {
      id = registry_->Add(Kind::kRows, path, InnermostOf(levels), root);
      if (root == kUnidentified) root = id;
    }
    levels.push_back(id);
  }
  for (size_t i = 0; i < parts.splits.size(); ++i) {
    Set(parts.splits[i].components[0], {{}, levels[i], levels[i + 1]});
  }
  for (const FieldPart& field : parts.fields) {
    const std::string name = path.empty() ? field.name : Cat(path, ".", field.name);
    TypeSpec column = fields == nullptr ? TypeSpec() : fields->LookupField(field.name);
    if (field.value.spec.is(TypeKind::kStructured)) {
      IdentifyStructure(field.value, column, name, levels, root);
    } else {
      IdentifyColumn(field.value, column, name, levels, root);
    }
  }
}

void DimensionIds::IdentifyColumn(const GraphValue& column, const TypeSpec& declared,
                                  const std::string& path, const DimensionIdList& levels,
                                  DimensionId root) {
  const PartialShape& shape = *column.spec.shape();
  if (!shape.has_rank()) return;
  const auto* ragged = column.spec.As<RaggedSpec>();
  const size_t partitions = ragged == nullptr ? 0 : static_cast<size_t>(ragged->ragged_rank());
  DimensionIdList dims = levels;
  for (size_t dim = dims.size(); dim <= partitions; ++dim) {
    bool is_one = IsDeclaredOne(declared, static_cast<int>(dim));
    dims.push_back(is_one ? kUnidentified
                          : registry_->Add(Kind::kElements, path, InnermostOf(dims), root));
  }
  // A single record has no rows that its vectors could be confused with.
  const DimensionId rows = InnermostOf(dims);
  while (dims.size() < static_cast<size_t>(shape.rank())) {
    bool in_rows = rows != kUnidentified;
    dims.push_back(in_rows ? registry_->Add(Kind::kVector, path, rows, root) : kUnidentified);
  }
  for (size_t i = 0; i < partitions; ++i) {
    Set(column.components[i + 1], {{}, dims[i], dims[i + 1]});
  }
  dims.erase(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(partitions));
  Set(column.components[0], {std::move(dims)});
}

void DimensionIds::Derive(const FlatNode& node, const std::vector<FlatEdge>& edges) {
  if (edges_.empty()) return;
  bool is_known = std::any_of(node.inputs.begin(), node.inputs.end(),
                              [&](int edge) { return edges_.contains(edge); });
  if (!is_known) return;
  if (auto rule = RuleOf(*node.op)) Deriver(*this, node, edges).Run(*rule);
}

void DimensionIds::SetVarying(const GraphValue& tensor) {
  const PartialShape& shape = *tensor.spec.shape();
  if (!shape.has_rank() || shape.rank() == 0) return;
  EdgeDimensions known = Of(tensor.components[0]);
  known.dims.resize(static_cast<size_t>(shape.rank()), kUnidentified);
  known.dims[0] = registry_->AddVarying();
  Set(tensor.components[0], std::move(known));
}

bool DimensionIds::Varies(const GraphValue& tensor) const {
  const DimensionIdList& dims = Of(tensor.components[0]).dims;
  return !dims.empty() && registry_->Varies(dims[0]);
}

DimensionId DimensionIds::RowsOf(const GraphValue& value) const {
  if (value.spec.is(TypeKind::kStructured)) {
    const PartialShape& shape = *value.spec.shape();
    if (!shape.has_rank() || shape.rank() == 0) return kUnidentified;
    return OfValue(value)[0];
  }
  DimensionIdList dims = OfValue(value);
  return dims.empty() ? kUnidentified : dims[0];
}

void DimensionIds::SetRows(const GraphValue& value, DimensionId rows) {
  const PartialShape* shape = value.spec.shape();
  if (rows == kUnidentified || shape == nullptr || !shape->has_rank() || shape->rank() == 0) return;
  auto set_splits = [&](int edge) {
    EdgeDimensions known = Of(edge);
    known.rows = rows;
    Set(edge, std::move(known));
  };
  if (value.spec.is(TypeKind::kStructured)) {
    StructureParts parts = StructurePartsOf(value);
    if (!parts.splits.empty()) return set_splits(parts.splits[0].components[0]);
    for (const FieldPart& field : parts.fields) SetRows(field.value, rows);
    return;
  }
  const auto* ragged = value.spec.As<RaggedSpec>();
  if (ragged != nullptr && ragged->ragged_rank() > 0) return set_splits(value.components[1]);
  if (ragged == nullptr && !value.spec.is(TypeKind::kTensor)) return;
  EdgeDimensions known = Of(value.components[0]);
  known.dims.resize(static_cast<size_t>(shape->rank()), kUnidentified);
  known.dims[0] = rows;
  Set(value.components[0], std::move(known));
}

DimensionIdList DimensionIds::OfValue(const GraphValue& value) const {
  if (value.spec && value.spec.is(TypeKind::kStructured) && value.spec.shape()->has_rank()) {
    DimensionIdList dims;
    const StructureParts parts = StructurePartsOf(value);
    for (const GraphValue& splits : parts.splits) {
      const EdgeDimensions& known = Of(splits.components[0]);
      if (dims.empty()) dims.push_back(known.rows);
      dims.push_back(known.values);
    }
    dims.resize(static_cast<size_t>(value.spec.shape()->rank()), kUnidentified);
    // The fields have the dimensions of the structure.
    for (const FieldPart& field : parts.fields) {
      if (std::find(dims.begin(), dims.end(), kUnidentified) == dims.end()) break;
      const DimensionIdList own = OfValue(field.value);
      for (size_t i = 0; i < std::min(dims.size(), own.size()); ++i) {
        if (dims[i] == kUnidentified) dims[i] = own[i];
      }
    }
    return dims;
  }
  bool has_dims =
      value.spec && (value.spec.is(TypeKind::kTensor) || value.spec.is(TypeKind::kRagged));
  if (!has_dims || !value.spec.shape()->has_rank()) return {};
  DimensionIdList dims;
  for (size_t i = 1; i < value.components.size(); ++i) {
    const EdgeDimensions& splits = Of(value.components[i]);
    if (i == 1) dims.push_back(splits.rows);
    dims.push_back(splits.values);
  }
  const DimensionIdList& own = Of(value.components[0]).dims;
  for (size_t i = dims.empty() ? 0 : 1; i < own.size(); ++i) dims.push_back(own[i]);
  dims.resize(static_cast<size_t>(value.spec.shape()->rank()), kUnidentified);
  return dims;
}

}  // namespace signet
