#include "server/transport/listener.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <netdb.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include <arpa/inet.h>
#include <linux/tcp.h>
#include <netinet/in.h>

#include "server/observability/log.h"

namespace signet {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

namespace {

constexpr int kBacklog = 4096;
// Descriptors that are reserved for gRPC's pollers, files of models, and the log.
constexpr int kReservedDescriptors = 16;
// Each connection has gRPC's descriptor and the duplicate.
constexpr int kDescriptorsPerConnection = 2;
constexpr milliseconds kPause(50);   // after an unexpected error of accept
constexpr seconds kLogInterval(10);  // between two lines about rejected connections
constexpr int kTicks = 10;           // checks of a connection per stall_seconds
constexpr int kSlowTicks = 4;        // checks with new bytes after which a connection is sending
constexpr int64_t kSlowestBytes = 1024;  // per second
constexpr int kEvents = 64;              // maximum number of events per epoll_wait

std::string ErrorText(int error) { return std::strerror(error); }

int CountOpenDescriptors() {
  std::error_code error;
  int count = 0;
  for (std::filesystem::directory_iterator it("/proc/self/fd", error), end; !error && it != end;
       it.increment(error)) {
    ++count;
  }
  return count;
}

// Returns how many connections the limit of open files permits.
int ConnectionsThatFit() {
  rlimit files = {};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return 512;
  auto limit = static_cast<int64_t>(std::min<rlim_t>(files.rlim_cur, 1 << 20));
  int64_t room = limit - CountOpenDescriptors() - kReservedDescriptors;
  return static_cast<int>(std::max<int64_t>(room / kDescriptorsPerConnection, 1));
}

int PortOf(const sockaddr* address) {
  return ntohs(address->sa_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6*>(address)->sin6_port
                   : reinterpret_cast<const sockaddr_in*>(address)->sin_port);
}

void SetPort(sockaddr* address, int port) {
  auto& field = address->sa_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(address)->sin6_port
                                               : reinterpret_cast<sockaddr_in*>(address)->sin_port;
  field = htons(static_cast<uint16_t>(port));
}

// Returns a listening socket, or -1 with errno.
int BindAndListen(const sockaddr* address, socklen_t size, bool dual_stack) {
  int fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  int on = 1;
  int only_v6 = dual_stack ? 0 : 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (address->sa_family == AF_INET6) {
    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only_v6, sizeof(only_v6));
  }
  if (bind(fd, address, size) == 0 && listen(fd, kBacklog) == 0) return fd;
  int error = errno;
  close(fd);
  errno = error;
  return -1;
}

bool IsWildcard(const sockaddr* address) {
  return address->sa_family == AF_INET &&
         reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr == htonl(INADDR_ANY);
}

// Returns gRPC's name of the peer of a connection; empty if several connections may have that name.
std::string PeerName(int fd) {
  sockaddr_storage storage = {};
  socklen_t size = sizeof(storage);
  auto* address = reinterpret_cast<sockaddr*>(&storage);
  if (getpeername(fd, address, &size) != 0) return "";
  char text[INET6_ADDRSTRLEN] = {};
  if (address->sa_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(storage);
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof(text));
    return Cat("ipv4:", text, ":", PortOf(address));
  }
  if (address->sa_family != AF_INET6) return "";
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(storage);
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
    inet_ntop(AF_INET, &v6.sin6_addr.s6_addr[12], text, sizeof(text));
    return Cat("ipv4:", text, ":", PortOf(address));
  }
  if (v6.sin6_scope_id != 0) return "";
  inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof(text));
  return Cat("ipv6:%5B", text, "%5D:", PortOf(address));
}

enum class UnixSocketState { kAbsent, kStale, kInUse, kNotASocket };

UnixSocketState StateOf(const sockaddr_un& address) {
  struct stat info = {};
  if (lstat(address.sun_path, &info) != 0) return UnixSocketState::kAbsent;
  if (!S_ISSOCK(info.st_mode)) return UnixSocketState::kNotASocket;
  int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (probe < 0) return UnixSocketState::kInUse;
  int connected = connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  bool stale = connected != 0 && errno == ECONNREFUSED;
  close(probe);
  return stale ? UnixSocketState::kStale : UnixSocketState::kInUse;
}

}  // namespace

bool IsTcp(int descriptor) {
  int family = 0;
  socklen_t size = sizeof(family);
  return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &size) == 0 && family != AF_UNIX;
}

