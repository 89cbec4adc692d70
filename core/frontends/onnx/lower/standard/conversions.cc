// Operators on dtypes and bits.

#include "core/frontends/onnx/lower/build/dtypes.h"
#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/build/narrow.h"
#include "core/frontends/onnx/lower/build/tensor_expressions.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

StatusOr<Values> ExpandCast(OpBuilder& build, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  SIGNET_ASSIGN_OR_RETURN(int64_t number, call.attributes.Int("to"));
  SIGNET_ASSIGN_OR_RETURN(DType dtype, OnnxDTypeAttribute(number, "to"));
  SIGNET_ASSIGN_OR_RETURN(int64_t saturate, call.attributes.Int("saturate"));
  SIGNET_ASSIGN_OR_RETURN(std::string rounding, call.attributes.String("round_mode"));
  const NarrowType* narrow = LookupNarrowType(number);
  if (narrow == nullptr) return CastTo(build, inputs[0], dtype);
  return OneOutput(CastToNarrow(build, inputs[0], *narrow, saturate != 0, rounding));
}

StatusOr<Values> ExpandBitCast(OpBuilder& build, const OpCall& call,
                               std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  SIGNET_ASSIGN_OR_RETURN(int64_t number, call.attributes.Int("to"));
  SIGNET_ASSIGN_OR_RETURN(DType dtype, OnnxDTypeAttribute(number, "to"));
  if (LookupNarrowType(number) != nullptr) {
    return Unimplemented(
        "`to`: expected a type of 8 to 64 bits except for float8, found ONNX type ", number);
  }
  return OneOutput(build.Bitcast(inputs[0], {.dtype = dtype}));
}

StatusOr<Values> ExpandCastLike(OpBuilder& build, const OpCall&,
                                std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* like, TensorAt(inputs, 1));
  return CastTo(build, inputs[0], like->dtype());
}

StatusOr<Values> ExpandIsInf(OpBuilder& build, const OpCall& call,
                             std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(int64_t negative, call.attributes.Int("detect_negative"));
  SIGNET_ASSIGN_OR_RETURN(int64_t positive, call.attributes.Int("detect_positive"));
  Expr is_inf = build.IsInf(inputs[0]);
  if (negative != 0 && positive != 0) return is_inf;
  Expr zero = Zero(build, x->dtype());
  Expr side = build.CallOne(positive != 0 ? OpName("greater") : "less", {inputs[0], zero});
  if (negative == 0 && positive == 0) side = Zero(build, DType::kBool);
  return build.LogicalAnd(is_inf, side);
}

StatusOr<Values> ExpandBitShift(OpBuilder& build, const OpCall& call,
                                std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(std::string direction, call.attributes.String("direction"));
  if (direction != "LEFT" && direction != "RIGHT") {
    return InvalidArgument("direction: expected LEFT or RIGHT, found `", Printable(direction), "`");
  }
  return build.Call(direction == "LEFT" ? OpName("shift_left") : "shift_right", inputs, {});
}

StatusOr<Values> ExpandBitwise(OpBuilder& build, const OpCall& call,
                               std::span<const GraphValue> inputs) {
  std::string_view name = call.op.name;
  return build.Call(name == "onnx.BitwiseAnd"  ? OpName("bitwise_and")
                    : name == "onnx.BitwiseOr" ? OpName("bitwise_or")
                                               : "bitwise_xor",
                    inputs, {});
}

StatusOr<Values> ExpandBitwiseNot(OpBuilder& build, const OpCall&,
                                  std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorAt(inputs, 0));
  return build.BitwiseXor(inputs[0], CastTo(build, Int64Constant(build, -1), x->dtype()));
}

}  // namespace

std::vector<OpDef> OnnxConversionOps() {
  // `saturate` applies only to floats of 8 bits, and `round_mode` only to float8e8m0.
  const AttributeDef saturate = {"saturate", AttributeOf(1)};
  const AttributeDef round_mode = {"round_mode", AttributeOf("up")};
  std::vector<OpDef> ops = {
      OnnxOp("onnx.BitCast", "Takes bits as another dtype", {"input"}, {{"to"}}, ExpandBitCast),
      OnnxOp("onnx.Cast", "Changes the dtype", {"input"}, {{"to"}, saturate, round_mode},
             ExpandCast),
      OnnxOp("onnx.CastLike", "Changes the dtype to that of another", {"input", "target_type"},
             {saturate, round_mode}, ExpandCastLike),
      OnnxOp("onnx.IsInf", "Finds infinities", {"X"},
             {{"detect_negative", AttributeOf(1)}, {"detect_positive", AttributeOf(1)}},
             ExpandIsInf),
      OnnxOp("onnx.BitShift", "Shifts bits", {"X", "Y"}, {{"direction"}}, ExpandBitShift),
      OnnxOp("onnx.BitwiseNot", "Turns each bit over", {"X"}, {}, ExpandBitwiseNot),
  };
  for (const char* name : {"And", "Or", "Xor"}) {
    ops.push_back(OnnxOp(Cat("onnx.Bitwise", name), "Joins numbers bit by bit", {"A", "B"}, {},
                         ExpandBitwise));
  }
  return ops;
}

}  // namespace signet
