// PredictCall: the RPC Predict of PredictionService. Not thread-safe, as ServingCall.

#pragma once

#include "core/serving/tensorflow/column_shapes.h"
#include "server/protocols/tensorflow/serving_call.h"

namespace signet::tf {

class PredictCall final : public ServingCall {
 public:
  StatusOr<std::vector<ServingTask>> ReadTasks(const wire::Message& message,
                                               const Limits& limits) override;
  StatusOr<CallRequest> Read(const wire::Message& message, size_t i, const CalledFunction& called,
                             const Limits& limits) override;
  // INVALID_ARGUMENT if the filter has an output that does not exist.
  Status Add(size_t i, const CalledFunction& called, CallOutput output) override;
  wire::Pieces Write() override { return std::move(response_); }

 private:
  Target target_;
  ColumnShapes shapes_;
  std::vector<std::string> filter_;  // sorted; empty: all outputs
  wire::Pieces response_;
};

}  // namespace signet::tf
