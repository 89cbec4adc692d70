// The kernel of `resize`. Each axis has a table of the source elements of each result element: one
// element (nearest), or several elements with weights (linear, cubic). The weighted sums are
// computed one axis after another.

#include "core/ops/vision/resize.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "core/kernels/def/late_kernel.h"
#include "core/kernels/def/request.h"
#include "core/kernels/loops/pieces.h"
#include "core/kernels/vision/vision_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

// The source elements of each result element, along one axis.
struct AxisTable {
  ResizeAxis along;
  int64_t taps = 1;
  // The arrays are in memory of the run.
  std::span<int64_t> indices;  // [out][taps], within the input
  std::span<float> weights;    // [out][taps]; empty for nearest
  std::span<uint8_t> outside;  // [out]; empty if no element is outside

  bool IsIdentity() const {
    for (int64_t i = 0; i < along.out; ++i) {
      if (taps != 1 || indices[static_cast<size_t>(i)] != i) return false;
    }
    return along.out == along.size && outside.empty();
  }
};

// Returns the position of element `i` of the result in the input.
float PositionOf(const ResizePlan& plan, const ResizeAxis& axis, int64_t i) {
  auto x = static_cast<float>(i);
  auto size = static_cast<float>(axis.size);
  auto out = static_cast<float>(axis.out);
  switch (plan.coordinates) {
    case Coordinates::kHalfPixel:
      return (x + 0.5F) / axis.scale - 0.5F;
    case Coordinates::kHalfPixelSymmetric: {
      float adjustment = out / (axis.scale * size);
      return size / 2 * (1 - adjustment) + (x + 0.5F) / axis.scale - 0.5F;
    }
    case Coordinates::kPytorchHalfPixel:
      return axis.out > 1 ? (x + 0.5F) / axis.scale - 0.5F : 0.0F;
    case Coordinates::kAlignCorners:
      return axis.out > 1 ? x * (size - 1) / (out - 1) : 0.0F;
    case Coordinates::kAsymmetric:
      return x / axis.scale;
    case Coordinates::kTfHalfPixel:
      return (x + 0.5F) / axis.scale;
    case Coordinates::kCropAndResize:
      return axis.out > 1
                 ? axis.begin * (size - 1) + x * (axis.end - axis.begin) * (size - 1) / (out - 1)
                 : 0.5F * (axis.begin + axis.end) * (size - 1);
  }
  __builtin_unreachable();
}

float Nearest(NearestMode mode, float x, float scale) {
  switch (mode) {
    case NearestMode::kPreferFloor:
      return x == std::floor(x) + 0.5F ? std::floor(x) : std::round(x);
    case NearestMode::kPreferCeil:
      return x == std::floor(x) + 0.5F ? std::ceil(x) : std::round(x);
    case NearestMode::kFloor:
      return std::floor(x);
    case NearestMode::kCeil:
      return std::ceil(x);
    case NearestMode::kSimple:
      return scale < 1 ? std::ceil(x) : std::floor(x);
  }
  __builtin_unreachable();
}

// Returns the weight of an element at distance `x`.
float WeightAt(const ResizePlan& plan, float x) {
  x = std::abs(x);
  if (plan.mode == ResizeMode::kLinear) return std::max(0.0F, 1 - x);
  float a = plan.cubic;
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return a * (((x - 5) * x + 8) * x - 4);
  return 0;
}

template <class T>
StatusOr<std::span<T>> ScratchSpan(KernelContext& context, int64_t count) {
  const auto n = static_cast<size_t>(count);
  SIGNET_ASSIGN_OR_RETURN(std::byte * memory, context.Scratch(n * sizeof(T)));
  return std::span<T>(reinterpret_cast<T*>(memory), n);
}

