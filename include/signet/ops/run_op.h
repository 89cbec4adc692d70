// RunOp: one op on values, at once, by the very expansion that a function of a model runs.
//
//   RunOp1("gather", {recipes, Tensor::Of<int64_t>({2}, {3, 0})})
//
// Types are those of the values at hand. What an op costs here besides its kernels, about a
// microsecond each, a function pays once, when it is specialised: what runs often belongs in one.
// Stateless; thread-safe.

#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "signet/attributes.h"
#include "signet/value.h"

namespace signet {

class FunctionLibrary;

// The outputs. A literal input stays one where the op takes it so, and None is an input left out.
// `library` has the functions that control ops call.
StatusOr<std::vector<Value>> RunOp(std::string_view op, std::span<const Value> inputs,
                                   const Attributes& attributes = {},
                                   const FunctionLibrary* library = nullptr);
// Of an op with one output.
StatusOr<Value> RunOp1(std::string_view op, std::initializer_list<Value> inputs,
                       const Attributes& attributes = {});

}  // namespace signet
