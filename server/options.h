// Options: the command line of signet-server.

#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/formats/common/limits.h"
#include "core/runtime/polymorphic_function.h"
#include "server/call/limits.h"
#include "server/observability/log.h"
#include "server/protocols/grpc/health.h"
#include "server/security/options.h"

namespace signet {

struct ServerOptions {
  std::filesystem::path models = {};      // --models; empty: only models that the program adds
  std::string listen = "0.0.0.0:8500";    // --listen
  std::string unix_socket = {};           // --unix_socket; empty: none
  std::filesystem::path port_file = {};   // --port_file; empty: none
  ReadyPolicy ready = ReadyPolicy::kAny;  // --ready
  int64_t memory = 0;                     // --memory, in bytes; 0: unknown
  Limits limits = {};
  TransportLimits transport = {};
  SecurityOptions security = {};
  FunctionOptions function = {};
  int compute_threads = 0;                  // --compute_threads; 0: one per processor
  int drain_seconds = 20;                   // --drain_seconds
  LogLevel log_level = LogLevel::kInfo;     // --log_level
  LogFormat log_format = LogFormat::kText;  // --log_format
};

// Reads the command line into `options`. Returns an exit code if the server must not run: 0 after
// --help and --version, 2 after an error, which has been printed.
std::optional<int> ParseOptions(int argc, const char* const* argv, ServerOptions& options);

}  // namespace signet
