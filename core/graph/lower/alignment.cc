#include "core/graph/lower/alignment.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/base/constraint.h"
#include "core/graph/body/graph.h"
#include "core/ops/build/row_splits.h"
#include "core/ops/def/gather_axes.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/op_registry.h"
#include "signet/record_spec.h"

namespace signet {
namespace {

constexpr size_t kAllDims = std::numeric_limits<size_t>::max();

// Returns an integer attribute, or `otherwise` if it is not given.
std::optional<int64_t> OptionalInt(const Attributes& attributes, std::string_view name,
                                   std::optional<int64_t> otherwise) {
  if (!attributes.Lookup(name)) return otherwise;
  auto value = attributes.OptionalInt(name);
  return value.ok() && *value ? *value : otherwise;
}

// Two dimensions that an op pairs.
struct Pair {
  size_t left;  // input
  size_t left_dim;
  size_t right;  // input
  size_t right_dim;
};

class Aligner {
 public:
  Aligner(FlatBuilder& builder, const OpDef& op, std::span<const GraphValue> inputs,
          std::span<const std::string> names)
      : registry_(*builder.dimensions().registry()),
        warnings_(builder.warnings()),
        op_(op),
        inputs_(inputs),
        names_(names) {
    for (const GraphValue& input : inputs) dims_.push_back(builder.dimensions().OfValue(input));
    if (op.name == "repeat_rows") dims_[1] = {RowsIn(builder, inputs[1])};
  }

  size_t RankOf(size_t i) const { return dims_[i].size(); }

  // Checks dimension `left_dim` of input `left` and dimension `right_dim` of input `right`.
  Status CheckPair(const Pair& pair, std::string_view label) const {
    const bool exist = pair.left_dim < RankOf(pair.left) && pair.right < dims_.size() &&
                       pair.right_dim < RankOf(pair.right);
    return exist ? Check(pair, label, /*broadcasts=*/false) : absl::OkStatus();
  }

  // Checks all inputs, which are aligned from the last dimension.
  Status CheckBroadcast(std::string_view label) const {
    for (size_t i = 0; i < dims_.size(); ++i) {
      for (size_t j = i + 1; j < dims_.size(); ++j) {
        SIGNET_RETURN_IF_ERROR(CheckFromLast(i, dims_[i].size(), j, dims_[j].size(), label));
      }
    }
    return absl::OkStatus();
  }

  // Checks the dimensions of all inputs before dimension `end`, except for `skipped`. They are
  // aligned from the first one.
  Status CheckFromFirst(std::string_view label, size_t end = kAllDims,
                        size_t skipped = kAllDims) const {
    for (size_t i = 0; i < dims_.size(); ++i) {
      for (size_t j = i + 1; j < dims_.size(); ++j) {
        size_t shared = std::min({dims_[i].size(), dims_[j].size(), end});
        for (size_t dim = 0; dim < shared; ++dim) {
          if (dim == skipped) continue;
          SIGNET_RETURN_IF_ERROR(Check({i, dim, j, dim}, label, /*broadcasts=*/false));
        }
      }
    }
    return absl::OkStatus();
  }

  // Checks the same dimensions, but accepts rows of two structures: the author says that they
  // correspond, or they may differ. A vector never corresponds to rows.
  Status CheckJoined(std::string_view label, size_t end = kAllDims,
                     size_t skipped = kAllDims) const {
    for (size_t i = 0; i < dims_.size(); ++i) {
      for (size_t j = i + 1; j < dims_.size(); ++j) {
        size_t shared = std::min({dims_[i].size(), dims_[j].size(), end});
        for (size_t dim = 0; dim < shared; ++dim) {
          if (dim == skipped || !IsOneWithinTheOther({i, dim, j, dim})) continue;
          SIGNET_RETURN_IF_ERROR(CheckConflict({i, dim, j, dim}, label, /*broadcasts=*/false));
        }
      }
    }
    return absl::OkStatus();
  }