StatusOr<AxisTable> TableOf(KernelContext& context, const ResizePlan& plan,
                            const ResizeAxis& axis) {
  AxisTable table;
  table.along = axis;
  auto last = static_cast<float>(axis.size - 1);
  bool nearest = plan.mode == ResizeMode::kNearest;
  bool same =
      axis.out == axis.size && axis.scale == 1 && plan.coordinates != Coordinates::kCropAndResize;
  float stretch = plan.antialias ? std::min(axis.scale, 1.0F) : 1.0F;
  int64_t reach = plan.mode == ResizeMode::kLinear ? 1 : 2;
  auto first = static_cast<int64_t>(std::floor(static_cast<float>(-reach) / stretch)) + 1;
  if (!nearest && !same) table.taps = 2 - 2 * first;
  if (table.taps > (int64_t{1} << 20) || axis.out * table.taps > (int64_t{1} << 28)) {
    return WithConstraint(
        "C4", ResourceExhausted("dimension ", axis.axis, ": a resize of ", axis.size,
                                " elements at scale ", axis.scale, " requires sums of ", table.taps,
                                " elements, which exceeds the limit"));
  }
  const int64_t entries = axis.out * table.taps;
  SIGNET_ASSIGN_OR_RETURN(table.indices, ScratchSpan<int64_t>(context, entries));
  SIGNET_ASSIGN_OR_RETURN(table.weights, ScratchSpan<float>(context, nearest ? 0 : entries));
  SIGNET_ASSIGN_OR_RETURN(table.outside, ScratchSpan<uint8_t>(context, axis.out));
  bool any_outside = false;
  StopPoll poll(context);
  for (int64_t i = 0; i < axis.out; ++i) {
    SIGNET_RETURN_IF_ERROR(poll.Spend(10 * table.taps));
    const auto begin = static_cast<size_t>(i * table.taps);
    float x = PositionOf(plan, axis, i);
    if (!(std::abs(x) < 0x1p40F)) x = x > 0 ? 0x1p40F : -0x1p40F;
    bool is_outside = plan.coordinates == Coordinates::kCropAndResize && (x < 0 || x > last);
    table.outside[static_cast<size_t>(i)] = is_outside ? 1 : 0;
    any_outside |= is_outside;
    if (same) {
      table.indices[begin] = i;
      if (!nearest) table.weights[begin] = 1;
      continue;
    }
    if (nearest) {
      table.indices[begin] =
          static_cast<int64_t>(std::clamp(Nearest(plan.nearest, x, axis.scale), 0.0F, last));
      continue;
    }
    // `base` is the last element before x.
    float base = std::ceil(x) - 1;
    float sum = 0;
    for (int64_t tap = 0; tap < table.taps; ++tap) {
      const size_t place = begin + static_cast<size_t>(tap);
      float at = base + static_cast<float>(first + tap);
      float weight = WeightAt(plan, (at - x) * stretch);
      if (plan.exclude_outside && (at < 0 || at > last)) weight = 0;
      table.indices[place] = static_cast<int64_t>(std::clamp(at, 0.0F, last));
      table.weights[place] = weight;
      sum += weight;
    }
    bool scaled = (plan.exclude_outside || plan.antialias) && sum != 0;
    for (int64_t tap = 0; scaled && tap < table.taps; ++tap) {
      table.weights[begin + static_cast<size_t>(tap)] /= sum;
    }
  }
  if (!any_outside) table.outside = {};
  return table;
}

// [outer, size, inner]  =>  [outer, out, inner]
struct Step {
  int64_t outer = 1;
  int64_t inner = 1;
};
Step StepAlong(const Shape& shape, int axis) {
  Step step;
  for (int i = 0; i < shape.rank(); ++i) {
    if (i < axis) step.outer *= shape.dim(i);
    if (i > axis) step.inner *= shape.dim(i);
  }
  return step;
}

template <class T>
Status SumAlong(KernelContext& context, const AxisTable& table, Step step, const T* x, T* out) {
  int64_t size = table.along.size;
  int64_t rows = step.outer * table.along.out;
  double cost = static_cast<double>(step.inner * table.taps) / 2 + 2;
  return context.For(rows, cost, [&](int64_t begin, int64_t end) {
    StopPoll poll(context);
    for (int64_t row = begin; row < end; ++row) {
      const T* from = x + row / table.along.out * size * step.inner;
      T* to = out + row * step.inner;
      int64_t first = row % table.along.out * table.taps;
      const int64_t* indices = table.indices.data() + first;
      const float* weights = table.weights.data() + first;
      if (step.inner == 1) {
        T sum = 0;
        for (int64_t k = 0; k < table.taps; ++k)
          sum += static_cast<T>(weights[k]) * from[indices[k]];
        *to = sum;
        continue;
      }
      std::fill_n(to, step.inner, T(0));
      for (int64_t k = 0; k < table.taps; ++k) {
        if (poll.Stops(step.inner / 2)) return;
        auto weight = static_cast<T>(weights[k]);
        const T* source = from + indices[k] * step.inner;
        for (int64_t j = 0; j < step.inner; ++j) to[j] += weight * source[j];
      }
    }
  });
}

