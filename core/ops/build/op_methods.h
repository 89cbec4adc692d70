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
struct DivAttributes {
  AttributeArgument to_float = kUnset;
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
  AttributeArgument constraint = kUnset;
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
struct LstmStepsAttributes {
  AttributeArgument cell_clip = kUnset;
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
  AttributeArgument k = kUnset;
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
struct CumulativeLogsumexpAttributes {
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
struct ParseCsvAttributes {
  AttributeArgument delimiter = kUnset;
  AttributeArgument quotes = kUnset;
  AttributeArgument columns = kUnset;
  AttributeArgument num_columns;
};
struct ParseExamplesAttributes {
  AttributeArgument features;
  AttributeArgument dtypes;
};
struct ParseFeatureListsAttributes {
  AttributeArgument features;
  AttributeArgument dtypes;
};
struct ParseTensorAttributes {
  AttributeArgument dtype;
};
struct ParseTensorRowsAttributes {
  AttributeArgument dtype;
  AttributeArgument rank;
};
struct TreeEnsembleAttributes {
  AttributeArgument num_targets = kUnset;
  AttributeArgument aggregate = kUnset;
};
struct VotePairsAttributes {
  AttributeArgument num_classes;
};
struct DatePartAttributes {
  AttributeArgument part;
};
struct EncodeBase64Attributes {
  AttributeArgument pad = kUnset;
};
struct FormatDateAttributes {
  AttributeArgument format = kUnset;
};
struct FormatNumberAttributes {
  AttributeArgument format;
};
struct FormatTensorAttributes {
  AttributeArgument edge_items = kUnset;
};
struct FormatTimeAttributes {
  AttributeArgument format = kUnset;
  AttributeArgument unit = kUnset;
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
struct ParseDateAttributes {
  AttributeArgument format = kUnset;
  AttributeArgument default_ = kUnset;
};
struct ParseTimeAttributes {
  AttributeArgument format = kUnset;
  AttributeArgument unit = kUnset;
  AttributeArgument default_ = kUnset;
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
struct RegexReplaceComputedAttributes {
  AttributeArgument all = kUnset;
};
struct SplitTextAttributes {
  AttributeArgument separator = kUnset;
  AttributeArgument max_splits = kUnset;
  AttributeArgument each_byte = kUnset;
};
struct StringBytesAttributes {
  AttributeArgument length = kUnset;
};
struct StringConcatAttributes {
  AttributeArgument separator = kUnset;
};
struct StringFingerprintAttributes {
  AttributeArgument method = kUnset;
  AttributeArgument key = kUnset;
};
struct StringHashBucketAttributes {
  AttributeArgument num_buckets;
  AttributeArgument method = kUnset;
  AttributeArgument key = kUnset;
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
struct TextCodePointsAttributes {
  AttributeArgument errors = kUnset;
  AttributeArgument replacement = kUnset;
  AttributeArgument replace_control = kUnset;
};
struct TextFromCodePointsAttributes {
  AttributeArgument errors = kUnset;
  AttributeArgument replacement = kUnset;
};
struct TimePartAttributes {
  AttributeArgument part;
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
struct SoftNonMaxSuppressionAttributes {
  AttributeArgument overlaps = kUnset;
};

class OpMethods : public OpCaller {
 public:
  // --- elementwise ---

  // Computes the magnitude.
  Expr Abs(const Operand& x);
  // Computes the arc cosine.
  Expr Acos(const Operand& x);
  // Computes the inverse hyperbolic cosine.
  Expr Acosh(const Operand& x);
  // Adds.
  Expr Add(const Operand& x, const Operand& y);
  // Computes the arc sine.
  Expr Asin(const Operand& x);
  // Computes the inverse hyperbolic sine.
  Expr Asinh(const Operand& x);
  // Computes the arc tangent.
  Expr Atan(const Operand& x);
  // Computes the inverse hyperbolic tangent.
  Expr Atanh(const Operand& x);
  // Computes the modified Bessel function I0.
  Expr BesselI0(const Operand& x);
  // Computes the scaled modified Bessel function I0.
  Expr BesselI0e(const Operand& x);
  // Computes the modified Bessel function I1.
  Expr BesselI1(const Operand& x);
  // Computes the scaled modified Bessel function I1.
  Expr BesselI1e(const Operand& x);
  // Computes the Bessel function J0.
  Expr BesselJ0(const Operand& x);
  // Computes the Bessel function J1.
  Expr BesselJ1(const Operand& x);
  // Computes the modified Bessel function K0.
  Expr BesselK0(const Operand& x);
  // Computes the scaled modified Bessel function K0.
  Expr BesselK0e(const Operand& x);
  // Computes the modified Bessel function K1.
  Expr BesselK1(const Operand& x);
  // Computes the scaled modified Bessel function K1.
  Expr BesselK1e(const Operand& x);
  // Computes the Bessel function Y0.
  Expr BesselY0(const Operand& x);
  // Computes the Bessel function Y1.
  Expr BesselY1(const Operand& x);
  // Computes the regularized incomplete beta function.
  Expr Betainc(const Operand& a, const Operand& b, const Operand& x);
  // Interprets the bits of numbers as another dtype.
  Expr Bitcast(const Operand& x, const BitcastAttributes& attributes);
  // Computes the bitwise and.
  Expr BitwiseAnd(const Operand& x, const Operand& y);
  // Computes the bitwise or.
  Expr BitwiseOr(const Operand& x, const Operand& y);
  // Computes the bitwise exclusive or.
  Expr BitwiseXor(const Operand& x, const Operand& y);
  // Changes the dtype.
  Expr Cast(const Operand& x, const CastAttributes& attributes);
  // Rounds up.
  Expr Ceil(const Operand& x);
  // Limits elements to a range.
  Expr Clip(const Operand& x, const Operand& low = {}, const Operand& high = {});
  // Computes the cosine.
  Expr Cos(const Operand& x);
  // Computes the hyperbolic cosine.
  Expr Cosh(const Operand& x);
  // Computes the Dawson function.
  Expr Dawsn(const Operand& x);
  // Divides.
  Expr Div(const Operand& x, const Operand& y, const DivAttributes& attributes = {});
  // Checks whether elements are equal.
  Expr Equal(const Operand& x, const Operand& y);
  // Computes the error function.
  Expr Erf(const Operand& x);
  // Computes the exponential function.
  Expr Exp(const Operand& x);
  // Computes the exponential integral Ei.
  Expr Expint(const Operand& x);
  // Computes the exponential function minus 1.
  Expr Expm1(const Operand& x);
  // Rounds down.
  Expr Floor(const Operand& x);
  // Divides and rounds down.
  Expr Floordiv(const Operand& x, const Operand& y);
  // Runs elementwise ops one after another on pieces of the elements.
  Expr FusedElementwise(const Operand& x, const Operands& xs,
                        const FusedElementwiseAttributes& attributes);
  // Computes the Gaussian error linear unit.
  Expr Gelu(const Operand& x, const GeluAttributes& attributes = {});
  // Checks whether x is greater than y.
  Expr Greater(const Operand& x, const Operand& y);
  // Checks whether x is at least y.
  Expr GreaterEqual(const Operand& x, const Operand& y);
  // Computes the regularized lower incomplete gamma function.
  Expr Igamma(const Operand& x, const Operand& y);
  // Computes the regularized upper incomplete gamma function.
  Expr Igammac(const Operand& x, const Operand& y);
  // Checks whether numbers are finite.
  Expr IsFinite(const Operand& x);
  // Checks whether numbers are infinite.
  Expr IsInf(const Operand& x);
  // Checks whether numbers are NaN.
  Expr IsNan(const Operand& x);
  // Checks whether x is less than y.
  Expr Less(const Operand& x, const Operand& y);
  // Checks whether x is at most y.
  Expr LessEqual(const Operand& x, const Operand& y);
  // Computes the natural logarithm.
  Expr Log(const Operand& x);
  // Computes the natural logarithm of 1 + x.
  Expr Log1p(const Operand& x);
  // Computes the logical and.
  Expr LogicalAnd(const Operand& x, const Operand& y);
  // Negates bools.
  Expr LogicalNot(const Operand& x);
  // Computes the logical or.
  Expr LogicalOr(const Operand& x, const Operand& y);
  // Computes the logical exclusive or.
  Expr LogicalXor(const Operand& x, const Operand& y);
  // Returns the greater of two elements.
  Expr Maximum(const Operand& x, const Operand& y);
  // Returns the lesser of two elements.
  Expr Minimum(const Operand& x, const Operand& y);
  // Computes the remainder.
  Expr Mod(const Operand& x, const Operand& y, const ModAttributes& attributes = {});
  // Multiplies.
  Expr Mul(const Operand& x, const Operand& y);
  // Changes the sign.
  Expr Neg(const Operand& x);
  // Returns the next number in the direction of another one.
  Expr NextAfter(const Operand& x, const Operand& y);
  // Checks whether elements differ.
  Expr NotEqual(const Operand& x, const Operand& y);
  // Returns one of several tensors by index.
  Expr Pick(const Operand& index, const Operands& values);
  // Computes derivatives of the digamma function.
  Expr Polygamma(const Operand& x, const Operand& y);
  // Raises to a power.
  Expr Pow(const Operand& x, const Operand& y);
  // Computes 1 / x.
  Expr Reciprocal(const Operand& x);
  // Replaces numbers below 0 by 0.
  Expr Relu(const Operand& x);
  // Rounds to the nearest integer.
  Expr Round(const Operand& x);
  // Computes 1 / sqrt(x).
  Expr Rsqrt(const Operand& x);
  // Chooses between two values element by element.
  Expr Select(const Operand& condition, const Operand& x, const Operand& y);
  // Shifts bits to the left.
  Expr ShiftLeft(const Operand& x, const Operand& y);
  // Shifts bits to the right.
  Expr ShiftRight(const Operand& x, const Operand& y);
  // Computes the logistic function.
  Expr Sigmoid(const Operand& x);
  // Computes the sign.
  Expr Sign(const Operand& x);
  // Computes the sine.
  Expr Sin(const Operand& x);
  // Computes the hyperbolic sine.
  Expr Sinh(const Operand& x);
  // Computes log(1 + exp(x)).
  Expr Softplus(const Operand& x);
  // Computes the Spence function.
  Expr Spence(const Operand& x);
  // Computes the square root.
  Expr Sqrt(const Operand& x);
  // Computes the square.
  Expr Square(const Operand& x);
  // Subtracts.
  Expr Sub(const Operand& x, const Operand& y);
  // Computes the tangent.
  Expr Tan(const Operand& x);
  // Computes the hyperbolic tangent.
  Expr Tanh(const Operand& x);
  // Computes the Hurwitz zeta function.
  Expr Zeta(const Operand& x, const Operand& y);

