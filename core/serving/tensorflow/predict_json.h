// PredictBody: the body of a :predict request of TensorFlow Serving's REST API.
//
//   {"signature_name": "score", "instances": [{"x": 1, "y": [2, 3]}, {"x": 4, "y": [5, 6]}]}
//   {"inputs": {"x": [1, 4], "y": [[2, 3], [5, 6]]}}
//
// The rules:
//   1. `instances` has one item per row, and `inputs` has whole arguments.
//   2. Items of `instances` that are objects have one value per input, and all have the same keys.
//      Other items are the rows of the only input, which is the only parameter, or the only one
//      without a default.
//   3. `inputs` is an object of inputs, or the only input. If no parameter has a default, other
//      keys of the object are skipped.
//   4. If the only input is a record or records, and the keys of an object are not the names of
//      parameters, the object is a record.
//   5. `NaN`, `Infinity`, and `-Infinity` are numbers. {"b64": "..."} is a string.
// The values are read later, under the types of the parameters, as everywhere in JSON.
//
// The response is {"predictions": ...} or {"outputs": ...}. It has no names if there is one output.
// The strings of an output whose name ends with `_bytes` are {"b64": "..."}.
//
// The body is untrusted. Immutable after it is made; thread-safe.

#pragma once

#include <string>

#include "core/formats/common/call_request.h"
#include "core/formats/common/limits.h"
#include "core/serving/call/bind.h"
#include "core/serving/tensorflow/body_members.h"
#include "core/serving/tensorflow/column_shapes.h"

namespace signet::tf {

class PredictBody {
 public:
  // INVALID_ARGUMENT without `instances` or `inputs`, or with both.
  static StatusOr<PredictBody> Make(const BodyMembers& body);

  bool has_rows() const { return has_rows_; }  // `instances`

  // Adds the arguments to `call`. `shapes` receives the shapes of columns.
  Status AddArguments(const CalledFunction& called, const Limits& limits, CallRequest& call,
                      ColumnShapes& shapes) const;

 private:
  bool has_rows_ = false;
  Buffer values_;  // of `instances` or `inputs`
};

// Adds the sentence that clients compare to the error of a value that a tensor cannot have.
Status TranslateValueError(const CalledFunction& called, const Status& status);

// Writes the response. `outputs` is a dict with the names of the outputs, or any other value, which
// has no name. INVALID_ARGUMENT if the outputs have no rows, but the request has.
StatusOr<std::string> PredictionsToJson(const Value& outputs, bool has_rows, const Limits& limits);

}  // namespace signet::tf
