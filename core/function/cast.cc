#include "core/function/cast.h"

#include <optional>
#include <string>
#include <vector>

#include "core/function/plain_tensor.h"
#include "core/types/child_path.h"
#include "core/types/literal_spec.h"
#include "core/types/ragged_spec.h"
#include "core/types/sequence_spec.h"
#include "core/types/sparse_spec.h"
#include "core/types/tensor_spec.h"

namespace signet {
namespace {

// The type of a value may be as long as the value, so only its beginning is shown.
std::string Shown(const TypeSpec& spec) { return Cat("`", Printable(spec.ToString()), "`"); }

Status Mismatch(std::string_view reason, const TypeSpec& found, const TypeSpec& wanted) {
  return Refuse(reason, Shown(found), "; takes `", wanted, "`");
}

std::optional<DType> DTypeIn(const TypeSpec& spec) {
  if (const auto* tensor = spec.As<TensorSpec>()) return tensor->dtype();
  if (const auto* ragged = spec.As<RaggedSpec>()) return ragged->dtype();
  if (const auto* sparse = spec.As<SparseSpec>()) return sparse->dtype();
  return std::nullopt;
}

// Why `found` is not below `wanted`.
Status NotBelow(const TypeSpec& found, const TypeSpec& wanted) {
  if (wanted.is(TypeKind::kAny)) return Mismatch("TYPE_MISMATCH", found, wanted);
  if (found.kind() != wanted.kind()) return Mismatch("STRUCTURE_MISMATCH", found, wanted);
  if (DTypeIn(found) != DTypeIn(wanted)) return Mismatch("DTYPE_MISMATCH", found, wanted);
  if (!found.rep().FixedBelow(wanted.rep()) ||
      found.children().size() != wanted.children().size()) {
    return Mismatch(found.is(TypeKind::kTensor) ? "TYPE_MISMATCH" : "STRUCTURE_MISMATCH", found,
                    wanted);
  }
  if (found.shape() != nullptr && !found.shape()->IsSubtypeOf(*wanted.shape())) {
    return Mismatch("SHAPE_MISMATCH", found, wanted);
  }
  for (size_t i = 0; i < found.children().size(); ++i) {
    if (IsSubtype(found.children()[i], wanted.children()[i])) continue;
    return WithField(ChildStep(wanted, i), NotBelow(found.children()[i], wanted.children()[i]));
  }
  return Mismatch("TYPE_MISMATCH", found, wanted);
}

StatusOr<Value> Cast(const Value& value, const TypeSpec& constraint);

// A value whose type must be below the constraint, as it is or with the sizes at hand filled in.
StatusOr<Value> CheckBelow(const Value& value, const TypeSpec& constraint) {
  if (!value.is_placeholder() && value.components().size() == value.spec().num_components()) {
    TypeSpec exact = ExactSpecOf(value);
    if (IsSubtype(exact, constraint)) {
      return Value::Trusted(std::move(exact),
                            Components(value.components().begin(), value.components().end()));
    }
  }
  return NotBelow(value.spec(), constraint);
}

bool IsPlain(const Value& value) {
  return !value.is_placeholder() &&
         (value.spec().is(TypeKind::kLiteral) || IsSequence(value.spec()));
}

bool IsNest(const TypeSpec& spec) {
  return spec.is(TypeKind::kDict) || spec.is(TypeKind::kNamedTuple) || IsSequence(spec);
}

StatusOr<Value> CastToTensor(const Value& value, const TypeSpec& constraint) {
  if (IsPlain(value)) {
    SIGNET_ASSIGN_OR_RETURN(Tensor tensor,
                            PlainTensor(value.spec(), constraint.As<TensorSpec>()->dtype()));
    TypeSpec made = tensor.spec();
    if (!IsSubtype(made, constraint)) return NotBelow(made, constraint);
    return Value(std::move(tensor));
  }
  if (IsNest(value.spec()) && !value.is_placeholder()) {
    return Refuse("NOT_CONVERTIBLE", Shown(value.spec()), " has no tensor form; takes `",
                  constraint, "`");
  }
  return CheckBelow(value, constraint);
}

// Containers and extension values: child by child.
StatusOr<Value> CastChildren(const Value& value, const TypeSpec& constraint) {
  const TypeSpec& spec = value.spec();
  if (spec.kind() != constraint.kind() || !spec.rep().EqualFixed(constraint.rep()) ||
      spec.children().size() != constraint.children().size()) {
    return Mismatch("STRUCTURE_MISMATCH", spec, constraint);
  }
  std::vector<Value> children = ChildrenOf(value);
  for (size_t i = 0; i < children.size(); ++i) {
    auto child = Cast(children[i], constraint.children()[i]);
    if (!child.ok()) return WithField(ChildStep(constraint, i), child.status());
    children[i] = *std::move(child);
  }
  return WithChildren(spec, children);
}

StatusOr<Value> Cast(const Value& value, const TypeSpec& constraint) {
  if (IsSubtype(value.spec(), constraint)) {
    return value.is_placeholder() ? Value::OfType(constraint) : value;
  }
  switch (constraint.kind()) {
    case TypeKind::kTensor:
      return CastToTensor(value, constraint);
    case TypeKind::kLiteral:
      return Mismatch("LITERAL_MISMATCH", value.spec(), constraint);
    case TypeKind::kList:
    case TypeKind::kTuple:
    case TypeKind::kDict:
    case TypeKind::kNamedTuple:
    case TypeKind::kExtension:
      return CastChildren(value, constraint);
    case TypeKind::kRagged:
    case TypeKind::kSparse:
    case TypeKind::kStructured:
    case TypeKind::kAny:
      return CheckBelow(value, constraint);
  }
  __builtin_unreachable();
}

}  // namespace

StatusOr<Value> CastTo(Value value, const TypeSpec& constraint, std::string_view path) {
  if (!value.is_placeholder() && IsSubtype(value.spec(), constraint)) return value;
  auto cast = Cast(value, constraint);
  if (cast.ok()) return cast;
  Status status = cast.status();
  if (!path.empty()) status = WithField(path, std::move(status));
  std::string field = FieldOf(status);
  if (field.empty()) return status;
  return At(Cat(path.empty() ? "`" : "argument `", Printable(field), "`"), std::move(status));
}

}  // namespace signet
