#include "client/feed.h"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <utility>
#include <vector>

#include "core/formats/wire.h"

namespace signet {
namespace {

constexpr size_t kCallsUnderWay = 4;
constexpr int kBarWidth = 24;

StatusOr<FunctionType> FindFunctionType(Client& client, const CallSpec& call) {
  SIGNET_ASSIGN_OR_RETURN(v1::GetModelResponse model, client.GetModel(call.model));
  std::vector<std::string> names;
  for (const v1::FunctionInfo& function : model.functions()) {
    bool is_only = call.function.empty() && model.functions_size() == 1;
    if (is_only || function.name() == call.function) {
      return wire::FunctionTypeFromProto(function.type(), Limits());
    }
    names.push_back(function.name());
  }
  return NotFound("no function `", Printable(call.function), "`; functions: ", ListNames(names));
}

}  // namespace

StatusOr<FeedPlace> FindFeedPlace(Client& client, const CallSpec& call, const std::string& name) {
  SIGNET_ASSIGN_OR_RETURN(FunctionType type, FindFunctionType(client, call));
  return FeedPlace::Find(type, call, name);
}

Status Feed(Client& client, const CallSpec& call, const FeedPlace& place, RowSource& source,
            RowSink& sink, const std::function<void()>& progress) {
  CallStream stream = client.OpenStream();
  std::deque<int64_t> first_rows;  // of the chunks under way
  auto at_rows = [](int64_t first, Status status) {
    return At(Cat("rows from ", first, " on"), std::move(status));
  };
  auto take = [&]() -> Status {
    auto answer = stream.Next();
    if (!answer.ok()) return at_rows(first_rows.front(), std::move(answer).status());
    first_rows.pop_front();
    SIGNET_RETURN_IF_ERROR(sink.Write(answer->result().encoded()));
    progress();
    return absl::OkStatus();
  };
  v1::Encoded chunk;
  while (true) {
    int64_t first_row = source.rows();
    SIGNET_ASSIGN_OR_RETURN(bool more, source.Next(chunk));
    if (!more) break;
    if (stream.pending() == kCallsUnderWay) SIGNET_RETURN_IF_ERROR(take());
    CallSpec with_rows = call;
    with_rows.result_format = sink.format();
    if (Status put = place.Put(std::move(chunk), with_rows); !put.ok()) {
      return at_rows(first_row, std::move(put));
    }
    SIGNET_RETURN_IF_ERROR(stream.Send(RequestOf(with_rows)));
    first_rows.push_back(first_row);
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
