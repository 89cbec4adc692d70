#include "core/frontends/import_model.h"

#include <utility>

#include "core/frontends/load_model.h"
#include "core/frontends/onnx/import/importer.h"
#include "core/frontends/savedmodel/import/saved_model_file.h"
#include "core/model/language/model_folder.h"
#include "core/model/loaded_model.h"
#include "core/model/native/model_files.h"

namespace signet {

Status ImportModel(const std::filesystem::path& source, const std::filesystem::path& folder) {
  SIGNET_ASSIGN_OR_RETURN(bool has_onnx, HasPlainFile(folder / kOnnxFile));
  if (has_onnx) {
    return FailedPrecondition(
        PlaceOf(folder), ": has a ", kOnnxFile,
        ", so it cannot contain a model of another form; use another directory");
  }
  if (HoldsTensorFlowModel(folder)) {
    return FailedPrecondition(
        PlaceOf(folder),
        ": has a model of TensorFlow, so it cannot contain a model of another form; use ",
        "another directory");
  }
  SIGNET_ASSIGN_OR_RETURN(bool is_folder_of_onnx, HasPlainFile(source / kOnnxFile));
  const std::filesystem::path file = is_folder_of_onnx ? source / kOnnxFile : source;
  const std::string where = Printable(file.filename().native());
  if (file.extension() != ".onnx") {
    SIGNET_ASSIGN_OR_RETURN(auto loaded, LoadModel(file, "", 1, {}));
    return At(PlaceOf(folder), WriteLanguageModel(folder, loaded->def()));
  }
  auto def = ImportOnnx(file);
  if (!def.ok()) return At(where, def.status());
  LoadedModel model("", 1, *std::move(def), {});
  SIGNET_RETURN_IF_ERROR(At(where, model.CheckBodies()));
  return At(PlaceOf(folder), WriteLanguageModel(folder, model.def()));
}

}  // namespace signet
