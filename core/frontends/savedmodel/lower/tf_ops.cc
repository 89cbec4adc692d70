#include "core/frontends/savedmodel/lower/tf_ops.h"

#include <iterator>
#include <utility>

#include "core/frontends/savedmodel/lower/tf_op.h"

namespace signet {

std::vector<OpDef> TfOps() {
  std::vector<OpDef> ops;
  for (auto family :
       {TfMathOps, TfShapeOps, TfSliceOps, TfIndexOps, TfArrayOps, TfMatrixOps, TfDiagonalOps,
        TfReductionOps, TfCountOps, TfNetworkOps, TfPoolingOps, TfResizeOps, TfTextOps, TfSparseOps,
        TfRaggedOps, TfListOps, TfExampleOps, TfRandomOps, TfSignalOps}) {
    std::vector<OpDef> table = family();
    ops.insert(ops.end(), std::make_move_iterator(table.begin()),
               std::make_move_iterator(table.end()));
  }
  return ops;
}

}  // namespace signet