  // --- extension ---

  // Calls the op that an attribute names.
  StatusOr<std::vector<GraphValue>> Apply(const Operands& inputs,
                                          const ApplyAttributes& attributes);
  // Rejects the call unless a condition is true.
  Expr CheckTrue(const Operand& condition, const CheckTrueAttributes& attributes);
  // Declares that an override does not accept a call.
  Expr Decline(const Operands& inputs);
  // Returns the name of a dtype.
  Expr DtypeOf(const Operand& x);
  // Checks whether a value has an extension type.
  Expr IsA(const Operand& x, const IsAAttributes& attributes);
  // Checks whether two values are equal.
  Expr IsSame(const Operand& x, const Operand& y);
  // Creates a value of an extension type.
  Expr MakeExtension(const Operands& components, const MakeExtensionAttributes& attributes);

  // --- indexing ---

  // Selects from each row by its own indices.
  Expr BatchGather(const Operand& x, const Operand& indices);
  // Keeps the rows or elements that a mask selects.
  Expr BooleanMask(const Operand& x, const Operand& mask);
  // Finds the range between boundaries that contains each number.
  Expr Bucketize(const Operand& x, const Operand& boundaries);
  // Selects slices by index along an axis.
  Expr Gather(const Operand& x, const Operand& indices, const GatherAttributes& attributes = {});
  // Selects one element per index along an axis.
  Expr GatherElements(const Operand& x, const Operand& indices,
                      const GatherElementsAttributes& attributes = {});
  // Selects elements or slices by vectors of indices.
  Expr GatherNd(const Operand& x, const Operand& indices);
  // Indexes a value as Python does.
  Expr GetItem(const Operand& x, const Operands& indices, const GetItemAttributes& attributes);
  // Finds the position of each key in a vocabulary.
  Expr Lookup(const Operand& keys, const Operand& vocabulary,
              const LookupAttributes& attributes = {});
  // Returns the row of a table for each key.
  Expr LookupValue(const Operand& keys, const Operand& vocabulary, const Operand& values,
                   const Operand& default_ = {});
  // Adds a dimension that marks the position of each index.
  Expr OneHot(const Operand& indices, const OneHotAttributes& attributes);
  // Replaces one element per index along an axis.
  Expr ScatterElements(const Operand& x, const Operand& indices, const Operand& updates,
                       const ScatterElementsAttributes& attributes = {});
  // Replaces elements or slices by vectors of indices.
  Expr ScatterNd(const Operand& x, const Operand& indices, const Operand& updates,
                 const ScatterNdAttributes& attributes = {});
  // Selects a range of each dimension.
  Expr Slice(const Operand& x, const Operand& starts = {}, const Operand& limits = {},
             const Operand& axes = {}, const Operand& steps = {},
             const SliceAttributes& attributes = {});
  Expr Slice(const Operand& x, const SliceAttributes& attributes) {
    return Slice(x, {}, {}, {}, {}, attributes);
  }
  // Sorts along an axis.
  StatusOr<std::vector<GraphValue>> Sort(const Operand& x, const SortAttributes& attributes = {});
  // Selects rows by index.
  Expr StructGather(const Operand& x, const Operand& indices);
  // Finds the distinct elements or slices.
  StatusOr<std::vector<GraphValue>> Unique(const Operand& x,
                                           const UniqueAttributes& attributes = {});
  // Finds where a condition is true, or chooses between two values.
  Expr Where(const Operand& condition, const Operand& x = {}, const Operand& y = {});
  // Returns the coordinates at which a tensor is True.
  Expr WhereIndices(const Operand& x);
  // Returns the positions at which a mask is True.
  Expr WhereRows(const Operand& mask, const Operand& rows);