// Copies elements as `Unit`, which has the size of the dtype.
template <class Unit>
Status PickAlong(KernelContext& context, const AxisTable& table, Step step, const Unit* x,
                 Unit* out) {
  int64_t size = table.along.size;
  int64_t count = table.along.out;
  if (step.inner == 1) {
    return context.For(step.outer, static_cast<double>(count), [&](int64_t begin, int64_t end) {
      StopPoll poll(context);
      for (int64_t row = begin; row < end; ++row) {
        const Unit* from = x + row * size;
        Unit* to = out + row * count;
        ForSegments(poll, count, 1, [&](int64_t first, int64_t last) {
          for (int64_t i = first; i < last; ++i) {
            to[i] = from[table.indices[static_cast<size_t>(i)]];
          }
        });
      }
    });
  }
  return context.For(
      step.outer * count, static_cast<double>(step.inner) / 8 + 2, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          int64_t index = table.indices[static_cast<size_t>(row % count)];
          std::memcpy(out + row * step.inner, x + (row / count * size + index) * step.inner,
                      static_cast<size_t>(step.inner) * sizeof(Unit));
        }
      });
}

// Calls `along(table, step, from, to)` for each axis whose size changes, beginning with the axis
// that shrinks most. The last call writes to `out`.
template <class T, class Along>
Status ForEachAxis(KernelContext& context, std::vector<const AxisTable*> tables, Shape shape,
                   const T* x, T* out, Along along) {
  auto growth = [](const AxisTable* table) {
    return static_cast<double>(table->along.out) /
           static_cast<double>(std::max<int64_t>(1, table->along.size));
  };
  std::sort(tables.begin(), tables.end(), [&](const AxisTable* a, const AxisTable* b) {
    return growth(a) == growth(b) ? a->along.axis < b->along.axis : growth(a) < growth(b);
  });
  if (tables.empty()) {
    return CopyBytes(context, reinterpret_cast<std::byte*>(out),
                     reinterpret_cast<const std::byte*>(x),
                     static_cast<size_t>(shape.num_elements()) * sizeof(T));
  }
  for (size_t i = 0; i < tables.size(); ++i) {
    const AxisTable& table = *tables[i];
    Step step = StepAlong(shape, table.along.axis);
    shape.set_dim(table.along.axis, table.along.out);
    T* to = out;
    if (i + 1 < tables.size()) {
      SIGNET_RETURN_IF_ERROR(WithConstraint("C4", CheckOutputSize(shape.dims())));
      int64_t bytes = shape.num_elements() * static_cast<int64_t>(sizeof(T));
      SIGNET_ASSIGN_OR_RETURN(float* room, ScratchFloats(context, (bytes + 3) / 4));
      to = reinterpret_cast<T*>(room);
    }
    SIGNET_RETURN_IF_ERROR(along(table, step, x, to));
    x = to;
  }
  return absl::OkStatus();
}

template <class T, class Sum>
T Narrowed(Sum x, bool round) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(x);
  } else if constexpr (std::is_same_v<T, Float16>) {
    return ToFloat16(x);
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return ToBFloat16(x);
  } else {
    if (round) x = std::nearbyint(x);
    if (!(x > static_cast<Sum>(std::numeric_limits<T>::lowest()))) {
      return std::numeric_limits<T>::lowest();
    }
    if (x >= static_cast<Sum>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
    return static_cast<T>(x);
  }
}

template <class Sum, class T>
Sum WidenedTo(T x) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
    return ToFloat(x);
  } else {
    return static_cast<Sum>(x);
  }
}

class ResizeKernel final : public Kernel {
 public:
  explicit ResizeKernel(ResizePlan plan) : plan_(std::move(plan)) {}

