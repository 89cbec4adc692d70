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

// Returns the response to `request`, whose inputs have been moved.
StatusOr<InferResponse> ResponseOfCall(const InferRequest& request, const CallOutput& output,
                                       const Limits& limits);

// Returns an error as clients of Triton expect it: for an unknown model, `Request for unknown
// model: 'NAME' is not found`, UNAVAILABLE if a queue is full, and
// INVALID_ARGUMENT for OUT_OF_RANGE.
Status InferErrorOf(const Status& status, std::string_view name, std::string_view version);

}  // namespace signet
