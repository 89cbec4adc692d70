#include "bench/support/servers.h"

#include <cstdlib>
#include <fstream>
#include <sys/socket.h>
#include <unistd.h>

#include <arpa/inet.h>

namespace signet {
namespace {

namespace fs = std::filesystem;

fs::path ProgramPath() { return fs::read_symlink("/proc/self/exe"); }

}  // namespace

std::string FreeAddress() {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  SIGNET_CHECK(bind(listener, generic, size) == 0 && getsockname(listener, generic, &size) == 0);
  close(listener);
  return Cat("127.0.0.1:", ntohs(address.sin_port));
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "signet-bench-XXXXXX").string();
  SIGNET_CHECK(mkdtemp(name.data()) != nullptr);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void TemporaryFolder::Write(const fs::path& file, std::string_view text) const {
  fs::create_directories((path_ / file).parent_path());
  std::ofstream(path_ / file, std::ios::binary) << text;
}

StatusOr<RunningServer> StartEcho(const fs::path& sockets, const fs::path& certificates) {
  std::string tcp = FreeAddress();
  std::string unix_socket = Cat("unix:", (sockets / "echo.sock").string());
  std::vector<std::string> command = {ProgramPath().string(), "--serve-echo", tcp, "--serve-echo",
                                      unix_socket};
  if (!certificates.empty()) {
    command.insert(command.end(), {"--echo-certificates", certificates.string()});
  }
  SIGNET_ASSIGN_OR_RETURN(Child child, Child::Start(command));
  return RunningServer{std::move(child), tcp, unix_socket};
}

StatusOr<RunningServer> StartSignet(const fs::path& models, const fs::path& sockets,
                                    const std::vector<std::string>& flags) {
  fs::path program = ProgramPath().parent_path().parent_path() / "server" / "signet-server";
  if (!fs::exists(program))
    return NotFound("signet-server not found next to this program; build it first");
  std::string tcp = FreeAddress();
  std::string socket = (sockets / "signet.sock").string();
  std::vector<std::string> words = {program.string(), "--models", models.string(), "--listen", tcp,
                                    "--unix_socket",  socket,     "--log_level",   "error"};
  words.insert(words.end(), flags.begin(), flags.end());
  SIGNET_ASSIGN_OR_RETURN(Child child, Child::Start(words));
  return RunningServer{std::move(child), tcp, Cat("unix:", socket)};
}

}  // namespace signet
