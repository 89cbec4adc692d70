// The kernel of `conv_transpose`: multiplies each element of the input by the weights, and adds the
// products to a window of the result.
//
// For float32, multiplies the weights of each output channel by the input. The rows of the product
// are elements of the window, and its columns are positions. Then adds the products to the windows.

#include <algorithm>

#include "core/kernels/def/late_kernel.h"
#include "core/kernels/def/request.h"
#include "core/kernels/loops/half_floats.h"
#include "core/kernels/vision/conv_layout.h"
#include "core/kernels/vision/vision_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

// The sizes of a transposed convolution. In `axes`, `size` is the size of the result, and `out` is
// the size of the input.
struct TransposedSizes {
  int64_t batch;
  int64_t groups;
  int64_t in;   // channels per group
  int64_t out;  // output channels per group
  int64_t taps;
  SpatialAxes axes;

  int64_t x_plane() const { return PlaneOf(axes, &WindowAxis::out); }
  int64_t out_plane() const { return PlaneOf(axes, &WindowAxis::size); }
};

// Sets `count` elements to `value`, unless the call must end.
template <class T>
void FillLong(StopPoll& poll, T* to, int64_t count, T value) {
  ForSegments(poll, count, 1,
              [&](int64_t begin, int64_t end) { std::fill(to + begin, to + end, value); });
}

// Adds products[tap][position] to the plane `out`. `stride` is the distance between two taps.
template <class T>
void AddWindows(StopPoll& poll, const TransposedSizes& sizes, const T* products, int64_t stride,
                T* out) {
  const auto& [depth, height, width] = sizes.axes;
  for (int64_t tap = 0; tap < sizes.taps; ++tap, products += stride) {
    int64_t kw = tap % width.kernel * width.dilation - width.before;
    int64_t kh = tap / width.kernel % height.kernel * height.dilation - height.before;
    int64_t kd = tap / width.kernel / height.kernel * depth.dilation - depth.before;
    int64_t first = kw >= 0 ? 0 : std::min(width.out, (-kw + width.stride - 1) / width.stride);
    int64_t last =
        kw >= width.size ? 0 : std::min(width.out, (width.size - 1 - kw) / width.stride + 1);
    for (int64_t row = 0; row < depth.out * height.out; ++row) {
      if (poll.Stops(2 + width.out)) return;
      int64_t d = row / height.out * depth.stride + kd;
      int64_t h = row % height.out * height.stride + kh;
      if (d < 0 || d >= depth.size || h < 0 || h >= height.size) continue;
      T* to = out + (d * height.size + h) * width.size + kw;
      const T* from = products + row * width.out;
      for (int64_t i = first; i < last; ++i) to[i * width.stride] += from[i];
    }
  }
}

class ConvTransposeKernel final : public Kernel {
 public:
  ConvTransposeKernel(DType dtype, TransposedWindow window, int64_t groups)
      : table_(SIGNET_ACTIVE_TABLE(ConvTable)),
        dtype_(dtype),
        window_(std::move(window)),
        groups_(groups) {}

  // Packs constant weights.
  void Pack(const Tensor& w) {
    packed_.resize(static_cast<size_t>(PackedSize(w.shape())));
    PackAll(w.shape(), w.elements<float>().data(), packed_.data(), nullptr);
  }