// A connection and the results of the last checks.
struct Listener::Watched {
  Watched(int descriptor, std::string peer)
      : duplicate(descriptor), connection(std::make_shared<Connection>(std::move(peer))) {}
  ~Watched() { guard == nullptr ? static_cast<void>(close(duplicate)) : Unguard(guard); }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  // gRPC owns the socket and may close its descriptor at any time; this one stays valid.
  const int duplicate;
  const std::shared_ptr<Connection> connection;
  std::shared_ptr<GuardedSocket> guard;  // owns the duplicate; null for a Unix socket
  int ticks = 0;                         // checks since this period began
  int receiving_ticks = 0;               // checks that found new bytes
  bool always_unread = true;             // responses were unread at each check
  uint64_t received = 0;                 // bytes at the last check
  uint64_t first_received = 0;           // bytes when this period began
  uint64_t first_acknowledged = 0;       // bytes when this period began
  bool slow = false;                     // in the previous period
};

Listener::Listener(Options options)
    : options_(options),
      paused_(
          std::make_shared<PausedSockets>(options.frames.streams_before_ack, [this] { Wake(); })) {
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  spare_ = open("/dev/null", O_RDONLY | O_CLOEXEC);
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.fd = wake_;
  epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &event);
}

Listener::~Listener() {
  {
    std::lock_guard lock(mu_);
    stop_ = true;
  }
  Wake();
  if (thread_.joinable()) thread_.join();
  paused_->Stop();
  CloseListening();
  for (int fd : {epoll_, wake_, spare_}) {
    if (fd >= 0) close(fd);
  }
}

StatusOr<int> Listener::Listen(const std::string& address) {
  size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  std::string port_text = address.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (int error = getaddrinfo(host.c_str(), port_text.c_str(), &hints, &found); error != 0) {
    return Unavailable("cannot listen on `", Printable(address), "`: ", gai_strerror(error));
  }
  std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, freeaddrinfo);

  int port = 0;
  int error = 0;
  std::vector<int> sockets;
  for (addrinfo* next = found; next != nullptr; next = next->ai_next) {
    int fd = -1;
    if (port == 0) port = PortOf(next->ai_addr);
    if (IsWildcard(next->ai_addr)) {  // also listen on IPv6, if the system has it
      sockaddr_in6 any = {};
      any.sin6_family = AF_INET6;
      any.sin6_addr = in6addr_any;
      any.sin6_port = htons(static_cast<uint16_t>(port));
      fd = BindAndListen(reinterpret_cast<sockaddr*>(&any), sizeof(any), true);
    }
    if (fd < 0) {
      SetPort(next->ai_addr, port);
      fd = BindAndListen(next->ai_addr, next->ai_addrlen, false);
    }
    if (fd < 0) {
      error = errno;
      continue;
    }
    sockaddr_storage bound = {};
    socklen_t size = sizeof(bound);
    getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size);
    port = PortOf(reinterpret_cast<sockaddr*>(&bound));
    sockets.push_back(fd);
  }
  if (sockets.empty()) {
    return Unavailable("cannot listen on `", Printable(address), "`: ", ErrorText(error),
                       "; check that the port is free and that the address is of this machine");
  }
  std::lock_guard lock(mu_);
  listening_.insert(listening_.end(), sockets.begin(), sockets.end());
  return port;
}

Status Listener::ListenOnUnixSocket(const std::string& path) {
  auto error = [&path](const auto&... why) {
    return Unavailable("cannot listen on `", Printable(path), "`: ", why...);
  };
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    return error("expected a path of at most ", sizeof(address.sun_path) - 1, " bytes, found ",
                 path.size());
  }
  path.copy(address.sun_path, path.size());
  switch (StateOf(address)) {
    case UnixSocketState::kInUse:
      return error("another process listens on it");
    case UnixSocketState::kNotASocket:
      return error("expected a socket or no file, found another kind of file");
    case UnixSocketState::kStale:
      unlink(address.sun_path);
      break;
    case UnixSocketState::kAbsent:
      break;
  }
  // If another process has made the socket meanwhile, bind fails.
  int fd = BindAndListen(reinterpret_cast<const sockaddr*>(&address), sizeof(address), false);
  if (fd < 0) return error(ErrorText(errno));
  struct stat info = {};
  if (lstat(address.sun_path, &info) == 0) {
    unix_path_ = path;
    unix_device_ = info.st_dev;
    unix_inode_ = info.st_ino;
  }
  std::lock_guard lock(mu_);
  listening_.push_back(fd);
  return absl::OkStatus();
}

