// Feed: calls a function with the rows of a file, one chunk per call, and writes the results in
// order.
//
// A few calls are in flight at a time, over one stream, so memory is bounded by the size of a few
// chunks. The first error ends the feed; it states the numbers of the rows in the file, from 1. If
// the connection is lost, the feed connects again and repeats the calls without a response, because
// functions have no side effects. It gives up if no call had a response for the client's timeout.
// Stateless.

#pragma once

#include <functional>
#include <string>

#include "client/cli/feed_place.h"
#include "client/cli/row_sink.h"
#include "client/cli/row_source.h"
#include "client/lib/service_client.h"

namespace signet {

// Gets the type of the function from the server, and returns RowParameters::Find for it.
StatusOr<RowParameters> FindRowParameters(ServiceClient& client, const CallSpec& call,
                                          const std::string& name);

struct FeedEvents {
  std::function<void()> on_result = [] {};  // after each result is written
  // After the connection is lost, with the number of the first row without a response.
  std::function<void(int64_t row, const Status& cause)> on_lost = [](int64_t, const Status&) {};
};

// Makes `call` once per chunk of `source`, which is passed to `parameters`, and writes the results
// to `sink`. Errors contain the name `file`.
Status Feed(ServiceClient& client, const CallSpec& call, const RowParameters& parameters,
            const std::string& file, RowSource& source, RowSink& sink,
            const FeedEvents& events = {});

// Returns one line: `orders.ndjson  45%  [=====>    ]  120000 rows  3.1 MB/s`
std::string RenderProgress(const std::string& name, const RowSource& source, double seconds);

}  // namespace signet
