#include "core/model/native/attribute_value.h"

#include <vector>

#include "core/ops/def/attribute_list.h"
#include "signet/attributes.h"
#include "signet/dtype.h"
#include "signet/extension_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

StatusOr<TypeSpec> StaticAttribute(std::string_view text) {
  SIGNET_ASSIGN_OR_RETURN(TypeSpec spec, ParseTypeSpec(text));
  if (IsStatic(spec)) return spec;
  return InvalidArgument("expected plain values or nests of them, found `", Printable(text), "`");
}

}  // namespace

StatusOr<TypeSpec> ParsePlainType(std::string_view text, const TypesByName* types) {
  NotationReader reader(text, types);
  SIGNET_ASSIGN_OR_RETURN(TypeSpec spec, reader.ReadType());
  SIGNET_RETURN_IF_ERROR(reader.ExpectEnd());
  return WithoutTensorNames(spec);
}

StatusOr<TypeSpec> TypeAttributeOf(std::string_view text) {
  if (LookupDType(text)) return AttributeOf(text);
  return ParsePlainType(text);
}

StatusOr<TypeSpec> AttributeFromProto(const v1::Attribute& proto) {
  switch (proto.value_case()) {
    case v1::Attribute::kBool:
      return AttributeOf(proto.bool_());
    case v1::Attribute::kInt:
      return AttributeOf(int64_t{proto.int_()});
    case v1::Attribute::kFloat:
      return AttributeOf(proto.float_());
    case v1::Attribute::kString:
      return AttributeOf(proto.string());
    case v1::Attribute::kInts: {
      std::vector<int64_t> values(proto.ints().values().begin(), proto.ints().values().end());
      return AttributeOf(values);
    }
    case v1::Attribute::kFloats:
      return AttributeListOf(proto.floats().values());
    case v1::Attribute::kStrings:
      return AttributeListOf(proto.strings().values());
    case v1::Attribute::kType:
      return TypeAttributeOf(proto.type());
    case v1::Attribute::kFunction:
      return AttributeOf(proto.function());
    case v1::Attribute::kLiteral:
      return StaticAttribute(proto.literal());
    case v1::Attribute::kFrom:
    case v1::Attribute::VALUE_NOT_SET:
      break;
  }
  return InvalidArgument(
      "missing value; write one of bool, int, float, string, ints, floats, strings, type, "
      "function, from, literal");
}

StatusOr<TypeSpec> WithoutTensorNames(const TypeSpec& spec) {
  if (const auto* tensor = spec.As<TensorSpec>()) {
    return tensor->name().empty() ? spec : TensorType(tensor->dtype(), tensor->shape());
  }
  bool changed = false;
  std::vector<TypeSpec> children;
  for (const TypeSpec& child : spec.children()) {
    SIGNET_ASSIGN_OR_RETURN(TypeSpec plain, WithoutTensorNames(child));
    changed = changed || plain != child;
    children.push_back(std::move(plain));
  }
  if (!changed) return spec;
  return spec.rep().Rebuild(spec.shape() != nullptr ? *spec.shape() : PartialShape(),
                            std::move(children));
}

}  // namespace signet
