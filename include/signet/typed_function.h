// TypedFunction: a function of a server with C++ types of parameters and result.
//
//   signet::TypedFunction<std::vector<float>(std::vector<float>)> predict(
//       client, {.model = {.name = "math"}, .function = "affine"});
//   signet::StatusOr<std::vector<float>> halves = predict({1, 2, 4});
//   auto later = predict.Async({8});  // a future
//
// Parameters are converted as ToValue does, and results as ValueAs does (signet/record.h). A
// parameter can also be Json or MessageRows. The given call states the model, the function,
// keyword arguments, and options; its positional arguments, if any, come before the arguments of a
// call. The client must outlive the function. Immutable; thread-safe.

#pragma once

#include <functional>
#include <future>
#include <memory>
#include <type_traits>
#include <utility>

#include "signet/client.h"
#include "signet/record.h"

namespace signet {

template <class Signature>
class TypedFunction;

template <class Result, class... Parameters>
class TypedFunction<Result(Parameters...)> {
 public:
  TypedFunction(const Client& client, RemoteCall call) : client_(client), call_(std::move(call)) {}

  // Calls the function and waits for its result.
  StatusOr<Result> operator()(const std::remove_cvref_t<Parameters>&... arguments) const {
    return client_.CallAs<Result>(WithArguments(arguments...));
  }
  // Starts a call.
  std::future<StatusOr<Result>> Async(const std::remove_cvref_t<Parameters>&... arguments) const {
    auto promise = std::make_shared<std::promise<StatusOr<Result>>>();
    auto out = promise->get_future();
    Async(arguments...,
          [promise](StatusOr<Result> result) { promise->set_value(std::move(result)); });
    return out;
  }
  // Does the same; `done` is called once, as for Client::CallAsync.
  void Async(const std::remove_cvref_t<Parameters>&... arguments,
             std::function<void(StatusOr<Result>)> done) const {
    client_.CallAsync(WithArguments(arguments...), [done = std::move(done)](StatusOr<Value> value) {
      if (!value.ok()) return done(value.status());
      done(ValueAs<Result>(*value));
    });
  }

 private:
  template <class Argument>
  static RemoteArgument ArgumentOf(const Argument& argument) {
    if constexpr (std::is_same_v<Argument, Json> || std::is_same_v<Argument, MessageRows>) {
      return argument;
    } else {
      return ToValue(argument);
    }
  }

  RemoteCall WithArguments(const std::remove_cvref_t<Parameters>&... arguments) const {
    RemoteCall out = call_;
    (out.args.push_back(ArgumentOf(arguments)), ...);
    return out;
  }

  const Client& client_;
  const RemoteCall call_;
};

}  // namespace signet
