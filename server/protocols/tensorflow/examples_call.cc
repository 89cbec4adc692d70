#include "server/protocols/tensorflow/examples_call.h"

#include <utility>

#include "core/formats/tensorflow/proto_pieces.h"
#include "core/serving/tensorflow/examples_input.h"
#include "core/serving/tensorflow/results.h"
#include "tensorflow_serving/classification.pb.h"
#include "tensorflow_serving/inference.pb.h"

namespace signet::tf {
namespace {

using ::tensorflow::serving::ClassificationRequest;
using ::tensorflow::serving::ClassificationResponse;
using ::tensorflow::serving::InferenceResult;
using ::tensorflow::serving::InferenceTask;
using ::tensorflow::serving::MultiInferenceRequest;
using ::tensorflow::serving::MultiInferenceResponse;
using wire::WireCursor;
using wire::WireSource;
using wire::WireTag;
using wire::WireType;

constexpr std::string_view kClassifyMethod = "tensorflow/serving/classify";
constexpr std::string_view kRegressMethod = "tensorflow/serving/regress";

// Reads the field `input` of a message as the argument of a call.
StatusOr<CallRequest> ReadArgument(const wire::Message& message, int input_field,
                                   const CalledFunction& called, const Limits& limits,
                                   size_t& num_examples) {
  WireSource source(message, limits);
  WireCursor cursor(source);
  Examples examples;
  while (uint32_t tag = cursor.NextTag()) {
    if (tag == WireTag(input_field, WireType::kBytes)) {
      SIGNET_ASSIGN_OR_RETURN(examples, ReadInput(source, cursor.Enter()));
    } else {
      cursor.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(source.status());
  if (examples.rows.empty()) return InvalidArgument("Input is empty; missing `input`");
  num_examples = examples.rows.size();
  CallRequest call;
  SIGNET_RETURN_IF_ERROR(AddExamples(called, std::move(examples), limits, call));
  return call;
}

// Returns a ClassificationResult or RegressionResult.
StatusOr<std::string> ResultOf(const CallOutput& output, const CalledFunction& called,
                               Method method, size_t num_examples) {
  const auto& value = std::get<Value>(output.result);
  if (method == Method::kClassify) {
    SIGNET_ASSIGN_OR_RETURN(ClassScores classes, ClassScoresOf(value, called, num_examples));
    return WriteClassScores(classes);
  }
  SIGNET_ASSIGN_OR_RETURN(std::vector<float> values, RegressionsOf(value, called, num_examples));
  return WriteRegressions(values);
}

StatusOr<ServingTask> ReadTask(WireSource& source, WireCursor cursor) {
  ServingTask task;
  std::string method;
  while (uint32_t tag = cursor.NextTag()) {
    switch (tag) {
      case WireTag(InferenceTask::kModelSpecFieldNumber, WireType::kBytes): {
        SIGNET_ASSIGN_OR_RETURN(task.target, ReadModelSpec(source, cursor.Enter()));
        break;
      }
      case WireTag(InferenceTask::kMethodNameFieldNumber, WireType::kBytes):
        method = cursor.Text();
        break;
      default:
        cursor.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(source.status());
  if (method == kClassifyMethod) {
    task.method = Method::kClassify;
  } else if (method == kRegressMethod) {
    task.method = Method::kRegress;
  } else {
    return Unimplemented("Unsupported signature method_name: ", Printable(method), "; expected `",
                         kClassifyMethod, "` or `", kRegressMethod, "`");
  }
  return task;
}

}  // namespace

// --- Classify and Regress -----------------------------------------------------------------------

StatusOr<std::vector<ServingTask>> ExamplesCall::ReadTasks(const wire::Message& message,
                                                           const Limits& limits) {
  WireSource source(message, limits);
  WireCursor cursor(source);
  while (uint32_t tag = cursor.NextTag()) {
    if (tag == WireTag(ClassificationRequest::kModelSpecFieldNumber, WireType::kBytes)) {
      SIGNET_ASSIGN_OR_RETURN(target_, ReadModelSpec(source, cursor.Enter()));
    } else {
      cursor.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(source.status());
  return std::vector<ServingTask>{{target_, method_}};
}

StatusOr<CallRequest> ExamplesCall::Read(const wire::Message& message, size_t /*i*/,
                                         const CalledFunction& called, const Limits& limits) {
  return ReadArgument(message, ClassificationRequest::kInputFieldNumber, called, limits,
                      num_examples_);
}

Status ExamplesCall::Add(size_t /*i*/, const CalledFunction& called, CallOutput output) {
  SIGNET_ASSIGN_OR_RETURN(std::string result, ResultOf(output, called, method_, num_examples_));
  AppendBytesField(response_, ClassificationResponse::kResultFieldNumber, result);
  AppendBytesField(response_, ClassificationResponse::kModelSpecFieldNumber,
                   WriteModelSpec(target_, called));
  return absl::OkStatus();
}

wire::Pieces ExamplesCall::Write() { return {BufferOf(std::move(response_))}; }

// --- MultiInference -----------------------------------------------------------------------------

StatusOr<std::vector<ServingTask>> MultiInferenceCall::ReadTasks(const wire::Message& message,
                                                                 const Limits& limits) {
  WireSource source(message, limits);
  WireCursor cursor(source);
  while (uint32_t tag = cursor.NextTag()) {
    if (tag != WireTag(MultiInferenceRequest::kTasksFieldNumber, WireType::kBytes)) {
      cursor.Skip(tag);
      continue;
    }
    SIGNET_RETURN_IF_ERROR(source.allowance().TakeNames());
    auto task = ReadTask(source, cursor.Enter());
    if (!task.ok()) return At(Cat("tasks[", tasks_.size(), "]"), task.status());
    for (const ServingTask& other : tasks_) {
      if (other.target.model != task->target.model) {
        return InvalidArgument("All ModelSpecs in a MultiInferenceRequest must access the same ",
                               "model name; found `", Printable(other.target.model), "` and `",
                               Printable(task->target.model), "`");
      }
      const std::string_view signature = SignatureNameOf(task->target);
      if (SignatureNameOf(other.target) == signature) {
        return InvalidArgument("Duplicate evaluation of signature: ", Printable(signature));
      }
    }
    tasks_.push_back(*std::move(task));
  }
  SIGNET_RETURN_IF_ERROR(source.status());
  if (tasks_.empty()) return InvalidArgument("Inference request must have at least one task");
  return tasks_;
}

StatusOr<CallRequest> MultiInferenceCall::Read(const wire::Message& message, size_t /*i*/,
                                               const CalledFunction& called, const Limits& limits) {
  return ReadArgument(message, MultiInferenceRequest::kInputFieldNumber, called, limits,
                      num_examples_);
}

Status MultiInferenceCall::Add(size_t i, const CalledFunction& called, CallOutput output) {
  const auto& [target, method] = tasks_[i];
  SIGNET_ASSIGN_OR_RETURN(std::string result, ResultOf(output, called, method, num_examples_));
  std::string entry;
  AppendBytesField(entry, InferenceResult::kModelSpecFieldNumber, WriteModelSpec(target, called));
  AppendBytesField(entry,
                   method == Method::kClassify ? InferenceResult::kClassificationResultFieldNumber
                                               : InferenceResult::kRegressionResultFieldNumber,
                   result);
  AppendBytesField(response_, MultiInferenceResponse::kResultsFieldNumber, entry);
  return absl::OkStatus();
}

wire::Pieces MultiInferenceCall::Write() { return {BufferOf(std::move(response_))}; }

}  // namespace signet::tf
