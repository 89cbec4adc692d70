// OpCaller: makes calls of ops by name. The typed methods (op_methods.h) are built on it.
//
// Not thread-safe.

#pragma once

#include "core/ops/build/op_name.h"
#include "core/ops/build/operand.h"

namespace signet {

class OpCaller {
 public:
  virtual ~OpCaller() = default;

  // Adds a call of an op, and expands it if necessary. The typed methods are easier to read; this
  // one is for a computed name, for attributes that are passed on, and for ops of frontends.
  virtual StatusOr<std::vector<GraphValue>> Call(OpName op, std::span<const GraphValue> inputs,
                                                 const Attributes& attributes) = 0;
  // The same with operands of any kind; CallOne is for an op with one output.
  StatusOr<std::vector<GraphValue>> CallAll(OpName op, const Operands& inputs,
                                            const Attributes& attributes = {});
  Expr CallOne(OpName op, const Operands& inputs, const Attributes& attributes = {});

  // An operand as an expression, so that arithmetic applies to it: `build.AsExpr(x) + y`.
  Expr AsExpr(const Operand& x) { return Expr(*this, x.value()); }

 protected:
  // The inputs of a call: some operands, of which the last ones may not be passed, then a list.
  struct Inputs {
    std::initializer_list<const Operand*> operands;
    const Operands* list = nullptr;
  };
  struct NamedArgument {
    std::string_view name;
    const AttributeArgument& value;
  };
  using NamedArguments = std::initializer_list<NamedArgument>;

  StatusOr<std::vector<GraphValue>> CallTyped(std::string_view op, Inputs inputs,
                                              NamedArguments attributes = {});
  Expr CallTypedOne(std::string_view op, Inputs inputs, NamedArguments attributes = {});

 private:
  friend class Expr;
};

}  // namespace signet
