#include "server/protocols/json/lines_call.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "server/protocols/http/problem.h"

namespace signet {
namespace {

constexpr size_t kCallsInFlight = 4;

// A part of the stream, as a request of its own.
class PartExchange final : public HttpExchange {
 public:
  PartExchange(std::shared_ptr<HttpExchange> whole, Buffer body,
               std::function<void(HttpResponse)> respond)
      : whole_(std::move(whole)), respond_(std::move(respond)) {
    request_ = whole_->request();
    request_.body = std::move(body);
    request_.arrival = std::chrono::steady_clock::now();
  }
  void Respond(HttpResponse response) override {
    if (!has_response_.exchange(true)) respond_(std::move(response));
  }
  Status CheckRoom() const override { return whole_->CheckRoom(); }
  Status Prepare(HttpResponse& response) override {
    response.may_compress = false;
    return whole_->Prepare(response);
  }
  void OnCancel(std::function<void()> callback) override {
    std::lock_guard lock(mu_);
    on_cancel_ = std::move(callback);
  }
  void Cancel() {
    std::function<void()> callback;
    {
      std::lock_guard lock(mu_);
      callback = std::exchange(on_cancel_, nullptr);
    }
    if (callback) callback();
  }

 private:
  const std::shared_ptr<HttpExchange> whole_;
  const std::function<void(HttpResponse)> respond_;
  std::atomic<bool> has_response_{false};
  std::mutex mu_;
  std::function<void()> on_cancel_;  // guarded by mu_
};

class LinesCall : public std::enable_shared_from_this<LinesCall> {
 public:
  LinesCall(ServerContext& server, std::shared_ptr<HttpExchange> exchange, JsonTarget target)
      : server_(server),
        exchange_(std::move(exchange)),
        protocol_(std::make_shared<JsonCallProtocol>(server, std::move(target))) {}

  void Start() {
    exchange_->OnCancel([weak = weak_from_this()] {
      if (auto self = weak.lock()) self->Cancel();
    });
    Read();
  }

 private:
  // A call whose results are not written.
  struct Part {
    int64_t first_row = 0;
    std::shared_ptr<PartExchange> exchange;
    std::optional<HttpResponse> response;
  };

  void Read() {
    exchange_->Read(
        [self = shared_from_this()](StatusOr<Buffer> piece) { self->OnPiece(std::move(piece)); });
  }

