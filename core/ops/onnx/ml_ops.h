// The families of ai.onnx.ml and of text; OnnxOps (onnx_ops.h) has them.

#pragma once

#include <vector>

#include "core/ops/op.h"

namespace signet {

std::vector<OpDef> OnnxFeatureOps();
std::vector<OpDef> OnnxLinearModelOps();
std::vector<OpDef> OnnxMapOps();
std::vector<OpDef> OnnxTextOps();
std::vector<OpDef> OnnxTreeOps();

}  // namespace signet
