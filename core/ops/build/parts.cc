#include "core/ops/build/parts.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "core/ops/build/op_builder.h"
#include "core/ops/build/row_splits.h"

namespace signet {

GraphValue ComponentOf(const GraphValue& value, size_t i) {
  return {ComponentsOf(value.spec)[i].spec, {value.components[i]}};
}

GraphValue ChildOf(const GraphValue& value, size_t i) {
  size_t first = 0;
  auto children = value.spec.children();
  for (size_t k = 0; k < i; ++k) first += children[k].num_components();
  GraphValue child{children[i], {}};
  for (size_t k = 0; k < children[i].num_components(); ++k) {
    child.components.push_back(value.components[first + k]);
  }
  return child;
}

GraphValue Joined(TypeSpec spec, std::span<const GraphValue> children) {
  GraphValue joined{std::move(spec), {}};
  for (const GraphValue& child : children) {
    joined.components.insert(joined.components.end(), child.components.begin(),
                             child.components.end());
  }
  return joined;
}

GraphValue Int64Constant(OpBuilder& build, int64_t value) {
  return build.Constant(Tensor::Scalar(value));
}

Expr DimSize(OpBuilder& build, const Operand& tensor, int axis) {
  return build.DimSize(tensor, {.axis = axis});
}

Status CheckCondition(OpBuilder& build, const Operand& condition, const Status& error) {
  SIGNET_RETURN_IF_ERROR(condition.value().status());
  const Tensor* known = build.LookupConstant(condition.value()->components[0]);
  if (known != nullptr && known->rank() == 0) {
    return known->scalar<bool>() ? absl::OkStatus() : error;
  }
  return build
      .CheckTrue(condition, {.message = MessageOf(error), .constraint = ConstraintOf(error)})
      .status();
}

Status CheckSameSize(OpBuilder& build, const GraphValue& a, const GraphValue& b,
                     const Status& error) {
  return CheckCondition(build, build.Equal(a, b), error);
}

RaggedParts RaggedPartsOf(const GraphValue& ragged) {
  RaggedParts parts{ComponentOf(ragged, 0), {}};
  for (size_t i = 1; i < ragged.components.size(); ++i) {
    parts.splits.push_back(ComponentOf(ragged, i));
  }
  return parts;
}

StatusOr<GraphValue> MakeRaggedValue(const RaggedParts& parts, const PartialShape& like) {
  if (parts.splits.empty()) return parts.values;
  const auto& flat = *parts.values.spec.As<TensorSpec>();
  const auto& outer = *parts.splits[0].spec.As<TensorSpec>();
  int ragged_rank = static_cast<int>(parts.splits.size());
  PartialShape shape;
  if (flat.shape().has_rank()) {
    int64_t entries = outer.shape().has_rank() ? outer.shape().dim(0) : kUnknownDim;
    shape = PartialShape::OfRank(ragged_rank + 1)
                .Concatenate(flat.shape().Slice(1, flat.shape().rank()));
    if (entries > 0) shape = shape.WithDim(0, entries - 1);
    bool has_like = like.has_rank() && like.rank() == shape.rank();
    for (int axis = 0; has_like && axis <= ragged_rank; ++axis) {
      if (shape.dim(axis) == kUnknownDim) shape = shape.WithDim(axis, like.dim(axis));
    }
  }
  SIGNET_ASSIGN_OR_RETURN(
      TypeSpec spec, MakeRaggedType(flat.dtype(), std::move(shape), ragged_rank, outer.dtype()));
  std::vector<GraphValue> children = {parts.values};
  children.insert(children.end(), parts.splits.begin(), parts.splits.end());
  return Joined(std::move(spec), children);
}

StructureParts StructurePartsOf(const GraphValue& structure) {
  const auto& spec = *structure.spec.As<StructuredSpec>();
  StructureParts parts{spec.shape(), {}, {}, {}};
  if (spec.rank() > 0) parts.nrows = ComponentOf(structure, 0);
  for (int i = 1; i < spec.rank(); ++i) {
    parts.splits.push_back(ComponentOf(structure, static_cast<size_t>(i)));
  }
  for (size_t i = 0; i < spec.field_names().size(); ++i) {
    size_t child = spec.WrittenChild(i);
    const std::string& name = spec.field_names()[child];
    parts.fields.push_back({name, *FieldValue(structure, name), true, spec.IsOptionalChild(child)});
  }
  return parts;
}

StatusOr<GraphValue> FieldValue(const GraphValue& structure, std::string_view name) {
  SIGNET_ASSIGN_OR_RETURN(TypeSpec type, structure.spec.As<StructuredSpec>()->FindField(name));
  GraphValue field{std::move(type), {}};
  auto positions = FieldComponents(structure.spec, name);
  for (int i : *positions) {
    field.components.push_back(structure.components[static_cast<size_t>(i)]);
  }
  return field;
}

namespace {

// The dimensions that a field shares with its structure, as the field itself stores them.
class Column {
 public:
  Column(OpBuilder& build, const GraphValue& value) : build_(build), value_(value) {
    if (value.spec.is(TypeKind::kRagged)) {
      explicit_splits_ = RaggedPartsOf(value).splits;
      flat_ = ComponentOf(value, 0);
    } else if (const auto* nested = value.spec.As<StructuredSpec>()) {
      for (int i = 1; i < nested->rank(); ++i) {
        explicit_splits_.push_back(ComponentOf(value, static_cast<size_t>(i)));
      }
    } else {
      flat_ = value;
    }
  }

