#include "client/cli/connection_settings.h"

#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "core/base/nearest_name.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

using Profile = std::map<std::string, std::string>;

constexpr std::string_view kKeys[] = {"address",     "timeout",    "tls",
                                      "ca",          "cert",       "key",
                                      "server_name", "token_file", "plaintext_token"};

std::optional<std::string> Variable(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  return text;
}

Status CheckKey(const std::string& profile, const std::string& key) {
  for (std::string_view known : kKeys) {
    if (key == known) return absl::OkStatus();
  }
  if (key == "token") {
    return InvalidArgument("[", profile, "] token: expected the token in a file of its own, ",
                           "token_file = \"FILE\"");
  }
  auto nearest = NearestName(key, kKeys);
  return InvalidArgument("[", profile, "]: unknown key `", Printable(key), "`; ",
                         nearest ? Cat("did you mean `", *nearest, "`? ") : "", "keys: ",
                         Join(std::vector<std::string>(std::begin(kKeys), std::end(kKeys)), ", "));
}

struct Config {
  std::map<std::string, Profile> profiles;
  std::string default_profile;
};

StatusOr<Config> ReadConfig(const fs::path& path) {
  std::vector<CLI::ConfigItem> items;
  try {
    items = CLI::ConfigTOML().from_file(path.string());
  } catch (const CLI::Error& error) {
    return InvalidArgument("cannot read the file: ", error.what());
  }
  Config out;
  for (const CLI::ConfigItem& item : items) {
    if (item.name == "++" && !item.parents.empty()) out.profiles[item.parents.back()];
    if (item.name == "++" || item.name == "--") continue;  // a section begins or ends
    if (item.inputs.size() != 1) {
      return InvalidArgument(Printable(item.fullname()), ": expected one value");
    }
    if (item.parents.empty()) {
      if (item.name != "default_profile") {
        return InvalidArgument("expected default_profile or a section such as [staging], found `",
                               Printable(item.name), "`");
      }
      out.default_profile = item.inputs[0];
      continue;
    }
    if (item.parents.size() != 1) {
      return InvalidArgument("expected a section with a plain name, found [",
                             Printable(CLI::detail::join(item.parents, ".")), "]");
    }
    SIGNET_RETURN_IF_ERROR(CheckKey(item.parents[0], item.name));
    out.profiles[item.parents[0]][item.name] = item.inputs[0];
  }
  return out;
}

// Returns the profile that the flags, the environment, or the file selects; empty if none does.
StatusOr<Profile> FindProfile(const ConnectionFlags& flags,
                              const ConnectionEnvironment& environment) {
  std::optional<std::string> wanted = flags.profile ? flags.profile : environment.profile;
  std::error_code ignored;
  if (!environment.has_config && !fs::exists(environment.config, ignored)) {
    if (!wanted) return Profile();
    return InvalidArgument("profile `", Printable(*wanted), "`: expected the configuration file `",
                           Printable(environment.config.string()), "`, which does not exist");
  }
  auto config = ReadConfig(environment.config);
  if (!config.ok()) return At(Printable(environment.config.string()), config.status());
  if (!wanted && !config->default_profile.empty()) wanted = config->default_profile;
  if (!wanted) return Profile();
  auto found = config->profiles.find(*wanted);
  if (found != config->profiles.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [name, profile] : config->profiles) names.push_back(name);
  return InvalidArgument("profile `", Printable(*wanted), "` not found in `",
                         Printable(environment.config.string()),
                         "`; profiles: ", names.empty() ? "none" : Join(names, ", "));
}

// Reads the values of one profile.
class ProfileReader {
 public:
  ProfileReader(const Profile& profile, const fs::path& folder)
      : profile_(profile), folder_(folder) {}

  std::optional<std::string> Text(const std::string& key) const {
    auto found = profile_.find(key);
    if (found == profile_.end()) return std::nullopt;
    return found->second;
  }
  std::optional<std::string> File(const std::string& key) const {
    auto text = Text(key);
    if (!text) return text;
    return (folder_ / *text).string();  // an absolute path stays as it is
  }
  StatusOr<std::optional<bool>> Bool(const std::string& key) const {
    auto text = Text(key);
    if (!text) return std::optional<bool>();
    if (*text == "true") return std::optional<bool>(true);
    if (*text == "false") return std::optional<bool>(false);
    return InvalidArgument(key, ": expected true or false, found `", Printable(*text), "`");
  }
  StatusOr<std::optional<double>> Seconds(const std::string& key) const {
    auto text = Text(key);
    if (!text) return std::optional<double>();
    double seconds = 0;
    if (CLI::detail::lexical_cast(*text, seconds) && seconds >= 0.001 && seconds <= 86400) {
      return std::optional<double>(seconds);
    }
    return InvalidArgument(key, ": expected seconds from 0.001 to 86400, found `", Printable(*text),
                           "`");
  }

 private:
  const Profile& profile_;
  const fs::path folder_;
};

}  // namespace

ConnectionEnvironment EnvironmentNow() {
  ConnectionEnvironment out;
  out.address = Variable("SIGNET_ADDRESS");
  out.token = Variable("SIGNET_TOKEN");
  out.profile = Variable("SIGNET_PROFILE");
  if (auto config = Variable("SIGNET_CONFIG")) {
    out.config = *config;
    out.has_config = true;
  } else if (auto folder = Variable("XDG_CONFIG_HOME")) {
    out.config = fs::path(*folder) / "signet" / "config.toml";
  } else if (auto home = Variable("HOME")) {
    out.config = fs::path(*home) / ".config" / "signet" / "config.toml";
  }
  return out;
}

StatusOr<ConnectionSettings> ResolveConnection(const ConnectionFlags& flags,
                                               const ConnectionEnvironment& environment) {
  SIGNET_ASSIGN_OR_RETURN(Profile profile, FindProfile(flags, environment));
  const ProfileReader reader(profile, environment.config.parent_path());
  const std::string place = Printable(environment.config.string());
  auto timeout = reader.Seconds("timeout");
  auto tls = reader.Bool("tls");
  auto plaintext_token = reader.Bool("plaintext_token");
  for (const Status& status : {timeout.status(), tls.status(), plaintext_token.status()}) {
    SIGNET_RETURN_IF_ERROR(At(place, status));
  }
  auto first = [](const auto& flag, const auto& other) { return flag ? flag : other; };

  ConnectionSettings out;
  auto address = first(flags.address, first(environment.address, reader.Text("address")));
  out.address = address.value_or(kDefaultAddress);
  out.timeout = first(flags.timeout, *timeout).value_or(30);
  ClientOptions& client = out.client;
  const std::optional<bool> uses_tls = first(flags.tls, *tls);
  client.tls = uses_tls.value_or(false);
  // With --no_tls, or tls = false, the TLS files of the profile are not used.
  auto of_profile = [&](std::optional<std::string> text) {
    return uses_tls.value_or(true) ? std::move(text) : std::nullopt;
  };
  client.ca_file = first(flags.ca, of_profile(reader.File("ca"))).value_or("");
  client.certificate_file = first(flags.cert, of_profile(reader.File("cert"))).value_or("");
  client.key_file = first(flags.key, of_profile(reader.File("key"))).value_or("");
  client.server_name =
      first(flags.server_name, of_profile(reader.Text("server_name"))).value_or("");
  client.plaintext_token = first(flags.plaintext_token, *plaintext_token).value_or(false);
  if (flags.token_file) {
    client.token_file = *flags.token_file;
  } else if (environment.token) {
    client.token = *environment.token;
  } else {
    client.token_file = reader.File("token_file").value_or("");
  }
  return out;
}

}  // namespace signet
