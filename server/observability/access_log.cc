#include "server/observability/access_log.h"

#include <cstdio>

#include "server/observability/log.h"

namespace signet {
namespace {

std::string SecondsText(std::chrono::nanoseconds time) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6f", static_cast<double>(time.count()) * 1e-9);
  return text;
}

std::string DroppedLine(uint64_t count) {
  return Cat("{\"time\":\"", LogTime(std::chrono::system_clock::now()),
             "\",\"event\":\"log lines dropped\",\"count\":", count, "}");
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
      call.has_trace ? HexOf(call.trace.trace_id.data(), call.trace.trace_id.size()) : "", "\"}");
}

StatusOr<std::unique_ptr<AccessLog>> AccessLog::Open(const std::string& place,
                                                     const LogFileLimits& limits) {
  LogTarget target = {.kind = LogTarget::Kind::kFile,
                      .path = place,
                      .max_bytes = limits.max_bytes,
                      .num_old_files = limits.num_old_files};
  if (place == "-") target.kind = LogTarget::Kind::kStandardOutput;
  if (place == "syslog") target.kind = LogTarget::Kind::kSyslog;
  if (place == "journal") target.kind = LogTarget::Kind::kJournal;
  auto destination = LogDestination::Open(target, {.pattern = "%v", .dropped_line = DroppedLine});
  if (!destination.ok()) return At("--access_log", destination.status());
  return std::unique_ptr<AccessLog>(new AccessLog(*std::move(destination)));
}

void AccessLog::Write(const ObservedCall& call, const Status& status) {
  destination_->Write(LogLevel::kInfo, AccessLogLine(call, status));
}

}  // namespace signet