  // --- linalg ---

  // Computes determinants.
  Expr Det(const Operand& x);
  // Multiplies matrices, adds a bias and a residual, and limits the result.
  Expr Linear(const Operand& a, const Operand& b, const Operand& bias = {},
              const Operand& residual = {}, const LinearAttributes& attributes = {});
  Expr Linear(const Operand& a, const Operand& b, const LinearAttributes& attributes) {
    return Linear(a, b, {}, {}, attributes);
  }
  // Multiplies matrices.
  Expr Matmul(const Operand& a, const Operand& b, const MatmulAttributes& attributes = {});
  // Multiplies matrices of 8-bit integers.
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
  // Normalizes rows to mean 0 and variance 1, with a scale and a bias.
  Expr LayerNorm(const Operand& x, const Operand& scale = {}, const Operand& bias = {},
                 const LayerNormAttributes& attributes = {});
  Expr LayerNorm(const Operand& x, const LayerNormAttributes& attributes) {
    return LayerNorm(x, {}, {}, attributes);
  }
  // Updates a state by keys and values, and reads it by queries.
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
  // Normalizes elements by the squares of the channels around them.
  Expr LocalResponseNorm(const Operand& x, const LocalResponseNormAttributes& attributes);
  // Computes the logarithm of the softmax along an axis.
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
  // Runs an LSTM and returns the gates and states of all steps.
  StatusOr<std::vector<GraphValue>> LstmSteps(const Operand& x, const Operand& r,
                                              const Operand& initial_h, const Operand& initial_c,
                                              const Operand& peepholes = {},
                                              const Operand& length = {},
                                              const LstmStepsAttributes& attributes = {});
  StatusOr<std::vector<GraphValue>> LstmSteps(const Operand& x, const Operand& r,
                                              const Operand& initial_h, const Operand& initial_c,
                                              const LstmStepsAttributes& attributes) {
    return LstmSteps(x, r, initial_h, initial_c, {}, {}, attributes);
  }
  // Normalizes rows by their root mean square, with a scale.
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
  // Computes the softmax along an axis.
  Expr Softmax(const Operand& x, const SoftmaxAttributes& attributes = {});

  // --- quantization ---

  // Converts small integers to numbers by a scale and a zero point.
  Expr Dequantize(const Operand& x, const Operand& scale, const Operand& zero_point = {},
                  const DequantizeAttributes& attributes = {});
  Expr Dequantize(const Operand& x, const Operand& scale, const DequantizeAttributes& attributes) {
    return Dequantize(x, scale, {}, attributes);
  }
  // Converts numbers to uint8 by a scale computed from their range.
  StatusOr<std::vector<GraphValue>> DynamicQuantize(const Operand& x);
  // Converts numbers to small integers by a scale and a zero point.
  Expr Quantize(const Operand& x, const Operand& scale, const Operand& zero_point = {},
                const QuantizeAttributes& attributes = {});
  Expr Quantize(const Operand& x, const Operand& scale, const QuantizeAttributes& attributes) {
    return Quantize(x, scale, {}, attributes);
  }
  // Converts sums of products to small integers.
  Expr Requantize(const Operand& x, const Operand& multiplier, const Operand& zero_point = {},
                  const RequantizeAttributes& attributes = {});
  Expr Requantize(const Operand& x, const Operand& multiplier,
                  const RequantizeAttributes& attributes) {
    return Requantize(x, multiplier, {}, attributes);
  }
  // Rounds numbers to a format of 4 or 8 bits.
  Expr RoundTo(const Operand& x, const RoundToAttributes& attributes);

  // --- ragged ---

