// RunOp: runs one op on values immediately, with the expansion that functions of a model use.
//
//   signet::Value x = signet::Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
//   auto sums =
//       signet::RunOp1("reduce_sum", {x}, signet::Attributes({{"axes", signet::AttributeOf(1)}}));
//
//   RunOp1("gather", {recipes, Tensor::Of<int64_t>({2}, {3, 0})})
//
// The types are those of the given values. An op takes about a microsecond here in addition to its
// kernels. A function spends that time only once, when it is specialized, so use a function for
// what runs often. Stateless; thread-safe.

#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "signet/attributes.h"
#include "signet/value.h"

namespace signet {

class FunctionLibrary;

// Returns the outputs. A literal input stays a literal if the op accepts one, and None is a missing
// input. `library` has the functions that control ops call.
StatusOr<std::vector<Value>> RunOp(std::string_view op, std::span<const Value> inputs,
                                   const Attributes& attributes = {},
                                   const FunctionLibrary* library = nullptr);
// Runs an op with one output.
StatusOr<Value> RunOp1(std::string_view op, std::initializer_list<Value> inputs,
                       const Attributes& attributes = {});

}  // namespace signet
