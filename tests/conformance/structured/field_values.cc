// Making structures of fields, and taking fields.

#include "signet/structured.h"
#include "tests/conformance/structured/partitions.h"
#include "tests/conformance/structured/table.h"

namespace signet::structured_vectors {
namespace {

StatusOr<Answer> FieldNames(const Case& one) {
  Value value = one.value("value");
  if (!value.spec().is(TypeKind::kStructured)) {
    return InvalidArgument("expected a structure, found `", value.spec(), "`");
  }
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

// null: unknown rank.
StatusOr<PartialShape> ShapeOf(const Json& json) {
  if (json.is_null()) return PartialShape();
  if (!json.is_array()) return InvalidArgument("shape: expected a list, found ", json.dump());
  Dims dims;
  for (const Json& size : json) {
    dims.push_back(kUnknownDim);
    if (size.is_null()) continue;
    SIGNET_ASSIGN_OR_RETURN(dims.back(), ScalarOf(size, "shape"));
    if (dims.back() < 0) return InvalidArgument("shape: expected sizes of at least 0");
  }
  return PartialShape(std::span<const int64_t>(dims.data(), dims.size()));
}

StatusOr<Answer> FromFields(const Case& one) {
  NamedValues fields;
  for (const auto& field : one.inputs().at("fields").items()) {
    fields.emplace_back(field.key(), Must(MakeTypedValue(field.value())));
  }
  SIGNET_ASSIGN_OR_RETURN(PartialShape shape, ShapeOf(one.arg("shape")));
  std::optional<int64_t> nrows;
  if (Json given = one.arg("nrows"); !given.is_null()) {
    SIGNET_ASSIGN_OR_RETURN(nrows, ScalarOf(given, "nrows"));
  }
  std::optional<std::vector<RowPartition>> partitions;
  if (Json given = one.arg("row_partitions"); !given.is_null()) {
    partitions.emplace();
    for (const Json& json : given) {
      SIGNET_ASSIGN_OR_RETURN(RowPartition partition, MakePartition(json));
      partitions->push_back(std::move(partition));
    }
  }
  SIGNET_ASSIGN_OR_RETURN(Value value,
                          MakeStructured(shape, std::move(fields), nrows, std::move(partitions)));
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
