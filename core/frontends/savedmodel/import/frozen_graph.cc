#include "core/frontends/savedmodel/import/frozen_graph.h"

#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "core/formats/common/mapped_file.h"
#include "core/formats/protobuf/text_message.h"
#include "core/frontends/savedmodel/import/graph_library.h"
#include "core/frontends/savedmodel/import/graph_message.h"
#include "core/model/model_name.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMaxSettingsBytes = 1 << 20;
constexpr char kSignature[] = "serving_default";

std::string_view TextOf(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

// Returns the dtype of a tensor as far as the attributes of its node state it.
tensorflow::DataType DTypeOf(const tensorflow::NodeDef& node) {
  for (const char* name : {"dtype", "DstT", "out_type", "output_type", "T"}) {
    const auto* value = LookupAttribute(node, name);
    if (value != nullptr && value->value_case() == tensorflow::AttrValue::kType) {
      return value->type();
    }
  }
  return tensorflow::DT_INVALID;
}

bool IsPlaceholder(const tensorflow::NodeDef& node) {
  if (!node.op().starts_with("Placeholder")) return false;
  const tensorflow::DataType dtype = DTypeOf(node);
  return dtype != tensorflow::DT_RESOURCE && dtype != tensorflow::DT_VARIANT;
}

// Returns the name of the node in `node`, `node:1`, or `^node`.
std::string_view NodeOf(std::string_view reference) {
  if (reference.starts_with('^')) return reference.substr(1);
  return reference.substr(0, reference.find(':'));
}

bool InitializesTable(std::string_view op) {
  return op.starts_with("InitializeTable") || op.starts_with("LookupTableImport");
}

// Returns true if the value of a node that no other node uses is a result of the graph.
bool IsResult(const tensorflow::NodeDef& node) {
  const std::string_view op = node.op();
  for (std::string_view other : {"Assert", "Const", "ControlTrigger", "MergeV2Checkpoints", "NoOp",
                                 "Print", "PrintV2", "SaveV2"}) {
    if (op == other) return false;
  }
  return !op.starts_with("Placeholder") && !op.starts_with("Assign") && !InitializesTable(op);
}

void AddTensors(const google::protobuf::Map<std::string, std::string>& names,
                const std::map<std::string, const tensorflow::NodeDef*, std::less<>>& nodes,
                google::protobuf::Map<std::string, tensorflow::TensorInfo>& out) {
  for (const auto& [key, tensor] : names) {
    tensorflow::TensorInfo& info = out[key];
    info.set_name(tensor);
    auto node = nodes.find(NodeOf(tensor));
    if (node != nodes.end()) info.set_dtype(DTypeOf(*node->second));
  }
}

void AddSignature(const v1::FrozenGraph& names, tensorflow::MetaGraphDef& model) {
  std::map<std::string, const tensorflow::NodeDef*, std::less<>> nodes;
  std::set<std::string_view> used;
  for (const tensorflow::NodeDef& node : model.graph_def().node()) {
    nodes.emplace(node.name(), &node);
    for (const std::string& input : node.input()) used.insert(NodeOf(input));
    if (InitializesTable(node.op())) {
      (*model.mutable_collection_def())["table_initializer"].mutable_node_list()->add_value(
          node.name());
    }
  }
  v1::FrozenGraph found;
  for (const tensorflow::NodeDef& node : model.graph_def().node()) {
    const std::string tensor = Cat(node.name(), ":0");
    if (IsPlaceholder(node)) {
      (*found.mutable_inputs())[node.name()] = tensor;
    } else if (IsResult(node) && !used.contains(node.name())) {
      (*found.mutable_outputs())[node.name()] = tensor;
    }
  }
  tensorflow::SignatureDef& signature = (*model.mutable_signature_def())[kSignature];
  signature.set_method_name("tensorflow/serving/predict");
  AddTensors(names.inputs().empty() ? found.inputs() : names.inputs(), nodes,
             *signature.mutable_inputs());
  AddTensors(names.outputs().empty() ? found.outputs() : names.outputs(), nodes,
             *signature.mutable_outputs());
}

}  // namespace

bool IsFrozenGraphFile(const fs::path& path) {
  return path.extension() == ".pb" && path.filename() != kSavedModelFile &&
         path.filename() != "model.pb";
}

StatusOr<v1::FrozenGraph> ReadFrozenGraphNames(const fs::path& file) {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(file, error).parent_path();
  for (const fs::path& place : {folder, folder.parent_path()}) {
    const fs::path path = place / kSettingsFile;
    if (!fs::is_regular_file(path, error)) continue;
    v1::ModelSettings settings;
    auto read = [&]() -> Status {
      if (fs::file_size(path, error) > kMaxSettingsBytes) {
        return ResourceExhausted("the file exceeds the limit of ", kMaxSettingsBytes, " bytes");
      }
      std::ifstream in(path, std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
      return ParseTextMessage(text, settings);
    };
    if (Status status = read(); !status.ok()) return At(kSettingsFile, status);
    return settings.frozen_graph();
  }
  return v1::FrozenGraph();
}

StatusOr<std::unique_ptr<SavedModelFile>> ReadFrozenGraph(const fs::path& file) {
  auto out = std::make_unique<SavedModelFile>();
  SIGNET_ASSIGN_OR_RETURN(v1::FrozenGraph names, ReadFrozenGraphNames(file));
  SIGNET_ASSIGN_OR_RETURN(auto mapped, MappedFile::Map(file));
  tensorflow::GraphDef& graph = *out->graph.mutable_graph_def();
  SIGNET_RETURN_IF_ERROR(ParseGraphMessage(TextOf(*mapped), "a GraphDef", graph));
  mapped->Release();
  for (const tensorflow::NodeDef& node : graph.node()) {
    if (!node.name().empty() && !node.op().empty()) continue;
    return InvalidArgument("expected a GraphDef, found a node without a name or an operator");
  }
  if (graph.node().empty()) return InvalidArgument("expected a GraphDef with nodes, found none");
  AddSignature(names, out->graph);
  return out;
}

}  // namespace signet
