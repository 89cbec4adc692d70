// OpMethods: a method per op, with which an expansion calls it.
//
// Generated from the catalog of ops; do not edit. `./dev golden OpMethodsTest` writes this
// file again after an op has changed, and a test compares it.
//
// A method returns an Expr if its op has one output, and else all outputs. An attribute that
// is not set has the op's default. Not thread-safe.

#pragma once

#include "core/ops/build/op_caller.h"

namespace signet {

struct BitcastAttributes {
  AttributeArgument dtype;
};
struct CastAttributes {
  AttributeArgument dtype;
};
struct FusedElementwiseAttributes {
  AttributeArgument program;
};
struct GeluAttributes {
  AttributeArgument approximate = kUnset;
};
struct ModAttributes {
  AttributeArgument truncated = kUnset;
};
struct ApplyAttributes {
  AttributeArgument op;
  AttributeArgument attributes = kUnset;
};
struct CheckTrueAttributes {
  AttributeArgument message;
};
struct IsAAttributes {
  AttributeArgument type;
};
struct MakeExtensionAttributes {
  AttributeArgument type;
  AttributeArgument statics = kUnset;
};
struct GatherAttributes {
  AttributeArgument axis = kUnset;
  AttributeArgument batch_dims = kUnset;
};
struct GatherElementsAttributes {
  AttributeArgument axis = kUnset;
};
struct GetItemAttributes {
  AttributeArgument key;
};
struct LookupAttributes {
  AttributeArgument default_ = kUnset;
};
struct OneHotAttributes {
  AttributeArgument depth;
  AttributeArgument on = kUnset;
  AttributeArgument off = kUnset;
  AttributeArgument axis = kUnset;
  AttributeArgument dtype = kUnset;
};
struct ScatterElementsAttributes {
  AttributeArgument axis = kUnset;
  AttributeArgument reduction = kUnset;
};
struct ScatterNdAttributes {
  AttributeArgument reduction = kUnset;
};
struct SliceAttributes {
  AttributeArgument starts = kUnset;
  AttributeArgument limits = kUnset;
  AttributeArgument sizes = kUnset;
  AttributeArgument steps = kUnset;
  AttributeArgument axes = kUnset;
};
struct SortAttributes {
  AttributeArgument axis = kUnset;
  AttributeArgument descending = kUnset;
};
struct UniqueAttributes {
  AttributeArgument axis = kUnset;
  AttributeArgument sorted = kUnset;
};
struct LinearAttributes {
  AttributeArgument transpose_a = kUnset;
  AttributeArgument transpose_b = kUnset;
  AttributeArgument low = kUnset;
  AttributeArgument high = kUnset;
};
struct MatmulAttributes {
  AttributeArgument transpose_a = kUnset;
  AttributeArgument transpose_b = kUnset;
};
struct GruAttributes {
  AttributeArgument direction = kUnset;
  AttributeArgument activations = kUnset;
  AttributeArgument activation_alpha = kUnset;
  AttributeArgument activation_beta = kUnset;
  AttributeArgument clip = kUnset;
  AttributeArgument linear_before_reset = kUnset;
};
struct LayerNormAttributes {
  AttributeArgument axis = kUnset;
  AttributeArgument epsilon = kUnset;
};
struct LinearAttentionAttributes {
  AttributeArgument q_num_heads;
  AttributeArgument kv_num_heads;
  AttributeArgument scale = kUnset;
};
struct LocalResponseNormAttributes {
  AttributeArgument size;
  AttributeArgument alpha = kUnset;
  AttributeArgument beta = kUnset;
  AttributeArgument bias = kUnset;
};
struct LogSoftmaxAttributes {
  AttributeArgument axis = kUnset;
};
struct LstmAttributes {
  AttributeArgument direction = kUnset;
  AttributeArgument activations = kUnset;
  AttributeArgument activation_alpha = kUnset;
  AttributeArgument activation_beta = kUnset;
  AttributeArgument clip = kUnset;
  AttributeArgument input_forget = kUnset;
};
struct RmsNormAttributes {
  AttributeArgument axis = kUnset;
  AttributeArgument epsilon = kUnset;
};
struct RnnAttributes {
  AttributeArgument direction = kUnset;
  AttributeArgument activations = kUnset;
  AttributeArgument activation_alpha = kUnset;
  AttributeArgument activation_beta = kUnset;
  AttributeArgument clip = kUnset;
};
struct SoftmaxAttributes {
  AttributeArgument axis = kUnset;
};
struct DequantizeAttributes {
  AttributeArgument axis = kUnset;
  AttributeArgument block_size = kUnset;
  AttributeArgument dtype = kUnset;
};
struct QuantizeAttributes {
  AttributeArgument axis = kUnset;
  AttributeArgument block_size = kUnset;
  AttributeArgument dtype = kUnset;
};
struct RequantizeAttributes {
  AttributeArgument axis = kUnset;
  AttributeArgument block_size = kUnset;
  AttributeArgument dtype = kUnset;
};
struct RoundToAttributes {
  AttributeArgument format;
  AttributeArgument saturate = kUnset;
  AttributeArgument rounding = kUnset;
};
struct BroadcastDimensionAttributes {
  AttributeArgument axis;
};
struct ClipSliceAttributes {
  AttributeArgument start = kUnset;
  AttributeArgument limit = kUnset;
  AttributeArgument step = kUnset;
};
struct CrossAttributes {
  AttributeArgument num_buckets = kUnset;
  AttributeArgument separator = kUnset;
};
struct EmbeddingLookupAttributes {
  AttributeArgument combiner = kUnset;
  AttributeArgument max_norm = kUnset;
};
struct GroupMaxAttributes {
  AttributeArgument default_ = kUnset;
};
struct GroupMeanAttributes {
  AttributeArgument default_ = kUnset;
};
struct GroupMinAttributes {
  AttributeArgument default_ = kUnset;
};
struct PadRowsAttributes {
  AttributeArgument width = kUnset;
};
struct RaggedFromDenseAttributes {
  AttributeArgument ragged_rank = kUnset;
};
struct RaggedRowSplitsAttributes {
  AttributeArgument axis = kUnset;
};
struct RaggedToDenseAttributes {
  AttributeArgument shape = kUnset;
};
struct RowElementsAttributes {
  AttributeArgument negative = kUnset;
};
struct SegmentArgmaxAttributes {
  AttributeArgument last = kUnset;
};
struct SegmentArgminAttributes {
  AttributeArgument last = kUnset;
};
struct SegmentCumsumAttributes {
  AttributeArgument exclusive = kUnset;
  AttributeArgument reverse = kUnset;
};
struct SegmentMaxAttributes {
  AttributeArgument default_ = kUnset;
};
struct SegmentMeanAttributes {
  AttributeArgument default_ = kUnset;
};
struct SegmentMinAttributes {
  AttributeArgument default_ = kUnset;
};
struct SegmentSortAttributes {
  AttributeArgument descending = kUnset;
  AttributeArgument k = kUnset;
};
struct SegmentTopKAttributes {
  AttributeArgument k;
};
struct SliceRowValuesAttributes {
  AttributeArgument start = kUnset;
  AttributeArgument limit = kUnset;
  AttributeArgument step = kUnset;
};
struct SliceRowsAttributes {
  AttributeArgument start = kUnset;
  AttributeArgument limit = kUnset;
  AttributeArgument step = kUnset;
};
struct UniformRowSplitsAttributes {
  AttributeArgument dtype = kUnset;
};
struct RandomCategoricalAttributes {
  AttributeArgument num_samples = kUnset;
};
struct RandomNormalAttributes {
  AttributeArgument shape = kUnset;
  AttributeArgument mean = kUnset;
  AttributeArgument stddev = kUnset;
  AttributeArgument dtype = kUnset;
};
struct RandomUniformAttributes {
  AttributeArgument shape = kUnset;
  AttributeArgument low = kUnset;
  AttributeArgument high = kUnset;
  AttributeArgument dtype = kUnset;
};
struct ArgmaxAttributes {
  AttributeArgument axis;
  AttributeArgument keepdims = kUnset;
  AttributeArgument last = kUnset;
};
struct ArgminAttributes {
  AttributeArgument axis;
  AttributeArgument keepdims = kUnset;
  AttributeArgument last = kUnset;
};
struct CumprodAttributes {
  AttributeArgument axis = kUnset;
  AttributeArgument exclusive = kUnset;
  AttributeArgument reverse = kUnset;
};
struct CumsumAttributes {
  AttributeArgument axis = kUnset;
  AttributeArgument exclusive = kUnset;
  AttributeArgument reverse = kUnset;
};
struct ReduceAllAttributes {
  AttributeArgument axes = kUnset;
  AttributeArgument keepdims = kUnset;
  AttributeArgument empty_is_all = kUnset;
};
struct ReduceAnyAttributes {
  AttributeArgument axes = kUnset;
  AttributeArgument keepdims = kUnset;
  AttributeArgument empty_is_all = kUnset;
};
struct ReduceMaxAttributes {
  AttributeArgument axes = kUnset;
  AttributeArgument keepdims = kUnset;
  AttributeArgument empty_is_all = kUnset;
  AttributeArgument default_ = kUnset;
};
struct ReduceMeanAttributes {
  AttributeArgument axes = kUnset;
  AttributeArgument keepdims = kUnset;
  AttributeArgument empty_is_all = kUnset;
  AttributeArgument default_ = kUnset;
};
struct ReduceMinAttributes {
  AttributeArgument axes = kUnset;
  AttributeArgument keepdims = kUnset;
  AttributeArgument empty_is_all = kUnset;
  AttributeArgument default_ = kUnset;
};
struct ReduceProdAttributes {
  AttributeArgument axes = kUnset;
  AttributeArgument keepdims = kUnset;
  AttributeArgument empty_is_all = kUnset;
};
struct ReduceSumAttributes {
  AttributeArgument axes = kUnset;
  AttributeArgument keepdims = kUnset;
  AttributeArgument empty_is_all = kUnset;
};
struct TopKAttributes {
  AttributeArgument axis = kUnset;
  AttributeArgument k = kUnset;
  AttributeArgument largest = kUnset;
};
struct BroadcastToAttributes {
  AttributeArgument shape = kUnset;
};
struct ConcatAttributes {
  AttributeArgument axis = kUnset;
  AttributeArgument ragged = kUnset;
};
struct DimSizeAttributes {
  AttributeArgument axis;
};
struct DimSizesAttributes {
  AttributeArgument dtype = kUnset;
};
struct DynamicSizeAttributes {
  AttributeArgument axis = kUnset;
};
struct ExpandDimsAttributes {
  AttributeArgument axis;
};
struct FillAttributes {
  AttributeArgument shape = kUnset;
};
struct FlattenAttributes {
  AttributeArgument first = kUnset;
  AttributeArgument last = kUnset;
};
struct MergeDimsAttributes {
  AttributeArgument outer;
  AttributeArgument inner;
};
struct MoveAxisAttributes {
  AttributeArgument from;
  AttributeArgument to;
};
struct OnesLikeAttributes {
  AttributeArgument dtype = kUnset;
};
struct PadAttributes {
  AttributeArgument before = kUnset;
  AttributeArgument after = kUnset;
  AttributeArgument mode = kUnset;
};
struct PartitionOuterDimensionAttributes {
  AttributeArgument uniform_row_length = kUnset;
  AttributeArgument nrows = kUnset;
};
struct RangeAttributes {
  AttributeArgument start = kUnset;
  AttributeArgument limit = kUnset;
  AttributeArgument step = kUnset;
  AttributeArgument dtype = kUnset;
};
struct RankAttributes {
  AttributeArgument dtype = kUnset;
};
struct ReshapeAttributes {
  AttributeArgument shape = kUnset;
};
struct ReverseAttributes {
  AttributeArgument axes;
};
struct SameSizeAttributes {
  AttributeArgument axes;
  AttributeArgument parameters;
  AttributeArgument name;
};
struct ShapeAttributes {
  AttributeArgument dtype = kUnset;
};
struct SizeAttributes {
  AttributeArgument dtype = kUnset;
};
struct SplitAttributes {
  AttributeArgument axis = kUnset;
  AttributeArgument num = kUnset;
  AttributeArgument sizes = kUnset;
};
struct SqueezeAttributes {
  AttributeArgument axes = kUnset;
};
struct StackAttributes {
  AttributeArgument axis = kUnset;
  AttributeArgument ragged = kUnset;
};
struct TileAttributes {
  AttributeArgument multiples = kUnset;
};
struct TransposeAttributes {
  AttributeArgument perm = kUnset;
};
struct UnstackAttributes {
  AttributeArgument axis = kUnset;
  AttributeArgument num = kUnset;
};
struct ZerosLikeAttributes {
  AttributeArgument dtype = kUnset;
};
struct DftAttributes {
  AttributeArgument length = kUnset;
  AttributeArgument axis = kUnset;
  AttributeArgument inverse = kUnset;
  AttributeArgument onesided = kUnset;
};
struct SparseResetShapeAttributes {
  AttributeArgument shape = kUnset;
};
struct SparseWindowAttributes {
  AttributeArgument starts = kUnset;
  AttributeArgument limits = kUnset;
  AttributeArgument sizes = kUnset;
  AttributeArgument steps = kUnset;
  AttributeArgument axes = kUnset;
};
struct BroadcastFieldAttributes {
  AttributeArgument path;
  AttributeArgument into;
  AttributeArgument name;
};
struct MakeDictAttributes {
  AttributeArgument names;
};
struct PromoteAttributes {
  AttributeArgument path;
  AttributeArgument name;
};
struct PromoteAndBroadcastAttributes {
  AttributeArgument path;
  AttributeArgument into;
  AttributeArgument name;
};
struct StructGetAttributes {
  AttributeArgument field;
};
struct StructHasAttributes {
  AttributeArgument path;
  AttributeArgument name;
};
struct StructMakeAttributes {
  AttributeArgument names;
  AttributeArgument rank = kUnset;
};
struct StructSizeAttributes {
  AttributeArgument path;
  AttributeArgument name;
};
struct StructUpdateAttributes {
  AttributeArgument names = kUnset;
  AttributeArgument without = kUnset;
};
struct StructWithOnlyAttributes {
  AttributeArgument names;
};
struct StructWithoutAttributes {
  AttributeArgument names;
};
struct CouplePairsAttributes {
  AttributeArgument num_classes;
};
struct NgramWeightsAttributes {
  AttributeArgument num_columns;
  AttributeArgument mode = kUnset;
  AttributeArgument min_length = kUnset;
  AttributeArgument max_length = kUnset;
  AttributeArgument max_skips = kUnset;
};
struct NormalizeRowsAttributes {
  AttributeArgument norm = kUnset;
};
struct TreeEnsembleAttributes {
  AttributeArgument num_targets = kUnset;
  AttributeArgument aggregate = kUnset;
};
struct VotePairsAttributes {
  AttributeArgument num_classes;
};
struct JoinRowTextAttributes {
  AttributeArgument separator = kUnset;
};
struct NgramRowsAttributes {
  AttributeArgument widths;
  AttributeArgument separator = kUnset;
  AttributeArgument pad = kUnset;
  AttributeArgument padding_width = kUnset;
  AttributeArgument keep_short = kUnset;
};
struct NgramsAttributes {
  AttributeArgument widths;
  AttributeArgument separator = kUnset;
  AttributeArgument pad = kUnset;
  AttributeArgument padding_width = kUnset;
  AttributeArgument keep_short = kUnset;
};
struct RegexExtractAttributes {
  AttributeArgument pattern;
  AttributeArgument group = kUnset;
};
struct RegexFullMatchAttributes {
  AttributeArgument pattern;
};
struct RegexReplaceAttributes {
  AttributeArgument pattern;
  AttributeArgument rewrite;
  AttributeArgument all = kUnset;
};
struct SplitTextAttributes {
  AttributeArgument separator = kUnset;
  AttributeArgument max_splits = kUnset;
};
struct StringConcatAttributes {
  AttributeArgument separator = kUnset;
};
struct StringHashBucketAttributes {
  AttributeArgument num_buckets;
};
struct StringJoinAttributes {
  AttributeArgument axis = kUnset;
  AttributeArgument separator = kUnset;
};
struct StringLengthAttributes {
  AttributeArgument unit = kUnset;
};
struct StringLowerAttributes {
  AttributeArgument unicode = kUnset;
};
struct StringSplitAttributes {
  AttributeArgument separator = kUnset;
  AttributeArgument max_splits = kUnset;
};
struct StringStripAttributes {
  AttributeArgument chars = kUnset;
  AttributeArgument side = kUnset;
};
struct StringToNumberAttributes {
  AttributeArgument dtype = kUnset;
};
struct StringUpperAttributes {
  AttributeArgument unicode = kUnset;
};
struct SubstrAttributes {
  AttributeArgument start = kUnset;
  AttributeArgument length = kUnset;
  AttributeArgument unit = kUnset;
};
struct TokenizeTextAttributes {
  AttributeArgument patterns = kUnset;
  AttributeArgument matches = kUnset;
  AttributeArgument min_characters = kUnset;
};
struct AffineGridAttributes {
  AttributeArgument align_corners = kUnset;
};
struct AveragePoolAttributes {
  AttributeArgument kernel;
  AttributeArgument ceil_mode = kUnset;
  AttributeArgument strides = kUnset;
  AttributeArgument pads = kUnset;
  AttributeArgument dilations = kUnset;
  AttributeArgument auto_pad = kUnset;
  AttributeArgument count_include_pad = kUnset;
};
struct ConvAttributes {
  AttributeArgument strides = kUnset;
  AttributeArgument pads = kUnset;
  AttributeArgument dilations = kUnset;
  AttributeArgument auto_pad = kUnset;
  AttributeArgument groups = kUnset;
  AttributeArgument activation = kUnset;
  AttributeArgument alpha = kUnset;
  AttributeArgument beta = kUnset;
};
struct ConvIntegerAttributes {
  AttributeArgument strides = kUnset;
  AttributeArgument pads = kUnset;
  AttributeArgument dilations = kUnset;
  AttributeArgument auto_pad = kUnset;
  AttributeArgument groups = kUnset;
};
struct ConvTransposeAttributes {
  AttributeArgument strides = kUnset;
  AttributeArgument pads = kUnset;
  AttributeArgument dilations = kUnset;
  AttributeArgument auto_pad = kUnset;
  AttributeArgument groups = kUnset;
  AttributeArgument output_padding = kUnset;
  AttributeArgument output_shape = kUnset;
};
struct DecodeImageAttributes {
  AttributeArgument pixel_format = kUnset;
};
struct DeformConvAttributes {
  AttributeArgument strides = kUnset;
  AttributeArgument pads = kUnset;
  AttributeArgument dilations = kUnset;
  AttributeArgument auto_pad = kUnset;
  AttributeArgument groups = kUnset;
  AttributeArgument offset_groups = kUnset;
};
struct GridSampleAttributes {
  AttributeArgument mode = kUnset;
  AttributeArgument padding = kUnset;
  AttributeArgument align_corners = kUnset;
};
struct LpPoolAttributes {
  AttributeArgument kernel;
  AttributeArgument ceil_mode = kUnset;
  AttributeArgument strides = kUnset;
  AttributeArgument pads = kUnset;
  AttributeArgument dilations = kUnset;
  AttributeArgument auto_pad = kUnset;
  AttributeArgument p = kUnset;
};
struct MaxPoolAttributes {
  AttributeArgument kernel;
  AttributeArgument ceil_mode = kUnset;
  AttributeArgument strides = kUnset;
  AttributeArgument pads = kUnset;
  AttributeArgument dilations = kUnset;
  AttributeArgument auto_pad = kUnset;
  AttributeArgument indices = kUnset;
  AttributeArgument column_major = kUnset;
};
struct MaxRoiPoolAttributes {
  AttributeArgument size;
  AttributeArgument spatial_scale = kUnset;
};
struct NonMaxSuppressionAttributes {
  AttributeArgument center_point = kUnset;
};
struct ResizeAttributes {
  AttributeArgument mode = kUnset;
  AttributeArgument coordinates = kUnset;
  AttributeArgument nearest = kUnset;
  AttributeArgument cubic_coeff_a = kUnset;
  AttributeArgument exclude_outside = kUnset;
  AttributeArgument extrapolation_value = kUnset;
  AttributeArgument antialias = kUnset;
  AttributeArgument axes = kUnset;
  AttributeArgument keep_aspect_ratio_policy = kUnset;
};
struct RoiAlignAttributes {
  AttributeArgument size;
  AttributeArgument mode = kUnset;
  AttributeArgument half_pixel = kUnset;
  AttributeArgument sampling_ratio = kUnset;
  AttributeArgument spatial_scale = kUnset;
};

class OpMethods : public OpCaller {
 public:
  // --- elementwise ---

