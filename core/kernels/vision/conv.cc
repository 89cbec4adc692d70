// The kernel of `conv`: selects an algorithm. For float32, 3x3 windows over enough channels use
// Winograd's algorithm (conv_winograd.h), few windows use conv_windows.h, small planes use
// conv_direct.h, and other sizes use conv_floats.h. Half-width floats are widened first. Other
// dtypes use plain loops.

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/kernels/def/late_kernel.h"
#include "core/kernels/def/request.h"
#include "core/kernels/loops/half_floats.h"
#include "core/kernels/loops/pieces.h"
#include "core/kernels/vision/conv_direct.h"
#include "core/kernels/vision/conv_floats.h"
#include "core/kernels/vision/conv_layout.h"
#include "core/kernels/vision/conv_windows.h"
#include "core/kernels/vision/conv_winograd.h"
#include "core/kernels/vision/vision_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

// A plain loop for any dtype, one window after another. `Sum` is the type of the sums.
template <class Sum>
void PlainConv(const ConvSizes& sizes, const Sum* x, const Sum* w, const Sum* bias,
               const Sum* residual, int64_t first, int64_t last, Sum* out) {
  const auto& [depth, height, width] = sizes.axes;
  for (int64_t i = first; i < last; ++i) {
    int64_t position = i % sizes.out_plane();
    int64_t channel = i / sizes.out_plane() % (sizes.groups * sizes.out);
    int64_t image = i / sizes.out_plane() / (sizes.groups * sizes.out);
    int64_t ow = position % width.out;
    int64_t oh = position / width.out % height.out;
    int64_t od = position / width.out / height.out;
    const Sum* from = x + (image * sizes.groups + channel / sizes.out) * sizes.in * sizes.x_plane();
    const Sum* weights = w + channel * sizes.in * sizes.taps;
    Sum sum = bias == nullptr ? Sum(0) : bias[channel];
    for (int64_t c = 0; c < sizes.in; ++c, from += sizes.x_plane()) {
      for (int64_t kd = 0; kd < depth.kernel; ++kd) {
        int64_t d = od * depth.stride + kd * depth.dilation - depth.before;
        for (int64_t kh = 0; kh < height.kernel; ++kh) {
          int64_t h = oh * height.stride + kh * height.dilation - height.before;
          for (int64_t kw = 0; kw < width.kernel; ++kw, ++weights) {
            int64_t at = ow * width.stride + kw * width.dilation - width.before;
            bool inside =
                d >= 0 && d < depth.size && h >= 0 && h < height.size && at >= 0 && at < width.size;
            if (inside) sum += *weights * from[(d * height.size + h) * width.size + at];
          }
        }
      }
    }
    out[i] = residual == nullptr ? sum : sum + residual[i];
  }
}

double Activated(const Activation& activation, double x) {
  double alpha = static_cast<double>(activation.alpha);
  double beta = static_cast<double>(activation.beta);
  auto clipped = [](double y, double low, double high) {
    y = y < low ? low : y;
    return y > high ? high : y;
  };
  switch (activation.kind) {
    case ActivationKind::kNone:
      return x;
    case ActivationKind::kClip:
      return clipped(x, alpha, beta);
    case ActivationKind::kLeakyRelu:
      return x < 0 ? alpha * x : x;
    case ActivationKind::kHardSigmoid:
      return clipped(alpha * x + beta, 0, 1);
    case ActivationKind::kHardSwish:
      return x * clipped(alpha * x + beta, 0, 1);
    case ActivationKind::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case ActivationKind::kTanh:
      return std::tanh(x);
    case ActivationKind::kGelu:
      return x / 2 * (1 + std::erf(x * std::sqrt(0.5)));
    case ActivationKind::kSilu:
      return x / (1 + std::exp(-x));
  }
  __builtin_unreachable();
}

// Large buffers are in huge pages.
StatusOr<Buffer> FloatBuffer(int64_t floats) {
  return Buffer::Allocate(static_cast<size_t>(floats) * sizeof(float));
}

class ConvKernel final : public Kernel {
 public:
  ConvKernel(DType dtype, Window window, int64_t groups, Activation activation)
      : table_(SIGNET_ACTIVE_TABLE(ConvTable)),
        dtype_(dtype),
        window_(std::move(window)),
        groups_(groups),
        activation_(activation),
        floats_(table_, activation) {}

