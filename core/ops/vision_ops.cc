#include "core/ops/vision_ops.h"

namespace signet {

std::vector<OpDef> VisionOps() {
  std::vector<OpDef> ops;
  for (auto make :
       {Conv, ConvTranspose, DeformConv, MaxPool, AveragePool, LpPool, MaxUnpool, MaxRoiPool,
        RoiAlign, Resize, GridSample, AffineGrid, NonMaxSuppression, DecodeImage}) {
    ops.push_back(make());
  }
  return ops;
}

}  // namespace signet
