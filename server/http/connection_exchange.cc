#include "server/http/connection_exchange.h"

#include <utility>

#include "server/transport/compression.h"

namespace signet {
namespace {

constexpr size_t kLeastCompressed = size_t{1} << 10;

}  // namespace

ConnectionExchange::ConnectionExchange(std::shared_ptr<HttpConnection> connection,
                                       HttpRequest request, const CorsOrigins& origins)
    : connection_(std::move(connection)), origins_(origins) {
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
  if (response.may_compress && BodySizeOf(response.body) >= kLeastCompressed) {
    if (const auto compression = AcceptedCompression(request_.Header("accept-encoding"))) {
      response.body = {Buffer::Copy(Compress(*compression, response.body))};
      response.headers.emplace_back("Content-Encoding", NameOf(*compression));
    }
  }
  if (response.may_compress) response.headers.emplace_back("Vary", "Accept-Encoding");
  AddCorsHeaders(origins_, request_, response.headers);
  connection_->Send(std::move(response));
}

void ConnectionExchange::BeginStream(HttpResponse head) {
  if (has_response_.exchange(true)) return;
  AddCorsHeaders(origins_, request_, head.headers);
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