  // Takes the magnitude.
  Expr Abs(const Operand& x);
  // Takes the arc cosine.
  Expr Acos(const Operand& x);
  // Takes the inverse hyperbolic cosine.
  Expr Acosh(const Operand& x);
  // Adds.
  Expr Add(const Operand& x, const Operand& y);
  // Takes the arc sine.
  Expr Asin(const Operand& x);
  // Takes the inverse hyperbolic sine.
  Expr Asinh(const Operand& x);
  // Takes the arc tangent.
  Expr Atan(const Operand& x);
  // Takes the inverse hyperbolic tangent.
  Expr Atanh(const Operand& x);
  // Takes the bits of numbers as other numbers.
  Expr Bitcast(const Operand& x, const BitcastAttributes& attributes);
  // Keeps the bits that both have.
  Expr BitwiseAnd(const Operand& x, const Operand& y);
  // Takes the bits that either has.
  Expr BitwiseOr(const Operand& x, const Operand& y);
  // Takes the bits that just one has.
  Expr BitwiseXor(const Operand& x, const Operand& y);
  // Changes the dtype.
  Expr Cast(const Operand& x, const CastAttributes& attributes);
  // Rounds up.
  Expr Ceil(const Operand& x);
  // Keeps elements between two bounds.
  Expr Clip(const Operand& x, const Operand& low = {}, const Operand& high = {});
  // Takes the cosine.
  Expr Cos(const Operand& x);
  // Takes the hyperbolic cosine.
  Expr Cosh(const Operand& x);
  // Divides; integers toward zero.
  Expr Div(const Operand& x, const Operand& y);
  // Finds equal elements.
  Expr Equal(const Operand& x, const Operand& y);
  // Takes the error function.
  Expr Erf(const Operand& x);
  // Takes the exponential.
  Expr Exp(const Operand& x);
  // Takes the exponential, less 1.
  Expr Expm1(const Operand& x);
  // Rounds down.
  Expr Floor(const Operand& x);
  // Divides and rounds down.
  Expr Floordiv(const Operand& x, const Operand& y);
  // Runs elementwise ops one after another on pieces in cache.
  Expr FusedElementwise(const Operand& x, const Operands& xs,
                        const FusedElementwiseAttributes& attributes);
  // Applies the Gaussian error linear unit.
  Expr Gelu(const Operand& x, const GeluAttributes& attributes = {});
  // Finds where the first is above the second.
  Expr Greater(const Operand& x, const Operand& y);
  // Finds where the first is not below the second.
  Expr GreaterEqual(const Operand& x, const Operand& y);
  // Finds numbers that are neither infinite nor NaN.
  Expr IsFinite(const Operand& x);
  // Finds infinities.
  Expr IsInf(const Operand& x);
  // Finds NaNs.
  Expr IsNan(const Operand& x);
  // Finds where the first is below the second.
  Expr Less(const Operand& x, const Operand& y);
  // Finds where the first is not above the second.
  Expr LessEqual(const Operand& x, const Operand& y);
  // Takes the natural logarithm.
  Expr Log(const Operand& x);
  // Takes the natural logarithm of 1 more.
  Expr Log1p(const Operand& x);
  // Finds where both are true.
  Expr LogicalAnd(const Operand& x, const Operand& y);
  // Negates bools.
  Expr LogicalNot(const Operand& x);
  // Finds where either is true.
  Expr LogicalOr(const Operand& x, const Operand& y);
  // Finds where just one is true.
  Expr LogicalXor(const Operand& x, const Operand& y);
  // Takes the greater of two.
  Expr Maximum(const Operand& x, const Operand& y);
  // Takes the lesser of two.
  Expr Minimum(const Operand& x, const Operand& y);
  // Takes the remainder.
  Expr Mod(const Operand& x, const Operand& y, const ModAttributes& attributes = {});
  // Multiplies.
  Expr Mul(const Operand& x, const Operand& y);
  // Changes the sign.
  Expr Neg(const Operand& x);
  // Finds unequal elements.
  Expr NotEqual(const Operand& x, const Operand& y);
  // Gives one of several tensors, by number.
  Expr Pick(const Operand& index, const Operands& values);
  // Raises to a power.
  Expr Pow(const Operand& x, const Operand& y);
  // Divides 1 by each element.
  Expr Reciprocal(const Operand& x);
  // Replaces what is below 0 by 0.
  Expr Relu(const Operand& x);
  // Rounds to the nearest integer, halves to the even one.
  Expr Round(const Operand& x);
  // Divides 1 by the square root.
  Expr Rsqrt(const Operand& x);
  // Takes elements of x where the condition holds, of y elsewhere.
  Expr Select(const Operand& condition, const Operand& x, const Operand& y);
  // Shifts bits to the left.
  Expr ShiftLeft(const Operand& x, const Operand& y);
  // Shifts bits to the right.
  Expr ShiftRight(const Operand& x, const Operand& y);
  // Applies 1 / (1 + exp(-x)).
  Expr Sigmoid(const Operand& x);
  // Gives -1, 0 or 1 as the sign is.
  Expr Sign(const Operand& x);
  // Takes the sine.
  Expr Sin(const Operand& x);
  // Takes the hyperbolic sine.
  Expr Sinh(const Operand& x);
  // Applies log(1 + exp(x)).
  Expr Softplus(const Operand& x);
  // Takes the square root.
  Expr Sqrt(const Operand& x);
  // Multiplies by itself.
  Expr Square(const Operand& x);
  // Subtracts.
  Expr Sub(const Operand& x, const Operand& y);
  // Takes the tangent.
  Expr Tan(const Operand& x);
  // Takes the hyperbolic tangent.
  Expr Tanh(const Operand& x);

