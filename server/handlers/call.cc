#include "server/handlers/call.h"

#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "core/model/call_arguments.h"
#include "server/byte_buffers.h"
#include "server/handlers/result.h"

namespace signet {
namespace {

// The plan's own guess cannot know sizes that vary from call to call: calls that bring more than
// this leave the thread that reads from the network, unless they only hand values through.
constexpr size_t kSmallArgumentBytes = size_t{256} << 10;
// And text takes longer to decode, and to write, than tensors.
constexpr size_t kSmallEncodedBytes = size_t{32} << 10;

struct PreparedCall {
  std::shared_ptr<const Model> model;
  const Function* function;  // of the model
  Function::Prepared prepared;
  wire::ResultFormat result_format;
};

size_t EncodedBytes(const wire::CallRequest& request) {
  size_t bytes = 0;
  auto add = [&](const wire::Argument& argument) {
    bytes += argument.data.size();
    for (const Buffer& row : argument.rows) bytes += row.size();
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

bool IsSmall(const PreparedCall& call) {
  const Plan& plan = call.prepared.function->plan();
  bool to_text = call.result_format.format.has_value();
  if (plan.steps().empty() && !to_text) return true;
  size_t small = to_text ? kSmallEncodedBytes : kSmallArgumentBytes;
  return plan.IsSmall() && ArgumentBytes(call.prepared.arguments) <= small;
}

StatusOr<PreparedCall> Prepare(const Serving& serving, wire::CallRequest request,
                               const RunControl& control) {
  SIGNET_ASSIGN_OR_RETURN(auto model,
                          serving.repository.Find(request.model, request.version, request.label));
  SIGNET_ASSIGN_OR_RETURN(const Function* function, model->FindFunction(request.function));
  wire::ResultFormat format = request.result_format;
  auto prepared = PrepareCall(*model, *function, std::move(request), serving.limits, control);
  if (!prepared.ok()) {
    return At(PlaceOf(*model, function->def().name), std::move(prepared).status());
  }
  return PreparedCall{std::move(model), function, *std::move(prepared), format};
}

StatusOr<wire::Result> Run(const PreparedCall& call, const RunControl& control,
                           const Limits& limits) {
  auto run = [&]() -> StatusOr<wire::Result> {
    SIGNET_ASSIGN_OR_RETURN(Value value, call.prepared.Run(control));
    return EncodeResult(std::move(value), call.result_format, call.model->def(), limits);
  };
  auto result = run();
  if (Status intact = call.model->CheckIntact(); !intact.ok()) result = std::move(intact);
  if (result.ok()) return result;
  return At(PlaceOf(*call.model, call.function->def().name), std::move(result).status());
}

// What a step throws is a fault of its call alone.
template <class Step>
auto Guarded(Step step) -> decltype(step()) {
  try {
    return step();
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("no memory for the values of this call");
  } catch (const std::exception&) {
    return Internal("a step of the call stopped unexpectedly");
  }
}

Status CheckQueue(const Serving& serving) {
  auto limit = static_cast<size_t>(serving.transport.queued_calls);
  if (serving.pool.queued() < limit) return absl::OkStatus();
  return WithReason(
      "QUEUE_FULL",
      ResourceExhausted(limit, " calls wait for a compute thread, which is the limit ",
                        "(--max_queued_calls)"));
}

}  // namespace

void CarryOut(Serving& serving, wire::CallRequest request, const RunControl& control,
              std::function<void(CallOutcome)> answer) {
  // On a compute thread, `task` runs unless its time has passed while it waited.
  auto schedule = [&](auto task) {
    if (Status room = CheckQueue(serving); !room.ok()) return answer({std::move(room), 0});
    serving.stats.queued_calls.fetch_add(1, std::memory_order_relaxed);
    serving.pool.Schedule([task = std::move(task), answer, control] {
      Status still_wanted = control.Check();
      answer(still_wanted.ok() ? task() : CallOutcome{std::move(still_wanted), 0});
    });
  };

  if (EncodedBytes(request) > kSmallEncodedBytes) {
    auto kept = std::make_shared<wire::CallRequest>(std::move(request));
    return schedule([&serving, kept, control]() -> CallOutcome {
      auto call = Guarded([&] { return Prepare(serving, std::move(*kept), control); });
      if (!call.ok()) return {std::move(call).status(), 0};
      return {Guarded([&] { return Run(*call, control, serving.limits); }), call->model->version()};
    });
  }

  auto call = Guarded([&] { return Prepare(serving, std::move(request), control); });
  if (!call.ok()) return answer({std::move(call).status(), 0});
  if (!IsSmall(*call)) {
    auto kept = std::make_shared<PreparedCall>(*std::move(call));
    return schedule([&serving, kept, control]() -> CallOutcome {
      return {Guarded([&] { return Run(*kept, control, serving.limits); }), kept->model->version()};
    });
  }
  answer({Guarded([&] { return Run(*call, control, serving.limits); }), call->model->version()});
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
