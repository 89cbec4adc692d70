// Signatures: the functions of a model as TensorFlow Serving names them.
//
//   signature        the function
//   NAME             the function NAME, or the function that was imported from the signature NAME
//   serving_default  the function of this name, or else the only function of the model, or else
//   or empty         `main`, or else `predict`, `classify`, or `regress`, as the RPC is called
//
// The name of an imported signature is a text that functions cannot have in all cases. The metadata
// of the model have it:
//
//   savedmodel.FUNCTION.signature       the name of the signature
//   savedmodel.FUNCTION.method          its method_name
//   savedmodel.FUNCTION.signature_def   the whole SignatureDef, as text
//
// core/model/source_names.h has the names of inputs and outputs.
//
// Stateless; thread-safe.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/formats/common/call_request.h"
#include "core/serving/call/bind.h"
#include "core/serving/repository/repository.h"

namespace signet::tf {

inline constexpr std::string_view kDefaultSignature = "serving_default";

// What a request names.
struct Target {
  std::string model = {};
  std::optional<int64_t> version = {};
  std::string label = {};
  std::string signature = {};  // empty: the default
};

// Returns the name of the signature, which is `serving_default` if a request has none.
std::string_view SignatureNameOf(const Target& target);

enum class Method : uint8_t { kPredict, kClassify, kRegress };

// Returns `predict`, `classify`, or `regress`.
std::string_view NameOf(Method method);

// Returns the function that a call of `method` means. INVALID_ARGUMENT without the name of a model,
// or for an unknown label; NOT_FOUND for a model or version that is unknown or could not be loaded,
// with the sentence that clients of TensorFlow Serving compare; FAILED_PRECONDITION for an unknown
// signature of Predict, and INVALID_ARGUMENT for one of the other methods, or if the imported
// signature is for the other one of these methods.
StatusOr<CalledFunction> FindFunction(const Repository& repository, const Target& target,
                                      Method method);
// Does the same within a model.
StatusOr<const PolymorphicFunction*> FindFunction(const LoadedModel& model,
                                                  std::string_view signature, Method method);

// Returns the error of Repository::Find in the words of TensorFlow Serving.
Status TranslateFindError(const Target& target, Status status);
// Checks that a request names a model.
Status CheckModelSpec(const Target& target);

// Checks that `inputs` has the required parameters, and that each name is the source name of a
// parameter. Errors have the sentences of TensorFlow Serving. Functions with parameters that are
// not tensors are not checked, because several inputs may be one argument.
Status CheckInputs(const CalledFunction& called, std::span<const NamedTensor> inputs);

// Returns the metadata `savedmodel.FUNCTION.WHAT` of an imported function, or null.
const std::string* LookupSignatureMetadata(const LoadedModel& model,
                                           const PolymorphicFunction& function,
                                           std::string_view what);
// Returns the name of the signature from which `function` was imported, or else its own name.
std::string SignatureNameOf(const LoadedModel& model, const PolymorphicFunction& function);
// Returns the method_name of the signature, or else `tensorflow/serving/predict`.
std::string MethodNameOf(const LoadedModel& model, const PolymorphicFunction& function);

}  // namespace signet::tf