  // Changes one dimension of size 1 in a list of sizes.
  Expr BroadcastDimension(const Operand& sizes, const Operand& lengths,
                          const BroadcastDimensionAttributes& attributes);
  // Computes the sizes to which two lists of sizes broadcast.
  Expr BroadcastSizes(const Operand& x, const Operand& y);
  // Checks an index and counts it from the start.
  Expr CheckIndex(const Operand& index, const Operand& size);
  // Checks that row splits end at the number of values.
  Expr CheckNumValues(const Operand& values, const Operand& row_splits);
  // Checks row splits and returns them.
  Expr CheckRowSplits(const Operand& row_splits, const Operand& num_values);
  // Checks that two sizes are equal.
  Expr CheckSameSize(const Operand& size, const Operand& other);
  // Checks that two vectors of row splits are equal.
  Expr CheckSameSplits(const Operand& row_splits, const Operand& others);
  // Limits lengths to the range from 0 to a width.
  Expr ClipLengths(const Operand& lengths, const Operand& width);
  // Returns the start and the length of a slice of a dimension.
  StatusOr<std::vector<GraphValue>> ClipSlice(const Operand& size, const Operand& start = {},
                                              const Operand& limit = {},
                                              const ClipSliceAttributes& attributes = {});
  StatusOr<std::vector<GraphValue>> ClipSlice(const Operand& size,
                                              const ClipSliceAttributes& attributes) {
    return ClipSlice(size, {}, {}, attributes);
  }
  // Joins row splits one after the other.
  Expr ConcatRowSplits(const Operands& row_splits);
  // Combines the features of each row in all ways.
  Expr Cross(const Operands& features, const CrossAttributes& attributes = {});
  // Returns the row splits of the combinations of rows, and positions in each input.
  StatusOr<std::vector<GraphValue>> CrossRows(const Operands& row_splits);
  // Returns the row splits of consecutive rows, and the range of their values.
  StatusOr<std::vector<GraphValue>> CutRowSplits(const Operand& row_splits, const Operand& start,
                                                 const Operand& count);
  // Returns consecutive rows of a tensor without copying them.
  Expr CutRows(const Operand& x, const Operand& start, const Operand& count);
  // Combines the rows of a table that ids select.
  Expr EmbeddingLookup(const Operand& table, const Operand& ids, const Operand& weights = {},
                       const EmbeddingLookupAttributes& attributes = {});
  Expr EmbeddingLookup(const Operand& table, const Operand& ids,
                       const EmbeddingLookupAttributes& attributes) {
    return EmbeddingLookup(table, ids, {}, attributes);
  }
  // Converts positions in rows to positions in the flat values.
  Expr FlatPositions(const Operand& positions, const Operand& row_splits);
  // Returns the row splits of selected rows, and the positions of their values.
  StatusOr<std::vector<GraphValue>> GatherRowSplits(const Operand& row_splits, const Operand& rows);
  // Checks whether all values of each group are true.
  Expr GroupAll(const Operand& values, const Operand& groups, const Operand& count);
  // Checks whether any value of each group is true.
  Expr GroupAny(const Operand& values, const Operand& groups, const Operand& count);
  // Finds the largest value of each group.
  Expr GroupMax(const Operand& values, const Operand& groups, const Operand& count,
                const GroupMaxAttributes& attributes = {});
  // Computes the mean of each group.
  Expr GroupMean(const Operand& values, const Operand& groups, const Operand& count,
                 const GroupMeanAttributes& attributes = {});
  // Finds the smallest value of each group.
  Expr GroupMin(const Operand& values, const Operand& groups, const Operand& count,
                const GroupMinAttributes& attributes = {});
  // Returns the row splits of groups, and positions in the order of the groups.
  StatusOr<std::vector<GraphValue>> GroupOrder(const Operand& groups, const Operand& count);
  // Multiplies the values of each group.
  Expr GroupProd(const Operand& values, const Operand& groups, const Operand& count);
  // Adds the values of each group.
  Expr GroupSum(const Operand& values, const Operand& groups, const Operand& count);
  // Joins rows of several inputs row by row.
  StatusOr<std::vector<GraphValue>> InterleaveRows(const Operands& row_splits);
  // Returns the length of each row without the padding at its end.
  Expr LengthsWithoutPadding(const Operand& is_padding);
  // Returns the row splits of the values that a mask keeps.
  Expr MaskRowSplits(const Operand& row_splits, const Operand& mask);
  // Returns the number of rows that row splits define.
  Expr NumRows(const Operand& row_splits);
  // Returns the number of values that row splits divide.
  Expr NumValues(const Operand& row_splits);
  // Returns the row splits of overlaid rows, and the new position of each value.
  StatusOr<std::vector<GraphValue>> OverlayRows(const Operand& row_splits, const Operand& groups,
                                                const Operand& count);
  // Converts rows to a dense tensor by padding short rows.
  Expr PadRows(const Operand& values, const Operand& row_splits, const Operand& default_ = {},
               const PadRowsAttributes& attributes = {});
  Expr PadRows(const Operand& values, const Operand& row_splits,
               const PadRowsAttributes& attributes) {
    return PadRows(values, row_splits, {}, attributes);
  }
  // Converts the dimensions of a tensor to ragged dimensions.
  Expr RaggedFromDense(const Operand& x, const Operand& lengths = {}, const Operand& padding = {},
                       const RaggedFromDenseAttributes& attributes = {});
  Expr RaggedFromDense(const Operand& x, const RaggedFromDenseAttributes& attributes) {
    return RaggedFromDense(x, {}, {}, attributes);
  }
  // Groups values into rows by row splits.
  Expr RaggedFromRowSplits(const Operand& values, const Operand& row_splits);
  // Converts a sparse matrix to rows.
  Expr RaggedFromSparse(const Operand& x);
  // Creates ranges of numbers, one per row.
  Expr RaggedRange(const Operands& bounds);
  // Returns the row splits of a ragged dimension.
  Expr RaggedRowSplits(const Operand& x, const RaggedRowSplitsAttributes& attributes = {});
  // Converts rows to a tensor by padding them.
  Expr RaggedToDense(const Operand& x, const Operand& default_ = {},
                     const RaggedToDenseAttributes& attributes = {});
  Expr RaggedToDense(const Operand& x, const RaggedToDenseAttributes& attributes) {
    return RaggedToDense(x, {}, attributes);
  }
  // Converts a ragged value to a sparse value.
  Expr RaggedToSparse(const Operand& x);
  // Returns the flat values of a ragged value.
  Expr RaggedValues(const Operand& x);
  // Repeats each row for each value of its group.
  Expr RepeatRows(const Operand& x, const Operand& row_splits);
  // Returns the positions of elements of rows.
  Expr RowElements(const Operand& row_splits, const Operand& rows, const Operand& indices,
                   const RowElementsAttributes& attributes = {});
  // Returns the length of each row.
  Expr RowLengths(const Operand& row_splits);
  // Returns the row splits and the numbers of ragged_range.
  StatusOr<std::vector<GraphValue>> RowRanges(const Operand& starts, const Operand& limits,
                                              const Operand& steps);
  // Creates row splits from the lengths of the rows.
  Expr RowSplitsFromLengths(const Operand& lengths);
  // Creates row splits from the end of each row.
  Expr RowSplitsFromLimits(const Operand& limits);
  // Creates row splits from the row number of each value.
  Expr RowSplitsFromRowIds(const Operand& row_ids, const Operand& rows = {});
  // Creates row splits from the start of each row.
  Expr RowSplitsFromStarts(const Operand& starts, const Operand& num_values);
  // Checks whether all values of each row are true.
  Expr SegmentAll(const Operand& values, const Operand& row_splits = {});
  // Checks whether any value of each row is true.
  Expr SegmentAny(const Operand& values, const Operand& row_splits = {});
  // Finds the position of the largest value of each row.
  Expr SegmentArgmax(const Operand& values, const Operand& row_splits = {},
                     const SegmentArgmaxAttributes& attributes = {});
  Expr SegmentArgmax(const Operand& values, const SegmentArgmaxAttributes& attributes) {
    return SegmentArgmax(values, {}, attributes);
  }
  // Finds the position of the smallest value of each row.
  Expr SegmentArgmin(const Operand& values, const Operand& row_splits = {},
                     const SegmentArgminAttributes& attributes = {});
  Expr SegmentArgmin(const Operand& values, const SegmentArgminAttributes& attributes) {
    return SegmentArgmin(values, {}, attributes);
  }
  // Computes cumulative sums within each row.
  Expr SegmentCumsum(const Operand& values, const Operand& row_splits = {},
                     const SegmentCumsumAttributes& attributes = {});
  Expr SegmentCumsum(const Operand& values, const SegmentCumsumAttributes& attributes) {
    return SegmentCumsum(values, {}, attributes);
  }
  // Returns the number of the row that contains each value.
  Expr SegmentIds(const Operand& row_splits);
  // Computes the logarithm of the softmax within each row.
  Expr SegmentLogSoftmax(const Operand& values, const Operand& row_splits = {});
  // Finds the largest value of each row.
  Expr SegmentMax(const Operand& values, const Operand& row_splits = {},
                  const SegmentMaxAttributes& attributes = {});
  Expr SegmentMax(const Operand& values, const SegmentMaxAttributes& attributes) {
    return SegmentMax(values, {}, attributes);
  }
  // Computes the mean of each row.
  Expr SegmentMean(const Operand& values, const Operand& row_splits = {},
                   const SegmentMeanAttributes& attributes = {});
  Expr SegmentMean(const Operand& values, const SegmentMeanAttributes& attributes) {
    return SegmentMean(values, {}, attributes);
  }
  // Finds the smallest value of each row.
  Expr SegmentMin(const Operand& values, const Operand& row_splits = {},
                  const SegmentMinAttributes& attributes = {});
  Expr SegmentMin(const Operand& values, const SegmentMinAttributes& attributes) {
    return SegmentMin(values, {}, attributes);
  }
  // Multiplies the values of each row.
  Expr SegmentProd(const Operand& values, const Operand& row_splits = {});
  // Computes the softmax within each row.
  Expr SegmentSoftmax(const Operand& values, const Operand& row_splits = {});
  // Sorts the values of each row.
  StatusOr<std::vector<GraphValue>> SegmentSort(const Operand& values,
                                                const Operand& row_splits = {},
                                                const Operand& k = {},
                                                const SegmentSortAttributes& attributes = {});
  StatusOr<std::vector<GraphValue>> SegmentSort(const Operand& values,
                                                const SegmentSortAttributes& attributes) {
    return SegmentSort(values, {}, {}, attributes);
  }
  // Adds the values of each row.
  Expr SegmentSum(const Operand& values, const Operand& row_splits = {});
  // Finds the k largest scores of each row.
  StatusOr<std::vector<GraphValue>> SegmentTopK(const Operand& scores,
                                                const Operand& row_splits = {},
                                                const Operand& k = {},
                                                const SegmentTopKAttributes& attributes = {});
  StatusOr<std::vector<GraphValue>> SegmentTopK(const Operand& scores,
                                                const SegmentTopKAttributes& attributes) {
    return SegmentTopK(scores, {}, {}, attributes);
  }
  // Returns the values of a slice of each row, and their row splits.
  StatusOr<std::vector<GraphValue>> SliceRowValues(const Operand& x, const Operand& row_splits,
                                                   const Operand& start = {},
                                                   const Operand& limit = {},
                                                   const SliceRowValuesAttributes& attributes = {});
  StatusOr<std::vector<GraphValue>> SliceRowValues(const Operand& x, const Operand& row_splits,
                                                   const SliceRowValuesAttributes& attributes) {
    return SliceRowValues(x, row_splits, {}, {}, attributes);
  }
  // Returns the row splits and the positions of a slice of each row.
  StatusOr<std::vector<GraphValue>> SliceRows(const Operand& row_splits, const Operand& start = {},
                                              const Operand& limit = {},
                                              const SliceRowsAttributes& attributes = {});
  StatusOr<std::vector<GraphValue>> SliceRows(const Operand& row_splits,
                                              const SliceRowsAttributes& attributes) {
    return SliceRows(row_splits, {}, {}, attributes);
  }
  // Repeats the values within each row.
  StatusOr<std::vector<GraphValue>> TileRows(const Operand& row_splits, const Operand& multiple);
  // Creates the row splits of rows of one length.
  Expr UniformRowSplits(const Operand& rows, const Operand& length,
                        const UniformRowSplitsAttributes& attributes = {});
  // Returns the start of each row of a dense tensor.
  Expr UnpadRows(const Operand& x, const Operand& row_splits);

