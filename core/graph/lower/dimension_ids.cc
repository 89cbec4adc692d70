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

// How the dimensions of the outputs of an op follow from the dimensions of its inputs.
enum class Rule : uint8_t {
  kSame,        // every output has the dimensions of input 0
  kSameEdge,    // the same, and output 0 is row splits if input 0 is
  kSameSplits,  // row splits that both inputs are
  kBroadcast,   // the inputs broadcast
  kStack,       // the inputs are of one shape; a new dimension at `axis`
  kConcat,      // only varying dimensions are known
  kVaries,      // outputs have another size than input 0 in dimension 0, and vary if it does
  kLinear,      // the dimensions of input 0, except for the last one
  kReduce,      // without `axes`, or with `keepdims` of size 1 there
  kDropAxis,    // without `axis`, or with `keepdims` of size 1 there
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
  kSubRowsOfFirst,   // some values of each row: (splits) -> splits
  kSubRowsOfSecond,  // the same: (values, splits) -> values, splits
};

const absl::flat_hash_map<std::string_view, Rule>& Rules() {
  static const auto* rules = new absl::flat_hash_map<std::string_view, Rule>{
      {"argmax", Rule::kDropAxis},
      {"argmin", Rule::kDropAxis},
      {"betainc", Rule::kBroadcast},
      {"bitcast", Rule::kSame},
      {"bucketize", Rule::kSame},
      {"cast", Rule::kSameEdge},
      {"check_num_values", Rule::kSameEdge},
      {"check_row_splits", Rule::kSameEdge},
      {"check_same_splits", Rule::kSameSplits},
      {"clip", Rule::kSame},
      {"cumsum", Rule::kSame},
      {"cumprod", Rule::kSame},
      {"cumulative_logsumexp", Rule::kSame},
      {"concat", Rule::kConcat},
      {"cut_row_splits", Rule::kCutSplits},
      {"cut_rows", Rule::kCutRows},
      {"expand_dims", Rule::kAddAxis},
      {"flatten", Rule::kFlatten},
      {"fused_elementwise", Rule::kBroadcast},
      {"gather", Rule::kGather},
      {"gather_row_splits", Rule::kGatherSplits},
      {"identity", Rule::kSameEdge},
      {"layer_norm", Rule::kSame},
      {"linear", Rule::kLinear},
      {"log_softmax", Rule::kSame},
      {"lookup", Rule::kSame},
      {"lookup_value", Rule::kLookUpRows},
      {"mask_row_splits", Rule::kSubRowsOfFirst},
      {"matmul", Rule::kMatmul},
      {"normalize_rows", Rule::kSame},
      {"number_to_string", Rule::kSame},
      {"one_hot", Rule::kAddAxis},
      {"ones_like", Rule::kSame},
      {"pad", Rule::kVaries},
      {"random_shuffle", Rule::kSame},
      {"repeat_rows", Rule::kRepeatRows},
      {"reverse", Rule::kSame},
      {"rms_norm", Rule::kSame},
      {"round_to", Rule::kSame},
      {"row_lengths", Rule::kRowsOf},
      {"segment_all", Rule::kSegments},
      {"segment_any", Rule::kSegments},
      {"segment_ids", Rule::kValuesOf},
      {"segment_log_softmax", Rule::kSame},
      {"segment_max", Rule::kSegments},
      {"segment_mean", Rule::kSegments},
      {"segment_min", Rule::kSegments},
      {"segment_prod", Rule::kSegments},
      {"segment_softmax", Rule::kSame},
      {"segment_sum", Rule::kSegments},
      {"segment_top_k", Rule::kSubRowsOfSecond},
      {"select", Rule::kBroadcast},
      {"slice", Rule::kSlice},
      {"slice_row_values", Rule::kSubRowsOfSecond},
      {"slice_rows", Rule::kSubRowsOfFirst},
      {"softmax", Rule::kSame},
      {"sort", Rule::kSame},
      {"squeeze", Rule::kSqueeze},
      {"stack", Rule::kStack},
      {"string_concat", Rule::kBroadcast},
      {"string_to_number", Rule::kSame},
      {"tile", Rule::kVaries},
      {"top_k", Rule::kVaries},
      {"transpose", Rule::kTranspose},
      {"unique", Rule::kVaries},
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
      case Rule::kLinear: {
        DimensionIdList dims = Dims(0);
        if (!dims.empty()) dims.back() = kUnidentified;
        return SetDims(node_.outputs[0], std::move(dims));
      }
      case Rule::kReduce:
        return Reduce("axes");
      case Rule::kDropAxis:
        return Reduce("axis");
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
    return own != kUnidentified ? own : registry_.Picked(source, node_.inputs[i], kNoEdge);
  }
  // Returns the elements that inputs `i` and `i` + 1, a start and a count, select from `source`.
  DimensionId PickedRows(DimensionId source, size_t i) {
    return registry_.Picked(source, node_.inputs[i], node_.inputs[i + 1]);
  }
  EdgeDimensions SubRows(const EdgeDimensions& splits) {
    return {{}, splits.rows, registry_.SomeOf(splits.values, splits.rows)};
  }

  DimensionIdList Broadcast() const {
    size_t rank = 0;
    for (size_t i = 0; i < node_.inputs.size(); ++i) rank = std::max(rank, Dims(i).size());
    DimensionIdList out;
    for (size_t dim = 0; dim < rank; ++dim) {
      DimensionId found = kUnidentified;
      bool several = false;
      for (size_t i = 0; i < node_.inputs.size(); ++i) {
        DimensionIdList own = Dims(i);
        if (own.size() + dim < rank) continue;
        DimensionId id = own[own.size() + dim - rank];
        if (id == kUnidentified || id == found) continue;
        if (registry_.IsUnnamed(id) && found != kUnidentified) continue;
        if (registry_.IsUnnamed(found)) found = kUnidentified;
        several |= found != kUnidentified && !registry_.Varies(found) && !registry_.Varies(id);
        if (!registry_.Varies(found)) found = id;
      }
      out.push_back(several ? kUnidentified : found);
    }
    return out;
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
    for (DimensionId& id : dims) id = registry_.ChangedFrom(id);
    SetDims(node_.outputs[0], std::move(dims));
  }

  void SetVarying(int output) {
    const PartialShape& shape = ShapeOf(output);
    if (!shape.has_rank() || shape.rank() == 0) return;
    DimensionIdList dims = Unidentified(shape.rank());
    dims[0] = registry_.ChangedFrom(FirstOf(0));
    SetDims(output, std::move(dims));
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
      if (!reduced || *keepdims) out.push_back(reduced ? kUnidentified : dims[i]);
    }
    SetDims(node_.outputs[0], std::move(out));
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
    dims.insert(dims.begin() + *axis, kUnidentified);
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
      DimensionId x = at(a);
      DimensionId y = at(b);
      out.push_back(x == kUnidentified || x == y ? y : y == kUnidentified ? x : kUnidentified);
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

DimensionId DimensionRegistry::Picked(DimensionId source, int first, int second) {
  if (source == kUnidentified || IsName(source) || IsUnnamed(source)) return kUnidentified;
  auto [found, is_new] = picked_.try_emplace({source, first, second}, kUnidentified);
  if (is_new) {
    const bool varies = Varies(source);
    found->second = Add(At(source).kind, At(source).path, kUnidentified, kUnidentified);
    dimensions_.back().varies = varies;
    dimensions_.back().is_derived = true;
  }
  return found->second;
}

DimensionId DimensionRegistry::AddVarying() {
  DimensionId id = Add(Kind::kElements, "", kUnidentified, kUnidentified);
  dimensions_.back().varies = true;
  dimensions_.back().is_derived = true;
  return id;
}

DimensionId DimensionRegistry::ChangedFrom(DimensionId source) {
  return Varies(source) ? AddVarying() : kUnidentified;
}

DimensionId DimensionRegistry::EitherOf(DimensionId a, DimensionId b) const {
  if (a == b) return a;
  return Varies(a) && Varies(b) ? a : kUnidentified;
}

DimensionId DimensionRegistry::Divided(DimensionId source, DimensionId rows) {
  if (source == kUnidentified || rows == kUnidentified) return kUnidentified;
  DimensionId id = Add(At(source).kind, At(source).path, rows, rows);
  dimensions_.back().is_derived = true;
  return id;
}

DimensionId DimensionRegistry::SomeOf(DimensionId source, DimensionId rows) {
  if (source == kUnidentified || rows == kUnidentified) return kUnidentified;
  DimensionId id = Add(Kind::kElements, At(source).path, rows, rows);
  dimensions_.back().is_derived = true;
  return id;
}

bool DimensionRegistry::IsWithin(DimensionId inner, DimensionId outer) const {
  for (DimensionId id = At(inner).parent; id != kUnidentified; id = At(id).parent) {
    if (id == outer) return true;
  }
  return false;
}

bool DimensionRegistry::Conflict(DimensionId a, DimensionId b) const {
  if (a == b || a == kUnidentified || b == kUnidentified) return false;
  if (IsUnnamed(a) || IsUnnamed(b)) return false;
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
  if (dimensions.is_known()) edges_[edge] = std::move(dimensions);
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
  dims.resize(static_cast<size_t>(shape.rank()), kUnidentified);
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
  EdgeDimensions& known = edges_[tensor.components[0]];
  known.dims.resize(static_cast<size_t>(shape.rank()), kUnidentified);
  known.dims[0] = registry_->AddVarying();
}

bool DimensionIds::Varies(const GraphValue& tensor) const {
  const DimensionIdList& dims = Of(tensor.components[0]).dims;
  return !dims.empty() && registry_->Varies(dims[0]);
}

DimensionId DimensionIds::RowsOf(const GraphValue& value) const {
  if (value.spec.is(TypeKind::kStructured)) {
    const PartialShape& shape = *value.spec.shape();
    if (!shape.has_rank() || shape.rank() == 0) return kUnidentified;
    StructureParts parts = StructurePartsOf(value);
    if (!parts.splits.empty()) return Of(parts.splits[0].components[0]).rows;
    for (const FieldPart& field : parts.fields) {
      DimensionId rows = RowsOf(field.value);
      if (rows != kUnidentified) return rows;
    }
    return kUnidentified;
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
