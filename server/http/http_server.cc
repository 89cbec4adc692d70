#include "server/http/http_server.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <future>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <openssl/x509v3.h>

#include "server/http/gzip.h"
#include "server/observability/log.h"
#include "server/security/openssl.h"

namespace signet {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using TlsStream = asio::ssl::stream<tcp::socket>;

constexpr std::chrono::seconds kTick(2);          // between two checks of the times of rule 5
constexpr std::chrono::milliseconds kPause(100);  // after an accept that failed
constexpr std::chrono::seconds kLingerTime(2);    // for a client to read a last response
constexpr int64_t kLeastBytesPerSecond = 1024;    // rule 5
constexpr size_t kPieceBytes = size_t{64} << 10;  // of a stream
constexpr size_t kFirstBodyBytes = size_t{16} << 10;
constexpr size_t kWriteBytes = size_t{1} << 20;  // in one step, so that progress is seen
constexpr size_t kLeastCompressed = size_t{1} << 10;

// The bytes of a body, which grow without a copy if the system can move their pages.
class GrowingBytes {
 public:
  GrowingBytes() = default;
  ~GrowingBytes() { std::free(data_); }
  GrowingBytes(const GrowingBytes&) = delete;
  GrowingBytes& operator=(const GrowingBytes&) = delete;

  size_t size() const { return size_; }
  size_t room() const { return capacity_ - size_; }
  char* end() { return data_ + size_; }
  void Add(size_t bytes) { size_ += bytes; }
  // Makes room for more bytes, up to `limit` in all. Returns false if there is no memory.
  bool Grow(size_t limit, size_t first = kFirstBodyBytes) {
    const size_t wanted = std::min(limit, std::max(first, 2 * capacity_));
    void* grown = std::realloc(data_, wanted);
    if (grown == nullptr) return false;
    data_ = static_cast<char*>(grown);
    capacity_ = wanted;
    return true;
  }
  // Passes the bytes to a buffer, which frees them.
  Buffer Take() {
    if (size_ == 0) return {};
    std::shared_ptr<const void> owner(std::exchange(data_, nullptr), std::free);
    const auto* bytes = static_cast<const std::byte*>(owner.get());
    capacity_ = 0;
    return Buffer::Borrow({bytes, std::exchange(size_, 0)}, std::move(owner));
  }

 private:
  char* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

std::string NameOfPeer(const tcp::socket& socket) {
  error_code error;
  const tcp::endpoint peer = socket.remote_endpoint(error);
  if (error) return "unknown";
  const std::string address = peer.address().to_string();
  if (peer.address().is_v4()) return Cat("ipv4:", address, ":", peer.port());
  return Cat("ipv6:%5B", address, "%5D:", peer.port());
}

// Returns the common name and the alternative names of the client's certificate.
std::vector<std::string> NamesOfCertificate(SSL* connection) {
  std::vector<std::string> names;
  std::unique_ptr<X509, FreeWith<X509_free>> certificate(SSL_get1_peer_certificate(connection));
  if (certificate == nullptr) return names;
  auto add = [&](const ASN1_STRING* text) {
    names.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                       static_cast<size_t>(ASN1_STRING_length(text)));
  };
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  const int index = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (index >= 0) add(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, index)));
  std::unique_ptr<GENERAL_NAMES, FreeWith<GENERAL_NAMES_free>> alternatives(
      static_cast<GENERAL_NAMES*>(
          X509_get_ext_d2i(certificate.get(), NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; alternatives != nullptr && i < sk_GENERAL_NAME_num(alternatives.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(alternatives.get(), i);
    const bool is_text = name->type == GEN_DNS || name->type == GEN_URI || name->type == GEN_EMAIL;
    if (is_text) add(name->d.ia5);
  }
  return names;
}

bool IsListed(std::string_view list, std::string_view wanted) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    std::string_view item = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    const size_t begin = item.find_first_not_of(" \t");
    if (begin == item.npos) continue;
    item.remove_prefix(begin);
    const bool is_wanted = item.substr(0, item.find_first_of("; \t")) == wanted;
    if (is_wanted) return item.find("q=0") == item.npos || item.find("q=0.") != item.npos;
  }
  return false;
}

size_t SizeOf(const std::vector<Buffer>& pieces) {
  size_t size = 0;
  for (const Buffer& piece : pieces) size += piece.size();
  return size;
}

