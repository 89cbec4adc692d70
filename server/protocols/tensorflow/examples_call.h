// ExamplesCall: the RPCs Classify, Regress, and MultiInference of PredictionService.
//
// Not thread-safe, as ServingCall.

#pragma once

#include <optional>

#include "server/protocols/tensorflow/serving_call.h"

namespace signet::tf {

// A ClassificationRequest or RegressionRequest, which have the same fields.
class ExamplesCall final : public ServingCall {
 public:
  explicit ExamplesCall(Method method) : method_(method) {}

  StatusOr<std::vector<ServingTask>> ReadTasks(const wire::Message& message,
                                               const Limits& limits) override;
  StatusOr<CallRequest> Read(const wire::Message& message, size_t i, const CalledFunction& called,
                             const Limits& limits) override;
  Status Add(size_t i, const CalledFunction& called, CallOutput output) override;
  wire::Pieces Write() override;

 private:
  const Method method_;
  Target target_;
  size_t num_examples_ = 0;
  std::string response_;
};

class MultiInferenceCall final : public ServingCall {
 public:
  StatusOr<std::vector<ServingTask>> ReadTasks(const wire::Message& message,
                                               const Limits& limits) override;
  StatusOr<CallRequest> Read(const wire::Message& message, size_t i, const CalledFunction& called,
                             const Limits& limits) override;
  Status Add(size_t i, const CalledFunction& called, CallOutput output) override;
  wire::Pieces Write() override;

 private:
  std::vector<ServingTask> tasks_;
  size_t num_examples_ = 0;
  std::string response_;
};

}  // namespace signet::tf