void Listener::Start(Handler handler) {
  handler_ = std::move(handler);
  int fitting = ConnectionsThatFit();
  max_connections_ =
      options_.max_connections > 0 ? std::min(options_.max_connections, fitting) : fitting;
  for (int fd : listening_) {
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.fd = fd;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
  }
  // This thread must not receive signals: StopSignals waits for them.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { Run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Listener::StopListening() {
  std::unique_lock lock(mu_);
  stop_listening_ = true;
  Wake();
  if (thread_.joinable()) {
    changed_.wait(lock, [this] { return listening_.empty(); });
  }
}

void Listener::EndConnections(milliseconds time) {
  std::unique_lock lock(mu_);
  for (auto& [fd, watched] : watched_) shutdown(fd, SHUT_WR);
  changed_.wait_for(lock, time, [this] { return watched_.empty(); });
}

std::shared_ptr<Connection> Listener::FindPeer(std::string_view peer) const {
  std::lock_guard lock(mu_);
  auto found = peers_.find(std::string(peer));
  return found == peers_.end() ? nullptr : found->second;
}

void Listener::Wake() {
  uint64_t one = 1;
  [[maybe_unused]] ssize_t written = write(wake_, &one, sizeof(one));
}

void Listener::Run() {
  const auto tick = milliseconds(1000 * std::max(options_.stall_seconds, 1) / kTicks);
  watch_again_ = steady_clock::now() + tick;
  epoll_event events[kEvents];
  while (true) {
    auto wait = paused_->Resume() ? std::min(tick, PausedSockets::kTurn / 4) : tick;
    int count = epoll_wait(epoll_, events, kEvents, static_cast<int>(wait.count()));
    for (int i = 0; i < count; ++i) {
      int fd = events[i].data.fd;
      if (fd == wake_) {
        uint64_t ignored;
        [[maybe_unused]] ssize_t bytes = read(wake_, &ignored, sizeof(ignored));
        continue;
      }
      bool is_listening;
      {
        std::lock_guard lock(mu_);
        is_listening = std::find(listening_.begin(), listening_.end(), fd) != listening_.end();
      }
      is_listening ? AcceptAll(fd) : Forget(fd);
    }
    {
      std::unique_lock lock(mu_);
      if (stop_) return;
      if (stop_listening_ && !listening_.empty()) {
        lock.unlock();
        CloseListening();
        changed_.notify_all();
      }
    }
    if (auto now = steady_clock::now(); now >= watch_again_) {
      watch_again_ = now + tick;
      Watch();
    }
  }
}

void Listener::AcceptAll(int listening) {
  for (int i = 0; i < kEvents; ++i) {
    if (!AcceptOne(listening)) return;
  }
}

bool Listener::AcceptOne(int listening) {
  int fd = accept4(listening, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd >= 0) {
    Serve(fd);
    return true;
  }
  switch (errno) {
    case EAGAIN:
      return false;
    case EMFILE:
    case ENFILE:
      RejectWithSpare(listening);
      return true;
    case EINTR:
    case ECONNABORTED:
      return true;
    default:  // a network error or a lack of memory, which is temporary
      LogRejected(ErrorText(errno));
      std::this_thread::sleep_for(kPause);
      return false;
  }
}

void Listener::Serve(int descriptor) {
  if (num_connections() >= max_connections_) {
    close(descriptor);
    return LogRejected("the limit of connections is reached (--max_connections)");
  }
  int duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (duplicate < 0) {
    close(descriptor);
    return LogRejected(ErrorText(errno));
  }
  int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));  // fails on a unix socket
  auto watched = std::make_unique<Watched>(duplicate, PeerName(descriptor));
  if (IsTcp(descriptor)) {
    watched->guard = GuardReads(descriptor, duplicate, watched->connection->peer, tls_,
                                options_.frames, paused_);
  }
  {
    std::lock_guard lock(mu_);
    if (!watched->connection->peer.empty()) {
      peers_[watched->connection->peer] = watched->connection;
    }
    watched_[duplicate] = std::move(watched);
  }
  num_connections_.fetch_add(1, std::memory_order_relaxed);
  num_accepted_.fetch_add(1, std::memory_order_relaxed);
  // The only event is the end of the connection, which epoll always reports.
  epoll_event event = {};
  event.events = EPOLLET;
  event.data.fd = duplicate;
  epoll_ctl(epoll_, EPOLL_CTL_ADD, duplicate, &event);
  handler_(descriptor);
}

