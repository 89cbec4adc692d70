// string_concat: joins strings element by element.

#include "core/ops/build/rows/elementwise_rows.h"
#include "core/ops/def/inference.h"
#include "core/ops/text/string_input.h"
#include "core/ops/text/text_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferStringConcat(const OpCall& call) {
  // C1: the inputs are tensors of strings; C2: `separator` is a string.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* a, StringInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* b, StringInput(call, 1));
  SIGNET_RETURN_IF_ERROR(WithConstraint("C2", call.attributes.String("separator").status()));
  // C3: their shapes broadcast.
  SIGNET_ASSIGN_OR_RETURN(PartialShape shape,
                          WithConstraint("C3", BroadcastShapes(a->shape(), b->shape())));
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckOutputSize(shape)));
  return OneOutput(TensorType(DType::kString, std::move(shape)));
}

}  // namespace

OpDef StringConcat() {
  return {
      .name = "string_concat",
      .summary = "Joins two strings element by element",
      .description =
          "Returns the string of a, the separator, and the string of b. The shapes broadcast.",
      .inputs = {"a", "b"},
      .attributes = {{"separator", AttributeOf("")}},
      .result = "A value of strings with the broadcast shape.",
      .constraints = {"The inputs are tensors or ragged values of strings.",
                      "`separator` is a string.", "The shapes broadcast."},
      .composites = "Ragged values broadcast as in elementwise ops.",
      .infer = InferStringConcat,
      .expand = ExpandElementwise,
  };
}

}  // namespace signet
