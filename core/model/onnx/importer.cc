#include "core/model/onnx/importer.h"

#include <algorithm>

#include "core/model/onnx/graph_importer.h"
#include "core/model/onnx/onnx_file.h"

namespace signet {
namespace {

constexpr int64_t kLeastIrVersion = 3;

std::string FirstLineOf(const onnx::ModelProto& model) {
  std::string doc = model.doc_string().empty() ? model.graph().doc_string() : model.doc_string();
  if (doc.empty()) return Cat("ONNX model `", Printable(model.graph().name()), "`");
  return doc;
}

void AddMetadata(const onnx::ModelProto& model, v1::Model& out) {
  auto& metadata = *out.mutable_metadata();
  for (const auto& entry : model.metadata_props()) metadata[entry.key()] = entry.value();
  if (!model.producer_name().empty()) {
    metadata["onnx.producer"] = Cat(model.producer_name(), " ", model.producer_version());
  }
  metadata["onnx.ir_version"] = std::to_string(model.ir_version());
  for (const auto& opset : model.opset_import()) {
    std::string domain = opset.domain().empty() ? "ai.onnx" : opset.domain();
    metadata[Cat("onnx.opset.", domain)] = std::to_string(opset.version());
  }
}

}  // namespace

StatusOr<ImportedModel> ImportOnnx(const std::filesystem::path& path) {
  SIGNET_ASSIGN_OR_RETURN(OnnxFile file, ReadOnnxFile(path));
  if (!file.model.has_graph()) return InvalidArgument("no ONNX model: there is no graph");
  if (file.model.ir_version() < kLeastIrVersion) {
    return Unimplemented("IR version ", file.model.ir_version(), "; takes ", kLeastIrVersion,
                         " or later");
  }
  ExternalFiles files(file);
  ImportedModel out;
  out.model.set_format_version(1);
  out.model.set_doc(FirstLineOf(file.model));
  AddMetadata(file.model, out.model);
  SIGNET_RETURN_IF_ERROR(ImportGraph(file.model, files, out.model, out.captures));
  out.files.push_back(file.file);
  for (const auto& [name, mapped] : files.files()) out.files.push_back(mapped);
  return out;
}

}  // namespace signet
