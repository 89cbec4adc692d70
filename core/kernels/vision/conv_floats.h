// FloatConv: float32 convolutions that do not use Winograd's algorithm. Decides which matrices are
// multiplied, in which blocks, and on how many threads. The arithmetic is in simd/conv.cc.
//
// A depthwise convolution (one channel in, one out) slides over its plane. Every other convolution
// is a product of the weights and the windows. The windows are packed one tile at a time. The tile
// stays in the nearest cache while it is multiplied by all weights, and the sums are completed in
// registers.
//
// Immutable; thread-safe.

#pragma once

#include "core/kernels/def/stop_poll.h"
#include "core/kernels/vision/conv_finish.h"
#include "core/kernels/vision/conv_layout.h"

namespace signet {

class FloatConv {
 public:
  FloatConv(const ConvTable& table, Activation activation)
      : table_(table), finish_(table, activation) {}

  // Returns the number of floats that Pack writes.
  int64_t PackedSize(const ConvSizes& sizes) const;
  void Pack(const ConvSizes& sizes, const float* weights, float* packed) const;
  // `packed` is the result of Pack; `bias` and `residual` may be null.
  Status Run(KernelContext& context, const ConvSizes& sizes, const float* x, const float* weights,
             const float* packed, const float* bias, const float* residual, float* out) const;

  const ConvFinish& finish() const { return finish_; }

 private:
  struct Blocks;
  struct Block;
  int64_t GroupSize(const ConvSizes& sizes) const;
  Blocks BlocksOf(const ConvSizes& sizes, int64_t images, int64_t threads) const;

  Status RunDepthwise(KernelContext& context, const ConvSizes& sizes, const float* x,
                      const float* weights, const float* bias, const float* residual,
                      float* out) const;
  Status RunPlanes(KernelContext& context, const ConvSizes& sizes, const float* x,
                   const float* weights, const float* bias, const float* residual,
                   float* out) const;
  Status RunProduct(KernelContext& context, const ConvSizes& sizes, const float* x,
                    const float* packed, const float* bias, const float* residual,
                    float* out) const;
  template <class BlockOf>
  Status RunTiles(KernelContext& context, const ConvSizes& sizes, int64_t images,
                  BlockOf block_of) const;
  void RunTileBlock(const Block& block, const Blocks& blocks, int64_t panel_block,
                    int64_t tile_block, const int64_t* tile_rows, float* scratch,
                    StopPoll& poll) const;

  const ConvTable& table_;
  const ConvFinish finish_;
};

}  // namespace signet
