// BoundCall: a call whose function is found and whose arguments are assigned to its parameters.
//
//   auto call = BindCall(repository, std::move(request));
//   CallExecution execution(*std::move(call), limits);
//
// A call is bound once. The later steps (decode.h, prepare.h, execute.h, encode.h) take the model,
// the function, and the binding from here and repeat no lookup. A call whose arguments are values
// by position, of types that were seen before, needs no binding at all: its concrete function is
// found directly. Not thread-safe, but a call may move from one thread to another.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/common/call_request.h"
#include "core/model/loaded_model.h"
#include "core/serving/call/stage_times.h"
#include "core/serving/repository/repository.h"

namespace signet {

// The function of a call, and its model.
struct CalledFunction {
  // Returns `recipes/3.score`, as errors name the function of a call.
  std::string path() const;

  std::shared_ptr<const LoadedModel> model;
  const PolymorphicFunction* function = nullptr;  // of `model`
  // The effective settings of the model; null outside a server.
  std::shared_ptr<const EffectiveSettings> settings = nullptr;
};

// An encoded argument, and the parameter that it is assigned to.
struct BoundArgument {
  EncodedArgument encoded;
  std::string name;               // of the parameter, in errors
  TypeSpec type;                  // under which the argument is decoded; null for any type
  size_t parameter = 0;           // index in the canonical call; unused for an entry of **kwargs
  bool has_no_type_keys = false;  // JSON that is known not to state its type
  bool is_decoded = false;        // the arguments of the call contain the value
};

struct BoundCall {
  CalledFunction called;
  CallArguments arguments;             // an encoded argument is empty until it is decoded
  std::vector<BoundArgument> encoded;  // the arguments in a data format
  ResultFormat result_format;
  bool is_flat = false;            // the arguments were tensors with names (core/serving/flat)
  std::optional<Binding> binding;  // set unless `concrete` is
  std::shared_ptr<const ConcreteFunction> concrete;
  StageTimes* times = nullptr;  // receives the times of the later steps; may be null
  // The state of the preparation of the call (prepare.h).
  bool needs_all_columns = false;
  std::optional<CanonicalCall> canonical;
};

// Finds the function of a call. Returns NOT_FOUND if the model or the function does not exist.
StatusOr<CalledFunction> FindCalledFunction(const Repository& repository,
                                            const CallRequest& request);

// Binds the arguments of `request`. Returns the errors of BindArguments.
StatusOr<BoundCall> BindToFunction(CalledFunction called, CallRequest request);

// Finds the function. Finds the concrete function by the types of the arguments, or else binds
// them. Errors of binding start with the path of the function.
StatusOr<BoundCall> BindCall(const Repository& repository, CallRequest request);
// Does the same after FindCalledFunction.
StatusOr<BoundCall> BindCall(CalledFunction called, CallRequest request);

// Returns how errors name the positional argument `index`: its parameter, `rest_0` of *rest, or
// `args[2]` if the signature has fewer parameters.
std::string PositionalName(const FunctionType& type, size_t index);

}  // namespace signet
