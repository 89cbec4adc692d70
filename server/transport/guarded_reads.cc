#include "server/transport/guarded_reads.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <dlfcn.h>
#include <sys/socket.h>
#include <unistd.h>
#include <unordered_map>
#include <utility>

#include <linux/tcp.h>
#include <netinet/in.h>

#include "server/observability/log.h"

namespace signet {

using std::chrono::steady_clock;

namespace {

constexpr int kTcpClosed = 7;  // TCP_CLOSE; netinet/tcp.h declares the same types as linux/tcp.h
constexpr int64_t kResetsPerTurn = 100;
constexpr int64_t kStreamsPerPass = 1000;
constexpr size_t kReadBytes = size_t{64} << 10;
// Of one read of a connection that had to wait for a turn, until it has sent kReadBytes since: few
// streams fit into it.
constexpr size_t kSlowReadBytes = size_t{4} << 10;
constexpr size_t kMaxPieces = 64;  // of one read; gRPC uses fewer

using ReadFunction = ssize_t (*)(int, msghdr*, int);

ReadFunction SystemRead() {
  static const auto kRead = reinterpret_cast<ReadFunction>(dlsym(RTLD_NEXT, "recvmsg"));
  return kRead;
}

// Identifies a socket for as long as the system runs; 0 if the system does not know.
uint64_t CookieOf(int descriptor) {
  uint64_t cookie = 0;
  socklen_t size = sizeof(cookie);
  getsockopt(descriptor, SOL_SOCKET, SO_COOKIE, &cookie, &size);
  return cookie;
}

}  // namespace

class GuardedSocket : public std::enable_shared_from_this<GuardedSocket> {
 public:
  GuardedSocket(int descriptor, int duplicate, std::string peer, FrameScanner::Limits limits,
                std::shared_ptr<PausedSockets> paused)
      : descriptor_(descriptor),
        duplicate_(duplicate),
        peer_(std::move(peer)),
        paused_sockets_(std::move(paused)),
        scanner_(limits) {}
  ~GuardedSocket() { close(duplicate_); }
  GuardedSocket(const GuardedSocket&) = delete;
  GuardedSocket& operator=(const GuardedSocket&) = delete;

  int descriptor() const { return descriptor_; }

  // Reads as recvmsg does. gRPC reads a socket from one thread at a time.
  ssize_t Read(msghdr* message, int flags) {
    // gRPC may have closed the descriptor, and another socket may have its number.
    if (is_paused_.load(std::memory_order_acquire)) {
      if (!IsSameSocket() || HasEnded()) return SystemRead()(descriptor_, message, flags);
      // The wait begins here, when gRPC has taken what it read before, however long that took.
      if (!is_queued_.exchange(true)) paused_sockets_->Add(shared_from_this(), waits_for_turn_);
      errno = EAGAIN;
      return -1;
    }
    ssize_t count = ReadSome(message, flags);
    if (count <= 0) {
      streams_at_pass_ = scanner_.num_streams();
      return count;
    }
    const char* why = Scan(*message, static_cast<size_t>(count));
    slow_bytes_ -= std::min(slow_bytes_, static_cast<size_t>(count));
    bool for_a_turn = scanner_.num_resets() - resets_at_turn_ >= kResetsPerTurn;
    bool for_a_pass = scanner_.num_streams() - streams_at_pass_ >= kStreamsPerPass;
    if (why == nullptr && !for_a_turn && !for_a_pass) return count;
    if (!IsSameSocket()) return count;
    if (why != nullptr) return End(why);
    if (for_a_turn) {
      resets_at_turn_ = scanner_.num_resets();
      slow_bytes_ = kReadBytes;
    }
    streams_at_pass_ = scanner_.num_streams();
    waits_for_turn_ = for_a_turn;
    is_paused_.store(true, std::memory_order_release);
    return count;
  }

  void Resume() {
    is_queued_.store(false);
    is_paused_.store(false, std::memory_order_release);
    // The system now reports anew to gRPC's epoll that bytes are there, if they are.
    int one = 1;
    setsockopt(duplicate_, SOL_SOCKET, SO_RCVLOWAT, &one, sizeof(one));
  }

 private:
  bool IsSameSocket() const { return CookieOf(descriptor_) == CookieOf(duplicate_); }