  Status CheckConcat(const Attributes& attributes) const {
    if (attributes.Bool("ragged").value_or(false)) return absl::OkStatus();
    const size_t rank = dims_[0].size();
    const int64_t named = OptionalInt(attributes, "axis", 0).value_or(0);
    auto axis = NormalizeAxis(named, static_cast<int>(rank));
    if (!axis.ok()) return absl::OkStatus();
    return CheckJoined("C4", rank, static_cast<size_t>(*axis));
  }

  Status CheckStack(const Attributes& attributes) const {
    if (attributes.Bool("ragged").value_or(false)) return absl::OkStatus();
    return CheckJoined("C4");
  }

  // Checks the dimensions of the columns that are dimensions of the structure.
  Status CheckColumns(const Attributes& attributes) const {
    size_t rank = kAllDims;
    for (const DimensionIdList& dims : dims_) rank = std::min(rank, dims.size());
    if (auto given = OptionalInt(attributes, "rank", std::nullopt)) {
      rank = std::min(rank, static_cast<size_t>(std::max<int64_t>(*given, 0)));
    }
    return CheckJoined("C3", rank);
  }

  // The scale of a quantized value has one number per position along an axis.
  Status CheckScale(const Attributes& attributes) const {
    if (RankOf(1) != 1) return absl::OkStatus();
    const int64_t named = OptionalInt(attributes, "axis", 1).value_or(1);
    auto axis = NormalizeAxis(named, static_cast<int>(RankOf(0)));
    if (!axis.ok()) return absl::OkStatus();
    return CheckPair({0, static_cast<size_t>(*axis), 1, 0}, "C2");
  }

  // The dimensions that the indices share with the value.
  Status CheckGather(const Attributes& attributes) const {
    const int64_t shared = OptionalInt(attributes, "batch_dims", 0).value_or(0);
    const auto rank = static_cast<int64_t>(dims_[1].size());
    const int64_t count = shared < 0 ? shared + rank : shared;
    if (count <= 0 || dims_[0].empty() || count > rank) return absl::OkStatus();
    return CheckFromFirst("C5", static_cast<size_t>(count));
  }

  Status CheckMatmul(const Attributes& attributes) const {
    size_t a = dims_[0].size();
    size_t b = dims_[1].size();
    if (a == 0 || b == 0) return absl::OkStatus();
    bool transpose_a = attributes.Bool("transpose_a").value_or(false);
    bool transpose_b = attributes.Bool("transpose_b").value_or(false);
    size_t inner_a = a == 1 || !transpose_a ? a - 1 : a - 2;
    size_t inner_b = b == 1 || transpose_b ? b - 1 : b - 2;
    // The author selected the dimensions that are multiplied, so only a conflict is reported.
    SIGNET_RETURN_IF_ERROR(CheckConflict({0, inner_a, 1, inner_b}, "C5", /*broadcasts=*/false));
    return CheckFromLast(0, std::max(a, size_t{2}) - 2, 1, std::max(b, size_t{2}) - 2, "C6");
  }

 private:
  // Checks the first `left_rank` dimensions of input `i` and the first `right_rank` of input `j`.
  Status CheckFromLast(size_t i, size_t left_rank, size_t j, size_t right_rank,
                       std::string_view label) const {
    for (size_t k = 1; k <= std::min(left_rank, right_rank); ++k) {
      SIGNET_RETURN_IF_ERROR(
          Check({i, left_rank - k, j, right_rank - k}, label, /*broadcasts=*/true));
    }
    return absl::OkStatus();
  }

  // Returns the rows of row splits, or the innermost rows of a value.
  static DimensionId RowsIn(const FlatBuilder& builder, const GraphValue& value) {
    if (!value.spec) return kUnidentified;
    if (value.spec.is(TypeKind::kTensor)) {
      return builder.dimensions().Of(value.components[0]).rows;
    }
    auto splits = SplitsOfRows(value);
    if (!splits.ok()) return kUnidentified;
    return builder.dimensions().Of(splits->back().components[0]).rows;
  }