  Status Run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    const Tensor& w = context.input(1);
    bool biased = context.num_inputs() > 2 && context.input(2).has_value();
    if (x.rank() != window_.window.rank() + 2 || w.rank() != x.rank()) {
      return WithConstraint(
          "C1", InvalidArgument("inputs: expected rank ", window_.window.rank() + 2,
                                ", found shapes `", x.shape(), "` and `", w.shape(), "`"));
    }
    TransposedWindow window = window_;
    window.window.kernel = KernelOf(w.shape());
    PartialShape bias_shape = biased ? PartialShape(context.input(2).shape()) : PartialShape();
    SIGNET_ASSIGN_OR_RETURN(
        PartialShape shape,
        ConvTransposeShape(x.shape(), w.shape(), biased ? &bias_shape : nullptr, groups_, window));
    TransposedSizes sizes{.batch = x.shape().dim(0),
                          .groups = groups_,
                          .in = w.shape().dim(0) / groups_,
                          .out = w.shape().dim(1),
                          .taps = 1,
                          .axes = {}};
    for (int axis = 0; axis + 2 < x.rank(); ++axis) {
      auto slot = static_cast<size_t>(kMaxSpatialRank + 2 - x.rank() + axis);
      SIGNET_ASSIGN_OR_RETURN(sizes.axes[slot], window.Along(axis, x.shape().dim(axis + 2)));
      sizes.taps *= w.shape().dim(axis + 2);
    }
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, shape.ToShape()));
    if (out->num_elements() == 0) return absl::OkStatus();
    const Tensor* bias = biased ? &context.input(2) : nullptr;
    switch (dtype_) {
      case DType::kFloat64:
        return RunPlain<double>(context, sizes, x, w, bias, *out);
      case DType::kInt32:
        return RunPlain<uint32_t>(context, sizes, x, w, bias, *out);
      case DType::kFloat32:
        return RunFloats(
            context, sizes, w.shape(), x.elements<float>().data(), w.elements<float>().data(),
            biased ? bias->elements<float>().data() : nullptr, out->mutable_elements<float>());
      default:
        break;
    }
    SIGNET_ASSIGN_OR_RETURN(const float* wide_x, Widened(context, x));
    SIGNET_ASSIGN_OR_RETURN(const float* wide_w, Widened(context, w));
    const float* wide_bias = nullptr;
    if (biased) {
      SIGNET_ASSIGN_OR_RETURN(wide_bias, Widened(context, *bias));
    }
    SIGNET_ASSIGN_OR_RETURN(float* wide_out, ScratchFloats(context, out->num_elements()));
    SIGNET_RETURN_IF_ERROR(
        RunFloats(context, sizes, w.shape(), wide_x, wide_w, wide_bias, wide_out));
    return Narrow(context, wide_out, *out);
  }

 private:
  static int64_t TapsOf(const Shape& w) {
    int64_t taps = 1;
    for (int64_t dim : w.dims().subspan(2)) taps *= dim;
    return taps;
  }
  // Returns the number of packed floats of one output channel.
  int64_t ChannelSize(int64_t taps, int64_t in) const {
    return (taps + table_.rows - 1) / table_.rows * table_.rows * in;
  }
  int64_t PackedSize(const Shape& w) const {
    return groups_ * w.dim(1) * ChannelSize(TapsOf(w), w.dim(0) / groups_);
  }
  // [in, out / groups, taps]  =>  panels of [in][rows of taps] for each output channel.
  // Returns false if the call must end. Without a poll, it never returns false.
  bool PackAll(const Shape& w, const float* weights, float* packed, StopPoll* poll) const {
    int64_t taps = TapsOf(w);
    int64_t in = w.dim(0) / groups_;
    int64_t out = w.dim(1);
    for (int64_t channel = 0; channel < groups_ * out; ++channel) {
      const float* from = weights + (channel / out * in * out + channel % out) * taps;
      for (int64_t first = 0; first < taps; first += table_.rows) {
        if (poll != nullptr && poll->Stops(20 + 2 * in * table_.rows)) return false;
        for (int64_t l = 0; l < in; ++l) {
          for (int64_t tap = first; tap < first + table_.rows; ++tap) {
            *packed++ = tap < taps ? from[l * out * taps + tap] : 0.0F;
          }
        }
      }
    }
    return true;
  }

  Status RunFloats(KernelContext& context, const TransposedSizes& sizes, const Shape& w_shape,
                   const float* x, const float* w, const float* bias, float* out) const {
    StopPoll own_poll(context);
    const float* packed = packed_.data();
    if (packed_.empty()) {
      SIGNET_ASSIGN_OR_RETURN(float* own, ScratchFloats(context, PackedSize(w_shape)));
      if (!PackAll(w_shape, w, own, &own_poll)) return context.CheckStop();
      packed = own;
    }
    // Tiles of columns, each of shape [in][columns of a tile].
    int64_t plane = sizes.x_plane();
    int64_t num_tiles = (plane + table_.columns - 1) / table_.columns;
    int64_t tile_floats = sizes.in * table_.columns;
    int64_t group_floats = num_tiles * tile_floats;
    SIGNET_ASSIGN_OR_RETURN(float* windows,
                            ScratchFloats(context, sizes.groups * group_floats + table_.lanes));
    SIGNET_ASSIGN_OR_RETURN(std::byte * offset_bytes,
                            context.Scratch(static_cast<size_t>(2 * sizes.in) * sizeof(int64_t)));
    auto* offsets = reinterpret_cast<int64_t*>(offset_bytes);
    int64_t* packed_offsets = offsets + sizes.in;
    for (int64_t l = 0; l < sizes.in; ++l) {
      offsets[l] = l * plane;
      packed_offsets[l] = l * table_.columns;
    }
    int64_t panels = (sizes.taps + table_.rows - 1) / table_.rows;
    int64_t channel_size = ChannelSize(sizes.taps, sizes.in);
    double cost = 2.0 * static_cast<double>(panels * table_.rows * sizes.in) *
                      static_cast<double>(plane) / kFlopsPerNanosecond +
                  static_cast<double>(sizes.taps * plane);
    for (int64_t image = 0; image < sizes.batch; ++image) {
      const float* from = x + image * sizes.groups * sizes.in * sizes.x_plane();
      for (int64_t g = 0; g < sizes.groups; ++g) {
        for (int64_t tile = 0; tile < num_tiles; ++tile) {
          SIGNET_RETURN_IF_ERROR(own_poll.Spend(20 + tile_floats / 4));
          int64_t column = tile * table_.columns;
          ColumnRun run{column, std::min(table_.columns, plane - column)};
          table_.pack_columns(from + g * sizes.in * plane, offsets, sizes.in, &run, 1,
                              table_.columns, windows + g * group_floats + tile * tile_floats);
        }
      }
      SIGNET_RETURN_IF_ERROR(ForPieces(
          context, sizes.groups * sizes.out, cost, sizes.taps * plane,
          [&](int64_t channel, float* products, StopPoll& poll) {
            ConvProduct product{};
            product.a = packed + channel * channel_size;
            product.offsets = packed_offsets;
            product.k = sizes.in;
            product.rows = sizes.taps;
            product.c_stride = plane;
            for (int64_t tile = 0; tile < num_tiles; ++tile) {
              int64_t column = tile * table_.columns;
              const int64_t written = product.rows * table_.columns / 4;
              if (poll.Stops(50 + written + 2 * product.rows * product.k * table_.columns / 80)) {
                return;
              }
              product.b = windows + channel / sizes.out * group_floats + tile * tile_floats;
              product.columns = std::min(table_.columns, plane - column);
              product.c = products + column;
              table_.multiply(product);
            }
            float* to = out + (image * sizes.groups * sizes.out + channel) * sizes.out_plane();
            FillLong(poll, to, sizes.out_plane(), bias == nullptr ? 0.0F : bias[channel]);
            AddWindows(poll, sizes, products, plane, to);
          }));
    }
    return absl::OkStatus();
  }

  template <class T>
  Status RunPlain(KernelContext& context, const TransposedSizes& sizes, const Tensor& x,
                  const Tensor& w, const Tensor* bias, Tensor& out) const {
    const auto* from = reinterpret_cast<const T*>(x.data().data());
    const auto* weights = reinterpret_cast<const T*>(w.data().data());
    const auto* biases =
        bias == nullptr ? nullptr : reinterpret_cast<const T*>(bias->data().data());
    auto* to = reinterpret_cast<T*>(out.data().mutable_data());
    int64_t plane = sizes.x_plane();
    int64_t channels = sizes.groups * sizes.out;
    int64_t floats = sizes.taps * plane * static_cast<int64_t>(sizeof(T) / sizeof(float));
    double cost = static_cast<double>(sizes.in * sizes.taps * plane);
    return ForPieces(
        context, sizes.batch * channels, cost, floats,
        [&](int64_t task, float* room, StopPoll& poll) {
          auto* products = reinterpret_cast<T*>(room);
          int64_t group = task % channels / sizes.out;
          const T* own = from + (task / channels * sizes.groups + group) * sizes.in * plane;
          FillLong(poll, products, sizes.taps * plane, T(0));
          for (int64_t l = 0; l < sizes.in; ++l) {
            const T* w_row =
                weights + ((group * sizes.in + l) * sizes.out + task % sizes.out) * sizes.taps;
            for (int64_t tap = 0; tap < sizes.taps; ++tap) {
              if (poll.Stops(plane)) return;
              for (int64_t i = 0; i < plane; ++i) {
                products[tap * plane + i] += w_row[tap] * own[l * plane + i];
              }
            }
          }
          T* result = to + task * sizes.out_plane();
          FillLong(poll, result, sizes.out_plane(),
                   biases == nullptr ? T(0) : biases[task % channels]);
          AddWindows(poll, sizes, products, plane, result);
        });
  }

  const ConvTable& table_;
  const DType dtype_;
  const TransposedWindow window_;
  const int64_t groups_;
  std::vector<float> packed_;
};