  // --- random ---

  // Selects random positions with probabilities that logits define.
  Expr RandomCategorical(const Operand& seed, const Operand& logits,
                         const RandomCategoricalAttributes& attributes = {});
  // Creates random numbers with a gamma distribution.
  Expr RandomGamma(const Operand& seed, const Operand& alpha);
  // Creates normally distributed random numbers.
  Expr RandomNormal(const Operand& seed, const Operand& shape = {},
                    const RandomNormalAttributes& attributes = {});
  Expr RandomNormal(const Operand& seed, const RandomNormalAttributes& attributes) {
    return RandomNormal(seed, {}, attributes);
  }
  // Creates a random permutation.
  Expr RandomPermutation(const Operand& seed, const Operand& count);
  // Creates random numbers with a Poisson distribution.
  Expr RandomPoisson(const Operand& seed, const Operand& rate);
  // Shuffles rows.
  Expr RandomShuffle(const Operand& x, const Operand& seed);
  // Creates uniformly distributed random numbers.
  Expr RandomUniform(const Operand& seed, const Operand& shape = {},
                     const RandomUniformAttributes& attributes = {});
  Expr RandomUniform(const Operand& seed, const RandomUniformAttributes& attributes) {
    return RandomUniform(seed, {}, attributes);
  }

  // --- reduction ---

  // Finds the position of the largest element along an axis.
  Expr Argmax(const Operand& x, const ArgmaxAttributes& attributes);
  // Finds the position of the smallest element along an axis.
  Expr Argmin(const Operand& x, const ArgminAttributes& attributes);
  // Computes cumulative products along an axis.
  Expr Cumprod(const Operand& x, const Operand& axis = {},
               const CumprodAttributes& attributes = {});
  Expr Cumprod(const Operand& x, const CumprodAttributes& attributes) {
    return Cumprod(x, {}, attributes);
  }
  // Computes cumulative sums along an axis.
  Expr Cumsum(const Operand& x, const Operand& axis = {}, const CumsumAttributes& attributes = {});
  Expr Cumsum(const Operand& x, const CumsumAttributes& attributes) {
    return Cumsum(x, {}, attributes);
  }
  // Computes logarithms of cumulative sums of exponentials along an axis.
  Expr CumulativeLogsumexp(const Operand& x, const Operand& axis = {},
                           const CumulativeLogsumexpAttributes& attributes = {});
  Expr CumulativeLogsumexp(const Operand& x, const CumulativeLogsumexpAttributes& attributes) {
    return CumulativeLogsumexp(x, {}, attributes);
  }
  // Checks whether all elements are true.
  Expr ReduceAll(const Operand& x, const Operand& axes = {},
                 const ReduceAllAttributes& attributes = {});
  Expr ReduceAll(const Operand& x, const ReduceAllAttributes& attributes) {
    return ReduceAll(x, {}, attributes);
  }
  // Checks whether any element is true.
  Expr ReduceAny(const Operand& x, const Operand& axes = {},
                 const ReduceAnyAttributes& attributes = {});
  Expr ReduceAny(const Operand& x, const ReduceAnyAttributes& attributes) {
    return ReduceAny(x, {}, attributes);
  }
  // Finds the largest element.
  Expr ReduceMax(const Operand& x, const Operand& axes = {},
                 const ReduceMaxAttributes& attributes = {});
  Expr ReduceMax(const Operand& x, const ReduceMaxAttributes& attributes) {
    return ReduceMax(x, {}, attributes);
  }
  // Computes the mean.
  Expr ReduceMean(const Operand& x, const Operand& axes = {},
                  const ReduceMeanAttributes& attributes = {});
  Expr ReduceMean(const Operand& x, const ReduceMeanAttributes& attributes) {
    return ReduceMean(x, {}, attributes);
  }
  // Finds the smallest element.
  Expr ReduceMin(const Operand& x, const Operand& axes = {},
                 const ReduceMinAttributes& attributes = {});
  Expr ReduceMin(const Operand& x, const ReduceMinAttributes& attributes) {
    return ReduceMin(x, {}, attributes);
  }
  // Computes the product.
  Expr ReduceProd(const Operand& x, const Operand& axes = {},
                  const ReduceProdAttributes& attributes = {});
  Expr ReduceProd(const Operand& x, const ReduceProdAttributes& attributes) {
    return ReduceProd(x, {}, attributes);
  }
  // Computes the sum.
  Expr ReduceSum(const Operand& x, const Operand& axes = {},
                 const ReduceSumAttributes& attributes = {});
  Expr ReduceSum(const Operand& x, const ReduceSumAttributes& attributes) {
    return ReduceSum(x, {}, attributes);
  }
  // Finds the k largest or smallest elements along an axis.
  StatusOr<std::vector<GraphValue>> TopK(const Operand& x, const Operand& k = {},
                                         const TopKAttributes& attributes = {});
  StatusOr<std::vector<GraphValue>> TopK(const Operand& x, const TopKAttributes& attributes) {
    return TopK(x, {}, attributes);
  }

