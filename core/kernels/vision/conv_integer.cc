// The kernel of `conv_integer`: multiplies a matrix with one window per row by the weights of a
// group. Constant weights are packed when the kernel is made. Windows are copied from an image
// whose channels are the last dimension, so that neighbors within a window are neighbors in memory.
// For groups with few output channels, whole rows of the input are added to the result instead, one
// element of the window at a time.

#include <algorithm>
#include <cstring>

#include "core/base/checked_math.h"
#include "core/kernels/def/request.h"
#include "core/kernels/def/stop_poll.h"
#include "core/kernels/loops/int8_products.h"
#include "core/kernels/simd/int8_conv.h"
#include "core/kernels/vision/conv_layout.h"
#include "core/kernels/vision/vision_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

constexpr int64_t kBlock = 120;      // windows at a time
constexpr int64_t kFewChannels = 2;  // output channels of a group

PartialShape Partial(const Shape& shape) { return PartialShape(shape); }

StatusOr<size_t> Bytes(std::initializer_list<int64_t> factors) {
  int64_t product = 1;
  for (int64_t factor : factors) {
    auto next = CheckedMultiply(product, factor);
    if (!next)
      return WithConstraint("C8", ResourceExhausted("working memory exceeds the range of int64"));
    product = *next;
  }
  return static_cast<size_t>((product + 63) / 64 * 64);
}

class ConvIntegerKernel final : public Kernel {
 public:
  ConvIntegerKernel(Window window, int64_t groups, bool x_signed, bool w_signed)
      : gemm_(ActiveInt8Gemm()),
        loops_(SIGNET_ACTIVE_TABLE(Int8ConvTable)),
        window_(std::move(window)),
        groups_(groups),
        x_signed_(x_signed),
        w_signed_(w_signed) {}

  // Packs constant weights.
  Status PackConstant(const Tensor& w, const Tensor* zero) {
    if (w.num_elements() == 0 || w.shape().dim(0) % groups_ != 0) return absl::OkStatus();
    int64_t out = w.shape().dim(0) / groups_;
    if (out <= kFewChannels) return absl::OkStatus();
    Int8Zeros zeros;
    SIGNET_RETURN_IF_ERROR(ZeroPoints(zero, w.shape().dim(0), "C4", zeros));
    int64_t taps = TapsOf(w.shape());
    packed_ = AlignedBytes(PackedSize(w.shape().dim(1) * taps, out) * static_cast<size_t>(groups_));
    AlignedBytes ordered(static_cast<size_t>(w.num_elements()));
    Pack(w, zeros, ordered.data(), packed_.data());
    is_packed_ = true;
    return absl::OkStatus();
  }

