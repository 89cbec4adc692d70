// CallExecution: prepares, runs, and encodes a bound call, step by step.
//
//   CallExecution execution(*std::move(call), limits);
//   auto output = execution.Attempt(control);
//
// The results of completed steps are kept. If the deferral of the control stops an attempt, the
// next attempt, on another thread, continues with the step that was stopped
// (server/call/attempts.h). Not thread-safe: one attempt at a time.

#pragma once

#include <memory>
#include <optional>

#include "core/formats/common/limits.h"
#include "core/serving/batching/batcher.h"
#include "core/serving/call/bind.h"

namespace signet {

// A larger number of bytes in a data format is not decoded or encoded on a thread for short work
// only, because it takes longer than for tensors.
inline constexpr size_t kSmallEncodedBytes = size_t{32} << 10;

struct CallOutput {
  CallResult result;
  int64_t model_version = 0;
  std::shared_ptr<const FunctionDef> function = {};  // that was called; keeps its model
};

class CallExecution {
 public:
  using Outcome = StatusOr<CallOutput>;

  // `limits` are the limits of the server. The settings of the model may be stricter. If `batcher`,
  // of the function, is not null, the call may be joined with others. BoundCall::times must outlive
  // the execution, which records the stages decode, dispatch, queue, batch, and run in it. The
  // stage batch includes the run of the batch. The protocol records encode, after it has written
  // the response.
  // Of the calls that wait for a batch, those of a higher `batch_priority` are first.
  CallExecution(BoundCall call, const Limits& limits, std::shared_ptr<Batcher> batcher = nullptr,
                int batch_priority = 0);

  // Starts or continues the call. Errors start with the path of the function. If the deferral of
  // `control` has stopped the call, the outcome has no meaning.
  Outcome Attempt(const RunControl& control);
  // Returns the outcome if the function for which the call waited failed with `status`.
  Outcome Fail(Status status) const;

 private:
  StatusOr<CallResult> RunSteps(const RunControl& control);
  Status Prepare(const RunControl& control);
  Status CheckTensorElements() const;
  Status Run(const RunControl& control);
  // Runs the prepared call, and records the time in the measured cost of its function.
  StatusOr<Value> RunMeasured(const RunControl& control, size_t call_class);
  // Starts to wait for a batch. The call continues when it has its result.
  void WaitForBatch(std::shared_ptr<WaitingCall> waiting, Deferral& deferral);
  StatusOr<CallResult> Encode(const RunControl& control);

  BoundCall call_;
  Limits limits_;
  std::shared_ptr<Batcher> batcher_;
  int batch_priority_ = 0;
  std::optional<PolymorphicFunction::Prepared> prepared_;
  std::shared_ptr<WaitingCall> waiting_;  // set while the call waits for a batch
  std::optional<Value> result_;
};

}  // namespace signet
