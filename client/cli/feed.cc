#include "client/cli/feed.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <deque>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "client/lib/resuming_stream.h"
#include "core/formats/signet_wire/wire.h"
#include "core/model/source_names.h"

namespace signet {
namespace {

constexpr size_t kCallsInFlight = 4;
constexpr int kBarWidth = 24;

// Rows of the file, and, after the response, the call that had them as an argument.
struct Chunk {
  int64_t first_row = 0;
  int64_t num_rows = 0;
  v1::CallRequest request = {};
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

// Returns the path `field` with the index of the row in the file: `orders[3].id` of a chunk whose
// first row is 100 is `orders[103].id`.
std::string FieldInFile(const std::string& field, int64_t first_row) {
  const size_t digits = field.find('[') + 1;
  if (digits == 0) return field;
  int64_t index = 0;
  auto read = std::from_chars(field.data() + digits, field.data() + field.size(), index);
  if (read.ec != std::errc() || !std::string_view(read.ptr).starts_with(']')) return field;
  return Cat(field.substr(0, digits), first_row + index, read.ptr);
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
  if (row) field = FieldInFile(field, chunk.first_row);
  if (!field.empty()) out = WithField(field, std::move(out));
  std::string reason = ReasonOf(status);
  return reason.empty() ? out : WithReason(reason, std::move(out));
}

}  // namespace

StatusOr<RowParameters> FindRowParameters(ServiceClient& client, const CallSpec& call,
                                          const std::string& name) {
  SIGNET_ASSIGN_OR_RETURN(v1::GetModelResponse model, client.GetModel(call.model));
  const std::map<std::string, std::string> metadata(model.metadata().begin(),
                                                    model.metadata().end());
  std::vector<std::string> names;
  for (const v1::FunctionInfo& function : model.functions()) {
    bool is_only = call.function.empty() && model.functions_size() == 1;
    const std::string& source = SourceNameOfFunction(metadata, function.name());
    if (is_only || source == call.function || function.name() == call.function) {
      SIGNET_ASSIGN_OR_RETURN(FunctionType type,
                              wire::FunctionTypeFromProto(function.type(), Limits()));
      return RowParameters::Find(type, call, name, SourceParametersIn(metadata, function.name()));
    }
    names.push_back(source);
  }
  return NotFound("function `", Printable(call.function),
                  "` not found; functions: ", ListNames(names));
}

Status Feed(ServiceClient& client, const CallSpec& call, const RowParameters& parameters,
            const std::string& file, RowSource& source, RowSink& sink, const FeedEvents& events) {
  std::deque<Chunk> chunks;  // sent, without a response
  ResumingStream stream(client, call.priority, [&](const Status& cause) {
    events.on_lost(chunks.front().first_row + 1, cause);
  });
  auto take = [&]() -> Status {
    Chunk chunk = chunks.front();
    auto answer = stream.Next(&chunk.request);
    chunks.pop_front();
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
    chunks.push_back(chunk);
    SIGNET_RETURN_IF_ERROR(stream.Send(RequestOf(with_rows)));
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
