// The kernels of `dequantize`, `dynamic_quantize`, `quantize` and `requantize`.

#include "core/kernels/simd/quantization.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernels/def/request.h"
#include "core/kernels/def/stop_poll.h"
#include "core/kernels/loops/axis.h"
#include "core/kernels/quantization/quantization_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

constexpr int64_t kChunk = 16384;  // elements that share a scale are processed in chunks

template <class T>
float NumberAs(const T& x) {
  if constexpr (std::same_as<T, Float16> || std::same_as<T, BFloat16>) {
    return ToFloat(x);
  } else {
    return static_cast<float>(x);
  }
}

class ScalingKernel final : public Kernel {
 public:
  ScalingKernel(ScalingFn run, DType small, int64_t axis, int64_t block)
      : run_(run), small_(small), axis_(axis), block_(block) {}

  Status Run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, x.shape()));
    const Tensor& scale = context.input(1);
    SIGNET_ASSIGN_OR_RETURN(Layout layout, LayoutOf(x, scale));
    bool has_zero = context.num_inputs() > 2 && context.input(2).has_value();
    int64_t zeros_given = has_zero ? context.input(2).num_elements() : 1;
    if (zeros_given != 1 && zeros_given != scale.num_elements()) {
      return WithConstraint(
          "C3", InvalidArgument("zero points: expected 1 or ", scale.num_elements(),
                                " elements, the number of scales, found ", zeros_given));
    }
    if (x.num_elements() == 0) return absl::OkStatus();
    SIGNET_ASSIGN_OR_RETURN(const float* scales, ScalesOf(context, scale));
    SIGNET_ASSIGN_OR_RETURN(const int32_t* zeros,
                            ZerosOf(context, has_zero ? &context.input(2) : nullptr, scale));

    size_t from_size = SizeOf(x.dtype());
    size_t to_size = SizeOf(out->dtype());
    const std::byte* from = x.data().data();
    std::byte* to = out->data().mutable_data();
    int64_t total = x.num_elements();
    double unit = 0.3 * static_cast<double>(layout.length) + 3;
    return context.For(layout.rows, unit, [&](int64_t begin, int64_t end) {
      constexpr int64_t kPart = int64_t{1} << 20;  // elements between two checks
      StopPoll poll(context);
      for (int64_t row = begin; row < end; ++row) {
        const int64_t length = std::min(layout.length, total - row * layout.length);
        for (int64_t part = 0; part < length; part += kPart) {
          const int64_t n = std::min(kPart, length - part);
          if (poll.Stops(3 + n / 3)) return;
          const auto at = static_cast<size_t>(row * layout.length + part);
          const int64_t first = layout.FirstScale(row) + (layout.each ? part : 0);
          run_(from + at * from_size, {scales + first, zeros + first, layout.each},
               to + at * to_size, n);
        }
      }
    });
  }

 private:
  // Divides the elements into rows of `length` elements. Row r uses the `width` scales of group (r
  // / rows_per_outer) * groups + r % rows_per_outer / rows_per_group.
  struct Layout {
    int64_t rows = 1;
    int64_t length = 1;
    int64_t rows_per_outer = 1;
    int64_t rows_per_group = 1;
    int64_t groups = 0;  // per outer block; 0: all outer blocks share one group
    int64_t width = 0;
    bool each = false;

    int64_t FirstScale(int64_t row) const {
      int64_t within = row % rows_per_outer;
      return (row / rows_per_outer * groups + within / rows_per_group) * width;
    }
  };

  StatusOr<Layout> LayoutOf(const Tensor& x, const Tensor& scale) const {
    Layout layout;
    if (block_ == 0 && scale.num_elements() == 1 && scale.rank() <= 1) {
      layout.rows = (x.num_elements() + kChunk - 1) / kChunk;
      layout.length = kChunk;
      return layout;
    }
    int64_t counted = axis_ < 0 ? axis_ + x.rank() : axis_;
    bool fits = counted >= 0 && counted < x.rank();
    if (fits && block_ == 0) {
      fits = scale.rank() == 1 && scale.shape().dim(0) == x.shape().dim(static_cast<int>(counted));
    } else if (fits) {
      fits = scale.rank() == x.rank();
      for (int i = 0; fits && i < x.rank(); ++i) {
        int64_t size = x.shape().dim(i);
        fits = scale.shape().dim(i) == (i == counted ? size / block_ + (size % block_ != 0) : size);
      }
    }
    if (!fits) {
      return WithConstraint(
          "C2", InvalidArgument("scale: expected one number or one per index along axis ", axis_,
                                block_ > 0 ? " or per block" : "", " of `", x.shape(),
                                "`, found shape `", scale.shape(), "`"));
    }
    AxisView view = ViewAlong(x.shape(), static_cast<int>(counted));
    if (block_ == 0 && view.inner == 1) {
      return Layout{.rows = view.outer, .length = view.size, .width = 0, .each = true};
    }
    if (block_ == 0) {
      return Layout{.rows = view.outer * view.size,
                    .length = view.inner,
                    .rows_per_outer = std::max<int64_t>(view.size, 1),
                    .width = 1};
    }
    if (view.inner == 1 && view.size % block_ == 0) {
      return Layout{
          .rows = view.outer * (view.size / block_), .length = block_, .groups = 1, .width = 1};
    }
    return Layout{.rows = view.outer * view.size,
                  .length = view.inner,
                  .rows_per_outer = std::max<int64_t>(view.size, 1),
                  .rows_per_group = block_,
                  .groups = view.size / block_ + (view.size % block_ != 0),
                  .width = view.inner,
                  .each = view.inner > 1};
  }

  static StatusOr<const float*> ScalesOf(KernelContext& context, const Tensor& scale) {
    if (scale.dtype() == DType::kFloat32) return scale.elements<float>().data();
    int64_t n = scale.num_elements();
    SIGNET_ASSIGN_OR_RETURN(std::byte * memory,
                            context.Scratch(static_cast<size_t>(n) * sizeof(float)));
    auto* scales = reinterpret_cast<float*>(memory);
    auto widen = [&](auto elements) {
      std::transform(elements.begin(), elements.end(), scales,
                     [](const auto& x) { return NumberAs(x); });
    };
    if (scale.dtype() == DType::kFloat16) widen(scale.elements<Float16>());
    if (scale.dtype() == DType::kBFloat16) widen(scale.elements<BFloat16>());
    if (scale.dtype() == DType::kInt32) widen(scale.elements<int32_t>());
    return scales;
  }

  // Returns one zero point per scale, clipped to the range of the quantized dtype.
  StatusOr<const int32_t*> ZerosOf(KernelContext& context, const Tensor* given,
                                   const Tensor& scale) const {
    int64_t n = scale.num_elements();
    SIGNET_ASSIGN_OR_RETURN(std::byte * memory,
                            context.Scratch(static_cast<size_t>(n) * sizeof(int32_t)));
    auto* zeros = reinterpret_cast<int32_t*>(memory);
    std::fill_n(zeros, n, 0);
    if (given == nullptr) return zeros;
    VisitDType(given->dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::integral<T> && !std::same_as<T, bool> && sizeof(T) <= 4) {
        auto elements = given->elements<T>();
        VisitDType(small_, [&](auto small_tag) {
          using Small = typename decltype(small_tag)::type;
          if constexpr (std::integral<Small> && !std::same_as<Small, bool> && sizeof(Small) <= 4) {
            for (int64_t i = 0; i < n; ++i) {
              zeros[i] = static_cast<int32_t>(std::clamp<int64_t>(
                  static_cast<int64_t>(elements[elements.size() == 1 ? 0 : static_cast<size_t>(i)]),
                  std::numeric_limits<Small>::min(), std::numeric_limits<Small>::max()));
            }
          }
        });
      }
    });
    return zeros;
  }

  const ScalingFn run_;
  const DType small_;  // dtype of the quantized integers
  const int64_t axis_;
  const int64_t block_;
};

