#include "core/frontends/savedmodel/import/graph_library.h"

namespace signet {

StatusOr<std::unique_ptr<GraphLibrary>> GraphLibrary::Make(const tensorflow::MetaGraphDef& model) {
  std::unique_ptr<GraphLibrary> out(new GraphLibrary(model));
  for (const auto& function : model.graph_def().library().function()) {
    if (!out->functions_.emplace(function.signature().name(), &function).second) {
      return InvalidArgument("duplicate function `", Printable(function.signature().name()), "`");
    }
  }
  SIGNET_ASSIGN_OR_RETURN(out->graph_, NodeGraph::OfGraph(model.graph_def(), out->functions_));
  return out;
}

const tensorflow::FunctionDef* GraphLibrary::Lookup(const std::string& name) const {
  auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : found->second;
}

StatusOr<const NodeGraph*> GraphLibrary::FindBody(const std::string& name) {
  std::unique_ptr<NodeGraph>& body = bodies_[name];
  if (body != nullptr) return body.get();
  const auto* function = Lookup(name);
  if (function == nullptr) return NotFound("function `", Printable(name), "` not found");
  SIGNET_ASSIGN_OR_RETURN(NodeGraph made, NodeGraph::OfFunction(*function, functions_));
  body = std::make_unique<NodeGraph>(std::move(made));
  return body.get();
}

const tensorflow::AttrValue* LookupAttribute(const tensorflow::NodeDef& node,
                                             const std::string& name) {
  auto found = node.attr().find(name);
  return found == node.attr().end() ? nullptr : &found->second;
}

std::string TextAttribute(const tensorflow::NodeDef& node, const std::string& name) {
  const auto* value = LookupAttribute(node, name);
  return value == nullptr ? std::string() : value->s();
}

int64_t IntAttributeOr(const tensorflow::NodeDef& node, const std::string& name,
                       int64_t otherwise) {
  const auto* value = LookupAttribute(node, name);
  return value == nullptr || value->value_case() != tensorflow::AttrValue::kI ? otherwise
                                                                              : value->i();
}

std::string CalledFunction(const GraphLibrary& library, const tensorflow::NodeDef& node) {
  if (node.op() == "PartitionedCall" || node.op() == "StatefulPartitionedCall" ||
      node.op() == "BatchFunction") {
    const auto* function = LookupAttribute(node, "f");
    return function == nullptr ? std::string() : function->func().name();
  }
  return library.Lookup(node.op()) == nullptr ? std::string() : node.op();
}

}  // namespace signet
