// OpText: shows the reference of ops as text and as JSON.
//
//   RenderOp(gather)  =>  gather(x, indices; axis=None, batch_dims=0)
//                         Selects slices by index along an axis.
//                         ...
//
// Stateless; thread-safe.

#pragma once

#include <string>
#include <string_view>

#include "core/ops/def/op_def.h"

namespace signet {

// One line per op that models can call, by family.
std::string RenderOpList();

// The entry of one op, wrapped at 100 columns.
std::string RenderOp(const OpDef& op);

// An array with an object per op that models can call, or the object of one op. Each has the keys
// name, family, summary, description, signature, inputs, attributes, outputs, result,
// constraints, composites, and examples.
std::string OpListJson();
std::string OpJson(const OpDef& op);

// The op called `name`. If there is none, NOT_FOUND names the op with a similar name, or the op
// that has this name in numpy, TensorFlow, or PyTorch.
StatusOr<const OpDef*> FindDocumentedOp(std::string_view name);

}  // namespace signet
