#include "core/serving/call/bind.h"

#include <utility>

#include "core/serving/flat/flat_arguments.h"

namespace signet {
namespace {

// Returns the type under which text or messages are decoded; null for `any`.
TypeSpec DecodedType(const TypeSpec& constraint) {
  TypeSpec type = constraint;
  while (type && type.is(TypeKind::kAny)) {
    type = type.children().empty() ? TypeSpec() : type.children()[0];
  }
  return type;
}

// Returns the parameter of positional argument `index`, or null if it belongs to *args or to none.
const Parameter* PositionalParameter(const FunctionType& type, size_t index) {
  for (size_t i = 0; i < type.parameters().size(); ++i) {
    const Parameter& parameter = type.parameters()[i];
    if (parameter.kind >= ParameterKind::kVarPositional) return nullptr;
    if (i == index) return &parameter;
  }
  return nullptr;
}

void AssignPositional(const FunctionType& type, BoundArgument& argument) {
  const Parameter* parameter = PositionalParameter(type, argument.encoded.index);
  argument.name = PositionalName(type, argument.encoded.index);
  if (parameter != nullptr) argument.type = DecodedType(parameter->type);
  argument.parameter = argument.encoded.index;
}

void AssignKeyword(const FunctionType& type, const Binding& binding, const NamedValues& keywords,
                   BoundArgument& argument) {
  argument.name = keywords[argument.encoded.index].first;
  size_t place = 0;
  for (size_t i = 0; i < binding.parameters.size(); ++i) {
    const BoundParameter& bound = binding.parameters[i];
    if (bound.source == BoundParameter::Source::kKeyword && bound.index == argument.encoded.index) {
      argument.type = DecodedType(type.parameters()[i].type);
      argument.parameter = place;
      return;
    }
    place += type.parameters()[i].kind == ParameterKind::kVarPositional ? bound.count : 1;
  }
}

}  // namespace

std::string CalledFunction::path() const {
  return Cat(model->name(), "/", model->version(), ".", function->def().name);
}

StatusOr<CalledFunction> FindCalledFunction(const Repository& repository,
                                            const CallRequest& request) {
  CalledFunction called;
  SIGNET_ASSIGN_OR_RETURN(ServedModel served,
                          repository.FindServed(request.model, request.version, request.label));
  called.model = std::move(served.model);
  called.settings = std::move(served.settings);
  const bool is_default = request.tensors && request.function.empty();
  SIGNET_ASSIGN_OR_RETURN(called.function, is_default
                                               ? FindDefaultFunction(*called.model)
                                               : called.model->FindFunction(request.function));
  return called;
}

StatusOr<BoundCall> BindToFunction(CalledFunction called, CallRequest request) {
  BoundCall call;
  call.called = std::move(called);
  call.arguments = std::move(request.arguments);
  call.result_format = std::move(request.result_format);
  SIGNET_ASSIGN_OR_RETURN(call.binding, call.called.function->Bind(call.arguments));
  const FunctionType& type = call.called.function->def().type;
  call.encoded.reserve(request.encoded.size());
  for (EncodedArgument& encoded : request.encoded) {
    BoundArgument& argument = call.encoded.emplace_back();
    argument.encoded = std::move(encoded);
    if (argument.encoded.is_keyword) {
      AssignKeyword(type, *call.binding, call.arguments.keyword, argument);
    } else {
      AssignPositional(type, argument);
    }
  }
  return call;
}

StatusOr<BoundCall> BindCall(const Repository& repository, CallRequest request) {
  SIGNET_ASSIGN_OR_RETURN(CalledFunction called, FindCalledFunction(repository, request));
  return BindCall(std::move(called), std::move(request));
}

StatusOr<BoundCall> BindCall(CalledFunction called, CallRequest request) {
  const bool is_flat = request.tensors.has_value();
  if (is_flat) {
    Status assigned = AssignFlatArguments(called.function->def(), request);
    if (!assigned.ok()) return At(called.path(), std::move(assigned));
  }
  if (auto concrete = called.function->LookupDirect(request.arguments)) {
    BoundCall call;
    call.called = std::move(called);
    call.arguments = std::move(request.arguments);
    call.result_format = std::move(request.result_format);
    call.concrete = std::move(concrete);
    call.is_flat = is_flat;
    return call;
  }
  auto call = BindToFunction(called, std::move(request));
  if (!call.ok()) return At(called.path(), std::move(call).status());
  call->is_flat = is_flat;
  return call;
}

std::string PositionalName(const FunctionType& type, size_t index) {
  for (size_t i = 0; i < type.parameters().size(); ++i) {
    const Parameter& parameter = type.parameters()[i];
    if (parameter.kind > ParameterKind::kVarPositional) break;
    if (parameter.kind == ParameterKind::kVarPositional) return Cat(parameter.name, "_", index - i);
    if (i == index) return parameter.name;
  }
  return Cat("args[", index, "]");
}

}  // namespace signet