  // --- extension ---

  // Calls the op that a plain value names.
  StatusOr<std::vector<GraphValue>> Apply(const Operands& inputs,
                                          const ApplyAttributes& attributes);
  // Refuses the call unless a condition holds.
  Expr CheckTrue(const Operand& condition, const CheckTrueAttributes& attributes);
  // Says that an override does not take this call.
  Expr Decline(const Operands& inputs);
  // Gives the name of the dtype, as a plain value.
  Expr DtypeOf(const Operand& x);
  // Says whether a value is of an extension type, or of a kind of it.
  Expr IsA(const Operand& x, const IsAAttributes& attributes);
  // Says whether two values are the same, whatever their types.
  Expr IsSame(const Operand& x, const Operand& y);
  // Makes a value of an extension type of its components.
  Expr MakeExtension(const Operands& components, const MakeExtensionAttributes& attributes);

  // --- indexing ---

  // Picks from each row by indices of its own.
  Expr BatchGather(const Operand& x, const Operand& indices);
  // Keeps the rows or elements that a mask says, in the rows that they were in.
  Expr BooleanMask(const Operand& x, const Operand& mask);
  // Finds which of the ranges between boundaries each number is in.
  Expr Bucketize(const Operand& x, const Operand& boundaries);
  // Picks slices by index along an axis, each batch by indices of its own.
  Expr Gather(const Operand& x, const Operand& indices, const GatherAttributes& attributes = {});
  // Picks one element an index along an axis.
  Expr GatherElements(const Operand& x, const Operand& indices,
                      const GatherElementsAttributes& attributes = {});
  // Picks by vectors of indices, one for each of the first dimensions.
  Expr GatherNd(const Operand& x, const Operand& indices);
  // Indexes a value as Python does: by integers, slices and names.
  Expr GetItem(const Operand& x, const Operands& indices, const GetItemAttributes& attributes);
  // Finds the position of each key in a vocabulary.
  Expr Lookup(const Operand& keys, const Operand& vocabulary,
              const LookupAttributes& attributes = {});
  // Takes the row of a table that stands beside each key.
  Expr LookupValue(const Operand& keys, const Operand& vocabulary, const Operand& values,
                   const Operand& default_ = {});
  // Adds a dimension that is on where the index says.
  Expr OneHot(const Operand& indices, const OneHotAttributes& attributes);
  // Puts one element an index along an axis.
  Expr ScatterElements(const Operand& x, const Operand& indices, const Operand& updates,
                       const ScatterElementsAttributes& attributes = {});
  // Puts elements or slices by vectors of indices.
  Expr ScatterNd(const Operand& x, const Operand& indices, const Operand& updates,
                 const ScatterNdAttributes& attributes = {});
  // Takes a range of each dimension, as Python's indexing does.
  Expr Slice(const Operand& x, const Operand& starts = {}, const Operand& limits = {},
             const Operand& axes = {}, const Operand& steps = {},
             const SliceAttributes& attributes = {});
  Expr Slice(const Operand& x, const SliceAttributes& attributes) {
    return Slice(x, {}, {}, {}, {}, attributes);
  }
  // Puts a tensor in order along an axis, and tells where its elements were.
  StatusOr<std::vector<GraphValue>> Sort(const Operand& x, const SortAttributes& attributes = {});
  // Picks rows of a structure by index.
  Expr StructGather(const Operand& x, const Operand& indices);
  // Finds what differs from all before, where it is and how often.
  StatusOr<std::vector<GraphValue>> Unique(const Operand& x,
                                           const UniqueAttributes& attributes = {});
  // Gives the coordinates of what holds; or rows or elements of x there, else of y.
  Expr Where(const Operand& condition, const Operand& x = {}, const Operand& y = {});
  // Gives the coordinates of what holds, in row-major order.
  Expr WhereIndices(const Operand& x);
  // Gives the positions that hold in a mask of as many rows.
  Expr WhereRows(const Operand& mask, const Operand& rows);