  // --- shape ---

  // Repeats a value until it has a shape.
  Expr BroadcastTo(const Operand& x, const Operand& shape = {},
                   const BroadcastToAttributes& attributes = {});
  Expr BroadcastTo(const Operand& x, const BroadcastToAttributes& attributes) {
    return BroadcastTo(x, {}, attributes);
  }
  // Joins values along one axis.
  Expr Concat(const Operands& values, const ConcatAttributes& attributes = {});
  // Returns the size of a dimension.
  Expr DimSize(const Operand& x, const DimSizeAttributes& attributes);
  // Returns the size or the row lengths of each dimension.
  Expr DimSizes(const Operand& x, const DimSizesAttributes& attributes = {});
  // Returns the sizes of the dimensions at run time.
  Expr DynamicShape(const Operand& x);
  // Returns the number of elements of some dimensions at run time.
  Expr DynamicSize(const Operand& x, const DynamicSizeAttributes& attributes = {});
  // Adds a dimension of size 1.
  Expr ExpandDims(const Operand& x, const ExpandDimsAttributes& attributes);
  // Creates a tensor with one value.
  Expr Fill(const Operand& value, const Operand& shape = {}, const FillAttributes& attributes = {});
  Expr Fill(const Operand& value, const FillAttributes& attributes) {
    return Fill(value, {}, attributes);
  }
  // Merges consecutive dimensions of a tensor into one.
  Expr Flatten(const Operand& x, const FlattenAttributes& attributes = {});
  // Returns its input.
  Expr Identity(const Operand& x);
  // Merges consecutive dimensions into one.
  Expr MergeDims(const Operand& x, const MergeDimsAttributes& attributes);
  // Moves one dimension to another position.
  Expr MoveAxis(const Operand& x, const MoveAxisAttributes& attributes);
  // Creates ones in the shape of a value.
  Expr OnesLike(const Operand& x, const OnesLikeAttributes& attributes = {});
  // Adds elements before and after each dimension.
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
  // Creates evenly spaced numbers.
  Expr Range(const Operands& bounds, const RangeAttributes& attributes = {});
  // Returns the number of dimensions.
  Expr Rank(const Operand& x, const RankAttributes& attributes = {});
  // Changes the shape without changing the elements.
  Expr Reshape(const Operand& x, const Operand& shape = {},
               const ReshapeAttributes& attributes = {});
  Expr Reshape(const Operand& x, const ReshapeAttributes& attributes) {
    return Reshape(x, {}, attributes);
  }
  // Reverses the order of elements along axes.
  Expr Reverse(const Operand& x, const ReverseAttributes& attributes);
  // Checks that dimensions of several inputs have the same size.
  Expr SameSize(const Operands& xs, const SameSizeAttributes& attributes);
  // Returns the sizes of the dimensions.
  Expr Shape(const Operand& x, const ShapeAttributes& attributes = {});
  // Returns the number of elements.
  Expr Size(const Operand& x, const SizeAttributes& attributes = {});
  // Cuts a value into parts along an axis.
  StatusOr<std::vector<GraphValue>> Split(const Operand& x, const SplitAttributes& attributes = {});
  // Removes dimensions of size 1.
  Expr Squeeze(const Operand& x, const SqueezeAttributes& attributes = {});
  // Joins values along a new axis.
  Expr Stack(const Operands& values, const StackAttributes& attributes = {});
  // Repeats a value along its dimensions.
  Expr Tile(const Operand& x, const Operand& multiples = {}, const TileAttributes& attributes = {});
  Expr Tile(const Operand& x, const TileAttributes& attributes) { return Tile(x, {}, attributes); }
  // Permutes the dimensions.
  Expr Transpose(const Operand& x, const TransposeAttributes& attributes = {});
  // Returns the elements along an axis as separate values.
  StatusOr<std::vector<GraphValue>> Unstack(const Operand& x,
                                            const UnstackAttributes& attributes = {});
  // Creates zeros in the shape of a value.
  Expr ZerosLike(const Operand& x, const ZerosLikeAttributes& attributes = {});

  // --- signal ---

  // Computes discrete Fourier transforms along an axis.
  Expr Dft(const Operand& x, const Operand& length = {}, const Operand& axis = {},
           const DftAttributes& attributes = {});
  Expr Dft(const Operand& x, const DftAttributes& attributes) { return Dft(x, {}, {}, attributes); }
  // Creates a matrix that converts spectra to the mel scale.
  Expr MelWeightMatrix(const Operand& num_bins, const Operand& dft_length,
                       const Operand& sample_rate, const Operand& lower_edge,
                       const Operand& upper_edge);

  // --- sparse ---

  // Returns the smallest dense shape that contains indices.
  Expr BoundingShape(const Operand& indices);
  // Replaces -1 in a shape by the size that it stands for.
  Expr CompleteShape(const Operand& dense_shape, const Operand& shape);
  // Multiplies a sparse matrix in compressed rows by a dense matrix.
  Expr CsrMatmul(const Operand& values, const Operand& columns, const Operand& row_splits,
                 const Operand& dense);
  // Returns the entries inside a window, and their indices in it.
  StatusOr<std::vector<GraphValue>> CutEntries(const Operand& indices, const Operand& starts,
                                               const Operand& sizes);
  // Adds an index to each empty row.
  StatusOr<std::vector<GraphValue>> FillRows(const Operand& indices, const Operand& dense_shape);
  // Returns the row splits of runs of equal numbers.
  Expr GroupEqual(const Operand& sorted);
  // Converts indices to row-major positions.
  Expr RavelIndices(const Operand& indices, const Operand& dense_shape);
  // Creates a tensor from values at ascending positions.
  Expr ScatterDense(const Operand& positions, const Operand& values, const Operand& dense_shape,
                    const Operand& default_);
  // Returns the components of a sparse value.
  StatusOr<std::vector<GraphValue>> SparseComponents(const Operand& x);
  // Adds a default entry to each empty row.
  StatusOr<std::vector<GraphValue>> SparseFillEmptyRows(const Operand& x, const Operand& default_);
  // Converts a tensor to a sparse value.
  Expr SparseFromDense(const Operand& x);
  // Creates a sparse value from its entries.
  Expr SparseFromEntries(const Operand& indices, const Operand& values, const Operand& dense_shape);
  // Changes the dense shape and keeps the entries.
  Expr SparseResetShape(const Operand& x, const SparseResetShapeAttributes& attributes = {});
  // Keeps the entries that a mask selects.
  Expr SparseRetain(const Operand& x, const Operand& keep);
  // Converts a sparse value to a tensor.
  Expr SparseToDense(const Operand& x, const Operand& default_ = {});
  // Returns the starts and sizes of a slice, cut to a dense shape.
  StatusOr<std::vector<GraphValue>> SparseWindow(const Operand& dense_shape,
                                                 const SparseWindowAttributes& attributes = {});
  // Converts row-major positions to indices.
  Expr UnravelIndices(const Operand& positions, const Operand& dense_shape);

