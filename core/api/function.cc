#include "signet/function.h"

#include "core/api/shared_threads.h"
#include "core/formats/json/json.h"
#include "core/model/loaded_model.h"
#include "core/runtime/polymorphic_function.h"

namespace signet {
namespace {

// The place of an error: `recipes/3.score`.
std::string PlaceOf(const LoadedModel& model, const PolymorphicFunction& function) {
  return Cat(model.name(), "/", model.version(), ".", function.def().name);
}

// The type of one argument for `parameter`, which is one of those of a variadic parameter.
StatusOr<TypeSpec> TypeOfArgument(const FunctionType& type, std::string_view parameter) {
  if (const Parameter* found = type.LookupParameter(parameter)) return found->type;
  std::vector<std::string> names;
  for (const Parameter& each : type.parameters()) names.push_back(each.name);
  return NotFound("parameter `", Printable(parameter),
                  "` not found; parameters: ", ListNames(std::move(names)));
}

RunControl ControlOf(const CallOptions& options) {
  RunControl control;
  control.deadline = options.deadline;
  control.cancelled = options.cancelled;
  control.parallel = options.use_threads ? SharedThreads() : nullptr;
  return control;
}

}  // namespace

const FunctionType& FunctionForTypes::type() const { return function_->type; }
const TypeSpec& FunctionForTypes::output() const { return function_->output(); }

StatusOr<Value> FunctionForTypes::Call(std::vector<Value> positional, NamedValues keyword,
                                       const CallOptions& options) const {
  auto result = function_->Call({std::move(positional), std::move(keyword)}, ControlOf(options));
  SIGNET_RETURN_IF_ERROR(model_->CheckIntact());
  return result.ok() ? std::move(result) : At(place_, result.status());
}

const std::string& Function::name() const { return function_->def().name; }
const std::string& Function::doc() const { return function_->def().doc; }
const std::string& Function::signature() const { return function_->signature(); }
const FunctionType& Function::type() const { return function_->def().type; }

StatusOr<Value> Function::Call(std::vector<Value> positional, NamedValues keyword,
                               const CallOptions& options) const {
  auto result = function_->Call({std::move(positional), std::move(keyword)}, ControlOf(options));
  SIGNET_RETURN_IF_ERROR(model_->CheckIntact());
  return result.ok() ? std::move(result) : At(PlaceOf(*model_, *function_), result.status());
}

StatusOr<Value> Function::ParseArgument(std::string_view parameter, std::string_view json) const {
  auto type = TypeOfArgument(this->type(), parameter);
  auto value = type.ok() ? ValueFromJson(json, *type, Limits()) : StatusOr<Value>(type.status());
  if (value.ok()) return value;
  Status error = value.status();
  if (type.ok()) error = At(Cat("argument `", parameter, "`"), std::move(error));
  return At(PlaceOf(*model_, *function_), std::move(error));
}

Status Function::Specialize(std::vector<Value> positional, NamedValues keyword) const {
  auto prepared = function_->Prepare({std::move(positional), std::move(keyword)}, {});
  return At(PlaceOf(*model_, *function_), prepared.status());
}

StatusOr<FunctionForTypes> Function::FindConcrete(std::vector<Value> positional,
                                                  NamedValues keyword) const {
  auto found = function_->FindConcrete({std::move(positional), std::move(keyword)});
  std::string place = PlaceOf(*model_, *function_);
  if (!found.ok()) return At(place, found.status());
  return FunctionForTypes(model_, *std::move(found), std::move(place));
}

Explanation Function::Explain(std::vector<Value> positional, NamedValues keyword) const {
  return function_->Explain({std::move(positional), std::move(keyword)});
}

}  // namespace signet
