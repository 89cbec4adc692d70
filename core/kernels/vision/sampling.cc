// The kernels of `affine_grid`, `deform_conv`, and `grid_sample`: sample images at points between
// their elements.

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "core/kernels/def/late_kernel.h"
#include "core/kernels/def/request.h"
#include "core/kernels/def/stop_poll.h"
#include "core/kernels/vision/conv_layout.h"
#include "core/kernels/vision/vision_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

enum class Padding : uint8_t { kZeros, kBorder, kReflection };

// --- grid_sample --------------------------------------------------------------------------------

template <class T>
T Reflected(T x, T low, T high) {
  T range = high - low;
  if (range <= 0) return low;
  bool below = x < low;
  if (!below && x <= high) return x;
  T beyond = below ? low - x : x - high;
  T turns = std::floor(beyond / range);
  T rest = beyond - turns * range;
  bool even = std::fmod(turns, T(2)) == 0;
  return below == even ? low + rest : high - rest;
}

// Finds the elements that points of a grid sample. A sample consists of one element (nearest), two
// elements (linear), or four elements (cubic) along each dimension, each with a weight.
template <class T, int kTaps, int kRank>
class Sampler {
 public:
  static constexpr int kElements = kRank == 3 ? kTaps * kTaps * kTaps : kTaps * kTaps;

  // The elements and weights of one sample.
  struct Sample {
    int64_t at[kElements];  // below 0: outside of the image, where the value is 0
    T weights[kRank][kTaps];
  };

  Sampler(Padding padding, bool align_corners, std::span<const int64_t> sizes)
      : padding_(padding), align_(align_corners) {
    for (size_t i = 0; i < kRank; ++i) {
      sizes_[i] = sizes[i];
      low_[i] = align_corners ? T(0) : T(-0.5);
      high_[i] = static_cast<T>(sizes[i]) - (align_corners ? T(1) : T(0.5));
    }
  }

  // Computes the sample of `point`, whose coordinates are in [-1, 1]. The coordinate of the last
  // dimension is first.
  void Find(const T* point, Sample& out) const {
    out.at[0] = 0;
    int count = 1;
    for (size_t i = 0; i < kRank; ++i) {
      const T at = CoordinateOf(point[kRank - 1 - i], i);
      const T base = kTaps == 1 ? at : std::floor(at) - T(kTaps / 2 - 1);
      int64_t taken[kTaps];
      for (int tap = 0; tap < kTaps; ++tap) taken[tap] = IndexOf(base + static_cast<T>(tap), i);
      SetWeights(at - std::floor(at), out.weights[i]);
      // Runs backward, because each written element was read before.
      for (int k = count * kTaps; k-- > 0;) {
        const int64_t outer = out.at[k / kTaps];
        const int64_t index = taken[k % kTaps];
        out.at[k] = outer < 0 || index < 0 ? -1 : outer * sizes_[i] + index;
      }
      count *= kTaps;
    }
  }

  // Returns the weighted sum, along the last dimension first.
  static T Sum(const T* image, const Sample& sample) {
    T values[kElements];
    for (int k = 0; k < kElements; ++k) {
      values[k] = sample.at[k] < 0 ? T(0) : image[sample.at[k]];
    }
    if constexpr (kTaps > 1) {
      int count = kElements;
      for (size_t i = kRank; i-- > 0;) {
        count /= kTaps;
        for (int k = 0; k < count; ++k) {
          T sum = sample.weights[i][0] * values[k * kTaps];
          for (int tap = 1; tap < kTaps; ++tap) {
            sum += sample.weights[i][tap] * values[k * kTaps + tap];
          }
          values[k] = sum;
        }
      }
    }
    return values[0];
  }

