// ResolveConnection: the server, TLS files, and token that a command uses.
//
// For each setting, the first of these sources that has it counts:
//   1. a flag: --address, --tls, --token_file, ...
//   2. an environment variable: SIGNET_ADDRESS, SIGNET_TOKEN
//   3. the profile, a section of the configuration file
//   4. the default
//
//   default_profile = "staging"           # used without --profile and SIGNET_PROFILE
//
//   [staging]
//   address = "signet.staging.example.com:8500"
//   ca = "staging-ca.pem"                 # relative to the directory of this file
//   token_file = "/run/secrets/signet-token"
//
// The file is SIGNET_CONFIG, or else $XDG_CONFIG_HOME/signet/config.toml, or else
// ~/.config/signet/config.toml. Stateless; thread-safe.

#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "signet/client.h"
#include "signet/status.h"

namespace signet {

inline constexpr char kDefaultAddress[] = "localhost:8500";

// The flags of the command line; empty if not given.
struct ConnectionFlags {
  std::optional<std::string> address = {};
  std::optional<double> timeout = {};  // seconds
  std::optional<std::string> profile = {};
  std::optional<bool> tls = {};
  std::optional<std::string> ca = {};
  std::optional<std::string> cert = {};
  std::optional<std::string> key = {};
  std::optional<std::string> server_name = {};
  std::optional<std::string> token_file = {};
  std::optional<bool> plaintext_token = {};
};

struct ConnectionEnvironment {
  std::optional<std::string> address = {};  // SIGNET_ADDRESS
  std::optional<std::string> token = {};    // SIGNET_TOKEN
  std::optional<std::string> profile = {};  // SIGNET_PROFILE
  std::filesystem::path config = {};        // the configuration file, which may not exist
  bool has_config = false;                  // SIGNET_CONFIG is set, so the file must exist
};
ConnectionEnvironment EnvironmentNow();

struct ConnectionSettings {
  std::string address = kDefaultAddress;
  double timeout = 30;  // seconds
  ClientOptions client;
};

// Returns INVALID_ARGUMENT if the configuration file is wrong, or has no profile of that name.
StatusOr<ConnectionSettings> ResolveConnection(const ConnectionFlags& flags,
                                               const ConnectionEnvironment& environment);

}  // namespace signet
