// Tensor messages: ops that write and read serialized tensorflow.TensorProto messages.
//
//   parse_tensor(serialize_tensor(x), dtype=..)  =>  x
//
// The ops on rows write and read one message per row. They are internal: the expansions of
// operators of TensorFlow call them for batches of sparse values.

#include "core/ops/build/row_splits.h"
#include "core/ops/def/inference.h"
#include "core/ops/tabular/tabular_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferSerializeTensor(const OpCall& call) {
  // C1: the input is a tensor.
  SIGNET_RETURN_IF_ERROR(TensorInput(call, 0).status());
  return OneOutput(TensorType(DType::kString, Shape{}));
}

StatusOr<std::vector<TypeSpec>> InferSerializeRows(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* values, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* splits, SplitsInput(call, 1));
  // C2: the values have rank 1 or more.
  if (values->shape().has_rank() && values->shape().rank() == 0) {
    return WithConstraint(
        "C2", InvalidArgument("input 0: expected rank 1 or more, found `", call.inputs[0], "`"));
  }
  return OneOutput(TensorType(DType::kString, {KnownRows(*splits)}));
}

// Checks that input 0 is a tensor of strings of rank `rank` (C1), and returns its type.
StatusOr<const TensorSpec*> MessagesInput(const OpCall& call, int rank) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  const TypeSpec wanted = TensorType(DType::kString, PartialShape::OfRank(rank));
  if (x->dtype() == DType::kString && (!x->shape().has_rank() || x->shape().rank() == rank)) {
    return x;
  }
  return WithConstraint(
      "C1", InvalidArgument("input 0: expected `", wanted, "`, found `", call.inputs[0], "`"));
}

StatusOr<std::vector<TypeSpec>> InferParseTensor(const OpCall& call) {
  SIGNET_RETURN_IF_ERROR(MessagesInput(call, 0).status());
  // C2: `dtype` is the name of a dtype.
  SIGNET_ASSIGN_OR_RETURN(DType dtype, WithConstraint("C2", call.attributes.DTypeNamed("dtype")));
  return OneOutput(TensorType(dtype, PartialShape()));
}

StatusOr<std::vector<TypeSpec>> InferParseRows(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, MessagesInput(call, 1));
  // C2: `dtype` is the name of a dtype, and `rank` is 1 to 64.
  SIGNET_ASSIGN_OR_RETURN(DType dtype, WithConstraint("C2", call.attributes.DTypeNamed("dtype")));
  SIGNET_ASSIGN_OR_RETURN(int64_t rank, WithConstraint("C2", call.attributes.Int("rank")));
  if (rank < 1 || rank > kMaxOutputRank) {
    return WithConstraint(
        "C2", InvalidArgument("rank: expected 1 to ", kMaxOutputRank, ", found ", rank));
  }
  const int64_t rows = x->shape().has_rank() ? x->shape().dim(0) : kUnknownDim;
  return std::vector<TypeSpec>{
      TensorType(dtype, PartialShape::OfRank(static_cast<int>(rank))),
      TensorType(DType::kInt64, {rows == kUnknownDim ? kUnknownDim : rows + 1})};
}

}  // namespace

std::vector<OpDef> TensorMessageOps() {
  return {
      {
          .name = "serialize_tensor",
          .summary = "Writes a tensor as a serialized tensorflow.TensorProto message",
          .description =
              "Returns the message with the dtype, the shape, and the elements: in the field "
              "`tensor_content`, or in `string_val` for strings. Equal tensors have equal bytes.",
          .inputs = {"x"},
          .result = "A scalar string.",
          .constraints = {"The input is a tensor.", "The message has at most 2^30 bytes."},
          .infer = InferSerializeTensor,
      },
      {
          .name = "parse_tensor",
          .summary = "Reads a serialized tensorflow.TensorProto message",
          .description =
              "Returns the tensor of the message. If the message has fewer elements than its "
              "shape, "
              "the last one is repeated; if it has none, they are 0, False, or \"\". Further "
              "elements are ignored.",
          .inputs = {"serialized"},
          .attributes = {{"dtype"}},
          .result = "A tensor of the dtype, whose rank is not known before the call.",
          .constraints = {"The input is a scalar string.", "`dtype` is the name of a dtype.",
                          "The string is a message with a tensor of this dtype, with a known shape "
                          "of at most 2^31 elements."},
          .infer = InferParseTensor,
      },
      {
          .name = "serialize_tensor_rows",
          .summary = "Writes each row as a serialized tensorflow.TensorProto message",
          .inputs = {"values", "row_splits"},
          .constraints = {"Input 0 is a tensor, and input 1 is row splits.",
                          "The values have rank 1 or more.",
                          "The row splits end at the number of values."},
          .infer = InferSerializeRows,
          .internal = true,
      },
      {
          .name = "parse_tensor_rows",
          .summary = "Reads serialized tensorflow.TensorProto messages as rows",
          .inputs = {"serialized"},
          .attributes = {{"dtype"}, {"rank"}},
          .outputs = {"values", "row_splits"},
          .constraints = {"The input is a vector of strings.",
                          "`dtype` is the name of a dtype, and `rank` is 1 to 64.",
                          "Each string is a message with a tensor of this dtype and rank. All "
                          "dimensions except for the first one have the same sizes."},
          .infer = InferParseRows,
          .internal = true,
      },
  };
}

}  // namespace signet