  // --- linalg ---

  // Takes determinants.
  Expr Det(const Operand& x);
  // Multiplies matrices, adds a bias and a residual, and clips.
  Expr Linear(const Operand& a, const Operand& b, const Operand& bias = {},
              const Operand& residual = {}, const LinearAttributes& attributes = {});
  Expr Linear(const Operand& a, const Operand& b, const LinearAttributes& attributes) {
    return Linear(a, b, {}, {}, attributes);
  }
  // Multiplies matrices.
  Expr Matmul(const Operand& a, const Operand& b, const MatmulAttributes& attributes = {});
  // Multiplies matrices of 8-bit integers less their zero points.
  Expr MatmulInteger(const Operand& a, const Operand& b, const Operand& a_zero_point = {},
                     const Operand& b_zero_point = {});

  // --- nn ---

  // Runs a layer of gated recurrent units over sequences.
  StatusOr<std::vector<GraphValue>> Gru(const Operand& x, const Operand& w, const Operand& r,
                                        const Operand& b = {}, const Operand& sequence_lens = {},
                                        const Operand& initial_h = {},
                                        const GruAttributes& attributes = {});
  StatusOr<std::vector<GraphValue>> Gru(const Operand& x, const Operand& w, const Operand& r,
                                        const GruAttributes& attributes) {
    return Gru(x, w, r, {}, {}, {}, attributes);
  }
  // Gives rows a mean of 0 and a variance of 1, then a scale and a bias.
  Expr LayerNorm(const Operand& x, const Operand& scale = {}, const Operand& bias = {},
                 const LayerNormAttributes& attributes = {});
  Expr LayerNorm(const Operand& x, const LayerNormAttributes& attributes) {
    return LayerNorm(x, {}, {}, attributes);
  }
  // Writes values by keys to a state, step by step, and reads it by queries.
  StatusOr<std::vector<GraphValue>> LinearAttention(const Operand& query, const Operand& key,
                                                    const Operand& value, const Operand& past_state,
                                                    const Operand& decay, const Operand& beta,
                                                    const Operand& erase_gate,
                                                    const LinearAttentionAttributes& attributes);
  StatusOr<std::vector<GraphValue>> LinearAttention(const Operand& query, const Operand& key,
                                                    const Operand& value,
                                                    const LinearAttentionAttributes& attributes) {
    return LinearAttention(query, key, value, {}, {}, {}, {}, attributes);
  }
  // Divides each element by a power of the squares of channels around.
  Expr LocalResponseNorm(const Operand& x, const LocalResponseNormAttributes& attributes);
  // Takes the logarithm of softmax.
  Expr LogSoftmax(const Operand& x, const LogSoftmaxAttributes& attributes = {});
  // Runs a layer of long short-term memory over sequences.
  StatusOr<std::vector<GraphValue>> Lstm(const Operand& x, const Operand& w, const Operand& r,
                                         const Operand& b = {}, const Operand& sequence_lens = {},
                                         const Operand& initial_h = {},
                                         const Operand& initial_c = {}, const Operand& p = {},
                                         const LstmAttributes& attributes = {});
  StatusOr<std::vector<GraphValue>> Lstm(const Operand& x, const Operand& w, const Operand& r,
                                         const LstmAttributes& attributes) {
    return Lstm(x, w, r, {}, {}, {}, {}, {}, attributes);
  }
  // Divides rows by the root of their mean square, then scales them.
  Expr RmsNorm(const Operand& x, const Operand& scale = {},
               const RmsNormAttributes& attributes = {});
  Expr RmsNorm(const Operand& x, const RmsNormAttributes& attributes) {
    return RmsNorm(x, {}, attributes);
  }
  // Runs a simple recurrent layer over sequences.
  StatusOr<std::vector<GraphValue>> Rnn(const Operand& x, const Operand& w, const Operand& r,
                                        const Operand& b = {}, const Operand& sequence_lens = {},
                                        const Operand& initial_h = {},
                                        const RnnAttributes& attributes = {});
  StatusOr<std::vector<GraphValue>> Rnn(const Operand& x, const Operand& w, const Operand& r,
                                        const RnnAttributes& attributes) {
    return Rnn(x, w, r, {}, {}, {}, attributes);
  }
  // Makes shares of exp(x) that add up to 1 along an axis.
  Expr Softmax(const Operand& x, const SoftmaxAttributes& attributes = {});

