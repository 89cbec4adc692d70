// Function: a function of a model.
//
//   auto function = model.FindFunction("score");
//   auto recipes = function->ParseArgument("recipes", R"([{"title": "soup"}])");
//   auto scores = function->Call({*recipes}, {{"top_k", signet::Tensor::Scalar<int64_t>(3)}});
//
// A call binds its arguments as Python does: by position, by name, and by default values. The types
// of the arguments select a concrete function, which is compiled when these types first appear
// (docs/guide/dispatch.md). A Function keeps its model alive. Thread-safe: any number of threads
// may call it at the same time.

#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "signet/explanation.h"
#include "signet/function_type.h"
#include "signet/status.h"
#include "signet/value.h"

namespace signet {

class ConcreteFunction;
class LoadedModel;
class PolymorphicFunction;

struct CallOptions {
  // The call fails with DEADLINE_EXCEEDED soon after this time.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  // The call fails with CANCELLED soon after another thread sets this. Must outlive the call.
  const std::atomic<bool>* cancelled = nullptr;
  // Whether large kernels may use further threads, one per processor that the process may use. All
  // calls of the process share these threads. The calling thread always works, too.
  bool use_threads = true;
};

// The concrete function for arguments of certain types, which Function::FindConcrete returns. It
// keeps its model alive. Thread-safe.
class FunctionForTypes {
 public:
  // The type of the calls that it accepts: each parameter is required and has a type.
  const FunctionType& type() const;
  // The type of its results.
  const TypeSpec& output() const;

  // Binds the arguments to the parameters of type(), and casts them. An argument that is left out
  // has the default of the original function, if that fits.
  StatusOr<Value> Call(std::vector<Value> positional, NamedValues keyword = {},
                       const CallOptions& options = {}) const;

 private:
  friend class Function;
  FunctionForTypes(std::shared_ptr<const LoadedModel> model,
                   std::shared_ptr<const ConcreteFunction> function, std::string place)
      : model_(std::move(model)), function_(std::move(function)), place_(std::move(place)) {}

  std::shared_ptr<const LoadedModel> model_;
  std::shared_ptr<const ConcreteFunction> function_;
  std::string place_;  // of an error: `recipes/3.score`
};

class Function {
 public:
  const std::string& name() const;
  const std::string& doc() const;
  // The signature as text, with default values: `score(x: float32[?], top_k = 3) -> float32[?]`.
  const std::string& signature() const;
  const FunctionType& type() const;

  // Calls the function on this thread, and waits for the result. If the arguments do not fit the
  // signature: INVALID_ARGUMENT, with a reason (ReasonOf) and the path of the argument (FieldOf).
  StatusOr<Value> Call(std::vector<Value> positional, NamedValues keyword = {},
                       const CallOptions& options = {}) const;

  // Parses JSON as a value for a parameter. Returns NOT_FOUND if no parameter has this name. For a
  // variadic parameter, the text is one of its arguments.
  StatusOr<Value> ParseArgument(std::string_view parameter, std::string_view json) const;

  // Compiles the concrete function for arguments of these types, so that the first call does not
  // have to. Value::OfType(type) may stand for a value.
  Status Specialize(std::vector<Value> positional, NamedValues keyword = {}) const;

  // Returns the concrete function for arguments of these types, and compiles it if there is none.
  // Value::OfType(type) may stand for a value.
  //   function.FindConcrete({Value::OfType(TensorType(DType::kFloat32, {std::nullopt}))})
  StatusOr<FunctionForTypes> FindConcrete(std::vector<Value> positional,
                                          NamedValues keyword = {}) const;

  // Returns what Call would do. Value::OfType(type) may stand for a value.
  Explanation Explain(std::vector<Value> positional, NamedValues keyword = {}) const;

 private:
  friend class Model;
  Function(std::shared_ptr<const LoadedModel> model, const PolymorphicFunction* function)
      : model_(std::move(model)), function_(function) {}

  std::shared_ptr<const LoadedModel> model_;
  const PolymorphicFunction* function_;  // of `model_`
};

}  // namespace signet
