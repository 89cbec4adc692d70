#include "core/ops/def/familiar_names.h"

#include <algorithm>

namespace signet {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

constexpr Pair kNames[] = {
    {"absolute", "abs"},
    {"all", "reduce_all"},
    {"amax", "reduce_max"},
    {"amin", "reduce_min"},
    {"any", "reduce_any"},
    {"arccos", "acos"},
    {"arccosh", "acosh"},
    {"arcsin", "asin"},
    {"arcsinh", "asinh"},
    {"arctan", "atan"},
    {"arctanh", "atanh"},
    {"arg_max", "argmax"},
    {"arg_min", "argmin"},
    {"astype", "cast"},
    {"average", "reduce_mean"},
    {"bitwise_left_shift", "shift_left"},
    {"bitwise_right_shift", "shift_right"},
    {"clip_by_value", "clip"},
    {"concatenate", "concat"},
    {"digitize", "bucketize"},
    {"divide", "div"},
    {"dot", "matmul"},
    {"embedding", "gather"},
    {"floor_div", "floordiv"},
    {"floor_divide", "floordiv"},
    {"floormod", "mod"},
    {"isfinite", "is_finite"},
    {"isinf", "is_inf"},
    {"isnan", "is_nan"},
    {"left_shift", "shift_left"},
    {"len", "size"},
    {"logistic", "sigmoid"},
    {"lower", "string_lower"},
    {"max", "reduce_max"},
    {"mean", "reduce_mean"},
    {"min", "reduce_min"},
    {"multiply", "mul"},
    {"negate", "neg"},
    {"negative", "neg"},
    {"permute", "transpose"},
    {"power", "pow"},
    {"prod", "reduce_prod"},
    {"realdiv", "div"},
    {"remainder", "mod"},
    {"right_shift", "shift_right"},
    {"strip", "string_strip"},
    {"sub_string", "substr"},
    {"subtract", "sub"},
    {"sum", "reduce_sum"},
    {"take", "gather"},
    {"true_divide", "div"},
    {"truediv", "div"},
    {"unsqueeze", "expand_dims"},
    {"upper", "string_upper"},
};

}  // namespace

std::string_view LookupFamiliarName(std::string_view name) {
  auto found = std::find_if(std::begin(kNames), std::end(kNames),
                            [&](const Pair& pair) { return pair.first == name; });
  return found == std::end(kNames) ? std::string_view() : found->second;
}

std::span<const Pair> FamiliarNames() { return kNames; }

}  // namespace signet
