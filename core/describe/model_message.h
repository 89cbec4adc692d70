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

// The bytes of ModelToMessage, without the numbers of concrete functions, which change.
struct SerializedModel {
  std::string text;          // the message without its functions, then one part for each function
  std::vector<size_t> ends;  // the offset in `text` at which each part ends
};
SerializedModel SerializeModel(const LoadedModel& model);
// Returns the bytes of ModelToMessage(model): adds the present number of concrete functions of each
// function to `text` and `ends`, which SerializeModel(model) returned.
std::string JoinModel(const LoadedModel& model, std::string_view text,
                      std::span<const size_t> ends);

}  // namespace signet
