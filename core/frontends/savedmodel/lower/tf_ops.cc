#include "core/frontends/savedmodel/lower/tf_ops.h"

#include <iterator>
#include <utility>

#include "core/frontends/savedmodel/lower/tf_op.h"

namespace signet {

std::vector<OpDef> TfOps() {
  std::vector<OpDef> ops;
  for (auto family :
       {TfMathOps,       TfSpecialOps,   TfShapeOps,   TfSliceOps,     TfIndexOps,
        TfArrayOps,      TfLayoutOps,    TfMatrixOps,  TfDiagonalOps,  TfReductionOps,
        TfCountOps,      TfNetworkOps,   TfPoolingOps, TfResizeOps,    TfImageOps,
        TfDetectionOps,  TfQuantizedOps, TfTextOps,    TfUnicodeOps,   TfFeatureOps,
        TfSparseOps,     TfSetOps,       TfRaggedOps,  TfListOps,      TfExampleOps,
        TfSerializedOps, TfRandomOps,    TfSignalOps,  TfRecurrentOps, TfSequenceExampleOps,
        TfCsvOps}) {
    std::vector<OpDef> table = family();
    ops.insert(ops.end(), std::make_move_iterator(table.begin()),
               std::make_move_iterator(table.end()));
  }
  return ops;
}

}  // namespace signet