  // --- quantization ---

  // Gives the numbers that small integers stand for.
  Expr Dequantize(const Operand& x, const Operand& scale, const Operand& zero_point = {},
                  const DequantizeAttributes& attributes = {});
  Expr Dequantize(const Operand& x, const Operand& scale, const DequantizeAttributes& attributes) {
    return Dequantize(x, scale, {}, attributes);
  }
  // Makes numbers uint8 by the scale that their range asks for.
  StatusOr<std::vector<GraphValue>> DynamicQuantize(const Operand& x);
  // Makes numbers small integers, by a scale and a zero point.
  Expr Quantize(const Operand& x, const Operand& scale, const Operand& zero_point = {},
                const QuantizeAttributes& attributes = {});
  Expr Quantize(const Operand& x, const Operand& scale, const QuantizeAttributes& attributes) {
    return Quantize(x, scale, {}, attributes);
  }
  // Makes sums of products of small integers small integers again.
  Expr Requantize(const Operand& x, const Operand& multiplier, const Operand& zero_point = {},
                  const RequantizeAttributes& attributes = {});
  Expr Requantize(const Operand& x, const Operand& multiplier,
                  const RequantizeAttributes& attributes) {
    return Requantize(x, multiplier, {}, attributes);
  }
  // Rounds to numbers that a float of 4 or 8 bits has.
  Expr RoundTo(const Operand& x, const RoundToAttributes& attributes);

  // --- ragged ---

  // Stretches one dimension, of size 1, of a list of sizes and row lengths.
  Expr BroadcastDimension(const Operand& sizes, const Operand& lengths,
                          const BroadcastDimensionAttributes& attributes);
  // Broadcasts two lists of sizes and row lengths.
  Expr BroadcastSizes(const Operand& x, const Operand& y);
  // Gives the position that an index means in a dimension.
  Expr CheckIndex(const Operand& index, const Operand& size);
  // Refuses values that row splits do not end at.
  Expr CheckNumValues(const Operand& values, const Operand& row_splits);
  // Refuses row splits that do not start at 0, decrease, or end elsewhere.
  Expr CheckRowSplits(const Operand& row_splits, const Operand& num_values);
  // Refuses a number of rows that differs from another.
  Expr CheckSameSize(const Operand& size, const Operand& other);
  // Refuses row splits that differ from others.
  Expr CheckSameSplits(const Operand& row_splits, const Operand& others);
  // Cuts lengths to what there is, from 0 to a width.
  Expr ClipLengths(const Operand& lengths, const Operand& width);
  // Gives where a slice of a dimension begins, and how many elements it has.
  StatusOr<std::vector<GraphValue>> ClipSlice(const Operand& size,
                                              const ClipSliceAttributes& attributes = {});
  // Joins row splits, one after the other.
  Expr ConcatRowSplits(const Operands& row_splits);
  // Crosses the features of each row, each of one input with each of the others.
  Expr Cross(const Operands& features, const CrossAttributes& attributes = {});
  // Crosses rows: the row splits of all combinations, and positions in each input.
  StatusOr<std::vector<GraphValue>> CrossRows(const Operands& row_splits);
  // Takes some rows, from one on: their row splits, and the range of their values.
  StatusOr<std::vector<GraphValue>> CutRowSplits(const Operand& row_splits, const Operand& start,
                                                 const Operand& count);
  // Takes some rows of a tensor, from one on, without copying them.
  Expr CutRows(const Operand& x, const Operand& start, const Operand& count);
  // Takes rows of a table by number, and combines those of each row of numbers.
  Expr EmbeddingLookup(const Operand& table, const Operand& ids, const Operand& weights = {},
                       const EmbeddingLookupAttributes& attributes = {});
  Expr EmbeddingLookup(const Operand& table, const Operand& ids,
                       const EmbeddingLookupAttributes& attributes) {
    return EmbeddingLookup(table, ids, {}, attributes);
  }
  // Picks rows by index: their row splits, and the positions of their values.
  StatusOr<std::vector<GraphValue>> GatherRowSplits(const Operand& row_splits, const Operand& rows);
  // Tells whether all values of each group hold.
  Expr GroupAll(const Operand& values, const Operand& groups, const Operand& count);
  // Tells whether any value of each group holds.
  Expr GroupAny(const Operand& values, const Operand& groups, const Operand& count);
  // Takes the largest value of each group.
  Expr GroupMax(const Operand& values, const Operand& groups, const Operand& count,
                const GroupMaxAttributes& attributes = {});
  // Takes the mean of the values of each group.
  Expr GroupMean(const Operand& values, const Operand& groups, const Operand& count,
                 const GroupMeanAttributes& attributes = {});
  // Takes the smallest value of each group.
  Expr GroupMin(const Operand& values, const Operand& groups, const Operand& count,
                const GroupMinAttributes& attributes = {});
  // Puts elements in the order of their groups: row splits, and positions.
  StatusOr<std::vector<GraphValue>> GroupOrder(const Operand& groups, const Operand& count);
  // Multiplies the values of each group.
  Expr GroupProd(const Operand& values, const Operand& groups, const Operand& count);
  // Adds up the values of each group.
  Expr GroupSum(const Operand& values, const Operand& groups, const Operand& count);
  // Joins the rows of the same number: their row splits, and positions of values.
  StatusOr<std::vector<GraphValue>> InterleaveRows(const Operands& row_splits);
  // Gives the length of each row without the padding at its end.
  Expr LengthsWithoutPadding(const Operand& is_padding);
  // Gives the row splits of what a mask keeps of the values.
  Expr MaskRowSplits(const Operand& row_splits, const Operand& mask);
  // Counts the rows that row splits make.
  Expr NumRows(const Operand& row_splits);
  // Counts the values that row splits divide.
  Expr NumValues(const Operand& row_splits);
  // Lays the rows of each group over one another: their splits, and each value's place.
  StatusOr<std::vector<GraphValue>> OverlayRows(const Operand& row_splits, const Operand& groups,
                                                const Operand& count);
  // Makes rows of varying length dense, with a default behind the short ones.
  Expr PadRows(const Operand& values, const Operand& row_splits, const Operand& default_ = {},
               const PadRowsAttributes& attributes = {});
  Expr PadRows(const Operand& values, const Operand& row_splits,
               const PadRowsAttributes& attributes) {
    return PadRows(values, row_splits, {}, attributes);
  }
  // Cuts the rows of a dense tensor to lengths, or before their padding.
  Expr RaggedFromDense(const Operand& x, const Operand& lengths = {}, const Operand& padding = {},
                       const RaggedFromDenseAttributes& attributes = {});
  Expr RaggedFromDense(const Operand& x, const RaggedFromDenseAttributes& attributes) {
    return RaggedFromDense(x, {}, {}, attributes);
  }
  // Groups values into rows of varying length.
  Expr RaggedFromRowSplits(const Operand& values, const Operand& row_splits);
  // Makes rows of varying length of a sparse matrix whose rows have no gaps.
  Expr RaggedFromSparse(const Operand& x);
  // Counts from a start to a limit by a step, in each row.
  Expr RaggedRange(const Operands& bounds);
  // Takes the row splits of a ragged dimension.
  Expr RaggedRowSplits(const Operand& x, const RaggedRowSplitsAttributes& attributes = {});
  // Pads the rows of a ragged value to one length.
  Expr RaggedToDense(const Operand& x, const Operand& default_ = {},
                     const RaggedToDenseAttributes& attributes = {});
  Expr RaggedToDense(const Operand& x, const RaggedToDenseAttributes& attributes) {
    return RaggedToDense(x, {}, attributes);
  }
  // Makes rows of varying length sparse, with an entry for each element.
  Expr RaggedToSparse(const Operand& x);
  // Takes the flat values of a ragged value.
  Expr RaggedValues(const Operand& x);
  // Gives each value what stands for its row.
  Expr RepeatRows(const Operand& x, const Operand& row_splits);
  // Gives the position of an element of each of some rows.
  Expr RowElements(const Operand& row_splits, const Operand& rows, const Operand& indices,
                   const RowElementsAttributes& attributes = {});
  // Gives the length of each row.
  Expr RowLengths(const Operand& row_splits);
  // Counts in each row: row splits, and the numbers.
  StatusOr<std::vector<GraphValue>> RowRanges(const Operand& starts, const Operand& limits,
                                              const Operand& steps);
  // Makes row splits from the lengths of rows.
  Expr RowSplitsFromLengths(const Operand& lengths);
  // Makes row splits from where rows end.
  Expr RowSplitsFromLimits(const Operand& limits);
  // Makes row splits from the row of each value.
  Expr RowSplitsFromRowIds(const Operand& row_ids, const Operand& rows = {});
  // Makes row splits from where rows start.
  Expr RowSplitsFromStarts(const Operand& starts, const Operand& num_values);
  // Tells whether all of each row hold.
  Expr SegmentAll(const Operand& values, const Operand& row_splits = {});
  // Tells whether any of each row holds.
  Expr SegmentAny(const Operand& values, const Operand& row_splits = {});
  // Finds where in each row the greatest value is.
  Expr SegmentArgmax(const Operand& values, const Operand& row_splits,
                     const SegmentArgmaxAttributes& attributes = {});
  // Finds where in each row the least value is.
  Expr SegmentArgmin(const Operand& values, const Operand& row_splits,
                     const SegmentArgminAttributes& attributes = {});
  // Sums all values of a row up to each.
  Expr SegmentCumsum(const Operand& values, const Operand& row_splits,
                     const SegmentCumsumAttributes& attributes = {});
  // Gives the row of each value.
  Expr SegmentIds(const Operand& row_splits);
  // Takes the logarithm of softmax within each row.
  Expr SegmentLogSoftmax(const Operand& values, const Operand& row_splits);
  // Takes the largest of each row.
  Expr SegmentMax(const Operand& values, const Operand& row_splits = {},
                  const SegmentMaxAttributes& attributes = {});
  Expr SegmentMax(const Operand& values, const SegmentMaxAttributes& attributes) {
    return SegmentMax(values, {}, attributes);
  }
  // Takes the mean of each row.
  Expr SegmentMean(const Operand& values, const Operand& row_splits = {},
                   const SegmentMeanAttributes& attributes = {});
  Expr SegmentMean(const Operand& values, const SegmentMeanAttributes& attributes) {
    return SegmentMean(values, {}, attributes);
  }
  // Takes the smallest of each row.
  Expr SegmentMin(const Operand& values, const Operand& row_splits = {},
                  const SegmentMinAttributes& attributes = {});
  Expr SegmentMin(const Operand& values, const SegmentMinAttributes& attributes) {
    return SegmentMin(values, {}, attributes);
  }
  // Multiplies each row.
  Expr SegmentProd(const Operand& values, const Operand& row_splits = {});
  // Takes the softmax within each row.
  Expr SegmentSoftmax(const Operand& values, const Operand& row_splits = {});
  // Puts the values of each row in order, and keeps the first of them.
  StatusOr<std::vector<GraphValue>> SegmentSort(const Operand& values, const Operand& row_splits,
                                                const SegmentSortAttributes& attributes = {});
  // Adds up each row.
  Expr SegmentSum(const Operand& values, const Operand& row_splits = {});
  // Finds the k best of each row, by score.
  StatusOr<std::vector<GraphValue>> SegmentTopK(const Operand& scores, const Operand& row_splits,
                                                const SegmentTopKAttributes& attributes);
  StatusOr<std::vector<GraphValue>> SegmentTopK(const Operand& scores,
                                                const SegmentTopKAttributes& attributes) {
    return SegmentTopK(scores, {}, attributes);
  }
  // Slices each row: what is left of the values, and its row splits.
  StatusOr<std::vector<GraphValue>> SliceRowValues(const Operand& x, const Operand& row_splits,
                                                   const SliceRowValuesAttributes& attributes = {});
  // Slices each row: the row splits of what is left, and its positions.
  StatusOr<std::vector<GraphValue>> SliceRows(const Operand& row_splits,
                                              const SliceRowsAttributes& attributes = {});
  // Repeats what is in each row: the row splits, and the positions of values.
  StatusOr<std::vector<GraphValue>> TileRows(const Operand& row_splits, const Operand& multiple);
  // Makes the row splits of rows of one length.
  Expr UniformRowSplits(const Operand& rows, const Operand& length,
                        const UniformRowSplitsAttributes& attributes = {});
  // Takes the start of each row of a dense tensor.
  Expr UnpadRows(const Operand& x, const Operand& row_splits);

