#include <span>

#include "core/formats/signet_wire/wire.h"
#include "core/formats/signet_wire/wire_type_reader.h"
#include "signet/extension_spec.h"
#include "signet/literal_spec.h"
#include "signet/ragged_spec.h"
#include "signet/sparse_spec.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"

namespace signet::wire {
namespace {

void FillShape(const PartialShape& shape, v1::Shape& out) {
  if (!shape.has_rank()) {
    out.set_unknown_rank(true);
    return;
  }
  for (int64_t dim : shape.dims()) out.add_dims(dim);
}

v1::DType ToProto(DType dtype) { return static_cast<v1::DType>(dtype); }

void FillLiteral(const Literal& literal, v1::Literal& out) {
  switch (literal.kind()) {
    case Literal::Kind::kNone:
      return;
    case Literal::Kind::kBool:
      return out.set_bool_(literal.bool_value());
    case Literal::Kind::kInt:
      if (auto number = literal.AsInt64()) return out.set_int_(*number);
      return out.set_uint(static_cast<uint64_t>(literal.int_value()));
    case Literal::Kind::kFloat:
      return out.set_float_(literal.float_value());
    case Literal::Kind::kString:
      return out.set_string(literal.string_value());
  }
}

// Protobuf clients parse at most 100 nested messages. A level of a type uses up to 3 of them, and a
// response up to 6 around the type. Types with more levels are sent as text.
constexpr int kMaxLevels = 28;

void FillType(const TypeSpec& spec, v1::TypeSpec& out, int level = 1);

template <class Fields>
void FillFields(std::span<const std::string> names, std::span<const TypeSpec> types, int level,
                Fields& out) {
  for (size_t i = 0; i < names.size(); ++i) {
    auto* field = out.Add();
    field->set_name(names[i]);
    FillType(types[i], *field->mutable_type(), level);
  }
}

template <class Proto>
void FillDefault(const TypeSpecRep& type, Proto& out, int level) {
  const TypeSpec& value = type.notes().default_value;
  if (value) FillType(value, *out.mutable_default_value(), level);
}

void FillType(const TypeSpec& spec, v1::TypeSpec& out, int level) {
  if (level > kMaxLevels) return out.set_text(spec.ToString());
  const int inner = level + 1;
  switch (spec.kind()) {
    case TypeKind::kTensor: {
      const auto& tensor = *spec.As<TensorSpec>();
      if (!tensor.name().empty()) return out.set_text(spec.ToString());
      out.mutable_tensor()->set_dtype(ToProto(tensor.dtype()));
      FillDefault(tensor, *out.mutable_tensor(), inner);
      return FillShape(tensor.shape(), *out.mutable_tensor()->mutable_shape());
    }
    case TypeKind::kRagged: {
      const auto& ragged = *spec.As<RaggedSpec>();
      out.mutable_ragged()->set_dtype(ToProto(ragged.dtype()));
      FillDefault(ragged, *out.mutable_ragged(), inner);
      out.mutable_ragged()->set_ragged_rank(ragged.ragged_rank());
      out.mutable_ragged()->set_row_splits_dtype(ToProto(ragged.splits_dtype()));
      return FillShape(ragged.shape(), *out.mutable_ragged()->mutable_shape());
    }
    case TypeKind::kSparse:
      out.mutable_sparse()->set_dtype(ToProto(spec.As<SparseSpec>()->dtype()));
      return FillShape(*spec.shape(), *out.mutable_sparse()->mutable_shape());
    case TypeKind::kStructured: {
      FillShape(*spec.shape(), *out.mutable_structured()->mutable_shape());
      auto names = spec.As<StructuredSpec>()->field_names();
      for (size_t i = 0; i < names.size(); ++i) {
        FillType(spec.children()[i], (*out.mutable_structured()->mutable_fields())[names[i]],
                 inner);
        if (spec.rep().IsOptionalChild(i)) out.mutable_structured()->add_optional_fields(names[i]);
      }
      for (uint32_t i : spec.rep().notes().order) {
        out.mutable_structured()->add_field_order(names[i]);
      }
      return;
    }
    case TypeKind::kLiteral:
      return FillLiteral(spec.As<LiteralSpec>()->literal(), *out.mutable_literal());
    case TypeKind::kList:
    case TypeKind::kTuple: {
      auto& sequence = spec.is(TypeKind::kList) ? *out.mutable_list() : *out.mutable_tuple();
      for (const TypeSpec& element : spec.children())
        FillType(element, *sequence.add_elements(), inner);
      return;
    }
    case TypeKind::kDict: {
      auto keys = spec.As<DictSpec>()->keys();
      auto& items = *out.mutable_dict()->mutable_items();
      for (size_t i = 0; i < keys.size(); ++i) FillType(spec.children()[i], items[keys[i]], inner);
      for (uint32_t i : spec.rep().notes().order) out.mutable_dict()->add_key_order(keys[i]);
      return;
    }
    case TypeKind::kNamedTuple: {
      const auto& tuple = *spec.As<NamedTupleSpec>();
      out.mutable_named_tuple()->set_name(tuple.name());
      out.mutable_named_tuple()->set_attrs(tuple.style() == NamedTupleSpec::Style::kAttrs);
      return FillFields(tuple.field_names(), spec.children(), inner,
                        *out.mutable_named_tuple()->mutable_fields());
    }
    case TypeKind::kExtension: {
      const auto& extension = *spec.As<ExtensionSpec>();
      auto& proto = *out.mutable_extension();
      proto.set_name(extension.name());
      for (const auto& [name, type] : extension.statics()) {
        FillType(type, (*proto.mutable_statics())[name], inner);
      }
      return FillFields(extension.component_names(), spec.children(), inner,
                        *proto.mutable_components());
    }
    case TypeKind::kAny:
      out.mutable_any();
      if (!spec.children().empty())
        FillType(spec.children()[0], *out.mutable_any()->mutable_base(), inner);
      return;
  }
}

StatusOr<ParameterKind> KindFromProto(v1::Parameter::Kind kind) {
  int number = static_cast<int>(kind);
  if (number < 1 || number > 5)
    return InvalidArgument("parameter kind: expected 1 to 5, found ", number);
  return static_cast<ParameterKind>(number - 1);
}

}  // namespace

StatusOr<TypeSpec> TypeFromProto(const v1::TypeSpec& proto, const Limits& limits) {
  std::string bytes = proto.SerializeAsString();
  Message message = {{std::as_bytes(std::span(bytes))}, nullptr};
  WireSource source(message, limits);
  return ReadType(source, WireCursor(source), 1);
}

v1::TypeSpec TypeToProto(const TypeSpec& spec) {
  v1::TypeSpec proto;
  FillType(spec, proto);
  return proto;
}

StatusOr<FunctionType> CallTypeFromProto(const v1::FunctionType& proto, const Limits& limits) {
  std::vector<Parameter> parameters;
  for (const auto& given : proto.parameters()) {
    std::string where = Cat("parameter `", Printable(given.name()), "`");
    auto kind = KindFromProto(given.kind());
    if (!kind.ok()) return At(where, kind.status());
    Parameter parameter = {given.name(), *kind, given.optional()};
    if (given.has_type()) {
      auto type = TypeFromProto(given.type(), limits);
      if (!type.ok()) return At(where, type.status());
      parameter.type = *std::move(type);
    }
    parameters.push_back(std::move(parameter));
  }
  std::vector<Capture> captures;
  for (const auto& given : proto.captures()) {
    auto type = TypeFromProto(given.type(), limits);
    if (!type.ok()) return At(Cat("capture `", Printable(given.name()), "`"), type.status());
    captures.push_back({given.name(), *std::move(type)});
  }
  TypeSpec output;
  if (proto.has_output()) {
    SIGNET_ASSIGN_OR_RETURN(output, TypeFromProto(proto.output(), limits));
  }
  return FunctionType::MakeUnchecked(std::move(parameters), std::move(captures), std::move(output));
}

StatusOr<FunctionType> FunctionTypeFromProto(const v1::FunctionType& proto, const Limits& limits) {
  SIGNET_ASSIGN_OR_RETURN(FunctionType type, CallTypeFromProto(proto, limits));
  return FunctionType::Make(type.parameters(), type.captures(), type.output());
}

v1::FunctionType FunctionTypeToProto(const FunctionType& type) {
  v1::FunctionType proto;
  for (const Parameter& parameter : type.parameters()) {
    v1::Parameter& out = *proto.add_parameters();
    out.set_name(parameter.name);
    out.set_kind(static_cast<v1::Parameter::Kind>(static_cast<int>(parameter.kind) + 1));
    out.set_optional(parameter.optional);
    if (parameter.type) FillType(parameter.type, *out.mutable_type());
  }
  for (const Capture& capture : type.captures()) {
    v1::Capture& out = *proto.add_captures();
    out.set_name(capture.name);
    FillType(capture.type, *out.mutable_type());
  }
  if (type.output()) FillType(type.output(), *proto.mutable_output());
  return proto;
}

}  // namespace signet::wire
