// conv: which matrices are multiplied, in which blocks and on how many threads; the arithmetic is
// in isa/conv.cc.
//
// float32 in one of five ways: one channel in, one out (depthwise) slides over its plane; 3x3
// windows over enough channels go by Winograd's algorithm (conv_winograd.h), few windows by
// conv_windows.h, small planes by conv_direct.h; all else is a product of the weights with the
// windows, which are packed a block at a time, so that no whole matrix of windows is ever in
// memory. Half-width floats are widened first. Others take plain loops.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "core/base/checked_math.h"
#include "core/kernels/all_kernels.h"
#include "core/kernels/conv_direct.h"
#include "core/kernels/conv_finish.h"
#include "core/kernels/conv_layout.h"
#include "core/kernels/conv_windows.h"
#include "core/kernels/conv_winograd.h"
#include "core/kernels/half_floats.h"
#include "core/kernels/late_kernel.h"
#include "core/kernels/pieces.h"
#include "core/kernels/request.h"
#include "core/ops/inference.h"

namespace signet {
namespace {

constexpr int64_t kMostSummed = 384;          // of a product's inner dimension at a time
constexpr int64_t kBlockFloats = 160 * 1024;  // what a block keeps in cache
constexpr int64_t kMostRows = 256;            // of a block

int64_t RoundUp(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

// Weights [rows][k] in parts of the inner dimension, each packed as ConvTable::multiply takes it.
int64_t NumPanels(const ConvTable& table, int64_t rows) {
  return (rows + table.rows - 1) / table.rows;
}
void PackRows(const ConvTable& table, const float* weights, int64_t rows, int64_t k,
              float* packed) {
  int64_t parts = std::max<int64_t>(1, (k + kMostSummed - 1) / kMostSummed);
  for (int64_t part = 0; part < parts; ++part) {
    for (int64_t panel = 0; panel < NumPanels(table, rows); ++panel) {
      for (int64_t l = k * part / parts; l < k * (part + 1) / parts; ++l) {
        for (int64_t i = 0; i < table.rows; ++i) {
          int64_t row = panel * table.rows + i;
          *packed++ = row < rows ? weights[row * k + l] : 0.0F;
        }
      }
    }
  }
}

class FloatConv {
 public:
  FloatConv(const ConvTable& table, Activation activation)
      : table_(table), finish_(table, activation) {}

  // The floats that PackAll writes.
  int64_t PackedSize(const ConvSizes& sizes) const {
    if (IsDepthwise(sizes)) return 0;
    return sizes.groups * GroupSize(sizes);
  }
  void PackAll(const ConvSizes& sizes, const float* weights, float* packed) const {
    if (IsDepthwise(sizes)) return;
    int64_t k = sizes.in * sizes.taps;
    for (int64_t g = 0; g < sizes.groups; ++g) {
      PackRows(table_, weights + g * sizes.out * k, sizes.out, k, packed + g * GroupSize(sizes));
    }
  }

  // `packed` is of PackAll; `bias` and `residual` may be null.
  Status Run(KernelContext& context, const ConvSizes& sizes, const float* x, const float* weights,
             const float* packed, const float* bias, const float* residual, float* out) const {
    if (IsDepthwise(sizes)) return RunDepthwise(context, sizes, x, weights, bias, residual, out);
    return RunProduct(context, sizes, x, packed, bias, residual, out);
  }

  const ConvFinish& finish() const { return finish_; }

 private:
  static bool IsDepthwise(const ConvSizes& sizes) { return sizes.in == 1 && sizes.out <= 4; }
  int64_t GroupSize(const ConvSizes& sizes) const {
    return NumPanels(table_, sizes.out) * table_.rows * sizes.in * sizes.taps;
  }

  Status RunDepthwise(KernelContext& context, const ConvSizes& sizes, const float* x,
                      const float* weights, const float* bias, const float* residual,
                      float* out) const {
    PhaseLayout layout(sizes.axes, false);
    int64_t at_once = 4 * table_.lanes;
    int64_t columns = RoundUp(layout.columns(), at_once);
    int64_t phases_size = RoundUp(layout.channel() + at_once, 16);
    int64_t tasks = sizes.batch * sizes.groups;
    double cost = 2.0 * static_cast<double>(columns * sizes.taps * sizes.out) / 30 + 100;
    return ForPieces(
        context, tasks, cost, phases_size + columns, [&](int64_t task, float* scratch) {
          float* sums = scratch + phases_size;
          std::fill(scratch + layout.channel(), sums, 0.0F);
          layout.Split(table_, x + task * sizes.x_plane(), scratch);
          for (int64_t i = 0; i < sizes.out; ++i) {
            int64_t channel = task % sizes.groups * sizes.out + i;
            int64_t at = (task * sizes.out + i) * sizes.out_plane();
            table_.slide(scratch, layout.taps().data(), weights + channel * sizes.taps, sizes.taps,
                         columns, sums);
            Finish(layout, 0, layout.columns(), sums, bias == nullptr ? 0 : bias[channel],
                   residual == nullptr ? nullptr : residual + at, out + at);
          }
        });
  }

  // Columns [begin, end) of one channel of the result; `from` is that of column `begin`.
  void Finish(const PhaseLayout& layout, int64_t begin, int64_t end, const float* from, float bias,
              const float* residual, float* out) const {
    layout.ForEachRun(begin, end, [&](int64_t column, int64_t position, int64_t count) {
      finish_.Run(from + column - begin, bias, residual == nullptr ? nullptr : residual + position,
                  count, out + position);
    });
  }

  struct Blocks {
    int64_t columns;  // of a block
    int64_t panels;
    int64_t num_columns;  // blocks
    int64_t num_panels;
  };
  Blocks BlocksOf(const ConvSizes& sizes, int64_t columns, int64_t threads) const {
    Blocks blocks;
    int64_t panels = NumPanels(table_, sizes.out);
    int64_t k = sizes.in * sizes.taps;
    int64_t most_panels = std::max<int64_t>(1, kMostRows / table_.rows);
    blocks.num_panels = (panels + most_panels - 1) / most_panels;
    blocks.panels = (panels + blocks.num_panels - 1) / blocks.num_panels;
    int64_t most = kBlockFloats / (std::min(k, kMostSummed) + blocks.panels * table_.rows);
    most = std::clamp(most / table_.columns, int64_t{1}, int64_t{16}) * table_.columns;
    int64_t tiles = (columns + table_.columns - 1) / table_.columns;
    blocks.num_columns = (columns + most - 1) / most;
    int64_t others = sizes.groups * blocks.num_panels;
    // Each thread gets as much as the others.
    if (others % threads != 0) {
      blocks.num_columns = std::min(tiles, RoundUp(blocks.num_columns, threads));
    }
    blocks.columns = (tiles + blocks.num_columns - 1) / blocks.num_columns * table_.columns;
    blocks.num_columns = (columns + blocks.columns - 1) / blocks.columns;
    if (others * blocks.num_columns < threads && panels > 1) {
      blocks.num_panels = std::min(panels, threads);
      blocks.panels = (panels + blocks.num_panels - 1) / blocks.num_panels;
    }
    blocks.num_panels = (panels + blocks.panels - 1) / blocks.panels;
    return blocks;
  }

  Status RunProduct(KernelContext& context, const ConvSizes& sizes, const float* x,
                    const float* packed, const float* bias, const float* residual,
                    float* out) const {
    PhaseLayout layout(sizes.axes, true);
    int64_t channels = sizes.groups * sizes.in;
    float* phases = nullptr;
    if (!layout.borrows()) {
      SIGNET_ASSIGN_OR_RETURN(phases, ScratchFloats(context, channels * layout.channel()));
    }
    int64_t k = sizes.in * sizes.taps;
    SIGNET_ASSIGN_OR_RETURN(std::byte * offset_bytes,
                            context.Scratch(static_cast<size_t>(k) * sizeof(int64_t)));
    auto* offsets = reinterpret_cast<int64_t*>(offset_bytes);
    for (int64_t l = 0; l < k; ++l) {
      offsets[l] =
          l / sizes.taps * layout.channel() + layout.taps()[static_cast<size_t>(l % sizes.taps)];
    }
    Blocks blocks = BlocksOf(sizes, layout.columns(), context.parallel().num_threads());
    int64_t tasks = sizes.groups * blocks.num_panels * blocks.num_columns;
    int64_t block_rows = blocks.panels * table_.rows;
    int64_t window_floats = std::min(k, kMostSummed) * blocks.columns;
    double cost = sizes.operations() /
                  static_cast<double>(std::max<int64_t>(1, sizes.batch * tasks)) /
                  kFlopsPerNanosecond;
    for (int64_t image = 0; image < sizes.batch; ++image) {
      const float* from = x + image * channels * sizes.x_plane();
      if (phases != nullptr) {
        double split_cost = static_cast<double>(layout.channel()) / 8;
        context.parallel().For(channels, split_cost, [&](int64_t begin, int64_t end) {
          for (int64_t c = begin; c < end; ++c) {
            layout.Split(table_, from + c * sizes.x_plane(), phases + c * layout.channel());
          }
        });
        from = phases;
      }
      SIGNET_RETURN_IF_ERROR(ForPieces(
          context, tasks, cost, window_floats + block_rows * blocks.columns,
          [&](int64_t task, float* scratch) {
            float* sums = scratch + window_floats;
            int64_t column_block = task % blocks.num_columns;
            int64_t panel_block = task / blocks.num_columns % blocks.num_panels;
            int64_t group = task / blocks.num_columns / blocks.num_panels;
            int64_t first_panel = panel_block * blocks.panels;
            int64_t all_panels = NumPanels(table_, sizes.out);
            int64_t panels = std::min(blocks.panels, all_panels - first_panel);
            int64_t begin = column_block * blocks.columns;
            int64_t end = std::min(begin + blocks.columns, layout.columns());
            int64_t columns = RoundUp(end - begin, table_.lanes);
            const float* weights = packed + group * GroupSize(sizes);
            int64_t parts = (k + kMostSummed - 1) / kMostSummed;
            for (int64_t part = 0; part < parts; ++part) {
              int64_t first = k * part / parts;
              int64_t count = k * (part + 1) / parts - first;
              table_.pack_columns(from + group * sizes.in * layout.channel(), offsets + first,
                                  count, begin, columns, end, scratch);
              table_.multiply(weights + (first * all_panels + first_panel * count) * table_.rows,
                              scratch, sums, panels, columns, count, blocks.columns, part > 0);
            }
            int64_t rows = std::min(panels * table_.rows, sizes.out - first_panel * table_.rows);
            for (int64_t i = 0; i < rows; ++i) {
              int64_t channel = group * sizes.out + first_panel * table_.rows + i;
              int64_t at = (image * sizes.groups * sizes.out + channel) * sizes.out_plane();
              Finish(layout, begin, end, sums + i * blocks.columns,
                     bias == nullptr ? 0 : bias[channel],
                     residual == nullptr ? nullptr : residual + at, out + at);
            }
          }));
    }
    return absl::OkStatus();
  }

  const ConvTable& table_;
  const ConvFinish finish_;
};

// Any dtype, one window after the other. `Sum` is what sums are made in.
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

class ConvKernel final : public Kernel {
 public:
  ConvKernel(DType dtype, Window window, int64_t groups, Activation activation)
      : table_(SIGNET_ACTIVE_TABLE(ConvTable)),
        dtype_(dtype),
        window_(std::move(window)),
        groups_(groups),
        activation_(activation),
        floats_(table_, activation) {}

  // Packs weights that are known now; `image` is the shape of x, as far as it is known.
  Status Pack(const Tensor& w, const PartialShape& image) {
    ConvSizes sizes = WeightSizes(w.shape());
    const float* weights = w.elements<float>().data();
    if (std::optional<ConvSizes> known = KnownSizes(image, w.shape())) {
      if (WinogradConv::Suits(table_, *known)) {
        winograd_.emplace(table_, floats_.finish(), sizes, weights);
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
    packed_.emplace(static_cast<size_t>(floats_.PackedSize(sizes)));
    floats_.PackAll(sizes, weights, packed_->data());
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
      return InvalidArgument("C1 inputs of shapes `", x.shape(), "` and `", w.shape(),
                             "`; takes rank ", window_.rank() + 2);
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
    Narrow(wide_out, *out);
    return absl::OkStatus();
  }

 private:
  // Nothing when the spatial sizes are not known.
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
    const float* packed = packed_ ? packed_->data() : nullptr;
    if (!packed_) {
      SIGNET_ASSIGN_OR_RETURN(float* own, ScratchFloats(context, floats_.PackedSize(sizes)));
      floats_.PackAll(sizes, w, own);
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
    context.parallel().For(out.num_elements(), cost, [&](int64_t begin, int64_t end) {
      PlainConv<T>(sizes, elements(&x), elements(&w), elements(bias), elements(residual), begin,
                   end, to);
      if constexpr (std::is_floating_point_v<T>) {
        if (activation_.kind == ActivationKind::kNone) return;
        for (int64_t i = begin; i < end; ++i) to[i] = Activated(activation_, to[i]);
      }
    });
    return absl::OkStatus();
  }

  const ConvTable& table_;
  const DType dtype_;
  const Window window_;
  const int64_t groups_;
  const Activation activation_;
  const FloatConv floats_;
  std::optional<std::vector<float>> packed_;
  std::optional<WinogradConv> winograd_;  // in place of packed_
  std::optional<WindowsConv> windows_;    // likewise
  std::optional<DirectConv> direct_;      // likewise
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

constexpr KernelDef kKernels[] = {{"conv", OrLate<MakeConv>}};

}  // namespace

std::span<const KernelDef> ConvKernels() { return kKernels; }

}  // namespace signet
