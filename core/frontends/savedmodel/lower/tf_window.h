// TfWindow: the window of a convolution or a pooling operator of TensorFlow.
//
//   MaxPool ksize=[1, 2, 2, 1] strides=[1, 2, 2, 1] padding=SAME, NHWC
//     =>  kernel {2, 2}, strides {2, 2}, auto_pad "same_upper", channels_last
//
// The ops of Signet have the channels in dimension 1, so images are transposed. Stateless.

#pragma once

#include <string>
#include <vector>

#include "core/frontends/savedmodel/lower/tf_op.h"

namespace signet {

// The window of a convolution or a pooling op, without batch and channels.
struct TfWindow {
  bool channels_last = true;
  int spatial = 2;
  std::vector<int64_t> strides = {};
  std::vector<int64_t> dilations = {};
  std::vector<int64_t> kernel = {};
  std::vector<int64_t> pads = {};  // for EXPLICIT
  std::string auto_pad = {};
};

// The attributes from which WindowFrom reads a window. `format` is the default data_format.
std::vector<AttributeDef> WindowAttributes(const char* format, bool has_dilations, bool has_kernel);

// Returns the entries for spatial dimensions of a list with one integer per dimension. The entries
// for batch and channels must be 1. An empty list is a list of ones.
StatusOr<std::vector<int64_t>> SpatialEntries(std::vector<int64_t> all, std::string_view name,
                                              bool channels_last, int spatial);
// Reads the attributes of a call. An attribute that the operator does not have is left empty.
StatusOr<TfWindow> WindowFrom(const OpCall& call, int spatial);

// Returns the padding of a window as an attribute of ops, unset if `auto_pad` states it.
AttributeArgument PadsOf(const TfWindow& window);

// Move the channels of an image to dimension 1, and back to where `window` has them.
Expr ChannelsFirst(OpBuilder& build, const TfWindow& window, const Operand& x);
Expr ChannelsAsBefore(OpBuilder& build, const TfWindow& window, const Operand& x);

}  // namespace signet
