// Feed: calls a function with the rows of a file, chunk by chunk, over one stream, and writes the
// results in order.
//
// A few chunks are under way at a time, so memory is bounded by their size. The first refusal ends
// it. Stateless.

#pragma once

#include <functional>
#include <optional>
#include <string>

#include "client/client.h"
#include "client/row_sink.h"
#include "client/row_source.h"

namespace signet {

// Which argument of a call the rows are: one by position, before those of the call that stand there
// and behind; or by keyword.
struct FeedPlace {
  std::optional<size_t> position;
  std::string keyword;
};

// The parameter called `name`; or, where that is empty, the first of a structured type that has no
// keyword in `call`. NOT_FOUND lists the parameters.
StatusOr<FeedPlace> FindFeedPlace(Client& client, const CallSpec& call, const std::string& name);

// Calls `call` with each chunk at `place`. `progress` is called after every result.
Status Feed(Client& client, const CallSpec& call, const FeedPlace& place, RowSource& source,
            RowSink& sink, const std::function<void()>& progress);

// `orders.ndjson  45%  [=====>    ]  120000 rows  3.1 MB/s`
std::string RenderProgress(const std::string& name, const RowSource& source, double seconds);

}  // namespace signet