// One connection, as the server and the exchanges see it.
class HttpConnectionBase {
 public:
  virtual ~HttpConnectionBase() = default;
  // From any thread.
  virtual void Send(HttpResponse response) = 0;
  virtual void ReadPiece(HttpExchange::OnPiece on_piece) = 0;
  virtual void BeginStream(HttpResponse head) = 0;
  virtual void WriteStream(std::vector<Buffer> pieces, std::function<void()> written) = 0;
  virtual void EndStream() = 0;
  virtual void Drain() = 0;
  virtual void Close() = 0;
};

class ConnectionExchange final : public HttpExchange {
 public:
  // `connection` owns `origins`.
  ConnectionExchange(std::shared_ptr<HttpConnectionBase> connection, HttpRequest request,
                     const CorsOrigins& origins)
      : connection_(std::move(connection)), origins_(origins) {
    request_ = std::move(request);
  }
  ~ConnectionExchange() override {
    if (!has_response_) connection_->Send(HttpResponse::Text(500, "the request failed\n"));
  }

  void Respond(HttpResponse response) override {
    if (has_response_.exchange(true)) return;
    {
      std::lock_guard lock(mu_);
      on_cancel_ = nullptr;
    }
    const bool compresses = response.may_compress && SizeOf(response.body) >= kLeastCompressed &&
                            IsListed(request_.Header("accept-encoding"), "gzip");
    if (compresses) {
      response.body = {Buffer::Copy(Gzip(response.body))};
      response.headers.emplace_back("Content-Encoding", "gzip");
    }
    if (response.may_compress) response.headers.emplace_back("Vary", "Accept-Encoding");
    AddCorsHeaders(origins_, request_, response.headers);
    connection_->Send(std::move(response));
  }
  void Read(OnPiece on_piece) override { connection_->ReadPiece(std::move(on_piece)); }
  void BeginStream(HttpResponse head) override {
    if (has_response_.exchange(true)) return;
    AddCorsHeaders(origins_, request_, head.headers);
    connection_->BeginStream(std::move(head));
  }
  void WriteStream(std::vector<Buffer> pieces, std::function<void()> written) override {
    connection_->WriteStream(std::move(pieces), std::move(written));
  }
  void EndStream() override {
    {
      std::lock_guard lock(mu_);
      on_cancel_ = nullptr;
    }
    connection_->EndStream();
  }
  void OnCancel(std::function<void()> callback) override {
    {
      std::lock_guard lock(mu_);
      if (!is_cancelled_) {
        on_cancel_ = std::move(callback);
        return;
      }
    }
    callback();
  }
  void Cancel() {
    std::function<void()> callback;
    {
      std::lock_guard lock(mu_);
      is_cancelled_ = true;
      callback = std::exchange(on_cancel_, nullptr);
    }
    if (callback) callback();
  }
  bool has_response() const { return has_response_; }

 private:
  const std::shared_ptr<HttpConnectionBase> connection_;
  const CorsOrigins& origins_;
  std::atomic<bool> has_response_{false};
  std::mutex mu_;
  std::function<void()> on_cancel_;  // guarded by mu_
  bool is_cancelled_ = false;        // guarded by mu_
};

}  // namespace

struct HttpServer::State : std::enable_shared_from_this<HttpServer::State> {
  State(const Options& with, Handler handle) : options(with), handler(std::move(handle)) {}

  template <class Stream>
  class Connection;

  void Accept();
  void Serve(std::shared_ptr<asio::io_context> context, tcp::socket socket);
  template <class Stream>
  static void Start(std::shared_ptr<Connection<Stream>> connection) {
    const auto executor = connection->executor();
    asio::post(executor, [connection = std::move(connection)] { connection->Start(); });
  }
  // Returns the context for a new TLS connection, or null if the certificates cannot be used.
  std::shared_ptr<asio::ssl::context> TlsContext();

  const Options options;
  const Handler handler;
  // One thread runs each context. Connections take turns.
  std::vector<std::shared_ptr<asio::io_context>> contexts;
  std::vector<asio::executor_work_guard<asio::io_context::executor_type>> guards;
  std::vector<std::thread> threads;
  size_t next_context = 0;                  // used by the thread of the acceptor
  std::unique_ptr<tcp::acceptor> acceptor;  // used by the thread of the first context
  std::unique_ptr<asio::steady_timer> pause;
  std::shared_ptr<TlsCertificates> tls;
  uint64_t tls_generation = 0;
  std::shared_ptr<asio::ssl::context> tls_context;
  std::atomic<bool> is_draining{false};
  std::atomic<bool> is_stopped{false};
  std::atomic<int64_t> num_connections{0};
  std::mutex mu;
  std::set<HttpConnectionBase*> open;  // guarded by mu; they remove themselves
};

