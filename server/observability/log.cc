#include "server/observability/log.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <memory>
#include <utility>
#include <vector>

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>

#include "server/observability/log_destination.h"
#include "server/observability/log_levels.h"

namespace signet {
namespace {

constexpr size_t kLongestValue = 512;  // bytes

constexpr unsigned BitOf(LogLevel level) { return 1U << static_cast<unsigned>(level); }
// Returns the bits of `level` and of all levels above it.
constexpr unsigned BitsFrom(LogLevel level) { return BitOf(LogLevel::kOff) - BitOf(level); }

std::atomic<unsigned> logged_levels = BitsFrom(LogLevel::kInfo);

bool IsPlain(std::string_view text) {
  if (text.empty() || text.size() > kLongestValue) return false;
  for (char c : text) {
    if (c <= ' ' || c >= 0x7f || c == '"' || c == '=' || c == '\\') return false;
  }
  return true;
}

// Logs a message of a library. Clients can cause many of them.
void LogFromLibrary(LogLevel level, std::string_view library, std::string message) {
  if (!IsLogged(level)) return;
  static LogSampler* sampler = new LogSampler(10);
  if (uint64_t count = sampler->Admit()) {
    Log(level, library, {{"message", std::move(message)}, {"count", Cat(count)}});
  }
}

void LogFromGrpc(gpr_log_func_args* args) {
  const bool is_error = args->severity == GPR_LOG_SEVERITY_ERROR;
  LogFromLibrary(is_error ? LogLevel::kWarning : LogLevel::kDebug, "grpc", args->message);
}

// What Protocol Buffers calls an error, such as text that is not UTF-8, is a fault of a client.
void LogFromProtobuf(google::protobuf::LogLevel level, const char* /*file*/, int /*line*/,
                     const std::string& message) {
  const bool is_error = level >= google::protobuf::LOGLEVEL_ERROR;
  LogFromLibrary(is_error ? LogLevel::kWarning : LogLevel::kDebug, "protobuf", message);
}

// Returns the pattern of spdlog for the lines of RenderLogLine. Syslog and the journal store the
// time and the level themselves.
std::string PatternOf(LogFormat format, LogTarget::Kind kind) {
  const bool is_message = kind == LogTarget::Kind::kSyslog || kind == LogTarget::Kind::kJournal;
  if (format == LogFormat::kText) {
    return is_message ? "%v" : "%Y-%m-%dT%H:%M:%S.%eZ %^%l%$ %v";
  }
  return R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})";
}

// The places of the log, and the format of their lines.
struct Places {
  LogFormat format = LogFormat::kText;
  std::vector<std::unique_ptr<LogDestination>> destinations = {};

  Status Open(const LogTarget& target) {
    auto destination = LogDestination::Open(
        target, {.pattern = PatternOf(format, target.kind),
                 .dropped_line = [format = format](uint64_t count) {
                   return RenderLogLine(format, "log lines dropped", {{"count", Cat(count)}});
                 }});
    if (!destination.ok()) return destination.status();
    destinations.push_back(*std::move(destination));
    return absl::OkStatus();
  }
};

using PlacesPtr = std::shared_ptr<const Places>;

PlacesPtr DefaultPlaces() {
  auto places = std::make_shared<Places>();
  places->Open({}).IgnoreError();  // standard error may be closed
  return places;
}

// Never destroyed: threads may log until the process ends.
std::atomic<PlacesPtr>& CurrentPlaces() {
  static auto* places = new std::atomic<PlacesPtr>(DefaultPlaces());
  return *places;
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

Status ConfigureLog(const LogOptions& options) {
  auto places = std::make_shared<Places>();
  places->format = options.format;
  std::vector<LogTarget::Kind> kinds = options.to;
  if (kinds.empty() && options.file.empty()) {
    kinds.push_back(LogTarget::Kind::kStandardError);
  }
  for (LogTarget::Kind kind : kinds) {
    SIGNET_RETURN_IF_ERROR(At("--log_to", places->Open({.kind = kind})));
  }
  if (!options.file.empty()) {
    SIGNET_RETURN_IF_ERROR(
        At("--log_file", places->Open({.kind = LogTarget::Kind::kFile,
                                       .path = options.file,
                                       .max_bytes = options.files.max_bytes,
                                       .num_old_files = options.files.num_old_files})));
  }
  CurrentPlaces().store(std::move(places));
  logged_levels = BitsFrom(options.level);
  gpr_set_log_function(LogFromGrpc);
  google::protobuf::SetLogHandler(LogFromProtobuf);
  return absl::OkStatus();
}

void Log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  if (!IsLogged(level)) return;
  const PlacesPtr places = CurrentPlaces().load();
  const std::string line = RenderLogLine(places->format, event, fields);
  for (const auto& destination : places->destinations) destination->Write(level, line);
}

uint64_t NumDroppedLogLines() {
  uint64_t count = 0;
  for (const auto& destination : CurrentPlaces().load()->destinations) {
    count += destination->num_dropped();
  }
  return count;
}

bool FlushLog(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  bool is_written = true;
  const PlacesPtr places = CurrentPlaces().load();
  for (const auto& destination : places->destinations) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    is_written = destination->Flush(std::max(left, std::chrono::milliseconds(0))) && is_written;
  }
  return is_written;
}

void ReopenLogFiles() {
  if (Status reopened = LogDestination::ReopenFiles(); !reopened.ok()) {
    Log(LogLevel::kError, "log file not opened again",
        {{"reason", std::string(MessageOf(reopened))}});
  }
}

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
