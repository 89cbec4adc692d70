// Updates of structures.

#include "signet/ops/run_op.h"
#include "signet/ops/structured.h"
#include "tests/conformance/structured/table.h"
#include "tests/conformance/structured/three_ways.h"

namespace signet::structured_vectors {
namespace {

// What an update by a function makes of the field that it names.
StatusOr<Value> Changed(const Value& structure, const Json& update) {
  std::vector<std::string> path = update.at("path");
  ChangeField change = [&](const Value& field) {
    return RunOp1(std::string(update.at("fn")),
                  {field, Value::Trusted(ToAttribute(update.at("operand")), {})});
  };
  const FieldUpdate updates[] = {{path, change}};
  SIGNET_ASSIGN_OR_RETURN(Value changed, signet::WithUpdates(structure, updates));
  return FieldAt(changed, path);
}

StatusOr<Answer> WithUpdates(const Case& one) {
  std::vector<Value> inputs = {one.value("value")};
  Json names = Json::array();
  Json without = Json::array();
  for (const Json& update : one.arg("updates")) {
    (update.contains("delete") ? without : names).push_back(update.at("path"));
    if (update.contains("delete")) continue;
    SIGNET_ASSIGN_OR_RETURN(
        Value value, update.contains("fn") ? Changed(inputs[0], update) : MakeTypedValue(update));
    inputs.push_back(std::move(value));
  }
  return RunThreeWays(
      "struct_update", inputs,
      Attributes({{"names", ToAttribute(names)}, {"without", ToAttribute(without)}}));
}

StatusOr<Answer> Filter(std::string_view op, const Case& one) {
  return RunThreeWays(op, {one.value("value")}, Attributes({{"names", one.attribute("paths")}}));
}
StatusOr<Answer> Without(const Case& one) { return Filter("struct_without", one); }
StatusOr<Answer> WithOnly(const Case& one) { return Filter("struct_with_only", one); }

constexpr OpRow kOps[] = {
    {"with_only", WithOnly},
    {"with_updates", WithUpdates},
    {"without", Without},
};

}  // namespace

std::span<const OpRow> FieldOps() { return kOps; }

}  // namespace signet::structured_vectors
