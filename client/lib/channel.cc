#include "client/lib/channel.h"

#include <algorithm>
#include <netdb.h>
#include <optional>
#include <sys/socket.h>
#include <utility>

#include <grpc/grpc.h>
#include <grpcpp/channel.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/client_interceptor.h>

#include "client/lib/credentials.h"
#include "client/lib/host_port.h"

namespace signet {
namespace {

constexpr int kMaxAttempts = 5;  // gRPC permits no more
// Requests up to this size are repeated. gRPC keeps references to their bytes, not copies. Servers
// reject larger ones, unless --max_message_bytes is raised.
constexpr int kMaxRepeatedBytes = 256 << 20;

// Methods that change nothing on the server, so that repeating a call does no harm.
constexpr const char* kSafeMethods[][2] = {
    {"signet.v1.TensorService", "Call"},     {"signet.v1.TensorService", "Explain"},
    {"signet.v1.TensorService", "GetModel"}, {"signet.v1.TensorService", "ListModels"},
    {"signet.v1.AdminService", "Status"},    {"grpc.health.v1.Health", "Check"},
};

bool HasScheme(const std::string& address) {
  for (const char* scheme : {"unix:", "unix-abstract:", "dns:", "ipv4:", "ipv6:"}) {
    if (address.starts_with(scheme)) return true;
  }
  return address.find("://") != std::string::npos;
}

bool SpreadsCalls(const std::string& address, const ClientOptions& options) {
  // gRPC's form of a list, such as ipv4:10.0.0.1:8500,10.0.0.2:8500, is a list, too.
  const bool is_numeric = address.starts_with("ipv4:") || address.starts_with("ipv6:");
  return options.round_robin || AddressesIn(address).size() > 1 ||
         (is_numeric && address.find(',') != std::string::npos);
}

// Returns the first address of a host in one family, such as `127.0.0.1`; empty if it has none.
std::string LookUp(const HostPort& server, int family, std::string& problem) {
  addrinfo hints = {};
  hints.ai_family = family;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(server.host.c_str(), server.port.c_str(), &hints, &found);
  if (error != 0) {
    problem = gai_strerror(error);
    return "";
  }
  std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, freeaddrinfo);
  char text[NI_MAXHOST] = {};
  getnameinfo(found->ai_addr, found->ai_addrlen, text, sizeof(text), nullptr, 0, NI_NUMERICHOST);
  return text;
}

// The target of a gRPC channel, and the authority of its calls if it differs from the target.
struct Target {
  std::string uri;
  std::string authority;
};

// gRPC resolves a list of servers only if all of them are numeric and of one family.
StatusOr<Target> TargetOf(const std::string& address, const ClientOptions& options) {
  const std::vector<std::string> addresses = AddressesIn(address);
  if (const size_t scheme = address.find("://");
      address.starts_with("http://") || address.starts_with("https://")) {
    return InvalidArgument("address: expected HOST:PORT or unix:PATH, found `", Printable(address),
                           "`; leave out `", address.substr(0, scheme + 3), "`");
  }
  if (addresses.size() == 1) {
    if (HasScheme(address) || ParseHostPort(address)) return Target{address, ""};
    return InvalidArgument("address: expected HOST:PORT or unix:PATH, found `", Printable(address),
                           "`; the port of a server is 8500 by default");
  }
  std::vector<HostPort> servers;
  for (const std::string& each : addresses) {
    std::optional<HostPort> server = ParseHostPort(each);
    if (!server.has_value()) {
      return InvalidArgument("address: expected HOST:PORT in a list, found `", Printable(each),
                             "`");
    }
    servers.push_back(*std::move(server));
  }
  for (const HostPort& server : servers) {
    if (server.host == servers[0].host || !UsesTls(options) || !options.server_name.empty()) {
      continue;
    }
    return InvalidArgument(
        "server_name: expected the name in the certificates of the servers, because the address "
        "lists several hosts: `",
        Printable(address), "`");
  }
  std::string problem;
  for (int family : {AF_INET, AF_INET6}) {
    std::vector<std::string> numeric;
    for (const HostPort& server : servers) {
      const std::string host = LookUp(server, family, problem);
      if (host.empty()) break;
      numeric.push_back(family == AF_INET ? Cat(host, ":", server.port)
                                          : Cat("[", host, "]:", server.port));
    }
    if (numeric.size() != servers.size()) continue;
    return Target{Cat(family == AF_INET ? "ipv4:" : "ipv6:", Join(numeric, ",")), addresses[0]};
  }
  return WithReason(kNotConnected,
                    Unavailable("address: `", Printable(address),
                                "`: expected hosts that all have IPv4 addresses, or that all have "
                                "IPv6 addresses: ",
                                problem));
}

std::shared_ptr<grpc::Channel> OpenChannel(
    const Target& target, const std::shared_ptr<grpc::ChannelCredentials>& credentials, int number,
    ClientInterceptors interceptors, const std::string& server_name,
    const std::string& service_config) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  // Short pauses let the client find a restarted server soon.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 200);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2000);
  // A server that vanishes, without closing its connections, is noticed when sent bytes are not
  // acknowledged in time, or when a ping is not answered in time. Servers accept such pings.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 10'000);  // without received bytes, until a ping
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 3000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);  // unlimited
  arguments.SetInt("signet.channel", number);  // channels that differ do not share a connection
  if (!target.authority.empty()) {
    arguments.SetString(GRPC_ARG_DEFAULT_AUTHORITY, target.authority);
  }
  if (!server_name.empty()) arguments.SetSslTargetNameOverride(server_name);
  if (service_config.empty()) {
    arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  } else {
    arguments.SetServiceConfigJSON(service_config);
    arguments.SetInt(GRPC_ARG_PER_RPC_RETRY_BUFFER_SIZE, kMaxRepeatedBytes);
  }
  return grpc::experimental::CreateCustomChannelWithInterceptors(target.uri, credentials, arguments,
                                                                 std::move(interceptors));
}

}  // namespace

