#include "client/cli/feed.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <deque>
#include <iterator>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "core/formats/signet_wire/wire.h"

namespace signet {
namespace {

constexpr size_t kCallsInFlight = 4;
constexpr int kBarWidth = 24;
constexpr std::chrono::milliseconds kFirstPause(100);
constexpr std::chrono::milliseconds kLongestPause(1000);

StatusOr<FunctionType> FindFunctionType(ServiceClient& client, const CallSpec& call) {
  SIGNET_ASSIGN_OR_RETURN(v1::GetModelResponse model, client.GetModel(call.model));
  std::vector<std::string> names;
  for (const v1::FunctionInfo& function : model.functions()) {
    bool is_only = call.function.empty() && model.functions_size() == 1;
    if (is_only || function.name() == call.function) {
      return wire::FunctionTypeFromProto(function.type(), Limits());
    }
    names.push_back(function.name());
  }
  return NotFound("function `", Printable(call.function),
                  "` not found; functions: ", ListNames(names));
}

// Rows of the file, and the call that has them as an argument.
struct Chunk {
  int64_t first_row = 0;
  int64_t num_rows = 0;
  v1::CallRequest request = {};
};

// A stream of calls that is opened again when its connection is lost.
class ResumingStream {
 public:
  ResumingStream(ServiceClient& client, const std::string& priority, const FeedEvents& events)
      : client_(client), priority_(priority), events_(events) {}

