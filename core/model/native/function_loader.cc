#include "core/model/native/function_loader.h"

#include <utility>

#include "core/formats/signet_wire/wire.h"
#include "core/graph/body/verify.h"
#include "core/model/dimension_checks.h"
#include "core/model/native/attribute_value.h"

namespace signet {
namespace {

StatusOr<Signature> ReadSignature(const v1::Function& proto, const Captures& captures,
                                  const Limits& limits) {
  bool has_parts = proto.has_type() || proto.defaults_size() > 0 ||
                   proto.default_captures_size() > 0 || proto.dimension_names_size() > 0;
  if (proto.signature().empty() && !proto.has_type()) {
    return InvalidArgument("missing signature; write `signature`, or `type` and `defaults`");
  }
  if (!proto.signature().empty() && has_parts) {
    return InvalidArgument("`signature` excludes `type` and `defaults`; write one or the other");
  }
  Signature out;
  if (!proto.signature().empty()) return ParseSignatureOf(proto.name(), proto.signature());
  auto type = wire::FunctionTypeFromProto(proto.type(), limits);
  if (!type.ok()) return At("type", type.status());
  out.type = *std::move(type);
  for (const auto& [name, value] : proto.defaults()) {
    auto read = wire::ValueFromProto(value, limits);
    if (!read.ok()) return At(Cat("default of `", Printable(name), "`"), read.status());
    out.defaults.emplace(name, *std::move(read));
  }
  for (const auto& [name, capture] : proto.default_captures()) {
    std::string where = Cat("default of `", Printable(name), "`");
    auto found = captures.find(capture);
    if (found == captures.end()) {
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

StatusOr<StatedAttribute> ReadAttribute(const v1::Attribute& proto) {
  if (proto.value_case() == v1::Attribute::kFrom) return FromValue{proto.from()};
  if (proto.value_case() == v1::Attribute::kFunction) return NamedFunction{proto.function()};
  SIGNET_ASSIGN_OR_RETURN(TypeSpec value, AttributeFromProto(proto));
  return value;
}

StatusOr<StatedNode> ReadNode(const v1::Node& proto) {
  StatedNode node{.name = proto.name(),
                  .op = proto.op(),
                  .inputs = {proto.inputs().begin(), proto.inputs().end()},
                  .attributes = {}};
  for (const auto& [name, attribute] : proto.attributes()) {
    auto value = ReadAttribute(attribute);
    if (!value.ok()) return At(Cat("attribute `", Printable(name), "`"), value.status());
    node.attributes.emplace(name, *std::move(value));
  }
  return node;
}

}  // namespace

StatusOr<FunctionDef> LoadFunction(const v1::Function& proto, const ModelScope& model,
                                   const Limits& limits) {
  SIGNET_ASSIGN_OR_RETURN(Signature signature, ReadSignature(proto, model.captures, limits));
  SIGNET_RETURN_IF_ERROR(CheckNumberOfNodes(static_cast<size_t>(proto.nodes_size())));
  StatedFunction function{
      .name = proto.name(),
      .doc = proto.doc(),
      .signature = std::move(signature),
      .parameter_docs = {proto.parameter_docs().begin(), proto.parameter_docs().end()},
      .examples = {proto.examples().begin(), proto.examples().end()},
      .nodes = {},
      .result = proto.result()};
  function.nodes.reserve(static_cast<size_t>(proto.nodes_size()));
  for (int i = 0; i < proto.nodes_size(); ++i) {
    auto node = ReadNode(proto.nodes(i));
    if (!node.ok()) {
      return At(PlaceOfNode(proto.nodes(i).name(), static_cast<size_t>(i)), node.status());
    }
    function.nodes.push_back(*std::move(node));
  }
  return MakeFunction(std::move(function), model);
}

}  // namespace signet
