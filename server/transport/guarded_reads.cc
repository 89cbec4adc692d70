#include "server/transport/guarded_reads.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <dlfcn.h>
#include <optional>
#include <sys/socket.h>
#include <unistd.h>
#include <unordered_map>
#include <utility>

#include <linux/tcp.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "server/observability/log.h"
#include "server/transport/client_hello.h"

namespace signet {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr int kTcpClosed = 7;  // TCP_CLOSE; netinet/tcp.h declares the same types as linux/tcp.h
constexpr int64_t kResetsPerTurn = 100;
constexpr int64_t kStreamsPerPass = 1000;
// A connection with no more calls in memory than this need not wait for any.
constexpr int64_t kFewCalls = 64;
// A client may reset calls that are finished already. If no call of the connection ends during this
// time, the calls in memory are assumed to wait for the client.
constexpr milliseconds kStandstill(100);
constexpr size_t kChecksAtOnce = 16;  // the number of waiting connections that are checked at once
// A read of at most this size is scanned after it, because it contains few streams.
constexpr size_t kSmallReadBytes = size_t{16} << 10;
// A larger read would make the client wait for space in the buffers of the operating system.
constexpr size_t kLargeReadBytes = size_t{256} << 10;
// With TLS, reads return a limited number of bytes before they are decrypted: fewer while the
// client opens many streams, which could fill the memory before the connection pauses.
constexpr size_t kFewestTlsBytes = size_t{4} << 10;
constexpr size_t kMostTlsBytes = size_t{32} << 10;
constexpr int64_t kManyTlsStreams = 32;  // opened by the bytes of one limit
// Rule 7. gRPC ignores that no bytes are available if it has read some for the same message, so it
// is reported twice.
constexpr ssize_t kMostBytesPerRound = ssize_t{2} << 20;
constexpr int kReportsPerRound = 2;
constexpr size_t kMaxPieces = 64;  // of one large read; gRPC uses fewer

using ReadFunction = ssize_t (*)(int, msghdr*, int);
using DecryptFunction = int (*)(SSL*, void*, int);
using HandshakeFunction = int (*)(SSL*);

ReadFunction SystemRead() {
  static const auto kRead = reinterpret_cast<ReadFunction>(dlsym(RTLD_NEXT, "recvmsg"));
  return kRead;
}

DecryptFunction SystemDecrypt() {
  static const auto kDecrypt = reinterpret_cast<DecryptFunction>(dlsym(RTLD_NEXT, "SSL_read"));
  return kDecrypt;
}

HandshakeFunction SystemHandshake() {
  static const auto kHandshake =
      reinterpret_cast<HandshakeFunction>(dlsym(RTLD_NEXT, "SSL_do_handshake"));
  return kHandshake;
}

// Returns a number that identifies a socket while the system runs, or 0 if it is not available.
uint64_t CookieOf(int descriptor) {
  uint64_t cookie = 0;
  socklen_t size = sizeof(cookie);
  getsockopt(descriptor, SOL_SOCKET, SO_COOKIE, &cookie, &size);
  return cookie;
}

// The guarded socket whose ClientHello this thread has read last, until the connection of OpenSSL
// is known. gRPC passes the bytes of a read to OpenSSL on the thread that read them.
thread_local std::weak_ptr<GuardedSocket> begun_handshake;  // NOLINT(*-avoid-non-const-*)

}  // namespace

class GuardedSocket : public std::enable_shared_from_this<GuardedSocket> {
 public:
  GuardedSocket(int descriptor, int duplicate, std::string peer, bool tls,
                FrameScanner::Limits limits, std::shared_ptr<PausedSockets> paused)
      : descriptor_(descriptor),
        duplicate_(duplicate),
        peer_(std::move(peer)),
        tls_(tls),
        paused_sockets_(std::move(paused)),
        scanner_(limits) {}
  ~GuardedSocket() { close(duplicate_); }
  GuardedSocket(const GuardedSocket&) = delete;
  GuardedSocket& operator=(const GuardedSocket&) = delete;

  int descriptor() const { return descriptor_; }

