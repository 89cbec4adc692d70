// Making structures of fields, and taking fields.

#include "core/values/structured.h"
#include "tests/conformance/structured/partitions.h"
#include "tests/conformance/structured/table.h"

namespace signet::structured_vectors {
namespace {

StatusOr<Answer> FieldNames(const Case& one) {
  Value value = one.value("value");
  Answer answer;
  answer.data["value"] = Json::array();
  for (const std::string& name : FieldNamesOf(value)) answer.data["value"].push_back(name);
  return answer;
}

StatusOr<Answer> FieldValue(const Case& one) {
  std::vector<std::string> path = one.arg("path");
  SIGNET_ASSIGN_OR_RETURN(Value value, FieldAt(one.value("value"), path));
  return AnswerOf(std::move(value));
}

StatusOr<Answer> FromFields(const Case& one) {
  NamedValues fields;
  for (const auto& field : one.inputs().at("fields").items()) {
    fields.emplace_back(field.key(), Must(MakeTypedValue(field.value())));
  }
  Dims dims;
  for (const Json& size : one.arg("shape")) {
    dims.push_back(size.is_null() ? kUnknownDim : size.get<int64_t>());
  }
  std::optional<int64_t> nrows;
  if (!one.arg("nrows").is_null()) nrows = one.arg("nrows").get<int64_t>();
  std::optional<std::vector<RowPartition>> partitions;
  if (Json given = one.arg("row_partitions"); !given.is_null()) {
    partitions.emplace();
    for (const Json& partition : given) partitions->push_back(Must(MakePartition(partition)));
  }
  SIGNET_ASSIGN_OR_RETURN(
      Value value, MakeStructured(PartialShape(std::span<const int64_t>(dims.data(), dims.size())),
                                  std::move(fields), nrows, std::move(partitions)));
  return AnswerOf(std::move(value));
}

constexpr OpRow kOps[] = {
    {"field_names", FieldNames},
    {"field_value", FieldValue},
    {"from_fields", FromFields},
};

}  // namespace

std::span<const OpRow> FieldValues() { return kOps; }

}  // namespace signet::structured_vectors
