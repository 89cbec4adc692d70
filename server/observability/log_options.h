// LogOptions: which events the server logs, in which format, and where. Each is a flag of
// signet-server.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace signet {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarning, kError, kOff };
enum class LogFormat : uint8_t { kText, kJson };

// A place that receives lines.
struct LogTarget {
  enum class Kind : uint8_t { kStandardError, kStandardOutput, kFile, kSyslog, kJournal };

  Kind kind = Kind::kStandardError;
  std::filesystem::path path = {};  // of kFile: a file, a pipe, or a device
  int64_t max_bytes = 0;            // of kFile; 0: no limit
  int num_old_files = 0;            // of kFile: renamed files that are kept
};

// Limits of each file that receives a log.
struct LogFileLimits {
  int64_t max_bytes = 0;  // --log_file_bytes; 0: no limit
  int num_old_files = 5;  // --log_files
};

struct LogOptions {
  LogLevel level = LogLevel::kInfo;      // --log_level
  LogFormat format = LogFormat::kText;   // --log_format
  std::vector<LogTarget::Kind> to = {};  // --log_to; empty: standard error, if `file` is empty
  std::filesystem::path file = {};       // --log_file; empty: none
  LogFileLimits files = {};
};

}  // namespace signet
