// Feed: calls a function with the rows of a file, chunk by chunk, over one stream, and writes the
// results in order.
//
// A few chunks are under way at a time, so memory is bounded by their size. The first error ends
// the feed; it names the rows by their numbers in the file, from 1. If the connection is lost, the
// feed connects again and sends the chunks that have no answer once more: functions have no side
// effects. It gives up when nothing was answered for the client's timeout. Stateless.

#pragma once

#include <functional>
#include <string>

#include "client/cli/feed_place.h"
#include "client/cli/row_sink.h"
#include "client/cli/row_source.h"
#include "client/lib/service_client.h"

namespace signet {

// As FeedPlace::Find, asking the server for the function's type.
StatusOr<FeedPlace> FindFeedPlace(ServiceClient& client, const CallSpec& call,
                                  const std::string& name);

struct FeedEvents {
  std::function<void()> on_result = [] {};  // after each result is written
  // After the connection is lost, with the number of the first row without an answer.
  std::function<void(int64_t row, const Status& cause)> on_lost = [](int64_t, const Status&) {};
};

// Calls `call` with each chunk at `place`. `file` is what errors call the source of the rows.
Status Feed(ServiceClient& client, const CallSpec& call, const FeedPlace& place,
            const std::string& file, RowSource& source, RowSink& sink,
            const FeedEvents& events = {});

// `orders.ndjson  45%  [=====>    ]  120000 rows  3.1 MB/s`
std::string RenderProgress(const std::string& name, const RowSource& source, double seconds);

}  // namespace signet
