#include "server/observability/access_log.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

#include "server/observability/log.h"

namespace signet {
namespace {

constexpr size_t kAccessLogBytes = 1 << 20;

std::string SecondsText(std::chrono::nanoseconds time) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6f", static_cast<double>(time.count()) * 1e-9);
  return text;
}

std::string DroppedLine(uint64_t count) {
  return Cat("{\"time\":\"", LogTime(std::chrono::system_clock::now()),
             "\",\"event\":\"log lines dropped\",\"count\":", count, "}\n");
}

}  // namespace

std::string StageTimesText(const StageTimes& times) {
  std::string out;
  for (size_t i = 0; i < kNumStages; ++i) {
    const auto time = times[static_cast<Stage>(i)].total;
    if (time.count() > 0) out += Cat(kStageNames[i], "=", SecondsText(time), ";");
  }
  return out + Cat("total=", SecondsText(times.total()));
}

std::string AccessLogLine(const ObservedCall& call, const Status& status) {
  const bool is_found = call.called.function != nullptr;
  std::string stages;
  for (size_t i = 0; i < kNumStages; ++i) {
    const auto time = call.times[static_cast<Stage>(i)].total;
    if (time.count() == 0) continue;
    stages += Cat(stages.empty() ? "" : ",", "\"", kStageNames[i], "\":", SecondsText(time));
  }
  return Cat(
      "{\"time\":\"", LogTime(call.arrival), "\",\"rpc\":\"", call.rpc,
      "\",\"model\":", QuotedForLog(is_found ? std::string_view(call.called.model->name()) : ""),
      ",\"version\":", call.version, ",\"function\":",
      QuotedForLog(is_found ? std::string_view(call.called.function->def().name) : ""),
      ",\"code\":\"", absl::StatusCodeToString(status.code()),
      "\",\"reason\":", QuotedForLog(ReasonOf(status)),
      ",\"message\":", QuotedForLog(MessageOf(status)),
      ",\"seconds\":", SecondsText(call.times.total()), ",\"stages\":{", stages,
      "},\"request_bytes\":", call.request_bytes, ",\"response_bytes\":", call.response_bytes,
      ",\"peer\":", QuotedForLog(call.peer), ",\"trace_id\":\"",
      call.has_trace ? HexOf(call.trace.trace_id.data(), call.trace.trace_id.size()) : "", "\"}\n");
}

StatusOr<std::unique_ptr<AccessLog>> AccessLog::Open(const std::string& path) {
  const int descriptor = path == "-"
                             ? dup(STDOUT_FILENO)
                             : open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
  if (descriptor < 0) {
    return FailedPrecondition("--access_log: cannot write `", Printable(path),
                              "`: ", std::generic_category().message(errno));
  }
  return std::unique_ptr<AccessLog>(new AccessLog(descriptor));
}

AccessLog::AccessLog(int descriptor)
    : descriptor_(descriptor), writer_(descriptor, kAccessLogBytes, DroppedLine) {}

// The thread of the writer may be stuck in a write, so the descriptor stays open if lines wait.
AccessLog::~AccessLog() {
  if (writer_.Flush(std::chrono::milliseconds(200))) close(descriptor_);
}

void AccessLog::Write(const ObservedCall& call, const Status& status) {
  writer_.Write(AccessLogLine(call, status));
}

}  // namespace signet