  void OnPiece(StatusOr<Buffer> piece) {
    if (!piece.ok()) return EndWith(piece.status());
    const bool is_end = piece->empty();
    // The bytes up to the last line break are complete lines.
    size_t complete = is_end ? 0 : piece->text().rfind('\n') + 1;
    Buffer lines;
    if (is_end) {
      lines = Buffer::Copy(rest_);
      rest_.clear();
    } else if (complete > 0 && rest_.empty()) {
      lines = piece->Slice(0, complete);
      rest_ = piece->text().substr(complete);
    } else {
      rest_ += piece->text().substr(0, complete);
      if (complete > 0) {
        lines = Buffer::Copy(rest_);
        rest_.clear();
      }
      rest_ += piece->text().substr(complete);
    }
    if (rest_.size() > static_cast<size_t>(server_.limits.message_bytes)) {
      return EndWith(ResourceExhausted("body: a line exceeds the limit of ",
                                       server_.limits.message_bytes, " bytes"));
    }
    std::unique_lock lock(mu_);
    if (has_ended_) return;  // a part refers to this object, so it must not stay in `parts_`
    reads_ended_ = reads_ended_ || is_end;
    is_reading_ = false;
    const bool has_rows = lines.text().find_first_not_of(" \t\r\n") != std::string_view::npos;
    // A body without rows is one call, whose result has no rows.
    if (!has_rows && !(is_end && num_calls_ == 0)) return Advance(lock);
    auto part = std::make_shared<Part>();
    part->first_row = num_rows_;
    ++num_calls_;
    for (std::string_view text = lines.text(); !text.empty();) {
      const size_t end = std::min(text.find('\n'), text.size());
      if (text.substr(0, end).find_first_not_of(" \t\r") != text.npos) ++num_rows_;
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    parts_.push_back(part);
    part->exchange = std::make_shared<PartExchange>(
        exchange_, std::move(lines),
        [self = shared_from_this(), weak = std::weak_ptr(part)](HttpResponse response) {
          auto done = weak.lock();
          if (done == nullptr) return;  // the client is gone
          std::unique_lock answered(self->mu_);
          done->response = std::move(response);
          self->Advance(answered);
        });
    lock.unlock();
    StartHttpCall(server_, part->exchange, protocol_);
    lock.lock();
    Advance(lock);
  }

  // Ends the response with an error, after the results of the lines before.
  void EndWith(const Status& status) {
    std::unique_lock lock(mu_);
    is_reading_ = false;
    reads_ended_ = true;
    parts_.push_back(std::make_shared<Part>(Part{num_rows_, nullptr, ProblemOf(status)}));
    Advance(lock);
  }

  // Writes the next result, reads the next lines, or ends. Requires mu_.
  void Advance(std::unique_lock<std::mutex>& lock) {
    if (has_ended_) return;
    if (!is_writing_ && !parts_.empty() && parts_.front()->response) return Write(lock);
    if (!is_reading_ && !reads_ended_ && parts_.size() < kCallsInFlight) {
      is_reading_ = true;
      lock.unlock();
      return Read();
    }
    if (!is_writing_ && reads_ended_ && parts_.empty()) {
      has_ended_ = true;
      lock.unlock();
      exchange_->EndStream();
    }
  }

  void Write(std::unique_lock<std::mutex>& lock) {
    const std::shared_ptr<Part> part = parts_.front();
    parts_.pop_front();
    HttpResponse response = *std::move(part->response);
    if (response.code != 200) {
      has_ended_ = true;
      lock.unlock();
      return Fail(std::move(response), part->first_row);
    }
    const bool is_first = !std::exchange(has_begun_, true);
    is_writing_ = true;
    lock.unlock();
    if (is_first) {
      HttpResponse head = response;
      head.body.clear();
      exchange_->BeginStream(std::move(head));
    }
    // The response counts as unread until this function is destroyed.
    exchange_->WriteStream(std::move(response.body),
                           [self = shared_from_this(), unread = std::move(response.unread)] {
                             std::unique_lock written(self->mu_);
                             self->is_writing_ = false;
                             self->Advance(written);
                           });
    // More lines may be read meanwhile.
    lock.lock();
    Advance(lock);
  }

  // Ends the response with an error, when nothing is being written.
  void Fail(HttpResponse problem, int64_t first_row) {
    CancelParts();
    if (!has_begun_) return exchange_->Respond(std::move(problem));
    std::string text;
    for (const Buffer& piece : problem.body) text += piece.text();
    while (text.ends_with('\n')) text.pop_back();
    exchange_->WriteStream(
        {Buffer::Copy(Cat("{\"error\":", text, ",\"first_row\":", first_row, "}\n"))},
        [self = shared_from_this()] { self->exchange_->EndStream(); });
  }

  void Cancel() {
    {
      std::lock_guard lock(mu_);
      has_ended_ = true;
    }
    CancelParts();
  }

  void CancelParts() {
    std::deque<std::shared_ptr<Part>> parts;
    {
      std::lock_guard lock(mu_);
      parts.swap(parts_);
    }
    for (const auto& part : parts) {
      if (part->exchange != nullptr) part->exchange->Cancel();
    }
  }

  ServerContext& server_;
  const std::shared_ptr<HttpExchange> exchange_;
  const std::shared_ptr<const JsonCallProtocol> protocol_;
  std::string rest_;  // a line that is not complete; used by one read at a time

  std::mutex mu_;                            // guards the following members
  std::deque<std::shared_ptr<Part>> parts_;  // in the order of their rows
  int64_t num_rows_ = 0;
  int64_t num_calls_ = 0;
  bool is_reading_ = true;
  bool is_writing_ = false;
  bool reads_ended_ = false;
  bool has_begun_ = false;  // the head of the response is sent
  bool has_ended_ = false;
};

}  // namespace

bool StreamsLines(const HttpRequest& head) {
  return head.method == "POST" && head.Header("content-encoding").empty() &&
         JsonCallProtocol::HasLines(head);
}

void StartLinesCall(ServerContext& server, std::shared_ptr<HttpExchange> exchange,
                    JsonTarget target) {
  std::make_shared<LinesCall>(server, std::move(exchange), std::move(target))->Start();
}

}  // namespace signet
