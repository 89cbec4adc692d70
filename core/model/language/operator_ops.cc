#include "core/model/language/operator_ops.h"

#include <cstddef>

#include "signet/attributes.h"

namespace signet {
namespace {

struct OperatorOp {
  std::string_view text;
  std::string_view op;
};
constexpr OperatorOp kBinaryOps[] = {
    {"or", "logical_or"}, {"and", "logical_and"}, {"==", "equal"},  {"!=", "not_equal"},
    {"<", "less"},        {"<=", "less_equal"},   {">", "greater"}, {">=", "greater_equal"},
    {"+", "add"},         {"-", "sub"},           {"*", "mul"},     {"/", "div"},
    {"//", "floordiv"},   {"%", "mod"},           {"@", "matmul"},  {"**", "pow"},
};
constexpr OperatorOp kUnaryOps[] = {{"-", "neg"}, {"not", "logical_not"}};

template <size_t N>
std::string_view Find(const OperatorOp (&table)[N], std::string_view text) {
  for (const OperatorOp& row : table) {
    if (row.text == text) return row.op;
  }
  return {};
}

}  // namespace

std::string_view OpOfBinary(std::string_view text) { return Find(kBinaryOps, text); }
std::string_view OpOfUnary(std::string_view text) { return Find(kUnaryOps, text); }

NamedTypes AttributesOfOperator(std::string_view text) {
  if (text != "/") return {};
  return {{"to_float", AttributeOf(true)}};
}

}  // namespace signet
