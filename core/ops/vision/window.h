// Window: the window of a convolution or of a pooling op, which moves over the spatial dimensions
// of a tensor [batch, channels, spatial...].
//
//   size 5, kernel 3, stride 2, padding 1 before and after  =>  3 positions
//
// The ops have these attributes: `strides` and `dilations` (None: 1), `pads` (all paddings before,
// then all paddings after; None: 0), and `auto_pad` (notset, valid, same_upper, same_lower). Unless
// `auto_pad` is notset, the padding is computed from the sizes, and `pads` is ignored. Pooling ops
// also have `ceil_mode`. Stateless; thread-safe.

#pragma once

#include <string>
#include <vector>

#include "core/ops/def/op_def.h"
#include "signet/tensor_spec.h"

namespace signet {

inline constexpr int kMaxSpatialRank = 3;

// One spatial dimension.
struct WindowAxis {
  int64_t size = 1;  // the size of the input
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t before = 0;  // padding
  int64_t after = 0;
  int64_t out = 1;  // the number of positions

  int64_t reach() const { return (kernel - 1) * dilation + 1; }
};

enum class AutoPad : uint8_t { kNotSet, kValid, kSameUpper, kSameLower };

struct Window {
  // One size per spatial dimension; kUnknownDim if it is not known yet
  std::vector<int64_t> kernel;
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;
  std::vector<int64_t> before;
  std::vector<int64_t> after;
  AutoPad auto_pad = AutoPad::kNotSet;
  bool ceil_mode = false;  // the last window may extend beyond the end of the input

  int rank() const { return static_cast<int>(kernel.size()); }
  // Returns the window along dimension `axis` of `size` elements, or INVALID_ARGUMENT if it fits
  // nowhere.
  StatusOr<WindowAxis> Along(int axis, int64_t size) const;
  // Returns the number of positions along each dimension of `spatial`, if it is known.
  StatusOr<PartialShape> Over(const PartialShape& spatial) const;
};

// Reads the window from the attributes of `call`. Errors have the label `label`.
StatusOr<Window> WindowOf(const OpCall& call, std::vector<int64_t> kernel, std::string_view label);

// Reads attribute `name`, which has one integer in [least, 2^31) per spatial dimension. If it is
// None, each integer is `otherwise`.
StatusOr<std::vector<int64_t>> SpatialInts(const OpCall& call, std::string_view name, size_t count,
                                           int64_t least, int64_t otherwise);
StatusOr<AutoPad> AutoPadOf(const OpCall& call);

// The attributes that every op with a window has.
std::vector<AttributeDef> WindowAttributes();

// Returns the type of input `i`, which is a tensor [batch, channels, spatial...] with 1 to 3
// spatial dimensions and a dtype for which `fits` returns true. `expected` names these dtypes.
// Errors have the label C1.
StatusOr<const TensorSpec*> ImageInput(const OpCall& call, size_t i, bool (*fits)(DType),
                                       std::string_view expected);

// The description of windows in the documentation of ops.
inline constexpr char kWindowDescription[] =
    "A window moves over the one to three spatial dimensions of `[batch, channels, spatial...]`. "
    "Its attributes have one integer per spatial dimension: `strides` and `dilations` (None: 1), "
    "and `pads`, the padding before all of them, then the padding after all of them (None: 0). "
    "`auto_pad` is `notset`, `valid` (no padding), or `same_upper` or `same_lower`: the padding "
    "with which the result has the size of the input divided by the stride, rounded up; an odd "
    "padding is larger at the end for `same_upper` and at the beginning for `same_lower`. Windows "
    "that do not fit are rejected. If ranks are known only at run time, everything is checked "
    "then.";

}  // namespace signet