StatusOr<std::unique_ptr<Kernel>> MakeScaling(const KernelRequest& request) {
  const QuantizationTable& table = SIGNET_ACTIVE_TABLE(QuantizationTable);
  const std::string& name = request.call.op.name;
  DType from = DTypeIn(request.call.inputs[0]);
  DType to = DTypeIn(request.outputs[0]);
  auto& rows = name == "quantize"     ? table.quantize
               : name == "requantize" ? table.requantize
                                      : table.dequantize;
  ScalingFn run = rows[static_cast<int>(from)][static_cast<int>(to)];
  SIGNET_CHECK(run != nullptr);
  SIGNET_ASSIGN_OR_RETURN(int64_t axis, request.call.attributes.Int("axis"));
  SIGNET_ASSIGN_OR_RETURN(int64_t block, request.call.attributes.Int("block_size"));
  auto kernel = std::make_unique<ScalingKernel>(run, name == "dequantize" ? from : to, axis, block);
  kernel->set_cost(60 + 0.3 * GuessElements(request.call.inputs[0]));
  return kernel;
}

StatusOr<std::unique_ptr<Kernel>> MakeDynamicQuantize(const KernelRequest& request) {
  const QuantizationTable& table = SIGNET_ACTIVE_TABLE(QuantizationTable);
  auto kernel = MakeKernel([&table](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, x.shape()));
    SIGNET_ASSIGN_OR_RETURN(Tensor * scale_out, context.Allocate(1, Shape{}));
    SIGNET_ASSIGN_OR_RETURN(Tensor * zero_out, context.Allocate(2, Shape{}));
    const std::byte* from = x.data().data();
    int64_t n = x.num_elements();
    int64_t pieces = (n + kChunk - 1) / kChunk;
    SIGNET_ASSIGN_OR_RETURN(
        std::byte * memory,
        context.Scratch(static_cast<size_t>(std::max<int64_t>(pieces, 1)) * 2 * sizeof(float)));
    auto* ranges = reinterpret_cast<float*>(memory);
    const auto* numbers = reinterpret_cast<const float*>(from);
    SIGNET_RETURN_IF_ERROR(context.For(pieces, 0.1 * kChunk, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        table.range(numbers + i * kChunk, std::min(kChunk, n - i * kChunk), &ranges[2 * i],
                    &ranges[2 * i + 1]);
      }
    }));
    float low = 0;
    float high = 0;
    for (int64_t i = 0; i < pieces; ++i) {
      low = std::min(low, ranges[2 * i]);
      high = std::max(high, ranges[2 * i + 1]);
    }
    float scale = high == low ? 1.0f : (high - low) / 255.0f;
    float exact = -low / scale;
    // An infinite range leaves only NaN, which is treated as 0.
    int32_t zero = exact > 0 ? static_cast<int32_t>(std::nearbyint(std::min(exact, 255.0f))) : 0;
    scale_out->mutable_elements<float>()[0] = scale;
    zero_out->mutable_elements<uint8_t>()[0] = static_cast<uint8_t>(zero);
    ScalingFn quantize =
        table.quantize[static_cast<int>(DType::kFloat32)][static_cast<int>(DType::kUInt8)];
    std::byte* to = out->data().mutable_data();
    return context.For(pieces, 0.3 * kChunk, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        quantize(numbers + i * kChunk, {&scale, &zero}, to + i * kChunk,
                 std::min(kChunk, n - i * kChunk));
      }
    });
  });
  kernel->set_cost(80 + 0.4 * GuessElements(request.call.inputs[0]));
  return kernel;
}

constexpr KernelDef kQuantizationKernels[] = {
    {"dequantize", MakeScaling},
    {"dynamic_quantize", MakeDynamicQuantize},
    {"quantize", MakeScaling},
    {"requantize", MakeScaling},
};

}  // namespace

std::span<const KernelDef> QuantizationKernels() { return kQuantizationKernels; }

}  // namespace signet
