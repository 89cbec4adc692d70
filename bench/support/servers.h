// StartEcho, StartSignet: start the servers that are compared, on TCP and a Unix socket.
//
//   auto echo = StartEcho(folder);
//   LoadClient client(echo->tcp, kRawEchoMethod, request);

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/support/child.h"

namespace signet {

inline constexpr const char* kProtoEchoMethod = "/signet.bench.Echo/Echo";
inline constexpr const char* kRawEchoMethod = "/signet.bench.RawEcho/Echo";
inline constexpr const char* kCallMethod = "/signet.v1.TensorService/Call";

// A directory that is removed with this object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Writes `file`, a relative path, and makes its parent directories.
  void Write(const std::filesystem::path& file, std::string_view text) const;

 private:
  std::filesystem::path path_;
};

struct RunningServer {
  Child child;
  std::string tcp;  // addresses in the form of gRPC
  std::string unix_socket;
};

// Starts the echo services of bench/support/echo_server.h in a separate process, with sockets in
// `sockets`. If `certificates` is not empty, TCP uses TLS with its files tls.pem and tls.key.
StatusOr<RunningServer> StartEcho(const std::filesystem::path& sockets,
                                  const std::filesystem::path& certificates = {});
// Starts the signet-server that was built with this program, with further flags.
StatusOr<RunningServer> StartSignet(const std::filesystem::path& models,
                                    const std::filesystem::path& sockets,
                                    const std::vector<std::string>& flags = {});

// Returns a TCP address on this machine that is not in use now.
std::string FreeAddress();

}  // namespace signet