// A connection runs on the thread of its context only, except for Send, Drain, and Close.
template <class Stream>
class HttpServer::State::Connection final
    : public HttpConnectionBase,
      public std::enable_shared_from_this<Connection<Stream>> {
 public:
  Connection(std::shared_ptr<State> server, std::shared_ptr<asio::io_context> context,
             Stream stream, std::shared_ptr<asio::ssl::context> certificates)
      : server_(std::move(server)),
        context_(std::move(context)),
        certificates_(std::move(certificates)),
        stream_(std::move(stream)),
        timer_(stream_.get_executor()),
        buffer_(server_->options.header_bytes + kFirstBodyBytes) {
    std::lock_guard lock(server_->mu);
    server_->open.insert(this);
  }
  ~Connection() override {
    server_->num_connections.fetch_sub(1);
    std::lock_guard lock(server_->mu);
    server_->open.erase(this);
  }

  auto executor() { return stream_.get_executor(); }

  void Start() {
    if (server_->is_stopped) return End();
    error_code ignored;
    socket().set_option(tcp::no_delay(true), ignored);
    peer_ = NameOfPeer(socket());
    Tick();
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      Enter(Phase::kHandshake);
      stream_.async_handshake(
          asio::ssl::stream_base::server, [self = this->shared_from_this()](error_code error) {
            if (error) return self->End();
            self->certificate_names_ = NamesOfCertificate(self->stream_.native_handle());
            self->ReadHeader();
          });
    } else {
      ReadHeader();
    }
  }

  void Send(HttpResponse response) override {
    if (server_->is_stopped) return;
    asio::dispatch(stream_.get_executor(),
                   [self = this->shared_from_this(), response = std::move(response)]() mutable {
                     self->Write(std::move(response));
                   });
  }
  void ReadPiece(HttpExchange::OnPiece on_piece) override {
    if (server_->is_stopped) return;
    asio::dispatch(stream_.get_executor(),
                   [self = this->shared_from_this(), on_piece = std::move(on_piece)]() mutable {
                     self->ReadStream(std::move(on_piece));
                   });
  }
  void BeginStream(HttpResponse head) override {
    if (server_->is_stopped) return;
    asio::dispatch(stream_.get_executor(),
                   [self = this->shared_from_this(), head = std::move(head)]() mutable {
                     self->PrepareHead(std::move(head));
                   });
  }
  void WriteStream(std::vector<Buffer> pieces, std::function<void()> written) override {
    if (server_->is_stopped) return;
    asio::dispatch(stream_.get_executor(),
                   [self = this->shared_from_this(), pieces = std::move(pieces),
                    written = std::move(written)]() mutable {
                     self->WriteChunk(std::move(pieces), std::move(written));
                   });
  }
  void EndStream() override {
    if (server_->is_stopped) return;
    asio::dispatch(stream_.get_executor(), [self = this->shared_from_this()] {
      self->WriteChunk({}, [self] { self->FinishStream(); });
    });
  }
  // The last owner of the connection may be destroying it.
  void Drain() override {
    auto self = this->weak_from_this().lock();
    if (self == nullptr) return;
    asio::post(stream_.get_executor(), [self] {
      self->keeps_alive_ = false;
      if (self->phase_ == Phase::kIdle) self->End();
    });
  }
  void Close() override {
    auto self = this->weak_from_this().lock();
    if (self != nullptr) asio::post(stream_.get_executor(), [self] { self->End(); });
  }

 private:
  enum class Phase : uint8_t {
    kHandshake,
    kIdle,
    kHeader,
    kBody,
    kRunning,
    kStreaming,
    kWriting,
    kLinger,
    kEnded
  };
  using Parser = http::request_parser<http::buffer_body>;

  tcp::socket& socket() {
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }

  void Enter(Phase phase) {
    phase_ = phase;
    since_ = Clock::now();
    progress_ = 0;
  }

  // Checks the times of rule 5, again and again.
  void Tick() {
    timer_.expires_after(kTick);
    timer_.async_wait([weak = this->weak_from_this()](error_code error) {
      auto self = weak.lock();
      if (error || self == nullptr || self->phase_ == Phase::kEnded) return;
      if (self->IsLate()) return self->End();
      self->Tick();
    });
  }

  bool IsLate() {
    const Options& options = server_->options;
    const auto time = Clock::now() - since_;
    switch (phase_) {
      case Phase::kHandshake:
      case Phase::kHeader:
        return time > std::chrono::seconds(options.header_seconds);
      case Phase::kIdle:
        if (buffer_.size() > 0) Enter(Phase::kHeader);
        return time > std::chrono::seconds(options.idle_seconds);
      case Phase::kBody:
      case Phase::kWriting: {
        if (time < std::chrono::seconds(options.stall_seconds)) return false;
        const bool is_slow = progress_ < kLeastBytesPerSecond * options.stall_seconds;
        Enter(phase_);
        return is_slow;
      }
      case Phase::kStreaming:
        if (progress_ > 0) Enter(Phase::kStreaming);
        return time > std::chrono::seconds(options.idle_seconds) && progress_ == 0;
      case Phase::kLinger:
        return time > kLingerTime;
      case Phase::kRunning:
      case Phase::kEnded:
        return false;
    }
    return false;
  }

  void End() {
    if (phase_ == Phase::kEnded) return;
    Enter(Phase::kEnded);
    error_code ignored;
    timer_.cancel();
    socket().shutdown(tcp::socket::shutdown_both, ignored);
    socket().close(ignored);
    if (auto exchange = exchange_.lock()) exchange->Cancel();
  }

  // --- the request ------------------------------------------------------------------------------

  void ReadHeader() {
    if (server_->is_draining && buffer_.size() == 0) return End();
    Enter(Phase::kIdle);
    ++number_;
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(server_->options.header_bytes));
    parser_->body_limit(
        std::numeric_limits<uint64_t>::max());  // checked below, with an error of our own
    http::async_read_header(
        stream_, buffer_, *parser_,
        [self = this->shared_from_this()](error_code error, size_t) { self->OnHeader(error); });
  }

  void OnHeader(error_code error) {
    if (phase_ == Phase::kEnded) return;
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
      return Reject(431,
                    Cat("expected at most ", server_->options.header_bytes, " bytes of headers\n"));
    }
    if (IsOfParser(error) && error != http::error::end_of_stream &&
        error != http::error::partial_message) {
      return Reject(400, Cat("expected a request of HTTP/1.1: ", error.message(), "\n"));
    }
    if (error) return End();
    const auto& message = parser_->get();
    keeps_alive_ = message.keep_alive() && !server_->is_draining;
    is_head_ = message.method() == http::verb::head;
    request_ = {};
    request_.method = std::string(message.method_string());
    request_.peer = peer_;
    request_.certificate_names = certificate_names_;
    std::string_view target(message.target().data(), message.target().size());
    if (size_t scheme = target.find("://"); !target.starts_with('/') && scheme != target.npos) {
      const size_t path = target.find('/', scheme + 3);
      target = path == target.npos ? "/" : target.substr(path);
    }
    const size_t question = std::min(target.find('?'), target.size());
    request_.path = target.substr(0, question);
    if (question < target.size()) request_.query = target.substr(question + 1);
    if (!request_.path.starts_with('/')) return Reject(400, "expected a path that begins with /\n");
    for (const auto& field : message) {
      request_.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
    }
    is_streaming_ = server_->options.streams && server_->options.streams(request_);
    is_chunked_ = message.version() >= 11;
    const auto length = parser_->content_length();
    if (!is_streaming_ && length && *length > server_->options.body_bytes) return RejectBody();
    if (message.version() >= 11 && FindHeader(request_.headers, "expect") == "100-continue" &&
        !parser_->is_done()) {
      static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
      return asio::async_write(stream_, asio::buffer(kContinue),
                               [self = this->shared_from_this()](error_code failed, size_t) {
                                 if (failed) return self->End();
                                 self->BeginBody();
                               });
    }
    BeginBody();
  }

  void BeginBody() {
    if (!is_streaming_) return ReadBody();
    Enter(Phase::kStreaming);
    Handle();
  }

  void ReadBody() {
    if (parser_->is_done()) return Dispatch();
    Enter(Phase::kBody);
    if (const auto length = parser_->content_length()) {
      left_ = *length;
      return ReadPlainBody();
    }
    ReadChunks();
  }

  // Reads a body whose length is known directly into its place.
  void ReadPlainBody() {
    while (left_ > 0) {
      if (body_.room() == 0 && !body_.Grow(body_.size() + left_)) return RejectBody();
      const size_t wanted = std::min<size_t>(body_.room(), left_);
      const size_t buffered = std::min(buffer_.size(), wanted);
      if (buffered == 0) {
        return stream_.async_read_some(
            asio::buffer(body_.end(), wanted),
            [self = this->shared_from_this()](error_code error, size_t bytes) {
              if (error || self->phase_ == Phase::kEnded) return self->End();
              self->progress_ += static_cast<int64_t>(bytes);
              self->body_.Add(bytes);
              self->left_ -= bytes;
              self->ReadPlainBody();
            });
      }
      std::memcpy(body_.end(), buffer_.data().data(), buffered);
      buffer_.consume(buffered);
      body_.Add(buffered);
      left_ -= buffered;
    }
    Dispatch();
  }

  // Reads a body in chunks, with the parser.
  void ReadChunks() {
    if (body_.room() == 0) {
      if (body_.size() >= server_->options.body_bytes) return RejectBody();
      if (!body_.Grow(server_->options.body_bytes)) return RejectBody();
    }
    auto& into = parser_->get().body();
    const size_t room = body_.room();
    into.data = body_.end();
    into.size = room;
    into.more = true;
    http::async_read_some(
        stream_, buffer_, *parser_,
        [self = this->shared_from_this(), room](error_code error, size_t bytes) {
          if (self->phase_ == Phase::kEnded) return;
          if (error == http::error::need_buffer) error = {};
          if (error) {
            if (error == asio::error::eof || error == http::error::partial_message) {
              return self->End();
            }
            return self->Reject(400, Cat("body: ", error.message(), "\n"));
          }
          self->progress_ += static_cast<int64_t>(bytes);
          self->body_.Add(room - self->parser_->get().body().size);
          if (self->parser_->is_done()) return self->Dispatch();
          self->ReadChunks();
        });
  }

  void Dispatch() {
    Enter(Phase::kRunning);
    request_.body = body_.Take();
    if (Status expanded = Expand(); !expanded.ok()) {
      const bool is_large = absl::IsResourceExhausted(expanded);
      return Write(HttpResponse::Text(is_large ? 413 : 400, Cat(MessageOf(expanded), "\n")));
    }
    Handle();
  }

  void Handle() {
    auto exchange = std::make_shared<ConnectionExchange>(
        this->shared_from_this(), std::move(request_), server_->options.cors_origins);
    exchange_ = exchange;
    const uint64_t number = number_;
    try {
      server_->handler(exchange);
    } catch (const std::exception&) {
      exchange->Respond(HttpResponse::Text(500, "the request failed\n"));
    }
    if (number == number_ && phase_ == Phase::kRunning) WatchClient();
  }

  Status Expand() {
    const std::string_view encoding = FindHeader(request_.headers, "content-encoding");
    if (encoding.empty() || encoding == "identity") return absl::OkStatus();
    if (encoding != "gzip" && encoding != "x-gzip") {
      return InvalidArgument("Content-Encoding: expected gzip or identity, found `",
                             Printable(encoding), "`");
    }
    SIGNET_ASSIGN_OR_RETURN(request_.body,
                            Gunzip(request_.body.text(), server_->options.body_bytes));
    return absl::OkStatus();
  }

  // Finds out when the client closes the connection before its response.
  void WatchClient() {
    socket().async_wait(tcp::socket::wait_read,
                        [self = this->shared_from_this(), number = number_](error_code error) {
                          if (error || number != self->number_ || self->phase_ != Phase::kRunning)
                            return;
                          char byte = 0;
                          error_code failed;
                          const size_t bytes = self->socket().receive(
                              asio::buffer(&byte, 1), tcp::socket::message_peek, failed);
                          // If there is more, it is the next request.
                          if (failed || bytes == 0) self->End();
                        });
  }

  // --- a stream ---------------------------------------------------------------------------------

  void ReadStream(HttpExchange::OnPiece on_piece) {
    if (phase_ == Phase::kEnded) return on_piece(Unavailable("the client is gone"));
    if (parser_->is_done()) return on_piece(Buffer());
    if (body_.room() == 0 && !body_.Grow(kPieceBytes, kPieceBytes)) {
      return on_piece(ResourceExhausted("out of memory"));
    }
    auto& into = parser_->get().body();
    const size_t room = body_.room();
    into.data = body_.end();
    into.size = room;
    into.more = true;
    http::async_read_some(stream_, buffer_, *parser_,
                          [self = this->shared_from_this(), room, on_piece = std::move(on_piece)](
                              error_code error, size_t bytes) mutable {
                            self->OnStreamRead(error, bytes, room, std::move(on_piece));
                          });
  }

  void OnStreamRead(error_code error, size_t bytes, size_t room, HttpExchange::OnPiece on_piece) {
    if (error == http::error::need_buffer) error = {};
    if (error) {
      keeps_alive_ = false;
      const bool is_gone = !IsOfParser(error) || error == http::error::partial_message ||
                           error == http::error::end_of_stream;
      if (is_gone) End();
      return on_piece(InvalidArgument("body: ", error.message()));
    }
    progress_ += static_cast<int64_t>(bytes);
    body_.Add(room - parser_->get().body().size);
    if (body_.size() == 0) return ReadStream(std::move(on_piece));
    on_piece(body_.Take());
  }

  // The head is sent with the first chunk.
  void PrepareHead(HttpResponse head) {
    if (phase_ != Phase::kStreaming) return;
    if (!is_chunked_ || server_->is_draining) keeps_alive_ = false;
    head_ = HeadOf(head);
    if (is_chunked_) head_ += "Transfer-Encoding: chunked\r\n";
    if (!keeps_alive_) head_ += "Connection: close\r\n";
    head_ += "\r\n";
  }

  // Without pieces, writes the end.
  void WriteChunk(std::vector<Buffer> pieces, std::function<void()> written) {
    if (phase_ != Phase::kStreaming) return;
    response_ = std::move(pieces);
    const size_t size = SizeOf(response_);
    pieces_.clear();
    if (is_chunked_) {
      std::array<char, 24> digits;
      const int length = std::snprintf(digits.data(), digits.size(), "%zx\r\n", size);
      head_.append(digits.data(), static_cast<size_t>(length));
    }
    pieces_.push_back(asio::buffer(head_));
    for (const Buffer& piece : response_) {
      pieces_.push_back(asio::buffer(piece.data(), piece.size()));
    }
    static constexpr std::string_view kEndOfChunk = "\r\n";
    if (is_chunked_) pieces_.push_back(asio::buffer(kEndOfChunk));
    asio::async_write(stream_, pieces_,
                      [self = this->shared_from_this(), written = std::move(written)](
                          error_code error, size_t bytes) {
                        if (error || self->phase_ == Phase::kEnded) return self->End();
                        self->progress_ += static_cast<int64_t>(bytes);
                        self->head_.clear();
                        self->response_.clear();
                        written();
                      });
  }

  void FinishStream() {
    if (keeps_alive_ && parser_->is_done()) return ReadHeader();
    Linger();
  }

  static bool IsOfParser(const error_code& error) {
    return error.category() == http::make_error_code(http::error::bad_method).category();
  }

  static std::string HeadOf(const HttpResponse& response) {
    std::string head = Cat("HTTP/1.1 ", response.code, " ", ReasonPhraseOf(response.code), "\r\n");
    if (!response.content_type.empty()) {
      head += Cat("Content-Type: ", response.content_type, "\r\n");
    }
    for (const auto& [name, value] : response.headers) head += Cat(name, ": ", value, "\r\n");
    return head;
  }

  // --- the response -----------------------------------------------------------------------------

  void RejectBody() {
    Reject(413, Cat("expected a body of at most ", server_->options.body_bytes, " bytes\n"));
  }
  // Responds to a request that was not read completely, and ends the connection.
  void Reject(int code, std::string_view text) {
    keeps_alive_ = false;
    Enter(Phase::kRunning);
    Write(HttpResponse::Text(code, text));
  }

  void Write(HttpResponse response) {
    if (phase_ != Phase::kRunning && phase_ != Phase::kStreaming) return;
    Enter(Phase::kWriting);
    if (server_->is_draining || (is_streaming_ && !parser_->is_done())) keeps_alive_ = false;
    const size_t size = SizeOf(response.body);
    head_ = HeadOf(response);
    const bool has_body = response.code != 204 && response.code != 304;
    if (has_body) head_ += Cat("Content-Length: ", size, "\r\n");
    if (!keeps_alive_) head_ += "Connection: close\r\n";
    head_ += "\r\n";
    response_ = std::move(response.body);
    if (is_head_) response_.clear();
    pieces_.clear();
    pieces_.push_back(asio::buffer(head_));
    for (const Buffer& piece : response_)
      pieces_.push_back(asio::buffer(piece.data(), piece.size()));
    asio::async_write(
        stream_, pieces_,
        [self = this->shared_from_this()](const error_code& error, size_t bytes) -> size_t {
          self->progress_ = std::max(self->progress_, static_cast<int64_t>(bytes));
          return error ? 0 : kWriteBytes;
        },
        [self = this->shared_from_this()](error_code error, size_t) {
          if (error || self->phase_ == Phase::kEnded) return self->End();
          self->response_.clear();
          if (self->keeps_alive_) return self->ReadHeader();
          self->Linger();
        });
  }

  // Waits until the client has closed the connection, because closing it while bytes of the client
  // are not read could discard the response.
  void Linger() {
    Enter(Phase::kLinger);
    error_code ignored;
    socket().shutdown(tcp::socket::shutdown_send, ignored);
    Discard();
  }
  void Discard() {
    socket().async_read_some(asio::buffer(discarded_),
                             [self = this->shared_from_this()](error_code error, size_t) {
                               if (error || self->phase_ == Phase::kEnded) return self->End();
                               self->Discard();
                             });
  }

  const std::shared_ptr<State> server_;
  const std::shared_ptr<asio::io_context> context_;         // of the stream
  const std::shared_ptr<asio::ssl::context> certificates_;  // of a TLS stream
  Stream stream_;
  asio::steady_timer timer_;
  boost::beast::flat_buffer buffer_;
  std::string peer_;
  std::vector<std::string> certificate_names_;

  Phase phase_ = Phase::kIdle;
  Clock::time_point since_ = Clock::now();  // of the phase, or of the window of rule 5
  int64_t progress_ = 0;                    // bytes since then

  uint64_t number_ = 0;  // of the request
  std::optional<Parser> parser_;
  bool keeps_alive_ = true;
  bool is_head_ = false;
  bool is_streaming_ = false;  // the handler reads the body
  bool is_chunked_ = false;    // the response of a stream
  HttpRequest request_;
  GrowingBytes body_;
  uint64_t left_ = 0;  // bytes of the body
  std::weak_ptr<ConnectionExchange> exchange_;

  std::string head_;
  std::vector<Buffer> response_;
  std::vector<asio::const_buffer> pieces_;
  std::array<char, 4096> discarded_;
};

