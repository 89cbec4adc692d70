// Window: what slides over the spatial dimensions of a tensor [batch, channels, spatial...], for
// convolution and pooling.
//
//   size 5, kernel 3, stride 2, one blank before and after  =>  3 positions
//
// Attributes, as the ops that slide have them: `strides` and `dilations` (None: 1), `pads` (all
// before, then all after; None: 0), `auto_pad` (notset, valid, same_upper, same_lower: what is
// blank follows from the sizes, and `pads` says nothing) and, of pooling, `ceil_mode`. Stateless;
// thread-safe.

#pragma once

#include <string>
#include <vector>

#include "core/ops/def/op_def.h"
#include "signet/tensor_spec.h"

namespace signet {

inline constexpr int kMaxSpatialRank = 3;

// One spatial dimension.
struct WindowAxis {
  int64_t size = 1;  // of the input
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t before = 0;  // blanks
  int64_t after = 0;
  int64_t out = 1;  // positions

  int64_t reach() const { return (kernel - 1) * dilation + 1; }
};

enum class AutoPad : uint8_t { kNotSet, kValid, kSameUpper, kSameLower };

struct Window {
  std::vector<int64_t> kernel;  // one a spatial dimension; kUnknownDim where it is not known yet
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;
  std::vector<int64_t> before;
  std::vector<int64_t> after;
  AutoPad auto_pad = AutoPad::kNotSet;
  bool ceil_mode = false;  // the last position may hang over the end

  int rank() const { return static_cast<int>(kernel.size()); }
  // Where it stands along dimension `axis` of `size` elements; INVALID_ARGUMENT when nowhere.
  StatusOr<WindowAxis> Along(int axis, int64_t size) const;
  // The positions over `spatial`, as far as they are known.
  StatusOr<PartialShape> Over(const PartialShape& spatial) const;
};

// The window of the attributes of `call`; refusals are labelled `label`.
StatusOr<Window> WindowOf(const OpCall& call, std::vector<int64_t> kernel, std::string_view label);

// Attribute `name`, of one integer in [least, 2^31) a spatial dimension; `otherwise` where it is
// None.
StatusOr<std::vector<int64_t>> SpatialInts(const OpCall& call, std::string_view name, size_t count,
                                           int64_t least, int64_t otherwise);
StatusOr<AutoPad> AutoPadOf(const OpCall& call);

// The attributes that every op with a window has.
std::vector<AttributeDef> WindowAttributes();

// A tensor [batch, channels, spatial...] of 1 to 3 spatial dimensions and a dtype that `fits`;
// `takes` names the dtypes. Refusals are labelled C1.
StatusOr<const TensorSpec*> ImageInput(const OpCall& call, size_t i, bool (*fits)(DType),
                                       std::string_view takes);

// The description of windows in the documentation of ops.
inline constexpr char kWindowDescription[] =
    "A window moves over the one to three spatial dimensions of `[batch, channels, spatial...]`. "
    "Its attributes have one integer per spatial dimension: `strides` and `dilations` (None: 1), "
    "and `pads`, the padding before all of them, then the padding after all of them (None: 0). "
    "`auto_pad` is `notset`, `valid` (no padding), or `same_upper` or `same_lower`: the padding "
    "with which the result has the size of the input divided by the stride, rounded up; an odd "
    "padding is larger at the end or at the beginning. A window that fits nowhere is rejected. If "
    "ranks are known only at run time, everything is checked then.";

}  // namespace signet
