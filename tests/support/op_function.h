// OpFunction: one op as a function of a model, for tests that run an op in more ways than one.
//
//   (x0, x1, /) -> tuple(outputs of the op)

#pragma once

#include "core/graph/body/graph.h"

namespace signet {

StatusOr<FunctionDef> OpFunction(std::string_view op, const Attributes& attributes,
                                 size_t num_inputs, size_t num_outputs);

}  // namespace signet
