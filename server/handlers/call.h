// Call: one call from request to result, whoever carries it (Call and CallStream). Thread-safe.

#pragma once

#include <functional>
#include <string>

#include "core/formats/wire.h"
#include "server/serving.h"

namespace signet {

struct CallOutcome {
  StatusOr<wire::Result> result;
  int64_t model_version = 0;
};

// Finds the model and the function, decodes the arguments, prepares and runs the call, and hands
// its outcome to `answer`, once. Small calls are done when this returns; others run on a compute
// thread, or are refused when too many wait for one. What `control` points to must live until the
// answer.
void CarryOut(Serving& serving, wire::CallRequest request, const RunControl& control,
              std::function<void(CallOutcome)> answer);

// Refuses a response larger than the limit.
Status CheckResponse(const wire::Pieces& pieces, const Limits& limits);

// `recipes/3.score`, as messages name the function of a call.
std::string PlaceOf(const Model& model, std::string_view function);

}  // namespace signet
