#include "core/kernels/vision/conv_windows.h"

#include <algorithm>
#include <cstring>

#include "core/kernels/loops/gemm_blocks.h"
#include "core/kernels/loops/pieces.h"

namespace signet {
namespace {

constexpr int64_t kMostFloats = 1 << 16;  // floats of the windows at a time

// Rounds up to an offset that is aligned to 64 bytes.
size_t RoundUp(size_t bytes) { return (bytes + 63) / 64 * 64; }

// Copies the windows of one group of an image as [window][channel][element of the window].
void GatherWindows(const ConvSizes& sizes, const float* x, float* to) {
  const WindowAxis &depth = sizes.axes[0], &height = sizes.axes[1], &width = sizes.axes[2];
  const int64_t k = sizes.in * sizes.taps;
  for (int64_t window = 0; window < sizes.out_plane(); ++window, to += k) {
    const int64_t begin = window % width.out * width.stride - width.before;
    const int64_t first = begin >= 0 ? 0 : (-begin + width.dilation - 1) / width.dilation;
    const int64_t last = begin >= width.size ? 0 : (width.size - 1 - begin) / width.dilation + 1;
    const int64_t count = std::min(last, width.kernel) - first;
    bool whole = count == width.kernel;
    auto for_rows = [&](auto take) {
      for (int64_t kd = 0; kd < depth.kernel; ++kd) {
        int64_t d =
            window / width.out / height.out * depth.stride + kd * depth.dilation - depth.before;
        for (int64_t kh = 0; kh < height.kernel; ++kh) {
          int64_t h = window / width.out % height.out * height.stride + kh * height.dilation -
                      height.before;
          bool inside = d >= 0 && d < depth.size && h >= 0 && h < height.size;
          take(kd * height.kernel + kh, inside, (d * height.size + h) * width.size);
        }
      }
    };
    for_rows([&](int64_t, bool inside, int64_t) { whole = whole && inside; });
    if (!whole) std::fill_n(to, k, 0.0F);
    if (count <= 0) continue;
    for_rows([&](int64_t row, bool inside, int64_t at) {
      if (!inside) return;
      const float* from = x + at + begin + first * width.dilation;
      float* own = to + row * width.kernel + first;
      for (int64_t c = 0; c < sizes.in; ++c, from += sizes.x_plane(), own += sizes.taps) {
        if (count >= 16 && width.dilation == 1) {
          std::memcpy(own, from, static_cast<size_t>(count) * sizeof(float));
          continue;
        }
        for (int64_t i = 0; i < count; ++i) own[i] = from[i * width.dilation];
      }
    });
  }
}

}  // namespace

bool WindowsConv::Suits(const ConvTable& table, const ConvSizes& sizes) {
  const int64_t windows = sizes.out_plane();
  const bool fills = sizes.out >= std::min(table.lanes, 4 * windows) && sizes.in * sizes.taps > 0;
  return windows > 0 && fills && 5 * windows < 3 * table.lanes;
}

WindowsConv::WindowsConv(const ConvFinish& finish, const Activation& activation)
    : finish_(finish),
      gemm_(SIGNET_ACTIVE_TABLE(GemmTable).by_dtype[static_cast<int>(DType::kFloat32)]),
      clips_(activation.kind == ActivationKind::kClip),
      low_(activation.alpha),
      high_(activation.beta) {}

StatusOr<WindowsConv> WindowsConv::Make(const ConvFinish& finish, const Activation& activation,
                                        const ConvSizes& sizes, const float* weights) {
  WindowsConv made(finish, activation);
  const int64_t k = sizes.in * sizes.taps;
  const size_t size = RoundUp(made.gemm_.packed_size(sizes.out, k));
  SIGNET_ASSIGN_OR_RETURN(made.packed_, Buffer::Allocate(size * static_cast<size_t>(sizes.groups)));
  for (int64_t group = 0; group < sizes.groups; ++group) {
    made.gemm_.pack(weights + group * sizes.out * k, k, true, sizes.out, k,
                    made.packed_.mutable_data() + static_cast<size_t>(group) * size);
  }
  return made;
}

Status WindowsConv::Run(KernelContext& context, const ConvSizes& sizes, const float* x,
                        const float* bias, const float* residual, float* out) const {
  const int64_t windows = sizes.out_plane();
  const int64_t k = sizes.in * sizes.taps;
  const int64_t channels = sizes.groups * sizes.out;
  const int64_t at_once = std::clamp<int64_t>(kMostFloats / (windows * k), 1, sizes.batch);
  // The sums of a single window are already in the order of the result.
  const bool single = windows == 1;
  SIGNET_ASSIGN_OR_RETURN(float* rows, ScratchFloats(context, at_once * windows * k));
  float* sums = nullptr;
  if (!single) {
    SIGNET_ASSIGN_OR_RETURN(sums, ScratchFloats(context, at_once * windows * sizes.out));
  }
  const int64_t panels = (sizes.out + gemm_.panel - 1) / gemm_.panel;
  const double cost = 2.0 * static_cast<double>(at_once * windows * k) *
                      static_cast<double>(sizes.out) / gemm_.flops;
  const int64_t threads = context.parallel().num_threads();
  const int64_t pieces = cost < kWorthThreads ? 1 : std::min(panels, threads);
  const size_t scratch_size = RoundUp(gemm_.scratch_size(at_once * windows, sizes.out, k));
  SIGNET_ASSIGN_OR_RETURN(std::byte * scratch,
                          context.Scratch(scratch_size * static_cast<size_t>(pieces) + 1));
  const size_t packed_size = RoundUp(gemm_.packed_size(sizes.out, k));
  StopPoll own_poll(context);
  for (int64_t image = 0; image < sizes.batch; image += at_once) {
    const int64_t images = std::min(at_once, sizes.batch - image);
    for (int64_t group = 0; group < sizes.groups; ++group) {
      const float* from = x + (image * sizes.groups + group) * sizes.in * sizes.x_plane();
      for (int64_t i = 0; i < images; ++i) {
        SIGNET_RETURN_IF_ERROR(own_poll.Spend(50 + windows * k / 2));
        GatherWindows(sizes, from + i * sizes.groups * sizes.in * sizes.x_plane(),
                      rows + i * windows * k);
      }
      const int64_t first = group * sizes.out;  // first output channel
      const int64_t own = (image * channels + first) * windows;
      GemmArguments whole = {.a = rows,
                             .b = packed_.data() + static_cast<size_t>(group) * packed_size,
                             .c = single ? out + own : sums,
                             .m = images * windows,
                             .n = sizes.out,
                             .k = k,
                             .a_stride = k,
                             .b_stride = 0,
                             .c_stride = single ? channels : sizes.out,
                             .packed = true,
                             .bias = bias == nullptr ? nullptr : bias + first};
      if (single) {
        whole.residual = residual == nullptr ? nullptr : residual + own;
        whole.low = clips_ ? &low_ : nullptr;
        whole.high = clips_ ? &high_ : nullptr;
      }
      SIGNET_RETURN_IF_ERROR(
          context.For(pieces, cost / static_cast<double>(pieces), [&](int64_t begin, int64_t end) {
            StopPoll poll(context);
            for (int64_t piece = begin; piece < end; ++piece) {
              const int64_t from_column = panels * piece / pieces * gemm_.panel;
              const int64_t to_column =
                  std::min(sizes.out, panels * (piece + 1) / pieces * gemm_.panel);
              auto move = [&](const void* array, int64_t by) {
                return array == nullptr ? nullptr : static_cast<const float*>(array) + by;
              };
              GemmArguments part = whole;
              part.n = to_column - from_column;
              part.b = move(whole.b, from_column * k);
              part.c = static_cast<float*>(whole.c) + from_column;
              part.bias = move(whole.bias, from_column);
              part.residual = move(whole.residual, from_column);
              void* own_scratch = scratch + static_cast<size_t>(piece) * scratch_size;
              if (!RunGemm(poll, gemm_, part, sizeof(float), own_scratch)) return;
            }
          }));
      for (int64_t i = 0; i < images; ++i) {
        const int64_t at = own + i * channels * windows;
        float* to = out + at;
        if (single) {
          if (!clips_) finish_.Run(to, 0, nullptr, sizes.out, to);
          continue;
        }
        const float* made = sums + i * windows * sizes.out;
        for (int64_t channel = 0; channel < sizes.out; ++channel) {
          for (int64_t window = 0; window < windows; ++window) {
            to[channel * windows + window] = made[window * sizes.out + channel];
          }
        }
        finish_.Run(to, 0, residual == nullptr ? nullptr : residual + at, sizes.out * windows, to);
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace signet