  // The system reports a reset by the client once, which must not get lost.
  bool HasEnded() const {
    tcp_info info = {};
    socklen_t size = sizeof(info);
    return getsockopt(duplicate_, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
           info.tcpi_state == kTcpClosed;
  }

  // Reads the rest of the current frame and at most kReadBytes or kSlowReadBytes more.
  ssize_t ReadSome(msghdr* message, int flags) {
    msghdr limited = *message;
    std::array<iovec, kMaxPieces> pieces;
    size_t room = (slow_bytes_ > 0 ? kSlowReadBytes : kReadBytes) + scanner_.payload_bytes();
    size_t count = 0;
    for (; count < std::min<size_t>(message->msg_iovlen, kMaxPieces) && room > 0; ++count) {
      pieces[count] = message->msg_iov[count];
      pieces[count].iov_len = std::min(pieces[count].iov_len, room);
      room -= pieces[count].iov_len;
    }
    limited.msg_iov = pieces.data();
    limited.msg_iovlen = count;
    ssize_t bytes = SystemRead()(descriptor_, &limited, flags);
    message->msg_namelen = limited.msg_namelen;
    message->msg_controllen = limited.msg_controllen;
    message->msg_flags = limited.msg_flags;
    return bytes;
  }

  const char* Scan(const msghdr& message, size_t count) {
    for (size_t i = 0; count > 0; ++i) {
      const iovec& piece = message.msg_iov[i];
      size_t size = std::min(piece.iov_len, count);
      count -= size;
      if (const char* why = scanner_.Scan({static_cast<const char*>(piece.iov_base), size})) {
        return why;
      }
    }
    return nullptr;
  }

  ssize_t End(const char* why) {
    Log(LogLevel::kInfo, "connection closed", {{"peer", peer_}, {"reason", why}});
    // The client gets a reset, even if it does not read.
    linger at_once = {.l_onoff = 1, .l_linger = 0};
    setsockopt(duplicate_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    shutdown(duplicate_, SHUT_RDWR);
    errno = ECONNRESET;
    return -1;
  }

  const int descriptor_;  // gRPC owns it
  const int duplicate_;
  const std::string peer_;
  const std::shared_ptr<PausedSockets> paused_sockets_;
  std::atomic<bool> is_paused_ = false;
  std::atomic<bool> is_queued_ = false;  // in paused_sockets_
  // Used by the thread that reads.
  FrameScanner scanner_;
  bool waits_for_turn_ = false;  // while it is paused
  int64_t resets_at_turn_ = 0;
  int64_t streams_at_pass_ = 0;
  size_t slow_bytes_ = 0;  // to read with small reads
};

namespace {

// The guarded sockets by descriptor, in parts so that threads rarely wait for one another.
class GuardTable {
 public:
  std::shared_ptr<GuardedSocket> Lookup(int descriptor) {
    Part& part = PartOf(descriptor);
    std::lock_guard lock(part.mu);
    auto found = part.sockets.find(descriptor);
    return found == part.sockets.end() ? nullptr : found->second;
  }
  void Add(const std::shared_ptr<GuardedSocket>& socket) {
    Part& part = PartOf(socket->descriptor());
    std::lock_guard lock(part.mu);
    part.sockets[socket->descriptor()] = socket;
  }
  void Remove(const std::shared_ptr<GuardedSocket>& socket) {
    Part& part = PartOf(socket->descriptor());
    std::lock_guard lock(part.mu);
    auto found = part.sockets.find(socket->descriptor());
    if (found != part.sockets.end() && found->second == socket) part.sockets.erase(found);
  }

 private:
  struct Part {
    std::mutex mu;
    std::unordered_map<int, std::shared_ptr<GuardedSocket>> sockets;  // guarded by mu
  };
  Part& PartOf(int descriptor) { return parts_[static_cast<size_t>(descriptor) % parts_.size()]; }

  std::array<Part, 64> parts_;
};

GuardTable& Guards() {
  static auto* guards = new GuardTable();  // threads of gRPC may read until the process ends
  return *guards;
}

}  // namespace

bool PausedSockets::Resume() {
  std::vector<std::shared_ptr<GuardedSocket>> resumed;
  bool others = false;
  {
    std::lock_guard lock(mu_);
    resumed.swap(passes_);
    auto now = steady_clock::now();
    if (!turns_.empty() && now >= next_turn_ && now >= turns_.front().not_before) {
      resumed.push_back(std::move(turns_.front().socket));
      turns_.pop_front();
      next_turn_ = now + kTurn;
    }
    others = !turns_.empty();
  }
  for (const auto& socket : resumed) socket->Resume();
  return others;
}

void PausedSockets::Stop() {
  std::lock_guard lock(mu_);
  wake_ = nullptr;
  passes_.clear();
  turns_.clear();
}

void PausedSockets::Add(std::shared_ptr<GuardedSocket> socket, bool for_a_turn) {
  std::lock_guard lock(mu_);
  if (wake_ == nullptr) return;
  if (for_a_turn) {
    turns_.push_back({steady_clock::now() + kTurn, std::move(socket)});
  } else {
    passes_.push_back(std::move(socket));
  }
  wake_();
}

std::shared_ptr<GuardedSocket> GuardReads(int descriptor, int duplicate, std::string peer,
                                          FrameScanner::Limits limits,
                                          std::shared_ptr<PausedSockets> paused) {
  auto socket = std::make_shared<GuardedSocket>(descriptor, duplicate, std::move(peer), limits,
                                                std::move(paused));
  Guards().Add(socket);
  return socket;
}

void Unguard(const std::shared_ptr<GuardedSocket>& socket) { Guards().Remove(socket); }

}  // namespace signet

// Takes the place of the C library's function in this program and in the libraries that it loads.
extern "C" __attribute__((visibility("default"))) ssize_t recvmsg(int descriptor, msghdr* message,
                                                                  int flags) {
  auto socket = signet::Guards().Lookup(descriptor);
  // With flags, gRPC reads the queue of errors, not bytes.
  if (socket == nullptr || flags != 0) return signet::SystemRead()(descriptor, message, flags);
  return socket->Read(message, flags);
}
