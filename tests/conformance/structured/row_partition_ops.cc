// Row partitions and their types.

#include "tests/conformance/structured/partitions.h"
#include "tests/conformance/structured/table.h"

namespace signet::structured_vectors {
namespace {

DType DTypeIn(const Json& json) {
  return json.contains("dtype") ? LookupDType(json.at("dtype").get<std::string>()).value()
                                : DType::kInt64;
}

Answer AnswerOf(Json value) {
  Answer answer;
  answer.data["value"] = std::move(value);
  return answer;
}

StatusOr<Answer> Make(const Case& one) {
  SIGNET_ASSIGN_OR_RETURN(RowPartition partition, MakePartition(one.inputs(), DTypeIn(one.args())));
  Answer answer;
  answer.data = ViewsOf(partition);
  return answer;
}

StatusOr<Answer> OffsetsInRows(const Case& one) {
  SIGNET_ASSIGN_OR_RETURN(RowPartition partition, MakePartition(one.inputs()));
  SIGNET_ASSIGN_OR_RETURN(Tensor offsets, partition.OffsetsInRows());
  return AnswerOf(ToJson(offsets));
}

StatusOr<Answer> Merge(const Case& one) {
  SIGNET_ASSIGN_OR_RETURN(RowPartition a, MakePartition(one.inputs().at("a")));
  SIGNET_ASSIGN_OR_RETURN(RowPartition b, MakePartition(one.inputs().at("b")));
  SIGNET_ASSIGN_OR_RETURN(RowPartition merged, a.MergeWith(b));
  Answer answer;
  answer.data = ViewsOf(merged);
  return answer;
}

StatusOr<RowPartitionSpec> MakeSpec(const Json& json) {
  auto size = [&](const char* name) {
    return json.contains(name) && !json.at(name).is_null() ? json.at(name).get<int64_t>()
                                                           : kUnknownDim;
  };
  return RowPartitionSpec::Make(
      {size("nrows"), size("nvals"), size("uniform_row_length"), DTypeIn(json)});
}

Json SizesOf(const RowPartitionSpec& spec) {
  auto size = [](int64_t n) { return n == kUnknownDim ? Json(nullptr) : Json(n); };
  return {{"nrows", size(spec.nrows)},
          {"nvals", size(spec.nvals)},
          {"uniform_row_length", size(spec.uniform_row_length)},
          {"dtype", NameOf(spec.dtype)}};
}

StatusOr<Answer> Spec(const Case& one) {
  SIGNET_ASSIGN_OR_RETURN(RowPartitionSpec spec, MakeSpec(one.args()));
  Answer answer;
  answer.data = SizesOf(spec);
  return answer;
}

StatusOr<Answer> SpecIsCompatible(const Case& one) {
  return AnswerOf(
      IsCompatible(Must(MakeSpec(one.inputs().at("a"))), Must(MakeSpec(one.inputs().at("b")))));
}

StatusOr<Answer> SpecMostSpecificCommon(const Case& one) {
  SIGNET_ASSIGN_OR_RETURN(
      RowPartitionSpec joined,
      CommonSupertype(Must(MakeSpec(one.inputs().at("a"))), Must(MakeSpec(one.inputs().at("b")))));
  return AnswerOf(SizesOf(joined));
}

StatusOr<Answer> OuterRowLengths(const Case& one) {
  SIGNET_ASSIGN_OR_RETURN(auto partitions, PartitionsOf(one.value("value"), one.arg("rank")));
  Json lengths = Json::array();
  for (const RowPartition& partition : partitions) {
    lengths.push_back(ToJson(Must(partition.RowLengths())));
  }
  return AnswerOf(std::move(lengths));
}

StatusOr<Answer> PartitionsOfDenseShape(const Case& one) {
  Shape shape;
  for (const Json& json : one.inputs().at("shape")) {
    SIGNET_ASSIGN_OR_RETURN(int64_t size, ScalarOf(json, "shape"));
    shape.push_back(size);
  }
  SIGNET_RETURN_IF_ERROR(CheckShape(shape.dims(), 1));
  SIGNET_ASSIGN_OR_RETURN(auto partitions, PartitionsOfShape(shape, one.arg("rank")));
  Json sizes = Json::array();
  for (const RowPartition& partition : partitions) {
    sizes.push_back({{"uniform_row_length", partition.uniform_row_length().value()},
                     {"nrows", partition.nrows()},
                     {"nvals", partition.nvals()}});
  }
  return AnswerOf(std::move(sizes));
}

constexpr OpRow kOps[] = {
    {"from_row_lengths", Make},
    {"from_row_limits", Make},
    {"from_row_splits", Make},
    {"from_row_starts", Make},
    {"from_uniform_row_length", Make},
    {"from_value_rowids", Make},
    {"merge", Merge},
    {"offsets_in_rows", OffsetsInRows},
    {"outer_row_lengths", OuterRowLengths},
    {"partitions_of_shape", PartitionsOfDenseShape},
    {"spec", Spec},
    {"spec_is_compatible", SpecIsCompatible},
    {"spec_most_specific_common", SpecMostSpecificCommon},
};

}  // namespace

std::span<const OpRow> RowPartitionOps() { return kOps; }

}  // namespace signet::structured_vectors
