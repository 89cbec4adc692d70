#include "server/observability/log.h"

#include <atomic>
#include <cstdio>
#include <ctime>
#include <unistd.h>
#include <utility>

#include <grpc/support/log.h>

#include "server/observability/log_levels.h"
#include "server/observability/log_writer.h"

namespace signet {
namespace {

constexpr size_t kLongestValue = 512;        // bytes
constexpr size_t kMaxQueuedBytes = 1 << 20;  // of lines that are not written yet

std::atomic<LogFormat> log_format = LogFormat::kText;

constexpr unsigned BitOf(LogLevel level) { return 1U << static_cast<unsigned>(level); }
// Returns the bits of `level` and of all levels above it.
constexpr unsigned BitsFrom(LogLevel level) { return BitOf(LogLevel::kOff) - BitOf(level); }

std::atomic<unsigned> logged_levels = BitsFrom(LogLevel::kInfo);

std::string_view NameOf(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
    case LogLevel::kOff:
      return "off";
  }
  return "info";
}

bool IsPlain(std::string_view text) {
  if (text.empty() || text.size() > kLongestValue) return false;
  for (char c : text) {
    if (c <= ' ' || c >= 0x7f || c == '"' || c == '=' || c == '\\') return false;
  }
  return true;
}

void LogFromGrpc(gpr_log_func_args* args) {
  LogLevel level = args->severity == GPR_LOG_SEVERITY_ERROR ? LogLevel::kWarning : LogLevel::kDebug;
  if (!IsLogged(level)) return;
  static LogSampler* sampler = new LogSampler(10);
  if (uint64_t count = sampler->Admit()) {
    Log(level, "grpc", {{"message", args->message}, {"count", Cat(count)}});
  }
}

std::string Line(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  LogFormat format = log_format;
  std::string line = RenderLogLine(format, event, fields);
  if (format == LogFormat::kText)
    return Cat(LogTime(std::chrono::system_clock::now()), " ", NameOf(level), " ", line, "\n");
  return Cat("{\"time\":\"", LogTime(std::chrono::system_clock::now()), "\",\"level\":\"",
             NameOf(level), "\",", line, "}\n");
}

// Returns the writer, which is never destroyed: threads may log until the process ends.
LogWriter& Writer() {
  static auto* writer = new LogWriter(STDERR_FILENO, kMaxQueuedBytes, [](uint64_t count) {
    return Line(LogLevel::kWarning, "log lines dropped", {{"count", Cat(count)}});
  });
  return *writer;
}

}  // namespace

std::string LogTime(std::chrono::system_clock::time_point time) {
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
  const time_t seconds = milliseconds / 1000;
  tm utc = {};
  gmtime_r(&seconds, &utc);
  char text[40];
  size_t size = std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &utc);
  std::snprintf(text + size, sizeof(text) - size, ".%03dZ", static_cast<int>(milliseconds % 1000));
  return text;
}

std::string QuotedForLog(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (char c : text.substr(0, kLongestValue)) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte >= 0x7f) {
      out += {'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      out.push_back(c);
    }
  }
  if (text.size() > kLongestValue) out += "...";
  return out + '"';
}

std::string RenderLogLine(LogFormat format, std::string_view event,
                          std::initializer_list<LogField> fields) {
  if (format == LogFormat::kJson) {
    std::string out = Cat("\"event\":", QuotedForLog(event));
    for (const LogField& field : fields) {
      out += Cat(",", QuotedForLog(field.name), ":", QuotedForLog(field.value));
    }
    return out;
  }
  std::string out(event);
  for (const LogField& field : fields) {
    out +=
        Cat(" ", field.name, "=", IsPlain(field.value) ? field.value : QuotedForLog(field.value));
  }
  return out;
}

bool IsLogged(LogLevel level) {
  return (logged_levels.load(std::memory_order_relaxed) & BitOf(level)) != 0;
}

void SetLogged(LogLevel level, bool is_logged) {
  if (is_logged) {
    logged_levels |= BitOf(level);
  } else {
    logged_levels &= ~BitOf(level);
  }
}

void ConfigureLog(LogLevel level, LogFormat format) {
  log_format = format;
  logged_levels = BitsFrom(level);
  gpr_set_log_function(LogFromGrpc);
}

void Log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  if (IsLogged(level)) Writer().Write(Line(level, event, fields));
}

uint64_t NumDroppedLogLines() { return Writer().num_dropped(); }

bool FlushLog(std::chrono::milliseconds time) { return Writer().Flush(time); }

uint64_t LogSampler::Admit() {
  int64_t second = std::chrono::duration_cast<std::chrono::seconds>(
                       std::chrono::steady_clock::now().time_since_epoch())
                       .count();
  std::lock_guard lock(mu_);
  if (second != second_) {
    second_ = second;
    in_second_ = 0;
  }
  if (++in_second_ > most_per_second_) {
    ++skipped_;
    return 0;
  }
  return std::exchange(skipped_, 0) + 1;
}

}  // namespace signet
