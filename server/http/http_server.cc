#include "server/http/http_server.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <future>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "server/http/http_connection.h"
#include "server/http/tls_context.h"
#include "server/observability/log.h"

namespace signet {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::milliseconds kPause(100);  // after an accept that failed

}  // namespace

struct HttpServer::State : std::enable_shared_from_this<HttpServer::State> {
  State(const Options& options, Handler handler)
      : connections(std::make_shared<HttpConnections>(options, std::move(handler))) {}

  void Accept();
  void Serve(std::shared_ptr<asio::io_context> context, tcp::socket socket);
  // Returns the context for a new TLS connection, or null if the certificates cannot be used.
  std::shared_ptr<asio::ssl::context> TlsContext();

  const std::shared_ptr<HttpConnections> connections;
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
};

std::shared_ptr<asio::ssl::context> HttpServer::State::TlsContext() {
  if (tls_context != nullptr && tls_generation == tls->generation()) return tls_context;
  tls_generation = tls->generation();
  auto context = MakeTlsContext(*tls);
  if (context.ok()) {
    tls_context = *std::move(context);
  } else {
    Log(LogLevel::kError, "HTTP cannot use the certificates",
        {{"reason", std::string(MessageOf(context.status()))}});
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
  if (connections->count.fetch_add(1) >= connections->options.max_connections) {
    connections->count.fetch_sub(1);
    return;
  }
  std::shared_ptr<asio::ssl::context> certificates = tls == nullptr ? nullptr : TlsContext();
  if (tls != nullptr && certificates == nullptr) {
    connections->count.fetch_sub(1);
    return;
  }
  MakeHttpConnection(connections, std::move(context), std::move(socket), std::move(certificates))
      ->Start();
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
  for (int i = 0; i < std::max(1, state.connections->options.threads); ++i) {
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
  if (state_->contexts.empty() || state_->connections->is_draining.exchange(true)) return;
  std::promise<void> closed;
  asio::post(*state_->contexts[0], [&] {
    error_code ignored;
    state_->pause->cancel();
    state_->acceptor->close(ignored);
    closed.set_value();
  });
  closed.get_future().wait();
  std::lock_guard lock(state_->connections->mu);
  for (HttpConnection* connection : state_->connections->open) connection->Drain();
}

void HttpServer::Stop() {
  if (state_->contexts.empty()) return;
  Drain();
  state_->connections->is_stopped = true;
  {
    std::lock_guard lock(state_->connections->mu);
    for (HttpConnection* connection : state_->connections->open) connection->Close();
  }
  // The threads end when the connections have ended.
  state_->guards.clear();
  for (std::thread& thread : state_->threads) thread.join();
  state_->threads.clear();
  state_->acceptor.reset();
  state_->pause.reset();
  state_->contexts.clear();
}

int64_t HttpServer::num_connections() const { return state_->connections->count.load(); }

}  // namespace signet
