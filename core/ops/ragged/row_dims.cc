// Row dims: ops on lists of sizes and row lengths (row_dims.h).

#include "core/ops/build/rows/row_dims.h"

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/broadcast_rows.h"
#include "core/ops/def/inference.h"
#include "core/ops/ragged/ragged_ops.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

using Outputs = StatusOr<std::vector<GraphValue>>;

// Returns the sizes to which `a` and `b` broadcast, in the form of the results of dim_sizes.
Outputs Broadcast(OpBuilder& build, Rows a, Rows b, std::string_view label) {
  const RowOperand operands[] = {{std::move(a)}, {std::move(b)}};
  SIGNET_ASSIGN_OR_RETURN(CommonRows common, BroadcastRows(build, operands, label));
  std::vector<TypeSpec> types;
  std::vector<GraphValue> sizes;
  for (const RowDim& dim : common.rows.dims) {
    GraphValue size = dim.length;
    if (dim.splits.spec) {  // If the length is known, too, the splits were compared with it.
      SIGNET_ASSIGN_OR_RETURN(size, build.RowLengths(dim.splits));
    }
    types.push_back(size.spec);
    sizes.push_back(std::move(size));
  }
  return std::vector<GraphValue>{Joined(TupleType(std::move(types)), sizes)};
}

Outputs ExpandBroadcastSizes(OpBuilder& build, const OpCall&, std::span<const GraphValue> inputs) {
  // C1: the inputs are lists of sizes and row lengths. C2: they broadcast.
  SIGNET_ASSIGN_OR_RETURN(Rows a, RowsOfSizes(build, inputs[0], "C1"));
  SIGNET_ASSIGN_OR_RETURN(Rows b, RowsOfSizes(build, inputs[1], "C1"));
  return Broadcast(build, std::move(a), std::move(b), "C2");
}

Outputs ExpandBroadcastDimension(OpBuilder& build, const OpCall& call,
                                 std::span<const GraphValue> inputs) {
  // C1: input 0 is a list of sizes and row lengths, and input 1 is a size or row lengths.
  SIGNET_ASSIGN_OR_RETURN(Rows rows, RowsOfSizes(build, inputs[0], "C1"));
  // C2: `axis` is one of the dimensions.
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", rows.depth(), "C2"));
  // C3: the dimension has size 1, or the given size or row lengths.
  Rows other;
  other.dims.assign(rows.dims.begin(), rows.dims.begin() + axis);
  SIGNET_ASSIGN_OR_RETURN(RowDim dim, DimOfSize(build, other, inputs[1], "C1"));
  other.dims.push_back(std::move(dim));
  while (other.depth() < rows.depth()) other.dims.push_back(UniformDim(build, 1));
  return Broadcast(build, std::move(rows), std::move(other), "C3");
}

}  // namespace

std::vector<OpDef> RowDimOps() {
  return {
      {.name = "broadcast_sizes",
       .summary = "Computes the sizes to which two lists of sizes broadcast",
       .description =
           "A list of sizes has one entry per dimension: a number for a uniform dimension, or a "
           "list of numbers, the lengths of its rows, for a ragged one. Dimension 0 is a number. "
           "For example, `list(2, list(3, 0), 4)` describes two rows of 3 and 0 elements, each of "
           "4 numbers. The op returns the sizes to which values of these sizes broadcast, as a "
           "tuple that `dim_sizes` would return. A dimension that is ragged in one of the inputs "
           "is ragged in the result. Only a size that is known when the function is specialized "
           "broadcasts.",
       .inputs = {"x", "y"},
       .result = "A tuple with one entry per dimension: `int64[]`, or a vector of row lengths.",
       .constraints = {"The inputs are lists of sizes and row lengths, with one length per row. "
                       "Their entries are literals, or tensors of int32 or int64.",
                       "The sizes broadcast."},
       .composites = "The inputs are lists or tuples of sizes and row lengths.",
       .expand = ExpandBroadcastSizes,
       .literals_as_tensors = false},
      {.name = "broadcast_dimension",
       .summary = "Changes one dimension of size 1 in a list of sizes",
       .description = "Returns the list of sizes with dimension `axis`, which has size 1, changed "
                      "to a size or to row lengths. The dimensions inside it are repeated. The "
                      "list has the form that `broadcast_sizes` describes.",
       .inputs = {"sizes", "lengths"},
       .attributes = {{"axis"}},
       .result = "A tuple with one entry per dimension.",
       .constraints = {"`sizes` is a list of sizes and row lengths. `lengths` is a size, or, "
                       "except for axis 0, a vector of row lengths.",
                       "`axis` is one of the dimensions.",
                       "The dimension has size 1, or already the given size."},
       .composites = "`sizes` is a list or tuple of sizes and row lengths.",
       .expand = ExpandBroadcastDimension,
       .literals_as_tensors = false},
  };
}

}  // namespace signet