std::shared_ptr<asio::ssl::context> HttpServer::State::TlsContext() {
  if (tls_context != nullptr && tls_generation == tls->generation()) return tls_context;
  tls_generation = tls->generation();
  const TlsPem pem = tls->pem();
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  using Context = asio::ssl::context;
  error_code error;
  context->set_options(Context::default_workarounds | Context::no_sslv2 | Context::no_sslv3 |
                           Context::no_tlsv1 | Context::no_tlsv1_1,
                       error);
  if (!error) context->use_certificate_chain(asio::buffer(pem.certificate), error);
  if (!error) context->use_private_key(asio::buffer(pem.key), Context::pem, error);
  if (!error && !pem.client_ca.empty()) {
    context->add_certificate_authority(asio::buffer(pem.client_ca), error);
    const int required =
        tls->requires_client_certificates() ? asio::ssl::verify_fail_if_no_peer_cert : 0;
    if (!error) context->set_verify_mode(asio::ssl::verify_peer | required, error);
  }
  if (!error) {
    tls_context = std::move(context);
  } else {
    Log(LogLevel::kError, "HTTP cannot use the certificates", {{"reason", error.message()}});
  }
  return tls_context;
}

void HttpServer::State::Accept() {
  std::shared_ptr<asio::io_context> context = contexts[next_context++ % contexts.size()];
  asio::io_context& runs = *context;
  acceptor->async_accept(runs, [self = shared_from_this(), context = std::move(context)](
                                   error_code error, tcp::socket socket) {
    if (!self->acceptor->is_open()) return;
    if (!error) {
      self->Serve(context, std::move(socket));
      return self->Accept();
    }
    // Such as no free file descriptor.
    self->pause->expires_after(kPause);
    self->pause->async_wait([self](error_code cancelled) {
      if (!cancelled && self->acceptor->is_open()) self->Accept();
    });
  });
}

