#include "server/observability/call_log.h"

namespace signet {
namespace {

constexpr int kMostLinesPerSecond = 20;

bool IsFault(absl::StatusCode code) {
  return code == absl::StatusCode::kInternal || code == absl::StatusCode::kDataLoss;
}

}  // namespace

CallNote NoteOf(const CallRequest& request) {
  if (!IsLogged(LogLevel::kDebug)) return {};
  return {Cat(request.model, ".", request.function), std::chrono::steady_clock::now()};
}

void LogFailedCall(std::string_view rpc, std::string_view peer, const Status& status) {
  // Faults have a sampler of their own, so that rejected calls cannot hide them.
  static auto* faults = new LogSampler(kMostLinesPerSecond);
  static auto* rejections = new LogSampler(kMostLinesPerSecond);
  bool is_fault = IsFault(status.code());
  LogLevel level = is_fault ? LogLevel::kError : LogLevel::kInfo;
  if (!IsLogged(level)) return;
  uint64_t count = (is_fault ? faults : rejections)->Admit();
  if (count == 0) return;
  Log(level, "call failed",
      {{"rpc", std::string(rpc)},
       {"code", absl::StatusCodeToString(status.code())},
       {"message", std::string(MessageOf(status))},
       {"peer", std::string(peer)},
       {"count", Cat(count)}});
}

void LogSucceededCall(std::string_view rpc, std::string_view peer, const CallNote& note) {
  if (note.function.empty()) {
    return Log(LogLevel::kDebug, "call", {{"rpc", std::string(rpc)}, {"peer", std::string(peer)}});
  }
  auto time = std::chrono::steady_clock::now() - note.start;
  auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  Log(LogLevel::kDebug, "call",
      {{"rpc", std::string(rpc)},
       {"function", note.function},
       {"microseconds", Cat(microseconds)},
       {"peer", std::string(peer)}});
}

}  // namespace signet
