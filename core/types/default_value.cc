#include "core/types/default_value.h"

#include <algorithm>

#include "signet/literal_spec.h"
#include "signet/ragged_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

bool FitsInteger(const Literal& literal, const DTypeInfo& dtype) {
  bool is_signed = dtype.family == DTypeClass::kSignedInteger;
  auto bits = static_cast<int>(dtype.size * 8) - (is_signed ? 1 : 0);
  absl::int128 limit = absl::int128(1) << bits;
  return literal.int_value() < limit && literal.int_value() >= (is_signed ? -limit : 0);
}

bool FitsFloat(double value, DType dtype) {
  if (!(value - value == 0)) return true;  // NaN and infinities
  double narrow = value;
  if (dtype == DType::kFloat16) narrow = ToFloat(ToFloat16(static_cast<float>(value)));
  if (dtype == DType::kBFloat16) narrow = ToFloat(ToBFloat16(static_cast<float>(value)));
  if (dtype == DType::kFloat32 || dtype == DType::kComplex64) narrow = static_cast<float>(value);
  return narrow - narrow == 0;  // still finite
}

bool Fits(const Literal& literal, const DTypeInfo& dtype) {
  switch (dtype.family) {
    case DTypeClass::kBool:
      return literal.is(Literal::Kind::kBool);
    case DTypeClass::kSignedInteger:
    case DTypeClass::kUnsignedInteger:
      return literal.is(Literal::Kind::kInt) && FitsInteger(literal, dtype);
    case DTypeClass::kFloat:
    case DTypeClass::kComplex:
      if (literal.is(Literal::Kind::kFloat)) return FitsFloat(literal.float_value(), dtype.dtype);
      return literal.is(Literal::Kind::kInt) &&
             FitsFloat(static_cast<double>(literal.int_value()), dtype.dtype);
    case DTypeClass::kString:
      return literal.is(Literal::Kind::kString);
  }
  __builtin_unreachable();
}

// Checks a list that is a default value against the dimensions of its type.
class DefaultChecker {
 public:
  DefaultChecker(const TypeSpec& type, DType dtype, int ragged_rank)
      : type_(type),
        dtype_(InfoOf(dtype)),
        ragged_rank_(ragged_rank),
        sizes_(static_cast<size_t>(type.shape()->rank()), kUnknownDim) {}

  // Checks `value` against the dimensions from `axis` on.
  Status Check(const TypeSpec& value, int axis) {
    const PartialShape& shape = *type_.shape();
    const auto* literal = value.As<LiteralSpec>();
    if (literal != nullptr) {
      if (axis < shape.rank()) return Mismatch(value, "a list");
      if (Fits(literal->literal(), dtype_)) return absl::OkStatus();
      return Mismatch(value, Cat("a value of `", dtype_.name, "`"));
    }
    if (axis == shape.rank()) return Mismatch(value, Cat("a value of `", dtype_.name, "`"));
    auto size = static_cast<int64_t>(value.children().size());
    bool is_dense = axis == 0 || axis > ragged_rank_;
    int64_t& known = sizes_[static_cast<size_t>(axis)];
    if (shape.dim(axis) != kUnknownDim) known = shape.dim(axis);
    if (known == kUnknownDim && is_dense) known = size;
    if (known != kUnknownDim && known != size) {
      return Mismatch(value, Cat("a list of ", known));
    }
    for (const TypeSpec& child : value.children()) {
      SIGNET_RETURN_IF_ERROR(Check(child, axis + 1));
    }
    return absl::OkStatus();
  }

 private:
  Status Mismatch(const TypeSpec& value, std::string_view expected) const {
    std::string found;
    AppendDefaultValue(value, found);
    return InvalidArgument("default of `", type_.plain(), "`: expected ", expected, ", found `",
                           Printable(found.substr(3)), "`");
  }

  const TypeSpec& type_;
  const DTypeInfo& dtype_;
  const int ragged_rank_;
  std::vector<int64_t> sizes_;  // size per axis, where all lists have the same size
};

void AppendData(const TypeSpec& value, std::string& out) {
  if (value.is(TypeKind::kLiteral)) {
    value.rep().AppendTo(out);
    return;
  }
  out.append("[");
  for (size_t i = 0; i < value.children().size(); ++i) {
    if (i > 0) out.append(", ");
    AppendData(value.children()[i], out);
  }
  out.append("]");
}

}  // namespace

bool IsDefaultValue(const TypeSpec& type) {
  return type.is(TypeKind::kLiteral) ||
         (type.is(TypeKind::kList) &&
          std::all_of(type.children().begin(), type.children().end(), IsDefaultValue));
}

Status CheckDefaultValue(const TypeSpec& type, int outer_rank) {
  const TypeSpec& value = type.rep().notes().default_value;
  if (!value) return absl::OkStatus();
  const auto* tensor = type.As<TensorSpec>();
  const auto* ragged = type.As<RaggedSpec>();
  DType dtype = tensor != nullptr ? tensor->dtype() : ragged->dtype();
  bool is_element = value.is(TypeKind::kLiteral);
  if (!type.shape()->has_rank()) {
    if (!is_element) {
      return InvalidArgument("default of `", type.plain(),
                             "`: expected a literal, as the rank is unknown, found a list");
    }
    TypeSpec scalar = TensorType(dtype, Shape{});
    return DefaultChecker(scalar, dtype, 0).Check(value, 0);
  }
  DefaultChecker checker(type, dtype, ragged != nullptr ? ragged->ragged_rank() : 0);
  return checker.Check(value, is_element ? type.shape()->rank() : outer_rank);
}

TypeSpec DefaultOfWhole(const TypeSpec& type, int outer_rank) {
  const TypeSpec& value = type.rep().notes().default_value;
  if (!value || !value.is(TypeKind::kLiteral)) return value;
  bool is_element = type.shape()->has_rank() && type.shape()->rank() == outer_rank;
  return is_element ? value : TypeSpec();
}

TypeSpec DefaultOfElement(const TypeSpec& type) {
  const TypeSpec& value = type.rep().notes().default_value;
  return value && value.is(TypeKind::kLiteral) ? value : TypeSpec();
}

void AppendDefaultValue(const TypeSpec& default_value, std::string& out) {
  out.append(" = ");
  AppendData(default_value, out);
}

bool AppendWithDefault(const TypeSpecRep& type, std::string& out) {
  const TypeSpec& value = type.notes().default_value;
  if (!value) return false;
  out.append("(");
  type.WithNotes({}, {}).rep().AppendTo(out);
  AppendDefaultValue(value, out);
  out.append(")");
  return true;
}

}  // namespace signet
