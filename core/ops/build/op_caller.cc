#include "core/ops/build/op_caller.h"

namespace signet {
namespace {

Expr OnlyOutput(OpCaller& caller, StatusOr<std::vector<GraphValue>> outputs) {
  SIGNET_RETURN_IF_ERROR(outputs.status());
  SIGNET_CHECK(outputs->size() == 1);
  return Expr(caller, std::move((*outputs)[0]));
}

}  // namespace

StatusOr<std::vector<GraphValue>> OpCaller::CallAll(OpName op, const Operands& inputs,
                                                    const Attributes& attributes) {
  SIGNET_RETURN_IF_ERROR(inputs.values().status());
  return Call(op, *inputs.values(), attributes);
}

Expr OpCaller::CallOne(OpName op, const Operands& inputs, const Attributes& attributes) {
  return OnlyOutput(*this, CallAll(op, inputs, attributes));
}

StatusOr<std::vector<GraphValue>> OpCaller::CallTyped(std::string_view op, Inputs inputs,
                                                      NamedArguments attributes) {
  absl::InlinedVector<GraphValue, 4> values;
  size_t passed = 0;
  for (const Operand* operand : inputs.operands) {
    SIGNET_RETURN_IF_ERROR(operand->value().status());
    values.push_back(*operand->value());
    if (operand->passed()) passed = values.size();
  }
  if (inputs.list != nullptr) {
    SIGNET_RETURN_IF_ERROR(inputs.list->values().status());
    values.insert(values.end(), inputs.list->values()->begin(), inputs.list->values()->end());
  } else {
    values.resize(passed);
  }
  NamedTypes entries;
  for (const NamedArgument& attribute : attributes) {
    if (!attribute.value.value()) continue;
    entries.emplace_back(std::string(attribute.name), attribute.value.value());
  }
  return Call(op, values, Attributes(std::move(entries)));
}

Expr OpCaller::CallTypedOne(std::string_view op, Inputs inputs, NamedArguments attributes) {
  return OnlyOutput(*this, CallTyped(op, inputs, attributes));
}

Expr Expr::Calculate(std::string_view op, OpCaller* caller, const Operand& x, const Operand& y) {
  SIGNET_RETURN_IF_ERROR(x.value().status());
  SIGNET_RETURN_IF_ERROR(y.value().status());
  return caller->CallTypedOne(op, {{&x, &y}});
}

Expr Expr::operator-() const {
  if (!ok()) return *this;
  Operand x(*this);
  return caller_->CallTypedOne("neg", {{&x}});
}

Expr operator+(const Expr& x, const Expr& y) { return Expr::Calculate("add", x.caller_, x, y); }
Expr operator+(const Expr& x, const Operand& y) { return Expr::Calculate("add", x.caller_, x, y); }
Expr operator+(const Operand& x, const Expr& y) { return Expr::Calculate("add", y.caller_, x, y); }

Expr operator-(const Expr& x, const Expr& y) { return Expr::Calculate("sub", x.caller_, x, y); }
Expr operator-(const Expr& x, const Operand& y) { return Expr::Calculate("sub", x.caller_, x, y); }
Expr operator-(const Operand& x, const Expr& y) { return Expr::Calculate("sub", y.caller_, x, y); }

Expr operator*(const Expr& x, const Expr& y) { return Expr::Calculate("mul", x.caller_, x, y); }
Expr operator*(const Expr& x, const Operand& y) { return Expr::Calculate("mul", x.caller_, x, y); }
Expr operator*(const Operand& x, const Expr& y) { return Expr::Calculate("mul", y.caller_, x, y); }

Expr operator/(const Expr& x, const Expr& y) { return Expr::Calculate("div", x.caller_, x, y); }
Expr operator/(const Expr& x, const Operand& y) { return Expr::Calculate("div", x.caller_, x, y); }
Expr operator/(const Operand& x, const Expr& y) { return Expr::Calculate("div", y.caller_, x, y); }

}  // namespace signet
