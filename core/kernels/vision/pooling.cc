// The kernels of `average_pool`, `lp_pool`, `max_pool`, and `max_unpool`: determine which rows are
// combined; the arithmetic on rows is in simd/pooling.cc.

#include "core/kernels/simd/pooling.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/kernels/def/late_kernel.h"
#include "core/kernels/def/request.h"
#include "core/kernels/loops/half_floats.h"
#include "core/kernels/loops/pieces.h"
#include "core/kernels/vision/conv_layout.h"
#include "core/kernels/vision/vision_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

enum class PoolKind : uint8_t { kMax, kAverage, kNorm };

bool IsHalf(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBFloat16; }

struct PoolSizes {
  int64_t planes;  // batch times channels
  SpatialAxes axes;
  int64_t x_plane() const { return PlaneOf(axes, &WindowAxis::size); }
  int64_t out_plane() const { return PlaneOf(axes, &WindowAxis::out); }
};

// The positions [first, last) for which element `tap` of the window is within the input.
struct Range {
  int64_t first;
  int64_t last;
};
Range Within(const WindowAxis& axis, int64_t tap) {
  int64_t shift = tap * axis.dilation - axis.before;  // position p is at p * stride + shift
  int64_t first = shift >= 0 ? 0 : (-shift + axis.stride - 1) / axis.stride;
  int64_t last = shift >= axis.size ? 0 : (axis.size - 1 - shift) / axis.stride + 1;
  first = std::min(first, axis.out);
  return {first, std::clamp(last, first, axis.out)};
}

// Returns the number of elements of the window at `position` that are within the input, or within
// the input and its blanks.
int64_t CountAt(const WindowAxis& axis, int64_t position, bool with_blanks) {
  int64_t count = 0;
  for (int64_t tap = 0; tap < axis.kernel; ++tap) {
    int64_t at = position * axis.stride + tap * axis.dilation - axis.before;
    count += with_blanks ? at < axis.size + axis.after : at >= 0 && at < axis.size;
  }
  return count;
}

class PoolKernel final : public Kernel {
 public:
  PoolKernel(PoolKind kind, DType dtype, Window window)
      : kind_(kind), dtype_(dtype), window_(std::move(window)) {}

  bool with_blanks = false;   // average: blanks count as elements
  bool indices = false;       // max: also returns the index of each maximum
  bool column_major = false;  // order of the indices
  int64_t p = 2;

