#include "core/ops/build/rows/outer_dimension.h"

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/row_splits.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

NamedTypes NamesOf(const StructuredSpec& spec) {
  NamedTypes named;
  for (const std::string& name : spec.field_names()) named.emplace_back(name, TypeSpec());
  return named;
}

// Makes a structure type with the written form of `like`, whose fields have the same names.
StatusOr<TypeSpec> MadeLike(const TypeSpec& like, PartialShape shape, NamedTypes fields) {
  SIGNET_ASSIGN_OR_RETURN(TypeSpec made, MakeStructuredType(std::move(shape), std::move(fields)));
  return ArrangedLike(made, like);
}

// Replaces the first `dropped` dimensions of `shape` by `first`.
PartialShape Replaced(const PartialShape& shape, int dropped, const PartialShape& first) {
  return first.Concatenate(shape.Slice(dropped, shape.rank()));
}

StatusOr<TypeSpec> WithOuterType(const TypeSpec& spec, int64_t rows, DType splits_dtype) {
  if (!spec.shape()->has_rank()) {
    return Unimplemented("expected a value of known rank, found `", spec, "`");
  }
  PartialShape shape = Replaced(*spec.shape(), 1, {rows, kUnknownDim});
  if (const auto* tensor = spec.As<TensorSpec>()) {
    return MakeRaggedType(tensor->dtype(), std::move(shape), 1, splits_dtype);
  }
  if (const auto* ragged = spec.As<RaggedSpec>()) {
    return MakeRaggedType(ragged->dtype(), std::move(shape), ragged->ragged_rank() + 1,
                          splits_dtype);
  }
  const auto& structured = *spec.As<StructuredSpec>();
  NamedTypes fields = NamesOf(structured);
  for (size_t i = 0; i < fields.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(fields[i].second,
                            WithOuterType(structured.children()[i], rows, DType::kInt64));
  }
  return MadeLike(spec, std::move(shape), std::move(fields));
}

StatusOr<TypeSpec> WithoutOuterType(const TypeSpec& spec) {
  PartialShape shape = spec.shape()->Slice(1, spec.shape()->rank());
  if (const auto* tensor = spec.As<TensorSpec>()) return TensorType(tensor->dtype(), shape);
  if (const auto* ragged = spec.As<RaggedSpec>()) {
    if (ragged->ragged_rank() <= 1) return TensorType(ragged->dtype(), shape);
    return MakeRaggedType(ragged->dtype(), std::move(shape), ragged->ragged_rank() - 1,
                          ragged->splits_dtype());
  }
  const auto& structured = *spec.As<StructuredSpec>();
  NamedTypes fields = NamesOf(structured);
  for (size_t i = 0; i < fields.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(fields[i].second, WithoutOuterType(structured.children()[i]));
  }
  return MadeLike(spec, std::move(shape), std::move(fields));
}

// Returns the only row of a dense tensor.
StatusOr<GraphValue> DenseRow(OpBuilder& build, const GraphValue& tensor) {
  const int64_t outer[] = {0};
  return build.Squeeze(tensor, {.axes = outer});
}

// Appends the components that a field with `rank` shared dimensions adds to its structure after the
// outer dimension, which has one row, is removed.
Status OwnRow(OpBuilder& build, const TypeSpec& spec, int rank, std::span<const GraphValue> own,
              std::vector<GraphValue>& out) {
  if (const auto* structured = spec.As<StructuredSpec>()) {
    size_t next = 0;
    // A nested structure of rank 1 becomes the row itself. The first splits of a nested structure
    // of a higher rank become its number of rows.
    for (int i = rank; i < structured->rank(); ++i, ++next) {
      if (i > 1) {
        out.push_back(own[next]);
      } else if (structured->rank() > 1) {
        SIGNET_ASSIGN_OR_RETURN(GraphValue nrows, build.NumValues(own[next]));
        out.push_back(std::move(nrows));
      }
    }
    for (const TypeSpec& field : structured->children()) {
      std::vector<ComponentSpec> parts;
      field.rep().AppendComponents("", structured->rank(), parts);
      SIGNET_RETURN_IF_ERROR(
          OwnRow(build, field, structured->rank(), own.subspan(next, parts.size()), out));
      next += parts.size();
    }
    return absl::OkStatus();
  }
  const auto* ragged = spec.As<RaggedSpec>();
  int partitions = ragged == nullptr ? 0 : ragged->ragged_rank();
  GraphValue values = own[0];
  if (partitions == 0) {
    SIGNET_ASSIGN_OR_RETURN(values, DenseRow(build, values));
  }
  out.push_back(std::move(values));
  // The first partition of the field is removed if its structure has no partitions.
  for (size_t i = rank > 1 ? 1 : 2; i < own.size(); ++i) out.push_back(own[i]);
  return absl::OkStatus();
}

}  // namespace

