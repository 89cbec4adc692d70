// InferWire: reads a ModelInferRequest and writes a ModelInferResponse
// (proto/inference/inference.proto) without copying large tensors.
//
// The bytes of a request are untrusted: sizes are checked before memory is allocated. Raw contents
// are borrowed if they are in one piece and aligned. Responses are raw. Stateless; thread-safe.

#pragma once

#include "core/formats/inference/infer_message.h"
#include "core/formats/signet_wire/wire.h"

namespace signet {

// `shared_memory` reads inputs from shared memory; without it, such inputs are rejected.
StatusOr<InferRequest> ParseInferRequest(const wire::Message& message, const Limits& limits,
                                         const SharedMemoryReader& shared_memory = {});

// What a server needs to know about a request before it is parsed, or if it cannot be parsed.
struct InferHead {
  std::string model = {};
  std::string id = {};
};
InferHead ParseInferHead(const wire::Message& message, const Limits& limits);

StatusOr<wire::Pieces> WriteInferResponse(const InferResponse& response);
// Writes a ModelStreamInferResponse.
StatusOr<wire::Pieces> WriteStreamInferResponse(const InferResponse& response);

}  // namespace signet
