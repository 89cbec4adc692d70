#include "signet/model_builder.h"

#include "core/api/model_options.h"
#include "core/model/native/build_model_def.h"

namespace signet {

// The other methods are in core/model/native/model_builder.cc.
StatusOr<Model> ModelBuilder::Build(const LoadOptions& options) const {
  SIGNET_ASSIGN_OR_RETURN(ModelDef def, BuildModelDef(*this));
  std::string name = options.name.empty() ? "model" : options.name;
  auto model =
      std::make_shared<LoadedModel>(std::move(name), 1, std::move(def), ModelOptionsOf(options));
  SIGNET_RETURN_IF_ERROR(model->CheckBodies());
  return Model(std::move(model));
}

}  // namespace signet