  // --- random ---

  // Draws positions of logits, along the last axis, as likely as these say.
  Expr RandomCategorical(const Operand& seed, const Operand& logits,
                         const RandomCategoricalAttributes& attributes = {});
  // Draws numbers of a normal distribution.
  Expr RandomNormal(const Operand& seed, const Operand& shape = {},
                    const RandomNormalAttributes& attributes = {});
  Expr RandomNormal(const Operand& seed, const RandomNormalAttributes& attributes) {
    return RandomNormal(seed, {}, attributes);
  }
  // Gives the numbers below a count in an order by chance.
  Expr RandomPermutation(const Operand& seed, const Operand& count);
  // Puts rows in an order by chance.
  Expr RandomShuffle(const Operand& x, const Operand& seed);
  // Draws numbers from low to below high, each as likely.
  Expr RandomUniform(const Operand& seed, const Operand& shape = {},
                     const RandomUniformAttributes& attributes = {});
  Expr RandomUniform(const Operand& seed, const RandomUniformAttributes& attributes) {
    return RandomUniform(seed, {}, attributes);
  }

  // --- reduction ---

  // Finds where along an axis the greatest element is.
  Expr Argmax(const Operand& x, const ArgmaxAttributes& attributes);
  // Finds where along an axis the least element is.
  Expr Argmin(const Operand& x, const ArgminAttributes& attributes);
  // Multiplies all elements up to each along an axis.
  Expr Cumprod(const Operand& x, const Operand& axis = {},
               const CumprodAttributes& attributes = {});
  Expr Cumprod(const Operand& x, const CumprodAttributes& attributes) {
    return Cumprod(x, {}, attributes);
  }
  // Sums all elements up to each along an axis.
  Expr Cumsum(const Operand& x, const Operand& axis = {}, const CumsumAttributes& attributes = {});
  Expr Cumsum(const Operand& x, const CumsumAttributes& attributes) {
    return Cumsum(x, {}, attributes);
  }
  // Finds whether all elements are true.
  Expr ReduceAll(const Operand& x, const Operand& axes = {},
                 const ReduceAllAttributes& attributes = {});
  Expr ReduceAll(const Operand& x, const ReduceAllAttributes& attributes) {
    return ReduceAll(x, {}, attributes);
  }
  // Finds whether any element is true.
  Expr ReduceAny(const Operand& x, const Operand& axes = {},
                 const ReduceAnyAttributes& attributes = {});
  Expr ReduceAny(const Operand& x, const ReduceAnyAttributes& attributes) {
    return ReduceAny(x, {}, attributes);
  }
  // Takes the greatest element.
  Expr ReduceMax(const Operand& x, const Operand& axes = {},
                 const ReduceMaxAttributes& attributes = {});
  Expr ReduceMax(const Operand& x, const ReduceMaxAttributes& attributes) {
    return ReduceMax(x, {}, attributes);
  }
  // Takes the mean.
  Expr ReduceMean(const Operand& x, const Operand& axes = {},
                  const ReduceMeanAttributes& attributes = {});
  Expr ReduceMean(const Operand& x, const ReduceMeanAttributes& attributes) {
    return ReduceMean(x, {}, attributes);
  }
  // Takes the least element.
  Expr ReduceMin(const Operand& x, const Operand& axes = {},
                 const ReduceMinAttributes& attributes = {});
  Expr ReduceMin(const Operand& x, const ReduceMinAttributes& attributes) {
    return ReduceMin(x, {}, attributes);
  }
  // Multiplies elements together.
  Expr ReduceProd(const Operand& x, const Operand& axes = {},
                  const ReduceProdAttributes& attributes = {});
  Expr ReduceProd(const Operand& x, const ReduceProdAttributes& attributes) {
    return ReduceProd(x, {}, attributes);
  }
  // Adds elements together.
  Expr ReduceSum(const Operand& x, const Operand& axes = {},
                 const ReduceSumAttributes& attributes = {});
  Expr ReduceSum(const Operand& x, const ReduceSumAttributes& attributes) {
    return ReduceSum(x, {}, attributes);
  }
  // Finds the k greatest elements along an axis, and where they are.
  StatusOr<std::vector<GraphValue>> TopK(const Operand& x, const Operand& k = {},
                                         const TopKAttributes& attributes = {});
  StatusOr<std::vector<GraphValue>> TopK(const Operand& x, const TopKAttributes& attributes) {
    return TopK(x, {}, attributes);
  }

  // --- shape ---

