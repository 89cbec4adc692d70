#include "server/transport/unread_responses.h"

#include <utility>

namespace signet {

class UnreadResponses::Ticket {
 public:
  Ticket(std::atomic<int64_t>& total, std::shared_ptr<Connection> connection, int64_t size)
      : total_(total), connection_(std::move(connection)), size_(size) {}
  ~Ticket() {
    total_.fetch_sub(size_, std::memory_order_relaxed);
    connection_->unread_bytes.fetch_sub(size_, std::memory_order_relaxed);
  }
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;

 private:
  std::atomic<int64_t>& total_;
  const std::shared_ptr<Connection> connection_;
  const int64_t size_;
};

UnreadResponses::UnreadResponses(Listener& listener, int64_t max_bytes,
                                 int64_t max_connection_bytes)
    : listener_(listener),
      max_bytes_(max_bytes),
      max_connection_bytes_(max_connection_bytes),
      unnamed_(std::make_shared<Connection>("")) {}

std::shared_ptr<Connection> UnreadResponses::ConnectionOf(std::string_view peer) const {
  auto found = listener_.FindPeer(peer);
  return found == nullptr ? unnamed_ : found;
}

namespace {

Status Rejection(std::string_view whose, int64_t unread, int64_t size, int64_t limit,
                 std::string_view flag) {
  return WithReason("RESPONSES_UNREAD",
                    ResourceExhausted(whose, ": ", unread, " unread bytes of responses and ", size,
                                      " more bytes exceed the limit of ", limit, " (", flag,
                                      "); read responses faster, or make fewer calls at once"));
}

}  // namespace

Status UnreadResponses::CheckRoomOn(const Connection& connection) const {
  int64_t mine = connection.unread_bytes.load(std::memory_order_relaxed);
  if (mine > 0 && mine >= max_connection_bytes_) {
    return Rejection("this connection", mine, 0, max_connection_bytes_,
                     "--max_connection_unread_bytes");
  }
  int64_t all = bytes_.load(std::memory_order_relaxed);
  if (all > 0 && all >= max_bytes_) {
    return Rejection("all connections", all, 0, max_bytes_, "--max_unread_bytes");
  }
  return absl::OkStatus();
}

StatusOr<std::shared_ptr<void>> UnreadResponses::AdmitTo(std::shared_ptr<Connection> connection,
                                                         int64_t size) {
  // Counted first, so that responses admitted at the same time see one another.
  auto ticket = std::make_shared<Ticket>(bytes_, connection, size);
  int64_t all = bytes_.fetch_add(size, std::memory_order_relaxed);
  int64_t mine = connection->unread_bytes.fetch_add(size, std::memory_order_relaxed);
  if (mine > 0 && mine + size > max_connection_bytes_) {
    return Rejection("this connection", mine, size, max_connection_bytes_,
                     "--max_connection_unread_bytes");
  }
  if (all > 0 && all + size > max_bytes_) {
    return Rejection("all connections", all, size, max_bytes_, "--max_unread_bytes");
  }
  return std::shared_ptr<void>(std::move(ticket));
}

}  // namespace signet