 private:
  // Returns the coordinate in elements of dimension `i`.
  T CoordinateOf(T at, size_t i) const {
    auto size = static_cast<T>(sizes_[i]);
    at = align_ ? (at + 1) / 2 * (size - 1) : ((at + 1) * size - 1) / 2;
    // Clips the coordinate to a number outside of any image. NaN is outside, too.
    if (!(std::abs(at) < T(1 << 30))) at = at > 0 ? T(1 << 30) : T(-(1 << 30));
    if (kTaps == 1) at = std::nearbyint(at);
    // Bicubic interpolation reads four elements in each dimension. The weights follow from the
    // original coordinate, and IndexOf moves each of the four indices into the image.
    if (kTaps < 4 && (at < low_[i] || at > high_[i])) {
      if (padding_ == Padding::kBorder) at = std::clamp(at, T(0), size - 1);
      if (padding_ == Padding::kReflection) at = Reflected(at, low_[i], high_[i]);
    }
    return at;
  }

  // Returns -1 for an element outside of the image if the padding is zeros.
  int64_t IndexOf(T at, size_t i) const {
    auto last = static_cast<T>(sizes_[i] - 1);
    if (padding_ == Padding::kZeros && !(at >= 0 && at <= last)) return -1;
    if (padding_ == Padding::kReflection) at = Reflected(at, low_[i], high_[i]);
    return static_cast<int64_t>(std::clamp(at, T(0), last));
  }