  bool IsOneWithinTheOther(const Pair& pair) const {
    DimensionId a = dims_[pair.left][pair.left_dim];
    DimensionId b = dims_[pair.right][pair.right_dim];
    if (a == kUnidentified || b == kUnidentified) return false;
    return registry_.IsWithin(a, b) || registry_.IsWithin(b, a);
  }

  Status Check(const Pair& pair, std::string_view label, bool broadcasts) const {
    if (warnings_ != nullptr) AddWarning(pair, broadcasts);
    return CheckConflict(pair, label, broadcasts);
  }

  Status CheckConflict(const Pair& pair, std::string_view label, bool broadcasts) const {
    DimensionId a = dims_[pair.left][pair.left_dim];
    DimensionId b = dims_[pair.right][pair.right_dim];
    if (!registry_.Conflict(a, b)) return absl::OkStatus();
    return AtOp(op_, WithConstraint(label, InvalidArgument(DescribePair(pair, broadcasts),
                                                           "; expected one dimension, found two; ",
                                                           HintFor(pair, broadcasts))));
  }

  // Returns `dimension 1 of `x` (`n`) is aligned with dimension 0 of `y` (`m`), because ...`.
  std::string DescribePair(const Pair& pair, bool broadcasts) const {
    auto describe = [&](size_t i, size_t dim) {
      DimensionId id = dims_[i][dim];
      bool is_known = id != kUnidentified && !registry_.IsUnnamed(id);
      return Cat("dimension ", dim, " of ", NameOf(i),
                 is_known ? Cat(" (", registry_.Describe(id), ")") : "");
    };
    return Cat(describe(pair.left, pair.left_dim), " is aligned with ",
               describe(pair.right, pair.right_dim),
               broadcasts ? ", because dimensions are aligned from the last one" : "");
  }

  // Returns true if the size of the dimension is known only from a call.
  bool IsOpen(size_t i, size_t dim) const {
    const PartialShape* shape = inputs_[i].spec.shape();
    return shape != nullptr && shape->has_rank() &&
           shape->dim(static_cast<int>(dim)) == kUnknownDim;
  }

  // Returns true if a size of input `i` is known to be 1.
  bool HasOnes(size_t i) const {
    const PartialShape& shape = *inputs_[i].spec.shape();
    for (int dim = 0; dim < shape.rank(); ++dim) {
      if (shape.dim(dim) == 1) return true;
    }
    return false;
  }

  void AddWarning(const Pair& pair, bool broadcasts) const {
    DimensionId a = dims_[pair.left][pair.left_dim];
    DimensionId b = dims_[pair.right][pair.right_dim];
    if (!IsOpen(pair.left, pair.left_dim) || !IsOpen(pair.right, pair.right_dim)) return;
    if (registry_.AreUnited(a, b)) return;
    const bool ranks_differ = broadcasts && dims_[pair.left].size() != dims_[pair.right].size();
    const bool are_rows = pair.left_dim == 0 && pair.right_dim == 0;
    const bool are_declared = registry_.IsDeclared(a) && registry_.IsDeclared(b);
    // A dimension of size 1 shows that the author wants to repeat the input.
    const bool is_explicit = HasOnes(pair.left) || HasOnes(pair.right);
    if (!ranks_differ && (!are_rows || !are_declared || is_explicit)) return;
    warnings_->Add(Cat("`", op_.name, "`: ", DescribePair(pair, ranks_differ),
                       "; nothing says that they are one dimension; ",
                       ranks_differ ? WarningHint(pair) : SameRankHint(a, b)));
    registry_.Unite(a, b);
  }

  // Returns a hint that says how to state which dimensions correspond.
  std::string WarningHint(const Pair& pair) const {
    const bool left_is_short = dims_[pair.left].size() < dims_[pair.right].size();
    const size_t i = left_is_short ? pair.left : pair.right;
    const size_t j = left_is_short ? pair.right : pair.left;
    const size_t added = dims_[j].size() - dims_[i].size();
    return Cat("write ", Indexed(i, added, 0), " if they are, or ", Indexed(i, 0, added),
               " to align the first dimensions");
  }

