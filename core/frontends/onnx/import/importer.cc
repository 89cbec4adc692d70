#include "core/frontends/onnx/import/importer.h"

#include <algorithm>

#include "core/base/utf8.h"
#include "core/frontends/onnx/import/graph_importer.h"
#include "core/frontends/onnx/import/onnx_file.h"

namespace signet {
namespace {

constexpr int64_t kLeastIrVersion = 3;
constexpr int64_t kNewestIrVersion = 13;
// Opsets whose operators mean what their ops here do, by domain. Newer ones may have changed some.
constexpr std::pair<std::string_view, int64_t> kNewestOpsets[] = {
    {"", 28}, {"ai.onnx", 28}, {"ai.onnx.ml", 5}};

Status CheckVersions(const onnx::ModelProto& model) {
  int64_t version = model.ir_version();
  if (version < kLeastIrVersion || version > kNewestIrVersion) {
    return Unimplemented("IR version ", version, "; takes ", kLeastIrVersion, " to ",
                         kNewestIrVersion);
  }
  for (const auto& opset : model.opset_import()) {
    for (const auto& [domain, newest] : kNewestOpsets) {
      if (opset.domain() != domain || (opset.version() >= 1 && opset.version() <= newest)) continue;
      return Unimplemented("opset ", opset.version(), " of domain `",
                           domain.empty() ? "ai.onnx" : domain, "`; takes up to ", newest);
    }
  }
  return absl::OkStatus();
}

// Texts of messages must be UTF-8; those of ONNX files may not be.
void MakeWellFormed(std::string& text) { text = AsUtf8(text); }

void MakeTextsWellFormed(v1::Model& model) {
  MakeWellFormed(*model.mutable_doc());
  for (auto& [key, value] : *model.mutable_metadata()) MakeWellFormed(value);
  for (v1::Function& function : *model.mutable_functions()) {
    MakeWellFormed(*function.mutable_doc());
    for (auto& [name, doc] : *function.mutable_parameter_docs()) MakeWellFormed(doc);
  }
}

std::string FirstLineOf(const onnx::ModelProto& model) {
  std::string doc = model.doc_string().empty() ? model.graph().doc_string() : model.doc_string();
  if (doc.empty()) return Cat("ONNX model `", Printable(model.graph().name()), "`");
  return doc;
}

void AddMetadata(const onnx::ModelProto& model, v1::Model& out) {
  auto& metadata = *out.mutable_metadata();
  for (const auto& entry : model.metadata_props()) {
    std::string key = entry.key();
    MakeWellFormed(key);
    metadata[key] = entry.value();
  }
  if (!model.producer_name().empty()) {
    metadata["onnx.producer"] = Cat(model.producer_name(), " ", model.producer_version());
  }
  metadata["onnx.ir_version"] = std::to_string(model.ir_version());
  for (const auto& opset : model.opset_import()) {
    std::string domain = opset.domain().empty() ? "ai.onnx" : opset.domain();
    MakeWellFormed(domain);
    metadata[Cat("onnx.opset.", domain)] = std::to_string(opset.version());
  }
}

}  // namespace

StatusOr<ImportedModel> ImportOnnx(const std::filesystem::path& path) {
  SIGNET_ASSIGN_OR_RETURN(OnnxFile file, ReadOnnxFile(path));
  if (!file.model.has_graph()) return InvalidArgument("no ONNX model: there is no graph");
  SIGNET_RETURN_IF_ERROR(CheckVersions(file.model));
  ExternalFiles files(file);
  ImportedModel out;
  out.model.set_format_version(1);
  out.model.set_doc(FirstLineOf(file.model));
  AddMetadata(file.model, out.model);
  SIGNET_RETURN_IF_ERROR(ImportGraph(file.model, files, out.model, out.captures));
  MakeTextsWellFormed(out.model);
  out.files.push_back(file.file);
  for (const auto& [name, mapped] : files.files()) out.files.push_back(mapped);
  // What was read of them to parse and to copy is not needed again.
  for (const auto& mapped : out.files) mapped->Release();
  return out;
}

}  // namespace signet
