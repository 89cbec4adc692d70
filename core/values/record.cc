#include "signet/record.h"

#include <algorithm>

#include "signet/literal_spec.h"
#include "signet/nest.h"
#include "signet/ragged_spec.h"
#include "signet/row_partition.h"
#include "signet/structured.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"

namespace signet::record {
namespace {

template <class T>
T Require(StatusOr<T> result) {
  SIGNET_CHECK(result.ok());
  return *std::move(result);
}

// Returns `first` and the dimensions of `shape` after the first `skipped` ones.
PartialShape Joined(const PartialShape& first, const PartialShape& shape, int skipped) {
  return first.Concatenate(shape.Slice(skipped, shape.rank()));
}

Value RaggedOf(PartialShape shape, const Tensor& flat, std::vector<Tensor> splits) {
  TypeSpec spec =
      Require(MakeRaggedType(flat.dtype(), std::move(shape), static_cast<int>(splits.size())));
  Components components = {flat};
  for (Tensor& each : splits) components.push_back(std::move(each));
  return Require(MakeValue(std::move(spec), std::move(components)));
}

std::vector<Tensor> SplitsOf(const Value& value) {
  const auto components = value.components();
  return {components.begin() + 1, components.end()};
}

// Adds a dimension to a column: the rows of `partition`.
Value Partitioned(const Value& rows, const RowPartition& partition) {
  const int64_t length = partition.uniform_row_length().value_or(kUnknownDim);
  const TypeSpec& spec = rows.spec();
  if (const auto* structured = spec.As<StructuredSpec>()) {
    NamedValues fields;
    for (const std::string& name : structured->field_names()) {
      fields.emplace_back(name, Partitioned(Require(FieldOf(rows, name)), partition));
    }
    std::vector<RowPartition> partitions = {partition};
    for (RowPartition& each : Require(PartitionsOf(rows, structured->rank()))) {
      partitions.push_back(std::move(each));
    }
    return Require(MakeStructured(Joined({partition.nrows(), length}, structured->shape(), 1),
                                  std::move(fields), partition.nrows(), std::move(partitions)));
  }
  if (spec.is(TypeKind::kTensor)) {
    const Tensor& tensor = rows.tensor();
    return RaggedOf(Joined({partition.nrows(), length}, tensor.shape(), 1), tensor,
                    {partition.row_splits()});
  }
  const auto& ragged = *spec.As<RaggedSpec>();
  std::vector<Tensor> splits = SplitsOf(rows);
  splits.insert(splits.begin(), partition.row_splits());
  return RaggedOf(Joined({partition.nrows(), length}, ragged.shape(), 1), rows.components()[0],
                  std::move(splits));
}

// Returns a value of at least two dimensions with the first two of them merged. The value has
// int64 row splits.
StatusOr<Value> WithoutRows(const Value& value, const RowPartition& partition) {
  const TypeSpec& spec = value.spec();
  if (const auto* structured = spec.As<StructuredSpec>()) {
    NamedValues fields;
    for (const std::string& name : structured->field_names()) {
      SIGNET_ASSIGN_OR_RETURN(Value field, FieldOf(value, name));
      SIGNET_ASSIGN_OR_RETURN(field, WithoutRows(field, partition));
      fields.emplace_back(name, std::move(field));
    }
    SIGNET_ASSIGN_OR_RETURN(std::vector<RowPartition> partitions,
                            PartitionsOf(value, structured->rank()));
    partitions.erase(partitions.begin());
    return MakeStructured(Joined({kUnknownDim}, structured->shape(), 2), std::move(fields),
                          partition.nvals(), std::move(partitions));
  }
  const auto* ragged = spec.As<RaggedSpec>();
  if (ragged == nullptr || ragged->ragged_rank() == 0) {
    const Tensor& tensor = value.components()[0];
    Shape shape = {partition.nvals()};
    for (int axis = 2; axis < tensor.rank(); ++axis) shape.push_back(tensor.shape().dim(axis));
    return Value(tensor.Reshaped(std::move(shape)));
  }
  std::vector<Tensor> splits = SplitsOf(value);
  splits.erase(splits.begin());
  if (splits.empty()) return Value(value.components()[0]);
  const int rank = static_cast<int>(splits.size()) + 1;
  SIGNET_ASSIGN_OR_RETURN(
      TypeSpec flat,
      MakeRaggedType(ragged->dtype(),
                     Joined(PartialShape::OfRank(rank), value.components()[0].shape(), 1),
                     ragged->ragged_rank() - 1, ragged->splits_dtype()));
  Components components = {value.components()[0]};
  for (Tensor& each : splits) components.push_back(std::move(each));
  return MakeValue(std::move(flat), std::move(components));
}

}  // namespace

Value PartitionRows(const Value& rows, std::span<const int64_t> row_lengths) {
  const Tensor lengths =
      Tensor::Of<int64_t>({static_cast<int64_t>(row_lengths.size())}, row_lengths);
  return Partitioned(rows, Require(RowPartition::FromRowLengths(lengths)));
}

Value PartitionRowsEvenly(const Value& rows, int64_t count, int64_t length) {
  if (rows.spec().is(TypeKind::kTensor)) {
    Shape shape = {count, length};
    for (int64_t size : rows.tensor().shape().dims().subspan(1)) shape.push_back(size);
    return rows.tensor().Reshaped(std::move(shape));
  }
  return Partitioned(rows, Require(RowPartition::FromUniformRowLength(DType::kInt64, length,
                                                                      std::nullopt, count)));
}

Value StructureOf(NamedValues fields, std::optional<int64_t> count) {
  const PartialShape shape = count ? PartialShape{*count} : PartialShape(Shape());
  return Require(MakeStructured(shape, std::move(fields), count));
}

Status Mismatch(const Value& value, std::string_view expected) {
  return InvalidWithReason("TYPE_MISMATCH", "expected ", expected, ", found `",
                           value ? value.spec().ToString() : "no value", "`");
}

StatusOr<Rows> RowsOf(const Value& value) {
  auto partitions = PartitionsOf(value, 2);
  if (!partitions.ok()) return Mismatch(value, "a list in each row");
  SIGNET_ASSIGN_OR_RETURN(RowPartition partition, partitions->front().WithDType(DType::kInt64));
  Rows out;
  SIGNET_ASSIGN_OR_RETURN(out.elements, WithoutRows(value, partition));
  const auto splits = partition.row_splits().elements<int64_t>();
  out.row_splits.assign(splits.begin(), splits.end());
  return out;
}

StatusOr<Tensor> TensorOf(const Value& value, DType dtype, int rank) {
  const auto* ragged = value ? value.spec().As<RaggedSpec>() : nullptr;
  const bool is_dense =
      value && !value.is_placeholder() &&
      (value.spec().is(TypeKind::kTensor) || (ragged != nullptr && ragged->ragged_rank() == 0));
  if (!is_dense || value.components()[0].dtype() != dtype || value.components()[0].rank() != rank) {
    return Mismatch(value, Cat("`", NameOf(dtype), rank == 0 ? "[]" : "[?]", "`"));
  }
  return value.components()[0];
}

StatusOr<int64_t> CountOf(const Value& value) {
  const auto* structured = value ? value.spec().As<StructuredSpec>() : nullptr;
  if (structured == nullptr || structured->rank() == 0 || value.is_placeholder()) {
    return Mismatch(value, "records");
  }
  return NumRowsOf(value);
}

StatusOr<std::optional<Value>> LookupPart(const Value& value, std::string_view name) {
  if (!value || value.is_placeholder()) return Mismatch(value, "a record");
  const TypeSpec& spec = value.spec();
  if (const auto* structured = spec.As<StructuredSpec>()) {
    if (!structured->LookupField(name)) return std::optional<Value>();
    SIGNET_ASSIGN_OR_RETURN(Value field, FieldOf(value, name));
    return std::optional<Value>(std::move(field));
  }
  std::span<const std::string> names;
  if (const auto* dict = spec.As<DictSpec>()) {
    names = dict->keys();
  } else if (const auto* tuple = spec.As<NamedTupleSpec>()) {
    names = tuple->field_names();
  } else {
    return Mismatch(value, "a record");
  }
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::optional<Value>();
  return std::optional<Value>(ChildrenOf(value)[static_cast<size_t>(found - names.begin())]);
}

bool IsSequence(const Value& value) {
  return value && (value.spec().is(TypeKind::kList) || value.spec().is(TypeKind::kTuple) ||
                   value.spec().is(TypeKind::kNamedTuple));
}

StatusOr<std::vector<Value>> ElementsOf(const Value& value) {
  if (!IsSequence(value)) return Mismatch(value, "a list or a tuple");
  return ChildrenOf(value);
}

StatusOr<Literal> LiteralFor(const Value& value, Literal::Kind kind) {
  if (value.literal().is(kind)) return value.literal();
  switch (kind) {
    case Literal::Kind::kString:
      return Mismatch(value, "a text");
    case Literal::Kind::kBool:
      return Mismatch(value, "a bool");
    case Literal::Kind::kInt:
      return Mismatch(value, "an integer");
    case Literal::Kind::kFloat:
    case Literal::Kind::kNone:
      break;
  }
  return Mismatch(value, "a float");
}

}  // namespace signet::record