  Status Run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    const Tensor& w = context.input(1);
    const Tensor* bias = Given(context, 4);
    Window window = window_;
    window.kernel.assign(w.shape().dims().begin() + 2, w.shape().dims().end());
    PartialShape bias_shape = bias == nullptr ? PartialShape() : Partial(bias->shape());
    SIGNET_ASSIGN_OR_RETURN(PartialShape shape, ConvShape(Partial(x.shape()), Partial(w.shape()),
                                                          bias == nullptr ? nullptr : &bias_shape,
                                                          nullptr, groups_, window));
    SIGNET_ASSIGN_OR_RETURN(ConvSizes sizes, ConvSizesOf(x.shape(), w.shape(), groups_, window));
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, Shape(shape.dims())));
    Int8Zeros x_zeros;
    Int8Zeros w_zeros;
    SIGNET_RETURN_IF_ERROR(ZeroPoints(Given(context, 2), 1, "C4", x_zeros));
    SIGNET_RETURN_IF_ERROR(ZeroPoints(Given(context, 3), w.shape().dim(0), "C4", w_zeros));
    if (out->num_elements() == 0) return absl::OkStatus();
    Call call{.context = context,
              .sizes = sizes,
              .x = x.data().data(),
              .w = w,
              .x_zero = x_zeros.empty() ? 0 : x_zeros[0],
              .w_zeros = w_zeros,
              .bias = bias == nullptr ? nullptr : bias->elements<int32_t>().data(),
              .out = out->mutable_elements<int32_t>()};
    if (sizes.out <= kFewChannels || sizes.in * sizes.taps == 0) return AddRows(call);
    return MultiplyWindows(call);
  }

 private:
  struct Call {
    KernelContext& context;
    const ConvSizes& sizes;
    const std::byte* x;
    const Tensor& w;
    int32_t x_zero;
    const Int8Zeros& w_zeros;
    const int32_t* bias;
    int32_t* out;

    int32_t WeightZero(int64_t channel) const {
      if (w_zeros.empty()) return 0;
      return w_zeros[w_zeros.size() == 1 ? 0 : static_cast<size_t>(channel)];
    }
  };

  static const Tensor* Given(KernelContext& context, size_t i) {
    bool given = context.num_inputs() > i && context.input(i).has_value();
    return given ? &context.input(i) : nullptr;
  }

  static int64_t TapsOf(const Shape& w) {
    int64_t taps = 1;
    for (int axis = 2; axis < w.rank(); ++axis) taps *= w.dim(axis);
    return taps;
  }

  size_t PackedSize(int64_t k, int64_t n) const { return (gemm_.packed_size(k, n) + 63) / 64 * 64; }

  // `ordered` has the size of w: [out][taps][in].
  void Pack(const Tensor& w, const Int8Zeros& zeros, std::byte* ordered, std::byte* packed) const {
    int64_t out = w.shape().dim(0) / groups_;
    int64_t in = w.shape().dim(1);
    int64_t taps = TapsOf(w.shape());
    int64_t k = in * taps;
    for (int64_t channel = 0; channel < w.shape().dim(0); ++channel) {
      loops_.transpose(w.data().data() + channel * k, in, taps, ordered + channel * k);
    }
    for (int64_t group = 0; group < groups_; ++group) {
      const int32_t* zero = zeros.empty() ? nullptr : zeros.data();
      if (zeros.size() > 1) zero += group * out;
      gemm_.pack({.b = ordered + group * out * k,
                  .b_signed = w_signed_,
                  .a_signed = x_signed_,
                  .k = k,
                  .n = out,
                  .k_step = 1,
                  .n_step = k,
                  .zero = zero,
                  .zero_each = zeros.size() > 1},
                 packed + static_cast<size_t>(group) * PackedSize(k, out));
    }
  }

  Status MultiplyWindows(const Call& call) const {
    const ConvSizes& sizes = call.sizes;
    int64_t k = sizes.in * sizes.taps;
    size_t packed_size = PackedSize(k, sizes.out);
    const std::byte* packed = packed_.data();
    if (!is_packed_) {
      SIGNET_ASSIGN_OR_RETURN(std::byte * memory,
                              call.context.Scratch(packed_size * static_cast<size_t>(groups_)));
      SIGNET_ASSIGN_OR_RETURN(std::byte * ordered,
                              call.context.Scratch(static_cast<size_t>(call.w.num_elements())));
      Pack(call.w, call.w_zeros, ordered, memory);
      packed = memory;
    }
    int64_t plane = sizes.x_plane();
    int64_t positions = sizes.out_plane();
    int64_t images = sizes.batch * groups_;
    // The images with their channels last, copied if necessary.
    const std::byte* last = call.x;
    if (sizes.in > 1) {
      SIGNET_ASSIGN_OR_RETURN(size_t size, Bytes({images, plane, sizes.in}));
      SIGNET_ASSIGN_OR_RETURN(std::byte * memory, call.context.Scratch(size));
      double cost = 0.5 * static_cast<double>(plane * sizes.in);
      SIGNET_RETURN_IF_ERROR(call.context.For(images, cost, [&](int64_t begin, int64_t end) {
        for (int64_t image = begin; image < end; ++image) {
          int64_t at = image * plane * sizes.in;
          loops_.transpose(call.x + at, sizes.in, plane, memory + at);
        }
      }));
      last = memory;
    }
    bool in_place = sizes.taps == 1;
    for (const WindowAxis& axis : sizes.axes) {
      in_place = in_place && axis.stride == 1 && axis.before == 0 && axis.out == axis.size;
    }
    int64_t blocks = (positions + kBlock - 1) / kBlock;
    int64_t rows = std::min(kBlock, positions);
    SIGNET_ASSIGN_OR_RETURN(size_t windows_size, Bytes({in_place ? 0 : rows, k}));
    SIGNET_ASSIGN_OR_RETURN(size_t sums_size, Bytes({rows, sizes.out, sizeof(int32_t)}));
    size_t gemm_size = (gemm_.scratch_size(k) + 63) / 64 * 64;
    size_t own_size = windows_size + sums_size + gemm_size;
    int64_t tasks = images * blocks;
    int64_t pieces = std::min<int64_t>(tasks, call.context.parallel().num_threads());
    SIGNET_ASSIGN_OR_RETURN(size_t all, Bytes({static_cast<int64_t>(own_size), pieces}));
    SIGNET_ASSIGN_OR_RETURN(std::byte * scratch, call.context.Scratch(all));
    double cost = static_cast<double>(images * positions) * static_cast<double>(k) *
                  (0.2 + static_cast<double>(sizes.out) / gemm_.products);
    return call.context.For(
        pieces, cost / static_cast<double>(pieces), [&](int64_t begin, int64_t end) {
          StopPoll poll(call.context);
          const auto task_cost = 50 + rows * (sizes.out + k) / 4 +
                                 static_cast<int64_t>(cost / static_cast<double>(tasks));
          for (int64_t piece = begin; piece < end; ++piece) {
            std::byte* windows = scratch + static_cast<size_t>(piece) * own_size;
            auto* sums = reinterpret_cast<int32_t*>(windows + windows_size);
            std::byte* own = windows + windows_size + sums_size;
            for (int64_t task = tasks * piece / pieces; task < tasks * (piece + 1) / pieces;
                 ++task) {
              if (poll.Stops(task_cost)) return;
              int64_t image = task / blocks;
              int64_t group = image % groups_;
              int64_t first = task % blocks * kBlock;
              int64_t count = std::min(kBlock, positions - first);
              const std::byte* from = last + image * plane * sizes.in;
              const std::byte* a = from + first * k;
              if (!in_place) {
                CopyWindows(sizes, from, call.x_zero, first, count, windows);
                a = windows;
              }
              gemm_.run({.a = a,
                         .a_signed = x_signed_,
                         .m = count,
                         .n = sizes.out,
                         .k = k,
                         .a_stride = k,
                         .zero = call.x_zero == 0 ? nullptr : &call.x_zero,
                         .zero_each = false,
                         .packed = packed + static_cast<size_t>(group) * packed_size,
                         .c = sums,
                         .c_stride = sizes.out,
                         .first_column = 0,
                         .last_column = sizes.out},
                        own);
              const int32_t* bias = call.bias == nullptr ? nullptr : call.bias + group * sizes.out;
              loops_.scatter(sums, count, sizes.out, bias,
                             call.out + image * sizes.out * positions + first, positions);
            }
          }
        });
  }

  // Copies windows [first, first + count) of an image whose channels are last.
  static void CopyWindows(const ConvSizes& sizes, const std::byte* image, int32_t zero,
                          int64_t first, int64_t count, std::byte* out) {
    const auto& [depth, height, width] = sizes.axes;
    auto in = static_cast<size_t>(sizes.in);
    auto at = [](const WindowAxis& axis, int64_t position, int64_t tap) {
      return position * axis.stride - axis.before + tap * axis.dilation;
    };
    auto blank = [&](size_t bytes) {
      std::memset(out, zero, bytes);
      out += bytes;
    };
    for (int64_t i = first; i < first + count; ++i) {
      int64_t x = i % width.out;
      int64_t y = i / width.out % height.out;
      int64_t z = i / width.out / height.out;
      // The window is within the input for elements [low, high) of its last dimension.
      int64_t start = at(width, x, 0);
      int64_t low =
          std::clamp<int64_t>(start >= 0 ? 0 : (-start - 1) / width.dilation + 1, 0, width.kernel);
      int64_t high = std::clamp<int64_t>(
          start >= width.size ? 0 : (width.size - start - 1) / width.dilation + 1, low,
          width.kernel);
      for (int64_t kz = 0; kz < depth.kernel; ++kz) {
        int64_t from_z = at(depth, z, kz);
        for (int64_t ky = 0; ky < height.kernel; ++ky) {
          int64_t from_y = at(height, y, ky);
          bool there = from_z >= 0 && from_z < depth.size && from_y >= 0 && from_y < height.size;
          if (!there) {
            blank(static_cast<size_t>(width.kernel) * in);
            continue;
          }
          blank(static_cast<size_t>(low) * in);
          const std::byte* row =
              image + static_cast<size_t>((from_z * height.size + from_y) * width.size) * in;
          if (width.dilation == 1) {
            size_t bytes = static_cast<size_t>(high - low) * in;
            if (bytes > 0) std::memcpy(out, row + (start + low) * sizes.in, bytes);
            out += bytes;
          } else {
            for (int64_t kx = low; kx < high; ++kx) {
              std::memcpy(out, row + at(width, x, kx) * sizes.in, in);
              out += in;
            }
          }
          blank(static_cast<size_t>(width.kernel - high) * in);
        }
      }
    }
  }

  // Computes one plane of the result at a time.
  Status AddRows(const Call& call) const {
    const ConvSizes& sizes = call.sizes;
    int64_t channels = groups_ * sizes.out;
    int64_t positions = sizes.out_plane();
    double cost = static_cast<double>(positions) * static_cast<double>(sizes.in * sizes.taps) / 4;
    return call.context.For(sizes.batch * channels, cost + 20, [&](int64_t begin, int64_t end) {
      StopPoll poll(call.context);
      for (int64_t i = begin; i < end; ++i) {
        int64_t channel = i % channels;
        int32_t* out = call.out + i * positions;
        const int32_t bias = call.bias == nullptr ? 0 : call.bias[channel];
        if (poll.Stops(20)) return;
        ForSegments(poll, positions, 1, [&](int64_t first_position, int64_t end_position) {
          std::fill(out + first_position, out + end_position, bias);
        });
        int64_t first = (i / channels * groups_ + channel / sizes.out) * sizes.in;
        for (int64_t in = 0; in < sizes.in; ++in) {
          AddPlane(poll, call, channel, in, call.x + (first + in) * sizes.x_plane(), out);
        }
      }
    });
  }

  void AddPlane(StopPoll& poll, const Call& call, int64_t channel, int64_t in, const std::byte* x,
                int32_t* out) const {
    const ConvSizes& sizes = call.sizes;
    const auto& [depth, height, width] = sizes.axes;
    const std::byte* weights = call.w.data().data() + (channel * sizes.in + in) * sizes.taps;
    int32_t w_zero = call.WeightZero(channel);
    for (int64_t tap = 0; tap < sizes.taps; ++tap) {
      auto bits = static_cast<uint8_t>(weights[tap]);
      int32_t weight = (w_signed_ ? static_cast<int8_t>(bits) : int32_t{bits}) - w_zero;
      int64_t shift = tap % width.kernel * width.dilation - width.before;
      // Positions [low, high) of a row for which this element of the window is within the input.
      int64_t low = shift >= 0 ? 0 : (-shift - 1) / width.stride + 1;
      int64_t high = shift >= width.size
                         ? 0
                         : std::min((width.size - shift - 1) / width.stride + 1, width.out);
      if (low >= high) continue;
      for (int64_t z = 0; z < depth.out; ++z) {
        int64_t from_z =
            z * depth.stride - depth.before + tap / width.kernel / height.kernel * depth.dilation;
        if (from_z < 0 || from_z >= depth.size) continue;
        for (int64_t y = 0; y < height.out; ++y) {
          if (poll.Stops(2 + width.out / 4)) return;
          int64_t from_y = y * height.stride - height.before +
                           tap / width.kernel % height.kernel * height.dilation;
          if (from_y < 0 || from_y >= height.size) continue;
          const std::byte* row = x + (from_z * height.size + from_y) * width.size;
          loops_.add(row + low * width.stride + shift, x_signed_, width.stride, call.x_zero, weight,
                     out + (z * height.out + y) * width.out + low, high - low);
        }
      }
    }
  }

  const Int8Gemm& gemm_;
  const Int8ConvTable& loops_;
  const Window window_;
  const int64_t groups_;
  const bool x_signed_;
  const bool w_signed_;
  AlignedBytes packed_;
  bool is_packed_ = false;
};

