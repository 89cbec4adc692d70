#include "tests/conformance/structured/table.h"

namespace signet::structured_vectors {

std::vector<VectorFile> VectorFiles() {
  return {
      {"array_ops.json", {ArrayOps(), ArrayDimOps(), MaskedOps(), PickOps()}},
      {"errors.json", {JsonOps(), FieldValues()}, true},
      {"fields.json", {FieldOps(), FieldValues()}},
      {"from_json.json", {JsonOps()}, true},
      {"index.json", {IndexOps()}, true},
      {"nest.json", {NestOps()}, true},
      {"promote_broadcast.json", {PromoteOps()}},
      {"ragged_ops.json",
       {JsonOps(), PickOps(), RaggedArrayOps(), RaggedDenseOps(), RaggedDimOps(), RaggedMathOps(),
        SparseOps()}},
      {"row_partition.json", {RowPartitionOps()}, true},
      {"stack_batch.json", {BatchOps(), BatchTypes()}},
  };
}

}  // namespace signet::structured_vectors
