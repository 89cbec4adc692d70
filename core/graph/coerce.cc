#include "core/ops/coerce.h"

#include <algorithm>
#include <optional>

#include "core/function/cast.h"
#include "core/ops/literal_dtype.h"
#include "core/ops/parts.h"
#include "core/ops/row_splits.h"
#include "core/ops/rows.h"

namespace signet {
namespace {

bool IsNest(const TypeSpec& spec) {
  return spec.is(TypeKind::kList) || spec.is(TypeKind::kTuple) || spec.is(TypeKind::kDict) ||
         spec.is(TypeKind::kNamedTuple);
}

// Of a tensor or ragged type; else nothing.
std::optional<DType> ElementDType(const TypeSpec& spec) {
  if (const auto* tensor = spec.As<TensorSpec>()) return tensor->dtype();
  if (const auto* ragged = spec.As<RaggedSpec>()) return ragged->dtype();
  return std::nullopt;
}

int RaggedRank(const TypeSpec& spec) {
  const auto* ragged = spec.As<RaggedSpec>();
  return ragged == nullptr ? 0 : ragged->ragged_rank();
}

TypeSpec ScalarType(DType dtype) { return TensorType(dtype, PartialShape(Shape{})); }

// Text, booleans and numbers do not join.
int GroupOf(DType dtype) { return dtype == DType::kString ? 2 : dtype == DType::kBool ? 1 : 0; }

// The ragged type above two tensor or ragged types of one dtype and rank; null when there is none.
TypeSpec JoinRagged(const TypeSpec& a, const TypeSpec& b) {
  auto dtype = ElementDType(a);
  if (!dtype || dtype != ElementDType(b)) return {};
  if (!a.shape()->has_rank() || !b.shape()->has_rank() || a.shape()->rank() != b.shape()->rank()) {
    return {};
  }
  int ragged_rank = std::max(RaggedRank(a), RaggedRank(b));
  if (ragged_rank == 0) return {};
  auto made = MakeRaggedType(*dtype, a.shape()->MostSpecificCommonSupertype(*b.shape()),
                             ragged_rank, DType::kInt64);
  return made.ok() ? *made : TypeSpec();
}

TypeSpec JoinTwo(const TypeSpec& a, const TypeSpec& b) {
  if (TypeSpec joined = MostSpecificCommonSupertype(a, b)) return joined;
  const bool a_plain = a.is(TypeKind::kLiteral) && !IsNone(a);
  const bool b_plain = b.is(TypeKind::kLiteral) && !IsNone(b);
  if (a_plain && b_plain) {
    if (GroupOf(DefaultDType(a)) != GroupOf(DefaultDType(b))) return {};
    const TypeSpec both[] = {a, b};
    return ScalarType(JoinedDType(both));
  }
  if (a_plain && b.is(TypeKind::kTensor)) return JoinTwo(ScalarType(*ElementDType(b)), b);
  if (b_plain && a.is(TypeKind::kTensor)) return JoinTwo(a, ScalarType(*ElementDType(a)));
  if (IsNest(a) && a.kind() == b.kind() && a.rep().EqualFixed(b.rep()) &&
      a.children().size() == b.children().size()) {
    std::vector<TypeSpec> children;
    for (size_t i = 0; i < a.children().size(); ++i) {
      children.push_back(JoinTwo(a.children()[i], b.children()[i]));
      if (!children.back()) return {};
    }
    auto joined = a.rep().Rebuild(PartialShape(), std::move(children));
    return joined.ok() ? *joined : TypeSpec();
  }
  return JoinRagged(a, b);
}

}  // namespace

StatusOr<TypeSpec> JoinValueTypes(std::span<const TypeSpec> types) {
  TypeSpec joined = types[0];
  for (const TypeSpec& type : types.subspan(1)) {
    TypeSpec both = JoinTwo(joined, type);
    if (!both) {
      return InvalidArgument("`", joined, "` and `", type,
                             "` have no type in common; takes values of one kind, dtype and form");
    }
    joined = std::move(both);
  }
  return joined;
}

StatusOr<GraphValue> CoerceTo(Expander& expander, const GraphValue& value, const TypeSpec& type) {
  if (IsSubtype(value.spec, type)) return GraphValue{type, value.components};
  if (IsPlain(value.spec) && type.is(TypeKind::kTensor)) {
    const auto& tensor = *type.As<TensorSpec>();
    SIGNET_ASSIGN_OR_RETURN(Value cast, CastTo(Value::Trusted(value.spec, {}),
                                               TensorType(tensor.dtype(), PartialShape())));
    return GraphValue{type, expander.Constant(cast).components};
  }
  if (IsNest(type) && value.spec.kind() == type.kind() &&
      value.spec.children().size() == type.children().size()) {
    std::vector<GraphValue> children;
    for (size_t i = 0; i < type.children().size(); ++i) {
      SIGNET_ASSIGN_OR_RETURN(GraphValue child,
                              CoerceTo(expander, ChildOf(value, i), type.children()[i]));
      children.push_back(std::move(child));
    }
    return Joined(type, children);
  }
  if (type.is(TypeKind::kRagged) && ElementDType(value.spec) == ElementDType(type)) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue ragged, AsRagged(expander, value, RaggedRank(type)));
    for (size_t i = 1; i < ragged.components.size(); ++i) {
      SIGNET_ASSIGN_OR_RETURN(GraphValue splits, Int64Splits(expander, ComponentOf(ragged, i)));
      ragged.components[i] = splits.components[0];
    }
    return GraphValue{type, ragged.components};
  }
  return Internal("`", value.spec, "` is no value of `", type, "`");
}

}  // namespace signet
