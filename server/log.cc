#include "server/log.h"

#include <atomic>
#include <memory>

#include <grpc/support/log.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace signet {
namespace {

constexpr size_t kLongestValue = 512;  // bytes

std::atomic<LogFormat> log_format = LogFormat::kText;

spdlog::level::level_enum SpdlogLevel(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      return spdlog::level::off;
  }
  return spdlog::level::info;
}

// Text between double quotes, as both forms write it. Bytes that are not printable ASCII are
// escaped one by one, so that no terminal and no reader of lines can be misled.
std::string Escaped(std::string_view text) {
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

bool IsPlain(std::string_view text) {
  if (text.empty() || text.size() > kLongestValue) return false;
  for (char c : text) {
    if (c <= ' ' || c >= 0x7f || c == '"' || c == '=' || c == '\\') return false;
  }
  return true;
}

void LogFromGrpc(gpr_log_func_args* args) {
  LogLevel level = args->severity == GPR_LOG_SEVERITY_ERROR ? LogLevel::kWarning : LogLevel::kDebug;
  Log(level, "grpc", {{"message", args->message}});
}

}  // namespace

std::string RenderLogLine(LogFormat format, std::string_view event,
                          std::initializer_list<LogField> fields) {
  if (format == LogFormat::kJson) {
    std::string out = Cat("\"event\":", Escaped(event));
    for (const LogField& field : fields) {
      out += Cat(",", Escaped(field.name), ":", Escaped(field.value));
    }
    return out;
  }
  std::string out(event);
  for (const LogField& field : fields) {
    out += Cat(" ", field.name, "=", IsPlain(field.value) ? field.value : Escaped(field.value));
  }
  return out;
}

void ConfigureLog(LogLevel level, LogFormat format) {
  log_format = format;
  auto logger =
      std::make_shared<spdlog::logger>("signet", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_level(SpdlogLevel(level));
  logger->set_pattern(format == LogFormat::kJson
                          ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})"
                          : "%Y-%m-%dT%H:%M:%S.%eZ %l %v",
                      spdlog::pattern_time_type::utc);
  spdlog::set_default_logger(std::move(logger));
  gpr_set_log_function(LogFromGrpc);
}

void Log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  spdlog::logger* logger = spdlog::default_logger_raw();
  spdlog::level::level_enum spdlog_level = SpdlogLevel(level);
  if (!logger->should_log(spdlog_level)) return;
  std::string line = RenderLogLine(log_format, event, fields);
  logger->log(spdlog_level, spdlog::string_view_t(line));
}

}  // namespace signet
