// ModelBuilder::Save (include/signet/model_builder.h). It is here because the model language is
// above the rest of ModelBuilder.

#include "core/model/language/model_folder.h"
#include "core/model/native/build_model_def.h"
#include "core/model/native/writer.h"
#include "signet/model_builder.h"

namespace signet {

Status ModelBuilder::Save(const std::filesystem::path& folder, Form form) const {
  SIGNET_ASSIGN_OR_RETURN(ModelDef def, BuildModelDef(*this));
  if (form == Form::kText) return WriteLanguageModel(folder, def);
  return WriteNativeModel(folder, def, Limits());
}

}  // namespace signet
