// InferJson: reads requests and writes responses of the Open Inference Protocol over HTTP, with the
// binary tensor extension.
//
//   {"inputs": [{"name": "x", "shape": [2], "datatype": "FP32", "data": [1, 2]}]}
//
// Rules:
//   1. `data` is nested or flat, in row-major order. Whole numbers such as `3.0` are accepted for
//      integers; NaN and infinities are the words of docs/reference/json.md, quoted or bare; BYTES
//      are strings.
//   2. Inputs with `parameters.binary_data_size` follow the JSON in their raw form, in order. The
//      header Inference-Header-Content-Length is then the number of bytes of the JSON. If it is 0,
//      the whole body is the raw form of the only input.
//   3. An output is raw if its `parameters.binary_data` is true, or if no outputs are listed and
//      `parameters.binary_data_output` of the request is true.
//
// The bytes of a request are untrusted: sizes are checked before memory is allocated. Stateless;
// thread-safe.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/formats/inference/infer_message.h"

namespace signet {

// `header_length` is the text of Inference-Header-Content-Length; empty if there is none.
// `shared_memory` reads inputs from shared memory; without it, such inputs are rejected. Errors
// name the `model`.
StatusOr<InferRequest> ParseInferJson(const Buffer& body, std::string_view header_length,
                                      const Limits& limits,
                                      const SharedMemoryReader& shared_memory = {},
                                      std::string_view model = {});

struct InferJson {
  std::vector<Buffer> body;
  // The number of bytes of JSON, if raw tensors follow.
  std::optional<size_t> header_length = {};
};
// RESOURCE_EXHAUSTED if the body exceeds limits.message_bytes.
StatusOr<InferJson> WriteInferJson(const InferResponse& response, const Limits& limits);

}  // namespace signet