  // Reads as recvmsg does. gRPC reads a socket from one thread at a time.
  ssize_t Read(msghdr* message) {
    // gRPC may have closed the descriptor, and another socket may have its number.
    if (State state = state_.load(std::memory_order_acquire); state != State::kReading) {
      if (!IsSameSocket()) return SystemRead()(descriptor_, message, 0);
      if (HasBeenReset()) return Fail(ECONNRESET);
      // The wait begins here, because gRPC has processed what it read before.
      state = State::kPaused;
      if (state_.compare_exchange_strong(state, State::kQueued)) {
        paused_sockets_->Add(shared_from_this(), waits_for_turn_);
      }
      return Fail(EAGAIN);
    }
    if (bytes_of_round_ >= kMostBytesPerRound) {
      if (++reports_of_round_ == kReportsPerRound) StartRound();
      if (IsSameSocket()) ReportBytesAgain();
      return Fail(EAGAIN);
    }
    if (tls_) return ReadTls(message);
    const FrameScanner::Counts stop = NextStop();
    const bool is_small = BytesOf(*message) <= kSmallReadBytes;
    const ssize_t count = is_small ? ReadAndScan(message) : ReadUntil(message, stop);
    if (count <= 0) {
      StartRound();
      opened_at_pass_ = scanner_.counts().opened;
      return count;
    }
    bytes_of_round_ += count;
    if (scanner_.misuse() == nullptr && !Reaches(stop)) return count;
    if (!IsSameSocket()) return count;
    if (scanner_.misuse() != nullptr) return End(scanner_.misuse());
    Pause(stop);
    return count;
  }

  // Decrypts as SSL_read does. gRPC decrypts what it read before it reads the socket again.
  int Decrypt(SSL* connection, void* bytes, int size) {
    undecrypted_bytes_ = 0;
    if (scanner_.misuse() == nullptr) {
      const int count = SystemDecrypt()(connection, bytes, size);
      if (count <= 0) return count;
      const FrameScanner::Counts stop = NextStop();
      scanner_.Scan({static_cast<const char*>(bytes), static_cast<size_t>(count)});
      if (scanner_.misuse() == nullptr) {
        if (Reaches(stop)) Pause(stop);
        return count;
      }
      End(scanner_.misuse());
    }
    ERR_raise(ERR_LIB_SSL, ERR_R_OPERATION_FAIL);  // the reason of SSL_get_error
    return -1;
  }

  // Returns true if `random` is the number in the ClientHello. The connection of OpenSSL is known
  // then.
  bool BeginHandshake(std::string_view random) { return is_decrypted_ = hello_.random() == random; }

  // Returns true if the connection, which is queued, may read on because of its calls in memory.
  bool HasFinishedCalls(CallsInMemory& memory, int64_t max_calls) {
    const std::optional<int64_t> calls = memory.Count(peer_);
    if (!calls.has_value()) return !waits_for_turn_;
    calls_ = *calls;
    if (calls_ > max_calls) return false;
    if (!waits_for_turn_) return true;
    // Calls that the client has not reset may wait for bytes that are not read yet.
    const FrameScanner::Counts& counts = scanner_.counts();
    const int64_t not_reset =
        calls_at_turn_ + (counts.opened - at_turn_.opened) - (counts.reset - at_turn_.reset);
    if (calls_ <= std::max(kFewCalls, not_reset)) return true;
    const auto now = steady_clock::now();
    if (calls_ >= fewest_calls_) return now - last_finished_ >= kStandstill;
    fewest_calls_ = calls_;
    last_finished_ = now;
    return false;
  }

  // Lets the connection, which is queued, read on.
  void Resume() {
    if (waits_for_turn_) {
      at_turn_ = scanner_.counts();
      calls_at_turn_ = calls_;
    }
    state_.store(State::kReading, std::memory_order_release);
    ReportBytesAgain();
  }

 private:
  // A paused socket is queued in paused_sockets_ when gRPC reads it the next time.
  enum class State { kReading, kPaused, kQueued };