  std::string SameRankHint(DimensionId a, DimensionId b) const {
    auto can_be_named = [&](DimensionId id) {
      return registry_.IsName(id) || registry_.IsUnnamed(id);
    };
    if (can_be_named(a) && can_be_named(b)) {
      return "if they are, give both one name in the signature, such as `float32[n]`";
    }
    return "if their rows correspond one to one, put both into one structure with `struct_make`";
  }

  // Returns `orders.rate[:, None]`: input `i` with new dimensions before and after its own.
  std::string Indexed(size_t i, size_t before, size_t after) const {
    std::vector<std::string_view> keys(before, "None");
    keys.insert(keys.end(), dims_[i].size(), ":");
    keys.insert(keys.end(), after, "None");
    bool named = i < names_.size() && !names_[i].empty();
    return Cat("`", named ? names_[i] : "", "[", Join(keys, ", "), "]`",
               named ? "" : Cat(" after input ", i));
  }

  std::string NameOf(size_t i) const {
    bool named = i < names_.size() && !names_[i].empty();
    return named ? Cat("`", names_[i], "`") : Cat("input ", i);
  }

  std::string HintFor(const Pair& pair, bool broadcasts) const {
    DimensionId a = dims_[pair.left][pair.left_dim];
    DimensionId b = dims_[pair.right][pair.right_dim];
    std::string hint;
    if (broadcasts) hint = Expanded(pair.left, pair.right);
    if (broadcasts && hint.empty()) hint = Expanded(pair.right, pair.left);
    if (!hint.empty()) hint = Cat("write ", hint, " to align equal dimensions, or ");
    if (registry_.IsName(a)) {
      return Cat(hint, "give both dimensions one name in the signature if they have one size");
    }
    if (registry_.IsVector(a) || registry_.IsVector(b)) {
      return Cat(hint, "write ", Indexed(pair.left, 0, 1),
                 " to combine each element of one with each element of the other");
    }
    if (registry_.IsWithin(a, b) || registry_.IsWithin(b, a)) {
      return Cat(hint, "bring both fields to one structure with `promote` or `broadcast_field`");
    }
    // Lists next to each other have no row in common, so a field of one cannot be broadcast to the
    // other.
    const bool are_vectors = dims_[pair.left].size() == 1 && dims_[pair.right].size() == 1;
    if (are_vectors) {
      hint += Cat("write ", Indexed(pair.left, 0, 1),
                  " to combine each row of one with each row of ", "the other, or ");
    }
    return Cat(hint,
               "pick the row of one that belongs to each row of the other with `gather`; only ",
               "if the rows correspond one to one, put both columns into one structure with ",
               "`struct_make`");
  }

  // `orders.rate[:, None]`: input `i` with new dimensions at its end, so that its dimensions meet
  // the equal ones of input `j`. Empty if there is no such form.
  std::string Expanded(size_t i, size_t j) const {
    const DimensionIdList& own = dims_[i];
    const DimensionIdList& other = dims_[j];
    for (size_t added = 1; own.size() + added <= other.size(); ++added) {
      size_t shift = other.size() - added - own.size();
      bool meets = false;
      bool conflicts = false;
      for (size_t dim = 0; dim < own.size(); ++dim) {
        DimensionId id = own[dim];
        meets |= id != kUnidentified && id == other[dim + shift];
        conflicts |= registry_.Conflict(id, other[dim + shift]);
      }
      if (!meets || conflicts) continue;
      return Indexed(i, 0, added);
    }
    return "";
  }

