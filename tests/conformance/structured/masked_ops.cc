// Operations on MaskedTensor: functions of the example model, which defines the type.

#include "core/frontends/load_model.h"
#include "core/model/loaded_model.h"
#include "tests/conformance/structured/table.h"

namespace signet::structured_vectors {
namespace {

const LoadedModel& MaskedModel() {
  static const auto* const model = new std::shared_ptr<const LoadedModel>(
      Must(LoadModel("examples/models/masked/1", "masked", 1, ModelOptions())));
  return **model;
}

// Args of cases, and the parameters that they are.
constexpr std::pair<const char*, const char*> kArgs[] = {
    {"multiples", "multiples"}, {"axis", "axes"}, {"keepdims", "keepdims"}};

Value Plain(const TypeSpec& attribute) { return Value::Trusted(attribute, {}); }

// The function that is called as the operation is, with the case's inputs and args in its order.
StatusOr<Answer> CallModel(const Case& one) {
  CallArguments arguments;
  for (const char* name : {"x", "values", "mask", "y"}) {
    if (one.has_input(name)) arguments.positional.push_back(one.value(name));
  }
  if (one.args().contains("default")) {
    arguments.positional.push_back(Plain(one.attribute("default")));
  }
  for (const auto& [arg, parameter] : kArgs) {
    if (!one.args().contains(arg)) continue;
    arguments.keyword.emplace_back(parameter, Plain(one.attribute(arg)));
  }
  std::string name = one.op().substr(std::string_view("masked.").size());
  const PolymorphicFunction* function = Must(MaskedModel().FindFunction(name));
  SIGNET_ASSIGN_OR_RETURN(Value result, function->Call(std::move(arguments), RunControl()));
  return AnswerOf(std::move(result));
}

constexpr OpRow kOps[] = {
    {"masked.abs", CallModel},          {"masked.add", CallModel},
    {"masked.equals", CallModel},       {"masked.from_full_tensor", CallModel},
    {"masked.matmul", CallModel},       {"masked.mul", CallModel},
    {"masked.neg", CallModel},          {"masked.new", CallModel},
    {"masked.reduce_sum", CallModel},   {"masked.shape", CallModel},
    {"masked.sub", CallModel},          {"masked.tile", CallModel},
    {"masked.with_default", CallModel},
};

}  // namespace

std::span<const OpRow> MaskedOps() { return kOps; }

}  // namespace signet::structured_vectors