  // The counts at which the connection must pause.
  FrameScanner::Counts NextStop() const {
    return {opened_at_pass_ + kStreamsPerPass, at_turn_.reset + kResetsPerTurn};
  }
  bool Reaches(const FrameScanner::Counts& stop) const {
    return scanner_.counts().opened >= stop.opened || scanner_.counts().reset >= stop.reset;
  }
  void Pause(const FrameScanner::Counts& stop) {
    opened_at_pass_ = scanner_.counts().opened;
    waits_for_turn_ = scanner_.counts().reset >= stop.reset;
    fewest_calls_ = INT64_MAX;
    state_.store(State::kPaused, std::memory_order_release);
  }

  void StartRound() {
    bytes_of_round_ = 0;
    reports_of_round_ = 0;
  }

  ssize_t ReadTls(msghdr* message) {
    if (undecrypted_bytes_ >= most_undecrypted_) {
      undecrypted_bytes_ = 0;
      was_full_ = true;
      if (IsSameSocket()) ReportBytesAgain();
      return Fail(EAGAIN);
    }
    if (undecrypted_bytes_ == 0) AdaptToStreams();
    const bool has_begun = hello_.state() == ClientHello::State::kComplete;
    if (has_begun && !is_decrypted_ && IsSameSocket()) return End("its frames cannot be checked");
    ssize_t count = ReadAtMost(
        has_begun ? most_undecrypted_ - undecrypted_bytes_ : hello_.missing_bytes(), message, 0);
    if (count <= 0) {
      StartRound();
      opened_at_pass_ = scanner_.counts().opened;
      return count;
    }
    bytes_of_round_ += count;
    undecrypted_bytes_ += static_cast<size_t>(count);
    return has_begun ? count : ReceiveHello(*message, static_cast<size_t>(count));
  }

  // Sets how many bytes may be read before they are decrypted, by what the last bytes contained.
  void AdaptToStreams() {
    const int64_t opened = scanner_.counts().opened - opened_at_read_;
    opened_at_read_ += opened;
    if (opened > kManyTlsStreams) {
      most_undecrypted_ = kFewestTlsBytes;
    } else if (was_full_) {
      most_undecrypted_ = std::min(2 * most_undecrypted_, kMostTlsBytes);
    }
    was_full_ = false;
  }

  ssize_t ReceiveHello(const msghdr& message, size_t count) {
    size_t rest = count;
    for (size_t i = 0; rest > 0; ++i) {
      const iovec& piece = message.msg_iov[i];
      const size_t size = std::min(piece.iov_len, rest);
      hello_.Add({static_cast<const char*>(piece.iov_base), size});
      rest -= size;
    }
    if (!IsSameSocket()) return static_cast<ssize_t>(count);
    switch (hello_.state()) {
      case ClientHello::State::kIncomplete:
        return static_cast<ssize_t>(count);
      case ClientHello::State::kOther:
        return End("the client does not begin a TLS handshake");
      case ClientHello::State::kComplete:
        break;
    }
    begun_handshake = weak_from_this();
    undecrypted_bytes_ = most_undecrypted_;
    return static_cast<ssize_t>(count);
  }

  // If bytes are available, this makes the system report them to gRPC's epoll again.
  void ReportBytesAgain() const {
    int one = 1;
    setsockopt(duplicate_, SOL_SOCKET, SO_RCVLOWAT, &one, sizeof(one));
  }

  bool IsSameSocket() const { return CookieOf(descriptor_) == CookieOf(duplicate_); }

