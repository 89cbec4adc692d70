// Servers: the processes that are held against each other, each listening on TCP and a Unix socket.
//
//   auto echo = StartEcho(folder);
//   LoadClient client(echo->tcp, kRawEchoMethod, request);

#pragma once

#include <filesystem>
#include <string>

#include "bench/support/child.h"

namespace signet {

inline constexpr const char* kProtoEchoMethod = "/signet.bench.Echo/Echo";
inline constexpr const char* kRawEchoMethod = "/signet.bench.RawEcho/Echo";
inline constexpr const char* kCallMethod = "/signet.v1.TensorService/Call";

// A folder that goes when it does.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Makes the folders above `file`, which is relative, as well.
  void Write(const std::filesystem::path& file, std::string_view text) const;

 private:
  std::filesystem::path path_;
};

struct RunningServer {
  Child child;
  std::string tcp;  // addresses, as gRPC takes them
  std::string unix_socket;
};

// The echoes of bench/support/echo_server.h, in a process of their own. Sockets are made in
// `sockets`.
StatusOr<RunningServer> StartEcho(const std::filesystem::path& sockets);
// signet-server as it was built beside this program.
StatusOr<RunningServer> StartSignet(const std::filesystem::path& models,
                                    const std::filesystem::path& sockets);

}  // namespace signet