  // --- structured ---

  // Copies a field into each structure of a sibling field.
  Expr BroadcastField(const Operand& x, const BroadcastFieldAttributes& attributes);
  // Creates a dict.
  Expr MakeDict(const Operands& items, const MakeDictAttributes& attributes);
  // Creates a list.
  Expr MakeList(const Operands& elements);
  // Creates a tuple.
  Expr MakeTuple(const Operands& elements);
  // Copies a field to the structure around its own.
  Expr Promote(const Operand& x, const PromoteAttributes& attributes);
  // Copies a field into another structure.
  Expr PromoteAndBroadcast(const Operand& x, const PromoteAndBroadcastAttributes& attributes);
  // Returns a field of a structure.
  Expr StructGet(const Operand& x, const StructGetAttributes& attributes);
  // Checks whether a field has a value in each structure.
  Expr StructHas(const Operand& x, const StructHasAttributes& attributes);
  // Creates a structure from columns.
  Expr StructMake(const Operands& fields, const StructMakeAttributes& attributes);
  // Returns the number of rows.
  Expr StructNrows(const Operand& x);
  // Counts the values of a field in each structure.
  Expr StructSize(const Operand& x, const StructSizeAttributes& attributes);
  // Adds, replaces, and removes fields.
  Expr StructUpdate(const Operand& x, const Operands& values,
                    const StructUpdateAttributes& attributes = {});
  // Keeps some fields of a structure.
  Expr StructWithOnly(const Operand& x, const StructWithOnlyAttributes& attributes);
  // Removes fields of a structure.
  Expr StructWithout(const Operand& x, const StructWithoutAttributes& attributes);

  // --- tabular ---

  // Computes class probabilities from probabilities of pairs of classes.
  Expr CouplePairs(const Operand& x, const CouplePairsAttributes& attributes);
  // Counts the n-grams of a list in each row.
  Expr NgramWeights(const Operand& x, const Operand& pool, const Operand& starts,
                    const Operand& columns, const Operand& weights,
                    const NgramWeightsAttributes& attributes);
  Expr NgramWeights(const Operand& x, const Operand& pool, const Operand& starts,
                    const Operand& columns, const NgramWeightsAttributes& attributes) {
    return NgramWeights(x, pool, starts, columns, {}, attributes);
  }
  // Divides each row by its norm.
  Expr NormalizeRows(const Operand& x, const NormalizeRowsAttributes& attributes = {});
  // Splits records of comma-separated values into fields.
  Expr ParseCsv(const Operand& records, const ParseCsvAttributes& attributes);
  // Reads the features of serialized tensorflow.Example messages.
  StatusOr<std::vector<GraphValue>> ParseExamples(const Operand& serialized,
                                                  const ParseExamplesAttributes& attributes);
  // Reads the feature lists of serialized tensorflow.SequenceExample messages.
  StatusOr<std::vector<GraphValue>> ParseFeatureLists(
      const Operand& serialized, const ParseFeatureListsAttributes& attributes);
  // Reads a serialized tensorflow.TensorProto message.
  Expr ParseTensor(const Operand& serialized, const ParseTensorAttributes& attributes);
  // Reads serialized tensorflow.TensorProto messages as rows.
  StatusOr<std::vector<GraphValue>> ParseTensorRows(const Operand& serialized,
                                                    const ParseTensorRowsAttributes& attributes);
  // Writes a tensor as a serialized tensorflow.TensorProto message.
  Expr SerializeTensor(const Operand& x);
  // Writes each row as a serialized tensorflow.TensorProto message.
  Expr SerializeTensorRows(const Operand& values, const Operand& row_splits);
  // Computes the squared distances between rows.
  Expr SquaredDistances(const Operand& a, const Operand& b);
  // Evaluates an ensemble of decision trees.
  Expr TreeEnsemble(const Operand& x, const Operand& nodes, const Operand& thresholds,
                    const Operand& roots, const Operand& targets, const Operand& weights,
                    const Operand& base = {}, const TreeEnsembleAttributes& attributes = {});
  Expr TreeEnsemble(const Operand& x, const Operand& nodes, const Operand& thresholds,
                    const Operand& roots, const Operand& targets, const Operand& weights,
                    const TreeEnsembleAttributes& attributes) {
    return TreeEnsemble(x, nodes, thresholds, roots, targets, weights, {}, attributes);
  }
  // Finds the class that wins most pairs of classes.
  Expr VotePairs(const Operand& x, const VotePairsAttributes& attributes);

  // --- text ---

  // Returns a part of dates, such as the year or the weekday.
  Expr DatePart(const Operand& x, const DatePartAttributes& attributes);
  // Decodes base64.
  Expr DecodeBase64(const Operand& x);
  // Encodes strings as base64.
  Expr EncodeBase64(const Operand& x, const EncodeBase64Attributes& attributes = {});
  // Writes dates as text.
  Expr FormatDate(const Operand& x, const FormatDateAttributes& attributes = {});
  // Writes numbers in a format.
  Expr FormatNumber(const Operand& x, const FormatNumberAttributes& attributes);
  // Writes a tensor as text.
  Expr FormatTensor(const Operand& x, const FormatTensorAttributes& attributes = {});
  // Writes times as text.
  Expr FormatTime(const Operand& x, const FormatTimeAttributes& attributes = {});
  // Joins the strings of each row.
  Expr JoinRowText(const Operand& values, const Operand& row_splits,
                   const JoinRowTextAttributes& attributes = {});
  // Returns the strings of ngrams, and their row splits.
  Expr NgramRows(const Operand& values, const Operand& row_splits,
                 const NgramRowsAttributes& attributes);
  // Joins runs of neighboring strings in each row.
  Expr Ngrams(const Operand& x, const NgramsAttributes& attributes);
  // Writes numbers as text.
  Expr NumberToString(const Operand& x);
  // Reads dates from text.
  Expr ParseDate(const Operand& x, const ParseDateAttributes& attributes = {});
  // Reads times from text.
  Expr ParseTime(const Operand& x, const ParseTimeAttributes& attributes = {});
  // Extracts the first match of a regular expression.
  Expr RegexExtract(const Operand& x, const RegexExtractAttributes& attributes);
  // Checks whether a regular expression matches whole strings.
  Expr RegexFullMatch(const Operand& x, const RegexFullMatchAttributes& attributes);
  // Matches whole strings with a pattern that is compiled at each call.
  Expr RegexFullMatchComputed(const Operand& x, const Operand& pattern);
  // Replaces matches of a regular expression.
  Expr RegexReplace(const Operand& x, const RegexReplaceAttributes& attributes);
  // Replaces matches of a pattern that is compiled at each call.
  Expr RegexReplaceComputed(const Operand& x, const Operand& pattern, const Operand& rewrite,
                            const RegexReplaceComputedAttributes& attributes = {});
  // Returns the row splits and all parts of a vector of strings.
  StatusOr<std::vector<GraphValue>> SplitText(const Operand& x, const Operand& separator = {},
                                              const SplitTextAttributes& attributes = {});
  StatusOr<std::vector<GraphValue>> SplitText(const Operand& x,
                                              const SplitTextAttributes& attributes) {
    return SplitText(x, {}, attributes);
  }
  // Returns the bytes of strings as numbers.
  Expr StringBytes(const Operand& x, const StringBytesAttributes& attributes = {});
  // Joins two strings element by element.
  Expr StringConcat(const Operand& a, const Operand& b,
                    const StringConcatAttributes& attributes = {});
  // Computes a 64-bit hash of each string.
  Expr StringFingerprint(const Operand& x, const StringFingerprintAttributes& attributes = {});
  // Assigns strings to buckets by a hash.
  Expr StringHashBucket(const Operand& x, const StringHashBucketAttributes& attributes);
  // Joins strings along an axis.
  Expr StringJoin(const Operand& x, const StringJoinAttributes& attributes = {});
  // Returns the length of strings.
  Expr StringLength(const Operand& x, const StringLengthAttributes& attributes = {});
  // Converts letters to lower case.
  Expr StringLower(const Operand& x, const StringLowerAttributes& attributes = {});
  // Splits strings at a separator.
  Expr StringSplit(const Operand& x, const StringSplitAttributes& attributes = {});
  // Removes characters at the ends of strings.
  Expr StringStrip(const Operand& x, const StringStripAttributes& attributes = {});
  // Reads numbers from text.
  Expr StringToNumber(const Operand& x, const StringToNumberAttributes& attributes = {});
  // Converts letters to upper case.
  Expr StringUpper(const Operand& x, const StringUpperAttributes& attributes = {});
  // Returns a part of each string.
  Expr Substr(const Operand& x, const Operand& start = {}, const Operand& length = {},
              const SubstrAttributes& attributes = {});
  Expr Substr(const Operand& x, const SubstrAttributes& attributes) {
    return Substr(x, {}, {}, attributes);
  }
  // Returns the code points of the characters of strings.
  StatusOr<std::vector<GraphValue>> TextCodePoints(const Operand& x,
                                                   const TextCodePointsAttributes& attributes = {});
  // Creates strings from the code points of their characters.
  Expr TextFromCodePoints(const Operand& values, const Operand& row_splits,
                          const TextFromCodePointsAttributes& attributes = {});
  // Returns a part of times, such as the hour or the weekday.
  Expr TimePart(const Operand& x, const TimePartAttributes& attributes);
  // Returns the row splits and all tokens of a vector of strings.
  StatusOr<std::vector<GraphValue>> TokenizeText(const Operand& x,
                                                 const TokenizeTextAttributes& attributes = {});
  // Returns the scripts of characters.
  Expr UnicodeScript(const Operand& x);

