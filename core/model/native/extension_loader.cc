#include "core/model/native/extension_loader.h"

#include <utility>

#include "core/formats/signet_wire/wire.h"
#include "core/model/extension_type_def.h"
#include "core/model/native/attribute_value.h"

namespace signet {
namespace {

StatusOr<TypeSpec> ReadType(const v1::TypeSpec& proto, const Limits& limits) {
  SIGNET_ASSIGN_OR_RETURN(TypeSpec type, wire::TypeFromProto(proto, limits));
  return WithoutTensorNames(type);
}

Status ReadComponent(const v1::NamedTypeSpec& proto, const Limits& limits,
                     ExtensionDeclaration& declaration) {
  TypeSpec type;
  const std::string& text = proto.type().text();
  if (TypeTemplate::HasPlaces(text)) {
    SIGNET_ASSIGN_OR_RETURN(TypeTemplate written,
                            TypeTemplate::Parse(text, declaration.attributes));
    declaration.templates.emplace_back(proto.name(), std::move(written));
  } else if (proto.has_type()) {
    SIGNET_ASSIGN_OR_RETURN(type, ReadType(proto.type(), limits));
  }
  declaration.components.emplace_back(proto.name(), std::move(type));
  return absl::OkStatus();
}

OpFamily FamilyOf(v1::Override::Family family) {
  switch (family) {
    case v1::Override::UNARY_ELEMENTWISE:
      return OpFamily::kUnaryElementwise;
    case v1::Override::BINARY_ELEMENTWISE:
      return OpFamily::kBinaryElementwise;
    case v1::Override::REDUCTION:
      return OpFamily::kReduction;
    default:  // a value that a later version may define
      return OpFamily::kNone;
  }
}

Status ReadFunctionsOf(const v1::ExtensionType& proto, const Limits& limits,
                       ExtensionTypeDef& out) {
  ExtensionFunctions& functions = out.functions;
  functions.invariants.assign(proto.invariants().begin(), proto.invariants().end());
  for (const v1::Override& override : proto.overrides()) {
    functions.overrides.push_back({.op = override.op(),
                                   .family = FamilyOf(override.family()),
                                   .function = override.function(),
                                   .inputs = {override.inputs().begin(), override.inputs().end()}});
  }
  for (int i = 0; i < proto.older_size(); ++i) {
    auto older = ReadType(proto.older(i), limits);
    if (!older.ok()) return At(Cat("older ", i), older.status());
    out.declaration.older.push_back(*std::move(older));
  }
  for (int i = 0; i < proto.conversions_size(); ++i) {
    auto from = ReadType(proto.conversions(i).from(), limits);
    if (!from.ok()) return At(Cat("conversion ", i), from.status());
    functions.conversions.push_back({*std::move(from), proto.conversions(i).function()});
  }
  return AddOlderTypes(out);
}

StatusOr<ExtensionTypeDef> ReadExtensionType(const v1::ExtensionType& proto, const Limits& limits) {
  ExtensionTypeDef out;
  out.doc = proto.doc();
  ExtensionDeclaration& declaration = out.declaration;
  declaration.name = proto.name();
  declaration.parent = proto.parent();
  declaration.attributes.assign(proto.statics().begin(), proto.statics().end());
  declaration.batches = proto.batching() == v1::ExtensionType::BY_COMPONENT;
  for (const v1::NamedTypeSpec& component : proto.components()) {
    SIGNET_RETURN_IF_ERROR(At(Cat("component `", Printable(component.name()), "`"),
                              ReadComponent(component, limits, declaration)));
  }
  SIGNET_RETURN_IF_ERROR(ReadFunctionsOf(proto, limits, out));
  return out;
}

}  // namespace

StatusOr<std::vector<ExtensionTypeDef>> ReadExtensionTypes(const v1::Model& proto,
                                                           const Limits& limits) {
  std::vector<ExtensionTypeDef> types;
  for (const v1::ExtensionType& type : proto.extension_types()) {
    auto read = ReadExtensionType(type, limits);
    if (!read.ok()) return At(PlaceOfType(type.name()), read.status());
    types.push_back(*std::move(read));
  }
  return types;
}

}  // namespace signet