  // Computes the weights of a point at distance `t` after an element, which is the second element
  // of four.
  static void SetWeights(T t, T* weights) {
    if constexpr (kTaps == 2) {
      weights[0] = 1 - t;
      weights[1] = t;
    } else if constexpr (kTaps == 4) {
      constexpr T a = T(-0.75);
      auto near = [](T d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
      auto far = [](T d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
      weights[0] = far(t + 1);
      weights[1] = near(t);
      weights[2] = near(1 - t);
      weights[3] = far(2 - t);
    }
  }

  const Padding padding_;
  const bool align_;
  std::array<int64_t, kRank> sizes_ = {};
  std::array<T, kRank> low_ = {};
  std::array<T, kRank> high_ = {};
};

// Finds the samples of a piece of the points, once for all channels.
template <class T, int kTaps, int kRank>
Status SampleImages(KernelContext& context, Padding padding, bool align, const Tensor& x,
                    const Tensor& grid, Tensor& out) {
  using Its = Sampler<T, kTaps, kRank>;
  constexpr int64_t kPiece = 64;
  const Its sampler(padding, align, x.shape().dims().subspan(2));
  const int64_t batch = x.shape().dim(0);
  const int64_t channels = x.shape().dim(1);
  const int64_t image = x.num_elements() / (batch * channels);
  const int64_t points = out.num_elements() / (batch * channels);
  const int64_t pieces = (points + kPiece - 1) / kPiece;
  const T* from = x.elements<T>().data();
  const T* at = grid.elements<T>().data();
  T* to = out.mutable_elements<T>();
  double cost = static_cast<double>(kPiece * (20 + channels * Its::kElements));
  return context.For(batch * pieces, cost, [&](int64_t begin, int64_t end) {
    typename Its::Sample samples[kPiece];
    for (int64_t piece = begin; piece < end; ++piece) {
      const int64_t first = piece % pieces * kPiece;
      const int64_t count = std::min(kPiece, points - first);
      const T* own = at + (piece / pieces * points + first) * kRank;
      for (int64_t i = 0; i < count; ++i) sampler.Find(own + i * kRank, samples[i]);
      for (int64_t c = 0; c < channels; ++c) {
        const int64_t plane = piece / pieces * channels + c;
        T* sums = to + plane * points + first;
        for (int64_t i = 0; i < count; ++i) sums[i] = Its::Sum(from + plane * image, samples[i]);
      }
    }
  });
}

MadeKernel MakeGridSample(const KernelRequest& request) {
  const Attributes& attributes = request.call.attributes;
  SIGNET_ASSIGN_OR_RETURN(std::string mode_name, attributes.String("mode"));
  SIGNET_ASSIGN_OR_RETURN(std::string padding_name, attributes.String("padding"));
  SIGNET_ASSIGN_OR_RETURN(bool align, attributes.Bool("align_corners"));
  Padding padding = padding_name == "zeros"    ? Padding::kZeros
                    : padding_name == "border" ? Padding::kBorder
                                               : Padding::kReflection;
  DType dtype = DTypeIn(request.call.inputs[0]);
  auto kernel = MakeKernel([=](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    const Tensor& grid = context.input(1);
    int spatial = x.rank() - 2;
    Shape shape = x.shape();
    bool fits = grid.rank() == x.rank() && grid.shape().dim(0) == x.shape().dim(0) &&
                grid.shape().dim(x.rank() - 1) == spatial;
    if (!fits) {
      return WithConstraint(
          "C2", InvalidArgument("grid: expected a point of ", spatial,
                                " coordinates per output pixel for images of shape `", x.shape(),
                                "`, found shape `", grid.shape(), "`"));
    }
    for (int i = 0; i < spatial; ++i) shape.set_dim(i + 2, grid.shape().dim(i + 1));
    SIGNET_RETURN_IF_ERROR(WithConstraint("C4", CheckOutputSize(shape.dims())));
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    if (x.num_elements() == 0) {
      return WithConstraint(
          "C2",
          InvalidArgument("images: expected at least one element, found shape `", x.shape(), "`"));
    }
    return VisitFloatOrDouble(dtype, [&]<class T>(T) -> Status {
      auto run = [&]<int kTaps>(std::integral_constant<int, kTaps>) -> Status {
        auto sample = spatial == 3 ? SampleImages<T, kTaps, 3> : SampleImages<T, kTaps, 2>;
        return sample(context, padding, align, x, grid, *out);
      };
      if (mode_name == "nearest") return run(std::integral_constant<int, 1>());
      if (mode_name == "linear") return run(std::integral_constant<int, 2>());
      return run(std::integral_constant<int, 4>());
    });
  });
  kernel->set_cost(200 + 5 * GuessElements(request.outputs[0]));
  return kernel;
}

// --- affine_grid --------------------------------------------------------------------------------

MadeKernel MakeAffineGrid(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(bool align, request.call.attributes.Bool("align_corners"));
  return MakeKernel([align](KernelContext& context) -> Status {
    const Tensor& theta = context.input(0);
    auto sizes = context.input(1).elements<int64_t>();
    size_t spatial = sizes.size() < 2 ? 0 : sizes.size() - 2;
    auto rows = static_cast<int64_t>(spatial);
    bool fits = (spatial == 2 || spatial == 3) && theta.shape() == Shape{sizes[0], rows, rows + 1};
    if (!fits) {
      return WithConstraint(
          "C2", InvalidArgument("expected 4 or 5 sizes and one affine map per image, found ",
                                sizes.size(), " sizes and maps of shape `", theta.shape(), "`"));
    }
    Shape shape = {sizes[0]};
    for (int64_t size : sizes.subspan(2)) shape.push_back(size);
    shape.push_back(rows);
    SIGNET_RETURN_IF_ERROR(WithConstraint("C2", CheckOutputSize(shape.dims())));
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, shape));
    return VisitFloatOrDouble(theta.dtype(), [&]<class T>(T) -> Status {
      T* to = out->mutable_elements<T>();
      int64_t points = 1;
      for (int64_t size : sizes.subspan(2)) points *= size;
      auto coordinate = [&](int64_t i, int64_t size) {
        if (!align) return (2 * static_cast<T>(i) + 1) / static_cast<T>(size) - 1;
        return size == 1 ? T(0) : 2 * static_cast<T>(i) / static_cast<T>(size - 1) - 1;
      };
      StopPoll poll(context);
      for (int64_t image = 0; image < sizes[0]; ++image) {
        const T* map = theta.elements<T>().data() + image * rows * (rows + 1);
        for (int64_t point = 0; point < points; ++point) {
          SIGNET_RETURN_IF_ERROR(poll.Spend(20));
          T at[3];  // the coordinate of the last dimension is first
          int64_t rest = point;
          for (size_t i = 0; i < spatial; ++i) {
            int64_t size = sizes[sizes.size() - 1 - i];
            at[i] = coordinate(rest % size, size);
            rest /= size;
          }
          for (int64_t row = 0; row < rows; ++row) {
            const T* factors = map + row * (rows + 1);
            T sum = factors[rows];
            for (size_t i = 0; i < spatial; ++i) sum += factors[i] * at[i];
            *to++ = sum;
          }
        }
      }
      return absl::OkStatus();
    });
  });
}