  DimensionRegistry& registry_;
  AlignmentWarnings* const warnings_;  // null for no warnings
  const OpDef& op_;
  const std::span<const GraphValue> inputs_;
  const std::span<const std::string> names_;
  std::vector<DimensionIdList> dims_;  // of each input
};

// Records that the columns of one structure have the same rows.
void UniteRows(FlatBuilder& builder, std::span<const GraphValue> columns) {
  DimensionId first = kUnidentified;
  for (const GraphValue& column : columns) {
    DimensionIdList dims = builder.dimensions().OfValue(column);
    if (dims.empty() || dims[0] == kUnidentified) continue;
    builder.dimensions().registry()->Unite(first, dims[0]);
    first = dims[0];
  }
}

}  // namespace

Status CheckAlignment(FlatBuilder& builder, const OpDef& op, const Attributes& attributes,
                      std::span<const GraphValue> inputs, std::span<const std::string> names) {
  if (inputs.size() < 2 || builder.dimensions().is_empty()) return absl::OkStatus();
  if (op.name == "apply") {
    auto name = attributes.String("op");
    const OpDef* applied = name.ok() ? builder.library().ops().Lookup(*name) : nullptr;
    TypeSpec given = attributes.Lookup("attributes");
    const auto* dict = given ? given.As<DictSpec>() : nullptr;
    if (applied == nullptr || applied == &op || dict == nullptr) return absl::OkStatus();
    NamedTypes entries;
    for (size_t i = 0; i < dict->keys().size(); ++i) {
      entries.emplace_back(dict->keys()[i], dict->children()[i]);
    }
    return CheckAlignment(builder, *applied, Attributes(std::move(entries)), inputs, names);
  }
  if (op.control == Control::kMap || op.control == Control::kScan ||
      op.control == Control::kReduce) {
    // The elements have one length. Before them is an initial value, after them are fixed inputs.
    const size_t first = op.control == Control::kMap ? 0 : 1;
    const auto fixed =
        static_cast<size_t>(std::max<int64_t>(OptionalInt(attributes, "fixed", 0).value_or(0), 0));
    if (first + fixed >= inputs.size()) return absl::OkStatus();
    const size_t count = inputs.size() - first - fixed;
    inputs = inputs.subspan(first, count);
    names = names.subspan(std::min(first, names.size()));
    return Aligner(builder, op, inputs, names).CheckFromFirst("C1", 1);
  }
  if (builder.warnings() != nullptr && op.name == "struct_make") UniteRows(builder, inputs);
  Aligner aligner(builder, op, inputs, names);
  if (op.name == "matmul") return aligner.CheckMatmul(attributes);
  if (op.name == "where") return aligner.CheckFromFirst("C4");
  if (op.name == "stack") return aligner.CheckStack(attributes);
  if (op.name == "concat") return aligner.CheckConcat(attributes);
  if (op.name == "struct_make") return aligner.CheckColumns(attributes);
  if (op.name == "boolean_mask") return aligner.CheckFromFirst("C2");
  if (op.name == "gather") return aligner.CheckGather(attributes);
  if (op.name == "string_concat") return aligner.CheckBroadcast("C3");
  if (op.name == "struct_update") return aligner.CheckJoined("C3", aligner.RankOf(0));
  if (op.name == "batch_gather") {
    return aligner.CheckFromFirst("C1", std::max(aligner.RankOf(1), size_t{1}) - 1);
  }
  if (op.name == "lookup_value") return aligner.CheckPair({1, 0, 2, 0}, "C3");
  if (op.name == "repeat_rows") return aligner.CheckPair({0, 0, 1, 0}, "C2");
  if (op.name == "squared_distances") return aligner.CheckPair({0, 1, 1, 1}, "C2");
  if (op.name == "ragged_from_dense") return aligner.CheckFromFirst("C3", aligner.RankOf(1));
  if (op.name == "cross") return aligner.CheckFromFirst("C4", 1);
  if (op.name == "ragged_range") return aligner.CheckFromFirst("C2", 1);
  if (op.name == "quantize" || op.name == "dequantize" || op.name == "requantize") {
    return aligner.CheckScale(attributes);
  }
  bool broadcasts = op.family == OpFamily::kBinaryElementwise || op.name == "select" ||
                    op.name == "clip" || op.name == "pick" || op.name == "betainc" ||
                    op.name == "substr" || op.name == "layer_norm" || op.name == "rms_norm" ||
                    op.name == "fused_elementwise";
  return broadcasts ? aligner.CheckBroadcast("C4") : absl::OkStatus();
}

}  // namespace signet
