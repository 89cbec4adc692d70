#include "tests/conformance/structured/partitions.h"

#include <stdexcept>

#include "signet/tensor_spec.h"
#include "tests/conformance/structured/compare.h"

namespace signet::structured_vectors {
StatusOr<int64_t> ScalarOf(const Json& json, std::string_view name) {
  if (json.is_number_integer() &&
      (json.is_number_unsigned() ? json.get<uint64_t>() <= INT64_MAX : true)) {
    return json.get<int64_t>();
  }
  return InvalidArgument(name, ": expected an int64 scalar, found ", json.dump());
}

namespace {

StatusOr<std::optional<int64_t>> CountIn(const Json& json, const char* name) {
  if (!json.contains(name) || json.at(name).is_null()) return std::optional<int64_t>();
  SIGNET_ASSIGN_OR_RETURN(int64_t count, ScalarOf(json.at(name), name));
  return std::optional(count);
}

}  // namespace

StatusOr<RowPartition> MakePartition(const Json& json, DType dtype) {
  SIGNET_ASSIGN_OR_RETURN(auto nrows, CountIn(json, "nrows"));
  SIGNET_ASSIGN_OR_RETURN(auto nvals, CountIn(json, "nvals"));
  for (const char* name :
       {"row_splits", "row_lengths", "row_limits", "value_rowids", "row_starts"}) {
    if (!json.contains(name)) continue;
    SIGNET_ASSIGN_OR_RETURN(Value value, MakeValueOf(TensorType(dtype, {}), json.at(name)));
    const Tensor& vector = value.tensor();
    std::string_view encoding = name;
    if (encoding == "row_splits") return RowPartition::FromRowSplits(vector);
    if (encoding == "row_lengths") return RowPartition::FromRowLengths(vector);
    if (encoding == "row_limits") return RowPartition::FromRowLimits(vector);
    if (encoding == "value_rowids") return RowPartition::FromValueRowIds(vector, nrows);
    if (!nvals) return InvalidArgument("nvals: expected a scalar, found none");
    return RowPartition::FromRowStarts(vector, *nvals);
  }
  if (json.contains("uniform_row_length")) {
    SIGNET_ASSIGN_OR_RETURN(int64_t length,
                            ScalarOf(json.at("uniform_row_length"), "uniform_row_length"));
    return RowPartition::FromUniformRowLength(dtype, length, nvals, nrows);
  }
  throw std::runtime_error(Cat("unknown row partition: ", json.dump()));
}

Json ViewsOf(const RowPartition& partition) {
  auto length = partition.uniform_row_length();
  return {
      {"row_splits", ToJson(partition.row_splits())},
      {"row_lengths", ToJson(Must(partition.RowLengths()))},
      {"row_starts", ToJson(partition.RowStarts())},
      {"row_limits", ToJson(partition.RowLimits())},
      {"value_rowids", ToJson(Must(partition.ValueRowIds()))},
      {"nrows", partition.nrows()},
      {"nvals", partition.nvals()},
      {"uniform_row_length", length ? Json(*length) : Json(nullptr)},
  };
}

}  // namespace signet::structured_vectors