  size_t pending() const { return chunks_.size(); }
  Status Send(Chunk chunk) {
    chunks_.push_back(std::move(chunk));
    Status sent = stream_.Send(chunks_.back().request);
    return sent.ok() ? sent : Resume(std::move(sent));
  }
  // Waits for the next response, and sets `chunk` to the chunk to which it belongs.
  StatusOr<v1::CallResponse> Next(Chunk& chunk) {
    while (true) {
      auto answer = stream_.Next();
      if (!IsLost(answer.status())) {
        chunk = std::move(chunks_.front());
        chunks_.pop_front();
        last_answer_ = Clock::now();
        return answer;
      }
      if (Status resumed = Resume(answer.status()); !resumed.ok()) {
        chunk = chunks_.front();
        return resumed;
      }
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  static bool IsLost(const Status& status) {
    return status.code() == absl::StatusCode::kUnavailable;
  }

  // Connects again and sends all chunks without a response. Returns `cause` if that takes too long.
  Status Resume(Status cause) {
    if (!IsLost(cause)) return cause;
    events_.on_lost(chunks_.front().first_row + 1, cause);
    auto pause = kFirstPause;
    while (Clock::now() - last_answer_ < client_.timeout()) {
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, kLongestPause);
      stream_ = client_.OpenStream(priority_);
      Status sent;
      for (const Chunk& chunk : chunks_) {
        if (sent.ok()) sent = stream_.Send(chunk.request);
      }
      if (sent.ok()) return sent;
      if (!IsLost(sent)) return sent;
    }
    return cause;
  }

  ServiceClient& client_;
  const std::string priority_;
  const FeedEvents& events_;
  CallStream stream_ = client_.OpenStream(priority_);
  std::deque<Chunk> chunks_;  // sent, without a response
  Clock::time_point last_answer_ = Clock::now();
};

// Returns the text of the argument that is JSON lines, or null if there is none.
const std::string* LinesOf(const v1::CallRequest& request) {
  auto is_lines = [](const v1::Value& value) {
    return value.encoded().format() == v1::Encoded::JSON_LINES;
  };
  for (const v1::Value& value : request.args()) {
    if (is_lines(value)) return &value.encoded().data();
  }
  for (const v1::NamedValue& named : request.kwargs()) {
    if (is_lines(named.value())) return &named.value().encoded().data();
  }
  return nullptr;
}

// Finds a number between `before` and `after`, removes all three from `text`, and returns the
// number.
std::optional<int64_t> CutNumber(std::string& text, const std::string& before,
                                 const std::string& after) {
  for (size_t start = text.find(before); start != text.npos; start = text.find(before, start + 1)) {
    const char* digits = text.data() + start + before.size();
    int64_t number = 0;
    auto read = std::from_chars(digits, text.data() + text.size(), number);
    auto end = static_cast<size_t>(read.ptr - text.data());
    if (read.ec != std::errc() || text.compare(end, after.size(), after) != 0) continue;
    text.erase(start, end + after.size() - start);
    return number;
  }
  return std::nullopt;
}

// Returns an error of a call with the numbers of the rows in the file. The server counts rows and
// bytes from the beginning of the chunk.
Status ErrorInFile(const std::string& file, const Chunk& chunk, bool is_whole,
                   const Status& status) {
  if (is_whole) return At(Cat("`", Printable(file), "`"), status);
  std::string message(MessageOf(status));
  std::string field = FieldOf(status);
  std::optional<int64_t> byte = CutNumber(message, "byte ", ": ");
  std::optional<int64_t> row;
  if (size_t path = message.find("`["); path != message.npos) {
    // `[3].id` is replaced by `id`, and `[3]` is removed, because the error has the number in the
    // file.
    std::string rest = message.substr(path);
    row = CutNumber(rest, "`[", "]");
    if (row && rest.starts_with('.')) rest.replace(0, 1, "`");
    if (row && rest.starts_with("`: ")) rest.erase(0, 3);
    if (row) message.replace(path, message.npos, rest.starts_with('[') ? Cat("`", rest) : rest);
  }
  const std::string* lines = LinesOf(chunk.request);
  if (!row && byte && lines != nullptr) {
    auto end = lines->begin() + std::min<std::ptrdiff_t>(*byte, std::ssize(*lines));
    row = std::count(lines->begin(), end, '\n');
  }
  if (!row && chunk.num_rows == 1) row = 0;
  std::string rows =
      row ? Cat("row ", chunk.first_row + *row + 1)
          : Cat("rows ", chunk.first_row + 1, " to ", chunk.first_row + chunk.num_rows);
  Status out = MakeStatus(status.code(), Cat("`", Printable(file), "`: ", rows, ": ", message));
  if (!field.empty()) out = WithField(field, std::move(out));
  std::string reason = ReasonOf(status);
  return reason.empty() ? out : WithReason(reason, std::move(out));
}

}  // namespace

StatusOr<RowParameters> FindRowParameters(ServiceClient& client, const CallSpec& call,
                                          const std::string& name) {
  SIGNET_ASSIGN_OR_RETURN(FunctionType type, FindFunctionType(client, call));
  return RowParameters::Find(type, call, name);
}

Status Feed(ServiceClient& client, const CallSpec& call, const RowParameters& parameters,
            const std::string& file, RowSource& source, RowSink& sink, const FeedEvents& events) {
  ResumingStream stream(client, call.priority, events);
  auto take = [&]() -> Status {
    Chunk chunk;
    auto answer = stream.Next(chunk);
    if (!answer.ok()) return ErrorInFile(file, chunk, source.is_whole(), answer.status());
    SIGNET_RETURN_IF_ERROR(sink.Write(answer->result().encoded()));
    events.on_result();
    return absl::OkStatus();
  };
  v1::Encoded rows;
  while (true) {
    Chunk chunk{.first_row = source.rows()};
    SIGNET_ASSIGN_OR_RETURN(bool more, source.Next(rows));
    if (!more) break;
    chunk.num_rows = source.rows() - chunk.first_row;
    if (stream.pending() == kCallsInFlight) SIGNET_RETURN_IF_ERROR(take());
    CallSpec with_rows = call;
    with_rows.result_format = sink.format();
    if (Status added = parameters.AddRows(std::move(rows), with_rows); !added.ok()) {
      return ErrorInFile(file, chunk, source.is_whole(), added);
    }
    chunk.request = RequestOf(with_rows);
    SIGNET_RETURN_IF_ERROR(stream.Send(std::move(chunk)));
  }
  while (stream.pending() > 0) SIGNET_RETURN_IF_ERROR(take());
  return sink.Finish();
}

std::string RenderProgress(const std::string& name, const RowSource& source, double seconds) {
  auto bytes = static_cast<double>(source.bytes());
  std::string out = name;
  if (source.size() > 0) {
    double part = std::min(bytes / static_cast<double>(source.size()), 1.0);
    auto filled = static_cast<size_t>(part * kBarWidth);
    out += Cat("  ", static_cast<int>(part * 100), "%  [", std::string(filled, '='),
               filled < kBarWidth ? ">" : "",
               std::string(filled < kBarWidth ? kBarWidth - 1 - filled : 0, ' '), "]");
  }
  if (source.rows() > 0) out += Cat("  ", source.rows(), " rows");
  char rate[32];
  std::snprintf(rate, sizeof(rate), "  %.1f MB/s", bytes / 1e6 / std::max(seconds, 1e-3));
  return out + rate;
}

}  // namespace signet
