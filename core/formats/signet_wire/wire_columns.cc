// ValueReader: reads ragged and sparse tensors and structures; see wire_value_reader.h.

#include <algorithm>
#include <optional>

#include "core/formats/signet_wire/wire_tensor.h"
#include "core/formats/signet_wire/wire_type_reader.h"
#include "core/formats/signet_wire/wire_value_reader.h"
#include "signet/ragged_spec.h"
#include "signet/sparse_spec.h"
#include "signet/structured_spec.h"

namespace signet::wire {
namespace {

using enum WireType;

// All fields of a structure of rank 2 or more have int64 row splits.
StatusOr<Tensor> Widened(Tensor splits) {
  if (splits.dtype() != DType::kInt32) return splits;
  SIGNET_ASSIGN_OR_RETURN(Tensor wide, Tensor::Allocate(DType::kInt64, splits.shape()));
  auto narrow = splits.elements<int32_t>();
  std::copy(narrow.begin(), narrow.end(), wide.mutable_elements<int64_t>());
  return wide;
}

// Returns the shape of a ragged tensor whose message has none.
StatusOr<PartialShape> ShapeOfRagged(const Tensor& values, const Components& splits,
                                     int ragged_rank, int shared) {
  PartialShape flat = values.shape();
  if (ragged_rank == 0) return flat;
  if (flat.rank() == 0) {
    return InvalidArgument("values: expected at least one dimension, found `",
                           NameOf(values.dtype()), "[]`");
  }
  PartialShape rows = PartialShape::OfRank(ragged_rank + 1);
  if (shared == 0 && splits[0].num_elements() > 0) {
    rows = rows.WithDim(0, splits[0].num_elements() - 1);
  }
  return rows.Concatenate(flat.Slice(1, flat.rank()));
}

}  // namespace

StatusOr<Value> ValueReader::Checked(StatusOr<Column> column) {
  if (!column.ok()) return column.status();
  return MakeValue(std::move(column->spec), std::move(column->components));
}

StatusOr<Tensor> ValueReader::ReadPart(std::string_view step, WireCursor cursor) {
  auto tensor = ReadTensor(source_, cursor);
  if (!tensor.ok()) return Under(step, tensor.status());
  return tensor;
}

Status ValueReader::ReadSplits(WireCursor cursor, Components& splits) {
  SIGNET_RETURN_IF_ERROR(source_.allowance().CheckRank(splits.size() + 1));
  SIGNET_ASSIGN_OR_RETURN(Tensor tensor, ReadPart(Cat("row_splits_", splits.size()), cursor));
  splits.push_back(std::move(tensor));
  return absl::OkStatus();
}

StatusOr<ValueReader::Column> ValueReader::ReadRagged(WireCursor cursor, int outer_rank) {
  Tensor values;
  Components splits;
  std::optional<PartialShape> shape;
  uint64_t splits_number = 0;
  while (uint32_t tag = cursor.NextTag()) {
    switch (tag) {
      case WireTag(v1::RaggedTensor::kValuesFieldNumber, kBytes): {
        SIGNET_ASSIGN_OR_RETURN(values, ReadPart("values", cursor.Enter()));
        break;
      }
      case WireTag(v1::RaggedTensor::kRowSplitsFieldNumber, kBytes):
        SIGNET_RETURN_IF_ERROR(ReadSplits(cursor.Enter(), splits));
        break;
      case WireTag(v1::RaggedTensor::kShapeFieldNumber, kBytes): {
        SIGNET_ASSIGN_OR_RETURN(shape, ReadShape(source_, cursor.Enter()));
        break;
      }
      case WireTag(v1::RaggedTensor::kRowSplitsDtypeFieldNumber, kVarint):
        splits_number = cursor.Varint();
        break;
      default:
        cursor.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(source_.status());
  if (!values.has_value()) return InvalidArgument("the ragged tensor has no values");
  int shared = std::max(outer_rank - 1, 0);
  int own = static_cast<int>(splits.size());
  int ragged_rank = shared + own;
  if (shape && shape->has_rank()) {
    ragged_rank = shape->rank() - values.rank();
    int wanted = std::max(ragged_rank - shared, 0);
    if (ragged_rank < 0 || own != wanted) {
      return InvalidArgument("expected ", wanted, " row_splits for values of rank ", values.rank(),
                             " and shape `", *shape, "`, found ", own);
    }
  } else if (!shape) {
    SIGNET_ASSIGN_OR_RETURN(shape, ShapeOfRagged(values, splits, ragged_rank, shared));
  }
  DType splits_dtype = DType::kInt64;
  if (own > 0 && outer_rank > 1) {
    for (Tensor& tensor : splits) {
      SIGNET_ASSIGN_OR_RETURN(tensor, Widened(std::move(tensor)));
    }
  } else if (own > 0) {
    splits_dtype = splits[0].dtype();
  } else if (splits_number != 0) {
    SIGNET_ASSIGN_OR_RETURN(splits_dtype, DTypeFromNumber(splits_number));
  }
  SIGNET_ASSIGN_OR_RETURN(
      TypeSpec spec, MakeRaggedType(values.dtype(), *std::move(shape), ragged_rank, splits_dtype));
  Column column = {std::move(spec), {std::move(values)}};
  for (Tensor& tensor : splits) column.components.push_back(std::move(tensor));
  return column;
}

StatusOr<ValueReader::Column> ValueReader::ReadSparse(WireCursor cursor) {
  Tensor indices;
  Tensor values;
  Tensor dense_shape;
  while (uint32_t tag = cursor.NextTag()) {
    switch (tag) {
      case WireTag(v1::SparseTensor::kIndicesFieldNumber, kBytes): {
        SIGNET_ASSIGN_OR_RETURN(indices, ReadPart("indices", cursor.Enter()));
        break;
      }
      case WireTag(v1::SparseTensor::kValuesFieldNumber, kBytes): {
        SIGNET_ASSIGN_OR_RETURN(values, ReadPart("values", cursor.Enter()));
        break;
      }
      case WireTag(v1::SparseTensor::kDenseShapeFieldNumber, kBytes): {
        SIGNET_ASSIGN_OR_RETURN(dense_shape, ReadPart("dense_shape", cursor.Enter()));
        break;
      }
      default:
        cursor.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(source_.status());
  if (!indices.has_value() || !values.has_value() || !dense_shape.has_value()) {
    return InvalidArgument("a sparse tensor requires indices, values, and dense_shape");
  }
  PartialShape shape;
  if (dense_shape.dtype() == DType::kInt64 && dense_shape.rank() == 1) {
    auto sizes = dense_shape.elements<int64_t>();
    SIGNET_RETURN_IF_ERROR(source_.allowance().CheckRank(sizes.size()));
    bool known = std::all_of(sizes.begin(), sizes.end(), [](int64_t size) { return size >= 0; });
    if (known) shape = PartialShape(sizes);
  }
  TypeSpec spec = SparseType(values.dtype(), std::move(shape));
  return Column{std::move(spec), {std::move(indices), std::move(values), std::move(dense_shape)}};
}

StatusOr<ValueReader::Column> ValueReader::ReadStructured(WireCursor cursor, int depth,
                                                          int outer_rank) {
  PartialShape shape = Shape();
  int64_t nrows = 0;
  Components splits;
  std::vector<std::pair<std::string, WireCursor>> fields;
  WrittenForm written;
  while (uint32_t tag = cursor.NextTag()) {
    switch (tag) {
      case WireTag(v1::StructuredTensor::kShapeFieldNumber, kBytes): {
        SIGNET_ASSIGN_OR_RETURN(shape, ReadShape(source_, cursor.Enter()));
        break;
      }
      case WireTag(v1::StructuredTensor::kNrowsFieldNumber, kVarint):
        nrows = cursor.Int64();
        break;
      case WireTag(v1::StructuredTensor::kRowSplitsFieldNumber, kBytes):
        SIGNET_RETURN_IF_ERROR(ReadSplits(cursor.Enter(), splits));
        break;
      case WireTag(v1::StructuredTensor::kFieldsFieldNumber, kBytes): {
        SIGNET_RETURN_IF_ERROR(source_.allowance().TakeNames());
        SIGNET_ASSIGN_OR_RETURN(NamedEntry entry, ReadNamed(source_, cursor.Enter()));
        if (!entry.content) return Under(entry.name, InvalidArgument("no value"));
        fields.emplace_back(std::move(entry.name), *entry.content);
        break;
      }
      case WireTag(v1::StructuredTensor::kFieldOrderFieldNumber, kBytes):
        SIGNET_RETURN_IF_ERROR(ReadName(source_, cursor, written.order));
        break;
      case WireTag(v1::StructuredTensor::kOptionalFieldsFieldNumber, kBytes):
        SIGNET_RETURN_IF_ERROR(ReadName(source_, cursor, written.optional));
        break;
      default:
        cursor.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(source_.status());
  if (!shape.has_rank() || shape.rank() < outer_rank) {
    return InvalidArgument("expected a structure with the ", outer_rank,
                           " dimensions of the surrounding structure, found shape `", shape, "`");
  }
  int wanted = std::max(shape.rank() - 1, 0) - std::max(outer_rank - 1, 0);
  if (static_cast<int>(splits.size()) != wanted) {
    return InvalidArgument("expected ", wanted, " row_splits for a structure of shape `", shape,
                           "`, found ", splits.size());
  }
  Column column;
  if (shape.rank() > 0 && outer_rank == 0) {
    if (nrows < 0) return InvalidArgument("nrows: expected at least 0, found ", nrows);
    if (shape.dim(0) == kUnknownDim) shape = shape.WithDim(0, nrows);
    column.components.push_back(Tensor::Scalar(nrows));
  }
  for (Tensor& tensor : splits) {
    SIGNET_ASSIGN_OR_RETURN(tensor, Widened(std::move(tensor)));
    column.components.push_back(std::move(tensor));
  }
  std::sort(fields.begin(), fields.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  NamedTypes types;
  for (auto& [name, content] : fields) {
    auto field = ReadField(content, depth + 1, shape.rank());
    if (!field.ok()) return Under(name, field.status());
    for (Tensor& tensor : field->components) column.components.push_back(std::move(tensor));
    types.emplace_back(std::move(name), std::move(field->spec));
  }
  SIGNET_ASSIGN_OR_RETURN(column.spec,
                          MakeStructuredType(std::move(shape), std::move(types), written));
  return column;
}

StatusOr<ValueReader::Column> ValueReader::ReadField(WireCursor cursor, int depth, int outer_rank) {
  SIGNET_RETURN_IF_ERROR(source_.allowance().CheckDepth(depth));
  StatusOr<Column> column = Column();
  while (uint32_t tag = cursor.NextTag()) {
    switch (tag) {
      case WireTag(v1::Value::kTensorFieldNumber, kBytes): {
        SIGNET_ASSIGN_OR_RETURN(Tensor tensor, ReadTensor(source_, cursor.Enter()));
        TypeSpec spec = tensor.spec();
        column = Column{std::move(spec), {std::move(tensor)}};
        break;
      }
      case WireTag(v1::Value::kRaggedFieldNumber, kBytes):
        column = ReadRagged(cursor.Enter(), outer_rank);
        break;
      case WireTag(v1::Value::kStructuredFieldNumber, kBytes):
        column = ReadStructured(cursor.Enter(), depth, outer_rank);
        break;
      default:
        cursor.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(source_.status());
  if (column.ok() && !column->spec) {
    return InvalidArgument(
        "expected a tensor, a ragged tensor, or a structure, found another value");
  }
  return column;
}

}  // namespace signet::wire
