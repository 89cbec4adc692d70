// Generated from tests/core/ops/**/*.cases; do not edit. `./dev golden OpReferenceTest` writes
// this file again.

#include "core/ops/op_examples.h"

namespace signet {
namespace {

// clang-format off
constexpr OpExample kExamples[] = {
    {"bitcast", R"example(bitcast dtype="int32"  float32[2] [1, -0.0]
-> int32[2] [1065353216, -2147483648])example"},
    {"bitcast", R"example(bitcast dtype="float64"  ragged uint64[1, (?)] [[4607182418800017408]]
-> ragged float64[1, (?)] [[1]])example"},
    {"bitcast", R"example(bitcast dtype="bool"  uint8[3] [0, 1, 4]
-> bool[3] [False, True, True])example"},
    {"cast", R"example(cast dtype="float64"  float32[2] [1.5, -2]
-> float64[2] [1.5, -2])example"},
    {"cast", R"example(cast dtype="float32"  float32[2] [1.5, -2]
-> float32[2] [1.5, -2])example"},
    {"cast", R"example(cast dtype="int64"  sparse float32[2] {indices: [[1]], values: [1.5], dense_shape: [2]}
-> sparse int64[2] {indices: [[1]], values: [1], dense_shape: [2]})example"},
    {"clip", R"example(clip  ragged int64[2, (?)] [[1, 2], [3]]   None   int64[2, 1] [[1], [2]]
-> ragged int64[2, (?)] [[1, 1], [2]])example"},
    {"clip", R"example(clip  float32[4] [1, 5, 9, nan]   float32[] 2   float32[] 6
-> float32[4] [2, 5, 6, nan])example"},
    {"add", R"example(add  float32[2] [1, 2]   float32[2] [10, 20.5]
-> float32[2] [11, 22.5])example"},
    {"sub", R"example(sub  1   ragged float64[2, (?)] [[1], [2, 3]]
-> ragged float64[2, (?)] [[0], [-1, -2]])example"},
    {"mul", R"example(mul  2   1.5
-> float32[] 3)example"},
    {"sub", R"example(sub  float32[2, 1] [[1], [2]]   float32[1, 3] [[10, 20, 30]]
-> float32[2, 3] [[-9, -19, -29], [-8, -18, -28]])example"},
    {"div", R"example(div  complex128[1] [[5.0, 5.0]]   complex128[1] [[3.0, -1.0]]
-> complex128[1] [[1.0, 2.0]])example"},
    {"floordiv", R"example(floordiv  int32[4] [7, -7, 7, -7]   int32[4] [2, 2, -2, -2]
-> int32[4] [3, -4, -4, 3])example"},
    {"mod", R"example(mod  int32[4] [7, -7, 7, -7]   int32[4] [2, 2, -2, -2]
-> int32[4] [1, 1, -1, -1])example"},
    {"mod", R"example(mod truncated=True  int32[4] [7, -7, 7, -7]   int32[4] [2, 2, -2, -2]
-> int32[4] [1, -1, 1, -1])example"},
    {"pow", R"example(pow  float32[4] [2, 3, 4, -2]   float32[4] [10, 2, 0.5, 3]
-> float32[4] [1024, 9, 2, -8])example"},
    {"maximum", R"example(maximum  float32[4] [1, nan, 1, -0.5]   float32[4] [2, 1, nan, -1]
-> float32[4] [2, nan, nan, -0.5])example"},
    {"minimum", R"example(minimum  float32[4] [1, nan, 1, -0.5]   float32[4] [2, 1, nan, -1]
-> float32[4] [1, nan, nan, -1])example"},
    {"bitwise_and", R"example(bitwise_and  int8[2] [6, -1]   int8[2] [3, 5]
-> int8[2] [2, 5])example"},
    {"bitwise_or", R"example(bitwise_or  uint16[2, 1] [[1], [2]]   uint16[2] [4, 8]
-> uint16[2, 2] [[5, 9], [6, 10]])example"},
    {"bitwise_xor", R"example(bitwise_xor  int64[1] [5]   int64[1] [-1]
-> int64[1] [-6])example"},
    {"shift_left", R"example(shift_left  uint8[3] [1, 255, 1]   uint8[3] [3, 1, 8]
-> uint8[3] [8, 254, 0])example"},
    {"shift_right", R"example(shift_right  int32[4] [8, -8, -1, 8]   int32[4] [1, 1, 40, -1]
-> int32[4] [4, -4, -1, 8])example"},
    {"shift_right", R"example(shift_right  ragged uint64[2, (?)] [[16], []]   uint64[] 4
-> ragged uint64[2, (?)] [[1], []])example"},
    {"add", R"example(add  ragged int64[2, (?)] [[1, 2], [3]]   ragged int64[2, (?)] [[10, 20], [30]]
-> ragged int64[2, (?)] [[11, 22], [33]])example"},
    {"mul", R"example(mul  ragged int64[2, (?), (?)] [[[1], [2, 3]], [[4]]]   int64[2, 1, 1] [[[10]], [[100]]]
-> ragged int64[2, (?), (?)] [[[10], [20, 30]], [[400]]])example"},
    {"less", R"example(less  ragged int32[2, (?)] [[1, 5], [7]]   ragged int32[2, (?)] [[3, 3], [3]]
-> ragged bool[2, (?)] [[True, False], [False]])example"},
    {"equal", R"example(equal  float32[4] [1, 2, nan, -0.0]   float32[4] [1, 3, nan, 0.0]
-> bool[4] [True, False, False, True])example"},
    {"not_equal", R"example(not_equal  float32[4] [1, 2, nan, -0.0]   float32[4] [1, 3, nan, 0.0]
-> bool[4] [False, True, True, False])example"},
    {"less", R"example(less  float32[4] [1, 2, nan, 3]   float32[4] [1, 3, nan, 2]
-> bool[4] [False, True, False, False])example"},
    {"less_equal", R"example(less_equal  float32[4] [1, 2, nan, 3]   float32[4] [1, 3, nan, 2]
-> bool[4] [True, True, False, False])example"},
    {"greater", R"example(greater  float32[4] [1, 2, nan, 3]   float32[4] [1, 3, nan, 2]
-> bool[4] [False, False, False, True])example"},
    {"greater_equal", R"example(greater_equal  float32[4] [1, 2, nan, 3]   float32[4] [1, 3, nan, 2]
-> bool[4] [True, False, False, True])example"},
    {"logical_and", R"example(logical_and  bool[4] [True, True, False, False]   bool[4] [True, False, True, False]
-> bool[4] [True, False, False, False])example"},
    {"logical_or", R"example(logical_or  bool[4] [True, True, False, False]   bool[4] [True, False, True, False]
-> bool[4] [True, True, True, False])example"},
    {"logical_xor", R"example(logical_xor  bool[4] [True, True, False, False]   bool[4] [True, False, True, False]
-> bool[4] [False, True, True, False])example"},
    {"logical_not", R"example(logical_not  bool[2] [True, False]
-> bool[2] [False, True])example"},
    {"is_nan", R"example(is_nan  float32[4] [1, nan, inf, -inf]
-> bool[4] [False, True, False, False])example"},
    {"is_inf", R"example(is_inf  float32[4] [1, nan, inf, -inf]
-> bool[4] [False, False, True, True])example"},
    {"is_finite", R"example(is_finite  float32[4] [1, nan, inf, -inf]
-> bool[4] [True, False, False, False])example"},
    {"exp", R"example(exp  float16[4] [-1.5, -0.25, 0.0, 0.5]
~ 2e-3
-> float16[4] [0.22313016, 0.778800783, 1.0, 1.64872127])example"},
    {"expm1", R"example(expm1  float16[4] [-1.5, -0.25, 0.0, 0.5]
~ 2e-3
-> float16[4] [-0.77686984, -0.221199217, 0.0, 0.648721271])example"},
    {"log", R"example(log  float32[8] [0.0, 0.5, 1.0, 2.0, 1e+30, -1.0, inf, nan]
-> float32[8] [-inf, -0.693147181, 0.0, 0.693147181, 69.0775528, nan, inf, nan])example"},
    {"log1p", R"example(log1p  float32[8] [-1.0, -0.5, 0.0, 1e-05, 3.0, -2.0, inf, nan]
-> float32[8] [-inf, -0.693147181, 0.0, 9.99995e-06, 1.38629436, nan, inf, nan])example"},
    {"sin", R"example(sin  float16[4] [-1.5, -0.25, 0.0, 0.5]
~ 2e-3
-> float16[4] [-0.997494987, -0.247403959, 0.0, 0.479425539])example"},
    {"cos", R"example(cos  float16[4] [-1.5, -0.25, 0.0, 0.5]
~ 2e-3
-> float16[4] [0.0707372017, 0.968912422, 1.0, 0.877582562])example"},
    {"tan", R"example(tan  float32[7] [-1.5, -0.25, 0.0, 0.5, 2.0, nan, inf]
-> float32[7] [-14.1014199, -0.255341921, 0.0, 0.54630249, -2.18503986, nan, nan])example"},
    {"asin", R"example(asin  float32[7] [-1.0, -0.25, 0.0, 0.5, 1.0, 2.0, nan]
-> float32[7] [-1.57079633, -0.252680255, 0.0, 0.523598776, 1.57079633, nan, nan])example"},
    {"acos", R"example(acos  float32[7] [-1.0, -0.25, 0.0, 0.5, 1.0, 2.0, nan]
-> float32[7] [3.14159265, 1.82347658, 1.57079633, 1.04719755, 0.0, nan, nan])example"},
    {"atan", R"example(atan  float16[4] [-1.5, -0.25, 0.0, 0.5]
~ 2e-3
-> float16[4] [-0.982793723, -0.244978663, 0.0, 0.463647609])example"},
    {"sinh", R"example(sinh  float32[8] [-1.5, -0.25, 0.0, 0.5, 2.0, nan, inf, -inf]
-> float32[8] [-2.12927946, -0.252612317, 0.0, 0.521095305, 3.62686041, nan, inf, -inf])example"},
    {"cosh", R"example(cosh  float32[8] [-1.5, -0.25, 0.0, 0.5, 2.0, nan, inf, -inf]
-> float32[8] [2.35240962, 1.0314131, 1.0, 1.12762597, 3.76219569, nan, inf, inf])example"},
    {"tanh", R"example(tanh  float16[4] [-1.5, -0.25, 0.0, 0.5]
~ 2e-3
-> float16[4] [-0.905148254, -0.244918662, 0.0, 0.462117157])example"},
    {"sigmoid", R"example(sigmoid  float16[4] [-1.5, -0.25, 0.0, 0.5]
~ 2e-3
-> float16[4] [0.182425524, 0.437823499, 0.5, 0.622459331])example"},
    {"erf", R"example(erf  float32[8] [-1.5, -0.25, 0.0, 0.5, 2.0, nan, inf, -inf]
-> float32[8] [-0.966105146, -0.27632639, 0.0, 0.520499878, 0.995322265, nan, 1.0, -1.0])example"},
    {"gelu", R"example(gelu  float32[7] [-1.5, -0.25, 0.0, 0.5, 2.0, nan, 30.0]
-> float32[7] [-0.100210802, -0.100323419, 0.0, 0.345731231, 1.95449974, nan, 30.0])example"},
    {"softplus", R"example(softplus  float16[4] [-1.5, -0.25, 0.0, 0.5]
~ 2e-3
-> float16[4] [0.201413278, 0.57593942, 0.693147181, 0.974076984])example"},
    {"gelu", R"example(gelu approximate=True  float32[7] [-1.5, -0.25, 0.0, 0.5, 2.0, nan, 30.0]
-> float32[7] [-0.100428423, -0.100324649, 0.0, 0.34571401, 1.95459769, nan, 30.0])example"},
    {"asinh", R"example(asinh  float32[3] [-1.5, 0.5, inf]
-> float32[3] [-1.1947632, 0.48121184, inf])example"},
    {"acosh", R"example(acosh  float64[3] [1.5, 2, 0.5]
-> float64[3] [0.9624236501192069, 1.3169578969248166, nan])example"},
    {"atanh", R"example(atanh  float16[2] [-0.25, 0.5]
-> float16[2] [-0.2554, 0.5493])example"},
    {"neg", R"example(neg  sparse float32[2, 3] {indices: [[0, 1], [1, 2]], values: [7, -8], dense_shape: [2, 3]}
-> sparse float32[2, 3] {indices: [[0, 1], [1, 2]], values: [-7, 8], dense_shape: [2, 3]})example"},
    {"is_nan", R"example(is_nan  sparse float32[2] {indices: [[1]], values: [nan], dense_shape: [2]}
-> sparse bool[2] {indices: [[1]], values: [True], dense_shape: [2]})example"},
    {"div", R"example(div  sparse float32[2] {indices: [[1]], values: [3], dense_shape: [2]}   2
-> sparse float32[2] {indices: [[1]], values: [1.5], dense_shape: [2]})example"},
    {"neg", R"example(neg  float32[3] [1, -0.5, nan]
-> float32[3] [-1, 0.5, nan])example"},
    {"abs", R"example(abs  float32[3] [1, -0.5, nan]
-> float32[3] [1, 0.5, nan])example"},
    {"sign", R"example(sign  float32[5] [-2, 0, 3, nan, -inf]
-> float32[5] [-1, 0, 1, nan, -1])example"},
    {"square", R"example(square  float32[2] [3, -1.5]
-> float32[2] [9, 2.25])example"},
    {"reciprocal", R"example(reciprocal  float32[4] [2, -4, 0, inf]
-> float32[4] [0.5, -0.25, inf, 0])example"},
    {"relu", R"example(relu  float32[4] [-1, 0, 2, nan]
-> float32[4] [0, 0, 2, nan])example"},
    {"floor", R"example(floor  float32[5] [1.5, -1.5, 2, nan, -inf]
-> float32[5] [1, -2, 2, nan, -inf])example"},
    {"ceil", R"example(ceil  float64[4] [1.5, -1.5, 2, nan]
-> float64[4] [2, -1, 2, nan])example"},
    {"round", R"example(round  float32[7] [0.5, 1.5, 2.5, -0.5, -1.5, 2.4, nan]
-> float32[7] [0, 2, 2, 0, -2, 2, nan])example"},
    {"sqrt", R"example(sqrt  float32[5] [4, 2, 0, -1, inf]
-> float32[5] [2, 1.41421356, 0, nan, inf])example"},
    {"rsqrt", R"example(rsqrt  float32[4] [4, 0, -1, inf]
-> float32[4] [0.5, inf, nan, 0])example"},
    {"pick", R"example(pick  int64[] 1  float32[2] [1, 2]  float32[3] [3, 4, 5]
-> float32[3] [3, 4, 5])example"},
    {"select", R"example(select  bool[2, 1] [[True], [False]]   ragged int64[2, (?)] [[1, 2], [3]]   0
-> ragged int64[2, (?)] [[1, 2], [0]])example"},
    {"select", R"example(select  bool[3] [True, False, True]   float32[3] [1, 2, 3]   float32[3] [10, 20, 30]
-> float32[3] [1, 20, 3])example"},
    {"bessel_i0", R"example(bessel_i0  float64[3] [0, 0.5, -1]
~ 1e-12
-> float64[3] [1, 1.0634833707413234, 1.2660658777520082])example"},
    {"bessel_i0e", R"example(bessel_i0e  float64[3] [0, 0.5, -1]
~ 1e-12
-> float64[3] [1, 0.64503527044915, 0.46575960759364043])example"},
    {"bessel_i1", R"example(bessel_i1  float64[3] [0, 0.5, -1]
~ 1e-12
-> float64[3] [0, 0.25789430539089636, -0.5651591039924851])example"},
    {"bessel_i1e", R"example(bessel_i1e  float64[3] [0, 0.5, -1]
~ 1e-12
-> float64[3] [0, 0.15642080318487173, -0.2079104153497085])example"},
    {"bessel_j0", R"example(bessel_j0  float64[8] [0, 0.5, -1, 3, 8.5, 20, -40, nan]
~ 1e-12
-> float64[8] [1, 0.938469807240813, 0.7651976865579665, -0.2600519549019335, 0.04193925184293449, 0.16702466434058322, 0.007366890584236951, nan])example"},
    {"bessel_j1", R"example(bessel_j1  float64[8] [0, 0.5, -1, 3, 8.5, 20, -40, nan]
~ 1e-12
-> float64[8] [0, 0.24226845767487387, -0.44005058574493355, 0.33905895852593654, 0.27312196367405384, 0.0668331241758502, -0.126038318037585, nan])example"},
    {"bessel_k0", R"example(bessel_k0  float64[7] [0, 0.1, 1, 2.5, 30, -1, nan]
~ 1e-12
-> float64[7] [inf, 2.4270690247020164, 0.42102443824070823, 0.062347553200366196, 2.1324774964630563e-14, nan, nan])example"},
    {"bessel_k0e", R"example(bessel_k0e  float64[7] [0, 0.1, 1, 2.5, 30, -1, nan]
~ 1e-12
-> float64[7] [inf, 2.6823261022628944, 1.1444630798068947, 0.7595486903280996, 0.22788666561625373, nan, nan])example"},
    {"bessel_k1", R"example(bessel_k1  float64[7] [0, 0.1, 1, 2.5, 30, -1, nan]
~ 1e-12
-> float64[7] [inf, 9.853844780870606, 0.6019072301972346, 0.07389081634774705, 2.1677320018915495e-14, nan, nan])example"},
    {"bessel_k1e", R"example(bessel_k1e  float64[7] [0, 0.1, 1, 2.5, 30, -1, nan]
~ 1e-12
-> float64[7] [inf, 10.890182683049698, 1.636153486263258, 0.9001744239078779, 0.2316541293777118, nan, nan])example"},
    {"bessel_y0", R"example(bessel_y0  float64[7] [0, 0.1, 1, 2.5, 30, -1, nan]
~ 1e-12
-> float64[7] [-inf, -1.5342386513503667, 0.08825696421567697, 0.498070359615232, -0.11729573168666398, nan, nan])example"},
    {"bessel_y1", R"example(bessel_y1  float64[7] [0, 0.1, 1, 2.5, 30, -1, nan]
~ 1e-12
-> float64[7] [-inf, -6.458951094702027, -0.7812128213002888, 0.14591813796678577, 0.08442557066174713, nan, nan])example"},
    {"igamma", R"example(igamma  float64[3] [0.5, 2.5, 10]   float64[3] [0.2, 7, 3]
~ 1e-12
-> float64[3] [0.47291074313446196, 0.9843905838997331, 0.0011024881301154815])example"},
    {"igammac", R"example(igammac  float64[3] [0.5, 2.5, 10]   float64[3] [0.2, 7, 3]
~ 1e-12
-> float64[3] [0.5270892568655381, 0.01560941610026691, 0.9988975118698845])example"},
    {"betainc", R"example(betainc  float64[3] [0.5, 2, 3]   float64[3] [0.5, 3, 0.2]   float64[3] [0.3, 0.4, 0.9]
~ 1e-12
-> float64[3] [0.3690101195655454, 0.5247999999999999, 0.1941412796298973])example"},
    {"zeta", R"example(zeta  float64[3] [2, 1.5, 3]   float64[3] [1, 0.25, -2.5]
~ 1e-12
-> float64[3] [1.6449340668482264, 10.213055360466601, 0.0541020258208637])example"},
    {"polygamma", R"example(polygamma  float64[3] [0, 1, 2]   float64[3] [0.5, 1, 2.5]
~ 1e-12
-> float64[3] [-1.9635100260214235, 1.6449340668482264, -0.2362040516417274])example"},
    {"dawsn", R"example(dawsn  float64[3] [0, 0.5, -1.5]
~ 1e-12
-> float64[3] [0, 0.4244363835020223, -0.42824907108539867])example"},
    {"expint", R"example(expint  float64[3] [1, 0.5, 10]
~ 1e-12
-> float64[3] [1.8951178163559368, 0.45421990486317343, 2492.2289762418773])example"},
    {"spence", R"example(spence  float64[3] [0, 0.5, 3]
~ 1e-12
-> float64[3] [1.6449340668482264, 0.5822405264650135, -1.436746366883681])example"},
    {"next_after", R"example(next_after  float32[3] [1, 0, -1]   float32[3] [2, -1, -1]
-> float32[3] [1.00000012, -1.40129846e-45, -1])example"},
    {"apply", R"example(apply op="mul"  float32[2] [1, 2]   float32[] 3
-> float32[2] [3, 6])example"},
    {"check_true", R"example(check_true message="it holds"  bool[] True
-> bool[] True)example"},
    {"is_same", R"example(is_same  float32[2] [1, 2]   float32[2] [1, 2]
-> bool[] True)example"},
    {"is_same", R"example(is_same  ragged int64[2, (?)] [[1], []]   ragged int64[2, (?)] [[1], []]
-> bool[] True)example"},
    {"dtype_of", R"example(dtype_of  float32[2] [1, 2]
-> "float32")example"},
    {"dtype_of", R"example(dtype_of  ragged string[1, (?)] [["a"]]
-> "string")example"},
    {"is_a", R"example(is_a type="app.Pair"  app.Pair(a: int8[]) {a: 1}
-> True)example"},
    {"boolean_mask", R"example(boolean_mask  string[3] ["a", "b", "c"]   bool[3] [True, False, True]
-> string[2] ["a", "c"])example"},
    {"boolean_mask", R"example(boolean_mask  [{a: int64[(?)]}] [{a: [1]}, {a: [2, 3]}]   bool[2] [False, True]
-> [{a: int64[(?)]}] [{a: [2, 3]}])example"},
    {"bucketize", R"example(bucketize  int64[4] [-1, 0, 5, 99]   int64[2] [0, 10]
-> int64[4] [0, 1, 1, 2])example"},
    {"bucketize", R"example(bucketize  ragged int32[2, (?)] [[1], [3, 2]]   float32[2] [1.5, 2.5]
-> ragged int64[2, (?)] [[0], [2, 1]])example"},
    {"gather", R"example(gather  float32[3] [1, 2, 3]   int64[2] [2, 0]
-> float32[2] [3, 1])example"},
    {"gather", R"example(gather axis=1  string[2, 3] [["a", "b", "c"], ["d", "e", "f"]]   int64[] 1
-> string[2] ["b", "e"])example"},
    {"gather", R"example(gather  float32[3, 2] [[1, 2], [3, 4], [5, 6]]   ragged int64[2, (?)] [[2, 0], []]
-> ragged float32[2, (?), 2] [[[5, 6], [1, 2]], []])example"},
    {"batch_gather", R"example(batch_gather  ragged int64[2, (?)] [[1, 2], [3]]   int64[2, 1] [[1], [0]]
-> int64[2, 1] [[2], [3]])example"},
    {"batch_gather", R"example(batch_gather  string[2, 2] [["a", "b"], ["c", "d"]]   int64[2, 1] [[1], [0]]
-> string[2, 1] [["b"], ["c"]])example"},
    {"struct_gather", R"example(struct_gather  [{a: int64[]}] [{a: 1}, {a: 2}]   int64[1] [1]
-> [{a: int64[]}] [{a: 2}])example"},
    {"gather_elements", R"example(gather_elements axis=1  int64[2, 2] [[1, 2], [3, 4]]   int64[2, 2] [[0, 0], [1, 0]]
-> int64[2, 2] [[1, 1], [4, 3]])example"},
    {"gather_elements", R"example(gather_elements axis=0  string[3, 2] [["a", "b"], ["c", "d"], ["e", "f"]]   int32[1, 2] [[2, 1]]
-> string[1, 2] [["e", "d"]])example"},
    {"gather_nd", R"example(gather_nd  string[2, 2] [["a", "b"], ["c", "d"]]   int64[2, 2] [[0, 1], [1, 0]]
-> string[2] ["b", "c"])example"},
    {"gather_nd", R"example(gather_nd  ragged string[2, (?)] [["a", "b", "c"], ["d"]]   int64[2, 2] [[0, 2], [1, 0]]
-> string[2] ["c", "d"])example"},
    {"get_item", R"example(get_item key=1  int32[3] [1, 2, 3]
-> int32[] 2)example"},
    {"get_item", R"example(get_item key=-1  string[2, 2] [["a", "b"], ["c", "d"]]
-> string[2] ["c", "d"])example"},
    {"get_item", R"example(get_item key=1  ragged int32[3, (?)] [[1, 2], [3], []]
-> int32[1] [3])example"},
    {"get_item", R"example(get_item key=list(tuple(None, None, None), tuple(None, dict(input: 0), None))  ragged int64[2, (?)] [[3, 1, 4], [1, 5]]   int64[] 2
-> ragged int64[2, (?)] [[3, 1], [1, 5]])example"},
    {"lookup", R"example(lookup  string[3] ["salt", "tar", "flour"]   string[2] ["flour", "salt"]
-> int64[3] [1, -1, 0])example"},
    {"lookup", R"example(lookup default=7  int64[2, 1] [[5], [6]]   int64[2] [6, 8]
-> int64[2, 1] [[7], [0]])example"},
    {"lookup", R"example(lookup  ragged string[2, (?)] [["b", "a"], ["c"]]   string[2] ["a", "b"]
-> ragged int64[2, (?)] [[1, 0], [-1]])example"},
    {"lookup_value", R"example(lookup_value  string[3] ["b", "x", "a"]   string[2] ["a", "b"]   float32[2] [1.5, 2.5]
-> float32[3] [2.5, 0, 1.5])example"},
    {"lookup_value", R"example(lookup_value  ragged string[2, (?)] [["b"], []]   string[2] ["a", "b"]   float32[2] [1.5, 2.5]   0.5
-> ragged float32[2, (?)] [[2.5], []])example"},
    {"one_hot", R"example(one_hot depth=3  int64[2] [0, 2]
-> float32[2, 3] [[1, 0, 0], [0, 0, 1]])example"},
    {"one_hot", R"example(one_hot depth=2 axis=0 on=5 off=-1 dtype="int8"  int32[3] [0, 1, 9]
-> int8[2, 3] [[5, -1, -1], [-1, 5, -1]])example"},
    {"scatter_elements", R"example(scatter_elements  int64[3] [1, 2, 3]   int64[2] [2, 0]   int64[2] [8, 9]
-> int64[3] [9, 2, 8])example"},
    {"scatter_elements", R"example(scatter_elements axis=1  float32[2, 2] [[1, 2], [3, 4]]   int32[1, 1] [[1]]   float32[1, 1] [[9]]
-> float32[2, 2] [[1, 9], [3, 4]])example"},
    {"scatter_nd", R"example(scatter_nd  int64[2, 2] [[1, 2], [3, 4]]   int64[1, 1] [[1]]   int64[1, 2] [[5, 6]]
-> int64[2, 2] [[1, 2], [5, 6]])example"},
    {"scatter_nd", R"example(scatter_nd reduction="add"  int64[2, 2] [[1, 2], [3, 4]]   int64[2, 2] [[0, 1], [0, 1]]   int64[2] [5, 6]
-> int64[2, 2] [[1, 13], [3, 4]])example"},
    {"slice", R"example(slice  int64[5] [1, 2, 3, 4, 5]   int64[1] [-1]   int64[1] [0]   int64[1] [0]   int64[1] [-2]
-> int64[2] [5, 3])example"},
    {"slice", R"example(slice starts=list(1) limits=list(-1)  sparse int32[4] {indices: [[0], [2], [3]], values: [1, 2, 3], dense_shape: [4]}
-> sparse int32[2] {indices: [[1]], values: [2], dense_shape: [2]})example"},
    {"slice", R"example(slice starts=list(0) limits=list(2) axes=list(1)  ragged int64[3, (?)] [[3, 1, 4], [], [1]]
-> ragged int64[3, (?)] [[3, 1], [], [1]])example"},
    {"sort", R"example(sort  float32[4] [3, nan, 1, 2]
-> float32[4] [1, 2, 3, nan] ; int64[4] [2, 3, 0, 1])example"},
    {"sort", R"example(sort descending=True  float32[4] [3, nan, 1, 2]
-> float32[4] [nan, 3, 2, 1] ; int64[4] [1, 0, 3, 2])example"},
    {"sort", R"example(sort  ragged int64[3, (?)] [[3, 1, 2], [], [2, 2]]
-> ragged int64[3, (?)] [[1, 2, 3], [], [2, 2]]; ragged int64[3, (?)] [[1, 2, 0], [], [0, 1]])example"},
    {"unique", R"example(unique  int64[4] [3, 1, 3, 2]
-> int64[3] [1, 2, 3] ; int64[3] [1, 3, 0] ; int64[4] [2, 0, 2, 1] ; int64[3] [1, 1, 2])example"},
    {"unique", R"example(unique sorted=False  string[2, 2] [["b", "a"], ["a", "b"]]
-> string[2] ["b", "a"] ; int64[2] [0, 1] ; int64[4] [0, 1, 1, 0] ; int64[2] [2, 2])example"},
    {"where", R"example(where  sparse bool[2, 2] {indices: [[0, 1], [1, 0]], values: [True, False], dense_shape: [2, 2]}
-> int64[1, 2] [[0, 1]])example"},
    {"where", R"example(where  bool[2, 2] [[True, False], [True, True]]
-> int64[3, 2] [[0, 0], [1, 0], [1, 1]])example"},
    {"where_indices", R"example(where_indices  bool[2, 2] [[True, False], [True, True]]
-> int64[3, 2] [[0, 0], [1, 0], [1, 1]])example"},
    {"det", R"example(det  float32[2, 2] [[1, 2], [3, 4]]
-> float32[] -2)example"},
    {"matmul", R"example(matmul  float32[2, 3] [[1, 2, 3], [4, 5, 6]]   float32[3, 2] [[1, 2], [3, 4], [5, 6]]
-> float32[2, 2] [[22, 28], [49, 64]])example"},
    {"matmul", R"example(matmul transpose_a=True  float32[3, 2] [[1, 4], [2, 5], [3, 6]]   float32[3, 2] [[1, 2], [3, 4], [5, 6]]
-> float32[2, 2] [[22, 28], [49, 64]])example"},
    {"matmul", R"example(matmul  sparse int64[2, 3] {indices: [[0, 1], [1, 0], [1, 2]], values: [7, 8, 9], dense_shape: [2, 3]}   int64[3] [1, 3, 5]
-> int64[2] [21, 53])example"},
    {"matmul_integer", R"example(matmul_integer  int8[1, 5] [[-128, 127, 1, -1, 5]]   int8[5, 1] [[-128], [127], [2], [3], [0]]
-> int32[1, 1] [[32512]])example"},
    {"linear_attention", R"example(linear_attention q_num_heads=1 kv_num_heads=1 scale=0.5  float64[1, 2, 1] [[[2], [1]]]   float64[1, 2, 1] [[[3], [1]]]   float64[1, 2, 2] [[[4, 1], [0, 2]]]
-> float64[1, 2, 2] [[[12, 3], [6, 2.5]]] ; float64[1, 1, 1, 2] [[[[12, 5]]]])example"},
    {"linear_attention", R"example(linear_attention q_num_heads=1 kv_num_heads=1  float32[1, 0, 1] [[]]   float32[1, 0, 1] [[]]   float32[1, 0, 2] [[]]   float32[1, 1, 1, 2] [[[[3, 4]]]]
-> float32[1, 0, 2] [[]] ; float32[1, 1, 1, 2] [[[[3, 4]]]])example"},
    {"lstm_steps", R"example(lstm_steps  float32[2, 1, 4] [[[0.125, 0, -0.375, -0.125]], [[0.5, -1, -1, 0.5]]]   float32[1, 4] [[-0.25, 0.625, -1, 0.875]]   float32[1, 1] [[-0.75]]   float32[1, 1] [[-0.125]]
~ 1e-5
-> float32[2, 1, 1] [[[0.577495337]], [[0.628261268]]] ; float32[2, 1, 1] [[[-0.326557815]], [[-0.588389814]]] ; float32[2, 1, 1] [[[0.592666626]], [[0.288857192]]] ; float32[2, 1, 1] [[[0.314050555]], [[0.601884425]]] ; float32[2, 1, 1] [[[-0.437188774]], [[-0.786394536]]] ; float32[2, 1, 1] [[[-0.315424442]], [[-0.528736532]]] ; float32[2, 1, 1] [[[-0.0990592167]], [[-0.318238318]]])example"},
    {"layer_norm", R"example(layer_norm  float32[2, 4] [[1, 2, 3, 4], [0, 0, 0, 0]]
-> float32[2, 4] [[-1.3416355, -0.4472118, 0.4472118, 1.3416355], [0, 0, 0, 0]])example"},
    {"layer_norm", R"example(layer_norm epsilon=0  float64[2] [1, 3]   float64[2] [2, 3]
-> float64[2] [-2, 3])example"},
    {"rms_norm", R"example(rms_norm epsilon=0  float32[2] [3, 3]
-> float32[2] [1, 1])example"},
    {"local_response_norm", R"example(local_response_norm size=1 alpha=1 beta=1 bias=0  float32[1, 2, 2] [[[1, 2], [4, 5]]]
-> float32[1, 2, 2] [[[1, 0.5], [0.25, 0.2]]])example"},
    {"local_response_norm", R"example(local_response_norm size=2 alpha=2 beta=0.75 bias=11  float32[1, 2] [[1, 2]]
-> float32[1, 2] [[0.125, 0.26239856]])example"},
    {"rnn", R"example(rnn  float32[0, 1, 1] []  float32[1, 1, 1] [[[1]]]  float32[1, 1, 1] [[[1]]]
-> float32[0, 1, 1, 1] []; float32[1, 1, 1] [[[0]]])example"},
    {"softmax", R"example(softmax axis=0  ragged<rank=0> float32[2] [1, 1]
-> float32[2] [0.5, 0.5])example"},
    {"log_softmax", R"example(log_softmax  ragged float32[2, (?)] [[3, 3], [5]]
-> ragged float32[2, (?)] [[-0.6931472, -0.6931472], [0]])example"},
    {"softmax", R"example(softmax  float32[3] [1, 2, 3]
-> float32[3] [0.09003057, 0.24472847, 0.66524096])example"},
    {"softmax", R"example(softmax axis=0  float32[3, 2] [[1, 3], [2, 2], [3, 1]]
-> float32[3, 2] [[0.09003057, 0.66524096], [0.24472847, 0.24472847], [0.66524096, 0.09003057]])example"},
    {"log_softmax", R"example(log_softmax  float32[3] [1, 2, 3]
-> float32[3] [-2.40760596, -1.40760596, -0.40760596])example"},
    {"log_softmax", R"example(log_softmax axis=0  float32[2, 2] [[nan, 0], [1, 0]]
-> float32[2, 2] [[nan, -0.6931472], [nan, -0.6931472]])example"},
    {"quantize", R"example(quantize  float32[6] [0, 2, 3, 1000, -254, -1000]   float32[] 2   uint8[] 128
-> uint8[6] [128, 129, 130, 255, 1, 0])example"},
    {"quantize", R"example(quantize dtype="int8"  float32[7] [0.5, 1.5, 2.5, -0.5, -1.5, inf, nan]   float32[] 1
-> int8[7] [0, 2, 2, 0, -2, 127, -128])example"},
    {"dequantize", R"example(dequantize  uint8[4] [0, 3, 128, 255]   float32[] 2   uint8[] 128
-> float32[4] [-256, -250, 0, 254])example"},
    {"dequantize", R"example(dequantize dtype="bfloat16"  int16[1] [-32768]   float32[] 0.5
-> bfloat16[1] [-16384])example"},
    {"requantize", R"example(requantize  int32[4] [1, 3, 100000, -100000]   float32[] 0.5   uint8[] 10
-> uint8[4] [10, 12, 255, 0])example"},
    {"requantize", R"example(requantize axis=-1 dtype="int8"  int32[1, 2] [[10, 10]]   float32[2] [0.5, 2]
-> int8[1, 2] [[5, 20]])example"},
    {"dynamic_quantize", R"example(dynamic_quantize  float32[6] [0, 2, -3, -2.5, 1.34, 0.5]
-> uint8[6] [153, 255, 0, 26, 221, 179] ; float32[] 0.0196078438 ; uint8[] 153)example"},
    {"round_to", R"example(round_to format="float8_e4m3fn"  float32[6] [1.06, 0.001, 449, 1e9, -inf, nan]
-> float32[6] [1, 0.001953125, 448, 448, -448, nan])example"},
    {"round_to", R"example(round_to format="float8_e5m2" saturate=False  ragged float32[2, (?)] [[57345, 61440], [-1e9]]
-> ragged float32[2, (?)] [[57344, inf], [-inf]])example"},
    {"round_to", R"example(round_to format="float4_e2m1fn"  float32[3] [nan, 7, -0.3]
-> float32[3] [-0.0, 6, -0.5])example"},
    {"cross", R"example(cross  ragged string[2, (?)] [["a", "b"], []]   int64[2, 2] [[1, 2], [3, 4]]
-> ragged string[2, (?)] [["a_X_1", "a_X_2", "b_X_1", "b_X_2"], []])example"},
    {"cross", R"example(cross num_buckets=1  string[1, 1] [["a"]]   string[1, 2] [["b", "c"]]
-> ragged int64[1, (?)] [[0, 0]])example"},
    {"embedding_lookup", R"example(embedding_lookup  float32[3, 2] [[1, 2], [3, 4], [5, 6]]   ragged int32[3, (?)] [[2, 0], [], [1]]
-> float32[3, 2] [[3, 4], [0, 0], [3, 4]])example"},
    {"embedding_lookup", R"example(embedding_lookup combiner="sum"  float32[2, 1] [[1], [2]]   int64[2, 2] [[0, 1], [1, 1]]
-> float32[2, 1] [[3], [4]])example"},
    {"flat_positions", R"example(flat_positions  ragged int64[2, (?)] [[2, 0], [1]]   int64[3] [0, 3, 5]
-> ragged int64[2, (?)] [[2, 0], [4]])example"},
    {"flat_positions", R"example(flat_positions  int64[2] [1, 0]   ragged float32[2, (?)] [[7, 8, 9], [5]]
-> int64[2] [1, 3])example"},
    {"ragged_from_dense", R"example(ragged_from_dense  int64[2, 2] [[1, 2], [3, 4]]
-> ragged int64[2, (2)] [[1, 2], [3, 4]])example"},
    {"ragged_from_row_splits", R"example(ragged_from_row_splits  int64[3] [1, 2, 3]   int64[3] [0, 2, 3]
-> ragged int64[2, (?)] [[1, 2], [3]])example"},
    {"ragged_range", R"example(ragged_range  int64[2] [2, 0]   int64[2] [5, 2]
-> ragged int64[2, (?)] [[2, 3, 4], [0, 1]])example"},
    {"ragged_row_splits", R"example(ragged_row_splits  ragged int64[2, (?)] [[1, 2], [3]]
-> int64[3] [0, 2, 3])example"},
    {"ragged_to_sparse", R"example(ragged_to_sparse  ragged int64[1, (?), 2] [[[1, 0]]]
-> sparse int64[1, 1, 2] {indices: [[0, 0, 0], [0, 0, 1]], values: [1, 0], dense_shape: [1, 1, 2]})example"},
    {"ragged_from_sparse", R"example(ragged_from_sparse  sparse int64[2, 3] {indices: [], values: [], dense_shape: [2, 3]}
-> ragged int64[2, (?)] [[], []])example"},
    {"ragged_to_dense", R"example(ragged_to_dense  ragged int64[2, (?)] [[1, 2], [3]]
-> int64[2, 2] [[1, 2], [3, 0]])example"},
    {"ragged_values", R"example(ragged_values  ragged int64[2, (?)] [[1, 2], [3]]
-> int64[3] [1, 2, 3])example"},
    {"repeat_rows", R"example(repeat_rows  float32[2] [10, 20]   int64[3] [0, 2, 3]
-> float32[3] [10, 10, 20])example"},
    {"repeat_rows", R"example(repeat_rows  float32[2] [10, 20]   ragged int64[2, (?)] [[1, 2], [3]]
-> ragged float32[2, (?)] [[10, 10], [20]])example"},
    {"broadcast_sizes", R"example(broadcast_sizes  list(1)   list(3, list(2, 1, 3))
-> tuple(int64[], int64[3]) [3, [2, 1, 3]])example"},
    {"broadcast_dimension", R"example(broadcast_dimension axis=0  list(1, list(5))   3
-> tuple(int64[], int64[3]) [3, [5, 5, 5]])example"},
    {"group_sum", R"example(group_sum  int64[4] [1, 2, 3, 4]   int64[4] [1, 0, 1, 3]   int64[] 4
-> int64[4] [2, 4, 0, 4])example"},
    {"group_mean", R"example(group_mean  int64[3] [1, 2, 4]   int64[3] [0, 0, 0]   int64[] 2
-> float64[2] [2.3333333333333335, nan])example"},
    {"group_mean", R"example(group_mean default=-1  int64[3] [1, 2, 4]   int64[3] [0, 0, 0]   int64[] 2
-> float64[2] [2.3333333333333335, -1])example"},
    {"group_prod", R"example(group_prod  int64[3] [2, 3, 4]   int64[3] [0, 1, 0]   int64[] 2
-> int64[2] [8, 3])example"},
    {"group_max", R"example(group_max  int64[3] [2, 3, 4]   int64[3] [0, 1, 0]   int64[] 2
-> int64[2] [4, 3])example"},
    {"group_min", R"example(group_min  int64[3] [2, 3, 4]   int64[3] [0, 1, 0]   int64[] 2
-> int64[2] [2, 3])example"},
    {"group_max", R"example(group_max default=0  int64[1] [-2]   int64[1] [1]   int64[] 2
-> int64[2] [0, -2])example"},
    {"group_min", R"example(group_min default=9  float32[1] [2]   int64[1] [1]   int64[] 2
-> float32[2] [9, 2])example"},
    {"group_any", R"example(group_any  bool[2] [True, False]   int64[2] [0, 1]   int64[] 2
-> bool[2] [True, False])example"},
    {"group_all", R"example(group_all  bool[2] [True, False]   int64[2] [0, 0]   int64[] 2
-> bool[2] [False, True])example"},
    {"num_rows", R"example(num_rows  int64[3] [0, 2, 5]
-> int64[] 2)example"},
    {"num_values", R"example(num_values  int32[3] [0, 2, 5]
-> int64[] 5)example"},
    {"row_lengths", R"example(row_lengths  int64[4] [0, 2, 2, 5]
-> int64[3] [2, 0, 3])example"},
    {"row_lengths", R"example(row_lengths  ragged int64[2, (?)] [[1, 2], []]
-> int64[2] [2, 0])example"},
    {"segment_ids", R"example(segment_ids  int64[4] [0, 2, 2, 3]
-> int64[3] [0, 0, 2])example"},
    {"uniform_row_splits", R"example(uniform_row_splits  int64[] 2   int64[] 3
-> int64[3] [0, 3, 6])example"},
    {"uniform_row_splits", R"example(uniform_row_splits dtype="int32"  int64[] 2   int64[] 3
-> int32[3] [0, 3, 6])example"},
    {"row_splits_from_lengths", R"example(row_splits_from_lengths  int32[3] [2, 0, 1]
-> int64[4] [0, 2, 2, 3])example"},
    {"row_splits_from_row_ids", R"example(row_splits_from_row_ids  int64[4] [0, 0, 2, 2]
-> int64[4] [0, 2, 2, 4])example"},
    {"row_splits_from_starts", R"example(row_splits_from_starts  int64[3] [0, 4, 4]   int64[] 7
-> int64[4] [0, 4, 4, 7])example"},
    {"row_splits_from_limits", R"example(row_splits_from_limits  int64[3] [4, 4, 7]
-> int64[4] [0, 4, 4, 7])example"},
    {"segment_argmax", R"example(segment_argmax  float32[4] [1, 3, nan, 9]   int64[3] [0, 3, 4]
-> int64[2] [2, 0])example"},
    {"segment_argmax", R"example(segment_argmax last=True  int64[3] [2, 2, 1]   int32[2] [0, 3]
-> int64[1] [1])example"},
    {"segment_argmin", R"example(segment_argmin  float32[3] [1, nan, 0]   int64[2] [0, 3]
-> int64[1] [1])example"},
    {"segment_cumsum", R"example(segment_cumsum  int64[3] [1, 2, 3]   int64[3] [0, 2, 3]
-> int64[3] [1, 3, 3])example"},
    {"segment_log_softmax", R"example(segment_log_softmax  float32[2] [3, 3]   int64[2] [0, 2]
-> float32[2] [-0.6931472, -0.6931472])example"},
    {"segment_sort", R"example(segment_sort k=2  int64[4] [3, 1, 2, 9]   int64[3] [0, 3, 4]
-> int64[3] [1, 2, 9]; int64[3] [1, 2, 0]; int64[3] [0, 2, 3])example"},
    {"segment_sort", R"example(segment_sort k=1 descending=True  string[2] ["a", "b"]   int32[2] [0, 2]
-> string[1] ["b"]; int64[1] [1]; int32[2] [0, 1])example"},
    {"segment_argmax", R"example(segment_argmax  ragged float32[2, (?)] [[1, 3], [9]]
-> int64[2] [1, 0])example"},
    {"segment_cumsum", R"example(segment_cumsum  ragged int64[2, (?)] [[1, 2], [3]]
-> ragged int64[2, (?)] [[1, 3], [3]])example"},
    {"segment_sort", R"example(segment_sort descending=True k=2  ragged int64[2, (?)] [[3, 1, 2], [9]]
-> ragged int64[2, (?)] [[3, 2], [9]]; ragged int64[2, (?)] [[0, 2], [0]]; int64[3] [0, 2, 3])example"},
    {"segment_sum", R"example(segment_sum  float32[4] [1, 2, 3, 4]   int64[4] [0, 2, 2, 4]
-> float32[3] [3, 0, 7])example"},
    {"segment_sum", R"example(segment_sum  ragged float32[2, (?)] [[1, 2], []]
-> float32[2] [3, 0])example"},
    {"segment_mean", R"example(segment_mean  float32[3] [1, 2, 4]   int64[4] [0, 2, 2, 3]
-> float32[3] [1.5, nan, 4])example"},
    {"segment_mean", R"example(segment_mean default=0  float32[3] [1, 2, 4]   int64[4] [0, 2, 2, 3]
-> float32[3] [1.5, 0, 4])example"},
    {"segment_mean", R"example(segment_mean default=2  ragged complex64[2, (?)] [[], [[1, 2]]]
-> complex64[2] [2, [1, 2]])example"},
    {"segment_prod", R"example(segment_prod  int64[3] [2, 3, 4]   int64[4] [0, 2, 2, 3]
-> int64[3] [6, 1, 4])example"},
    {"segment_max", R"example(segment_max  float32[4] [1, nan, -inf, 2]   int64[4] [0, 2, 3, 4]
-> float32[3] [nan, -inf, 2])example"},
    {"segment_min", R"example(segment_min  uint8[1] [3]   int64[3] [0, 0, 1]
-> uint8[2] [255, 3])example"},
    {"segment_max", R"example(segment_max default=0  float32[3] [-1, nan, -4]   int64[4] [0, 1, 1, 3]
-> float32[3] [-1, 0, nan])example"},
    {"segment_min", R"example(segment_min default=0.5  bfloat16[0, 2] []   int32[2] [0, 0]
-> bfloat16[1, 2] [[0.5, 0.5]])example"},
    {"segment_min", R"example(segment_min default=nan  ragged float64[2, (?), (?)] [[[], [2, 3]], []]
-> ragged float64[2, (?)] [[nan, 2], []])example"},
    {"segment_any", R"example(segment_any  bool[3] [False, True, False]   int64[4] [0, 2, 2, 3]
-> bool[3] [True, False, False])example"},
    {"segment_all", R"example(segment_all  bool[3] [False, True, True]   int64[4] [0, 2, 2, 3]
-> bool[3] [False, True, True])example"},
    {"segment_softmax", R"example(segment_softmax  float32[3] [0, 0, 5]   int64[4] [0, 2, 2, 3]
-> float32[3] [0.5, 0.5, 1])example"},
    {"segment_softmax", R"example(segment_softmax  ragged float32[2, (?)] [[1, 1], [3]]
-> ragged float32[2, (?)] [[0.5, 0.5], [1]])example"},
    {"segment_top_k", R"example(segment_top_k k=2  float32[4] [3, 1, 2, 9]   int64[3] [0, 3, 4]
-> int64[3] [0, 2, 0] ; int64[3] [0, 2, 3])example"},
    {"segment_top_k", R"example(segment_top_k k=0  int64[1] [1]   int32[2] [0, 1]
-> int64[0] [] ; int32[2] [0, 0])example"},
    {"segment_top_k", R"example(segment_top_k k=1  ragged float32[2, (?)] [[1, 4], [3]]
-> ragged int64[2, (?)] [[1], [0]] ; int64[3] [0, 1, 2])example"},
    {"random_uniform", R"example(random_uniform  int32[] 7   int64[1] [3]
-> float32[3] [0.17173539, 0.22529486, 0.8498387])example"},
    {"random_normal", R"example(random_normal shape=list(3)  7
-> float32[3] [0.2878483, 1.9297934, -0.4993962])example"},
    {"random_categorical", R"example(random_categorical num_samples=4  7   float32[2, 3] [[0, 0, 0], [-inf, 5, -inf]]
-> int64[2, 4] [[0, 1, 1, 1], [1, 1, 1, 1]])example"},
    {"random_categorical", R"example(random_categorical num_samples=0  7   float32[1, 2] [[0, 0]]
-> int64[1, 0] [[]])example"},
    {"random_gamma", R"example(random_gamma  7   float64[3] [0.5, 2, 10]
-> float64[3] [0.2131971119958631, 2.0796181396842406, 5.924873858189645])example"},
    {"random_poisson", R"example(random_poisson  7   float64[4] [0, 0.5, 5, 1000]
-> float64[4] [0, 0, 4, 1028])example"},
    {"random_permutation", R"example(random_permutation  int64[] 7   int64[] 5
-> int64[5] [4, 3, 0, 2, 1])example"},
    {"random_shuffle", R"example(random_shuffle  string[5] ["a", "b", "c", "d", "e"]   7
-> string[5] ["e", "d", "a", "c", "b"])example"},
    {"random_shuffle", R"example(random_shuffle  ragged int64[5, (?)] [[0], [1, 1], [], [3], [4]]   int64[] 7
-> ragged int64[5, (?)] [[4], [3], [0], [], [1, 1]])example"},
    {"argmax", R"example(argmax axis=1  float32[2, 3] [[1, 5, 3], [4, 2, 4]]
-> int64[2] [1, 0])example"},
    {"argmin", R"example(argmin axis=1  float32[2, 3] [[1, 5, 3], [4, 2, 2]]
-> int64[2] [0, 1])example"},
    {"argmax", R"example(argmax axis=0  int32[2, 3] [[1, 5, 3], [4, 2, 4]]
-> int64[3] [1, 0, 1])example"},
    {"argmin", R"example(argmin axis=0 last=True  int64[4] [1, 3, 1, 2]
-> int64[] 2)example"},
    {"argmax", R"example(argmax axis=0  ragged<rank=0> float32[2] [1, 3]
-> int64[] 1)example"},
    {"argmin", R"example(argmin axis=1  ragged float32[2, (?), 2] [[[1, 0], [0, 1]], [[3, nan]]]
-> int64[2, 2] [[1, 0], [0, 0]])example"},
    {"cumsum", R"example(cumsum axis=0  float32[4] [1, 2, 3, 4]
-> float32[4] [1, 3, 6, 10])example"},
    {"cumsum", R"example(cumsum axis=0 exclusive=True  float32[4] [1, 2, 3, 4]
-> float32[4] [0, 1, 3, 6])example"},
    {"cumprod", R"example(cumprod axis=0  int32[4] [1, 2, 3, 4]
-> int32[4] [1, 2, 6, 24])example"},
    {"cumprod", R"example(cumprod axis=0 exclusive=True reverse=True  float16[3] [2, 3, 4]
-> float16[3] [12, 4, 1])example"},
    {"cumsum", R"example(cumsum axis=1  ragged int64[2, (?)] [[1, 2, 3], [4]]
-> ragged int64[2, (?)] [[1, 3, 6], [4]])example"},
    {"cumulative_logsumexp", R"example(cumulative_logsumexp axis=0  float64[4] [0, 1, -1000, 2]
~ 1e-12
-> float64[4] [0.0, 1.3132616875182228, 1.3132616875182228, 2.40760596444438])example"},
    {"reduce_max", R"example(reduce_max axes=0  ragged<rank=0> float32[0] []
-> float32[] -3.4028234663852886e38)example"},
    {"reduce_sum", R"example(reduce_sum axes=0 keepdims=True  ragged<rank=0> int64[2, 2] [[1, 2], [3, 4]]
-> int64[1, 2] [[4, 6]])example"},
    {"reduce_sum", R"example(reduce_sum  float32[2, 3] [[1, 2, 3], [4, 5, 6]]
-> float32[] 21)example"},
    {"reduce_sum", R"example(reduce_sum axes=1  float32[2, 3] [[1, 2, 3], [4, 5, 6]]
-> float32[2] [6, 15])example"},
    {"reduce_prod", R"example(reduce_prod  int64[3] [2, 3, -4]
-> int64[] -24)example"},
    {"reduce_prod", R"example(reduce_prod axes=0  float32[2, 2] [[1, 2], [3, 4]]
-> float32[2] [3, 8])example"},
    {"reduce_mean", R"example(reduce_mean  float32[4] [1, 2, 3, 4]
-> float32[] 2.5)example"},
    {"reduce_mean", R"example(reduce_mean axes=0  float64[2, 2] [[1, 2], [3, 5]]
-> float64[2] [2, 3.5])example"},
    {"reduce_max", R"example(reduce_max axes=1  int32[2, 3] [[1, 9, 3], [-4, -5, -6]]
-> int32[2] [9, -4])example"},
    {"reduce_min", R"example(reduce_min axes=0  float32[2, 2] [[1, 2], [3, -4]]
-> float32[2] [1, -4])example"},
    {"reduce_any", R"example(reduce_any axes=1  bool[2, 2] [[True, False], [False, False]]
-> bool[2] [True, False])example"},
    {"reduce_all", R"example(reduce_all axes=1  bool[2, 2] [[True, True], [True, False]]
-> bool[2] [True, False])example"},
    {"reduce_all", R"example(reduce_all axes=0  bool[2, 2] [[True, False], [True, True]]
-> bool[2] [True, False])example"},
    {"reduce_max", R"example(reduce_max default=0  float32[0] []
-> float32[] 0)example"},
    {"reduce_min", R"example(reduce_min axes=1 default=-1  int8[2, 0] [[], []]
-> int8[2] [-1, -1])example"},
    {"reduce_mean", R"example(reduce_mean axes=list(1, 2)  ragged float32[2, (?), 2] [[[1, 2], [3, 4]], [[5, 6]]]
-> float32[2] [2.5, 5.5])example"},
    {"reduce_prod", R"example(reduce_prod axes=list(1, 3)  ragged int64[2, (?), (?), 2] [[[[1, 2]], [[3, 4], [5, 6]]], []]
-> ragged int64[2, (?)] [[24, 30], []])example"},
    {"reduce_any", R"example(reduce_any axes=0  ragged bool[0, (?)] []
-> bool[0] [])example"},
    {"reduce_min", R"example(reduce_min  ragged float64[1, (?)] [[]]
-> float64[] 1.7976931348623157e308)example"},
    {"top_k", R"example(top_k axis=0 k=1  ragged<rank=0> float32[2] [1, 3]
-> float32[1] [3]; int32[1] [1])example"},
    {"top_k", R"example(top_k k=2  float32[5] [3, 1, 4, 1, 5]
-> float32[2] [5, 4]; int32[2] [4, 2])example"},
    {"top_k", R"example(top_k k=2 largest=False  float32[5] [3, 1, 4, 1, 5]
-> float32[2] [1, 1]; int32[2] [1, 3])example"},
    {"broadcast_to", R"example(broadcast_to  ragged int64[1, (?)] [[1, 2]]   list(2, list(2, 2))
-> ragged int64[2, (?)] [[1, 2], [1, 2]])example"},
    {"broadcast_to", R"example(broadcast_to  int8[] 7   int64[1] [3]
-> int8[3] [7, 7, 7])example"},
    {"concat", R"example(concat axis=0  float32[1, 2] [[1, 2]]   float32[2, 2] [[3, 4], [5, 6]]
-> float32[3, 2] [[1, 2], [3, 4], [5, 6]])example"},
    {"concat", R"example(concat axis=-1  int8[2, 1] [[1], [2]]   int8[2, 2] [[3, 4], [5, 6]]   int8[2, 0] [[], []]
-> int8[2, 3] [[1, 3, 4], [2, 5, 6]])example"},
    {"concat", R"example(concat  ragged int64[2, (?)] [[1], [2, 3]]   ragged int64[1, (?)] [[4]]
-> ragged int64[3, (?)] [[1], [2, 3], [4]])example"},
    {"expand_dims", R"example(expand_dims axis=0  float32[2] [1, 2]
-> float32[1, 2] [[1, 2]])example"},
    {"expand_dims", R"example(expand_dims axis=-1  string[2] ["a", "b"]
-> string[2, 1] [["a"], ["b"]])example"},
    {"expand_dims", R"example(expand_dims axis=2  ragged int64[2, (?)] [[1], [2, 3]]
-> ragged int64[2, (?), 1] [[[1]], [[2], [3]]])example"},
    {"fill", R"example(fill shape=list(2, 2)  float32[] 3
-> float32[2, 2] [[3, 3], [3, 3]])example"},
    {"zeros_like", R"example(zeros_like  {a: string[]}[2] [{a: "x"}, {a: "y"}]
-> float32[2] [0, 0])example"},
    {"ones_like", R"example(ones_like dtype="int32"  {a: ragged string[]}[2, ?] [[{a: "x"}], [{a: "y"}, {a: "z"}]]
-> ragged int32[2, (?)] [[1], [1, 1]])example"},
    {"ones_like", R"example(ones_like dtype="int8"  float32[2] [3, nan]
-> int8[2] [1, 1])example"},
    {"zeros_like", R"example(zeros_like  float32[2] [1, nan]
-> float32[2] [0, 0])example"},
    {"flatten", R"example(flatten  float32[2, 1, 2] [[[1, 2]], [[3, 4]]]
-> float32[4] [1, 2, 3, 4])example"},
    {"flatten", R"example(flatten first=1  float32[2, 1, 2] [[[1, 2]], [[3, 4]]]
-> float32[2, 2] [[1, 2], [3, 4]])example"},
    {"identity", R"example(identity  string[1] ["a"]
-> string[1] ["a"])example"},
    {"identity", R"example(identity  ragged int64[2, (?)] [[1], []]
-> ragged int64[2, (?)] [[1], []])example"},
    {"merge_dims", R"example(merge_dims outer=0 inner=1  float32[2, 1, 2] [[[1, 2]], [[3, 4]]]
-> float32[2, 2] [[1, 2], [3, 4]])example"},
    {"merge_dims", R"example(merge_dims outer=-2 inner=-1  int8[0, 3, 2] []
-> int8[0, 6] [])example"},
    {"merge_dims", R"example(merge_dims outer=0 inner=1  ragged int64[3, (?)] [[1, 2], [], [3]]
-> int64[3] [1, 2, 3])example"},
    {"pad", R"example(pad  int64[2] [1, 2]   int64[] 0   int64[1] [1]   int64[1] [2]
-> int64[5] [0, 1, 2, 0, 0])example"},
    {"partition_outer_dimension", R"example(partition_outer_dimension  int8[3] [1, 2, 3]   int64[4] [0, 2, 2, 3]
-> ragged int8[3, (?)] [[1, 2], [], [3]])example"},
    {"partition_outer_dimension", R"example(partition_outer_dimension  ragged int8[2, (?)] [[1], [2, 3]]   int64[3] [0, 0, 2]
-> ragged int8[2, (?), (?)] [[], [[1], [2, 3]]])example"},
    {"partition_outer_dimension", R"example(partition_outer_dimension uniform_row_length=2  int8[4] [1, 2, 3, 4]
-> int8[2, 2] [[1, 2], [3, 4]])example"},
    {"range", R"example(range limit=3
-> int64[3] [0, 1, 2])example"},
    {"range", R"example(range start=3 limit=-2 step=-2 dtype="float32"
-> float32[3] [3, 1, -1])example"},
    {"reshape", R"example(reshape  int8[4] [1, 2, 3, 4]   int64[2] [2, -1]
-> int8[2, 2] [[1, 2], [3, 4]])example"},
    {"reshape", R"example(reshape shape=list(3, -1)  sparse int32[2, 3] {indices: [[0, 1], [1, 2]], values: [7, 8], dense_shape: [2, 3]}
-> sparse int32[3, 2] {indices: [[0, 1], [2, 1]], values: [7, 8], dense_shape: [3, 2]})example"},
    {"reverse", R"example(reverse axes=list(0, -1)  ragged int32[2, (?), (?)] [[[1, 2], [3]], [[4, 5, 6]]]
-> ragged int32[2, (?), (?)] [[[6, 5, 4]], [[2, 1], [3]]])example"},
    {"rank", R"example(rank  float32[2, 3] [[1, 2, 3], [4, 5, 6]]
-> int64[] 2)example"},
    {"shape", R"example(shape  float32[2, 3] [[1, 2, 3], [4, 5, 6]]
-> int64[2] [2, 3])example"},
    {"size", R"example(size  float32[2, 3] [[1, 2, 3], [4, 5, 6]]
-> int64[] 6)example"},
    {"size", R"example(size  ragged int64[2, (?)] [[1], [2, 3]]
-> int64[] 3)example"},
    {"dim_size", R"example(dim_size axis=-1  float32[2, 3] [[1, 2, 3], [4, 5, 6]]
-> int64[] 3)example"},
    {"dim_size", R"example(dim_size axis=0  ragged int64[2, (?)] [[1], [2, 3]]
-> int64[] 2)example"},
    {"rank", R"example(rank dtype="int32"  {a: int64[]}[1] [{a: 1}]
-> int32[] 1)example"},
    {"shape", R"example(shape dtype="int32"  float32[2, 3] [[1, 2, 3], [4, 5, 6]]
-> int32[2] [2, 3])example"},
    {"dim_sizes", R"example(dim_sizes  float32[2, 3] [[1, 2, 3], [4, 5, 6]]
-> tuple(int64[], int64[]) [2, 3])example"},
    {"dim_sizes", R"example(dim_sizes dtype="int32"  ragged int64[2, (?), 3] [[[1, 2, 3]], []]
-> tuple(int32[], int32[2], int32[]) [2, [1, 0], 3])example"},
    {"shape", R"example(shape  sparse int32[2, 3] {indices: [], values: [], dense_shape: [2, 3]}
-> int64[2] [2, 3])example"},
    {"split", R"example(split num=2  {}[4] [{}, {}, {}, {}]
-> {}[2] [{}, {}] ; {}[2] [{}, {}])example"},
    {"split", R"example(split num=2  float32[4] [1, 2, 3, 4]
-> float32[2] [1, 2] ; float32[2] [3, 4])example"},
    {"squeeze", R"example(squeeze  float32[1, 2, 1] [[[1], [2]]]
-> float32[2] [1, 2])example"},
    {"squeeze", R"example(squeeze axes=list(1)  ragged int64[2, (?)] [[1], [2]]
-> int64[2] [1, 2])example"},
    {"stack", R"example(stack  float32[2] [1, 2]   float32[2] [3, 4]
-> float32[2, 2] [[1, 2], [3, 4]])example"},
    {"stack", R"example(stack axis=1  string[2] ["a", "b"]   string[2] ["c", "d"]   string[2] ["e", "f"]
-> string[2, 3] [["a", "c", "e"], ["b", "d", "f"]])example"},
    {"stack", R"example(stack  ragged int64[1, (?)] [[1]]   ragged int64[2, (?)] [[], [2, 3]]
-> ragged int64[2, (?), (?)] [[[1]], [[], [2, 3]]])example"},
    {"tile", R"example(tile multiples=list(2, 2)  ragged int64[2, (?)] [[1, 2], [3]]
-> ragged int64[4, (?)] [[1, 2, 1, 2], [3, 3], [1, 2, 1, 2], [3, 3]])example"},
    {"tile", R"example(tile  int8[2] [1, 2]   int32[1] [1]
-> int8[2] [1, 2])example"},
    {"move_axis", R"example(move_axis from=0 to=1  int64[2, 3] [[1, 2, 3], [4, 5, 6]]
-> int64[3, 2] [[1, 4], [2, 5], [3, 6]])example"},
    {"move_axis", R"example(move_axis from=0 to=-1  int64[2, 1, 2] [[[1, 2]], [[3, 4]]]
-> int64[1, 2, 2] [[[1, 3], [2, 4]]])example"},
    {"transpose", R"example(transpose perm=list(1, 0)  sparse int32[2, 3] {indices: [[0, 1], [1, 0]], values: [7, 8], dense_shape: [2, 3]}
-> sparse int32[3, 2] {indices: [[0, 1], [1, 0]], values: [8, 7], dense_shape: [3, 2]})example"},
    {"transpose", R"example(transpose  float32[2, 3] [[1, 2, 3], [4, 5, 6]]
-> float32[3, 2] [[1, 4], [2, 5], [3, 6]])example"},
    {"unstack", R"example(unstack  ragged int64[2, (?)] [[1], [2, 3]]
-> int64[1] [1] ; int64[2] [2, 3])example"},
    {"unstack", R"example(unstack num=2  float32[2, 2] [[1, 2], [3, 4]]
-> float32[2] [1, 2] ; float32[2] [3, 4])example"},
    {"unstack", R"example(unstack axis=1 num=2  string[1, 2] [["a", "b"]]
-> string[1] ["a"] ; string[1] ["b"])example"},
    {"dft", R"example(dft axis=0  float64[2, 1] [[1], [2]]
-> float64[2, 2] [[3, 0], [-1, 0]])example"},
    {"dft", R"example(dft axis=0 inverse=True  float32[3, 2] [[7, 0], [-2, 1.7320508], [-2, -1.7320508]]
-> float32[3, 2] [[1, 0], [2, 0], [4, 0]])example"},
    {"mel_weight_matrix", R"example(mel_weight_matrix  int64[] 2   int64[] 8   int64[] 8000   float64[] 0   float64[] 4000
-> float64[5, 2] [[1, 0], [0, 1], [0, 0], [0, 0], [0, 0]])example"},
    {"sparse_retain", R"example(sparse_retain  sparse int32[3] {indices: [[0], [1], [2]], values: [7, 8, 9], dense_shape: [3]}   bool[3] [True, False, True]
-> sparse int32[3] {indices: [[0], [2]], values: [7, 9], dense_shape: [3]})example"},
    {"sparse_fill_empty_rows", R"example(sparse_fill_empty_rows  sparse int32[3, 2] {indices: [[1, 1]], values: [7], dense_shape: [3, 2]}   -1
-> sparse int32[3, 2] {indices: [[0, 0], [1, 1], [2, 0]], values: [-1, 7, -1], dense_shape: [3, 2]} ; bool[3] [True, False, True])example"},
    {"sparse_reset_shape", R"example(sparse_reset_shape shape=list(3, 4)  sparse int32[2, 3] {indices: [[1, 2]], values: [7], dense_shape: [2, 3]}
-> sparse int32[3, 4] {indices: [[1, 2]], values: [7], dense_shape: [3, 4]})example"},
    {"sparse_from_entries", R"example(sparse_from_entries  int32[1, 1] [[1]]   int8[1] [5]   int32[1] [2]
-> sparse int8[2] {indices: [[1]], values: [5], dense_shape: [2]})example"},
    {"sparse_components", R"example(sparse_components  sparse int32[2, 3] {indices: [[0, 1]], values: [7], dense_shape: [2, 3]}
-> int64[1, 2] [[0, 1]] ; int32[1] [7] ; int64[2] [2, 3])example"},
    {"sparse_from_dense", R"example(sparse_from_dense  float32[2, 3] [[0, -0.0, 2], [nan, 0, 0]]
-> sparse float32[2, 3] {indices: [[0, 2], [1, 0]], values: [2, nan], dense_shape: [2, 3]})example"},
    {"sparse_to_dense", R"example(sparse_to_dense  sparse int32[2, 3] {indices: [[0, 1], [1, 2]], values: [7, 8], dense_shape: [2, 3]}
-> int32[2, 3] [[0, 7, 0], [0, 0, 8]])example"},
    {"csr_matmul", R"example(csr_matmul  int32[1] [7]   int64[1] [1]   int64[3] [0, 0, 1]   int32[2] [1, 2]
-> int32[2] [0, 14])example"},
    {"make_dict", R"example(make_dict names=list("b", "a")  int64[] 1   [{x: int8[]}] [{x: 2}]
-> dict(a: [{x: int8[]}], b: int64[]) {a: [{x: 2}], b: 1})example"},
    {"make_list", R"example(make_list  int64[] 1   string[] "a"
-> list(int64[], string[]) [1, "a"])example"},
    {"make_tuple", R"example(make_tuple  int64[] 1   list(2, 3)
-> tuple(int64[], list(2, 3)) [1, [2, 3]])example"},
    {"promote", R"example(promote path="d.x" name="x"  [{d: [{x: int8[]}]}] [{d: [{x: 1}, {x: 2}]}, {d: []}]
-> [{d: [{x: int8[]}], x: int8[(?)]}] [{d: [{x: 1}, {x: 2}], x: [1, 2]}, {d: [], x: []}])example"},
    {"promote", R"example(promote path="a.b.c" name="b"  {a: {b: {c: int8[]}}} {a: {b: {c: 7}}}
-> {a: {b: int8[]}} {a: {b: 7}})example"},
    {"broadcast_field", R"example(broadcast_field path="a" into="s" name="a"  [{a: int8[], s: [{x: string[]}]}] [{a: 1, s: [{x: "p"}, {x: "q"}]}, {a: 2, s: []}]
-> [{a: int8[], s: [{a: int8[], x: string[]}]}] [{a: 1, s: [{a: 1, x: "p"}, {a: 1, x: "q"}]}, {a: 2, s: []}])example"},
    {"broadcast_field", R"example(broadcast_field path="t.a" into="s" name="b"  {t: {a: int8[], s: {x: int8[]}}} {t: {a: 1, s: {x: 2}}}
-> {t: {a: int8[], s: {b: int8[], x: int8[]}}} {t: {a: 1, s: {b: 1, x: 2}}})example"},
    {"promote_and_broadcast", R"example(promote_and_broadcast path="e.x" into="e" name="y"  [{e: [{x: int8[]}]}] [{e: [{x: 1}]}]
-> [{e: [{x: int8[], y: int8[]}]}] [{e: [{x: 1, y: 1}]}])example"},
    {"struct_get", R"example(struct_get field="ids"  {ids: int64[2]} {ids: [1, 2]}
-> int64[2] [1, 2])example"},
    {"struct_get", R"example(struct_get field="ids"  [{ids: int64[(?)], t: string[]}] [{ids: [1, 2], t: "a"}, {ids: [], t: "b"}]
-> ragged int64[2, (?)] [[1, 2], []])example"},
    {"struct_get", R"example(struct_get field=""  {ids: int64[]} {ids: 1}
-> {ids: int64[]} {ids: 1})example"},
    {"struct_make", R"example(struct_make names=list("v", "ids") rank=1  float32[2, 2] [[1, 2], [3, 4]]   ragged int64[2, (?)] [[1], [2, 3]]
-> [{ids: int64[(?)], v: float32[2]}] [{ids: [1], v: [1, 2]}, {ids: [2, 3], v: [3, 4]}])example"},
    {"struct_map", R"example(struct_map fields=list("a", "b") op="add" name="c"  [{a: int8[(?)], b: int8[(?)]}] [{a: [1, 2], b: [3, 4]}, {a: [], b: []}]
-> [{a: int8[(?)], b: int8[(?)], c: int8[(?)]}] [{a: [1, 2], b: [3, 4], c: [4, 6]}, {a: [], b: [], c: []}])example"},
    {"struct_nrows", R"example(struct_nrows  [{a: int64[]}] [{a: 1}, {a: 2}]
-> int64[] 2)example"},
    {"struct_size", R"example(struct_size path="t" name="n"  [{t: string[(?)]}] [{t: ["a", "b"]}, {t: []}]
-> [{n: int64[], t: string[(?)]}] [{n: 2, t: ["a", "b"]}, {n: 0, t: []}])example"},
    {"struct_has", R"example(struct_has path="t" name="has"  [{t: string[(?)]}] [{t: ["a", "b"]}, {t: []}]
-> [{has: bool[], t: string[(?)]}] [{has: True, t: ["a", "b"]}, {has: False, t: []}])example"},
    {"struct_update", R"example(struct_update without=list("a")  [[{a: int8[]}]] [[{a: 1}], [], [{a: 2}, {a: 3}]]
-> [[{}]] [[{}], [], [{}, {}]])example"},
    {"struct_with_only", R"example(struct_with_only names=list()  [{a: int64[]}] [{a: 1}, {a: 2}]
-> [{}] [{}, {}])example"},
    {"struct_without", R"example(struct_without names=list("a")  [{a: int64[]}] [{a: 1}, {a: 2}]
-> [{}] [{}, {}])example"},
    {"ngram_weights", R"example(ngram_weights num_columns=3 max_length=2  string[3] ["a", "b", "b"]   string[4] ["a", "b", "a", "b"]   int64[2] [0, 2]   int64[3] [0, 1, 2]
-> float32[3] [1, 2, 1])example"},
    {"ngram_weights", R"example(ngram_weights num_columns=2 min_length=2 max_length=2 max_skips=1  int64[2, 4] [[1, 9, 2, 3], [2, 3, 3, 7]]   int64[5] [7, 1, 2, 2, 3]   int64[2] [0, 1]   int64[3] [0, 0, 1]
-> float32[2, 2] [[1, 1], [0, 2]])example"},
    {"parse_csv", R"example(parse_csv num_columns=3  string[2] ["1,\"a, \"\"b\"\"\",x", "2,,"]
-> string[2, 3] [["1", "a, \"b\"", "x"], ["2", "", ""]])example"},
    {"parse_csv", R"example(parse_csv delimiter=";" columns=list(0, 2) num_columns=2  string[1] ["a;b;c;d"]
-> string[1, 2] [["a", "c"]])example"},
    {"parse_examples", R"example(parse_examples features=list("a") dtypes=list("int64")  string[2] ["\n\x0c\n\n\n\x01a\x12\x05\x1a\x03\n\x01\x03", ""]
-> int64[1] [3] ; int64[3] [0, 1, 1] ; bool[2] [True, False])example"},
    {"parse_feature_lists", R"example(parse_feature_lists features=list("x") dtypes=list("int64")  string[2] ["\x12\x16\n\x14\n\x01x\x12\x0f\n\x06\x1a\x04\n\x02\x01\x02\n\x05\x1a\x03\n\x01\x03", ""]
-> int64[3] [1, 2, 3] ; int64[3] [0, 2, 3] ; int64[3] [0, 2, 2] ; bool[2] [True, False])example"},
    {"squared_distances", R"example(squared_distances  float32[2, 2] [[0, 0], [1, 2]]   float32[3, 2] [[0, 0], [3, 4], [1, 2]]
-> float32[2, 3] [[0, 25, 5], [5, 8, 0]])example"},
    {"normalize_rows", R"example(normalize_rows  float32[2, 2] [[3, -4], [0, 0]]
-> float32[2, 2] [[0.6, -0.8], [0, 0]])example"},
    {"normalize_rows", R"example(normalize_rows norm="l1"  float64[1, 2] [[1, -3]]
-> float64[1, 2] [[0.25, -0.75]])example"},
    {"couple_pairs", R"example(couple_pairs num_classes=2  float64[2, 1] [[0.5], [1]]
-> float64[2, 2] [[0.5, 0.5], [0.9999999, 1.0000000000287557e-07]])example"},
    {"couple_pairs", R"example(couple_pairs num_classes=3  float64[1, 3] [[0.5, 0.5, 0.5]]
-> float64[1, 3] [[0.3333333333333333, 0.3333333333333333, 0.3333333333333333]])example"},
    {"vote_pairs", R"example(vote_pairs num_classes=3  float32[3, 3] [[0.5, -1, 2], [-1, 1, 0], [nan, -1, 1]]
-> int64[3] [0, 0, 1])example"},
    {"vote_pairs", R"example(vote_pairs num_classes=2  float64[2, 1] [[0.5], [-0.5]]
-> int64[2] [0, 1])example"},
    {"serialize_tensor", R"example(serialize_tensor  float32[2] [1, -2.5]
-> string[] "\x08\x01\x12\x04\x12\x02\x08\x02\"\x08\x00\x00\x80?\x00\x00 \xc0")example"},
    {"parse_tensor", R"example(parse_tensor dtype="float32"  string[] "\x08\x01\x12\x04\x12\x02\x08\x02\"\x08\x00\x00\x80?\x00\x00 \xc0"
-> float32[2] [1, -2.5])example"},
    {"tree_ensemble", R"example(tree_ensemble num_targets=2 aggregate="min"  float32[1, 1] [[0]]   int64[2, 5] [[0, 0, 0, 1, 0], [0, 0, 1, 2, 0]]   float32[2] [0, 0]   int64[2] [0, 1]   int64[2] [0, 0]   float32[2] [5, 3]
-> float32[1, 2] [[3, 0]])example"},
    {"tree_ensemble", R"example(tree_ensemble  float32[0, 1] []   int64[1, 5] [[0, 0, 0, 1, 0]]   float32[1] [0]   int64[1] [0]   int64[1] [0]   float32[1] [1]
-> float32[0, 1] [])example"},
    {"encode_base64", R"example(encode_base64  string[4] ["", "f", "fo", "foobar"]
-> string[4] ["", "Zg", "Zm8", "Zm9vYmFy"])example"},
    {"encode_base64", R"example(encode_base64 pad=True  string[3] ["f", "fo", "foo"]
-> string[3] ["Zg==", "Zm8=", "Zm9v"])example"},
    {"decode_base64", R"example(decode_base64  string[4] ["Zg", "Zg==", "Zm9vYmFy", ""]
-> string[4] ["f", "f", "foobar", ""])example"},
    {"text_code_points", R"example(text_code_points  string[3] ["a\xc3\xa9", "", "\xf0\x9f\x98\x80"]
-> int64[4] [0, 2, 2, 3] ; int32[3] [97, 233, 128512] ; int64[3] [0, 1, 0])example"},
    {"text_from_code_points", R"example(text_from_code_points  int32[4] [97, 233, 8364, 128512]   int64[4] [0, 2, 2, 4]
-> string[3] ["a\xc3\xa9", "", "\xe2\x82\xac\xf0\x9f\x98\x80"])example"},
    {"format_number", R"example(format_number format="%.2f"  float32[2] [3.14159, -1]
-> string[2] ["3.14", "-1.00"])example"},
    {"format_tensor", R"example(format_tensor  int32[2, 2] [[1, 2], [3, 4]]
-> string[] "[[1 2]\n [3 4]]")example"},
    {"format_tensor", R"example(format_tensor edge_items=2  int64[7] [1, 2, 3, 4, 5, 6, 7]
-> string[] "[1 2 ... 6 7]")example"},
    {"ngrams", R"example(ngrams widths=2  ragged<rank=0> string[2] ["a", "b"]
-> string[1] ["a b"])example"},
    {"ngrams", R"example(ngrams widths=2  string[3] ["a", "b", "c"]
-> string[2] ["a b", "b c"])example"},
    {"number_to_string", R"example(number_to_string  float32[4] [0.1, 3, nan, -inf]
-> string[4] ["0.1", "3.0", "nan", "-inf"])example"},
    {"regex_replace", R"example(regex_replace pattern="[0-9]+" rewrite="<\\0>"  string[3] ["a1b22", "", "x"]
-> string[3] ["a<1>b<22>", "", "x"])example"},
    {"regex_replace", R"example(regex_replace pattern="(a)(b)" rewrite="\\2\\\\\\1" all=False  string[1] ["abab"]
-> string[1] ["b\\aab"])example"},
    {"regex_replace", R"example(regex_replace pattern="x" rewrite="y"  ragged string[2, (?)] [["x"], []]
-> ragged string[2, (?)] [["y"], []])example"},
    {"regex_full_match", R"example(regex_full_match pattern="a+"  string[3] ["aa", "ab", ""]
-> bool[3] [True, False, False])example"},
    {"regex_full_match", R"example(regex_full_match pattern="."  string[1] ["\xc3\xa9"]
-> bool[1] [True])example"},
    {"regex_extract", R"example(regex_extract pattern="([a-z]+)=([0-9]*)" group=2  string[3] ["x=12 y=3", "z=", "none"]
-> string[3] ["12", "", ""])example"},
    {"regex_extract", R"example(regex_extract pattern="[0-9]+"  ragged string[1, (?)] [["a7", "b"]]
-> ragged string[1, (?)] [["7", ""]])example"},
    {"string_bytes", R"example(string_bytes  string[2] ["ab", "cd"]
-> uint8[2, 2] [[97, 98], [99, 100]])example"},
    {"string_bytes", R"example(string_bytes length=3  string[2] ["a", "bcde"]
-> uint8[2, 3] [[97, 0, 0], [98, 99, 100]])example"},
    {"string_lower", R"example(string_lower  string[2] ["Salt", "\xc3\x89A"]
-> string[2] ["salt", "\xc3\x89a"])example"},
    {"string_lower", R"example(string_lower unicode=True  string[3] ["\xc3\x89A\xce\xa3", "\xff\xc3", "\xf0\x90\x90\x80"]
-> string[3] ["\xc3\xa9a\xcf\x83", "\xff\xc3", "\xf0\x90\x90\xa8"])example"},
    {"string_upper", R"example(string_upper unicode=True  string[1] ["stra\xc3\x9fe \xc3\xbc"]
-> string[1] ["STRA\xc3\x9fE \xc3\x9c"])example"},
    {"string_concat", R"example(string_concat  ragged string[2, (?)] [["a", "b"], ["c"]]   string[2, 1] [["x"], ["y"]]
-> ragged string[2, (?)] [["ax", "bx"], ["cy"]])example"},
    {"string_concat", R"example(string_concat  string[2] ["a", "b"]   string[] "!"
-> string[2] ["a!", "b!"])example"},
    {"string_concat", R"example(string_concat separator=", "  string[2, 1] [["a"], ["b"]]   string[2] ["c", ""]
-> string[2, 2] [["a, c", "a, "], ["b, c", "b, "]])example"},
    {"string_fingerprint", R"example(string_fingerprint  string[5] ["a", "b", "c", "d", ""]
-> uint64[5] [12917804110809363939, 11795596070477164822, 11430444447143000872, 4470636696479570465, 11160318154034397263])example"},
    {"string_fingerprint", R"example(string_fingerprint method="siphash" key=list(1, 2)  string[1] ["a"]
-> uint64[1] [5158252350249958646])example"},
    {"string_hash_bucket", R"example(string_hash_bucket num_buckets=1  string[2] ["a", ""]
-> int64[2] [0, 0])example"},
    {"string_join", R"example(string_join separator="-"  string[2, 2] [["a", "b"], ["c", ""]]
-> string[2] ["a-b", "c-"])example"},
    {"string_join", R"example(string_join axis=0  string[2, 2] [["a", "b"], ["c", "d"]]
-> string[2] ["ac", "bd"])example"},
    {"string_join", R"example(string_join separator=" "  ragged string[3, (?)] [["a", "b"], [], ["c"]]
-> string[3] ["a b", "", "c"])example"},
    {"string_length", R"example(string_length  string[3] ["", "abc", "\xc3\xa9"]
-> int64[3] [0, 3, 2])example"},
    {"string_length", R"example(string_length unit="utf8"  string[2] ["\xc3\xa9t\xc3\xa9", "\xf0\x9f\x8d\x9e"]
-> int64[2] [3, 1])example"},
    {"string_length", R"example(string_length  ragged string[2, (?)] [["ab"], []]
-> ragged int64[2, (?)] [[2], []])example"},
    {"string_split", R"example(string_split  string[3] [" a  b ", "", "c"]
-> ragged string[3, (?)] [["a", "b"], [], ["c"]])example"},
    {"string_split", R"example(string_split separator=","  string[3] ["a,,b", "", ","]
-> ragged string[3, (?)] [["a", "", "b"], [""], ["", ""]])example"},
    {"string_split", R"example(string_split  ragged string[2, (?)] [["a b", ""], []]
-> ragged string[2, (?), (?)] [[["a", "b"], []], []])example"},
    {"string_strip", R"example(string_strip  string[3] [" a b\t\n", "", "  "]
-> string[3] ["a b", "", ""])example"},
    {"string_strip", R"example(string_strip chars="-" side="left"  string[2] ["--a-b-", "---"]
-> string[2] ["a-b-", ""])example"},
    {"string_to_number", R"example(string_to_number  string[3] ["1.5", "-2", "+3e2"]
-> float32[3] [1.5, -2, 300])example"},
    {"string_to_number", R"example(string_to_number dtype="int8"  string[2] ["-128", "+7"]
-> int8[2] [-128, 7])example"},
    {"substr", R"example(substr start=1 length=2  string[3] ["flour", "x", ""]
-> string[3] ["lo", "", ""])example"},
    {"substr", R"example(substr start=-3  string[2] ["flour", "x"]
-> string[2] ["our", "x"])example"},
    {"substr", R"example(substr length=1  ragged string[2, (?)] [["flour", "rye"], ["egg"]]   int64[2, 1] [[1], [2]]
-> ragged string[2, (?)] [["l", "y"], ["g"]])example"},
    {"parse_date", R"example(parse_date  string[3] ["1970-01-01", "2024-02-29", "0001-01-01"]
-> int64[3] [0, 19782, -719162])example"},
    {"parse_date", R"example(parse_date format="%d %b %Y" default=-1  string[2] ["29 feb 2024", "29 feb 2023"]
-> int64[2] [19782, -1])example"},
    {"parse_time", R"example(parse_time  string[2] ["1970-01-02T00:00:01", "1969-12-31T23:59:59"]
-> int64[2] [86401, -1])example"},
    {"parse_time", R"example(parse_time format="%Y-%m-%d %H:%M:%S.%f" unit="nanoseconds"  string[1] ["2024-02-29 13:05:00.25"]
-> int64[1] [1709211900250000000])example"},
    {"format_date", R"example(format_date  int64[2] [19782, -719162]
-> string[2] ["2024-02-29", "0001-01-01"])example"},
    {"format_time", R"example(format_time unit="microseconds" format="%Y-%m-%d %H:%M:%S.%f"  int64[2] [-1, 47100000000]
-> string[2] ["1969-12-31 23:59:59.999999", "1970-01-01 13:05:00.000000"])example"},
    {"date_part", R"example(date_part part="weekday"  int64[2] [0, 19782]
-> int64[2] [3, 3])example"},
    {"time_part", R"example(time_part part="hour"  int64[2] [47100, -1]
-> int64[2] [13, 23])example"},
    {"tokenize_text", R"example(tokenize_text  string[2] ["aé", "漢"]
-> int64[3] [0, 2, 3] ; string[3] ["a", "é", "漢"])example"},
    {"unicode_script", R"example(unicode_script  int32[5] [97, 945, 46, 1078, 19968]
-> int32[5] [25, 14, 0, 8, 17])example"},
    {"conv", R"example(conv  float32[1, 1, 4] [[[1, 2, 3, 4]]]   float32[1, 1, 2] [[[1, 10]]]
-> float32[1, 1, 3] [[[21, 32, 43]]])example"},
    {"conv", R"example(conv auto_pad="same_lower"  float32[1, 1, 3] [[[1, 2, 3]]]   float32[1, 1, 2] [[[1, 10]]]
-> float32[1, 1, 3] [[[10, 21, 32]]])example"},
    {"conv_transpose", R"example(conv_transpose  float32[1, 1, 2] [[[1, 2]]]   float32[1, 1, 3] [[[1, 10, 100]]]
-> float32[1, 1, 4] [[[1, 12, 120, 200]]])example"},
    {"conv_transpose", R"example(conv_transpose groups=2  float64[1, 2, 1] [[[1], [2]]]   float64[2, 2, 1] [[[1], [10]], [[1], [10]]]
-> float64[1, 4, 1] [[[1], [10], [2], [20]]])example"},
    {"conv_integer", R"example(conv_integer strides=2 dilations=2  uint8[1, 1, 5] [[[1, 2, 3, 4, 5]]]   int8[3, 1, 2] [[[1, 1]], [[1, 0]], [[0, -1]]]
-> int32[1, 3, 2] [[[4, 8], [1, 3], [-3, -5]]])example"},
    {"conv_integer", R"example(conv_integer  uint8[0, 1, 2] []   int8[1, 1, 1] [[[1]]]
-> int32[0, 1, 2] [])example"},
    {"decode_image", R"example(decode_image pixel_format="bgr"  uint8[40] [80, 54, 10, 35, 32, 116, 119, 111, 32, 114, 111, 119, 115, 10, 51, 32, 50,
 32, 50, 53, 53, 10, 255, 0, 0, 0, 255, 0, 0, 0, 255, 250, 128, 3, 255, 255, 255, 10, 20, 30]
-> uint8[2, 3, 3] [[[0, 0, 255], [0, 255, 0], [255, 0, 0]], [[3, 128, 250], [255, 255, 255], [30, 20, 10]]])example"},
    {"decode_image", R"example(decode_image  uint8[16] [80, 50, 32, 49, 32, 50, 32, 50, 53, 53, 32, 57, 32, 50, 48, 48]
-> uint8[2, 1, 3] [[[9, 9, 9]], [[200, 200, 200]]])example"},
    {"max_pool", R"example(max_pool kernel=list(2)  float32[1, 1, 4] [[[1, 3, 2, 0]]]
-> float32[1, 1, 3] [[[3, 3, 2]]])example"},
    {"average_pool", R"example(average_pool kernel=list(2) pads=list(1, 0)  float32[1, 1, 2] [[[2, 4]]]
-> float32[1, 1, 2] [[[2, 3]]])example"},
    {"lp_pool", R"example(lp_pool kernel=list(2)  float32[1, 1, 2] [[[3, -4]]]
-> float32[1, 1, 1] [[[5]]])example"},
    {"max_unpool", R"example(max_unpool  float32[1, 1, 2] [[[8, 6]]]   int64[1, 1, 2] [[[0, 3]]]   int64[3] [1, 1, 4]
-> float32[1, 1, 4] [[[8, 0, 0, 6]]])example"},
    {"grid_sample", R"example(grid_sample  float32[1, 1, 1, 2] [[[[1, 3]]]]   float32[1, 1, 2, 2] [[[[0, 0], [-2, 0]]]]
-> float32[1, 1, 1, 2] [[[[2, 0]]]])example"},
    {"grid_sample", R"example(grid_sample mode="nearest" padding="border" align_corners=True  float32[1, 1, 1, 2] [[[[1, 3]]]]   float32[1, 1, 2, 2] [[[[0.9, 0], [-2, 0]]]]
-> float32[1, 1, 1, 2] [[[[3, 1]]]])example"},
    {"affine_grid", R"example(affine_grid align_corners=True  float32[1, 2, 3] [[[1, 0, 0], [0, 1, 0.5]]]   int64[4] [1, 1, 1, 2]
-> float32[1, 1, 2, 2] [[[[-1, 0.5], [1, 0.5]]]])example"},
    {"deform_conv", R"example(deform_conv  float32[1, 1, 1, 2] [[[[1, 3]]]]   float32[1, 1, 1, 1] [[[[2]]]]   float32[1, 2, 1, 2] [[[[0, 0]], [[0.5, 0]]]]   float32[1] [10]
-> float32[1, 1, 1, 2] [[[[14, 16]]]])example"},
    {"max_roi_pool", R"example(max_roi_pool size=list(1, 2)  float32[1, 1, 2, 2] [[[[1, 2], [3, 4]]]]   float32[1, 5] [[0, 0, 0, 1, 1]]
-> float32[1, 1, 1, 2] [[[[3, 4]]]])example"},
    {"roi_align", R"example(roi_align size=list(1, 1) sampling_ratio=1  float32[1, 1, 2, 2] [[[[1, 2], [3, 4]]]]   float32[1, 4] [[0, 0, 2, 2]]   int64[1] [0]
-> float32[1, 1, 1, 1] [[[[2.5]]]])example"},
    {"non_max_suppression", R"example(non_max_suppression  float32[1, 3, 4] [[[0, 0, 1, 1], [0, 0, 1, 0.9], [0, 2, 1, 3]]]   float32[1, 1, 3] [[[0.5, 0.9, 0.7]]]   int64[] 3   float32[] 0.5
-> int64[2, 3] [[0, 0, 1], [0, 0, 2]])example"},
    {"non_max_suppression", R"example(non_max_suppression center_point=True  float32[1, 2, 4] [[[0, 0, 1, 1], [5, 5, 1, 1]]]   float32[1, 1, 2] [[[0.5, 0.9]]]   int64[] 3   float32[] 0.5   float32[1] [0.6]
-> int64[1, 3] [[0, 0, 1]])example"},
    {"resize", R"example(resize coordinates="asymmetric" nearest="floor"  int64[1, 2] [[1, 2]]   float32[2] [2, 2]
-> int64[2, 4] [[1, 1, 2, 2], [1, 1, 2, 2]])example"},
    {"resize", R"example(resize mode="linear"  float32[1, 2] [[1, 3]]   float32[2] [1, 2]
-> float32[1, 4] [[1, 1.5, 2.5, 3]])example"},
    {"soft_non_max_suppression", R"example(soft_non_max_suppression  float32[6, 4] [[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 10.1, 1, 11.1], [0, 100, 1, 101]]   float32[6] [0.9, 0.75, 0.6, 0.95, 0.5, 0.3]   int64[] 6   float32[] 1   float32[] 0   float32[] 0.5
~ 1e-5
-> int64[6] [3, 0, 1, 5, 4, 2] ; float32[6] [0.95, 0.9, 0.3840035, 0.3, 0.25600234, 0.19697242])example"},
    {"soft_non_max_suppression", R"example(soft_non_max_suppression overlaps=True  float32[4, 4] [[1, 0.6, 0.2, 0.1], [0.6, 1, 0.7, 0], [0.2, 0.7, 1, 0.4], [0.1, 0, 0.4, 1]]   float32[4] [0.5, 0.9, 0.8, 0.4]   int64[] 4   float32[] 0.5
-> int64[2] [1, 3] ; float32[2] [0.9, 0.4])example"},
};
// clang-format on

}  // namespace

std::span<const OpExample> AllOpExamples() { return kExamples; }

}  // namespace signet