void HttpServer::State::Serve(std::shared_ptr<asio::io_context> context, tcp::socket socket) {
  if (num_connections.fetch_add(1) >= options.max_connections) {
    num_connections.fetch_sub(1);
    return;
  }
  if (tls == nullptr) {
    return Start(std::make_shared<Connection<tcp::socket>>(shared_from_this(), std::move(context),
                                                           std::move(socket), nullptr));
  }
  std::shared_ptr<asio::ssl::context> certificates = TlsContext();
  if (certificates == nullptr) {
    num_connections.fetch_sub(1);
    return;
  }
  TlsStream stream(std::move(socket), *certificates);
  Start(std::make_shared<Connection<TlsStream>>(shared_from_this(), std::move(context),
                                                std::move(stream), std::move(certificates)));
}

HttpServer::HttpServer(const Options& options, Handler handler)
    : state_(std::make_shared<State>(options, std::move(handler))) {}

HttpServer::~HttpServer() { Stop(); }

StatusOr<int> HttpServer::Start(const std::string& address, std::shared_ptr<TlsCertificates> tls) {
  State& state = *state_;
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos) {
    return InvalidArgument("`", Printable(address), "`: expected HOST:PORT");
  }
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  state.tls = std::move(tls);
  for (int i = 0; i < std::max(1, state.options.threads); ++i) {
    state.contexts.push_back(std::make_shared<asio::io_context>(1));
    state.guards.push_back(asio::make_work_guard(*state.contexts.back()));
  }
  auto fail = [&](const error_code& error) {
    state.guards.clear();
    state.contexts.clear();
    return Unavailable("cannot listen on `", Printable(address), "`: ", error.message());
  };
  error_code error;
  tcp::resolver resolver(*state.contexts[0]);
  const auto found =
      resolver.resolve(host, address.substr(colon + 1),
                       tcp::resolver::passive | tcp::resolver::numeric_service, error);
  if (error) return fail(error);
  state.pause = std::make_unique<asio::steady_timer>(*state.contexts[0]);
  for (const auto& entry : found) {
    state.acceptor = std::make_unique<tcp::acceptor>(*state.contexts[0]);
    state.acceptor->open(entry.endpoint().protocol(), error);
    if (!error) state.acceptor->set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) state.acceptor->bind(entry.endpoint(), error);
    if (!error) state.acceptor->listen(asio::socket_base::max_listen_connections, error);
    if (!error) break;
  }
  if (error) {
    state.acceptor.reset();
    state.pause.reset();
    return fail(error);
  }
  const int port = state.acceptor->local_endpoint().port();
  state.Accept();
  for (auto& context : state.contexts) {
    state.threads.emplace_back([context] {
      while (true) {
        try {
          context->run();
          return;
        } catch (const std::exception& failed) {
          Log(LogLevel::kError, "an HTTP connection failed", {{"reason", failed.what()}});
        }
      }
    });
  }
  return port;
}

void HttpServer::Drain() {
  if (state_->contexts.empty() || state_->is_draining.exchange(true)) return;
  std::promise<void> closed;
  asio::post(*state_->contexts[0], [&] {
    error_code ignored;
    state_->pause->cancel();
    state_->acceptor->close(ignored);
    closed.set_value();
  });
  closed.get_future().wait();
  std::lock_guard lock(state_->mu);
  for (HttpConnectionBase* connection : state_->open) connection->Drain();
}

void HttpServer::Stop() {
  if (state_->contexts.empty()) return;
  Drain();
  state_->is_stopped = true;
  {
    std::lock_guard lock(state_->mu);
    for (HttpConnectionBase* connection : state_->open) connection->Close();
  }
  // The threads end when the connections have ended.
  state_->guards.clear();
  for (std::thread& thread : state_->threads) thread.join();
  state_->threads.clear();
  state_->acceptor.reset();
  state_->pause.reset();
  state_->contexts.clear();
}

int64_t HttpServer::num_connections() const { return state_->num_connections.load(); }

}  // namespace signet