  Status Run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    if (x.rank() != window_.rank() + 2) {
      return WithConstraint("C2", InvalidArgument("input 0: expected rank ", window_.rank() + 2,
                                                  ", found `", x.spec(), "`"));
    }
    PoolSizes sizes{x.shape().dim(0) * x.shape().dim(1), {}};
    Shape shape = x.shape();
    for (int axis = 0; axis < window_.rank(); ++axis) {
      int place = kMaxSpatialRank - window_.rank() + axis;
      WindowAxis& slot = sizes.axes[static_cast<size_t>(place)];
      SIGNET_ASSIGN_OR_RETURN(slot,
                              WithConstraint("C2", window_.Along(axis, x.shape().dim(axis + 2))));
      shape.set_dim(axis + 2, slot.out);
    }
    SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckOutputSize(shape.dims())));
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, shape));
    int64_t* where = nullptr;
    if (indices) {
      SIGNET_ASSIGN_OR_RETURN(Tensor * second, context.Allocate(1, shape));
      where = second->mutable_elements<int64_t>();
    }
    if (out->num_elements() == 0) return absl::OkStatus();
    if (IsHalf(dtype_)) {
      SIGNET_ASSIGN_OR_RETURN(const float* wide, Widened(context, x));
      SIGNET_ASSIGN_OR_RETURN(float* wide_out, ScratchFloats(context, out->num_elements()));
      if (where == nullptr && kind_ != PoolKind::kNorm) {
        SIGNET_RETURN_IF_ERROR(RunFloats(context, sizes, wide, wide_out));
      } else {
        SIGNET_RETURN_IF_ERROR(RunOf<float>(context, sizes, wide, wide_out, where));
      }
      return Narrow(context, wide_out, *out);
    }
    if (dtype_ == DType::kFloat32 && where == nullptr && kind_ != PoolKind::kNorm) {
      return RunFloats(context, sizes, x.elements<float>().data(), out->mutable_elements<float>());
    }
    return VisitDType(dtype_, [&](auto tag) {
      return RunDType<typename decltype(tag)::type>(context, sizes, x, *out, where);
    });
  }

 private:
  template <class T>
  Status RunDType(KernelContext& context, const PoolSizes& sizes, const Tensor& x, Tensor& out,
                  int64_t* where) const {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      return RunOf<T>(context, sizes, x.elements<T>().data(), out.mutable_elements<T>(), where);
    } else {
      return Internal("inference accepted a dtype that pooling ops do not support");
    }
  }

  template <class T>
  Status RunOf(KernelContext& context, const PoolSizes& sizes, const T* x, T* out,
               int64_t* where) const {
    const auto& [depth, height, width] = sizes.axes;
    int64_t taps = depth.kernel * height.kernel * width.kernel;
    double cost = static_cast<double>(sizes.out_plane() * taps) / (indices ? 1 : 4);
    return context.For(sizes.planes, cost, [&](int64_t begin, int64_t end) {
      StopPoll poll(context);
      for (int64_t plane = begin; plane < end; ++plane) {
        const T* from = x + plane * sizes.x_plane();
        T* to = out + plane * sizes.out_plane();
        if (where != nullptr) {
          FindMax(poll, sizes, from, plane * sizes.x_plane(), to,
                  where + plane * sizes.out_plane());
        } else if constexpr (!std::is_floating_point_v<T>) {
          TakeRows(poll, sizes, from, to, std::numeric_limits<T>::lowest());
        } else if (kind_ == PoolKind::kMax) {
          TakeRows(poll, sizes, from, to, -std::numeric_limits<T>::infinity());
        } else {
          TakeRows(poll, sizes, from, to, T(0));
          kind_ == PoolKind::kAverage ? Divide(poll, sizes, to) : ComputeRoots(poll, sizes, to);
        }
      }
    });
  }

  // Calls take(row) for each row of the input that is in the windows at (od, oh).
  template <class Take>
  static void ForRowsWithin(const PoolSizes& sizes, int64_t od, int64_t oh, Take take) {
    const auto& [depth, height, width] = sizes.axes;
    for (int64_t kd = 0; kd < depth.kernel; ++kd) {
      int64_t d = od * depth.stride + kd * depth.dilation - depth.before;
      if (d < 0 || d >= depth.size) continue;
      for (int64_t kh = 0; kh < height.kernel; ++kh) {
        int64_t h = oh * height.stride + kh * height.dilation - height.before;
        if (h >= 0 && h < height.size) take(d * height.size + h);
      }
    }
  }

  // Computes the maximum or the average, one plane at a time. First combines each row of windows
  // into one line.
  Status RunFloats(KernelContext& context, const PoolSizes& sizes, const float* x,
                   float* out) const {
    const WindowAxis &depth = sizes.axes[0], &height = sizes.axes[1], &width = sizes.axes[2];
    const bool is_max = kind_ == PoolKind::kMax;
    const PoolTable& table = SIGNET_ACTIVE_TABLE(PoolTable);
    const PoolPlaneFns& functions = is_max ? table.max_planes : table.sum_planes;
    const float initial = is_max ? -std::numeric_limits<float>::infinity() : 0;
    const int64_t pitch =
        std::max(width.before + width.size, (width.out - 1) * width.stride + width.reach());
    const int64_t lines = depth.out * height.out;
    const int64_t rows_size = (depth.kernel * height.kernel + 7) / 8 * 16;  // pointers, in floats
    const int64_t floats = rows_size + lines * pitch + 2 * table.lanes * width.stride;
    double touched = static_cast<double>(lines * depth.kernel * height.kernel * width.size +
                                         sizes.out_plane() * width.kernel);
    return ForPieces(
        context, sizes.planes, touched / 16, floats,
        [&](int64_t plane, float* scratch, StopPoll& poll) {
          const float* from = x + plane * sizes.x_plane();
          auto* rows = reinterpret_cast<const float**>(scratch);
          float* line = scratch + rows_size;
          for (int64_t od = 0; od < depth.out; ++od) {
            for (int64_t oh = 0; oh < height.out; ++oh, line += pitch) {
              if (poll.Stops(10 + depth.kernel * height.kernel * (4 + width.size / 16))) return;
              std::fill_n(line, width.before, initial);
              std::fill(line + width.before + width.size, line + pitch, initial);
              int64_t num_rows = 0;
              ForRowsWithin(sizes, od, oh,
                            [&](int64_t row) { rows[num_rows++] = from + row * width.size; });
              functions.join_rows(rows, num_rows, width.size, initial, line + width.before);
            }
          }
          float* to = out + plane * sizes.out_plane();
          const int64_t line_cost = 10 + width.out * width.kernel / 16;
          const int64_t at_once = std::max<int64_t>(1, kStopInterval / line_cost);
          for (int64_t first = 0; first < lines; first += at_once) {
            const int64_t count = std::min(at_once, lines - first);
            if (poll.Stops(count * line_cost)) return;
            functions.slide({scratch + rows_size + first * pitch, pitch, count, width.kernel,
                             width.dilation, width.stride, width.out, to + first * width.out});
          }
          if (!is_max) Divide(poll, sizes, to);
        });
  }

  template <class T>
  void TakeRows(StopPoll& poll, const PoolSizes& sizes, const T* x, T* out, T initial) const {
    const PoolTable& table = SIGNET_ACTIVE_TABLE(PoolTable);
    auto number = static_cast<size_t>(DTypeOf<T>::value);
    PoolRowFn take = kind_ == PoolKind::kMax ? table.max[number] : table.sum[number];
    const WindowAxis &depth = sizes.axes[0], &height = sizes.axes[1], &width = sizes.axes[2];
    std::fill_n(out, sizes.out_plane(), initial);
    for (int64_t od = 0; od < depth.out; ++od) {
      for (int64_t oh = 0; oh < height.out; ++oh, out += width.out) {
        ForRowsWithin(sizes, od, oh, [&](int64_t in_row) {
          const T* row = x + in_row * width.size;
          if (poll.Stops(width.kernel * (4 + width.out / 4))) return;
          for (int64_t kw = 0; kw < width.kernel; ++kw) {
            Range range = Within(width, kw);
            if (range.first == range.last) continue;
            const T* from = row + range.first * width.stride + kw * width.dilation - width.before;
            int64_t count = range.last - range.first;
            if (kind_ != PoolKind::kNorm) {
              take(from, width.stride, count, out + range.first);
              continue;
            }
            if constexpr (std::is_floating_point_v<T>) {
              for (int64_t i = 0; i < count; ++i) {
                out[range.first + i] += Power(std::abs(from[i * width.stride]));
              }
            }
          }
        });
      }
    }
  }

  template <class T>
  T Power(T x) const {
    return p == 1 ? x : p == 2 ? x * x : std::pow(x, static_cast<T>(p));
  }

  template <class T>
  void Divide(StopPoll& poll, const PoolSizes& sizes, T* out) const {
    const auto& depth = sizes.axes[0];
    const auto& height = sizes.axes[1];
    const auto& width = sizes.axes[2];
    // The counts of the first windows of a row are computed once, which is sufficient for most
    // images.
    constexpr int64_t kKnown = 128;
    std::array<int64_t, kKnown> in_width;
    const int64_t known = std::min(width.out, kKnown);
    for (int64_t ow = 0; ow < known; ++ow) {
      in_width[static_cast<size_t>(ow)] = CountAt(width, ow, with_blanks);
    }
    for (int64_t od = 0; od < depth.out; ++od) {
      int64_t in_depth = CountAt(depth, od, with_blanks);
      for (int64_t oh = 0; oh < height.out; ++oh) {
        int64_t in_rows = in_depth * CountAt(height, oh, with_blanks);
        if (poll.Stops(2 + known)) return;
        for (int64_t ow = 0; ow < known; ++ow) {
          *out++ /= static_cast<T>(in_rows * in_width[static_cast<size_t>(ow)]);
        }
        for (int64_t ow = known; ow < width.out; ++ow) {
          if (poll.Stops(10)) return;
          *out++ /= static_cast<T>(in_rows * CountAt(width, ow, with_blanks));
        }
      }
    }
  }

  template <class T>
  void ComputeRoots(StopPoll& poll, const PoolSizes& sizes, T* out) const {
    for (int64_t i = 0; i < sizes.out_plane(); ++i) {
      if (poll.Stops(5)) return;
      if (p == 2) out[i] = std::sqrt(out[i]);
      if (p > 2) out[i] = std::pow(out[i], T(1) / static_cast<T>(p));
    }
  }

  // Computes each maximum and its index in the whole input. `offset` is the index at which the
  // plane begins.
  template <class T>
  void FindMax(StopPoll& poll, const PoolSizes& sizes, const T* x, int64_t offset, T* out,
               int64_t* where) const {
    const auto& [depth, height, width] = sizes.axes;
    for (int64_t i = 0; i < sizes.out_plane(); ++i) {
      int64_t od = i / width.out / height.out;
      int64_t oh = i / width.out % height.out;
      int64_t ow = i % width.out;
      T best = std::numeric_limits<T>::lowest();
      if constexpr (std::is_floating_point_v<T>) best = -std::numeric_limits<T>::infinity();
      int64_t found = -1;
      for (int64_t kd = 0; kd < depth.kernel; ++kd) {
        int64_t d = od * depth.stride + kd * depth.dilation - depth.before;
        if (d < 0 || d >= depth.size) continue;
        for (int64_t kh = 0; kh < height.kernel; ++kh) {
          int64_t h = oh * height.stride + kh * height.dilation - height.before;
          if (h < 0 || h >= height.size) continue;
          if (poll.Stops(4 + width.kernel)) return;
          for (int64_t kw = 0; kw < width.kernel; ++kw) {
            int64_t w = ow * width.stride + kw * width.dilation - width.before;
            if (w < 0 || w >= width.size) continue;
            T value = x[(d * height.size + h) * width.size + w];
            if (found >= 0 && !(value > best)) continue;
            best = value;
            found = column_major ? (w * height.size + h) * depth.size + d
                                 : (d * height.size + h) * width.size + w;
          }
        }
      }
      out[i] = best;
      where[i] = offset + std::max<int64_t>(found, 0);
    }
  }

  const PoolKind kind_;
  const DType dtype_;
  const Window window_;
};