  // Returns true if the client has reset the connection. The system reports that only once.
  bool HasBeenReset() const {
    tcp_info info = {};
    socklen_t size = sizeof(info);
    return getsockopt(duplicate_, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
           info.tcpi_state == kTcpClosed;
  }

  static ssize_t Fail(int error) {
    errno = error;
    return -1;
  }

  static size_t BytesOf(const msghdr& message) {
    size_t bytes = 0;
    for (size_t i = 0; i < message.msg_iovlen; ++i) bytes += message.msg_iov[i].iov_len;
    return bytes;
  }

  // Reads at most `room` bytes.
  ssize_t ReadAtMost(size_t room, msghdr* message, int flags) const {
    msghdr limited = *message;
    std::array<iovec, kMaxPieces> pieces;
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

  ssize_t ReadAndScan(msghdr* message) {
    ssize_t count = SystemRead()(descriptor_, message, 0);
    if (count > 0) Scan(*message, static_cast<size_t>(count), FrameScanner::kNoStop);
    return count;
  }

  // Reads up to the frame at which the scanner stops. The first read copies the bytes and leaves
  // them in the socket. The second read removes the scanned bytes without copying them again.
  ssize_t ReadUntil(msghdr* message, FrameScanner::Counts stop) {
    msghdr peek = *message;
    peek.msg_control = nullptr;
    peek.msg_controllen = 0;
    ssize_t count = ReadAtMost(kLargeReadBytes, &peek, MSG_PEEK);
    if (count <= 0) {
      message->msg_controllen = 0;
      return count;
    }
    size_t taken = Scan(*message, static_cast<size_t>(count), stop);
    ssize_t removed = ReadAtMost(taken, message, MSG_TRUNC);
    return removed == static_cast<ssize_t>(taken) ? removed : Fail(ECONNRESET);
  }

  // Returns how many bytes were scanned.
  size_t Scan(const msghdr& message, size_t count, FrameScanner::Counts stop) {
    size_t taken = 0;
    for (size_t i = 0; taken < count; ++i) {
      const iovec& piece = message.msg_iov[i];
      size_t size = std::min(piece.iov_len, count - taken);
      size_t scanned = scanner_.Scan({static_cast<const char*>(piece.iov_base), size}, stop);
      taken += scanned;
      if (scanned < size || scanner_.misuse() != nullptr) break;
    }
    return taken;
  }

  ssize_t End(const char* why) {
    Log(LogLevel::kInfo, "connection closed", {{"peer", peer_}, {"reason", why}});
    // The client gets a reset, even if it does not read.
    linger at_once = {.l_onoff = 1, .l_linger = 0};
    setsockopt(duplicate_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    shutdown(duplicate_, SHUT_RDWR);
    return Fail(ECONNRESET);
  }

  const int descriptor_;  // gRPC owns it
  const int duplicate_;
  const std::string peer_;
  const bool tls_;
  const std::shared_ptr<PausedSockets> paused_sockets_;
  std::atomic<State> state_ = State::kReading;
  // Used by the thread that reads, or, in state kQueued, by the thread that calls Resume.
  FrameScanner scanner_;
  bool waits_for_turn_ = false;   // while it is paused
  int64_t opened_at_pass_ = 0;    // streams at the last pause, or when no bytes were available
  FrameScanner::Counts at_turn_;  // counts when the last turn began
  int64_t calls_at_turn_ = 0;     // calls in memory when the last turn began
  int64_t calls_ = 0;             // calls in memory at the last check
  int64_t fewest_calls_ = 0;      // smallest number of calls in memory during this pause
  steady_clock::time_point last_finished_{};  // when fewest_calls_ was found
  ssize_t bytes_of_round_ = 0;                // read since gRPC waited for an event
  int reports_of_round_ = 0;  // that no bytes are available, since bytes_of_round_ is too large
  // With TLS. Used by the thread that reads.
  ClientHello hello_;
  bool is_decrypted_ = false;     // the connection of OpenSSL is known
  size_t undecrypted_bytes_ = 0;  // read since gRPC decrypted bytes
  size_t most_undecrypted_ = kFewestTlsBytes;
  bool was_full_ = false;       // most_undecrypted_ bytes were read before they were decrypted
  int64_t opened_at_read_ = 0;  // streams when undecrypted_bytes_ was 0
};

namespace {

// The guarded sockets by descriptor, in parts so that threads rarely wait for each other.
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

using SocketOfSsl = std::shared_ptr<GuardedSocket>;

void DeleteSocketOfSsl(void* /*parent*/, void* value, CRYPTO_EX_DATA* /*data*/, int /*index*/,
                       long /*number*/,
                       void* /*argument*/) {  // NOLINT(google-runtime-int): OpenSSL
  delete static_cast<SocketOfSsl*>(value);
}

int SocketIndex() {
  static const int kIndex = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, DeleteSocketOfSsl);
  return kIndex;
}

// Returns the guarded socket of a connection of OpenSSL, or null, for example for a connection of
// the HTTP server.
GuardedSocket* LookupSocketOf(const SSL* connection) {
  auto* socket = static_cast<SocketOfSsl*>(SSL_get_ex_data(connection, SocketIndex()));
  return socket == nullptr ? nullptr : socket->get();
}

// Finds the guarded socket of a connection of OpenSSL that has processed a ClientHello.
void FindSocketOf(SSL* connection) {
  SocketOfSsl socket = std::exchange(begun_handshake, {}).lock();
  if (socket == nullptr || SSL_is_server(connection) == 0) return;
  std::array<char, ClientHello::kRandomBytes> random = {};
  SSL_get_client_random(connection, reinterpret_cast<unsigned char*>(random.data()), random.size());
  if (!socket->BeginHandshake({random.data(), random.size()})) return;
  SSL_set_ex_data(connection, SocketIndex(), new SocketOfSsl(std::move(socket)));
}

}  // namespace

bool PausedSockets::Resume() {
  std::vector<std::shared_ptr<GuardedSocket>> passes;
  std::vector<std::shared_ptr<GuardedSocket>> waiting;
  {
    std::lock_guard lock(mu_);
    passes.swap(passes_);
  }
  for (auto& socket : passes) {
    if (socket->HasFinishedCalls(calls_, max_calls_)) {
      socket->Resume();
    } else {
      waiting.push_back(std::move(socket));
    }
  }
  if (const auto now = steady_clock::now(); now >= next_turn_) {
    for (size_t i = 0; i < kChecksAtOnce; ++i) {
      auto socket = NextForTurn();
      if (socket == nullptr) break;
      if (socket->HasFinishedCalls(calls_, max_calls_)) {
        socket->Resume();
        next_turn_ = now + kTurn;
        break;
      }
      waiting.push_back(std::move(socket));
    }
  }
  std::lock_guard lock(mu_);
  if (wake_ == nullptr) return false;
  turns_.insert(turns_.end(), waiting.begin(), waiting.end());
  return !turns_.empty();
}

std::shared_ptr<GuardedSocket> PausedSockets::NextForTurn() {
  std::lock_guard lock(mu_);
  if (turns_.empty()) return nullptr;
  auto socket = std::move(turns_.front());
  turns_.pop_front();
  return socket;
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
    turns_.push_back(std::move(socket));
  } else {
    passes_.push_back(std::move(socket));
  }
  wake_();
}

std::shared_ptr<GuardedSocket> GuardReads(int descriptor, int duplicate, std::string peer, bool tls,
                                          FrameScanner::Limits limits,
                                          std::shared_ptr<PausedSockets> paused) {
  auto socket = std::make_shared<GuardedSocket>(descriptor, duplicate, std::move(peer), tls, limits,
                                                std::move(paused));
  Guards().Add(socket);
  return socket;
}

void Unguard(const std::shared_ptr<GuardedSocket>& socket) { Guards().Remove(socket); }

}  // namespace signet

// These replace the functions of OpenSSL in this program and in the libraries that it loads.
extern "C" __attribute__((visibility("default"))) int SSL_read(SSL* connection, void* bytes,
                                                               int size) {
  signet::GuardedSocket* socket = signet::LookupSocketOf(connection);
  if (socket == nullptr) return signet::SystemDecrypt()(connection, bytes, size);
  return socket->Decrypt(connection, bytes, size);
}

extern "C" __attribute__((visibility("default"))) int SSL_do_handshake(SSL* connection) {
  int result = signet::SystemHandshake()(connection);
  signet::FindSocketOf(connection);
  return result;
}

// Replaces the function of the C library in this program and in the libraries that it loads.
extern "C" __attribute__((visibility("default"))) ssize_t recvmsg(int descriptor, msghdr* message,
                                                                  int flags) {
  auto socket = signet::Guards().Lookup(descriptor);
  // With flags, gRPC reads the error queue of the socket, not bytes.
  if (socket == nullptr || flags != 0) return signet::SystemRead()(descriptor, message, flags);
  return socket->Read(message);
}
