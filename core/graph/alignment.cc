#include "core/graph/alignment.h"

#include <algorithm>

#include "core/ops/registry.h"
#include "core/types/record_spec.h"

namespace signet {
namespace {

// Two dimensions that an op pairs.
struct Pair {
  size_t left;  // input
  size_t left_dim;
  size_t right;  // input
  size_t right_dim;
};

class Aligner {
 public:
  Aligner(const FlatBuilder& builder, const OpDef& op, std::span<const GraphValue> inputs,
          std::span<const std::string> names)
      : registry_(*builder.dimensions().registry()), op_(op), names_(names) {
    for (const GraphValue& input : inputs) dims_.push_back(builder.dimensions().OfValue(input));
  }

  // All inputs, from the last dimension.
  Status CheckBroadcast(std::string_view label) const {
    for (size_t i = 0; i < dims_.size(); ++i) {
      for (size_t j = i + 1; j < dims_.size(); ++j) {
        SIGNET_RETURN_IF_ERROR(CheckFromLast(i, dims_[i].size(), j, dims_[j].size(), label));
      }
    }
    return absl::OkStatus();
  }

  // The dimensions that the condition has, or all, from the first.
  Status CheckWhere() const {
    for (size_t i = 0; i < dims_.size(); ++i) {
      for (size_t j = i + 1; j < dims_.size(); ++j) {
        size_t shared = std::min(dims_[i].size(), dims_[j].size());
        for (size_t dim = 0; dim < shared; ++dim) {
          SIGNET_RETURN_IF_ERROR(Check({i, dim, j, dim}, "C4", /*broadcasts=*/false));
        }
      }
    }
    return absl::OkStatus();
  }

  Status CheckMatmul(const Attributes& attributes) const {
    size_t a = dims_[0].size();
    size_t b = dims_[1].size();
    if (a == 0 || b == 0) return absl::OkStatus();
    bool transpose_a = attributes.Bool("transpose_a").value_or(false);
    bool transpose_b = attributes.Bool("transpose_b").value_or(false);
    size_t inner_a = a == 1 || !transpose_a ? a - 1 : a - 2;
    size_t inner_b = b == 1 || transpose_b ? b - 1 : b - 2;
    SIGNET_RETURN_IF_ERROR(Check({0, inner_a, 1, inner_b}, "C5", /*broadcasts=*/false));
    return CheckFromLast(0, std::max(a, size_t{2}) - 2, 1, std::max(b, size_t{2}) - 2, "C6");
  }

 private:
  // The first `left_rank` dimensions of input `i`, and `right_rank` of input `j`.
  Status CheckFromLast(size_t i, size_t left_rank, size_t j, size_t right_rank,
                       std::string_view label) const {
    for (size_t k = 1; k <= std::min(left_rank, right_rank); ++k) {
      SIGNET_RETURN_IF_ERROR(
          Check({i, left_rank - k, j, right_rank - k}, label, /*broadcasts=*/true));
    }
    return absl::OkStatus();
  }

  Status Check(const Pair& pair, std::string_view label, bool broadcasts) const {
    DimensionId a = dims_[pair.left][pair.left_dim];
    DimensionId b = dims_[pair.right][pair.right_dim];
    if (!registry_.Conflict(a, b)) return absl::OkStatus();
    return AtOp(
        op_, InvalidArgument(label, " dimension ", pair.left_dim, " of ", NameOf(pair.left), " (",
                             registry_.Describe(a), ") is aligned with dimension ", pair.right_dim,
                             " of ", NameOf(pair.right), " (", registry_.Describe(b), ")",
                             broadcasts ? ", because dimensions are aligned from the last one" : "",
                             "; expected one dimension, found two; ", HintFor(pair, broadcasts)));
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
    hint += "bring both fields to one structure with `promote` or `broadcast_field`";
    if (registry_.IsWithin(a, b) || registry_.IsWithin(b, a)) return hint;
    return Cat(hint, "; if the rows correspond one to one, put both columns into one structure ",
               "with `struct_make`");
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
      std::string key;
      for (size_t dim = 0; dim < own.size(); ++dim) key += ":, ";
      for (size_t dim = 0; dim < added; ++dim) key += dim == 0 ? "None" : ", None";
      bool named = i < names_.size() && !names_[i].empty();
      return named ? Cat("`", names_[i], "[", key, "]`") : Cat("`[", key, "]` after input ", i);
    }
    return "";
  }

  const DimensionRegistry& registry_;
  const OpDef& op_;
  const std::span<const std::string> names_;
  std::vector<DimensionIdList> dims_;  // of each input
};

}  // namespace

Status CheckAlignment(const FlatBuilder& builder, const OpDef& op, const Attributes& attributes,
                      std::span<const GraphValue> inputs, std::span<const std::string> names) {
  if (inputs.size() < 2 || builder.dimensions().is_empty()) return absl::OkStatus();
  if (op.name == "apply") {
    auto name = attributes.String("op");
    const OpDef* applied = name.ok() ? OpRegistry::Builtin().Lookup(*name) : nullptr;
    TypeSpec given = attributes.Lookup("attributes");
    const auto* dict = given ? given.As<DictSpec>() : nullptr;
    if (applied == nullptr || applied == &op || dict == nullptr) return absl::OkStatus();
    NamedTypes entries;
    for (size_t i = 0; i < dict->keys().size(); ++i) {
      entries.emplace_back(dict->keys()[i], dict->children()[i]);
    }
    return CheckAlignment(builder, *applied, Attributes(std::move(entries)), inputs, names);
  }
  Aligner aligner(builder, op, inputs, names);
  if (op.name == "matmul") return aligner.CheckMatmul(attributes);
  if (op.name == "where") return aligner.CheckWhere();
  if (op.name == "string_concat") return aligner.CheckBroadcast("C3");
  bool broadcasts = op.family == OpFamily::kBinaryElementwise || op.name == "select" ||
                    op.name == "clip" || op.name == "fused_elementwise";
  return broadcasts ? aligner.CheckBroadcast("C4") : absl::OkStatus();
}

}  // namespace signet