StatusOr<std::unique_ptr<Kernel>> MakeConvInteger(const KernelRequest& request) {
  const OpCall& call = request.call;
  SIGNET_ASSIGN_OR_RETURN(int64_t groups, call.attributes.Int("groups"));
  SIGNET_ASSIGN_OR_RETURN(Window window, WindowOf(call, KernelOf(ShapeOf(call.inputs[1])), "C5"));
  auto kernel = std::make_unique<ConvIntegerKernel>(std::move(window), groups,
                                                    DTypeIn(call.inputs[0]) == DType::kInt8,
                                                    DTypeIn(call.inputs[1]) == DType::kInt8);
  bool zero_known = !HasInput(call, 3) || call.constant(3) != nullptr;
  if (call.constant(1) != nullptr && zero_known) {
    SIGNET_RETURN_IF_ERROR(kernel->PackConstant(*call.constant(1), call.constant(3)));
  }
  // Each element of the result is a sum over the weights of one output channel.
  const PartialShape& w = ShapeOf(call.inputs[1]);
  double sums = GuessElements(w.Slice(1, w.rank()));
  kernel->set_cost(200 + GuessElements(request.outputs[0]) * sums / ActiveInt8Gemm().products);
  return kernel;
}

constexpr KernelDef kConvIntegerKernels[] = {{"conv_integer", MakeConvInteger}};

}  // namespace

std::span<const KernelDef> ConvIntegerKernels() { return kConvIntegerKernels; }

}  // namespace signet