std::vector<std::string> AddressesIn(const std::string& address) {
  if (HasScheme(address)) return {address};
  std::vector<std::string> out;
  for (size_t begin = 0; begin <= address.size();) {
    const size_t end = std::min(address.find(',', begin), address.size());
    out.push_back(address.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

std::string ServiceConfigOf(const std::string& address, const ClientOptions& options) {
  std::vector<std::string> parts;
  if (SpreadsCalls(address, options)) {
    parts.push_back(R"("loadBalancingConfig":[{"round_robin":{}}])");
    parts.push_back(R"("healthCheckConfig":{"serviceName":""})");
  }
  if (options.max_attempts > 1) {
    std::vector<std::string> names;
    for (const auto& [service, method] : kSafeMethods) {
      names.push_back(Cat(R"({"service":")", service, R"(","method":")", method, R"("})"));
    }
    parts.push_back(Cat(R"("methodConfig":[{"name":[)", Join(names, ","),
                        R"(],"retryPolicy":{"maxAttempts":)", options.max_attempts,
                        R"(,"initialBackoff":"0.05s","maxBackoff":"1s","backoffMultiplier":2,)",
                        R"("retryableStatusCodes":["UNAVAILABLE","RESOURCE_EXHAUSTED"]}}])"));
    // Retries pause while more than a tenth of the calls fail.
    parts.push_back(R"("retryThrottling":{"maxTokens":1000,"tokenRatio":0.1})");
  }
  return parts.empty() ? "" : Cat("{", Join(parts, ","), "}");
}

std::shared_ptr<grpc::Channel> OpenChannel(const std::string& address, int number) {
  return OpenChannel(Target{address, ""}, grpc::InsecureChannelCredentials(), number, {}, "", "");
}

StatusOr<std::shared_ptr<grpc::Channel>> OpenChannel(const std::string& address,
                                                     const ClientOptions& options, int number) {
  if (options.max_attempts < 1 || options.max_attempts > kMaxAttempts) {
    return InvalidArgument("max_attempts: expected 1 to ", kMaxAttempts, ", found ",
                           options.max_attempts);
  }
  SIGNET_ASSIGN_OR_RETURN(auto credentials, MakeChannelCredentials(options));
  SIGNET_ASSIGN_OR_RETURN(auto interceptors, MakeTokenInterceptors(address, options));
  SIGNET_ASSIGN_OR_RETURN(Target target, TargetOf(address, options));
  return OpenChannel(target, credentials, number, std::move(interceptors), options.server_name,
                     ServiceConfigOf(address, options));
}

}  // namespace signet