MadeKernel MakePool(const KernelRequest& request) {
  const OpCall& call = request.call;
  DType dtype = DTypeIn(call.inputs[0]);
  PoolKind kind = call.op.name == "max_pool"       ? PoolKind::kMax
                  : call.op.name == "average_pool" ? PoolKind::kAverage
                                                   : PoolKind::kNorm;
  SIGNET_ASSIGN_OR_RETURN(auto sizes, call.attributes.Ints("kernel"));
  double taps = 1;
  for (int64_t size : sizes) taps *= static_cast<double>(size);
  SIGNET_ASSIGN_OR_RETURN(Window window, WindowOf(call, std::move(sizes), "C2"));
  auto kernel = std::make_unique<PoolKernel>(kind, dtype, std::move(window));
  switch (kind) {
    case PoolKind::kMax: {
      SIGNET_ASSIGN_OR_RETURN(kernel->indices, call.attributes.Bool("indices"));
      SIGNET_ASSIGN_OR_RETURN(kernel->column_major, call.attributes.Bool("column_major"));
      break;
    }
    case PoolKind::kAverage: {
      SIGNET_ASSIGN_OR_RETURN(kernel->with_blanks, call.attributes.Bool("count_include_pad"));
      break;
    }
    case PoolKind::kNorm: {
      SIGNET_ASSIGN_OR_RETURN(kernel->p, call.attributes.Int("p"));
      break;
    }
  }
  bool fast = dtype == DType::kFloat32 && !kernel->indices;
  kernel->set_cost(200 + GuessElements(request.outputs[0]) * taps /
                             (fast              ? 16
                              : kernel->indices ? 1
                                                : 4));
  return kernel;
}

