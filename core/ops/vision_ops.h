// Vision ops: ops over the spatial dimensions of tensors [batch, channels, spatial...].
//
// To add one, declare its maker here, call it in vision_ops.cc, and describe it in
// docs/ops/vision.md.

#pragma once

#include <vector>

#include "core/ops/op.h"

namespace signet {

OpDef Conv();
OpDef ConvTranspose();
OpDef DeformConv();
OpDef MaxPool();
OpDef AveragePool();
OpDef LpPool();
OpDef MaxUnpool();
OpDef MaxRoiPool();
OpDef RoiAlign();
OpDef Resize();
OpDef GridSample();
OpDef AffineGrid();
OpDef NonMaxSuppression();
OpDef DecodeImage();

// All of them.
std::vector<OpDef> VisionOps();

}  // namespace signet