  // Repeats a tensor along dimensions of size 1 until it has a shape.
  Expr BroadcastTo(const Operand& x, const Operand& shape = {},
                   const BroadcastToAttributes& attributes = {});
  Expr BroadcastTo(const Operand& x, const BroadcastToAttributes& attributes) {
    return BroadcastTo(x, {}, attributes);
  }
  // Joins values along one axis.
  Expr Concat(const Operands& values, const ConcatAttributes& attributes = {});
  // Gives the size of one dimension.
  Expr DimSize(const Operand& x, const DimSizeAttributes& attributes);
  // Gives the size of each dimension, or of a ragged one the lengths of its rows.
  Expr DimSizes(const Operand& x, const DimSizesAttributes& attributes = {});
  // Reads the sizes of the dimensions when it runs.
  Expr DynamicShape(const Operand& x);
  // Reads the size of one dimension, or of the tensor, when it runs.
  Expr DynamicSize(const Operand& x, const DynamicSizeAttributes& attributes = {});
  // Adds a dimension of size 1.
  Expr ExpandDims(const Operand& x, const ExpandDimsAttributes& attributes);
  // Makes a tensor of one value.
  Expr Fill(const Operand& value, const Operand& shape = {}, const FillAttributes& attributes = {});
  Expr Fill(const Operand& value, const FillAttributes& attributes) {
    return Fill(value, {}, attributes);
  }
  // Merges neighbouring dimensions into one.
  Expr Flatten(const Operand& x, const FlattenAttributes& attributes = {});
  // Gives back its input.
  Expr Identity(const Operand& x);
  // Merges neighbouring dimensions into one.
  Expr MergeDims(const Operand& x, const MergeDimsAttributes& attributes);
  // Moves a dimension of a tensor to another place.
  Expr MoveAxis(const Operand& x, const MoveAxisAttributes& attributes);
  // Makes ones in the shape of another value.
  Expr OnesLike(const Operand& x, const OnesLikeAttributes& attributes = {});
  // Puts elements around a tensor.
  Expr Pad(const Operand& x, const Operand& value = {}, const Operand& before = {},
           const Operand& after = {}, const PadAttributes& attributes = {});
  Expr Pad(const Operand& x, const PadAttributes& attributes) {
    return Pad(x, {}, {}, {}, attributes);
  }
  // Divides the rows of a value among new rows.
  Expr PartitionOuterDimension(const Operand& x, const Operand& row_splits = {},
                               const PartitionOuterDimensionAttributes& attributes = {});
  Expr PartitionOuterDimension(const Operand& x,
                               const PartitionOuterDimensionAttributes& attributes) {
    return PartitionOuterDimension(x, {}, attributes);
  }
  // Counts from a start to a limit by a step.
  Expr Range(const Operands& bounds, const RangeAttributes& attributes = {});
  // Counts the dimensions.
  Expr Rank(const Operand& x, const RankAttributes& attributes = {});
  // Gives the elements of a tensor another shape.
  Expr Reshape(const Operand& x, const Operand& shape = {},
               const ReshapeAttributes& attributes = {});
  Expr Reshape(const Operand& x, const ReshapeAttributes& attributes) {
    return Reshape(x, {}, attributes);
  }
  // Turns dimensions around.
  Expr Reverse(const Operand& x, const ReverseAttributes& attributes);
  // Checks that dimensions of one name are of one size.
  Expr SameSize(const Operands& xs, const SameSizeAttributes& attributes);
  // Gives the sizes of the dimensions.
  Expr Shape(const Operand& x, const ShapeAttributes& attributes = {});
  // Counts the elements.
  Expr Size(const Operand& x, const SizeAttributes& attributes = {});
  // Cuts a value into parts along an axis.
  StatusOr<std::vector<GraphValue>> Split(const Operand& x, const SplitAttributes& attributes = {});
  // Drops dimensions of size 1.
  Expr Squeeze(const Operand& x, const SqueezeAttributes& attributes = {});
  // Joins values along a new axis.
  Expr Stack(const Operands& values, const StackAttributes& attributes = {});
  // Repeats a value along its dimensions.
  Expr Tile(const Operand& x, const Operand& multiples = {}, const TileAttributes& attributes = {});
  Expr Tile(const Operand& x, const TileAttributes& attributes) { return Tile(x, {}, attributes); }
  // Puts the dimensions of a tensor in another order.
  Expr Transpose(const Operand& x, const TransposeAttributes& attributes = {});
  // Takes a value apart along an axis.
  StatusOr<std::vector<GraphValue>> Unstack(const Operand& x,
                                            const UnstackAttributes& attributes = {});
  // Makes zeros in the shape of another value.
  Expr ZerosLike(const Operand& x, const ZerosLikeAttributes& attributes = {});

  // --- signal ---

  // Takes discrete Fourier transforms along an axis.
  Expr Dft(const Operand& x, const Operand& length = {}, const Operand& axis = {},
           const DftAttributes& attributes = {});
  Expr Dft(const Operand& x, const DftAttributes& attributes) { return Dft(x, {}, {}, attributes); }
  // Makes the weights that take a spectrum to bins of the mel scale.
  Expr MelWeightMatrix(const Operand& num_bins, const Operand& dft_length,
                       const Operand& sample_rate, const Operand& lower_edge,
                       const Operand& upper_edge);

  // --- sparse ---

  // Gives the least shape that holds all indices.
  Expr BoundingShape(const Operand& indices);
  // Finds the size that -1 stands for in a shape of as many elements.
  Expr CompleteShape(const Operand& dense_shape, const Operand& shape);
  // Multiplies a matrix of compressed rows and a dense vector or matrix.
  Expr CsrMatmul(const Operand& values, const Operand& columns, const Operand& row_splits,
                 const Operand& dense);
  // Picks the entries in a window, and moves their indices.
  StatusOr<std::vector<GraphValue>> CutEntries(const Operand& indices, const Operand& starts,
                                               const Operand& sizes);
  // Adds an entry to each row without one, and tells which those are.
  StatusOr<std::vector<GraphValue>> FillRows(const Operand& indices, const Operand& dense_shape);
  // Makes row splits of the runs of equal numbers.
  Expr GroupEqual(const Operand& sorted);
  // Gives the row-major position of each index.
  Expr RavelIndices(const Operand& indices, const Operand& dense_shape);
  // Makes a tensor of a default with values at some positions.
  Expr ScatterDense(const Operand& positions, const Operand& values, const Operand& dense_shape,
                    const Operand& default_);
  // Gives the indices, the values and the dense shape of a sparse value.
  StatusOr<std::vector<GraphValue>> SparseComponents(const Operand& x);
  // Gives each row without an entry a default, and tells which those are.
  StatusOr<std::vector<GraphValue>> SparseFillEmptyRows(const Operand& x, const Operand& default_);
  // Keeps the elements of a tensor other than 0, False and empty text.
  Expr SparseFromDense(const Operand& x);
  // Makes a sparse value of indices and values in any order.
  Expr SparseFromEntries(const Operand& indices, const Operand& values, const Operand& dense_shape);
  // Gives a sparse value a larger dense shape, or the least that holds its entries.
  Expr SparseResetShape(const Operand& x, const SparseResetShapeAttributes& attributes = {});
  // Keeps the entries that a flag each says.
  Expr SparseRetain(const Operand& x, const Operand& keep);
  // Makes a tensor of a sparse value, with a default where there is no entry.
  Expr SparseToDense(const Operand& x, const Operand& default_ = {});
  // Gives the starts and sizes of a slice, cut to what there is.
  StatusOr<std::vector<GraphValue>> SparseWindow(const Operand& dense_shape,
                                                 const SparseWindowAttributes& attributes = {});
  // Gives the index at each row-major position.
  Expr UnravelIndices(const Operand& positions, const Operand& dense_shape);

  // --- structured ---

  // Copies a field into each of the nested structures beside it.
  Expr BroadcastField(const Operand& x, const BroadcastFieldAttributes& attributes);
  // Makes a dict of its inputs.
  Expr MakeDict(const Operands& items, const MakeDictAttributes& attributes);
  // Makes a list of its inputs.
  Expr MakeList(const Operands& elements);
  // Makes a tuple of its inputs.
  Expr MakeTuple(const Operands& elements);
  // Copies a field of a nested structure into the structure around it.
  Expr Promote(const Operand& x, const PromoteAttributes& attributes);
  // Copies a field to any structure of the same value.
  Expr PromoteAndBroadcast(const Operand& x, const PromoteAndBroadcastAttributes& attributes);
  // Takes a field out of a structure, by its path.
  Expr StructGet(const Operand& x, const StructGetAttributes& attributes);
  // Adds a field that tells whether each structure has anything in another.
  Expr StructHas(const Operand& x, const StructHasAttributes& attributes);
  // Makes a structure of columns.
  Expr StructMake(const Operands& fields, const StructMakeAttributes& attributes);
  // Counts the rows of a structure, a ragged value or a tensor.
  Expr StructNrows(const Operand& x);
  // Adds a field that counts what each structure has in another.
  Expr StructSize(const Operand& x, const StructSizeAttributes& attributes);
  // Adds, replaces or leaves out fields of a structure.
  Expr StructUpdate(const Operand& x, const Operands& values,
                    const StructUpdateAttributes& attributes = {});
  // Keeps some fields of a structure.
  Expr StructWithOnly(const Operand& x, const StructWithOnlyAttributes& attributes);
  // Leaves fields of a structure out.
  Expr StructWithout(const Operand& x, const StructWithoutAttributes& attributes);

