#include "core/model/native/function_loader.h"

#include <algorithm>
#include <utility>

#include "core/formats/signet_wire/wire.h"
#include "core/function/signature.h"
#include "core/model/native/attribute_value.h"
#include "core/model/native/dimension_checks.h"
#include "core/model/native/graph_builder.h"
#include "signet/extension_spec.h"

namespace signet {
namespace {

StatusOr<Signature> ReadSignature(const v1::Function& proto, const ModelScope& model) {
  bool has_parts = proto.has_type() || proto.defaults_size() > 0 ||
                   proto.default_captures_size() > 0 || proto.dimension_names_size() > 0;
  if (proto.signature().empty() && !proto.has_type()) {
    return InvalidArgument("missing signature; write `signature`, or `type` and `defaults`");
  }
  if (!proto.signature().empty() && has_parts) {
    return InvalidArgument("`signature` excludes `type` and `defaults`; write one or the other");
  }
  Signature out;
  if (!proto.signature().empty()) {
    auto parsed = ParseSignature(proto.signature());
    if (!parsed.ok()) return At("signature", parsed.status());
    if (!parsed->name.empty() && parsed->name != proto.name()) {
      return InvalidArgument("signature: expected the name `", proto.name(),
                             "` or no name, found `", parsed->name, "`");
    }
    return parsed;
  }
  auto type = wire::FunctionTypeFromProto(proto.type(), model.limits);
  if (!type.ok()) return At("type", type.status());
  out.type = *std::move(type);
  for (const auto& [name, value] : proto.defaults()) {
    auto read = wire::ValueFromProto(value, model.limits);
    if (!read.ok()) return At(Cat("default of `", Printable(name), "`"), read.status());
    out.defaults.emplace(name, *std::move(read));
  }
  for (const auto& [name, capture] : proto.default_captures()) {
    std::string where = Cat("default of `", Printable(name), "`");
    auto found = model.captures.find(capture);
    if (found == model.captures.end()) {
      return At(where, NotFound("capture `", Printable(capture), "` not found"));
    }
    auto value = found->second.Get();
    if (!value.ok()) return At(where, value.status());
    if (!out.defaults.emplace(name, *std::move(value)).second) {
      return At(where, InvalidArgument("expected a value or a capture, found both"));
    }
  }
  for (const auto& [parameter, names] : proto.dimension_names()) {
    out.dimension_names[parameter].assign(names.values().begin(), names.values().end());
  }
  SIGNET_RETURN_IF_ERROR(CheckDimensionNames(out.type, out.dimension_names));
  return out;
}

StatusOr<FunctionType> WithoutNames(const FunctionType& type) {
  std::vector<Parameter> parameters = type.parameters();
  for (Parameter& parameter : parameters) {
    if (!parameter.type) continue;
    SIGNET_ASSIGN_OR_RETURN(parameter.type, WithoutTensorNames(parameter.type));
  }
  TypeSpec output = type.output();
  if (output) {
    SIGNET_ASSIGN_OR_RETURN(output, WithoutTensorNames(output));
  }
  return FunctionType::Make(std::move(parameters), type.captures(), std::move(output));
}

// Checks that the model defines all extension types in `spec`.
Status CheckExtensions(const TypeSpec& spec, const TypeRegistry& types) {
  if (spec.is(TypeKind::kExtension)) SIGNET_RETURN_IF_ERROR(types.CheckType(spec));
  for (const TypeSpec& child : spec.children()) {
    SIGNET_RETURN_IF_ERROR(CheckExtensions(child, types));
  }
  return absl::OkStatus();
}

Status CheckType(const FunctionType& type, const ModelScope& model) {
  for (const Parameter& parameter : type.parameters()) {
    if (!parameter.type) continue;
    SIGNET_RETURN_IF_ERROR(
        At(Cat("parameter `", parameter.name, "`"), CheckExtensions(parameter.type, model.types)));
  }
  if (type.output()) {
    SIGNET_RETURN_IF_ERROR(At("output", CheckExtensions(type.output(), model.types)));
  }
  for (const Capture& capture : type.captures()) {
    auto found = model.captures.find(capture.name);
    if (found == model.captures.end()) {
      return NotFound("capture `", Printable(capture.name), "`, which `type` names, not found");
    }
    if (!IsSubtype(found->second.spec(), capture.type)) {
      return InvalidArgument("capture `", Printable(capture.name), "`: expected `", capture.type,
                             "` as in `type`, found `", found->second.spec(), "`");
    }
  }
  return absl::OkStatus();
}

Status CheckDefaults(const FunctionType& type, const Defaults& defaults) {
  for (const Parameter& parameter : type.parameters()) {
    auto found = defaults.find(parameter.name);
    if (parameter.optional && found == defaults.end()) {
      return Refuse("MISSING_DEFAULT", "optional parameter `", parameter.name,
                    "` has no default value");
    }
  }
  for (const auto& [name, value] : defaults) {
    const Parameter* parameter = type.LookupParameter(name);
    if (parameter == nullptr || !parameter->optional) {
      return InvalidArgument("default of `", Printable(name),
                             "`: expected the name of an optional parameter");
    }
  }
  return absl::OkStatus();
}

Status CheckParameterDocs(const FunctionDef& def) {
  for (const auto& [name, doc] : def.parameter_docs) {
    if (def.type.LookupParameter(name) != nullptr) continue;
    std::vector<std::string> names;
    for (const Parameter& parameter : def.type.parameters()) names.push_back(parameter.name);
    return NotFound("parameter_docs: parameter `", Printable(name),
                    "` not found; parameters: ", ListNames(std::move(names)));
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<FunctionDef> LoadFunction(const v1::Function& proto, const ModelScope& model) {
  FunctionDef def;
  def.name = proto.name();
  def.doc = proto.doc();
  SIGNET_ASSIGN_OR_RETURN(Signature signature, ReadSignature(proto, model));
  SIGNET_ASSIGN_OR_RETURN(def.type, WithoutNames(signature.type));
  def.defaults = std::move(signature.defaults);
  SIGNET_RETURN_IF_ERROR(CheckType(def.type, model));
  SIGNET_RETURN_IF_ERROR(CheckDefaults(def.type, def.defaults));
  for (const auto& [name, doc] : proto.parameter_docs()) def.parameter_docs.emplace(name, doc);
  SIGNET_RETURN_IF_ERROR(CheckParameterDocs(def));
  def.examples.assign(proto.examples().begin(), proto.examples().end());
  SIGNET_ASSIGN_OR_RETURN(def.graph, BuildGraph(proto, def.type, model.captures));
  def.dimension_names = std::move(signature.dimension_names);
  AddSizeChecks(def);
  return def;
}

}  // namespace signet
