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
#include "core/serving/repository/repository.h"

namespace signet {

// The function that a call names, and its model.
struct CalledFunction {
  // Returns `recipes/3.score`, as errors name the function of a call.
  std::string path() const;

  std::shared_ptr<const LoadedModel> model;
  const PolymorphicFunction* function = nullptr;  // of `model`
};

// An encoded argument, and the parameter that it is assigned to.
struct BoundArgument {
  EncodedArgument encoded;
  std::string name;               // of the parameter, as errors show it
  TypeSpec type;                  // that the argument is decoded under; null: any
  size_t parameter = 0;           // index in the canonical call; not set for an entry of **kwargs
  bool has_no_type_keys = false;  // JSON that is known not to state its type
  bool is_decoded = false;        // the value is among the arguments of the call
};

struct BoundCall {
  CalledFunction called;
  CallArguments arguments;             // an encoded argument is empty until it is decoded
  std::vector<BoundArgument> encoded;  // those that came in a data format
  ResultFormat result_format;
  std::optional<Binding> binding;  // set unless `concrete` is
  std::shared_ptr<const ConcreteFunction> concrete;
  // What the preparation of the call has found so far (prepare.h).
  bool needs_all_columns = false;
  std::optional<CanonicalCall> canonical;
};

// Returns NOT_FOUND if there is no such model or function.
StatusOr<CalledFunction> FindCalledFunction(const Repository& repository,
                                            const CallRequest& request);

// Binds the arguments of `request`. Errors are those of BindArguments.
StatusOr<BoundCall> BindToFunction(CalledFunction called, CallRequest request);

// Finds the function, then its concrete function by the types of the arguments, or else binds them.
// Errors of binding start with the path of the function.
StatusOr<BoundCall> BindCall(const Repository& repository, CallRequest request);

// Returns how errors name the positional argument `index`: its parameter, `rest_0` of *rest, or
// `args[2]` if the signature has fewer parameters.
std::string PositionalName(const FunctionType& type, size_t index);

}  // namespace signet