  // --- tabular ---

  // Makes probabilities of classes of those within each pair of classes.
  Expr CouplePairs(const Operand& x, const CouplePairsAttributes& attributes);
  // Counts or weighs the n-grams of a list in each row.
  Expr NgramWeights(const Operand& x, const Operand& pool, const Operand& starts,
                    const Operand& columns, const Operand& weights,
                    const NgramWeightsAttributes& attributes);
  Expr NgramWeights(const Operand& x, const Operand& pool, const Operand& starts,
                    const Operand& columns, const NgramWeightsAttributes& attributes) {
    return NgramWeights(x, pool, starts, columns, {}, attributes);
  }
  // Divides each row by its norm, unless that is 0.
  Expr NormalizeRows(const Operand& x, const NormalizeRowsAttributes& attributes = {});
  // Adds up the squared differences of each row of one matrix to each of another.
  Expr SquaredDistances(const Operand& a, const Operand& b);
  // Adds up what the leaves of decision trees hold that each row comes to.
  Expr TreeEnsemble(const Operand& x, const Operand& nodes, const Operand& thresholds,
                    const Operand& roots, const Operand& targets, const Operand& weights,
                    const Operand& base = {}, const TreeEnsembleAttributes& attributes = {});
  Expr TreeEnsemble(const Operand& x, const Operand& nodes, const Operand& thresholds,
                    const Operand& roots, const Operand& targets, const Operand& weights,
                    const TreeEnsembleAttributes& attributes) {
    return TreeEnsemble(x, nodes, thresholds, roots, targets, weights, {}, attributes);
  }
  // Finds the class that wins most of its pairs with others.
  Expr VotePairs(const Operand& x, const VotePairsAttributes& attributes);

  // --- text ---

  // Joins the strings of each row into one.
  Expr JoinRowText(const Operand& values, const Operand& row_splits,
                   const JoinRowTextAttributes& attributes = {});
  // Joins so many neighbors in each row: the texts, and their row splits.
  Expr NgramRows(const Operand& values, const Operand& row_splits,
                 const NgramRowsAttributes& attributes);
  // Joins so many neighbors in each row.
  Expr Ngrams(const Operand& x, const NgramsAttributes& attributes);
  // Writes each number as text.
  Expr NumberToString(const Operand& x);
  // Takes what matches a regular expression first, or a group of it.
  Expr RegexExtract(const Operand& x, const RegexExtractAttributes& attributes);
  // Tells whether a regular expression matches the whole of each string.
  Expr RegexFullMatch(const Operand& x, const RegexFullMatchAttributes& attributes);
  // Replaces what matches a regular expression.
  Expr RegexReplace(const Operand& x, const RegexReplaceAttributes& attributes);
  // Cuts each string of a vector: gives row splits and all parts.
  StatusOr<std::vector<GraphValue>> SplitText(const Operand& x,
                                              const SplitTextAttributes& attributes = {});
  // Joins strings, element by element.
  Expr StringConcat(const Operand& a, const Operand& b,
                    const StringConcatAttributes& attributes = {});
  // Hashes each string to a number below a bound.
  Expr StringHashBucket(const Operand& x, const StringHashBucketAttributes& attributes);
  // Joins the strings along an axis into one.
  Expr StringJoin(const Operand& x, const StringJoinAttributes& attributes = {});
  // Counts the bytes or characters of each string.
  Expr StringLength(const Operand& x, const StringLengthAttributes& attributes = {});
  // Makes ASCII letters, or all, small.
  Expr StringLower(const Operand& x, const StringLowerAttributes& attributes = {});
  // Cuts each string into its parts, which become a ragged dimension.
  Expr StringSplit(const Operand& x, const StringSplitAttributes& attributes = {});
  // Drops white space, or other bytes, from the ends of each string.
  Expr StringStrip(const Operand& x, const StringStripAttributes& attributes = {});
  // Reads a number from each string.
  Expr StringToNumber(const Operand& x, const StringToNumberAttributes& attributes = {});
  // Makes ASCII letters, or all, capital.
  Expr StringUpper(const Operand& x, const StringUpperAttributes& attributes = {});
  // Takes a part of each string.
  Expr Substr(const Operand& x, const SubstrAttributes& attributes = {});
  // Cuts each string of a vector by patterns: row splits and all tokens.
  StatusOr<std::vector<GraphValue>> TokenizeText(const Operand& x,
                                                 const TokenizeTextAttributes& attributes = {});

  // --- vision ---

  // Makes the grid of points that affine maps give.
  Expr AffineGrid(const Operand& theta, const Operand& size,
                  const AffineGridAttributes& attributes = {});
  // Takes the mean of each window.
  Expr AveragePool(const Operand& x, const AveragePoolAttributes& attributes);
  // Sums products with weights over windows of the spatial dimensions.
  Expr Conv(const Operand& x, const Operand& w, const Operand& bias = {},
            const Operand& residual = {}, const ConvAttributes& attributes = {});
  Expr Conv(const Operand& x, const Operand& w, const ConvAttributes& attributes) {
    return Conv(x, w, {}, {}, attributes);
  }
  // Sums products of 8-bit integers less their zero points over windows.
  Expr ConvInteger(const Operand& x, const Operand& w, const Operand& x_zero_point = {},
                   const Operand& w_zero_point = {}, const Operand& bias = {},
                   const ConvIntegerAttributes& attributes = {});
  Expr ConvInteger(const Operand& x, const Operand& w, const ConvIntegerAttributes& attributes) {
    return ConvInteger(x, w, {}, {}, {}, attributes);
  }
  // Spreads elements, times weights, over windows of a larger result.
  Expr ConvTranspose(const Operand& x, const Operand& w, const Operand& bias = {},
                     const ConvTransposeAttributes& attributes = {});
  Expr ConvTranspose(const Operand& x, const Operand& w,
                     const ConvTransposeAttributes& attributes) {
    return ConvTranspose(x, w, {}, attributes);
  }
  // Decodes an image.
  Expr DecodeImage(const Operand& bytes, const DecodeImageAttributes& attributes = {});
  // Sums products with weights over windows whose elements are displaced.
  Expr DeformConv(const Operand& x, const Operand& w, const Operand& offset,
                  const Operand& bias = {}, const Operand& mask = {},
                  const DeformConvAttributes& attributes = {});
  Expr DeformConv(const Operand& x, const Operand& w, const Operand& offset,
                  const DeformConvAttributes& attributes) {
    return DeformConv(x, w, offset, {}, {}, attributes);
  }
  // Samples an image at the points of a grid.
  Expr GridSample(const Operand& x, const Operand& grid,
                  const GridSampleAttributes& attributes = {});
  // Takes the p-norm of each window.
  Expr LpPool(const Operand& x, const LpPoolAttributes& attributes);
  // Takes the largest element of each window.
  StatusOr<std::vector<GraphValue>> MaxPool(const Operand& x, const MaxPoolAttributes& attributes);
  // Takes the largest elements of the cells of regions.
  Expr MaxRoiPool(const Operand& x, const Operand& rois, const MaxRoiPoolAttributes& attributes);
  // Puts elements where max_pool found them, and zeros elsewhere.
  Expr MaxUnpool(const Operand& x, const Operand& indices, const Operand& shape);
  // Picks boxes by score, but none that overlaps one picked.
  Expr NonMaxSuppression(const Operand& boxes, const Operand& scores,
                         const Operand& most_per_class = {}, const Operand& iou_threshold = {},
                         const Operand& score_threshold = {},
                         const NonMaxSuppressionAttributes& attributes = {});
  Expr NonMaxSuppression(const Operand& boxes, const Operand& scores,
                         const NonMaxSuppressionAttributes& attributes) {
    return NonMaxSuppression(boxes, scores, {}, {}, {}, attributes);
  }
  // Makes an image of another size.
  Expr Resize(const Operand& x, const Operand& scales = {}, const Operand& sizes = {},
              const Operand& roi = {}, const ResizeAttributes& attributes = {});
  Expr Resize(const Operand& x, const ResizeAttributes& attributes) {
    return Resize(x, {}, {}, {}, attributes);
  }
  // Samples the cells of regions between elements.
  Expr RoiAlign(const Operand& x, const Operand& rois, const Operand& batch_indices,
                const RoiAlignAttributes& attributes);
};

}  // namespace signet