  // Returns true if the field itself has row splits for dimension `i` + 1.
  bool HasSplits(size_t i) const { return i < explicit_splits_.size(); }

  StatusOr<GraphValue> NumRows() {
    if (value_.spec.is(TypeKind::kStructured)) return ComponentOf(value_, 0);
    if (!explicit_splits_.empty()) return build_.NumRows(explicit_splits_[0]);
    return DimSize(build_, flat_, 0);
  }

  // Returns the row splits of dimension `i` + 1 as int64. They are computed from sizes if the field
  // is dense there.
  StatusOr<GraphValue> Splits(size_t i) {
    if (HasSplits(i)) return Int64Splits(build_, explicit_splits_[i]);
    GraphValue rows;
    if (i == 0) {
      SIGNET_ASSIGN_OR_RETURN(rows, NumRows());
    } else {
      SIGNET_ASSIGN_OR_RETURN(rows, build_.NumValues(Splits(i - 1)));
    }
    int axis = static_cast<int>(i + 1 - explicit_splits_.size());
    return build_.UniformRowSplits(rows, DimSize(build_, flat_, axis));
  }

 private:
  OpBuilder& build_;
  const GraphValue& value_;
  std::vector<GraphValue> explicit_splits_;
  GraphValue flat_;  // the flat values of a tensor or ragged field
};

// Returns the components that a field adds to a structure of `rank`.
StatusOr<std::vector<GraphValue>> OwnComponents(OpBuilder& build, const GraphValue& field,
                                                int rank) {
  size_t shared = static_cast<size_t>(std::max(rank - 1, 0));  // row splits
  std::vector<GraphValue> own;
  if (field.spec.is(TypeKind::kRagged)) {
    RaggedParts parts = RaggedPartsOf(field);
    own.push_back(parts.values);
    for (size_t i = shared; i < parts.splits.size(); ++i) {
      GraphValue splits = parts.splits[i];
      if (shared > 0) {
        SIGNET_ASSIGN_OR_RETURN(splits, Int64Splits(build, splits));
      }
      own.push_back(std::move(splits));
    }
    return own;
  }
  size_t first = field.spec.is(TypeKind::kStructured) ? static_cast<size_t>(rank) : 0;
  for (size_t i = first; i < field.components.size(); ++i) own.push_back(ComponentOf(field, i));
  return own;
}

// Returns true if two edges are known to have the same tensor, false if they are known to have
// different tensors, and nullopt otherwise.
std::optional<bool> KnownSame(const OpBuilder& build, const GraphValue& a, const GraphValue& b) {
  if (a.components[0] == b.components[0]) return true;
  const Tensor* x = build.LookupConstant(a.components[0]);
  const Tensor* y = build.LookupConstant(b.components[0]);
  if (x == nullptr || y == nullptr) return std::nullopt;
  return SameTensor(*x, *y);
}

// Merges the rows and partitions that all fields share into `parts`.
class SharedRows {
 public:
  SharedRows(OpBuilder& build, StructureParts& parts) : build_(build), parts_(parts) {}

  Status Merge() {
    size_t partitions = static_cast<size_t>(parts_.shape.rank() - 1);
    SIGNET_RETURN_IF_ERROR(MergeNumRows());
    bool given = parts_.splits.size() == partitions;
    parts_.splits.resize(partitions);
    for (size_t i = 0; i < partitions; ++i) SIGNET_RETURN_IF_ERROR(MergeSplits(i, given));
    return absl::OkStatus();
  }

