#include "server/call/call.h"

#include <memory>
#include <optional>
#include <utility>

#include "core/model/call_arguments.h"
#include "server/call/result.h"
#include "server/transport/byte_buffers.h"

namespace signet {
namespace {

// Calls with more bytes of arguments than this run on a compute thread, unless their function only
// hands values through.
constexpr size_t kSmallArgumentBytes = size_t{256} << 10;
// Other formats take longer to decode and to encode than tensors.
constexpr size_t kSmallEncodedBytes = size_t{32} << 10;
constexpr size_t kRowBytes = 16;  // what a row of protobuf counts for besides its bytes

size_t EncodedBytes(const wire::CallRequest& request) {
  size_t bytes = 0;
  auto add = [&](const wire::Argument& argument) {
    bytes += argument.data.size();
    for (const Buffer& row : argument.rows) bytes += row.size() + kRowBytes;
  };
  for (const auto& argument : request.args) add(argument);
  for (const auto& [name, argument] : request.kwargs) add(argument);
  return bytes;
}

size_t ArgumentBytes(std::span<const Value> arguments) {
  size_t bytes = 0;
  for (const Value& value : arguments) {
    for (const Tensor& tensor : value.components()) bytes += tensor.num_bytes();
  }
  return bytes;
}

bool IsSmall(const Function::Prepared& call, bool to_text) {
  const Plan& plan = call.function->plan();
  if (plan.steps().empty() && !to_text) return true;
  size_t small = to_text ? kSmallEncodedBytes : kSmallArgumentBytes;
  return plan.IsSmall() && ArgumentBytes(call.arguments) <= small;
}

// The steps of one call. Each step that is done is kept, so that an attempt after a stop goes on
// with the next one.
class CallWork {
 public:
  using Outcome = CallOutcome;

  CallWork(Serving& serving, wire::CallRequest request)
      : serving_(serving), request_(std::move(request)), format_(request_.result_format) {}

  CallOutcome Attempt(const RunControl& control) {
    if (Status found = FindFunction(); !found.ok()) return {std::move(found), 0};
    if (!prepared_) {
      Status prepared = Prepare(control);
      if (!prepared.ok()) return Fail(std::move(prepared));
    }
    auto run = [&]() -> StatusOr<wire::Result> {
      if (!result_) SIGNET_RETURN_IF_ERROR(Run(control));
      return Encode(control);
    };
    auto result = run();
    if (control.deferral->is_stopped()) return std::move(result).status();
    if (Status intact = model_->CheckIntact(); !intact.ok()) result = std::move(intact);
    if (!result.ok()) return Fail(std::move(result).status());
    return {std::move(result), model_->version()};
  }

  // The outcome of a call that fails; the error starts with the function. Calls that fail before
  // they run have no version.
  CallOutcome Fail(Status status) const {
    return {At(PlaceOf(*model_, function_->def().name), std::move(status)),
            prepared_ ? model_->version() : 0};
  }

 private:
  // What a stopped step made is worth nothing, even if it did not fail.
  static Status Stopped() { return Unavailable("the call goes on on another thread"); }

  Status FindFunction() {
    if (function_ != nullptr) return absl::OkStatus();
    SIGNET_ASSIGN_OR_RETURN(
        model_, serving_.repository.Find(request_.model, request_.version, request_.label));
    SIGNET_ASSIGN_OR_RETURN(function_, model_->FindFunction(request_.function));
    return absl::OkStatus();
  }

  Status Prepare(const RunControl& control) {
    Deferral& deferral = *control.deferral;
    if (deferral.must_be_short && EncodedBytes(request_) > kSmallEncodedBytes) {
      return deferral.Move();
    }
    auto prepared = PrepareCall(*model_, *function_, std::move(request_), serving_.limits, control);
    if (deferral.is_stopped()) return Stopped();
    SIGNET_ASSIGN_OR_RETURN(prepared_, std::move(prepared));
    return absl::OkStatus();
  }

  Status Run(const RunControl& control) {
    Deferral& deferral = *control.deferral;
    bool is_large = deferral.must_be_short && !IsSmall(*prepared_, format_.format.has_value());
    if (is_large) return deferral.Move();
    auto result = prepared_->Run(control);
    if (deferral.is_stopped()) return Stopped();
    SIGNET_ASSIGN_OR_RETURN(result_, std::move(result));
    return absl::OkStatus();
  }

  StatusOr<wire::Result> Encode(const RunControl& control) {
    Deferral& deferral = *control.deferral;
    bool is_large = deferral.must_be_short && format_.format.has_value() &&
                    ArgumentBytes({&*result_, 1}) > kSmallEncodedBytes;
    if (is_large) return deferral.Move();
    return EncodeResult(*std::move(result_), format_, model_->def(), serving_.limits);
  }

  Serving& serving_;
  wire::CallRequest request_;
  wire::ResultFormat format_;
  std::shared_ptr<const Model> model_;
  const Function* function_ = nullptr;  // of the model
  std::optional<Function::Prepared> prepared_;
  std::optional<Value> result_;
};

}  // namespace

Status CheckQueue(const Serving& serving) {
  auto limit = static_cast<size_t>(serving.transport.queued_calls);
  size_t waiting = serving.waiting_calls.load(std::memory_order_relaxed);
  if (serving.pool.queued() + serving.makers.queued() + waiting < limit) return absl::OkStatus();
  return WithReason("QUEUE_FULL",
                    ResourceExhausted(limit, " calls wait for a thread, which is the limit ",
                                      "(--max_queued_calls)"));
}

Status Enqueue(Serving& serving, std::function<void()> task) {
  SIGNET_RETURN_IF_ERROR(CheckQueue(serving));
  serving.stats.queued_calls.fetch_add(1, std::memory_order_relaxed);
  serving.pool.Schedule(std::move(task));
  return absl::OkStatus();
}

void Schedule(Serving& serving, ThreadKind thread, std::function<void()> task) {
  (thread == ThreadKind::kMaker ? serving.makers : serving.pool).Schedule(std::move(task));
}

void CarryOut(Serving& serving, wire::CallRequest request, const RunControl& control,
              ThreadKind thread, std::function<void(CallOutcome)> answer) {
  CarryOutWork(serving, CallWork(serving, std::move(request)), control, thread, std::move(answer));
}

Status CheckResponse(const wire::Pieces& pieces, const Limits& limits) {
  size_t size = SizeOf(pieces);
  if (size <= static_cast<size_t>(limits.message_bytes)) return absl::OkStatus();
  return ResourceExhausted("the response takes ", size, " bytes; the limit is ",
                           limits.message_bytes, " (--max_message_bytes)");
}

std::string PlaceOf(const Model& model, std::string_view function) {
  return Cat(model.name(), "/", model.version(), ".", function);
}

}  // namespace signet
