// ExamplesInput: the records of a call of Classify, Regress, or MultiInference.
//
// The examples remain messages, which are read under the type of the parameter that receives them
// (core/formats/tensorflow/example_rows.h): the only parameter of the function, or the only one
// without a default. Bytes from outside are checked. Stateless; thread-safe.

#pragma once

#include <vector>

#include "core/formats/signet_wire/wire_cursor.h"
#include "core/serving/call/bind.h"
#include "signet/buffer.h"

namespace signet::tf {

class BodyMembers;

struct Examples {
  std::vector<Buffer> rows = {};  // serialized messages
  Buffer context = {};            // a message with the features that all rows share
};

// Reads an Input. INVALID_ARGUMENT without examples.
StatusOr<Examples> ReadInput(wire::WireSource& source, wire::WireCursor cursor);

// Reads the examples of a request of the REST API: {"examples": [{"x": 1.0}], "context": {...}}.
// Numbers with a decimal point are floats, and others integers; if `called` takes records, they are
// what its fields are.
StatusOr<Examples> ReadExamplesBody(const BodyMembers& body, const CalledFunction& called,
                                    const Limits& limits);

// Adds the examples as an argument. INVALID_ARGUMENT if the function has several parameters that
// require arguments.
Status AddExamples(const CalledFunction& called, Examples examples, const Limits& limits,
                   CallRequest& call);

}  // namespace signet::tf