  // Packs constant weights. `image` is the shape of x as far as it is known.
  Status Pack(const Tensor& w, const PartialShape& image) {
    ConvSizes sizes = WeightSizes(w.shape());
    const float* weights = w.elements<float>().data();
    if (std::optional<ConvSizes> known = KnownSizes(image, w.shape())) {
      if (const WinogradForm* form = WinogradConv::BestForm(table_, *known)) {
        SIGNET_ASSIGN_OR_RETURN(Buffer packed,
                                FloatBuffer(WinogradConv::PackedSize(*form, table_, sizes)));
        winograd_.emplace(*form, table_, floats_.finish(), sizes, weights, std::move(packed));
        return absl::OkStatus();
      }
      if (WindowsConv::Suits(table_, *known)) {
        SIGNET_ASSIGN_OR_RETURN(WindowsConv made,
                                WindowsConv::Make(floats_.finish(), activation_, *known, weights));
        windows_.emplace(std::move(made));
        return absl::OkStatus();
      }
      if (DirectConv::Suits(*known)) {
        direct_.emplace(table_, floats_.finish(), activation_, *known, weights);
        return absl::OkStatus();
      }
    }
    SIGNET_ASSIGN_OR_RETURN(packed_, FloatBuffer(floats_.PackedSize(sizes)));
    floats_.Pack(sizes, weights, reinterpret_cast<float*>(packed_->mutable_data()));
    return absl::OkStatus();
  }

  Status Run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    const Tensor& w = context.input(1);
    auto given = [&](size_t i) {
      bool there = context.num_inputs() > i && context.input(i).has_value();
      return there ? &context.input(i) : nullptr;
    };
    const Tensor* bias = given(2);
    const Tensor* residual = given(3);
    if (x.rank() != window_.rank() + 2 || w.rank() != x.rank()) {
      return WithConstraint(
          "C1", InvalidArgument("inputs: expected rank ", window_.rank() + 2, ", found shapes `",
                                x.shape(), "` and `", w.shape(), "`"));
    }
    Window window = window_;
    window.kernel = KernelOf(w.shape());
    PartialShape bias_shape = bias != nullptr ? PartialShape(bias->shape()) : PartialShape();
    PartialShape rest_shape =
        residual != nullptr ? PartialShape(residual->shape()) : PartialShape();
    SIGNET_ASSIGN_OR_RETURN(
        PartialShape shape,
        ConvShape(x.shape(), w.shape(), bias != nullptr ? &bias_shape : nullptr,
                  residual != nullptr ? &rest_shape : nullptr, groups_, window));
    SIGNET_ASSIGN_OR_RETURN(ConvSizes sizes, ConvSizesOf(x.shape(), w.shape(), groups_, window));
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, shape.ToShape()));
    if (out->num_elements() == 0) return absl::OkStatus();
    switch (dtype_) {
      case DType::kFloat64:
        return RunPlain<double>(context, sizes, x, w, bias, residual, *out);
      case DType::kInt32:
        return RunPlain<uint32_t>(context, sizes, x, w, bias, residual, *out);
      case DType::kFloat32:
        return RunFloats(context, sizes, x.elements<float>().data(), w.elements<float>().data(),
                         bias != nullptr ? bias->elements<float>().data() : nullptr,
                         residual != nullptr ? residual->elements<float>().data() : nullptr,
                         out->mutable_elements<float>());
      default:
        break;
    }
    SIGNET_ASSIGN_OR_RETURN(const float* wide_x, Widened(context, x));
    SIGNET_ASSIGN_OR_RETURN(const float* wide_w, Widened(context, w));
    const float* wide_bias = nullptr;
    const float* wide_residual = nullptr;
    if (bias != nullptr) {
      SIGNET_ASSIGN_OR_RETURN(wide_bias, Widened(context, *bias));
    }
    if (residual != nullptr) {
      SIGNET_ASSIGN_OR_RETURN(wide_residual, Widened(context, *residual));
    }
    SIGNET_ASSIGN_OR_RETURN(float* wide_out, ScratchFloats(context, out->num_elements()));
    SIGNET_RETURN_IF_ERROR(
        RunFloats(context, sizes, wide_x, wide_w, wide_bias, wide_residual, wide_out));
    return Narrow(context, wide_out, *out);
  }

 private:
  // Returns nothing if the spatial sizes are not known.
  std::optional<ConvSizes> KnownSizes(const PartialShape& image, const Shape& w) const {
    Shape known;
    for (int axis = 0; axis < image.rank(); ++axis) {
      if (axis >= 2 && image.dim(axis) == kUnknownDim) return std::nullopt;
      known.push_back(image.dim(axis));
    }
    auto sizes = ConvSizesOf(known, w, groups_, window_);
    return sizes.ok() ? std::optional(*sizes) : std::nullopt;
  }

  ConvSizes WeightSizes(const Shape& w) const {
    ConvSizes sizes{.batch = 0,
                    .groups = groups_,
                    .in = w.dim(1),
                    .out = w.dim(0) / groups_,
                    .taps = 1,
                    .axes = {}};
    for (int64_t dim : w.dims().subspan(2)) sizes.taps *= dim;
    return sizes;
  }

  Status RunFloats(KernelContext& context, const ConvSizes& sizes, const float* x, const float* w,
                   const float* bias, const float* residual, float* out) const {
    if (winograd_) return winograd_->Run(context, sizes, x, bias, residual, out);
    if (windows_) return windows_->Run(context, sizes, x, bias, residual, out);
    if (direct_) return direct_->Run(context, sizes, x, bias, residual, out);
    const float* packed = packed_ ? reinterpret_cast<const float*>(packed_->data()) : nullptr;
    if (!packed_) {
      SIGNET_ASSIGN_OR_RETURN(float* own, ScratchFloats(context, floats_.PackedSize(sizes)));
      floats_.Pack(sizes, w, own);
      packed = own;
    }
    return floats_.Run(context, sizes, x, w, packed, bias, residual, out);
  }

  template <class T>
  Status RunPlain(KernelContext& context, const ConvSizes& sizes, const Tensor& x, const Tensor& w,
                  const Tensor* bias, const Tensor* residual, Tensor& out) const {
    auto elements = [](const Tensor* tensor) {
      return tensor == nullptr ? nullptr : reinterpret_cast<const T*>(tensor->data().data());
    };
    auto* to = reinterpret_cast<T*>(out.data().mutable_data());
    double cost = static_cast<double>(sizes.in * sizes.taps);
    return context.For(out.num_elements(), cost, [&](int64_t begin, int64_t end) {
      PlainConv<T>(sizes, elements(&x), elements(&w), elements(bias), elements(residual), begin,
                   end, to);
      if constexpr (std::is_floating_point_v<T>) {
        if (activation_.kind == ActivationKind::kNone) return;
        for (int64_t i = begin; i < end; ++i) to[i] = Activated(activation_, to[i]);
      }
    });
  }

  const ConvTable& table_;
  const DType dtype_;
  const Window window_;
  const int64_t groups_;
  const Activation activation_;
  const FloatConv floats_;
  std::optional<Buffer> packed_;
  std::optional<WinogradConv> winograd_;  // set instead of packed_
  std::optional<WindowsConv> windows_;    // set instead of packed_
  std::optional<DirectConv> direct_;      // set instead of packed_
};

