#include "core/frontends/onnx/import/importer.h"

#include <algorithm>

#include "core/base/utf8.h"
#include "core/frontends/onnx/import/graph_importer.h"
#include "core/frontends/onnx/import/onnx_file.h"
#include "core/model/complete_model.h"
#include "core/model/source_names.h"

namespace signet {
namespace {

constexpr int64_t kLeastIrVersion = 3;
constexpr int64_t kNewestIrVersion = 13;
// The newest opsets that the ops implement, by domain. Newer opsets may change operators.
constexpr std::pair<std::string_view, int64_t> kNewestOpsets[] = {
    {"", 28}, {"ai.onnx", 28}, {"ai.onnx.ml", 5}};

Status CheckVersions(const onnx::ModelProto& model) {
  int64_t version = model.ir_version();
  if (version < kLeastIrVersion || version > kNewestIrVersion) {
    return Unimplemented("unsupported IR version ", version,
                         "; supported versions: ", kLeastIrVersion, " to ", kNewestIrVersion);
  }
  for (const auto& opset : model.opset_import()) {
    for (const auto& [domain, newest] : kNewestOpsets) {
      if (opset.domain() != domain || (opset.version() >= 1 && opset.version() <= newest)) continue;
      return Unimplemented("unsupported opset ", opset.version(), " of domain `",
                           domain.empty() ? "ai.onnx" : domain, "`; supported opsets: 1 to ",
                           newest);
    }
  }
  return absl::OkStatus();
}

// Escapes texts for people that are not UTF-8, which the ONNX format permits and responses do not.
void MakeTextsUtf8(ModelDef& model) {
  model.doc = AsUtf8(model.doc);
  for (auto& [key, value] : model.metadata) value = AsUtf8(value);
  for (FunctionDef& function : model.functions) {
    function.doc = AsUtf8(function.doc);
    for (auto& [name, doc] : function.parameter_docs) doc = AsUtf8(doc);
    for (auto& [name, source] : function.source_parameters) source = AsUtf8(source);
    for (auto& [name, source] : function.source_results) source = AsUtf8(source);
  }
}

std::string FirstLineOf(const onnx::ModelProto& model) {
  std::string doc = model.doc_string().empty() ? model.graph().doc_string() : model.doc_string();
  if (doc.empty()) return Cat("ONNX model `", Printable(model.graph().name()), "`");
  return doc;
}

void AddMetadata(const onnx::ModelProto& model, std::map<std::string, std::string>& metadata) {
  for (const auto& entry : model.metadata_props()) metadata[AsUtf8(entry.key())] = entry.value();
  if (!model.producer_name().empty()) {
    metadata["onnx.producer"] = Cat(model.producer_name(), " ", model.producer_version());
  }
  metadata["onnx.ir_version"] = std::to_string(model.ir_version());
  for (const auto& opset : model.opset_import()) {
    const std::string domain = opset.domain().empty() ? "ai.onnx" : AsUtf8(opset.domain());
    metadata[Cat("onnx.opset.", domain)] = std::to_string(opset.version());
  }
}

}  // namespace

StatusOr<ModelDef> ImportOnnx(const std::filesystem::path& path, const ExtensionProtocols& types) {
  ModelDef out;
  {
    SIGNET_ASSIGN_OR_RETURN(OnnxFile file, ReadOnnxFile(path));
    if (!file.model.has_graph()) return InvalidArgument("no ONNX model: there is no graph");
    SIGNET_RETURN_IF_ERROR(CheckVersions(file.model));
    ExternalFiles files(file);
    out.doc = FirstLineOf(file.model);
    AddMetadata(file.model, out.metadata);
    SIGNET_RETURN_IF_ERROR(ImportGraph(file.model, files, out));
    MakeTextsUtf8(out);
    AddSourceNames(out);  // clients find them in the metadata
    out.captures_files.push_back(file.file);
    for (const auto& [name, mapped] : files.files()) out.captures_files.push_back(mapped);
  }
  // The pages that were read to parse and to copy are not needed again.
  for (const auto& mapped : out.captures_files) mapped->Release();
  TypeRegistry registry;
  for (const auto& type : types) SIGNET_RETURN_IF_ERROR(registry.Register(type->declaration()));
  SIGNET_RETURN_IF_ERROR(CompleteModel(out, registry, types));
  return out;
}

}  // namespace signet
