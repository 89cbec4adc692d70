#include "core/frontends/convert_model.h"

#include <utility>

#include "core/frontends/load_model.h"
#include "core/frontends/savedmodel/import/saved_model_file.h"
#include "core/model/language/model_folder.h"
#include "core/model/loaded_model.h"
#include "core/model/native/model_files.h"
#include "core/model/native/writer.h"

namespace signet {

namespace fs = std::filesystem;

Status ConvertModel(const fs::path& source, const fs::path& folder, ModelForm form) {
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
  SIGNET_ASSIGN_OR_RETURN(ModelDef def, LoadServedModelDef(source, Limits()));
  LoadedModel model("", 1, std::move(def), {});
  SIGNET_RETURN_IF_ERROR(At(PlaceOf(source), model.CheckBodies()));
  const ModelDef& checked = model.def();
  if (form == ModelForm::kLanguage) {
    return At(PlaceOf(folder), WriteLanguageModel(folder, checked));
  }
  return At(PlaceOf(folder), WriteNativeModel(folder, checked, Limits()));
}

}  // namespace signet
