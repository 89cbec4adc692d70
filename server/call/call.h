// Call: one call from request to result, whoever carries it (Call and CallStream). Thread-safe.

#pragma once

#include <functional>
#include <string>

#include "core/formats/signet_wire/wire.h"
#include "server/call/attempts.h"
#include "server/call/serving.h"

namespace signet {

struct CallOutcome {
  CallOutcome(StatusOr<wire::Result> outcome, int64_t version = 0)  // NOLINT: a status is one
      : result(std::move(outcome)), model_version(version) {}
  CallOutcome(Status status) : result(std::move(status)) {}  // NOLINT

  StatusOr<wire::Result> result;
  int64_t model_version = 0;
};

// Requests of more bytes than this are parsed on a compute thread.
inline constexpr size_t kSmallRequestBytes = size_t{256} << 10;

// Finds the model and the function, decodes the arguments, prepares and runs the call, and passes
// its outcome to `answer`, once, as CarryOutWork does. What `control` refers to must live until the
// answer.
void CarryOut(Serving& serving, wire::CallRequest request, const RunControl& control,
              ThreadKind thread, std::function<void(CallOutcome)> answer);

// Refuses a response larger than the limit.
Status CheckResponse(const wire::Pieces& pieces, const Limits& limits);

// `recipes/3.score`, as messages name the function of a call.
std::string PlaceOf(const Model& model, std::string_view function);

}  // namespace signet
