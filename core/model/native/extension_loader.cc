#include "core/model/native/extension_loader.h"

#include <algorithm>
#include <map>
#include <utility>

#include <absl/container/flat_hash_set.h>

#include "core/formats/signet_wire/wire.h"
#include "core/graph/body/dependency_order.h"
#include "core/model/native/attribute_value.h"
#include "core/ops/catalog.h"
#include "signet/extension_spec.h"

namespace signet {
namespace {

constexpr int kMaxOverrides = 1024;  // of one type; also the limit of invariants and conversions
constexpr std::string_view kInputKinds[] = {"tensor",     "ragged",  "sparse",
                                            "structured", "literal", "any"};

std::string WhereIsType(const std::string& name) {
  return Cat("extension type `", Printable(name), "`");
}

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
  int most = std::max({proto.invariants_size(), proto.overrides_size(), proto.conversions_size(),
                       proto.older_size()});
  if (most > kMaxOverrides) {
    return InvalidArgument(most, " functions of one kind exceed the limit of ", kMaxOverrides);
  }
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
    const auto* form = older->As<ExtensionSpec>();
    if (form == nullptr || form->name() != proto.name()) {
      return At(Cat("older ", i), InvalidArgument("expected a type with the name `", proto.name(),
                                                  "`, found `", *older, "`"));
    }
    out.declaration.older.push_back(*std::move(older));
  }
  for (int i = 0; i < proto.conversions_size(); ++i) {
    const v1::Conversion& conversion = proto.conversions(i);
    auto from = ReadType(conversion.from(), limits);
    if (!from.ok()) return At(Cat("conversion ", i), from.status());
    const auto* form = from->As<ExtensionSpec>();
    bool own = form != nullptr && form->name() == proto.name() && !from->children().empty();
    const std::vector<TypeSpec>& known = out.declaration.older;
    own = own && std::find(known.begin(), known.end(), *from) == known.end();
    if (own && !CheckCurrentForm(*form, out.declaration).ok()) {
      out.declaration.older.push_back(*from);
    }
    functions.conversions.push_back({*std::move(from), conversion.function()});
  }
  return absl::OkStatus();
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

// The names of the functions of a model.
using FunctionNames = absl::flat_hash_set<std::string>;

Status CheckFunction(const std::string& name, const FunctionNames& functions) {
  if (functions.contains(name)) return absl::OkStatus();
  return NotFound("function `", Printable(name),
                  "` not found; functions: ", ListNames({functions.begin(), functions.end()}));
}

Status CheckOverride(const OverrideDef& override, const FunctionNames& functions,
                     const TypeRegistry& registry) {
  if (override.op.empty() && override.family == OpFamily::kNone) {
    return InvalidArgument("expected `op` or `family`, found neither");
  }
  if (!override.op.empty()) {
    SIGNET_ASSIGN_OR_RETURN(const OpDef* op, BuiltinOps().FindCallable(override.op));
    if (op->any_type || op->control != Control::kNone) {
      return InvalidArgument(
          "`", op->name, "` cannot be overridden, because it accepts values of any type unchanged");
    }
  }
  for (const std::string& input : override.inputs) {
    bool kind =
        std::find(std::begin(kInputKinds), std::end(kInputKinds), input) != std::end(kInputKinds);
    if (!kind && !registry.Find(input).ok()) {
      return NotFound("kind of input or extension type `", Printable(input),
                      "` not found; kinds: ", Join(kInputKinds, ", "),
                      "; types: ", ListNames(registry.Names()));
    }
  }
  return CheckFunction(override.function, functions);
}

Status CheckFunctionsOf(const ExtensionFunctions& functions, const FunctionNames& names,
                        const TypeRegistry& registry) {
  for (const std::string& invariant : functions.invariants) {
    SIGNET_RETURN_IF_ERROR(At("invariant", CheckFunction(invariant, names)));
  }
  for (size_t i = 0; i < functions.overrides.size(); ++i) {
    const OverrideDef& override = functions.overrides[i];
    std::string what = override.op.empty() ? std::string(NameOf(override.family))
                                           : Cat("`", Printable(override.op), "`");
    SIGNET_RETURN_IF_ERROR(
        At(Cat("override ", i, ", of ", what), CheckOverride(override, names, registry)));
  }
  for (size_t i = 0; i < functions.conversions.size(); ++i) {
    SIGNET_RETURN_IF_ERROR(
        At(Cat("conversion ", i), CheckFunction(functions.conversions[i].function, names)));
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::vector<ExtensionTypeDef>> ReadExtensionTypes(const v1::Model& proto,
                                                           const Limits& limits,
                                                           TypeRegistry& registry) {
  std::vector<ExtensionTypeDef> types;
  for (const v1::ExtensionType& type : proto.extension_types()) {
    auto read = ReadExtensionType(type, limits);
    if (!read.ok()) return At(WhereIsType(type.name()), read.status());
    types.push_back(*std::move(read));
  }
  std::map<std::string, int> indices;
  for (size_t i = 0; i < types.size(); ++i) {
    const std::string& name = types[i].declaration.name;
    if (!indices.emplace(name, static_cast<int>(i)).second) {
      return At(WhereIsType(name), InvalidArgument("duplicate name of an extension type"));
    }
  }
  std::vector<std::vector<int>> parents(types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    auto parent = indices.find(types[i].declaration.parent);
    if (parent != indices.end()) parents[i].push_back(parent->second);
  }
  DependencyOrder sorted = OrderByDependencies(parents);
  if (!sorted.cycle.empty()) {
    const auto& first = types[static_cast<size_t>(sorted.cycle[0])];
    return At(
        WhereIsType(first.declaration.name),
        InvalidArgument("expected a parent that does not derive from this type, found a cycle"));
  }
  std::vector<ExtensionTypeDef> in_order;
  for (int i : sorted.order) {
    in_order.push_back(std::move(types[static_cast<size_t>(i)]));
    const ExtensionDeclaration& declaration = in_order.back().declaration;
    SIGNET_RETURN_IF_ERROR(At(WhereIsType(declaration.name), registry.Register(declaration)));
  }
  return in_order;
}

Status CheckExtensionFunctions(const std::vector<ExtensionTypeDef>& types,
                               const std::vector<FunctionDef>& functions,
                               const TypeRegistry& registry) {
  FunctionNames names;
  for (const FunctionDef& function : functions) names.insert(function.name);
  for (const ExtensionTypeDef& type : types) {
    SIGNET_RETURN_IF_ERROR(
        At(WhereIsType(type.declaration.name), CheckFunctionsOf(type.functions, names, registry)));
  }
  return absl::OkStatus();
}

}  // namespace signet
