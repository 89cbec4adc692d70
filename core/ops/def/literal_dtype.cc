#include "core/ops/def/literal_dtype.h"

#include <algorithm>

#include "signet/extension_spec.h"
#include "signet/literal_spec.h"

namespace signet {

bool IsPlain(const TypeSpec& spec) {
  return spec.is(TypeKind::kLiteral) ||
         ((spec.is(TypeKind::kList) || spec.is(TypeKind::kTuple)) && IsStatic(spec));
}

bool IsNone(const TypeSpec& spec) {
  const auto* literal = spec.As<LiteralSpec>();
  return literal != nullptr && literal->literal().is(Literal::Kind::kNone);
}

// Returns true for a list that contains no literal at any depth, so that it implies no dtype.
static bool IsEmpty(const TypeSpec& spec) {
  return !spec.is(TypeKind::kLiteral) &&
         std::all_of(spec.children().begin(), spec.children().end(), IsEmpty);
}

DType DefaultDType(const TypeSpec& spec) {
  const auto* literal = spec.As<LiteralSpec>();
  if (literal == nullptr) return JoinedDType(spec.children());
  switch (literal->literal().kind()) {
    case Literal::Kind::kBool:
      return DType::kBool;
    case Literal::Kind::kFloat:
      return DType::kFloat32;
    case Literal::Kind::kString:
      return DType::kString;
    case Literal::Kind::kInt: {
      auto value = literal->literal().AsInt64();
      bool narrow = value && *value >= INT32_MIN && *value <= INT32_MAX;
      return narrow ? DType::kInt32 : DType::kInt64;
    }
    case Literal::Kind::kNone:
      break;
  }
  return DType::kFloat32;
}

DType JoinedDType(std::span<const TypeSpec> specs) {
  DType joined = DType::kInt32;
  bool any = false;
  for (const TypeSpec& spec : specs) {
    if (IsEmpty(spec)) continue;
    any = true;
    DType dtype = DefaultDType(spec);
    if (!IsInteger(dtype) || dtype == DType::kInt64) joined = dtype;
    if (!IsInteger(joined)) return joined;
  }
  return any ? joined : DType::kFloat32;
}

}  // namespace signet
