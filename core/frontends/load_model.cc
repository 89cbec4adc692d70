#include "core/frontends/load_model.h"

#include <utility>

#include "core/frontends/onnx/import/importer.h"
#include "core/model/complete_model.h"
#include "core/model/language/model_folder.h"
#include "core/model/native/loader.h"
#include "core/model/native/model_files.h"

namespace signet {
namespace {

StatusOr<ModelDef> ReadOnnxFile(const std::filesystem::path& path,
                                const ExtensionProtocols& types) {
  if (path.extension() != ".onnx") {
    return FailedPrecondition("expected the directory of a model, or a file ending in .onnx");
  }
  return ImportOnnx(path, types);
}

StatusOr<ModelDef> ReadFolder(const std::filesystem::path& folder, const Limits& limits,
                              const ExtensionProtocols& types) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) return FailedPrecondition("no such folder");
  // The forms of a model, which are mutually exclusive.
  std::string_view form;
  for (const char* name : {kOnnxFile, kLanguageFile, kBinaryFile}) {
    SIGNET_ASSIGN_OR_RETURN(bool is_there, HasPlainFile(folder / name));
    if (!is_there) continue;
    if (!form.empty()) {
      return FailedPrecondition(form, " and ", name, " are mutually exclusive");
    }
    form = name;
  }
  if (form == kLanguageFile) return LoadLanguageModel(folder, types);
  if (form != kOnnxFile) return LoadNativeModel(folder, limits, types);
  auto imported = ImportOnnx(folder / kOnnxFile, types);
  return imported.ok() ? std::move(imported) : At(kOnnxFile, imported.status());
}

}  // namespace

StatusOr<ModelDef> LoadModelDef(const std::filesystem::path& folder, const Limits& limits,
                                const ExtensionProtocols& types) {
  std::error_code error;
  auto def = std::filesystem::is_regular_file(folder, error) ? ReadOnnxFile(folder, types)
                                                             : ReadFolder(folder, limits, types);
  if (def.ok()) return def;
  Status placed = At(PlaceOf(folder), def.status());
  return MakeStatus(absl::StatusCode::kFailedPrecondition, MessageOf(placed));
}

StatusOr<std::shared_ptr<const LoadedModel>> LoadModel(const std::filesystem::path& folder,
                                                       std::string name, int64_t version,
                                                       const ModelOptions& options) {
  SIGNET_ASSIGN_OR_RETURN(ModelDef def, LoadModelDef(folder, options.limits, options.types));
  def.batches.insert(options.batches.begin(), options.batches.end());
  if (Status batches = CheckBatches(def); !batches.ok()) {
    return At(PlaceOf(folder), FailedPrecondition(MessageOf(batches)));
  }
  auto model = std::make_shared<LoadedModel>(std::move(name), version, std::move(def), options);
  Status checked = model->CheckBodies();
  if (checked.ok()) return model;
  checked = WithPositionInFolder(folder, checked);
  return At(PlaceOf(folder), FailedPrecondition(MessageOf(checked)));
}

}  // namespace signet
