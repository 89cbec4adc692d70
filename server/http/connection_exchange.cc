#include "server/http/connection_exchange.h"

#include <utility>

#include "server/transport/compression.h"
#include "server/transport/unread_responses.h"

namespace signet {
namespace {

constexpr size_t kLeastCompressed = size_t{1} << 10;
constexpr int kTooManyRequests = 429;

}  // namespace

ConnectionExchange::ConnectionExchange(std::shared_ptr<HttpConnection> connection,
                                       HttpRequest request, const HttpServer::Options& options)
    : connection_(std::move(connection)),
      options_(options),
      unread_of_client_(std::make_shared<Connection>(request.peer)) {
  request_ = std::move(request);
}

ConnectionExchange::~ConnectionExchange() {
  Respond(HttpResponse::Text(500, "the request failed\n"));
}

void ConnectionExchange::Respond(HttpResponse response) {
  if (has_response_.exchange(true)) return;
  {
    std::lock_guard lock(mu_);
    on_cancel_ = nullptr;
  }
  if (!response.is_prepared) {
    if (Status fits = Prepare(response); !fits.ok()) {
      const std::string_view text = MessageOf(fits);
      response = options_.failure ? options_.failure(request_, kTooManyRequests, text)
                                  : HttpResponse::Text(kTooManyRequests, Cat(text, "\n"));
    }
  }
  AddCorsHeaders(options_.cors_origins, request_, response.headers);
  connection_->Send(std::move(response));
}

Status ConnectionExchange::CheckRoom() const {
  if (options_.unread == nullptr) return absl::OkStatus();
  return options_.unread->CheckRoomOf(*unread_of_client_);
}

Status ConnectionExchange::Prepare(HttpResponse& response) {
  if (response.may_compress && BodySizeOf(response.body) >= kLeastCompressed) {
    if (const auto compression = AcceptedCompression(request_.Header("accept-encoding"))) {
      response.body = {response.compressed != nullptr
                           ? response.compressed->Get(*compression, response.body)
                           : Buffer::Copy(Compress(*compression, response.body))};
      response.headers.emplace_back("Content-Encoding", NameOf(*compression));
    }
  }
  if (response.may_compress) response.headers.emplace_back("Vary", "Accept-Encoding");
  response.is_prepared = true;
  if (options_.unread == nullptr) return absl::OkStatus();
  auto unread = options_.unread->AdmitOn(unread_of_client_, BodySizeOf(response.body));
  if (!unread.ok()) return std::move(unread).status();
  response.unread = *std::move(unread);
  return absl::OkStatus();
}

void ConnectionExchange::BeginStream(HttpResponse head) {
  if (has_response_.exchange(true)) return;
  AddCorsHeaders(options_.cors_origins, request_, head.headers);
  connection_->BeginStream(std::move(head));
}

void ConnectionExchange::WriteStream(std::vector<Buffer> pieces, std::function<void()> written) {
  connection_->WriteStream(std::move(pieces), std::move(written));
}

void ConnectionExchange::EndStream() {
  {
    std::lock_guard lock(mu_);
    on_cancel_ = nullptr;
  }
  connection_->EndStream();
}

void ConnectionExchange::OnCancel(std::function<void()> callback) {
  {
    std::lock_guard lock(mu_);
    if (!is_cancelled_) {
      on_cancel_ = std::move(callback);
      return;
    }
  }
  callback();
}

void ConnectionExchange::Cancel() {
  std::function<void()> callback;
  {
    std::lock_guard lock(mu_);
    is_cancelled_ = true;
    callback = std::exchange(on_cancel_, nullptr);
  }
  if (callback) callback();
}

}  // namespace signet
