// InferCall: converts between the messages of the Open Inference Protocol and calls, for gRPC and
// HTTP.
//
// The name of a model in a request is `MODEL`, for its default function, or `MODEL/FUNCTION`.
// Stateless; thread-safe.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/inference/infer_message.h"
#include "core/serving/call/execute.h"
#include "server/protocols/inference/shared_memory.h"

namespace signet {

// What a request names.
struct InferTarget {
  std::string model;
  std::string function;  // empty: the default function
  std::optional<int64_t> version = {};
};
StatusOr<InferTarget> ParseInferTarget(std::string_view name, std::string_view version);

// Moves the inputs of `request` to a call.
StatusOr<CallRequest> CallOfRequest(InferRequest& request);

// Returns what reads inputs from `regions`, or nothing if `regions` is null.
SharedMemoryReader ReaderOf(const SharedMemoryRegions* regions);

// Returns the response to `request`, whose inputs have been moved. Writes outputs to `regions` if
// the request says so; `regions` is null if the server permits no shared memory.
StatusOr<InferResponse> ResponseOfCall(const InferRequest& request, const CallOutput& output,
                                       const SharedMemoryRegions* regions, const Limits& limits);

// Returns an error as clients of Triton expect it:
//   - an unknown model: NOT_FOUND: Request for unknown model: 'NAME' is not found
//   - no version is loaded: UNAVAILABLE: Request for unknown model: 'NAME' has no available
//   versions
//   - the version is not loaded: UNAVAILABLE: ... version V is not at ready state
//   - a full queue: UNAVAILABLE
//   - OUT_OF_RANGE: INVALID_ARGUMENT
Status InferErrorOf(const Status& status, std::string_view name, std::string_view version);
// Does the same for the error of a call. UNAVAILABLE if the time that the request states has
// passed.
Status InferCallErrorOf(const Status& status, const InferParameters& parameters,
                        std::string_view name, std::string_view version);

}  // namespace signet