// --- deform_conv --------------------------------------------------------------------------------

// Interpolates between the elements around (y, x). Elements outside of the image are 0.
template <class T>
T Between(const T* image, int64_t height, int64_t width, T y, T x) {
  bool inside = y > -1 && y < static_cast<T>(height) && x > -1 && x < static_cast<T>(width);
  if (!inside) return 0;
  auto top = static_cast<int64_t>(std::floor(y));
  auto left = static_cast<int64_t>(std::floor(x));
  T down = y - static_cast<T>(top);
  T along = x - static_cast<T>(left);
  auto at = [&](int64_t i, int64_t j) {
    return i >= 0 && i < height && j >= 0 && j < width ? image[i * width + j] : T(0);
  };
  return (1 - down) * ((1 - along) * at(top, left) + along * at(top, left + 1)) +
         down * ((1 - along) * at(top + 1, left) + along * at(top + 1, left + 1));
}

struct DeformInputs {
  const Tensor& x;
  const Tensor& w;
  const Tensor& offset;
  const Tensor* bias;
  const Tensor* mask;
};

template <class T>
Status DeformConvOf(KernelContext& context, const ConvSizes& sizes, int64_t offset_groups,
                    const DeformInputs& inputs, T* out) {
  const WindowAxis& height = sizes.axes[1];
  const WindowAxis& width = sizes.axes[2];
  int64_t channels = sizes.groups * sizes.in;
  int64_t plane = sizes.out_plane();
  const T* offsets = inputs.offset.elements<T>().data();
  const T* masks = inputs.mask == nullptr ? nullptr : inputs.mask->elements<T>().data();
  auto cost = static_cast<double>(sizes.taps * sizes.in) *
              static_cast<double>(20 * sizes.groups + sizes.groups * sizes.out);
  return context.For(sizes.batch * plane, cost, [&](int64_t begin, int64_t end) {
    // The samples of the window at one position, of all channels.
    std::vector<T> values(static_cast<size_t>(channels * sizes.taps));
    for (int64_t i = begin; i < end; ++i) {
      int64_t image = i / plane;
      int64_t position = i % plane;
      for (int64_t k = 0; k < channels * sizes.taps; ++k) {
        int64_t channel = k / sizes.taps;
        int64_t tap = k % sizes.taps;
        int64_t group = channel * offset_groups / channels;
        int64_t slot = (image * offset_groups + group) * sizes.taps + tap;
        T y = static_cast<T>(position / width.out * height.stride - height.before +
                             tap / width.kernel * height.dilation) +
              offsets[2 * slot * plane + position];
        T x = static_cast<T>(position % width.out * width.stride - width.before +
                             tap % width.kernel * width.dilation) +
              offsets[(2 * slot + 1) * plane + position];
        const T* from =
            inputs.x.elements<T>().data() + (image * channels + channel) * sizes.x_plane();
        T value = Between(from, height.size, width.size, y, x);
        values[static_cast<size_t>(k)] =
            masks == nullptr ? value : value * masks[slot * plane + position];
      }
      int64_t own = sizes.in * sizes.taps;
      for (int64_t c = 0; c < sizes.groups * sizes.out; ++c) {
        const T* weights = inputs.w.elements<T>().data() + c * own;
        const T* taken = values.data() + c / sizes.out * own;
        T sum = inputs.bias == nullptr ? T(0) : inputs.bias->elements<T>()[static_cast<size_t>(c)];
        for (int64_t k = 0; k < own; ++k) sum += weights[k] * taken[k];
        out[(image * sizes.groups * sizes.out + c) * plane + position] = sum;
      }
    }
  });
}

