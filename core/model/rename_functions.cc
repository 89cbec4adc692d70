#include "core/model/rename_functions.h"

#include <utility>

#include "core/graph/body/function_references.h"
#include "signet/cat.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

Status RenameCalls(GraphNode& node, std::string_view prefix) {
  SIGNET_ASSIGN_OR_RETURN(std::vector<FunctionReference> references, FunctionReferences(node));
  std::vector<TypeSpec> listed;
  for (const FunctionReference& reference : references) {
    TypeSpec renamed = AttributeOf(Cat(prefix, reference.name));
    if (NamesFunctions(*node.op, reference.attribute)) {
      listed.push_back(std::move(renamed));
      node.attributes = node.attributes.With(reference.attribute, ListType(listed));
    } else {
      node.attributes = node.attributes.With(reference.attribute, std::move(renamed));
    }
  }
  return absl::OkStatus();
}

}  // namespace

Status AddPrefix(ModelDef& model, std::string_view prefix, std::string_view capture_prefix) {
  if (!model.extension_types.empty()) {
    return Unimplemented("the model declares extension types, so its functions cannot be part of ",
                         "another model");
  }
  for (FunctionDef& def : model.functions) {
    def.name = Cat(prefix, def.name);
    for (GraphNode& node : def.graph.nodes) SIGNET_RETURN_IF_ERROR(RenameCalls(node, prefix));
    for (std::string& capture : def.graph.captures) capture = Cat(capture_prefix, capture);
  }
  Captures captures;
  for (auto& [name, value] : model.captures) {
    captures.emplace(Cat(capture_prefix, name), std::move(value));
  }
  model.captures = std::move(captures);
  return absl::OkStatus();
}

}  // namespace signet
