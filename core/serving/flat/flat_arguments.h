// AssignFlatArguments, FlattenResult: convert between the arguments and the result of a function
// and dense tensors with names (flat_signature.h).
//
// Rules of arguments:
//   1. A tensor belongs to the parameter with its name, or whose component has its name: `x`,
//      `x.values`. A parameter with a default value may be left out.
//   2. A string tensor for a parameter that is not a tensor is JSON. If the parameter has rows, and
//      the tensor has one dimension, each element is the JSON of one row; a single element may be
//      the JSON of the whole list. A scalar is the JSON of the whole argument.
//   3. A tensor with one element is accepted for a scalar. If the default value of a parameter
//      without a type is a literal, a scalar is converted to a literal.
//   4. `nrows` of a structure may be left out if another component shows it. Row splits, `nrows`,
//      and the indices of sparse tensors may be int32.
//   5. A complex tensor may be a float tensor with one more dimension of size 2.
//   6. A tensor of the shape [n, 1] is accepted for a vector [n], as codecs of data frames send it.
//
// The tensors come from outside: they are consistent in themselves, and all else is checked here.
// Stateless; thread-safe.

#pragma once

#include <string>
#include <vector>

#include "core/formats/common/call_request.h"
#include "core/formats/common/limits.h"
#include "core/serving/flat/flat_signature.h"

namespace signet {

// Converts `call.tensors` to arguments of the function. FieldOf an error is the name of the tensor
// or of the parameter.
Status AssignFlatArguments(const FunctionDef& def, CallRequest& call);

// Returns the tensors of a result, in the order in which its type is written. A literal is a
// scalar; None is left out.
std::vector<NamedTensor> FlattenResult(const FunctionDef& def, const Value& result);

// Does the same for the tensors that a client lists, in its order. In addition to the names of
// FlattenResult, `output` is the whole result, and the name of an item of a dict is the whole item;
// if such a value is not a tensor, it is returned as JSON: a string per row, or one string.
// INVALID_ARGUMENT for an unknown or repeated name; errors name the `model`.
StatusOr<std::vector<NamedTensor>> SelectResults(const FunctionDef& def, const Value& result,
                                                 std::span<const std::string> names,
                                                 std::string_view model, const Limits& limits);

}  // namespace signet