StatusOr<TypeSpec> WithRows(const TypeSpec& spec, int64_t rows) {
  PartialShape shape = *spec.shape();
  if (shape.has_rank()) shape = shape.WithDim(0, rows);
  const auto* structured = spec.As<StructuredSpec>();
  if (structured == nullptr) return spec.rep().Rebuild(std::move(shape), {});
  NamedTypes fields = NamesOf(*structured);
  for (size_t i = 0; i < fields.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(fields[i].second, WithRows(structured->children()[i], rows));
  }
  return MadeLike(spec, std::move(shape), std::move(fields));
}

StatusOr<GraphValue> WithOuterSplits(OpBuilder& build, const GraphValue& value,
                                     const GraphValue& given) {
  GraphValue splits = given;
  RaggedParts parts;
  bool ragged = value.spec.is(TypeKind::kRagged);
  if (ragged) parts = RaggedPartsOf(value);
  // All splits of a ragged value have one dtype; those of a structure are int64.
  bool widen = value.spec.is(TypeKind::kStructured) ||
               (!parts.splits.empty() && parts.splits[0].spec.As<TensorSpec>()->dtype() !=
                                             splits.spec.As<TensorSpec>()->dtype());
  if (widen) {
    SIGNET_ASSIGN_OR_RETURN(splits, Int64Splits(build, splits));
    for (GraphValue& inner : parts.splits) {
      SIGNET_ASSIGN_OR_RETURN(inner, Int64Splits(build, inner));
    }
  }
  const auto& splits_spec = *splits.spec.As<TensorSpec>();
  int64_t entries = splits_spec.shape().has_rank() ? splits_spec.shape().dim(0) : kUnknownDim;
  int64_t rows = entries > 0 ? entries - 1 : kUnknownDim;
  SIGNET_ASSIGN_OR_RETURN(TypeSpec spec, WithOuterType(value.spec, rows, splits_spec.dtype()));
  if (value.spec.is(TypeKind::kTensor)) {
    const GraphValue children[] = {value, splits};
    return Joined(std::move(spec), children);
  }
  if (ragged) {
    std::vector<GraphValue> children = {parts.values, splits};
    children.insert(children.end(), parts.splits.begin(), parts.splits.end());
    return Joined(std::move(spec), children);
  }
  // The columns keep their own partitions. The structure gets a new first partition.
  SIGNET_ASSIGN_OR_RETURN(GraphValue nrows, build.NumRows(splits));
  std::vector<GraphValue> children = {nrows, splits};
  std::vector<ComponentSpec> made = ComponentsOf(spec);
  for (size_t i = 1; i < value.components.size(); ++i) {
    GraphValue component = ComponentOf(value, i);
    bool narrow = component.spec.As<TensorSpec>()->dtype() !=
                  made[i + 1].spec.As<TensorSpec>()->dtype();  // row splits of a ragged field
    if (narrow) {
      SIGNET_ASSIGN_OR_RETURN(component, Int64Splits(build, component));
    }
    children.push_back(std::move(component));
  }
  return Joined(std::move(spec), children);
}

StatusOr<GraphValue> WithoutOuter(OpBuilder& build, const GraphValue& value) {
  if (value.spec.is(TypeKind::kTensor)) return DenseRow(build, value);
  SIGNET_ASSIGN_OR_RETURN(TypeSpec spec, WithoutOuterType(value.spec));
  std::vector<GraphValue> own;
  for (size_t i = value.spec.is(TypeKind::kStructured) ? 1 : 0; i < value.components.size(); ++i) {
    own.push_back(ComponentOf(value, i));
  }
  std::vector<GraphValue> components;
  SIGNET_RETURN_IF_ERROR(OwnRow(build, value.spec, 1, own, components));
  return Joined(std::move(spec), components);
}

}  // namespace signet
