// Operators on matrices in the last two dimensions.

#include "core/frontends/savedmodel/lower/tf_op.h"
#include "core/ops/def/attribute_list.h"

namespace signet {
namespace {

TfOutputs ExpandMatMul(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(bool a, call.attributes.Bool("transpose_a"));
  SIGNET_ASSIGN_OR_RETURN(bool b, call.attributes.Bool("transpose_b"));
  if (call.op.name != "tf.SparseMatMul") {
    return build.Matmul(in[0], in[1], {.transpose_a = a, .transpose_b = b});
  }
  // Its inputs are float32 or bfloat16, and its result is always float32.
  return build.Matmul(CastTo(build, in[0], DType::kFloat32), CastTo(build, in[1], DType::kFloat32),
                      {.transpose_a = a, .transpose_b = b});
}

TfOutputs ExpandBatchMatMul(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(bool a, call.attributes.Bool("adj_x"));
  SIGNET_ASSIGN_OR_RETURN(bool b, call.attributes.Bool("adj_y"));
  Operand x = in[0];
  Operand y = in[1];
  if (IsComplex(DTypeAt(in, 0))) {
    auto conjugate = [&](const Operand& value) {
      const ComplexParts parts = ComplexPartsOf(build, value);
      return ComplexOf(build, {parts.real, build.Neg(parts.imaginary)});
    };
    if (a) x = conjugate(x);
    if (b) y = conjugate(y);
  }
  Expr out = build.Matmul(x, y, {.transpose_a = a, .transpose_b = b});
  if (call.attributes.Has("Tout") && !IsNone(call.attributes, "Tout")) {
    SIGNET_ASSIGN_OR_RETURN(DType dtype, TfDType(call, "Tout"));
    return CastTo(build, out, dtype);
  }
  return out;
}

TfOutputs ExpandEinsum(OpBuilder& build, const OpCall& call, TfInputs in) {
  return build.Call("onnx.Einsum", in,
                    Attributes({{"equation", call.attributes.Lookup("equation")}}));
}

// True where column - row is between -lower and upper; a number below 0 means no bound.
Expr BandMask(OpBuilder& build, const Operand& x, int rank, const Operand& lower,
              const Operand& upper) {
  Expr rows = build.ExpandDims(build.Range({DimSize(build, x, rank - 2)}), {.axis = 1});
  Expr columns = build.Range({DimSize(build, x, rank - 1)});
  Expr below = build.Sub(rows, columns);
  Expr above = build.Sub(columns, rows);
  auto within = [&](const Expr& distance, const Operand& bound) {
    return build.LogicalOr(build.Less(bound, 0), build.LessEqual(distance, bound));
  };
  return build.LogicalAnd(within(below, lower), within(above, upper));
}

TfOutputs ExpandMatrixBandPart(OpBuilder& build, const OpCall&, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank < 2) return InvalidArgument("expected rank 2 or more, found `", in[0].spec, "`");
  Expr mask = BandMask(build, in[0], rank, AsInt64(build, in[1]), AsInt64(build, in[2]));
  return build.Select(mask, in[0], Zero(build, DTypeAt(in, 0)));
}

}  // namespace

std::vector<OpDef> TfMatrixOps() {
  std::vector<OpDef> ops;
  auto add = [&](const char* name, const char* summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    ops.push_back(TfOp(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  const std::vector<AttributeDef> transposes = {{"transpose_a", AttributeOf(false)},
                                                {"transpose_b", AttributeOf(false)}};
  const std::vector<AttributeDef> adjoints = {{"adj_x", AttributeOf(false)},
                                              {"adj_y", AttributeOf(false)}};
  std::vector<AttributeDef> with_type = adjoints;
  with_type.push_back({"Tout", NoneAttribute()});
  add("MatMul", "Multiplies matrices", {"a", "b"}, transposes, ExpandMatMul);

  add("SparseMatMul", "Multiplies matrices", {"a", "b"}, transposes, ExpandMatMul);

  add("BatchMatMul", "Multiplies matrices", {"x", "y"}, adjoints, ExpandBatchMatMul);

  add("BatchMatMulV2", "Multiplies matrices", {"x", "y"}, adjoints, ExpandBatchMatMul);

  add("BatchMatMulV3", "Multiplies matrices", {"x", "y"}, with_type, ExpandBatchMatMul);

  add("Einsum", "Sums products as an equation says", {"inputs..."}, {{"equation"}}, ExpandEinsum);

  add("MatrixBandPart", "Keeps the diagonals near the main one",
      {"input", "num_lower", "num_upper"}, {}, ExpandMatrixBandPart);

  return ops;
}

}  // namespace signet
