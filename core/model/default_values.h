// CastDefaults: casts the default values of a model's functions like the arguments of a call.
//
//   f(p: shop.Money<currency="EUR">(...) = shop.Money<currency="USD">(...) {...})
//     =>  the default is the value that the conversion of shop.Money returns
//
// Conversions are functions of the model, so this is the last step of loading. Stateless.

#pragma once

#include "core/graph/lower/extension_types.h"
#include "core/model/model_def.h"

namespace signet {

// Replaces each default of a constrained parameter by its cast. `types` are the extension types
// that the program defines. Errors start with the place: "function `f`: default of `p`: ...".
Status CastDefaults(ModelDef& model, const ExtensionProtocols& types);

}  // namespace signet
