#include "server/http/connection_exchange.h"

#include <utility>

#include "server/http/gzip.h"

namespace signet {
namespace {

constexpr size_t kLeastCompressed = size_t{1} << 10;

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
  const bool compresses = response.may_compress && BodySizeOf(response.body) >= kLeastCompressed &&
                          IsListed(request_.Header("accept-encoding"), "gzip");
  if (compresses) {
    response.body = {Buffer::Copy(Gzip(response.body))};
    response.headers.emplace_back("Content-Encoding", "gzip");
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