  Status Run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    auto given = [&](size_t i) {
      bool there = context.num_inputs() > i && context.input(i).has_value();
      return there ? &context.input(i) : nullptr;
    };
    const Tensor* scales = given(1);
    const Tensor* sizes = given(2);
    const Tensor* roi = given(3);
    bool crops = plan_.coordinates == Coordinates::kCropAndResize;
    SIGNET_ASSIGN_OR_RETURN(auto axes,
                            plan_.Along(x.shape(), scales, sizes, crops ? roi : nullptr));
    Shape shape = x.shape();
    for (const ResizeAxis& axis : axes) shape.set_dim(axis.axis, axis.out);
    SIGNET_RETURN_IF_ERROR(WithConstraint("C4", CheckOutputSize(shape.dims())));
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    std::vector<AxisTable> tables;
    for (const ResizeAxis& axis : axes) {
      SIGNET_ASSIGN_OR_RETURN(AxisTable table, TableOf(context, plan_, axis));
      tables.push_back(std::move(table));
    }
    std::vector<const AxisTable*> changing;
    for (const AxisTable& table : tables) {
      if (!table.IsIdentity()) changing.push_back(&table);
    }
    SIGNET_RETURN_IF_ERROR(plan_.mode == ResizeMode::kNearest ? Pick(context, changing, x, *out)
                                                              : Sum(context, changing, x, *out));
    for (const AxisTable* table : changing) {
      SIGNET_RETURN_IF_ERROR(FillOutside(context, *table, *out));
    }
    return absl::OkStatus();
  }

 private:
  static Status Pick(KernelContext& context, const std::vector<const AxisTable*>& tables,
                     const Tensor& x, Tensor& out) {
    auto run = [&]<class Unit>(Unit) {
      return ForEachAxis(context, tables, x.shape(), reinterpret_cast<const Unit*>(x.data().data()),
                         reinterpret_cast<Unit*>(out.data().mutable_data()),
                         [&](const AxisTable& table, Step step, const Unit* from, Unit* to) {
                           return PickAlong(context, table, step, from, to);
                         });
    };
    switch (SizeOf(x.dtype())) {
      case 1:
        return run(uint8_t{});
      case 2:
        return run(uint16_t{});
      case 4:
        return run(uint32_t{});
      default:
        return run(uint64_t{});
    }
  }

  Status Sum(KernelContext& context, const std::vector<const AxisTable*>& tables, const Tensor& x,
             Tensor& out) const {
    return VisitDType(x.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      constexpr bool kWide = std::is_same_v<T, double> || (std::is_integral_v<T> && sizeof(T) > 2);
      using S = std::conditional_t<kWide, double, float>;
      auto along = [&](const AxisTable& table, Step step, const S* from, S* to) {
        return SumAlong(context, table, step, from, to);
      };
      if constexpr (std::is_same_v<T, S>) {
        return ForEachAxis(context, tables, x.shape(), x.elements<T>().data(),
                           out.mutable_elements<T>(), along);
      } else if constexpr (std::is_same_v<T, std::string_view> ||
                           std::is_same_v<T, std::complex<float>> ||
                           std::is_same_v<T, std::complex<double>>) {
        return Internal("inference accepted `", x.spec(), "`, which `resize` does not support");
      } else {
        // NOLINTNEXTLINE(bugprone-sizeof-expression): 2 for complex numbers, else 1.
        constexpr int64_t kFloats = sizeof(S) / sizeof(float);
        SIGNET_ASSIGN_OR_RETURN(float* from, ScratchFloats(context, x.num_elements() * kFloats));
        SIGNET_ASSIGN_OR_RETURN(float* to, ScratchFloats(context, out.num_elements() * kFloats));
        S* wide = reinterpret_cast<S*>(from);
        S* sums = reinterpret_cast<S*>(to);
        auto elements = x.elements<T>();
        SIGNET_RETURN_IF_ERROR(
            context.ForInOrder(x.num_elements(), 1, [&](int64_t begin, int64_t end) {
              for (int64_t i = begin; i < end; ++i) {
                wide[i] = WidenedTo<S>(elements[static_cast<size_t>(i)]);
              }
            }));
        SIGNET_RETURN_IF_ERROR(
            ForEachAxis(context, tables, x.shape(), static_cast<const S*>(wide), sums, along));
        T* results = out.mutable_elements<T>();
        return context.ForInOrder(out.num_elements(), 1, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            results[i] = Narrowed<T>(sums[i], plan_.antialias);
          }
        });
      }
    });
  }

  Status FillOutside(KernelContext& context, const AxisTable& table, Tensor& out) const {
    if (table.outside.empty()) return absl::OkStatus();
    Step step = StepAlong(out.shape(), table.along.axis);
    StopPoll poll(context);
    return VisitDType(out.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if constexpr (!std::is_same_v<T, std::string_view> &&
                    !std::is_same_v<T, std::complex<float>> &&
                    !std::is_same_v<T, std::complex<double>>) {
        T* to = out.mutable_elements<T>();
        T blank = Narrowed<T>(plan_.outside, false);
        for (int64_t row = 0; row < step.outer * table.along.out; ++row) {
          SIGNET_RETURN_IF_ERROR(poll.Spend(2 + step.inner / 4));
          if (table.outside[static_cast<size_t>(row % table.along.out)] == 0) continue;
          std::fill_n(to + row * step.inner, step.inner, blank);
        }
      }
      return absl::OkStatus();
    });
  }

  const ResizePlan plan_;
};

StatusOr<std::unique_ptr<Kernel>> MakeResize(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(ResizePlan plan,
                          ResizePlanOf(request.call, ShapeOf(request.call.inputs[0]).rank()));
  double taps = plan.mode == ResizeMode::kNearest ? 1 : plan.mode == ResizeMode::kLinear ? 2 : 4;
  auto kernel = std::make_unique<ResizeKernel>(std::move(plan));
  kernel->set_cost(500 + GuessElements(request.outputs[0]) * taps);
  return kernel;
}

constexpr KernelDef kResizeKernels[] = {{"resize", OrLate<MakeResize>}};

}  // namespace

std::span<const KernelDef> ResizeKernels() { return kResizeKernels; }

}  // namespace signet