void Listener::RejectWithSpare(int listening) {
  if (spare_ >= 0) close(spare_);
  int fd = accept4(listening, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd >= 0) close(fd);
  spare_ = open("/dev/null", O_RDONLY | O_CLOEXEC);
  LogRejected("no file descriptor is available");
  if (fd < 0 || spare_ < 0) std::this_thread::sleep_for(kPause);
}

void Listener::LogRejected(std::string_view why) {
  int64_t count = num_rejected_.fetch_add(1, std::memory_order_relaxed) + 1;
  auto now = steady_clock::now();
  if (now < log_again_) return;
  log_again_ = now + kLogInterval;
  Log(LogLevel::kWarning, "connections rejected",
      {{"count", Cat(count - std::exchange(rejected_logged_, count))},
       {"open", Cat(num_connections())},
       {"reason", std::string(why)}});
}

void Listener::Forget(int duplicate) {
  std::unique_ptr<Watched> watched;
  {
    std::lock_guard lock(mu_);
    auto found = watched_.find(duplicate);
    if (found == watched_.end()) return;
    watched = std::move(found->second);
    watched_.erase(found);
    auto peer = peers_.find(watched->connection->peer);
    if (peer != peers_.end() && peer->second == watched->connection) peers_.erase(peer);
    if (watched_.empty()) changed_.notify_all();
  }
  // gRPC's descriptor may keep the socket open a little longer, so epoll would report it again.
  epoll_ctl(epoll_, EPOLL_CTL_DEL, duplicate, nullptr);
  if (watched->slow) num_slow_.fetch_sub(1, std::memory_order_relaxed);
  num_connections_.fetch_sub(1, std::memory_order_relaxed);
}

void Listener::CloseListening() {
  std::lock_guard lock(mu_);
  for (int fd : listening_) close(fd);
  listening_.clear();
  struct stat info = {};
  if (!unix_path_.empty() && lstat(unix_path_.c_str(), &info) == 0 && info.st_dev == unix_device_ &&
      info.st_ino == unix_inode_) {
    unlink(unix_path_.c_str());
  }
  unix_path_.clear();
}

void Listener::Watch() {
  std::vector<std::pair<std::string, const char*>> closed;
  {
    std::lock_guard lock(mu_);
    for (auto& [fd, watched] : watched_) {
      if (watched->connection->peer.empty()) continue;
      if (const char* why = FindStall(*watched)) {
        closed.emplace_back(watched->connection->peer, why);
        shutdown(fd, SHUT_RDWR);
      }
    }
  }
  for (const auto& [peer, why] : closed) {
    Log(LogLevel::kInfo, "connection closed", {{"peer", peer}, {"reason", why}});
  }
}

const char* Listener::FindStall(Watched& watched) {
  Connection& connection = *watched.connection;
  tcp_info info = {};
  socklen_t size = sizeof(info);
  if (getsockopt(watched.duplicate, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return nullptr;
  watched.receiving_ticks += info.tcpi_bytes_received != watched.received;
  watched.received = info.tcpi_bytes_received;
  watched.always_unread = watched.always_unread && connection.unread_bytes > 0;
  if (++watched.ticks < kTicks) return nullptr;

  const uint64_t slowest = kSlowestBytes * static_cast<uint64_t>(options_.stall_seconds);
  bool reads_slowly =
      watched.always_unread && info.tcpi_bytes_acked - watched.first_acknowledged < slowest;
  bool slow =
      watched.receiving_ticks >= kSlowTicks && watched.received - watched.first_received < slowest;
  // Calls are noted only while a connection is slow, so a slow connection gets a second period.
  bool sends_slowly = slow && watched.slow && !connection.called.exchange(false);
  num_slow_.fetch_add(static_cast<int>(slow) - static_cast<int>(watched.slow),
                      std::memory_order_relaxed);
  watched.slow = slow;
  watched.ticks = 0;
  watched.receiving_ticks = 0;
  watched.always_unread = true;
  watched.first_received = watched.received;
  watched.first_acknowledged = info.tcpi_bytes_acked;
  if (reads_slowly) return "the client reads responses more slowly than 1 KiB per second";
  if (sends_slowly) return "the client sends a request more slowly than 1 KiB per second";
  return nullptr;
}

}  // namespace signet
