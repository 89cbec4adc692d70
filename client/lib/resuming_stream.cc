#include "client/lib/resuming_stream.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace signet {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kFirstPause(100);
constexpr std::chrono::milliseconds kLongestPause(1000);

bool IsLost(const Status& status) { return status.code() == absl::StatusCode::kUnavailable; }

}  // namespace

ResumingStream::ResumingStream(ServiceClient& client, std::string priority,
                               std::function<void(const Status& cause)> on_lost)
    : client_(client),
      priority_(std::move(priority)),
      on_lost_(std::move(on_lost)),
      stream_(client.OpenStream(priority_)),
      last_response_(steady_clock::now()) {}

Status ResumingStream::Send(v1::CallRequest request) {
  if (requests_.empty()) last_response_ = steady_clock::now();
  requests_.push_back(std::move(request));
  Status sent = stream_.Send(requests_.back());
  return IsLost(sent) ? Resume(sent) : sent;
}

StatusOr<v1::CallResponse> ResumingStream::Next(v1::CallRequest* request) {
  while (true) {
    auto response = stream_.Next();
    const Status resumed = IsLost(response.status()) ? Resume(response.status()) : absl::OkStatus();
    if (IsLost(response.status()) && resumed.ok()) continue;
    if (request != nullptr) *request = std::move(requests_.front());
    requests_.pop_front();
    last_response_ = steady_clock::now();
    if (!resumed.ok()) return resumed;
    return response;
  }
}

// Connects again and sends all requests. Returns `cause` if that takes too long.
Status ResumingStream::Resume(const Status& cause) {
  on_lost_(cause);
  auto pause = kFirstPause;
  while (steady_clock::now() - last_response_ < client_.timeout()) {
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLongestPause);
    stream_ = client_.OpenStream(priority_);
    Status sent;
    for (const v1::CallRequest& request : requests_) {
      if (sent.ok()) sent = stream_.Send(request);
    }
    if (!IsLost(sent)) return sent;
  }
  return cause;
}

}  // namespace signet