MadeKernel MakeDeformConv(const KernelRequest& request) {
  const OpCall& call = request.call;
  SIGNET_ASSIGN_OR_RETURN(Window window, WindowOf(call, KernelOf(ShapeOf(call.inputs[1])), "C5"));
  SIGNET_ASSIGN_OR_RETURN(int64_t groups, call.attributes.Int("groups"));
  SIGNET_ASSIGN_OR_RETURN(int64_t offset_groups, call.attributes.Int("offset_groups"));
  DType dtype = DTypeIn(call.inputs[0]);
  auto kernel = MakeKernel([=](KernelContext& context) -> Status {
    auto given = [&](size_t i) {
      bool there = context.num_inputs() > i && context.input(i).has_value();
      return there ? &context.input(i) : nullptr;
    };
    DeformInputs inputs{context.input(0), context.input(1), context.input(2), given(3), given(4)};
    Window own = window;
    own.kernel = KernelOf(inputs.w.shape());
    PartialShape bias = inputs.bias == nullptr ? PartialShape() : inputs.bias->shape();
    SIGNET_ASSIGN_OR_RETURN(PartialShape shape, ConvShape(inputs.x.shape(), inputs.w.shape(),
                                                          inputs.bias == nullptr ? nullptr : &bias,
                                                          nullptr, groups, own));
    SIGNET_ASSIGN_OR_RETURN(ConvSizes sizes,
                            ConvSizesOf(inputs.x.shape(), inputs.w.shape(), groups, own));
    // C6: there are two offsets and one mask element per element of each window.
    auto check = [&](const Tensor* tensor, int64_t each) -> Status {
      Shape wanted = {sizes.batch, each * offset_groups * sizes.taps, sizes.axes[1].out,
                      sizes.axes[2].out};
      if (tensor == nullptr || tensor->shape() == wanted) return absl::OkStatus();
      return WithConstraint("C6", InvalidArgument("offsets or mask: expected shape `", wanted,
                                                  "`, found `", tensor->shape(), "`"));
    };
    SIGNET_RETURN_IF_ERROR(check(&inputs.offset, 2));
    SIGNET_RETURN_IF_ERROR(check(inputs.mask, 1));
    if (groups * sizes.in % offset_groups != 0) {
      return WithConstraint(
          "C6", InvalidArgument("offset groups: expected a divisor of ", groups * sizes.in,
                                ", the number of channels, found ", offset_groups));
    }
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, shape.ToShape()));
    if (out->num_elements() == 0) return absl::OkStatus();
    return VisitFloatOrDouble(dtype, [&]<class T>(T) -> Status {
      return DeformConvOf<T>(context, sizes, offset_groups, inputs, out->mutable_elements<T>());
    });
  });
  // For each position, the samples of its window are computed and multiplied by the weights.
  const PartialShape& w = ShapeOf(call.inputs[1]);
  double taken = static_cast<double>(groups) * GuessElements(w.Slice(1, 4));
  double channels = std::max(1.0, GuessElements(w.Slice(0, 1)));
  kernel->set_cost(500 +
                   GuessElements(request.outputs[0]) / channels * (20 * taken + GuessElements(w)));
  return kernel;
}

constexpr KernelDef kSamplingKernels[] = {
    {"affine_grid", OrLate<MakeAffineGrid, Needs::kShapes>},
    {"deform_conv", OrLate<MakeDeformConv, Needs::kShapes>},
    {"grid_sample", OrLate<MakeGridSample, Needs::kShapes>},
};

}  // namespace

std::span<const KernelDef> SamplingKernels() { return kSamplingKernels; }

}  // namespace signet
