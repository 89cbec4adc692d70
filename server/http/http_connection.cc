#include "server/http/http_connection.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <sys/socket.h>
#include <type_traits>
#include <utility>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
// Beast of Boost 1.74 reads a last chunk `0` of which fewer than 5 bytes have arrived, but asserts
// that a client does not send it in such parts.
#define BOOST_DISABLE_ASSERTS
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>

#include "server/http/cors.h"
#include "server/http/tls_context.h"
#include "server/transport/compression.h"

namespace signet {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using TlsStream = asio::ssl::stream<tcp::socket>;

constexpr std::string_view kNoMemory =
    "the bodies of other requests use all memory for bodies (--max_received_bytes); try again "
    "later";
constexpr std::chrono::seconds kTick(2);             // between two checks of the times of rule 5
constexpr std::chrono::seconds kLingerTime(2);       // for a client to read a last response
constexpr int64_t kLeastBytesPerSecond = 1024;       // rule 5
constexpr std::string_view kProtocol = "HTTP/1.1 ";  // with which a response begins
constexpr size_t kPieceBytes = size_t{1} << 20;      // of a stream, if as many have arrived
constexpr size_t kWriteBytes = size_t{1} << 20;      // in one step, so that progress is seen

std::string NameOfPeer(const tcp::socket& socket) {
  error_code error;
  const tcp::endpoint peer = socket.remote_endpoint(error);
  if (error) return "unknown";
  const std::string address = peer.address().to_string();
  if (peer.address().is_v4()) return Cat("ipv4:", address, ":", peer.port());
  return Cat("ipv6:%5B", address, "%5D:", peer.port());
}

// A connection runs on the thread of its context only, except for Send, Drain, and Close.
template <class Stream>
class StreamConnection final : public HttpConnection,
                               public std::enable_shared_from_this<StreamConnection<Stream>> {
 public:
  StreamConnection(std::shared_ptr<HttpConnections> server,
                   std::shared_ptr<asio::io_context> context, Stream stream,
                   std::shared_ptr<asio::ssl::context> certificates)
      : server_(std::move(server)),
        context_(std::move(context)),
        certificates_(std::move(certificates)),
        stream_(std::move(stream)),
        timer_(stream_.get_executor()),
        buffer_(server_->options.header_bytes + BodyBytes::kFirstBytes),
        body_(server_->bodies) {
    std::lock_guard lock(server_->mu);
    server_->open.insert(this);
  }
  ~StreamConnection() override {
    server_->count.fetch_sub(1);
    std::lock_guard lock(server_->mu);
    server_->open.erase(this);
  }

  void Start() override {
    asio::post(stream_.get_executor(), [self = this->shared_from_this()] { self->Begin(); });
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

  void Begin() {
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
    const HttpServer::Options& options = server_->options;
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
    request_ = {};
    if (error) NoteOrigin();
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
      return Reject(431,
                    Cat("expected at most ", server_->options.header_bytes, " bytes of headers"));
    }
    if (IsOfParser(error) && error != http::error::end_of_stream &&
        error != http::error::partial_message) {
      return Reject(400, Cat("expected a request of HTTP/1.1: ", error.message()));
    }
    if (error) return End();
    const auto& message = parser_->get();
    keeps_alive_ = message.keep_alive() && !server_->is_draining;
    is_head_ = message.method() == http::verb::head;
    request_.method = std::string(message.method_string());
    request_.peer = peer_;
    request_.is_https = std::is_same_v<Stream, TlsStream>;
    request_.certificate_names = certificate_names_;
    for (const auto& field : message) {
      request_.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
    }
    const auto num_hosts = std::count_if(message.begin(), message.end(), [](const auto& field) {
      return field.name() == http::field::host;
    });
    if (num_hosts > 1 || (num_hosts == 0 && message.version() >= 11)) {
      return Reject(400, Cat("expected one header Host, found ", num_hosts));
    }
    std::string_view target(message.target().data(), message.target().size());
    if (size_t scheme = target.find("://"); !target.starts_with('/') && scheme != target.npos) {
      const size_t path = target.find_first_of("/?", scheme + 3);
      SetHost(target.substr(scheme + 3, path == target.npos ? path : path - scheme - 3));
      target = path == target.npos ? "/" : target.substr(path);
    }
    const size_t question = std::min(target.find('?'), target.size());
    request_.path = target.substr(0, question);
    if (question < target.size()) request_.query = target.substr(question + 1);
    if (!request_.path.starts_with('/')) return Reject(400, "expected a path that begins with /");
    // The end of a body in another coding is not known, so that its bytes would be taken for the
    // next request.
    const auto coding = message.find(http::field::transfer_encoding);
    if (coding != message.end() && !boost::beast::iequals(coding->value(), "chunked")) {
      return Reject(501, Cat("Transfer-Encoding: expected chunked, found `",
                             Printable(std::string(coding->value())), "`"));
    }
    if (server_->options.check) {
      const Status checked = server_->options.check(request_);
      if (!checked.ok()) return Reject(403, MessageOf(checked));
    }
    is_streaming_ = server_->options.streams && server_->options.streams(request_);
    is_chunked_ = message.version() >= 11;
    if (server_->options.aligned_offset) body_.AlignAt(server_->options.aligned_offset(request_));
    const auto length = parser_->content_length();
    if (!is_streaming_ && length && *length > server_->options.body_bytes) return RejectBody();
    if (message.version() >= 11 && IsWord(FindHeader(request_.headers, "expect"), "100-continue") &&
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

  // The host of a target such as `http://host/path` replaces the header.
  void SetHost(std::string_view host) {
    for (auto& [name, value] : request_.headers) {
      if (IsWord(name, "host")) value = std::string(host);
    }
  }

  // Finds the origin in headers that the parser rejects, so that the page reads why.
  void NoteOrigin() {
    const auto parsed = parser_->get()[http::field::origin];
    std::string_view origin(parsed.data(), parsed.size());
    const std::string_view bytes(static_cast<const char*>(buffer_.data().data()), buffer_.size());
    if (origin.empty()) origin = OriginInHeaders(bytes);
    if (!origin.empty()) request_.headers.emplace_back("Origin", origin);
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
      if (body_.room() == 0 && !body_.Grow(body_.size() + left_)) return RejectForMemory();
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
      if (!body_.Grow(server_->options.body_bytes)) return RejectForMemory();
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
            return self->Reject(400, Cat("body: ", error.message()));
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
      const int code = absl::IsResourceExhausted(expanded) ? 413
                       : absl::IsUnavailable(expanded)     ? 503
                                                           : 400;
      HttpResponse response = Failure(code, MessageOf(expanded));
      if (code == 400) response.headers.emplace_back("Accept-Encoding", "gzip, deflate");
      AddCorsHeaders(server_->options.cors_origins, request_, response.headers);
      return Write(std::move(response));
    }
    Handle();
  }

  void Handle() {
    request_.arrival = Clock::now();
    auto exchange = std::make_shared<ConnectionExchange>(this->shared_from_this(),
                                                         std::move(request_), server_->options);
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
    if (encoding.empty() || IsWord(encoding, "identity")) return absl::OkStatus();
    const auto compression = LookupCompression(encoding);
    if (!compression) {
      return InvalidArgument("Content-Encoding: expected gzip, deflate, or identity, found `",
                             Printable(encoding), "`");
    }
    auto expanded = signet::Expand(*compression, request_.body.text(), server_->options.body_bytes);
    if (!expanded.ok()) return At("body", expanded.status());
    std::optional<Buffer> reserved = Reserve(server_->bodies, *std::move(expanded));
    if (!reserved) return Unavailable(kNoMemory);
    request_.body = *std::move(reserved);
    return absl::OkStatus();
  }

  // Finds out when the client closes the connection before its response.
  void WatchClient() {
    socket().async_wait(tcp::socket::wait_read, [self = this->shared_from_this(),
                                                 number = number_](error_code error) {
      if (error || number != self->number_ || self->phase_ != Phase::kRunning) return;
      char byte = 0;
      error_code failed;
      self->socket().receive(asio::buffer(&byte, 1), tcp::socket::message_peek, failed);
      if (failed == asio::error::eof) return self->ProbeClient();
      // If there is more, it is the next request.
      if (failed) self->End();
    });
  }

  // Finds out whether a client that sends no more bytes reads the response: a client that has
  // closed its connection answers bytes with a reset. The bytes are those with which each response
  // begins.
  void ProbeClient() {
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      return End();  // without the end that TLS requires
    } else {
      keeps_alive_ = false;
      const ssize_t sent = ::send(socket().native_handle(), kProtocol.data(), kProtocol.size(),
                                  MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent < 0) return End();
      sent_of_head_ = static_cast<size_t>(sent);
      socket().async_wait(tcp::socket::wait_error, [self = this->shared_from_this(),
                                                    number = number_](error_code error) {
        if (!error && number == self->number_ && self->phase_ == Phase::kRunning) {
          self->End();
        }
      });
    }
  }

  // --- a stream ---------------------------------------------------------------------------------

  void ReadStream(HttpExchange::OnPiece on_piece) {
    if (phase_ == Phase::kEnded) return on_piece(Unavailable("the client is gone"));
    if (parser_->is_done()) return on_piece(body_.Take());
    if (body_.room() == 0 && !body_.Grow(kPieceBytes)) {
      return on_piece(body_.size() > 0 ? StatusOr<Buffer>(body_.Take()) : Unavailable(kNoMemory));
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
    if (body_.size() == 0 || (body_.size() < kPieceBytes && HasArrived())) {
      return ReadStream(std::move(on_piece));
    }
    on_piece(body_.Take());
  }

  // Returns true if more bytes of the body have arrived, which are read without a wait. A few bytes
  // may be only the end or the size of a chunk, after which the client waits for its results.
  bool HasArrived() {
    constexpr size_t kMoreThanSizeOfChunk = 1024;
    error_code failed;
    return !parser_->is_done() &&
           buffer_.size() + socket().available(failed) >= kMoreThanSizeOfChunk;
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
    const size_t size = BodySizeOf(response_);
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
    std::string head = Cat(kProtocol, response.code, " ", ReasonPhraseOf(response.code), "\r\n");
    if (!response.content_type.empty()) {
      head += Cat("Content-Type: ", response.content_type, "\r\n");
    }
    for (const auto& [name, value] : response.headers) head += Cat(name, ": ", value, "\r\n");
    return head;
  }

  // --- the response -----------------------------------------------------------------------------

  HttpResponse Failure(int code, std::string_view text) const {
    const auto& failure = server_->options.failure;
    return failure ? failure(request_, code, text) : HttpResponse::Text(code, Cat(text, "\n"));
  }
  void RejectBody() {
    Reject(413, Cat("expected a body of at most ", server_->options.body_bytes, " bytes"));
  }
  void RejectForMemory() {
    HttpResponse response = Failure(503, kNoMemory);
    response.headers.emplace_back("Retry-After", "1");
    Reject(std::move(response));
  }
  // Responds to a request that was not read completely, and ends the connection.
  void Reject(int code, std::string_view text) { Reject(Failure(code, text)); }
  void Reject(HttpResponse response) {
    keeps_alive_ = false;
    AddCorsHeaders(server_->options.cors_origins, request_, response.headers);
    Enter(Phase::kRunning);
    Write(std::move(response));
  }

  void Write(HttpResponse response) {
    if (phase_ != Phase::kRunning && phase_ != Phase::kStreaming) return;
    Enter(Phase::kWriting);
    if (server_->is_draining || (is_streaming_ && !parser_->is_done())) keeps_alive_ = false;
    const size_t size = BodySizeOf(response.body);
    head_ = HeadOf(response);
    head_ += Cat("Content-Length: ", size, "\r\n");
    if (!keeps_alive_) head_ += "Connection: close\r\n";
    head_ += "\r\n";
    response_ = std::move(response.body);
    unread_ = std::move(response.unread);
    if (is_head_) response_.clear();
    pieces_.clear();
    pieces_.push_back(asio::buffer(head_) + std::exchange(sent_of_head_, 0));
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
          self->unread_.reset();
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

  const std::shared_ptr<HttpConnections> server_;
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
  BodyBytes body_;
  uint64_t left_ = 0;  // bytes of the body
  std::weak_ptr<ConnectionExchange> exchange_;

  std::string head_;
  size_t sent_of_head_ = 0;  // bytes of the head that ProbeClient has sent
  std::vector<Buffer> response_;
  std::shared_ptr<void> unread_;  // counts the response as unread while it is written
  std::vector<asio::const_buffer> pieces_;
  std::array<char, 4096> discarded_;
};

}  // namespace

std::shared_ptr<HttpConnection> MakeHttpConnection(
    std::shared_ptr<HttpConnections> server, std::shared_ptr<asio::io_context> context,
    tcp::socket socket, std::shared_ptr<asio::ssl::context> certificates) {
  if (certificates == nullptr) {
    return std::make_shared<StreamConnection<tcp::socket>>(std::move(server), std::move(context),
                                                           std::move(socket), nullptr);
  }
  TlsStream stream(std::move(socket), *certificates);
  return std::make_shared<StreamConnection<TlsStream>>(std::move(server), std::move(context),
                                                       std::move(stream), std::move(certificates));
}

}  // namespace signet
