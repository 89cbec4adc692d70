#include "core/frontends/import_model.h"

#include <utility>

#include "core/frontends/load_model.h"
#include "core/frontends/onnx/import/importer.h"
#include "core/model/loaded_model.h"
#include "core/model/native/loader.h"
#include "core/model/native/model_files.h"
#include "core/model/native/writer.h"

namespace signet {

Status ImportModel(const std::filesystem::path& file, const std::filesystem::path& folder) {
  SIGNET_ASSIGN_OR_RETURN(bool has_onnx, HasPlainFile(folder / kOnnxFile));
  if (has_onnx) {
    return FailedPrecondition(PlaceOf(folder), ": has a ", kOnnxFile,
                              ", which no other form may lie beside; takes another folder");
  }
  std::string where = Printable(file.filename().native());
  auto imported = ImportOnnx(file);
  if (!imported.ok()) return At(where, imported.status());
  auto def = ModelDefFromProto(imported->model, imported->captures, Limits());
  if (!def.ok()) return At(where, def.status());
  SIGNET_RETURN_IF_ERROR(At(where, LoadedModel("", 1, *std::move(def), {}).CheckBodies()));
  return At(PlaceOf(folder), WriteNativeModel(folder, std::move(imported->model),
                                              imported->captures, /*is_text=*/true));
}

}  // namespace signet
