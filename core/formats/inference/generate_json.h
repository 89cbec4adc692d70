// GenerateJson: reads requests and writes responses of the paths `generate` and `generate_stream`,
// in which the inputs and outputs are keys.
//
//   {"x": [1, 2], "id": "a"}
//   {"model_name": "half_plus_two", "model_version": "1", "id": "a", "output": [2.5, 3.0]}
//
// Rules:
//   1. A key of the request, or of its `parameters`, is an input if the function has an input of
//      this name. `id` is the id of the request. Other keys are parameters of the request. `null`
//      is the same as an absent key.
//   2. An output with one element is this element; other outputs are flat lists. An output that is
//      called `model_name`, `model_version`, or `id` replaces that key.
//
// The bytes of a request are untrusted. Stateless; thread-safe.

#pragma once

#include <optional>
#include <string_view>

#include <absl/functional/function_ref.h>

#include "core/formats/inference/infer_message.h"

namespace signet {

// What the JSON of a value shows about its type.
struct GenerateValue {
  char first = '\0';  // the first byte of the first element: `"`, `t`, `f`, or of a number
  bool is_list = false;
  bool has_fraction = false;  // a number is not written as a whole number
  int64_t num_elements = 0;   // at any depth
  Dims dims = {};             // of lists in a list: the length of the first list at each depth
};

// The tensor that a value is converted to.
struct GenerateInput {
  DType dtype = DType::kString;
  Dims dims = {};
  bool is_json = false;  // the value is passed as JSON, in a string
};

// Returns the input with this name, or nothing if the function has none.
using FindGenerateInput = absl::FunctionRef<StatusOr<std::optional<GenerateInput>>(
    std::string_view name, const GenerateValue& value)>;

StatusOr<InferRequest> ParseGenerateJson(const Buffer& body, FindGenerateInput find,
                                         const Limits& limits);
// RESOURCE_EXHAUSTED if the text exceeds limits.message_bytes.
StatusOr<std::string> WriteGenerateJson(const InferResponse& response, const Limits& limits);

}  // namespace signet
