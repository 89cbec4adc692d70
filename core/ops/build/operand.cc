#include "core/ops/build/operand.h"

#include "core/ops/build/op_caller.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

StatusOr<std::vector<GraphValue>> AllValues(std::span<const Operand> operands) {
  std::vector<GraphValue> values;
  values.reserve(operands.size());
  for (const Operand& operand : operands) {
    SIGNET_RETURN_IF_ERROR(operand.value().status());
    values.push_back(*operand.value());
  }
  return values;
}

TypeSpec ListOfTexts(std::span<const std::string> list) {
  std::vector<TypeSpec> elements;
  for (const std::string& text : list) elements.push_back(AttributeOf(text));
  return ListType(std::move(elements));
}

}  // namespace

Expr::operator StatusOr<std::vector<GraphValue>>() const {
  SIGNET_RETURN_IF_ERROR(value_.status());
  return std::vector<GraphValue>{*value_};
}

// Values are constructed in place, because GCC 12 warns that the move of an empty InlinedVector
// reads uninitialized memory.
Operand::Operand() : value_(absl::in_place) {}
Operand::Operand(GraphValue value) : passed_(true), value_(std::move(value)) {}
Operand::Operand(const Expr& expr) : passed_(true), value_(expr.value_) {}
Operand::Operand(bool value) : Operand(AttributeOf(value), 0) {}
Operand::Operand(double value) : Operand(AttributeOf(value), 0) {}
Operand::Operand(const char* text) : Operand(AttributeOf(text), 0) {}
Operand::Operand(std::string_view text) : Operand(AttributeOf(text), 0) {}
Operand::Operand(TypeSpec literal, int) : passed_(true), value_(absl::in_place) {
  value_->spec = std::move(literal);
}

Operand::operator StatusOr<std::vector<GraphValue>>() const { return OneOutput(value_); }

Operands::Operands(std::initializer_list<Operand> operands)
    : values_(AllValues({operands.begin(), operands.size()})) {}

Operands::Operands(const std::vector<Operand>& operands) : values_(AllValues(operands)) {}

Operands::Operands(std::span<const GraphValue> values)
    : values_(std::vector<GraphValue>(values.begin(), values.end())) {}

Operands::Operands(const std::vector<GraphValue>& values) : values_(values) {}

AttributeArgument::AttributeArgument(std::span<const std::string> list)
    : value_(ListOfTexts(list)) {}

AttributeArgument::AttributeArgument(const std::vector<std::string>& list)
    : value_(ListOfTexts(list)) {}

}  // namespace signet
