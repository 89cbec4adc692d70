// Generated from the catalog of ops, as op_methods.h is; do not edit.

#include "core/ops/build/op_methods.h"

namespace signet {

Expr OpMethods::Abs(const Operand& x) { return CallTypedOne("abs", {{&x}}); }

Expr OpMethods::Acos(const Operand& x) { return CallTypedOne("acos", {{&x}}); }

Expr OpMethods::Acosh(const Operand& x) { return CallTypedOne("acosh", {{&x}}); }

Expr OpMethods::Add(const Operand& x, const Operand& y) { return CallTypedOne("add", {{&x, &y}}); }

Expr OpMethods::Asin(const Operand& x) { return CallTypedOne("asin", {{&x}}); }

Expr OpMethods::Asinh(const Operand& x) { return CallTypedOne("asinh", {{&x}}); }

Expr OpMethods::Atan(const Operand& x) { return CallTypedOne("atan", {{&x}}); }

Expr OpMethods::Atanh(const Operand& x) { return CallTypedOne("atanh", {{&x}}); }

Expr OpMethods::BesselI0(const Operand& x) { return CallTypedOne("bessel_i0", {{&x}}); }

Expr OpMethods::BesselI0e(const Operand& x) { return CallTypedOne("bessel_i0e", {{&x}}); }

Expr OpMethods::BesselI1(const Operand& x) { return CallTypedOne("bessel_i1", {{&x}}); }

Expr OpMethods::BesselI1e(const Operand& x) { return CallTypedOne("bessel_i1e", {{&x}}); }

Expr OpMethods::BesselJ0(const Operand& x) { return CallTypedOne("bessel_j0", {{&x}}); }

Expr OpMethods::BesselJ1(const Operand& x) { return CallTypedOne("bessel_j1", {{&x}}); }

Expr OpMethods::BesselK0(const Operand& x) { return CallTypedOne("bessel_k0", {{&x}}); }

Expr OpMethods::BesselK0e(const Operand& x) { return CallTypedOne("bessel_k0e", {{&x}}); }

Expr OpMethods::BesselK1(const Operand& x) { return CallTypedOne("bessel_k1", {{&x}}); }

Expr OpMethods::BesselK1e(const Operand& x) { return CallTypedOne("bessel_k1e", {{&x}}); }

Expr OpMethods::BesselY0(const Operand& x) { return CallTypedOne("bessel_y0", {{&x}}); }

Expr OpMethods::BesselY1(const Operand& x) { return CallTypedOne("bessel_y1", {{&x}}); }

Expr OpMethods::Betainc(const Operand& a, const Operand& b, const Operand& x) {
  return CallTypedOne("betainc", {{&a, &b, &x}});
}

Expr OpMethods::Bitcast(const Operand& x, const BitcastAttributes& attributes) {
  return CallTypedOne("bitcast", {{&x}}, {{"dtype", attributes.dtype}});
}

Expr OpMethods::BitwiseAnd(const Operand& x, const Operand& y) {
  return CallTypedOne("bitwise_and", {{&x, &y}});
}

Expr OpMethods::BitwiseOr(const Operand& x, const Operand& y) {
  return CallTypedOne("bitwise_or", {{&x, &y}});
}

Expr OpMethods::BitwiseXor(const Operand& x, const Operand& y) {
  return CallTypedOne("bitwise_xor", {{&x, &y}});
}

Expr OpMethods::Cast(const Operand& x, const CastAttributes& attributes) {
  return CallTypedOne("cast", {{&x}}, {{"dtype", attributes.dtype}});
}

Expr OpMethods::Ceil(const Operand& x) { return CallTypedOne("ceil", {{&x}}); }

Expr OpMethods::Clip(const Operand& x, const Operand& low, const Operand& high) {
  return CallTypedOne("clip", {{&x, &low, &high}});
}

Expr OpMethods::Cos(const Operand& x) { return CallTypedOne("cos", {{&x}}); }

Expr OpMethods::Cosh(const Operand& x) { return CallTypedOne("cosh", {{&x}}); }

Expr OpMethods::Dawsn(const Operand& x) { return CallTypedOne("dawsn", {{&x}}); }

Expr OpMethods::Div(const Operand& x, const Operand& y, const DivAttributes& attributes) {
  return CallTypedOne("div", {{&x, &y}}, {{"to_float", attributes.to_float}});
}

Expr OpMethods::Equal(const Operand& x, const Operand& y) {
  return CallTypedOne("equal", {{&x, &y}});
}

Expr OpMethods::Erf(const Operand& x) { return CallTypedOne("erf", {{&x}}); }

Expr OpMethods::Exp(const Operand& x) { return CallTypedOne("exp", {{&x}}); }

Expr OpMethods::Expint(const Operand& x) { return CallTypedOne("expint", {{&x}}); }

Expr OpMethods::Expm1(const Operand& x) { return CallTypedOne("expm1", {{&x}}); }

Expr OpMethods::Floor(const Operand& x) { return CallTypedOne("floor", {{&x}}); }

Expr OpMethods::Floordiv(const Operand& x, const Operand& y) {
  return CallTypedOne("floordiv", {{&x, &y}});
}

Expr OpMethods::FusedElementwise(const Operand& x, const Operands& xs,
                                 const FusedElementwiseAttributes& attributes) {
  return CallTypedOne("fused_elementwise", {{&x}, &xs}, {{"program", attributes.program}});
}

Expr OpMethods::Gelu(const Operand& x, const GeluAttributes& attributes) {
  return CallTypedOne("gelu", {{&x}}, {{"approximate", attributes.approximate}});
}

Expr OpMethods::Greater(const Operand& x, const Operand& y) {
  return CallTypedOne("greater", {{&x, &y}});
}

Expr OpMethods::GreaterEqual(const Operand& x, const Operand& y) {
  return CallTypedOne("greater_equal", {{&x, &y}});
}

Expr OpMethods::Igamma(const Operand& x, const Operand& y) {
  return CallTypedOne("igamma", {{&x, &y}});
}

Expr OpMethods::Igammac(const Operand& x, const Operand& y) {
  return CallTypedOne("igammac", {{&x, &y}});
}

Expr OpMethods::IsFinite(const Operand& x) { return CallTypedOne("is_finite", {{&x}}); }

Expr OpMethods::IsInf(const Operand& x) { return CallTypedOne("is_inf", {{&x}}); }

Expr OpMethods::IsNan(const Operand& x) { return CallTypedOne("is_nan", {{&x}}); }

Expr OpMethods::Less(const Operand& x, const Operand& y) {
  return CallTypedOne("less", {{&x, &y}});
}

Expr OpMethods::LessEqual(const Operand& x, const Operand& y) {
  return CallTypedOne("less_equal", {{&x, &y}});
}

Expr OpMethods::Log(const Operand& x) { return CallTypedOne("log", {{&x}}); }

Expr OpMethods::Log1p(const Operand& x) { return CallTypedOne("log1p", {{&x}}); }

Expr OpMethods::LogicalAnd(const Operand& x, const Operand& y) {
  return CallTypedOne("logical_and", {{&x, &y}});
}

Expr OpMethods::LogicalNot(const Operand& x) { return CallTypedOne("logical_not", {{&x}}); }

Expr OpMethods::LogicalOr(const Operand& x, const Operand& y) {
  return CallTypedOne("logical_or", {{&x, &y}});
}

Expr OpMethods::LogicalXor(const Operand& x, const Operand& y) {
  return CallTypedOne("logical_xor", {{&x, &y}});
}

Expr OpMethods::Maximum(const Operand& x, const Operand& y) {
  return CallTypedOne("maximum", {{&x, &y}});
}

Expr OpMethods::Minimum(const Operand& x, const Operand& y) {
  return CallTypedOne("minimum", {{&x, &y}});
}

Expr OpMethods::Mod(const Operand& x, const Operand& y, const ModAttributes& attributes) {
  return CallTypedOne("mod", {{&x, &y}}, {{"truncated", attributes.truncated}});
}

Expr OpMethods::Mul(const Operand& x, const Operand& y) { return CallTypedOne("mul", {{&x, &y}}); }

Expr OpMethods::Neg(const Operand& x) { return CallTypedOne("neg", {{&x}}); }

Expr OpMethods::NextAfter(const Operand& x, const Operand& y) {
  return CallTypedOne("next_after", {{&x, &y}});
}

Expr OpMethods::NotEqual(const Operand& x, const Operand& y) {
  return CallTypedOne("not_equal", {{&x, &y}});
}

Expr OpMethods::Pick(const Operand& index, const Operands& values) {
  return CallTypedOne("pick", {{&index}, &values});
}

Expr OpMethods::Polygamma(const Operand& x, const Operand& y) {
  return CallTypedOne("polygamma", {{&x, &y}});
}

Expr OpMethods::Pow(const Operand& x, const Operand& y) { return CallTypedOne("pow", {{&x, &y}}); }

Expr OpMethods::Reciprocal(const Operand& x) { return CallTypedOne("reciprocal", {{&x}}); }

Expr OpMethods::Relu(const Operand& x) { return CallTypedOne("relu", {{&x}}); }

Expr OpMethods::Round(const Operand& x) { return CallTypedOne("round", {{&x}}); }

Expr OpMethods::Rsqrt(const Operand& x) { return CallTypedOne("rsqrt", {{&x}}); }

Expr OpMethods::Select(const Operand& condition, const Operand& x, const Operand& y) {
  return CallTypedOne("select", {{&condition, &x, &y}});
}

Expr OpMethods::ShiftLeft(const Operand& x, const Operand& y) {
  return CallTypedOne("shift_left", {{&x, &y}});
}

Expr OpMethods::ShiftRight(const Operand& x, const Operand& y) {
  return CallTypedOne("shift_right", {{&x, &y}});
}

Expr OpMethods::Sigmoid(const Operand& x) { return CallTypedOne("sigmoid", {{&x}}); }

Expr OpMethods::Sign(const Operand& x) { return CallTypedOne("sign", {{&x}}); }

Expr OpMethods::Sin(const Operand& x) { return CallTypedOne("sin", {{&x}}); }

Expr OpMethods::Sinh(const Operand& x) { return CallTypedOne("sinh", {{&x}}); }

Expr OpMethods::Softplus(const Operand& x) { return CallTypedOne("softplus", {{&x}}); }

Expr OpMethods::Spence(const Operand& x) { return CallTypedOne("spence", {{&x}}); }

Expr OpMethods::Sqrt(const Operand& x) { return CallTypedOne("sqrt", {{&x}}); }

Expr OpMethods::Square(const Operand& x) { return CallTypedOne("square", {{&x}}); }

Expr OpMethods::Sub(const Operand& x, const Operand& y) { return CallTypedOne("sub", {{&x, &y}}); }

Expr OpMethods::Tan(const Operand& x) { return CallTypedOne("tan", {{&x}}); }

Expr OpMethods::Tanh(const Operand& x) { return CallTypedOne("tanh", {{&x}}); }

Expr OpMethods::Zeta(const Operand& x, const Operand& y) {
  return CallTypedOne("zeta", {{&x, &y}});
}

StatusOr<std::vector<GraphValue>> OpMethods::Apply(const Operands& inputs,
                                                   const ApplyAttributes& attributes) {
  return CallTyped("apply", {{}, &inputs},
                   {{"op", attributes.op}, {"attributes", attributes.attributes}});
}

Expr OpMethods::CheckTrue(const Operand& condition, const CheckTrueAttributes& attributes) {
  return CallTypedOne("check_true", {{&condition}},
                      {{"message", attributes.message}, {"constraint", attributes.constraint}});
}

Expr OpMethods::Decline(const Operands& inputs) { return CallTypedOne("decline", {{}, &inputs}); }

Expr OpMethods::DtypeOf(const Operand& x) { return CallTypedOne("dtype_of", {{&x}}); }

Expr OpMethods::IsA(const Operand& x, const IsAAttributes& attributes) {
  return CallTypedOne("is_a", {{&x}}, {{"type", attributes.type}});
}

Expr OpMethods::IsSame(const Operand& x, const Operand& y) {
  return CallTypedOne("is_same", {{&x, &y}});
}

Expr OpMethods::MakeExtension(const Operands& components,
                              const MakeExtensionAttributes& attributes) {
  return CallTypedOne("make_extension", {{}, &components},
                      {{"type", attributes.type}, {"statics", attributes.statics}});
}

Expr OpMethods::BatchGather(const Operand& x, const Operand& indices) {
  return CallTypedOne("batch_gather", {{&x, &indices}});
}

Expr OpMethods::BooleanMask(const Operand& x, const Operand& mask) {
  return CallTypedOne("boolean_mask", {{&x, &mask}});
}

Expr OpMethods::Bucketize(const Operand& x, const Operand& boundaries) {
  return CallTypedOne("bucketize", {{&x, &boundaries}});
}

Expr OpMethods::Gather(const Operand& x, const Operand& indices,
                       const GatherAttributes& attributes) {
  return CallTypedOne("gather", {{&x, &indices}},
                      {{"axis", attributes.axis}, {"batch_dims", attributes.batch_dims}});
}

Expr OpMethods::GatherElements(const Operand& x, const Operand& indices,
                               const GatherElementsAttributes& attributes) {
  return CallTypedOne("gather_elements", {{&x, &indices}}, {{"axis", attributes.axis}});
}

Expr OpMethods::GatherNd(const Operand& x, const Operand& indices) {
  return CallTypedOne("gather_nd", {{&x, &indices}});
}

Expr OpMethods::GetItem(const Operand& x, const Operands& indices,
                        const GetItemAttributes& attributes) {
  return CallTypedOne("get_item", {{&x}, &indices}, {{"key", attributes.key}});
}

Expr OpMethods::Lookup(const Operand& keys, const Operand& vocabulary,
                       const LookupAttributes& attributes) {
  return CallTypedOne("lookup", {{&keys, &vocabulary}}, {{"default", attributes.default_}});
}

Expr OpMethods::LookupValue(const Operand& keys, const Operand& vocabulary, const Operand& values,
                            const Operand& default_) {
  return CallTypedOne("lookup_value", {{&keys, &vocabulary, &values, &default_}});
}

Expr OpMethods::OneHot(const Operand& indices, const OneHotAttributes& attributes) {
  return CallTypedOne("one_hot", {{&indices}},
                      {{"depth", attributes.depth},
                       {"on", attributes.on},
                       {"off", attributes.off},
                       {"axis", attributes.axis},
                       {"dtype", attributes.dtype}});
}

Expr OpMethods::ScatterElements(const Operand& x, const Operand& indices, const Operand& updates,
                                const ScatterElementsAttributes& attributes) {
  return CallTypedOne("scatter_elements", {{&x, &indices, &updates}},
                      {{"axis", attributes.axis}, {"reduction", attributes.reduction}});
}

Expr OpMethods::ScatterNd(const Operand& x, const Operand& indices, const Operand& updates,
                          const ScatterNdAttributes& attributes) {
  return CallTypedOne("scatter_nd", {{&x, &indices, &updates}},
                      {{"reduction", attributes.reduction}});
}

Expr OpMethods::Slice(const Operand& x, const Operand& starts, const Operand& limits,
                      const Operand& axes, const Operand& steps,
                      const SliceAttributes& attributes) {
  return CallTypedOne("slice", {{&x, &starts, &limits, &axes, &steps}},
                      {{"starts", attributes.starts},
                       {"limits", attributes.limits},
                       {"sizes", attributes.sizes},
                       {"steps", attributes.steps},
                       {"axes", attributes.axes}});
}

StatusOr<std::vector<GraphValue>> OpMethods::Sort(const Operand& x,
                                                  const SortAttributes& attributes) {
  return CallTyped("sort", {{&x}},
                   {{"axis", attributes.axis}, {"descending", attributes.descending}});
}

Expr OpMethods::StructGather(const Operand& x, const Operand& indices) {
  return CallTypedOne("struct_gather", {{&x, &indices}});
}

StatusOr<std::vector<GraphValue>> OpMethods::Unique(const Operand& x,
                                                    const UniqueAttributes& attributes) {
  return CallTyped("unique", {{&x}}, {{"axis", attributes.axis}, {"sorted", attributes.sorted}});
}

Expr OpMethods::Where(const Operand& condition, const Operand& x, const Operand& y) {
  return CallTypedOne("where", {{&condition, &x, &y}});
}

Expr OpMethods::WhereIndices(const Operand& x) { return CallTypedOne("where_indices", {{&x}}); }

Expr OpMethods::WhereRows(const Operand& mask, const Operand& rows) {
  return CallTypedOne("where_rows", {{&mask, &rows}});
}

Expr OpMethods::Det(const Operand& x) { return CallTypedOne("det", {{&x}}); }

Expr OpMethods::Linear(const Operand& a, const Operand& b, const Operand& bias,
                       const Operand& residual, const LinearAttributes& attributes) {
  return CallTypedOne("linear", {{&a, &b, &bias, &residual}},
                      {{"transpose_a", attributes.transpose_a},
                       {"transpose_b", attributes.transpose_b},
                       {"low", attributes.low},
                       {"high", attributes.high}});
}

Expr OpMethods::Matmul(const Operand& a, const Operand& b, const MatmulAttributes& attributes) {
  return CallTypedOne(
      "matmul", {{&a, &b}},
      {{"transpose_a", attributes.transpose_a}, {"transpose_b", attributes.transpose_b}});
}

Expr OpMethods::MatmulInteger(const Operand& a, const Operand& b, const Operand& a_zero_point,
                              const Operand& b_zero_point) {
  return CallTypedOne("matmul_integer", {{&a, &b, &a_zero_point, &b_zero_point}});
}

StatusOr<std::vector<GraphValue>> OpMethods::Gru(const Operand& x, const Operand& w,
                                                 const Operand& r, const Operand& b,
                                                 const Operand& sequence_lens,
                                                 const Operand& initial_h,
                                                 const GruAttributes& attributes) {
  return CallTyped("gru", {{&x, &w, &r, &b, &sequence_lens, &initial_h}},
                   {{"direction", attributes.direction},
                    {"activations", attributes.activations},
                    {"activation_alpha", attributes.activation_alpha},
                    {"activation_beta", attributes.activation_beta},
                    {"clip", attributes.clip},
                    {"linear_before_reset", attributes.linear_before_reset}});
}

Expr OpMethods::LayerNorm(const Operand& x, const Operand& scale, const Operand& bias,
                          const LayerNormAttributes& attributes) {
  return CallTypedOne("layer_norm", {{&x, &scale, &bias}},
                      {{"axis", attributes.axis}, {"epsilon", attributes.epsilon}});
}

StatusOr<std::vector<GraphValue>> OpMethods::LinearAttention(
    const Operand& query, const Operand& key, const Operand& value, const Operand& past_state,
    const Operand& decay, const Operand& beta, const Operand& erase_gate,
    const LinearAttentionAttributes& attributes) {
  return CallTyped("linear_attention",
                   {{&query, &key, &value, &past_state, &decay, &beta, &erase_gate}},
                   {{"q_num_heads", attributes.q_num_heads},
                    {"kv_num_heads", attributes.kv_num_heads},
                    {"scale", attributes.scale}});
}

Expr OpMethods::LocalResponseNorm(const Operand& x, const LocalResponseNormAttributes& attributes) {
  return CallTypedOne("local_response_norm", {{&x}},
                      {{"size", attributes.size},
                       {"alpha", attributes.alpha},
                       {"beta", attributes.beta},
                       {"bias", attributes.bias}});
}

Expr OpMethods::LogSoftmax(const Operand& x, const LogSoftmaxAttributes& attributes) {
  return CallTypedOne("log_softmax", {{&x}}, {{"axis", attributes.axis}});
}

StatusOr<std::vector<GraphValue>> OpMethods::Lstm(const Operand& x, const Operand& w,
                                                  const Operand& r, const Operand& b,
                                                  const Operand& sequence_lens,
                                                  const Operand& initial_h,
                                                  const Operand& initial_c, const Operand& p,
                                                  const LstmAttributes& attributes) {
  return CallTyped("lstm", {{&x, &w, &r, &b, &sequence_lens, &initial_h, &initial_c, &p}},
                   {{"direction", attributes.direction},
                    {"activations", attributes.activations},
                    {"activation_alpha", attributes.activation_alpha},
                    {"activation_beta", attributes.activation_beta},
                    {"clip", attributes.clip},
                    {"input_forget", attributes.input_forget}});
}

StatusOr<std::vector<GraphValue>> OpMethods::LstmSteps(
    const Operand& x, const Operand& r, const Operand& initial_h, const Operand& initial_c,
    const Operand& peepholes, const Operand& length, const LstmStepsAttributes& attributes) {
  return CallTyped("lstm_steps", {{&x, &r, &initial_h, &initial_c, &peepholes, &length}},
                   {{"cell_clip", attributes.cell_clip}});
}

Expr OpMethods::RmsNorm(const Operand& x, const Operand& scale,
                        const RmsNormAttributes& attributes) {
  return CallTypedOne("rms_norm", {{&x, &scale}},
                      {{"axis", attributes.axis}, {"epsilon", attributes.epsilon}});
}

StatusOr<std::vector<GraphValue>> OpMethods::Rnn(const Operand& x, const Operand& w,
                                                 const Operand& r, const Operand& b,
                                                 const Operand& sequence_lens,
                                                 const Operand& initial_h,
                                                 const RnnAttributes& attributes) {
  return CallTyped("rnn", {{&x, &w, &r, &b, &sequence_lens, &initial_h}},
                   {{"direction", attributes.direction},
                    {"activations", attributes.activations},
                    {"activation_alpha", attributes.activation_alpha},
                    {"activation_beta", attributes.activation_beta},
                    {"clip", attributes.clip}});
}

Expr OpMethods::Softmax(const Operand& x, const SoftmaxAttributes& attributes) {
  return CallTypedOne("softmax", {{&x}}, {{"axis", attributes.axis}});
}

Expr OpMethods::Dequantize(const Operand& x, const Operand& scale, const Operand& zero_point,
                           const DequantizeAttributes& attributes) {
  return CallTypedOne("dequantize", {{&x, &scale, &zero_point}},
                      {{"axis", attributes.axis},
                       {"block_size", attributes.block_size},
                       {"dtype", attributes.dtype}});
}

StatusOr<std::vector<GraphValue>> OpMethods::DynamicQuantize(const Operand& x) {
  return CallTyped("dynamic_quantize", {{&x}});
}

Expr OpMethods::Quantize(const Operand& x, const Operand& scale, const Operand& zero_point,
                         const QuantizeAttributes& attributes) {
  return CallTypedOne("quantize", {{&x, &scale, &zero_point}},
                      {{"axis", attributes.axis},
                       {"block_size", attributes.block_size},
                       {"dtype", attributes.dtype}});
}

Expr OpMethods::Requantize(const Operand& x, const Operand& multiplier, const Operand& zero_point,
                           const RequantizeAttributes& attributes) {
  return CallTypedOne("requantize", {{&x, &multiplier, &zero_point}},
                      {{"axis", attributes.axis},
                       {"block_size", attributes.block_size},
                       {"dtype", attributes.dtype}});
}

Expr OpMethods::RoundTo(const Operand& x, const RoundToAttributes& attributes) {
  return CallTypedOne("round_to", {{&x}},
                      {{"format", attributes.format},
                       {"saturate", attributes.saturate},
                       {"rounding", attributes.rounding}});
}

Expr OpMethods::BroadcastDimension(const Operand& sizes, const Operand& lengths,
                                   const BroadcastDimensionAttributes& attributes) {
  return CallTypedOne("broadcast_dimension", {{&sizes, &lengths}}, {{"axis", attributes.axis}});
}

Expr OpMethods::BroadcastSizes(const Operand& x, const Operand& y) {
  return CallTypedOne("broadcast_sizes", {{&x, &y}});
}

Expr OpMethods::CheckIndex(const Operand& index, const Operand& size) {
  return CallTypedOne("check_index", {{&index, &size}});
}

Expr OpMethods::CheckNumValues(const Operand& values, const Operand& row_splits) {
  return CallTypedOne("check_num_values", {{&values, &row_splits}});
}

Expr OpMethods::CheckRowSplits(const Operand& row_splits, const Operand& num_values) {
  return CallTypedOne("check_row_splits", {{&row_splits, &num_values}});
}

Expr OpMethods::CheckSameSize(const Operand& size, const Operand& other) {
  return CallTypedOne("check_same_size", {{&size, &other}});
}

Expr OpMethods::CheckSameSplits(const Operand& row_splits, const Operand& others) {
  return CallTypedOne("check_same_splits", {{&row_splits, &others}});
}

Expr OpMethods::ClipLengths(const Operand& lengths, const Operand& width) {
  return CallTypedOne("clip_lengths", {{&lengths, &width}});
}

StatusOr<std::vector<GraphValue>> OpMethods::ClipSlice(const Operand& size, const Operand& start,
                                                       const Operand& limit,
                                                       const ClipSliceAttributes& attributes) {
  return CallTyped(
      "clip_slice", {{&size, &start, &limit}},
      {{"start", attributes.start}, {"limit", attributes.limit}, {"step", attributes.step}});
}

Expr OpMethods::ConcatRowSplits(const Operands& row_splits) {
  return CallTypedOne("concat_row_splits", {{}, &row_splits});
}

Expr OpMethods::Cross(const Operands& features, const CrossAttributes& attributes) {
  return CallTypedOne(
      "cross", {{}, &features},
      {{"num_buckets", attributes.num_buckets}, {"separator", attributes.separator}});
}

StatusOr<std::vector<GraphValue>> OpMethods::CrossRows(const Operands& row_splits) {
  return CallTyped("cross_rows", {{}, &row_splits});
}

StatusOr<std::vector<GraphValue>> OpMethods::CutRowSplits(const Operand& row_splits,
                                                          const Operand& start,
                                                          const Operand& count) {
  return CallTyped("cut_row_splits", {{&row_splits, &start, &count}});
}

Expr OpMethods::CutRows(const Operand& x, const Operand& start, const Operand& count) {
  return CallTypedOne("cut_rows", {{&x, &start, &count}});
}

Expr OpMethods::EmbeddingLookup(const Operand& table, const Operand& ids, const Operand& weights,
                                const EmbeddingLookupAttributes& attributes) {
  return CallTypedOne("embedding_lookup", {{&table, &ids, &weights}},
                      {{"combiner", attributes.combiner}, {"max_norm", attributes.max_norm}});
}

Expr OpMethods::FlatPositions(const Operand& positions, const Operand& row_splits) {
  return CallTypedOne("flat_positions", {{&positions, &row_splits}});
}

StatusOr<std::vector<GraphValue>> OpMethods::GatherRowSplits(const Operand& row_splits,
                                                             const Operand& rows) {
  return CallTyped("gather_row_splits", {{&row_splits, &rows}});
}

Expr OpMethods::GroupAll(const Operand& values, const Operand& groups, const Operand& count) {
  return CallTypedOne("group_all", {{&values, &groups, &count}});
}

Expr OpMethods::GroupAny(const Operand& values, const Operand& groups, const Operand& count) {
  return CallTypedOne("group_any", {{&values, &groups, &count}});
}

Expr OpMethods::GroupMax(const Operand& values, const Operand& groups, const Operand& count,
                         const GroupMaxAttributes& attributes) {
  return CallTypedOne("group_max", {{&values, &groups, &count}},
                      {{"default", attributes.default_}});
}

Expr OpMethods::GroupMean(const Operand& values, const Operand& groups, const Operand& count,
                          const GroupMeanAttributes& attributes) {
  return CallTypedOne("group_mean", {{&values, &groups, &count}},
                      {{"default", attributes.default_}});
}

Expr OpMethods::GroupMin(const Operand& values, const Operand& groups, const Operand& count,
                         const GroupMinAttributes& attributes) {
  return CallTypedOne("group_min", {{&values, &groups, &count}},
                      {{"default", attributes.default_}});
}

StatusOr<std::vector<GraphValue>> OpMethods::GroupOrder(const Operand& groups,
                                                        const Operand& count) {
  return CallTyped("group_order", {{&groups, &count}});
}

Expr OpMethods::GroupProd(const Operand& values, const Operand& groups, const Operand& count) {
  return CallTypedOne("group_prod", {{&values, &groups, &count}});
}

Expr OpMethods::GroupSum(const Operand& values, const Operand& groups, const Operand& count) {
  return CallTypedOne("group_sum", {{&values, &groups, &count}});
}

StatusOr<std::vector<GraphValue>> OpMethods::InterleaveRows(const Operands& row_splits) {
  return CallTyped("interleave_rows", {{}, &row_splits});
}

Expr OpMethods::LengthsWithoutPadding(const Operand& is_padding) {
  return CallTypedOne("lengths_without_padding", {{&is_padding}});
}

Expr OpMethods::MaskRowSplits(const Operand& row_splits, const Operand& mask) {
  return CallTypedOne("mask_row_splits", {{&row_splits, &mask}});
}

Expr OpMethods::NumRows(const Operand& row_splits) {
  return CallTypedOne("num_rows", {{&row_splits}});
}

Expr OpMethods::NumValues(const Operand& row_splits) {
  return CallTypedOne("num_values", {{&row_splits}});
}

StatusOr<std::vector<GraphValue>> OpMethods::OverlayRows(const Operand& row_splits,
                                                         const Operand& groups,
                                                         const Operand& count) {
  return CallTyped("overlay_rows", {{&row_splits, &groups, &count}});
}

Expr OpMethods::PadRows(const Operand& values, const Operand& row_splits, const Operand& default_,
                        const PadRowsAttributes& attributes) {
  return CallTypedOne("pad_rows", {{&values, &row_splits, &default_}},
                      {{"width", attributes.width}});
}

Expr OpMethods::RaggedFromDense(const Operand& x, const Operand& lengths, const Operand& padding,
                                const RaggedFromDenseAttributes& attributes) {
  return CallTypedOne("ragged_from_dense", {{&x, &lengths, &padding}},
                      {{"ragged_rank", attributes.ragged_rank}});
}

Expr OpMethods::RaggedFromRowSplits(const Operand& values, const Operand& row_splits) {
  return CallTypedOne("ragged_from_row_splits", {{&values, &row_splits}});
}

Expr OpMethods::RaggedFromSparse(const Operand& x) {
  return CallTypedOne("ragged_from_sparse", {{&x}});
}

Expr OpMethods::RaggedRange(const Operands& bounds) {
  return CallTypedOne("ragged_range", {{}, &bounds});
}

Expr OpMethods::RaggedRowSplits(const Operand& x, const RaggedRowSplitsAttributes& attributes) {
  return CallTypedOne("ragged_row_splits", {{&x}}, {{"axis", attributes.axis}});
}

Expr OpMethods::RaggedToDense(const Operand& x, const Operand& default_,
                              const RaggedToDenseAttributes& attributes) {
  return CallTypedOne("ragged_to_dense", {{&x, &default_}}, {{"shape", attributes.shape}});
}

Expr OpMethods::RaggedToSparse(const Operand& x) {
  return CallTypedOne("ragged_to_sparse", {{&x}});
}

Expr OpMethods::RaggedValues(const Operand& x) { return CallTypedOne("ragged_values", {{&x}}); }

Expr OpMethods::RepeatRows(const Operand& x, const Operand& row_splits) {
  return CallTypedOne("repeat_rows", {{&x, &row_splits}});
}

Expr OpMethods::RowElements(const Operand& row_splits, const Operand& rows, const Operand& indices,
                            const RowElementsAttributes& attributes) {
  return CallTypedOne("row_elements", {{&row_splits, &rows, &indices}},
                      {{"negative", attributes.negative}});
}

Expr OpMethods::RowLengths(const Operand& row_splits) {
  return CallTypedOne("row_lengths", {{&row_splits}});
}

StatusOr<std::vector<GraphValue>> OpMethods::RowRanges(const Operand& starts, const Operand& limits,
                                                       const Operand& steps) {
  return CallTyped("row_ranges", {{&starts, &limits, &steps}});
}

Expr OpMethods::RowSplitsFromLengths(const Operand& lengths) {
  return CallTypedOne("row_splits_from_lengths", {{&lengths}});
}

Expr OpMethods::RowSplitsFromLimits(const Operand& limits) {
  return CallTypedOne("row_splits_from_limits", {{&limits}});
}

Expr OpMethods::RowSplitsFromRowIds(const Operand& row_ids, const Operand& rows) {
  return CallTypedOne("row_splits_from_row_ids", {{&row_ids, &rows}});
}

Expr OpMethods::RowSplitsFromStarts(const Operand& starts, const Operand& num_values) {
  return CallTypedOne("row_splits_from_starts", {{&starts, &num_values}});
}

Expr OpMethods::SegmentAll(const Operand& values, const Operand& row_splits) {
  return CallTypedOne("segment_all", {{&values, &row_splits}});
}

Expr OpMethods::SegmentAny(const Operand& values, const Operand& row_splits) {
  return CallTypedOne("segment_any", {{&values, &row_splits}});
}

Expr OpMethods::SegmentArgmax(const Operand& values, const Operand& row_splits,
                              const SegmentArgmaxAttributes& attributes) {
  return CallTypedOne("segment_argmax", {{&values, &row_splits}}, {{"last", attributes.last}});
}

Expr OpMethods::SegmentArgmin(const Operand& values, const Operand& row_splits,
                              const SegmentArgminAttributes& attributes) {
  return CallTypedOne("segment_argmin", {{&values, &row_splits}}, {{"last", attributes.last}});
}

Expr OpMethods::SegmentCumsum(const Operand& values, const Operand& row_splits,
                              const SegmentCumsumAttributes& attributes) {
  return CallTypedOne("segment_cumsum", {{&values, &row_splits}},
                      {{"exclusive", attributes.exclusive}, {"reverse", attributes.reverse}});
}

Expr OpMethods::SegmentIds(const Operand& row_splits) {
  return CallTypedOne("segment_ids", {{&row_splits}});
}

Expr OpMethods::SegmentLogSoftmax(const Operand& values, const Operand& row_splits) {
  return CallTypedOne("segment_log_softmax", {{&values, &row_splits}});
}

Expr OpMethods::SegmentMax(const Operand& values, const Operand& row_splits,
                           const SegmentMaxAttributes& attributes) {
  return CallTypedOne("segment_max", {{&values, &row_splits}}, {{"default", attributes.default_}});
}

Expr OpMethods::SegmentMean(const Operand& values, const Operand& row_splits,
                            const SegmentMeanAttributes& attributes) {
  return CallTypedOne("segment_mean", {{&values, &row_splits}}, {{"default", attributes.default_}});
}

Expr OpMethods::SegmentMin(const Operand& values, const Operand& row_splits,
                           const SegmentMinAttributes& attributes) {
  return CallTypedOne("segment_min", {{&values, &row_splits}}, {{"default", attributes.default_}});
}

Expr OpMethods::SegmentProd(const Operand& values, const Operand& row_splits) {
  return CallTypedOne("segment_prod", {{&values, &row_splits}});
}

Expr OpMethods::SegmentSoftmax(const Operand& values, const Operand& row_splits) {
  return CallTypedOne("segment_softmax", {{&values, &row_splits}});
}

StatusOr<std::vector<GraphValue>> OpMethods::SegmentSort(const Operand& values,
                                                         const Operand& row_splits,
                                                         const Operand& k,
                                                         const SegmentSortAttributes& attributes) {
  return CallTyped("segment_sort", {{&values, &row_splits, &k}},
                   {{"descending", attributes.descending}, {"k", attributes.k}});
}

Expr OpMethods::SegmentSum(const Operand& values, const Operand& row_splits) {
  return CallTypedOne("segment_sum", {{&values, &row_splits}});
}

StatusOr<std::vector<GraphValue>> OpMethods::SegmentTopK(const Operand& scores,
                                                         const Operand& row_splits,
                                                         const Operand& k,
                                                         const SegmentTopKAttributes& attributes) {
  return CallTyped("segment_top_k", {{&scores, &row_splits, &k}}, {{"k", attributes.k}});
}

StatusOr<std::vector<GraphValue>> OpMethods::SliceRowValues(
    const Operand& x, const Operand& row_splits, const Operand& start, const Operand& limit,
    const SliceRowValuesAttributes& attributes) {
  return CallTyped(
      "slice_row_values", {{&x, &row_splits, &start, &limit}},
      {{"start", attributes.start}, {"limit", attributes.limit}, {"step", attributes.step}});
}

StatusOr<std::vector<GraphValue>> OpMethods::SliceRows(const Operand& row_splits,
                                                       const Operand& start, const Operand& limit,
                                                       const SliceRowsAttributes& attributes) {
  return CallTyped(
      "slice_rows", {{&row_splits, &start, &limit}},
      {{"start", attributes.start}, {"limit", attributes.limit}, {"step", attributes.step}});
}

StatusOr<std::vector<GraphValue>> OpMethods::TileRows(const Operand& row_splits,
                                                      const Operand& multiple) {
  return CallTyped("tile_rows", {{&row_splits, &multiple}});
}

Expr OpMethods::UniformRowSplits(const Operand& rows, const Operand& length,
                                 const UniformRowSplitsAttributes& attributes) {
  return CallTypedOne("uniform_row_splits", {{&rows, &length}}, {{"dtype", attributes.dtype}});
}

Expr OpMethods::UnpadRows(const Operand& x, const Operand& row_splits) {
  return CallTypedOne("unpad_rows", {{&x, &row_splits}});
}

Expr OpMethods::RandomCategorical(const Operand& seed, const Operand& logits,
                                  const RandomCategoricalAttributes& attributes) {
  return CallTypedOne("random_categorical", {{&seed, &logits}},
                      {{"num_samples", attributes.num_samples}});
}

Expr OpMethods::RandomGamma(const Operand& seed, const Operand& alpha) {
  return CallTypedOne("random_gamma", {{&seed, &alpha}});
}

Expr OpMethods::RandomNormal(const Operand& seed, const Operand& shape,
                             const RandomNormalAttributes& attributes) {
  return CallTypedOne("random_normal", {{&seed, &shape}},
                      {{"shape", attributes.shape},
                       {"mean", attributes.mean},
                       {"stddev", attributes.stddev},
                       {"dtype", attributes.dtype}});
}

Expr OpMethods::RandomPermutation(const Operand& seed, const Operand& count) {
  return CallTypedOne("random_permutation", {{&seed, &count}});
}

Expr OpMethods::RandomPoisson(const Operand& seed, const Operand& rate) {
  return CallTypedOne("random_poisson", {{&seed, &rate}});
}

Expr OpMethods::RandomShuffle(const Operand& x, const Operand& seed) {
  return CallTypedOne("random_shuffle", {{&x, &seed}});
}

Expr OpMethods::RandomUniform(const Operand& seed, const Operand& shape,
                              const RandomUniformAttributes& attributes) {
  return CallTypedOne("random_uniform", {{&seed, &shape}},
                      {{"shape", attributes.shape},
                       {"low", attributes.low},
                       {"high", attributes.high},
                       {"dtype", attributes.dtype}});
}

Expr OpMethods::Argmax(const Operand& x, const ArgmaxAttributes& attributes) {
  return CallTypedOne(
      "argmax", {{&x}},
      {{"axis", attributes.axis}, {"keepdims", attributes.keepdims}, {"last", attributes.last}});
}

Expr OpMethods::Argmin(const Operand& x, const ArgminAttributes& attributes) {
  return CallTypedOne(
      "argmin", {{&x}},
      {{"axis", attributes.axis}, {"keepdims", attributes.keepdims}, {"last", attributes.last}});
}

Expr OpMethods::Cumprod(const Operand& x, const Operand& axis,
                        const CumprodAttributes& attributes) {
  return CallTypedOne("cumprod", {{&x, &axis}},
                      {{"axis", attributes.axis},
                       {"exclusive", attributes.exclusive},
                       {"reverse", attributes.reverse}});
}

Expr OpMethods::Cumsum(const Operand& x, const Operand& axis, const CumsumAttributes& attributes) {
  return CallTypedOne("cumsum", {{&x, &axis}},
                      {{"axis", attributes.axis},
                       {"exclusive", attributes.exclusive},
                       {"reverse", attributes.reverse}});
}

Expr OpMethods::CumulativeLogsumexp(const Operand& x, const Operand& axis,
                                    const CumulativeLogsumexpAttributes& attributes) {
  return CallTypedOne("cumulative_logsumexp", {{&x, &axis}},
                      {{"axis", attributes.axis},
                       {"exclusive", attributes.exclusive},
                       {"reverse", attributes.reverse}});
}

Expr OpMethods::ReduceAll(const Operand& x, const Operand& axes,
                          const ReduceAllAttributes& attributes) {
  return CallTypedOne("reduce_all", {{&x, &axes}},
                      {{"axes", attributes.axes},
                       {"keepdims", attributes.keepdims},
                       {"empty_is_all", attributes.empty_is_all}});
}

Expr OpMethods::ReduceAny(const Operand& x, const Operand& axes,
                          const ReduceAnyAttributes& attributes) {
  return CallTypedOne("reduce_any", {{&x, &axes}},
                      {{"axes", attributes.axes},
                       {"keepdims", attributes.keepdims},
                       {"empty_is_all", attributes.empty_is_all}});
}

Expr OpMethods::ReduceMax(const Operand& x, const Operand& axes,
                          const ReduceMaxAttributes& attributes) {
  return CallTypedOne("reduce_max", {{&x, &axes}},
                      {{"axes", attributes.axes},
                       {"keepdims", attributes.keepdims},
                       {"empty_is_all", attributes.empty_is_all},
                       {"default", attributes.default_}});
}

Expr OpMethods::ReduceMean(const Operand& x, const Operand& axes,
                           const ReduceMeanAttributes& attributes) {
  return CallTypedOne("reduce_mean", {{&x, &axes}},
                      {{"axes", attributes.axes},
                       {"keepdims", attributes.keepdims},
                       {"empty_is_all", attributes.empty_is_all},
                       {"default", attributes.default_}});
}

Expr OpMethods::ReduceMin(const Operand& x, const Operand& axes,
                          const ReduceMinAttributes& attributes) {
  return CallTypedOne("reduce_min", {{&x, &axes}},
                      {{"axes", attributes.axes},
                       {"keepdims", attributes.keepdims},
                       {"empty_is_all", attributes.empty_is_all},
                       {"default", attributes.default_}});
}

Expr OpMethods::ReduceProd(const Operand& x, const Operand& axes,
                           const ReduceProdAttributes& attributes) {
  return CallTypedOne("reduce_prod", {{&x, &axes}},
                      {{"axes", attributes.axes},
                       {"keepdims", attributes.keepdims},
                       {"empty_is_all", attributes.empty_is_all}});
}

Expr OpMethods::ReduceSum(const Operand& x, const Operand& axes,
                          const ReduceSumAttributes& attributes) {
  return CallTypedOne("reduce_sum", {{&x, &axes}},
                      {{"axes", attributes.axes},
                       {"keepdims", attributes.keepdims},
                       {"empty_is_all", attributes.empty_is_all}});
}

StatusOr<std::vector<GraphValue>> OpMethods::TopK(const Operand& x, const Operand& k,
                                                  const TopKAttributes& attributes) {
  return CallTyped(
      "top_k", {{&x, &k}},
      {{"axis", attributes.axis}, {"k", attributes.k}, {"largest", attributes.largest}});
}

Expr OpMethods::BroadcastTo(const Operand& x, const Operand& shape,
                            const BroadcastToAttributes& attributes) {
  return CallTypedOne("broadcast_to", {{&x, &shape}}, {{"shape", attributes.shape}});
}

Expr OpMethods::Concat(const Operands& values, const ConcatAttributes& attributes) {
  return CallTypedOne("concat", {{}, &values},
                      {{"axis", attributes.axis}, {"ragged", attributes.ragged}});
}

Expr OpMethods::DimSize(const Operand& x, const DimSizeAttributes& attributes) {
  return CallTypedOne("dim_size", {{&x}}, {{"axis", attributes.axis}});
}

Expr OpMethods::DimSizes(const Operand& x, const DimSizesAttributes& attributes) {
  return CallTypedOne("dim_sizes", {{&x}}, {{"dtype", attributes.dtype}});
}

Expr OpMethods::DynamicShape(const Operand& x) { return CallTypedOne("dynamic_shape", {{&x}}); }

Expr OpMethods::DynamicSize(const Operand& x, const DynamicSizeAttributes& attributes) {
  return CallTypedOne("dynamic_size", {{&x}}, {{"axis", attributes.axis}});
}

Expr OpMethods::ExpandDims(const Operand& x, const ExpandDimsAttributes& attributes) {
  return CallTypedOne("expand_dims", {{&x}}, {{"axis", attributes.axis}});
}

Expr OpMethods::Fill(const Operand& value, const Operand& shape, const FillAttributes& attributes) {
  return CallTypedOne("fill", {{&value, &shape}}, {{"shape", attributes.shape}});
}

Expr OpMethods::Flatten(const Operand& x, const FlattenAttributes& attributes) {
  return CallTypedOne("flatten", {{&x}}, {{"first", attributes.first}, {"last", attributes.last}});
}

Expr OpMethods::Identity(const Operand& x) { return CallTypedOne("identity", {{&x}}); }

Expr OpMethods::MergeDims(const Operand& x, const MergeDimsAttributes& attributes) {
  return CallTypedOne("merge_dims", {{&x}},
                      {{"outer", attributes.outer}, {"inner", attributes.inner}});
}

Expr OpMethods::MoveAxis(const Operand& x, const MoveAxisAttributes& attributes) {
  return CallTypedOne("move_axis", {{&x}}, {{"from", attributes.from}, {"to", attributes.to}});
}

Expr OpMethods::OnesLike(const Operand& x, const OnesLikeAttributes& attributes) {
  return CallTypedOne("ones_like", {{&x}}, {{"dtype", attributes.dtype}});
}

Expr OpMethods::Pad(const Operand& x, const Operand& value, const Operand& before,
                    const Operand& after, const PadAttributes& attributes) {
  return CallTypedOne(
      "pad", {{&x, &value, &before, &after}},
      {{"before", attributes.before}, {"after", attributes.after}, {"mode", attributes.mode}});
}

Expr OpMethods::PartitionOuterDimension(const Operand& x, const Operand& row_splits,
                                        const PartitionOuterDimensionAttributes& attributes) {
  return CallTypedOne(
      "partition_outer_dimension", {{&x, &row_splits}},
      {{"uniform_row_length", attributes.uniform_row_length}, {"nrows", attributes.nrows}});
}

Expr OpMethods::Range(const Operands& bounds, const RangeAttributes& attributes) {
  return CallTypedOne("range", {{}, &bounds},
                      {{"start", attributes.start},
                       {"limit", attributes.limit},
                       {"step", attributes.step},
                       {"dtype", attributes.dtype}});
}

Expr OpMethods::Rank(const Operand& x, const RankAttributes& attributes) {
  return CallTypedOne("rank", {{&x}}, {{"dtype", attributes.dtype}});
}

Expr OpMethods::Reshape(const Operand& x, const Operand& shape,
                        const ReshapeAttributes& attributes) {
  return CallTypedOne("reshape", {{&x, &shape}}, {{"shape", attributes.shape}});
}

Expr OpMethods::Reverse(const Operand& x, const ReverseAttributes& attributes) {
  return CallTypedOne("reverse", {{&x}}, {{"axes", attributes.axes}});
}

Expr OpMethods::SameSize(const Operands& xs, const SameSizeAttributes& attributes) {
  return CallTypedOne("same_size", {{}, &xs},
                      {{"axes", attributes.axes},
                       {"parameters", attributes.parameters},
                       {"name", attributes.name}});
}

Expr OpMethods::Shape(const Operand& x, const ShapeAttributes& attributes) {
  return CallTypedOne("shape", {{&x}}, {{"dtype", attributes.dtype}});
}

Expr OpMethods::Size(const Operand& x, const SizeAttributes& attributes) {
  return CallTypedOne("size", {{&x}}, {{"dtype", attributes.dtype}});
}

StatusOr<std::vector<GraphValue>> OpMethods::Split(const Operand& x,
                                                   const SplitAttributes& attributes) {
  return CallTyped(
      "split", {{&x}},
      {{"axis", attributes.axis}, {"num", attributes.num}, {"sizes", attributes.sizes}});
}

Expr OpMethods::Squeeze(const Operand& x, const SqueezeAttributes& attributes) {
  return CallTypedOne("squeeze", {{&x}}, {{"axes", attributes.axes}});
}

Expr OpMethods::Stack(const Operands& values, const StackAttributes& attributes) {
  return CallTypedOne("stack", {{}, &values},
                      {{"axis", attributes.axis}, {"ragged", attributes.ragged}});
}

Expr OpMethods::Tile(const Operand& x, const Operand& multiples, const TileAttributes& attributes) {
  return CallTypedOne("tile", {{&x, &multiples}}, {{"multiples", attributes.multiples}});
}

Expr OpMethods::Transpose(const Operand& x, const TransposeAttributes& attributes) {
  return CallTypedOne("transpose", {{&x}}, {{"perm", attributes.perm}});
}

StatusOr<std::vector<GraphValue>> OpMethods::Unstack(const Operand& x,
                                                     const UnstackAttributes& attributes) {
  return CallTyped("unstack", {{&x}}, {{"axis", attributes.axis}, {"num", attributes.num}});
}

Expr OpMethods::ZerosLike(const Operand& x, const ZerosLikeAttributes& attributes) {
  return CallTypedOne("zeros_like", {{&x}}, {{"dtype", attributes.dtype}});
}

Expr OpMethods::Dft(const Operand& x, const Operand& length, const Operand& axis,
                    const DftAttributes& attributes) {
  return CallTypedOne("dft", {{&x, &length, &axis}},
                      {{"length", attributes.length},
                       {"axis", attributes.axis},
                       {"inverse", attributes.inverse},
                       {"onesided", attributes.onesided}});
}

Expr OpMethods::MelWeightMatrix(const Operand& num_bins, const Operand& dft_length,
                                const Operand& sample_rate, const Operand& lower_edge,
                                const Operand& upper_edge) {
  return CallTypedOne("mel_weight_matrix",
                      {{&num_bins, &dft_length, &sample_rate, &lower_edge, &upper_edge}});
}

Expr OpMethods::BoundingShape(const Operand& indices) {
  return CallTypedOne("bounding_shape", {{&indices}});
}

Expr OpMethods::CompleteShape(const Operand& dense_shape, const Operand& shape) {
  return CallTypedOne("complete_shape", {{&dense_shape, &shape}});
}

Expr OpMethods::CsrMatmul(const Operand& values, const Operand& columns, const Operand& row_splits,
                          const Operand& dense) {
  return CallTypedOne("csr_matmul", {{&values, &columns, &row_splits, &dense}});
}

StatusOr<std::vector<GraphValue>> OpMethods::CutEntries(const Operand& indices,
                                                        const Operand& starts,
                                                        const Operand& sizes) {
  return CallTyped("cut_entries", {{&indices, &starts, &sizes}});
}

StatusOr<std::vector<GraphValue>> OpMethods::FillRows(const Operand& indices,
                                                      const Operand& dense_shape) {
  return CallTyped("fill_rows", {{&indices, &dense_shape}});
}

Expr OpMethods::GroupEqual(const Operand& sorted) {
  return CallTypedOne("group_equal", {{&sorted}});
}

Expr OpMethods::RavelIndices(const Operand& indices, const Operand& dense_shape) {
  return CallTypedOne("ravel_indices", {{&indices, &dense_shape}});
}

Expr OpMethods::ScatterDense(const Operand& positions, const Operand& values,
                             const Operand& dense_shape, const Operand& default_) {
  return CallTypedOne("scatter_dense", {{&positions, &values, &dense_shape, &default_}});
}

StatusOr<std::vector<GraphValue>> OpMethods::SparseComponents(const Operand& x) {
  return CallTyped("sparse_components", {{&x}});
}

StatusOr<std::vector<GraphValue>> OpMethods::SparseFillEmptyRows(const Operand& x,
                                                                 const Operand& default_) {
  return CallTyped("sparse_fill_empty_rows", {{&x, &default_}});
}

Expr OpMethods::SparseFromDense(const Operand& x) {
  return CallTypedOne("sparse_from_dense", {{&x}});
}

Expr OpMethods::SparseFromEntries(const Operand& indices, const Operand& values,
                                  const Operand& dense_shape) {
  return CallTypedOne("sparse_from_entries", {{&indices, &values, &dense_shape}});
}

Expr OpMethods::SparseResetShape(const Operand& x, const SparseResetShapeAttributes& attributes) {
  return CallTypedOne("sparse_reset_shape", {{&x}}, {{"shape", attributes.shape}});
}

Expr OpMethods::SparseRetain(const Operand& x, const Operand& keep) {
  return CallTypedOne("sparse_retain", {{&x, &keep}});
}

Expr OpMethods::SparseToDense(const Operand& x, const Operand& default_) {
  return CallTypedOne("sparse_to_dense", {{&x, &default_}});
}

StatusOr<std::vector<GraphValue>> OpMethods::SparseWindow(
    const Operand& dense_shape, const SparseWindowAttributes& attributes) {
  return CallTyped("sparse_window", {{&dense_shape}},
                   {{"starts", attributes.starts},
                    {"limits", attributes.limits},
                    {"sizes", attributes.sizes},
                    {"steps", attributes.steps},
                    {"axes", attributes.axes}});
}

Expr OpMethods::UnravelIndices(const Operand& positions, const Operand& dense_shape) {
  return CallTypedOne("unravel_indices", {{&positions, &dense_shape}});
}

Expr OpMethods::BroadcastField(const Operand& x, const BroadcastFieldAttributes& attributes) {
  return CallTypedOne(
      "broadcast_field", {{&x}},
      {{"path", attributes.path}, {"into", attributes.into}, {"name", attributes.name}});
}

Expr OpMethods::MakeDict(const Operands& items, const MakeDictAttributes& attributes) {
  return CallTypedOne("make_dict", {{}, &items}, {{"names", attributes.names}});
}

Expr OpMethods::MakeList(const Operands& elements) {
  return CallTypedOne("make_list", {{}, &elements});
}

Expr OpMethods::MakeTuple(const Operands& elements) {
  return CallTypedOne("make_tuple", {{}, &elements});
}

Expr OpMethods::Promote(const Operand& x, const PromoteAttributes& attributes) {
  return CallTypedOne("promote", {{&x}}, {{"path", attributes.path}, {"name", attributes.name}});
}

Expr OpMethods::PromoteAndBroadcast(const Operand& x,
                                    const PromoteAndBroadcastAttributes& attributes) {
  return CallTypedOne(
      "promote_and_broadcast", {{&x}},
      {{"path", attributes.path}, {"into", attributes.into}, {"name", attributes.name}});
}

Expr OpMethods::StructGet(const Operand& x, const StructGetAttributes& attributes) {
  return CallTypedOne("struct_get", {{&x}}, {{"field", attributes.field}});
}

Expr OpMethods::StructHas(const Operand& x, const StructHasAttributes& attributes) {
  return CallTypedOne("struct_has", {{&x}}, {{"path", attributes.path}, {"name", attributes.name}});
}

Expr OpMethods::StructMake(const Operands& fields, const StructMakeAttributes& attributes) {
  return CallTypedOne("struct_make", {{}, &fields},
                      {{"names", attributes.names}, {"rank", attributes.rank}});
}

Expr OpMethods::StructNrows(const Operand& x) { return CallTypedOne("struct_nrows", {{&x}}); }

Expr OpMethods::StructSize(const Operand& x, const StructSizeAttributes& attributes) {
  return CallTypedOne("struct_size", {{&x}},
                      {{"path", attributes.path}, {"name", attributes.name}});
}

Expr OpMethods::StructUpdate(const Operand& x, const Operands& values,
                             const StructUpdateAttributes& attributes) {
  return CallTypedOne("struct_update", {{&x}, &values},
                      {{"names", attributes.names}, {"without", attributes.without}});
}

Expr OpMethods::StructWithOnly(const Operand& x, const StructWithOnlyAttributes& attributes) {
  return CallTypedOne("struct_with_only", {{&x}}, {{"names", attributes.names}});
}

Expr OpMethods::StructWithout(const Operand& x, const StructWithoutAttributes& attributes) {
  return CallTypedOne("struct_without", {{&x}}, {{"names", attributes.names}});
}

Expr OpMethods::CouplePairs(const Operand& x, const CouplePairsAttributes& attributes) {
  return CallTypedOne("couple_pairs", {{&x}}, {{"num_classes", attributes.num_classes}});
}

Expr OpMethods::NgramWeights(const Operand& x, const Operand& pool, const Operand& starts,
                             const Operand& columns, const Operand& weights,
                             const NgramWeightsAttributes& attributes) {
  return CallTypedOne("ngram_weights", {{&x, &pool, &starts, &columns, &weights}},
                      {{"num_columns", attributes.num_columns},
                       {"mode", attributes.mode},
                       {"min_length", attributes.min_length},
                       {"max_length", attributes.max_length},
                       {"max_skips", attributes.max_skips}});
}

Expr OpMethods::NormalizeRows(const Operand& x, const NormalizeRowsAttributes& attributes) {
  return CallTypedOne("normalize_rows", {{&x}}, {{"norm", attributes.norm}});
}

Expr OpMethods::ParseCsv(const Operand& records, const ParseCsvAttributes& attributes) {
  return CallTypedOne("parse_csv", {{&records}},
                      {{"delimiter", attributes.delimiter},
                       {"quotes", attributes.quotes},
                       {"columns", attributes.columns},
                       {"num_columns", attributes.num_columns}});
}

StatusOr<std::vector<GraphValue>> OpMethods::ParseExamples(
    const Operand& serialized, const ParseExamplesAttributes& attributes) {
  return CallTyped("parse_examples", {{&serialized}},
                   {{"features", attributes.features}, {"dtypes", attributes.dtypes}});
}

StatusOr<std::vector<GraphValue>> OpMethods::ParseFeatureLists(
    const Operand& serialized, const ParseFeatureListsAttributes& attributes) {
  return CallTyped("parse_feature_lists", {{&serialized}},
                   {{"features", attributes.features}, {"dtypes", attributes.dtypes}});
}

Expr OpMethods::ParseTensor(const Operand& serialized, const ParseTensorAttributes& attributes) {
  return CallTypedOne("parse_tensor", {{&serialized}}, {{"dtype", attributes.dtype}});
}

StatusOr<std::vector<GraphValue>> OpMethods::ParseTensorRows(
    const Operand& serialized, const ParseTensorRowsAttributes& attributes) {
  return CallTyped("parse_tensor_rows", {{&serialized}},
                   {{"dtype", attributes.dtype}, {"rank", attributes.rank}});
}

Expr OpMethods::SerializeTensor(const Operand& x) {
  return CallTypedOne("serialize_tensor", {{&x}});
}

Expr OpMethods::SerializeTensorRows(const Operand& values, const Operand& row_splits) {
  return CallTypedOne("serialize_tensor_rows", {{&values, &row_splits}});
}

Expr OpMethods::SquaredDistances(const Operand& a, const Operand& b) {
  return CallTypedOne("squared_distances", {{&a, &b}});
}

Expr OpMethods::TreeEnsemble(const Operand& x, const Operand& nodes, const Operand& thresholds,
                             const Operand& roots, const Operand& targets, const Operand& weights,
                             const Operand& base, const TreeEnsembleAttributes& attributes) {
  return CallTypedOne(
      "tree_ensemble", {{&x, &nodes, &thresholds, &roots, &targets, &weights, &base}},
      {{"num_targets", attributes.num_targets}, {"aggregate", attributes.aggregate}});
}

Expr OpMethods::VotePairs(const Operand& x, const VotePairsAttributes& attributes) {
  return CallTypedOne("vote_pairs", {{&x}}, {{"num_classes", attributes.num_classes}});
}

Expr OpMethods::DatePart(const Operand& x, const DatePartAttributes& attributes) {
  return CallTypedOne("date_part", {{&x}}, {{"part", attributes.part}});
}

Expr OpMethods::DecodeBase64(const Operand& x) { return CallTypedOne("decode_base64", {{&x}}); }

Expr OpMethods::EncodeBase64(const Operand& x, const EncodeBase64Attributes& attributes) {
  return CallTypedOne("encode_base64", {{&x}}, {{"pad", attributes.pad}});
}

Expr OpMethods::FormatDate(const Operand& x, const FormatDateAttributes& attributes) {
  return CallTypedOne("format_date", {{&x}}, {{"format", attributes.format}});
}

Expr OpMethods::FormatNumber(const Operand& x, const FormatNumberAttributes& attributes) {
  return CallTypedOne("format_number", {{&x}}, {{"format", attributes.format}});
}

Expr OpMethods::FormatTensor(const Operand& x, const FormatTensorAttributes& attributes) {
  return CallTypedOne("format_tensor", {{&x}}, {{"edge_items", attributes.edge_items}});
}

Expr OpMethods::FormatTime(const Operand& x, const FormatTimeAttributes& attributes) {
  return CallTypedOne("format_time", {{&x}},
                      {{"format", attributes.format}, {"unit", attributes.unit}});
}

Expr OpMethods::JoinRowText(const Operand& values, const Operand& row_splits,
                            const JoinRowTextAttributes& attributes) {
  return CallTypedOne("join_row_text", {{&values, &row_splits}},
                      {{"separator", attributes.separator}});
}

Expr OpMethods::NgramRows(const Operand& values, const Operand& row_splits,
                          const NgramRowsAttributes& attributes) {
  return CallTypedOne("ngram_rows", {{&values, &row_splits}},
                      {{"widths", attributes.widths},
                       {"separator", attributes.separator},
                       {"pad", attributes.pad},
                       {"padding_width", attributes.padding_width},
                       {"keep_short", attributes.keep_short}});
}

Expr OpMethods::Ngrams(const Operand& x, const NgramsAttributes& attributes) {
  return CallTypedOne("ngrams", {{&x}},
                      {{"widths", attributes.widths},
                       {"separator", attributes.separator},
                       {"pad", attributes.pad},
                       {"padding_width", attributes.padding_width},
                       {"keep_short", attributes.keep_short}});
}

Expr OpMethods::NumberToString(const Operand& x) {
  return CallTypedOne("number_to_string", {{&x}});
}

Expr OpMethods::ParseDate(const Operand& x, const ParseDateAttributes& attributes) {
  return CallTypedOne("parse_date", {{&x}},
                      {{"format", attributes.format}, {"default", attributes.default_}});
}

Expr OpMethods::ParseTime(const Operand& x, const ParseTimeAttributes& attributes) {
  return CallTypedOne(
      "parse_time", {{&x}},
      {{"format", attributes.format}, {"unit", attributes.unit}, {"default", attributes.default_}});
}

Expr OpMethods::RegexExtract(const Operand& x, const RegexExtractAttributes& attributes) {
  return CallTypedOne("regex_extract", {{&x}},
                      {{"pattern", attributes.pattern}, {"group", attributes.group}});
}

Expr OpMethods::RegexFullMatch(const Operand& x, const RegexFullMatchAttributes& attributes) {
  return CallTypedOne("regex_full_match", {{&x}}, {{"pattern", attributes.pattern}});
}

Expr OpMethods::RegexFullMatchComputed(const Operand& x, const Operand& pattern) {
  return CallTypedOne("regex_full_match_computed", {{&x, &pattern}});
}

Expr OpMethods::RegexReplace(const Operand& x, const RegexReplaceAttributes& attributes) {
  return CallTypedOne(
      "regex_replace", {{&x}},
      {{"pattern", attributes.pattern}, {"rewrite", attributes.rewrite}, {"all", attributes.all}});
}

Expr OpMethods::RegexReplaceComputed(const Operand& x, const Operand& pattern,
                                     const Operand& rewrite,
                                     const RegexReplaceComputedAttributes& attributes) {
  return CallTypedOne("regex_replace_computed", {{&x, &pattern, &rewrite}},
                      {{"all", attributes.all}});
}

StatusOr<std::vector<GraphValue>> OpMethods::SplitText(const Operand& x, const Operand& separator,
                                                       const SplitTextAttributes& attributes) {
  return CallTyped("split_text", {{&x, &separator}},
                   {{"separator", attributes.separator},
                    {"max_splits", attributes.max_splits},
                    {"each_byte", attributes.each_byte}});
}

Expr OpMethods::StringBytes(const Operand& x, const StringBytesAttributes& attributes) {
  return CallTypedOne("string_bytes", {{&x}}, {{"length", attributes.length}});
}

Expr OpMethods::StringConcat(const Operand& a, const Operand& b,
                             const StringConcatAttributes& attributes) {
  return CallTypedOne("string_concat", {{&a, &b}}, {{"separator", attributes.separator}});
}

Expr OpMethods::StringFingerprint(const Operand& x, const StringFingerprintAttributes& attributes) {
  return CallTypedOne("string_fingerprint", {{&x}},
                      {{"method", attributes.method}, {"key", attributes.key}});
}

Expr OpMethods::StringHashBucket(const Operand& x, const StringHashBucketAttributes& attributes) {
  return CallTypedOne("string_hash_bucket", {{&x}},
                      {{"num_buckets", attributes.num_buckets},
                       {"method", attributes.method},
                       {"key", attributes.key}});
}

Expr OpMethods::StringJoin(const Operand& x, const StringJoinAttributes& attributes) {
  return CallTypedOne("string_join", {{&x}},
                      {{"axis", attributes.axis}, {"separator", attributes.separator}});
}

Expr OpMethods::StringLength(const Operand& x, const StringLengthAttributes& attributes) {
  return CallTypedOne("string_length", {{&x}}, {{"unit", attributes.unit}});
}

Expr OpMethods::StringLower(const Operand& x, const StringLowerAttributes& attributes) {
  return CallTypedOne("string_lower", {{&x}}, {{"unicode", attributes.unicode}});
}

Expr OpMethods::StringSplit(const Operand& x, const StringSplitAttributes& attributes) {
  return CallTypedOne("string_split", {{&x}},
                      {{"separator", attributes.separator}, {"max_splits", attributes.max_splits}});
}

Expr OpMethods::StringStrip(const Operand& x, const StringStripAttributes& attributes) {
  return CallTypedOne("string_strip", {{&x}},
                      {{"chars", attributes.chars}, {"side", attributes.side}});
}

Expr OpMethods::StringToNumber(const Operand& x, const StringToNumberAttributes& attributes) {
  return CallTypedOne("string_to_number", {{&x}}, {{"dtype", attributes.dtype}});
}

Expr OpMethods::StringUpper(const Operand& x, const StringUpperAttributes& attributes) {
  return CallTypedOne("string_upper", {{&x}}, {{"unicode", attributes.unicode}});
}

Expr OpMethods::Substr(const Operand& x, const Operand& start, const Operand& length,
                       const SubstrAttributes& attributes) {
  return CallTypedOne(
      "substr", {{&x, &start, &length}},
      {{"start", attributes.start}, {"length", attributes.length}, {"unit", attributes.unit}});
}

StatusOr<std::vector<GraphValue>> OpMethods::TextCodePoints(
    const Operand& x, const TextCodePointsAttributes& attributes) {
  return CallTyped("text_code_points", {{&x}},
                   {{"errors", attributes.errors},
                    {"replacement", attributes.replacement},
                    {"replace_control", attributes.replace_control}});
}

Expr OpMethods::TextFromCodePoints(const Operand& values, const Operand& row_splits,
                                   const TextFromCodePointsAttributes& attributes) {
  return CallTypedOne("text_from_code_points", {{&values, &row_splits}},
                      {{"errors", attributes.errors}, {"replacement", attributes.replacement}});
}

Expr OpMethods::TimePart(const Operand& x, const TimePartAttributes& attributes) {
  return CallTypedOne("time_part", {{&x}}, {{"part", attributes.part}, {"unit", attributes.unit}});
}

StatusOr<std::vector<GraphValue>> OpMethods::TokenizeText(
    const Operand& x, const TokenizeTextAttributes& attributes) {
  return CallTyped("tokenize_text", {{&x}},
                   {{"patterns", attributes.patterns},
                    {"matches", attributes.matches},
                    {"min_characters", attributes.min_characters}});
}

Expr OpMethods::UnicodeScript(const Operand& x) { return CallTypedOne("unicode_script", {{&x}}); }

Expr OpMethods::AffineGrid(const Operand& theta, const Operand& size,
                           const AffineGridAttributes& attributes) {
  return CallTypedOne("affine_grid", {{&theta, &size}},
                      {{"align_corners", attributes.align_corners}});
}

Expr OpMethods::AveragePool(const Operand& x, const AveragePoolAttributes& attributes) {
  return CallTypedOne("average_pool", {{&x}},
                      {{"kernel", attributes.kernel},
                       {"ceil_mode", attributes.ceil_mode},
                       {"strides", attributes.strides},
                       {"pads", attributes.pads},
                       {"dilations", attributes.dilations},
                       {"auto_pad", attributes.auto_pad},
                       {"count_include_pad", attributes.count_include_pad}});
}

Expr OpMethods::Conv(const Operand& x, const Operand& w, const Operand& bias,
                     const Operand& residual, const ConvAttributes& attributes) {
  return CallTypedOne("conv", {{&x, &w, &bias, &residual}},
                      {{"strides", attributes.strides},
                       {"pads", attributes.pads},
                       {"dilations", attributes.dilations},
                       {"auto_pad", attributes.auto_pad},
                       {"groups", attributes.groups},
                       {"activation", attributes.activation},
                       {"alpha", attributes.alpha},
                       {"beta", attributes.beta}});
}

Expr OpMethods::ConvInteger(const Operand& x, const Operand& w, const Operand& x_zero_point,
                            const Operand& w_zero_point, const Operand& bias,
                            const ConvIntegerAttributes& attributes) {
  return CallTypedOne("conv_integer", {{&x, &w, &x_zero_point, &w_zero_point, &bias}},
                      {{"strides", attributes.strides},
                       {"pads", attributes.pads},
                       {"dilations", attributes.dilations},
                       {"auto_pad", attributes.auto_pad},
                       {"groups", attributes.groups}});
}

Expr OpMethods::ConvTranspose(const Operand& x, const Operand& w, const Operand& bias,
                              const ConvTransposeAttributes& attributes) {
  return CallTypedOne("conv_transpose", {{&x, &w, &bias}},
                      {{"strides", attributes.strides},
                       {"pads", attributes.pads},
                       {"dilations", attributes.dilations},
                       {"auto_pad", attributes.auto_pad},
                       {"groups", attributes.groups},
                       {"output_padding", attributes.output_padding},
                       {"output_shape", attributes.output_shape}});
}

Expr OpMethods::DecodeImage(const Operand& bytes, const DecodeImageAttributes& attributes) {
  return CallTypedOne("decode_image", {{&bytes}}, {{"pixel_format", attributes.pixel_format}});
}

Expr OpMethods::DeformConv(const Operand& x, const Operand& w, const Operand& offset,
                           const Operand& bias, const Operand& mask,
                           const DeformConvAttributes& attributes) {
  return CallTypedOne("deform_conv", {{&x, &w, &offset, &bias, &mask}},
                      {{"strides", attributes.strides},
                       {"pads", attributes.pads},
                       {"dilations", attributes.dilations},
                       {"auto_pad", attributes.auto_pad},
                       {"groups", attributes.groups},
                       {"offset_groups", attributes.offset_groups}});
}

Expr OpMethods::GridSample(const Operand& x, const Operand& grid,
                           const GridSampleAttributes& attributes) {
  return CallTypedOne("grid_sample", {{&x, &grid}},
                      {{"mode", attributes.mode},
                       {"padding", attributes.padding},
                       {"align_corners", attributes.align_corners}});
}

Expr OpMethods::LpPool(const Operand& x, const LpPoolAttributes& attributes) {
  return CallTypedOne("lp_pool", {{&x}},
                      {{"kernel", attributes.kernel},
                       {"ceil_mode", attributes.ceil_mode},
                       {"strides", attributes.strides},
                       {"pads", attributes.pads},
                       {"dilations", attributes.dilations},
                       {"auto_pad", attributes.auto_pad},
                       {"p", attributes.p}});
}

StatusOr<std::vector<GraphValue>> OpMethods::MaxPool(const Operand& x,
                                                     const MaxPoolAttributes& attributes) {
  return CallTyped("max_pool", {{&x}},
                   {{"kernel", attributes.kernel},
                    {"ceil_mode", attributes.ceil_mode},
                    {"strides", attributes.strides},
                    {"pads", attributes.pads},
                    {"dilations", attributes.dilations},
                    {"auto_pad", attributes.auto_pad},
                    {"indices", attributes.indices},
                    {"column_major", attributes.column_major}});
}

Expr OpMethods::MaxRoiPool(const Operand& x, const Operand& rois,
                           const MaxRoiPoolAttributes& attributes) {
  return CallTypedOne("max_roi_pool", {{&x, &rois}},
                      {{"size", attributes.size}, {"spatial_scale", attributes.spatial_scale}});
}

Expr OpMethods::MaxUnpool(const Operand& x, const Operand& indices, const Operand& shape) {
  return CallTypedOne("max_unpool", {{&x, &indices, &shape}});
}

Expr OpMethods::NonMaxSuppression(const Operand& boxes, const Operand& scores,
                                  const Operand& most_per_class, const Operand& iou_threshold,
                                  const Operand& score_threshold,
                                  const NonMaxSuppressionAttributes& attributes) {
  return CallTypedOne("non_max_suppression",
                      {{&boxes, &scores, &most_per_class, &iou_threshold, &score_threshold}},
                      {{"center_point", attributes.center_point}});
}

Expr OpMethods::Resize(const Operand& x, const Operand& scales, const Operand& sizes,
                       const Operand& roi, const ResizeAttributes& attributes) {
  return CallTypedOne("resize", {{&x, &scales, &sizes, &roi}},
                      {{"mode", attributes.mode},
                       {"coordinates", attributes.coordinates},
                       {"nearest", attributes.nearest},
                       {"cubic_coeff_a", attributes.cubic_coeff_a},
                       {"exclude_outside", attributes.exclude_outside},
                       {"extrapolation_value", attributes.extrapolation_value},
                       {"antialias", attributes.antialias},
                       {"axes", attributes.axes},
                       {"keep_aspect_ratio_policy", attributes.keep_aspect_ratio_policy}});
}

Expr OpMethods::RoiAlign(const Operand& x, const Operand& rois, const Operand& batch_indices,
                         const RoiAlignAttributes& attributes) {
  return CallTypedOne("roi_align", {{&x, &rois, &batch_indices}},
                      {{"size", attributes.size},
                       {"mode", attributes.mode},
                       {"half_pixel", attributes.half_pixel},
                       {"sampling_ratio", attributes.sampling_ratio},
                       {"spatial_scale", attributes.spatial_scale}});
}

StatusOr<std::vector<GraphValue>> OpMethods::SoftNonMaxSuppression(
    const Operand& boxes, const Operand& scores, const Operand& most, const Operand& threshold,
    const Operand& score_threshold, const Operand& sigma,
    const SoftNonMaxSuppressionAttributes& attributes) {
  return CallTyped("soft_non_max_suppression",
                   {{&boxes, &scores, &most, &threshold, &score_threshold, &sigma}},
                   {{"overlaps", attributes.overlaps}});
}

}  // namespace signet
