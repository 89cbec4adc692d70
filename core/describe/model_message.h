// ModelToMessage: what a client is told of a model: its functions with their types, defaults, and
// documentation, and its extension types. Stateless; thread-safe.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/loaded_model.h"
#include "signet/v1/service.pb.h"

namespace signet {

// Returns the response of GetModel without what only a server knows: other versions, labels,
// settings, and limits. Long defaults are left out.
v1::GetModelResponse ModelToMessage(const LoadedModel& model);

// Returns the description of one function in that response.
v1::FunctionInfo FunctionToMessage(const LoadedModel& model, const PolymorphicFunction& function);

// ModelToMessage in parts that never change. JoinModel adds what changes.
struct SerializedModel {
  std::string text;          // the message without its functions, then each function
  std::vector<size_t> ends;  // of these parts
};
SerializedModel SerializeModel(const LoadedModel& model);
// Returns the serialized ModelToMessage(model), with the present number of concrete functions of
// each function. `text` and `ends` are those of SerializeModel(model).
std::string JoinModel(const LoadedModel& model, std::string_view text,
                      std::span<const size_t> ends);

}  // namespace signet
