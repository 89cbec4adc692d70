#include "core/serving/call/execute.h"

#include <algorithm>
#include <utility>

#include "core/base/replace_field.h"
#include "core/model/native/source_lines.h"
#include "core/serving/call/encode.h"
#include "core/serving/call/prepare.h"
#include "core/serving/flat/flat_signature.h"

namespace signet {
namespace {

// A call with more bytes of arguments runs on a compute thread, unless its function only returns
// its arguments.
constexpr size_t kSmallArgumentBytes = size_t{256} << 10;

size_t BytesOf(std::span<const Value> values) {
  size_t bytes = 0;
  for (const Value& value : values) {
    for (const Tensor& tensor : value.components()) bytes += tensor.num_bytes();
  }
  return bytes;
}

// Returns an error that names the parameter at fault as the clients of flat protocols do.
Status WithSourceName(const FunctionDef& def, Status status) {
  const std::string field = FieldOf(status);
  const size_t end = std::min(field.find_first_of(".["), field.size());
  const Parameter* parameter = def.type.LookupParameter(std::string_view(field).substr(0, end));
  if (parameter == nullptr) return status;
  return ReplaceField(Cat(SourceNameOf(def, *parameter), field.substr(end)), std::move(status));
}

bool HasNoSteps(const PolymorphicFunction::Prepared& call) {
  return call.function->plan().steps().empty();
}

bool IsSmall(const PolymorphicFunction::Prepared& call, size_t call_class, bool is_encoded) {
  if (HasNoSteps(call) && !is_encoded) return true;
  const size_t small = is_encoded ? kSmallEncodedBytes : kSmallArgumentBytes;
  return call.function->plan().IsSmall() && BytesOf(call.arguments) <= small &&
         !call.function->measured_cost().IsLong(call_class);
}

}  // namespace

CallExecution::CallExecution(BoundCall call, const Limits& limits, std::shared_ptr<Batcher> batcher,
                             int batch_priority)
    : call_(std::move(call)),
      limits_(limits),
      batcher_(std::move(batcher)),
      batch_priority_(batch_priority) {
  if (call_.called.settings != nullptr) {
    limits_ = StricterLimits(limits, call_.called.settings->settings.limits());
  }
}

CallExecution::Outcome CallExecution::Attempt(const RunControl& control) {
  if (call_.times != nullptr) call_.times->Resume();
  auto result = RunSteps(control);
  if (control.is_stopped()) {
    if (call_.times != nullptr) {
      call_.times->Wait(waiting_ != nullptr ? Stage::kBatch : Stage::kQueue);
    }
    return StoppedCall();
  }
  const LoadedModel& model = *call_.called.model;
  if (Status intact = model.CheckIntact(); !intact.ok()) return Fail(std::move(intact));
  if (!result.ok()) return Fail(std::move(result).status());
  std::shared_ptr<const FunctionDef> function(call_.called.model, &call_.called.function->def());
  return CallOutput{*std::move(result), model.version(), std::move(function)};
}

StatusOr<CallResult> CallExecution::RunSteps(const RunControl& control) {
  if (waiting_ != nullptr) {
    const std::shared_ptr<WaitingCall> waited = std::move(waiting_);
    if (!waited->call.MustRepeat(*waited->result, control)) {
      SIGNET_ASSIGN_OR_RETURN(result_, *std::move(waited->result));
    } else {
      call_.needs_all_columns = true;
    }
  }
  if (!prepared_ && !result_) SIGNET_RETURN_IF_ERROR(Prepare(control));
  if (!result_) SIGNET_RETURN_IF_ERROR(Run(control));
  return Encode(control);
}

CallExecution::Outcome CallExecution::Fail(Status status) const {
  const auto& sources = call_.called.model->def().sources;
  const FunctionDef& def = call_.called.function->def();
  if (sources != nullptr) status = sources->AddTo(def.name, status);
  if (call_.is_flat) status = WithSourceName(def, std::move(status));
  return At(call_.called.path(), std::move(status));
}

Status CallExecution::Prepare(const RunControl& control) {
  SIGNET_RETURN_IF_ERROR(CheckTensorElements());
  auto prepared = PrepareCall(call_, limits_, control);
  EndStage(call_.times, Stage::kDispatch);
  SIGNET_ASSIGN_OR_RETURN(prepared_, std::move(prepared));
  return absl::OkStatus();
}

// The request was parsed with the limits of the server, because its model was not known yet.
Status CallExecution::CheckTensorElements() const {
  if (call_.called.settings == nullptr) return absl::OkStatus();
  auto check = [&](const Value& value) {
    for (const Tensor& tensor : value.components()) {
      if (tensor.num_elements() <= limits_.tensor_elements) continue;
      return ResourceExhausted(tensor.num_elements(), " elements of a tensor exceed the limit of ",
                               limits_.tensor_elements, " in the settings of the model");
    }
    return absl::OkStatus();
  };
  for (const Value& value : call_.arguments.positional) SIGNET_RETURN_IF_ERROR(check(value));
  for (const auto& [name, value] : call_.arguments.keyword) {
    SIGNET_RETURN_IF_ERROR(check(value));
  }
  return absl::OkStatus();
}

Status CallExecution::Run(const RunControl& control) {
  const bool is_encoded = call_.result_format.format.has_value();
  const size_t call_class =
      HasNoSteps(*prepared_) ? 0 : MeasuredCost::ClassOf(prepared_->arguments);
  const bool may_run = !control.must_be_short() || IsSmall(*prepared_, call_class, is_encoded);
  Batcher::Turn turn;
  if (batcher_ != nullptr && control.deferral != nullptr && !HasNoSteps(*prepared_)) {
    if (may_run) turn = batcher_->TryStart();
    if (!turn && batcher_->JoinsNow()) {
      auto waiting = batcher_->MakeWaiting(*prepared_, control);
      if (control.is_stopped()) return StoppedCall();
      if (waiting != nullptr) {
        waiting->priority = batch_priority_;
        WaitForBatch(std::move(waiting), *control.deferral);
        return StoppedCall();
      }
    }
  }
  if (!may_run) return control.deferral->Move();
  auto result = RunMeasured(control, call_class);
  if (control.is_stopped()) return StoppedCall();
  if (prepared_->MustRepeat(result, control)) {
    prepared_.reset();
    call_.needs_all_columns = true;
    SIGNET_RETURN_IF_ERROR(Prepare(control));
    return Run(control);
  }
  SIGNET_ASSIGN_OR_RETURN(result_, std::move(result));
  return absl::OkStatus();
}

StatusOr<Value> CallExecution::RunMeasured(const RunControl& control, size_t call_class) {
  if (call_.times == nullptr || HasNoSteps(*prepared_)) {
    auto result = prepared_->Run(control);
    EndStage(call_.times, Stage::kRun);
    return result;
  }
  MeasuredCost& cost = prepared_->function->measured_cost();
  const StageTimes::Clock::time_point begin = call_.times->last();
  auto result = prepared_->Run(control);
  call_.times->End(Stage::kRun);
  const auto ran = control.is_stopped() ? MeasuredCost::kMostRun : call_.times->last() - begin;
  // A run that ended early without a result does not show how long it takes.
  const bool ended_early =
      absl::IsCancelled(result.status()) || absl::IsDeadlineExceeded(result.status());
  if (!ended_early || ran > MeasuredCost::kLong) cost.Record(call_class, ran);
  return result;
}

void CallExecution::WaitForBatch(std::shared_ptr<WaitingCall> waiting, Deferral& deferral) {
  prepared_.reset();
  waiting_ = std::move(waiting);
  deferral.await_result = [batcher = batcher_, waiting = waiting_](std::function<void()> resume) {
    batcher->Add(waiting, std::move(resume));
  };
}

StatusOr<CallResult> CallExecution::Encode(const RunControl& control) {
  const bool is_large =
      call_.result_format.format.has_value() && BytesOf({&*result_, 1}) > kSmallEncodedBytes;
  if (control.must_be_short() && is_large) return control.deferral->Move();
  return EncodeResult(*std::move(result_), call_.result_format, call_.called.model->def(), limits_);
}

}  // namespace signet
