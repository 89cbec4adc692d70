// LogCall: logs the outcome of a call.
//
//   level   calls
//   error   INTERNAL and DATA_LOSS, at most 20 per second
//   info    other calls that failed, at most 20 per second
//   debug   calls that succeeded
//
// If calls are skipped because of the limit, the next line has the number of calls as `count`.
// Thread-safe.

#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "core/formats/common/call_request.h"
#include "server/observability/log.h"
#include "signet/status.h"

namespace signet {

// The facts about a call that its line needs if it succeeds. Empty unless such calls are logged.
struct CallNote {
  std::string function;  // `recipes.score`
  std::chrono::steady_clock::time_point start = {};
};

CallNote NoteOf(const CallRequest& request);

void LogFailedCall(std::string_view rpc, std::string_view peer, const Status& status);
void LogSucceededCall(std::string_view rpc, std::string_view peer, const CallNote& note);

// Logs a call that ended with `status`. Reads the peer of `context` only if a line is written.
template <class Context>
void LogCall(std::string_view rpc, const Context& context, const Status& status,
             const CallNote& note = {}) {
  if (!status.ok()) {
    if (IsLogged(LogLevel::kError)) LogFailedCall(rpc, context.peer(), status);
  } else if (IsLogged(LogLevel::kDebug)) {
    LogSucceededCall(rpc, context.peer(), note);
  }
}

}  // namespace signet
