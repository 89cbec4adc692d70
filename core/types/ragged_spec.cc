#include "signet/ragged_spec.h"

#include <algorithm>

#include "core/base/hash.h"
#include "core/types/default_value.h"
#include "core/types/identifier.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

const RaggedSpec& AsRagged(const TypeSpecRep& rep) { return static_cast<const RaggedSpec&>(rep); }

}  // namespace

StatusOr<TypeSpec> MakeRaggedType(DType dtype, PartialShape shape, int ragged_rank,
                                  DType splits_dtype) {
  if (ragged_rank < 0) {
    return InvalidArgument("expected a ragged rank of at least 0, found ", ragged_rank);
  }
  if (shape.has_rank() && ragged_rank > 0 && ragged_rank >= shape.rank()) {
    return InvalidArgument("expected a ragged rank less than ", shape.rank(), ", the rank of `",
                           shape, "`, found ", ragged_rank);
  }
  if (splits_dtype != DType::kInt32 && splits_dtype != DType::kInt64) {
    return InvalidArgument("expected row splits of int32 or int64, found `", NameOf(splits_dtype),
                           "`");
  }
  return Intern(RaggedSpec(dtype, std::move(shape), ragged_rank, splits_dtype));
}

TypeSpec RaggedSpec::FlatValuesSpec() const {
  if (!shape().has_rank() || ragged_rank_ == 0) return TensorType(dtype_, shape());
  PartialShape rows = PartialShape::OfRank(1);
  return TensorType(dtype_, rows.Concatenate(shape().Slice(ragged_rank_ + 1, shape().rank())));
}

uint64_t RaggedSpec::HashFixed() const {
  return MixHash(MixHash(static_cast<uint64_t>(dtype_), static_cast<uint64_t>(ragged_rank_)),
                 static_cast<uint64_t>(splits_dtype_));
}

bool RaggedSpec::EqualFixed(const TypeSpecRep& other) const {
  const RaggedSpec& o = AsRagged(other);
  return dtype_ == o.dtype_ && ragged_rank_ == o.ragged_rank_ && splits_dtype_ == o.splits_dtype_;
}

StatusOr<TypeSpec> RaggedSpec::Rebuild(PartialShape shape, std::vector<TypeSpec>) const {
  return MakeRaggedType(dtype_, std::move(shape), ragged_rank_, splits_dtype_);
}

TypeSpec RaggedSpec::WithNotes(std::vector<TypeSpec>, TypeNotes notes) const {
  return Intern(
      RaggedSpec(dtype_, shape(), ragged_rank_, splits_dtype_, std::move(notes.default_value)));
}

void AppendSplitsComponents(std::string_view path, const PartialShape& shape, int first, int last,
                            DType splits_dtype, std::vector<ComponentSpec>& out) {
  for (int i = first; i < last; ++i) {
    bool known =
        i == 0 && shape.has_rank() && shape.dim(0) != kUnknownDim && shape.dim(0) < INT64_MAX;
    PartialShape splits = {known ? shape.dim(0) + 1 : kUnknownDim};
    out.push_back({JoinPath(path, Cat("row_splits_", i)), TensorType(splits_dtype, splits)});
  }
}

void RaggedSpec::AppendComponents(std::string_view path, int shared_rank,
                                  std::vector<ComponentSpec>& out) const {
  out.push_back({JoinPath(path, "values"), FlatValuesSpec()});
  AppendSplitsComponents(path, shape(), std::max(shared_rank - 1, 0), ragged_rank_, splits_dtype_,
                         out);
}

void RaggedSpec::AppendTo(std::string& out) const {
  if (AppendWithDefault(*this, out)) return;
  bool marked = shape().has_rank() && ragged_rank_ > 0;
  std::string options;
  if (!marked) options = Cat("rank=", ragged_rank_);
  if (splits_dtype_ != DType::kInt64) {
    if (!options.empty()) options.append(", ");
    options.append("splits=").append(NameOf(splits_dtype_));
  }
  out.append("ragged");
  if (!options.empty()) out.append("<").append(options).append(">");
  out.append(" ").append(NameOf(dtype_));
  if (!marked) {
    out.append(shape().ToString());
    return;
  }
  out.append("[");
  for (int axis = 0; axis < shape().rank(); ++axis) {
    if (axis > 0) out.append(", ");
    std::string size = shape().dim(axis) == kUnknownDim ? "?" : Cat(shape().dim(axis));
    bool ragged = axis >= 1 && axis <= ragged_rank_;
    out.append(ragged ? Cat("(", size, ")") : size);
  }
  out.append("]");
}

}  // namespace signet