  // --- vision ---

  // Creates a grid by an affine transformation.
  Expr AffineGrid(const Operand& theta, const Operand& size,
                  const AffineGridAttributes& attributes = {});
  // Computes the mean of each window.
  Expr AveragePool(const Operand& x, const AveragePoolAttributes& attributes);
  // Computes a convolution.
  Expr Conv(const Operand& x, const Operand& w, const Operand& bias = {},
            const Operand& residual = {}, const ConvAttributes& attributes = {});
  Expr Conv(const Operand& x, const Operand& w, const ConvAttributes& attributes) {
    return Conv(x, w, {}, {}, attributes);
  }
  // Computes a convolution of 8-bit integers.
  Expr ConvInteger(const Operand& x, const Operand& w, const Operand& x_zero_point = {},
                   const Operand& w_zero_point = {}, const Operand& bias = {},
                   const ConvIntegerAttributes& attributes = {});
  Expr ConvInteger(const Operand& x, const Operand& w, const ConvIntegerAttributes& attributes) {
    return ConvInteger(x, w, {}, {}, {}, attributes);
  }
  // Computes a transposed convolution.
  Expr ConvTranspose(const Operand& x, const Operand& w, const Operand& bias = {},
                     const ConvTransposeAttributes& attributes = {});
  Expr ConvTranspose(const Operand& x, const Operand& w,
                     const ConvTransposeAttributes& attributes) {
    return ConvTranspose(x, w, {}, attributes);
  }
  // Decodes an encoded image.
  Expr DecodeImage(const Operand& bytes, const DecodeImageAttributes& attributes = {});
  // Computes a convolution with displaced windows.
  Expr DeformConv(const Operand& x, const Operand& w, const Operand& offset,
                  const Operand& bias = {}, const Operand& mask = {},
                  const DeformConvAttributes& attributes = {});
  Expr DeformConv(const Operand& x, const Operand& w, const Operand& offset,
                  const DeformConvAttributes& attributes) {
    return DeformConv(x, w, offset, {}, {}, attributes);
  }
  // Samples a tensor at the points of a grid.
  Expr GridSample(const Operand& x, const Operand& grid,
                  const GridSampleAttributes& attributes = {});
  // Computes the p-norm of each window.
  Expr LpPool(const Operand& x, const LpPoolAttributes& attributes);
  // Finds the largest element of each window.
  StatusOr<std::vector<GraphValue>> MaxPool(const Operand& x, const MaxPoolAttributes& attributes);
  // Finds the largest element of each cell of regions.
  Expr MaxRoiPool(const Operand& x, const Operand& rois, const MaxRoiPoolAttributes& attributes);
  // Writes elements to given positions of a tensor of zeros.
  Expr MaxUnpool(const Operand& x, const Operand& indices, const Operand& shape);
  // Selects boxes that do not overlap.
  Expr NonMaxSuppression(const Operand& boxes, const Operand& scores,
                         const Operand& most_per_class = {}, const Operand& iou_threshold = {},
                         const Operand& score_threshold = {},
                         const NonMaxSuppressionAttributes& attributes = {});
  Expr NonMaxSuppression(const Operand& boxes, const Operand& scores,
                         const NonMaxSuppressionAttributes& attributes) {
    return NonMaxSuppression(boxes, scores, {}, {}, {}, attributes);
  }
  // Resizes a tensor by interpolation.
  Expr Resize(const Operand& x, const Operand& scales = {}, const Operand& sizes = {},
              const Operand& roi = {}, const ResizeAttributes& attributes = {});
  Expr Resize(const Operand& x, const ResizeAttributes& attributes) {
    return Resize(x, {}, {}, {}, attributes);
  }
  // Samples the cells of regions.
  Expr RoiAlign(const Operand& x, const Operand& rois, const Operand& batch_indices,
                const RoiAlignAttributes& attributes);
  // Selects boxes and lowers the scores of boxes that overlap them.
  StatusOr<std::vector<GraphValue>> SoftNonMaxSuppression(
      const Operand& boxes, const Operand& scores, const Operand& most, const Operand& threshold,
      const Operand& score_threshold = {}, const Operand& sigma = {},
      const SoftNonMaxSuppressionAttributes& attributes = {});
  StatusOr<std::vector<GraphValue>> SoftNonMaxSuppression(
      const Operand& boxes, const Operand& scores, const Operand& most, const Operand& threshold,
      const SoftNonMaxSuppressionAttributes& attributes) {
    return SoftNonMaxSuppression(boxes, scores, most, threshold, {}, {}, attributes);
  }
};

}  // namespace signet