MadeKernel MakeMaxUnpool(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    auto indices = context.input(1).elements<int64_t>();
    auto sizes = context.input(2).elements<int64_t>();
    if (static_cast<int64_t>(indices.size()) != x.num_elements()) {
      return WithConstraint("C2", InvalidArgument("indices: expected ", x.num_elements(),
                                                  " elements, found ", indices.size()));
    }
    if (static_cast<int>(sizes.size()) != x.rank()) {
      return WithConstraint(
          "C3", InvalidArgument("shape: expected ", x.rank(), " sizes, found ", sizes.size()));
    }
    SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckOutputSize(sizes)));
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, Shape(sizes)));
    size_t width = SizeOf(x.dtype());
    std::byte* to = out->data().mutable_data();
    SIGNET_RETURN_IF_ERROR(
        FillElements(context, to, static_cast<int64_t>(out->data().size()), std::byte{0}));
    StopPoll poll(context);
    for (size_t i = 0; i < indices.size(); ++i) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(4));
      if (indices[i] < 0 || indices[i] >= out->num_elements()) {
        return WithConstraint("C4", OutOfRange("indices: expected at least 0 and less than ",
                                               out->num_elements(), ", found ", indices[i]));
      }
      std::copy_n(x.data().data() + i * width, width, to + static_cast<size_t>(indices[i]) * width);
    }
    return absl::OkStatus();
  });
}

constexpr KernelDef kPoolingKernels[] = {
    {"average_pool", OrLate<MakePool>},
    {"lp_pool", OrLate<MakePool>},
    {"max_pool", OrLate<MakePool>},
    {"max_unpool", OrLate<MakeMaxUnpool>},
};

}  // namespace

std::span<const KernelDef> PoolingKernels() { return kPoolingKernels; }

}  // namespace signet