 private:
  Status MergeNumRows() {
    for (const auto& [name, value, fits, is_optional] : parts_.fields) {
      // Row splits determine the number of rows, too, and MergeSplits compares them.
      if (fits || (parts_.nrows.spec && parts_.shape.rank() > 1)) continue;
      SIGNET_ASSIGN_OR_RETURN(GraphValue nrows, Column(build_, value).NumRows());
      if (!parts_.nrows.spec) {
        parts_.nrows = std::move(nrows);
        continue;
      }
      auto same = KnownSame(build_, parts_.nrows, nrows);
      if (same == false) {
        return InvalidArgument("field `", name, "`: expected ",
                               build_.LookupConstant(parts_.nrows.components[0])->scalar<int64_t>(),
                               " rows, like the structure, found ",
                               build_.LookupConstant(nrows.components[0])->scalar<int64_t>());
      }
      if (same) continue;
      SIGNET_ASSIGN_OR_RETURN(parts_.nrows, build_.CheckSameSize(parts_.nrows, nrows));
    }
    if (parts_.nrows.spec) return absl::OkStatus();
    if (parts_.shape.dim(0) == kUnknownDim) {
      return InvalidArgument("missing number of rows, which a structure of shape `", parts_.shape,
                             "` without fields requires");
    }
    parts_.nrows = Int64Constant(build_, parts_.shape.dim(0));
    return absl::OkStatus();
  }

  Status MergeSplits(size_t i, bool given) {
    GraphValue& shared = parts_.splits[i];
    if (!given) {
      // Existing row splits are preferred to row splits that would have to be computed.
      for (const auto& [name, value, fits, is_optional] : parts_.fields) {
        Column column(build_, value);
        if (shared.spec || !column.HasSplits(i)) continue;
        SIGNET_ASSIGN_OR_RETURN(shared, column.Splits(i));
      }
    }
    for (const auto& [name, value, fits, is_optional] : parts_.fields) {
      if (fits) continue;
      Column column(build_, value);
      SIGNET_ASSIGN_OR_RETURN(GraphValue splits, column.Splits(i));
      if (!shared.spec) {
        shared = std::move(splits);
        continue;
      }
      auto same = KnownSame(build_, shared, splits);
      if (same == false) {
        return InvalidArgument("field `", name, "` has other row lengths in dimension ", i + 1,
                               " than the structure");
      }
      if (same) continue;
      SIGNET_ASSIGN_OR_RETURN(shared, build_.CheckSameSplits(shared, splits));
    }
    if (shared.spec) return absl::OkStatus();
    return InvalidArgument("missing row partitions, which a structure of shape `", parts_.shape,
                           "` without fields requires");
  }

  OpBuilder& build_;
  StructureParts& parts_;
};

bool HasRowSplits(const GraphValue& value, DType dtype) {
  const auto* ragged = value.spec.As<RaggedSpec>();
  return ragged != nullptr && ragged->splits_dtype() == dtype;
}

// Converts the row splits of all ragged fields to int64 if one field has int64 row splits.
Status UnifySplits(OpBuilder& build, std::vector<FieldPart>& fields) {
  bool has_wide = std::any_of(fields.begin(), fields.end(), [](const FieldPart& field) {
    return HasRowSplits(field.value, DType::kInt64);
  });
  for (FieldPart& field : fields) {
    if (!has_wide || !HasRowSplits(field.value, DType::kInt32)) continue;
    RaggedParts parts = RaggedPartsOf(field.value);
    for (GraphValue& splits : parts.splits) {
      SIGNET_ASSIGN_OR_RETURN(splits, Int64Splits(build, splits));
    }
    SIGNET_ASSIGN_OR_RETURN(field.value, MakeRaggedValue(parts, *field.value.spec.shape()));
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<GraphValue> MakeStructureValue(OpBuilder& build, StructureParts parts) {
  SIGNET_RETURN_IF_ERROR(UnifySplits(build, parts.fields));
  NamedTypes types;
  std::vector<bool> optional;
  for (const FieldPart& field : parts.fields) {
    types.emplace_back(field.name, field.value.spec);
    optional.push_back(field.is_optional && CanBeOptional(field.value.spec, parts.shape.rank()));
  }
  SIGNET_ASSIGN_OR_RETURN(TypeSpec spec,
                          MakeStructuredType(parts.shape, std::move(types), std::move(optional)));
  // The components are in the order of the names.
  std::sort(parts.fields.begin(), parts.fields.end(),
            [](const FieldPart& a, const FieldPart& b) { return a.name < b.name; });
  std::vector<GraphValue> components;
  if (parts.shape.rank() > 0) {
    SIGNET_RETURN_IF_ERROR(SharedRows(build, parts).Merge());
    components.push_back(parts.nrows);
    components.insert(components.end(), parts.splits.begin(), parts.splits.end());
  }
  for (const FieldPart& field : parts.fields) {
    SIGNET_ASSIGN_OR_RETURN(auto own, OwnComponents(build, field.value, parts.shape.rank()));
    components.insert(components.end(), std::make_move_iterator(own.begin()),
                      std::make_move_iterator(own.end()));
  }
  return Joined(std::move(spec), components);
}

}  // namespace signet
