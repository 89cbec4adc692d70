// NamedOutputs: the result of a function with the names of the outputs of its signature.
//
// The result of a function in flat form is that of FlattenResult (core/serving/flat). Results that
// were computed from columns have the shapes of the arguments (column_shapes.h). Stateless;
// thread-safe.

#pragma once

#include <vector>

#include "core/formats/common/call_request.h"
#include "core/serving/call/bind.h"
#include "core/serving/tensorflow/column_shapes.h"

namespace signet::tf {

// Returns the result as dense tensors.
std::vector<NamedTensor> TensorsOf(const Value& result, const CalledFunction& called,
                                   const ColumnShapes& shapes);

// Returns the result as a dict if it is a dict or a named tuple. Otherwise, returns the result
// itself.
StatusOr<Value> NamedOutputsOf(const Value& result, const CalledFunction& called,
                               const ColumnShapes& shapes);

}  // namespace signet::tf
