// FlatTensors: the parameters and results of a function as named dense tensors.
//
//   parameter or result                  tensors
//   x: float32[?, 4]                     x
//   x: ragged float32[?, (?)]            x.values, x.row_splits_0
//   x: sparse float32[?, ?]              x.indices, x.values, x.dense_shape
//   r: [{title: string[], ids: int64[(?)]}]   r.nrows, r.title, r.ids.values, ..
//   dict(a: float32[?], b: int64[])      a, b
//   any other result                     output_0, or output_0.values and so on
//
// The rules:
//   1. The names of components are those of ComponentsOf (include/signet/type_spec.h), after the
//      name of the parameter. `nrows` may be left out.
//   2. A parameter that is not a tensor also accepts a string tensor of JSON under its own name: a
//      scalar with the whole argument, or a vector with its rows.
//   3. A parameter whose default is a literal accepts a scalar tensor as a literal.
//   4. The names of the tensors of an imported signature are those of the signature
//      (signatures.h).
//
// Stateless; thread-safe.

#pragma once

#include <string>
#include <vector>

#include "core/formats/common/call_request.h"
#include "core/formats/common/limits.h"
#include "core/serving/call/bind.h"
#include "server/protocols/tensorflow/column_shapes.h"

namespace signet::tf {

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

// The type of one tensor of a signature.
struct NamedTensorType {
  std::string name;
  TypeSpec type;  // a tensor type; null for a parameter that accepts any value
};

std::vector<NamedTensorType> InputTypesOf(const LoadedModel& model,
                                          const PolymorphicFunction& function);
// Returns no types if the result type of the function is not known.
std::vector<NamedTensorType> OutputTypesOf(const LoadedModel& model,
                                           const PolymorphicFunction& function);

// Adds `tensors` as arguments to `call`. INVALID_ARGUMENT if a tensor belongs to no parameter, or
// if a component is missing. `shapes` receives the shapes of columns.
Status AddTensors(const CalledFunction& called, std::vector<NamedTensor> tensors,
                  const Limits& limits, CallRequest& call, ColumnShapes& shapes);

// Returns the tensors of a result.
std::vector<NamedTensor> TensorsOf(const Value& result, const CalledFunction& called,
                                   const ColumnShapes& shapes);
// Returns the result as a dict with the names of the tensors, if it is a dict or named tuple.
// Otherwise, returns the result itself. Columns have their shapes.
StatusOr<Value> NamedOutputsOf(const Value& result, const CalledFunction& called,
                               const ColumnShapes& shapes);

}  // namespace signet::tf
