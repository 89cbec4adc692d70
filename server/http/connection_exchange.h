// HttpConnection, ConnectionExchange: a connection, as the server and its exchanges see it, and one
// request and its response on it.

#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "server/http/http_server.h"
#include "server/transport/connection.h"

namespace signet {

// All methods can be called on any thread.
class HttpConnection {
 public:
  virtual ~HttpConnection() = default;
  virtual void Start() = 0;
  virtual void Send(HttpResponse response) = 0;
  virtual void ReadPiece(HttpExchange::OnPiece on_piece) = 0;
  virtual void BeginStream(HttpResponse head) = 0;
  virtual void WriteStream(std::vector<Buffer> pieces, std::function<void()> written) = 0;
  virtual void EndStream() = 0;
  virtual void Drain() = 0;
  virtual void Close() = 0;
};

// Thread-safe.
class ConnectionExchange final : public HttpExchange {
 public:
  // `connection` owns `options`.
  ConnectionExchange(std::shared_ptr<HttpConnection> connection, HttpRequest request,
                     const HttpServer::Options& options);
  ~ConnectionExchange() override;

  void Respond(HttpResponse response) override;
  void Read(OnPiece on_piece) override { connection_->ReadPiece(std::move(on_piece)); }
  void BeginStream(HttpResponse head) override;
  void WriteStream(std::vector<Buffer> pieces, std::function<void()> written) override;
  void EndStream() override;
  void OnCancel(std::function<void()> callback) override;
  Status CheckRoom() const override;
  Status Prepare(HttpResponse& response) override;
  // Reports that the client is gone.
  void Cancel();

 private:
  const std::shared_ptr<HttpConnection> connection_;
  const HttpServer::Options& options_;
  // A connection has one exchange at a time, which has all of its unread responses.
  const std::shared_ptr<Connection> unread_of_client_;
  std::atomic<bool> has_response_{false};
  std::mutex mu_;
  std::function<void()> on_cancel_;  // guarded by mu_
  bool is_cancelled_ = false;        // guarded by mu_
};

}  // namespace signet
