// Options: the command line of signet-server.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/common/limits.h"
#include "core/runtime/polymorphic_function.h"
#include "core/serving/repository/folder_scanner.h"
#include "core/serving/repository/model_settings.h"
#include "server/call/limits.h"
#include "server/observability/log.h"
#include "server/observability/observability_options.h"
#include "server/protocols/grpc/health.h"
#include "server/security/options.h"

namespace signet {

struct ServerOptions {
  std::filesystem::path models = {};  // --models; empty: only models that the program adds
  // The model repository.
  std::vector<ModelSource> more_models = {};  // further --models, and --models NAME=DIR
  double poll_seconds = 5;                    // --poll_seconds; 0: only when an administrator asks
  v1::VersionPolicy version_policy = {};      // --version_policy; not set: all
  bool load_on_demand = false;                // --load
  bool warm_up_examples = true;               // --warm_up
  int64_t model_memory_bytes = 0;             // --model_memory_bytes; 0: no limit
  int load_threads = 1;                       // --load_threads

  // Administration.
  std::string admin_listen = {};                      // --admin_listen; empty: no such address
  bool admin = false;                                 // --admin
  std::filesystem::path admin_upload_directory = {};  // --admin_upload_directory; empty: temporary

  std::string listen = "0.0.0.0:8500";    // --listen
  std::string unix_socket = {};           // --unix_socket; empty: none
  std::filesystem::path port_file = {};   // --port_file; empty: none
  bool shared_memory = false;             // --shared_memory
  ReadyPolicy ready = ReadyPolicy::kAny;  // --ready
  int64_t memory = 0;                     // --memory, in bytes; 0: unknown
  Limits limits = {};
  TransportLimits transport = {};
  SecurityOptions security = {};
  FunctionOptions function = {};
  ObservabilityOptions observability = {};
  int compute_threads = 0;  // --compute_threads; 0: one per processor
  int drain_seconds = 20;   // --drain_seconds
};

// Reads the command line into `options`. Returns an exit code if the server must not run: 0 after
// --help and --version, 2 after an error, which has been printed.
std::optional<int> ParseOptions(int argc, const char* const* argv, ServerOptions& options);

// Returns the version of the program, as --version prints it.
std::string_view ServerVersion();

}  // namespace signet
