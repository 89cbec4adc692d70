#include "tests/conformance/structured/partitions.h"

#include <stdexcept>

#include "core/types/tensor_spec.h"
#include "tests/conformance/structured/compare.h"

namespace signet::structured_vectors {
namespace {

std::optional<int64_t> CountIn(const Json& json, const char* name) {
  if (!json.contains(name) || json.at(name).is_null()) return std::nullopt;
  return json.at(name).get<int64_t>();
}

}  // namespace

StatusOr<RowPartition> MakePartition(const Json& json, DType dtype) {
  auto vector = [&](const char* name) {
    return Must(MakeValueOf(TensorType(dtype, {}), json.at(name))).tensor();
  };
  if (json.contains("row_splits")) return RowPartition::FromRowSplits(vector("row_splits"));
  if (json.contains("row_lengths")) return RowPartition::FromRowLengths(vector("row_lengths"));
  if (json.contains("row_limits")) return RowPartition::FromRowLimits(vector("row_limits"));
  if (json.contains("value_rowids")) {
    return RowPartition::FromValueRowIds(vector("value_rowids"), CountIn(json, "nrows"));
  }
  if (json.contains("row_starts")) {
    return RowPartition::FromRowStarts(vector("row_starts"), json.at("nvals"));
  }
  if (json.contains("uniform_row_length")) {
    return RowPartition::FromUniformRowLength(dtype, json.at("uniform_row_length"),
                                              CountIn(json, "nvals"), CountIn(json, "nrows"));
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