StatusOr<std::unique_ptr<Kernel>> MakeConv(const KernelRequest& request) {
  const OpCall& call = request.call;
  DType dtype = DTypeIn(call.inputs[0]);
  const PartialShape& w = ShapeOf(call.inputs[1]);
  SIGNET_ASSIGN_OR_RETURN(Window window, WindowOf(call, KernelOf(w), "C5"));
  SIGNET_ASSIGN_OR_RETURN(int64_t groups, call.attributes.Int("groups"));
  SIGNET_ASSIGN_OR_RETURN(Activation activation, ActivationOf(call));
  auto kernel = std::make_unique<ConvKernel>(dtype, std::move(window), groups, activation);
  if (const Tensor* weights = call.constant(1); weights != nullptr && dtype == DType::kFloat32) {
    SIGNET_RETURN_IF_ERROR(kernel->Pack(*weights, ShapeOf(call.inputs[0])));
  }
  double outputs = GuessElements(request.outputs[0]);
  double channels =
      w.dim(0) == kUnknownDim ? 64 : static_cast<double>(std::max<int64_t>(1, w.dim(0)));
  bool fast = dtype != DType::kFloat64 && dtype != DType::kInt32;
  kernel->set_cost(500 +
                   2 * outputs * GuessElements(w) / channels / (fast ? kFlopsPerNanosecond : 1));
  return kernel;
}

constexpr KernelDef kConvKernels[] = {{"conv", OrLate<MakeConv>}};

}  // namespace

std::span<const KernelDef> ConvKernels() { return kConvKernels; }

}  // namespace signet
