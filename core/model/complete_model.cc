#include "core/model/complete_model.h"

#include "core/model/default_values.h"
#include "core/model/extension_type_def.h"
#include "core/model/verify_functions.h"

namespace signet {

Status CompleteModel(ModelDef& model, const TypeRegistry& registry,
                     const ExtensionProtocols& types) {
  SIGNET_RETURN_IF_ERROR(
      VerifyFunctions(model.functions, model.captures, !registry.Names().empty()));
  SIGNET_RETURN_IF_ERROR(CheckFunctionsOfTypes(model.extension_types, model.functions, registry));
  return CastDefaults(model, types);
}

}  // namespace signet