StatusOr<std::unique_ptr<Kernel>> MakeConvTranspose(const KernelRequest& request) {
  const OpCall& call = request.call;
  DType dtype = DTypeIn(call.inputs[0]);
  const PartialShape& w = ShapeOf(call.inputs[1]);
  SIGNET_ASSIGN_OR_RETURN(auto window, TransposedWindowOf(call, KernelOf(w)));
  SIGNET_ASSIGN_OR_RETURN(int64_t groups, call.attributes.Int("groups"));
  auto kernel = std::make_unique<ConvTransposeKernel>(dtype, std::move(window), groups);
  if (const Tensor* weights = call.constant(1); weights != nullptr && dtype == DType::kFloat32) {
    kernel->Pack(*weights);
  }
  double channels =
      w.dim(0) == kUnknownDim ? 64 : static_cast<double>(std::max<int64_t>(1, w.dim(0)));
  double products = GuessElements(call.inputs[0]) * GuessElements(w) / channels;
  kernel->set_cost(500 + products / (dtype == DType::kFloat32 ? 20 : 1));
  return kernel;
}

constexpr KernelDef kConvTransposeKernels[] = {{"conv_transpose", OrLate<MakeConvTranspose>}};

}  // namespace

std::span<const KernelDef> ConvTransposeKernels() { return kConvTransposeKernels; }

}  // namespace signet
