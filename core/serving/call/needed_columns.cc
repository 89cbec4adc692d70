#include "core/serving/call/needed_columns.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/serving/call/accepted_forms.h"
#include "core/serving/call/decode.h"

namespace signet {
namespace {

using Nothing = std::optional<PolymorphicFunction::Prepared>;

// Returns true if a part of the argument may suffice. An argument that may have another type is
// decoded completely.
bool HasColumns(const BoundArgument& argument, const ModelDef& model) {
  return argument.type && argument.type.num_components() > 1 &&
         AcceptedForms(argument.type, model).empty() && !HasOpenParts(argument.type, model);
}

// Returns true if there is a component that no result needs.
bool AnyUnneeded(const PolymorphicFunction::Prepared& prepared) {
  for (size_t i = 0; i < prepared.arguments.size(); ++i) {
    if (!prepared.arguments[i].is_placeholder()) continue;
    std::vector<bool> needs = prepared.NeedsOf(i);
    if (std::find(needs.begin(), needs.end(), false) != needs.end()) return true;
  }
  return false;
}

}  // namespace

StatusOr<std::optional<PolymorphicFunction::Prepared>> PrepareWithNeededColumns(
    BoundCall& call, const Limits& limits, const RunControl& control) {
  const PolymorphicFunction& function = *call.called.function;
  const ModelDef& model = call.called.model->def();
  SIGNET_RETURN_IF_ERROR(DecodeTypedArguments(call, limits, control.deferral));
  std::vector<BoundArgument*> with_columns, others;
  for (BoundArgument& argument : call.encoded) {
    if (argument.is_decoded) continue;
    (HasColumns(argument, model) ? with_columns : others).push_back(&argument);
  }
  if (with_columns.empty()) return Nothing();
  for (BoundArgument* argument : others) {
    SIGNET_ASSIGN_OR_RETURN(Value value, DecodeArgument(call, *argument, limits, control.deferral));
    SetDecoded(call, *argument, std::move(value));
  }
  EndStage(call.times, Stage::kDecode);

  CallArguments types = call.arguments;
  for (BoundArgument* argument : with_columns) {
    ValueOf(types, *argument) = Value::OfType(argument->type);
  }
  auto prepared = function.PrepareForTypes(*call.binding, types, control);
  EndStage(call.times, Stage::kDispatch);
  if (!prepared || !AnyUnneeded(*prepared)) return Nothing();

  std::vector<Value> values;
  for (BoundArgument* argument : with_columns) {
    SIGNET_ASSIGN_OR_RETURN(Value value, DecodeArgument(call, *argument, limits, control.deferral,
                                                        prepared->NeedsOf(argument->parameter)));
    values.push_back(std::move(value));
  }
  EndStage(call.times, Stage::kDecode);
  for (size_t i = 0; i < values.size(); ++i) {
    prepared->arguments[with_columns[i]->parameter] = std::move(values[i]);
  }
  return function.PrepareForParts(*std::move(prepared), control);
}

}  // namespace signet
