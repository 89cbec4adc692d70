// OpBuilder: the interface with which an expansion builds.
//
//   StatusOr<std::vector<GraphValue>> ExpandSoftsign(OpBuilder& build, const OpCall&,
//                                                    std::span<const GraphValue> inputs) {
//     return inputs[0] / (build.Abs(inputs[0]) + 1);
//   }
//
// Each op of the catalog has a method (op_methods.h). Operands are values, results of other calls,
// and literals, and errors travel with results (operand.h). While a function is specialized, a call
// becomes a node of a graph. When an op runs on values immediately, a call runs a kernel.
//
// Not thread-safe.

#pragma once

#include "core/ops/build/op_methods.h"

namespace signet {

class OpBuilder : public OpMethods {
 public:
  virtual GraphValue Constant(const Value& value) = 0;
  // Returns the tensor of a component edge if it is known now, else null.
  virtual const Tensor* LookupConstant(int edge) const = 0;

  // Returns a value of the extension type `name`, whose `components` are in their declared order,
  // and checks it as its declaration says. NOT_FOUND if there are no extension types.
  virtual StatusOr<GraphValue> MakeExtensionValue(std::string_view name, const NamedTypes& statics,
                                                  std::span<const GraphValue> components);
  // Returns an error if a model cannot call the op `name`, because it does not exist or is
  // internal.
  virtual Status CheckCallable(std::string_view name) const;
  // Returns true if the extension type `name` is `ancestor` or has it among its parents.
  virtual bool InheritsFrom(std::string_view name, std::string_view ancestor) const;
};

}  // namespace signet
