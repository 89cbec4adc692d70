// Feed: calls a function with the rows of a file, chunk by chunk, over one stream, and writes the
// results in order.
//
// A few chunks are under way at a time, so memory is bounded by their size. The first refusal ends
// it. Stateless.

#pragma once

#include <functional>
#include <string>

#include "client/client.h"
#include "client/feed_place.h"
#include "client/row_sink.h"
#include "client/row_source.h"

namespace signet {

// As FeedPlace::Find, asking the server for the function's type.
StatusOr<FeedPlace> FindFeedPlace(Client& client, const CallSpec& call, const std::string& name);

// Calls `call` with each chunk at `place`. `progress` is called after every result.
Status Feed(Client& client, const CallSpec& call, const FeedPlace& place, RowSource& source,
            RowSink& sink, const std::function<void()>& progress);

// `orders.ndjson  45%  [=====>    ]  120000 rows  3.1 MB/s`
std::string RenderProgress(const std::string& name, const RowSource& source, double seconds);

}  // namespace signet
