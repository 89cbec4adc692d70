// Regions of images: max_roi_pool, roi_align, non_max_suppression.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/kernels/all_kernels.h"
#include "core/kernels/late_kernel.h"
#include "core/kernels/request.h"
#include "core/ops/inference.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

constexpr int64_t kMostSamples = 1 << 12;  // of a cell along one dimension

struct RegionArguments {
  DType dtype;
  int64_t height;
  int64_t width;
  double scale;
  bool take_max = false;
  bool half_pixel = false;
  int64_t sampling_ratio = 0;
};

StatusOr<RegionArguments> ArgumentsOf(const OpCall& call) {
  RegionArguments out{.dtype = DTypeIn(call.inputs[0]), .height = 0, .width = 0, .scale = 1};
  SIGNET_ASSIGN_OR_RETURN(auto size, call.attributes.Ints("size"));
  out.height = size[0];
  out.width = size[1];
  SIGNET_ASSIGN_OR_RETURN(out.scale, call.attributes.Float("spatial_scale"));
  if (!call.attributes.Has("mode")) return out;
  SIGNET_ASSIGN_OR_RETURN(std::string mode, call.attributes.String("mode"));
  out.take_max = mode == "max";
  SIGNET_ASSIGN_OR_RETURN(out.half_pixel, call.attributes.Bool("half_pixel"));
  SIGNET_ASSIGN_OR_RETURN(out.sampling_ratio, call.attributes.Int("sampling_ratio"));
  return out;
}

// run(tag) of float or double.
template <class Run>
Status VisitReal(DType dtype, Run run) {
  return dtype == DType::kFloat64 ? run(double{}) : run(float{});
}

Status CheckBatch(int64_t region, int64_t image, int64_t batch) {
  if (image >= 0 && image < batch) return absl::OkStatus();
  return OutOfRange("C5 region ", region, " is of image ", image, "; there are ", batch);
}

// --- roi_align ----------------------------------------------------------------------------------

// Where a point lies between four elements.
template <class T>
struct Corners {
  int64_t at[4] = {};
  T weights[4] = {};
};

template <class T>
Corners<T> CornersOf(T y, T x, int64_t height, int64_t width) {
  Corners<T> out;
  if (y < -1 || y > static_cast<T>(height) || x < -1 || x > static_cast<T>(width)) return out;
  auto split = [](T at, int64_t size, int64_t& low, int64_t& high) -> T {
    at = std::max(at, T(0));
    low = static_cast<int64_t>(at);
    if (low >= size - 1) {
      low = high = size - 1;
      return 0;
    }
    high = low + 1;
    return at - static_cast<T>(low);
  };
  int64_t top;
  int64_t bottom;
  int64_t left;
  int64_t right;
  T down = split(y, height, top, bottom);
  T along = split(x, width, left, right);
  const int64_t at[] = {top * width + left, top * width + right, bottom * width + left,
                        bottom * width + right};
  const T weights[] = {(1 - down) * (1 - along), (1 - down) * along, down * (1 - along),
                       down * along};
  std::copy_n(at, 4, out.at);
  std::copy_n(weights, 4, out.weights);
  return out;
}

template <class T>
Status AlignRegion(const RegionArguments& arguments, const T* region, const T* x,
                   const Shape& shape, T* out) {
  int64_t channels = shape.dim(1);
  int64_t height = shape.dim(2);
  int64_t width = shape.dim(3);
  auto scale = static_cast<T>(arguments.scale);
  T shift = arguments.half_pixel ? T(0.5) : T(0);
  T left = region[0] * scale - shift;
  T top = region[1] * scale - shift;
  T across = region[2] * scale - shift - left;
  T down = region[3] * scale - shift - top;
  if (!arguments.half_pixel) {
    across = std::max(across, T(1));
    down = std::max(down, T(1));
  }
  T cell_height = down / static_cast<T>(arguments.height);
  T cell_width = across / static_cast<T>(arguments.width);
  if (!(std::abs(cell_height) <= kMostSamples) || !(std::abs(cell_width) <= kMostSamples) ||
      !std::isfinite(left) || !std::isfinite(top)) {
    return InvalidArgument("C5 cells of ", cell_height, " by ", cell_width,
                           " elements; takes up to ", kMostSamples);
  }
  auto samples = [&](T cell) {
    return arguments.sampling_ratio > 0 ? arguments.sampling_ratio
                                        : static_cast<int64_t>(std::ceil(cell));
  };
  int64_t rows = std::max<int64_t>(samples(cell_height), 0);
  int64_t columns = std::max<int64_t>(samples(cell_width), 0);
  std::vector<Corners<T>> corners(static_cast<size_t>(rows * columns));
  int64_t plane = arguments.height * arguments.width;
  for (int64_t cell = 0; cell < plane; ++cell) {
    for (int64_t i = 0; i < rows * columns; ++i) {
      auto middle = [](int64_t sample, int64_t count, T size) {
        return (static_cast<T>(sample) + T(0.5)) * size / static_cast<T>(count);
      };
      T y = top + static_cast<T>(cell / arguments.width) * cell_height +
            middle(i / columns, rows, cell_height);
      T at = left + static_cast<T>(cell % arguments.width) * cell_width +
             middle(i % columns, columns, cell_width);
      corners[static_cast<size_t>(i)] = CornersOf(y, at, height, width);
    }
    for (int64_t c = 0; c < channels; ++c) {
      const T* from = x + c * height * width;
      T result = 0;
      bool first = true;
      for (const Corners<T>& corner : corners) {
        T parts[4];
        for (size_t k = 0; k < 4; ++k) parts[k] = corner.weights[k] * from[corner.at[k]];
        // As ONNX Runtime has it, the largest of what the four elements contribute.
        T largest = *std::max_element(parts, parts + 4);
        T sum = parts[0] + parts[1] + parts[2] + parts[3];
        result = !arguments.take_max ? result + sum : first ? largest : std::max(result, largest);
        first = false;
      }
      if (!arguments.take_max) {
        result /= static_cast<T>(std::max<int64_t>(1, rows * columns));
      }
      out[c * plane + cell] = result;
    }
  }
  return absl::OkStatus();
}

MadeKernel MakeRoiAlign(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(RegionArguments arguments, ArgumentsOf(request.call));
  return MakeKernel([arguments](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    const Tensor& regions = context.input(1);
    auto images = context.input(2).elements<int64_t>();
    int64_t count = regions.shape().dim(0);
    if (static_cast<int64_t>(images.size()) != count) {
      return InvalidArgument("C2 ", images.size(), " batch indices; takes ", count);
    }
    Shape shape = {count, x.shape().dim(1), arguments.height, arguments.width};
    SIGNET_RETURN_IF_ERROR(Labelled("C4", CheckOutputSize(shape.dims())));
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    if (x.shape().dim(2) == 0 || x.shape().dim(3) == 0) {
      return InvalidArgument("C5 an image of shape `", x.shape(), "` has no elements");
    }
    return VisitReal(arguments.dtype, [&]<class T>(T) -> Status {
      int64_t image_size = x.num_elements() / std::max<int64_t>(1, x.shape().dim(0));
      int64_t own = out->num_elements() / count;
      for (int64_t i = 0; i < count; ++i) {
        int64_t image = images[static_cast<size_t>(i)];
        SIGNET_RETURN_IF_ERROR(CheckBatch(i, image, x.shape().dim(0)));
        SIGNET_RETURN_IF_ERROR(AlignRegion<T>(arguments, regions.elements<T>().data() + i * 4,
                                              x.elements<T>().data() + image * image_size,
                                              x.shape(), out->mutable_elements<T>() + i * own));
      }
      return absl::OkStatus();
    });
  });
}

// --- max_roi_pool -------------------------------------------------------------------------------

template <class T>
void PoolRegion(const RegionArguments& arguments, const T* region, const T* x, const Shape& shape,
                T* out) {
  int64_t height = shape.dim(2);
  int64_t width = shape.dim(3);
  auto scaled = [&](T value) {
    double at = std::round(static_cast<double>(value) * arguments.scale);
    return std::isnan(at) ? 0.0 : std::clamp(at, -1e9, 1e9);
  };
  // Elements [begin, end) of cell `i` of `cells`, from `first` to `last`.
  auto cell_range = [](int64_t i, int64_t cells, double first, double last, int64_t size,
                       int64_t& begin, int64_t& end) {
    double cell = std::max(last - first + 1, 1.0) / static_cast<double>(cells);
    auto most = static_cast<double>(size);
    begin = static_cast<int64_t>(
        std::clamp(std::floor(static_cast<double>(i) * cell) + first, 0.0, most));
    end = static_cast<int64_t>(
        std::clamp(std::ceil(static_cast<double>(i + 1) * cell) + first, 0.0, most));
  };
  double left = scaled(region[1]);
  double top = scaled(region[2]);
  double right = scaled(region[3]);
  double bottom = scaled(region[4]);
  for (int64_t c = 0; c < shape.dim(1); ++c, x += height * width) {
    for (int64_t h = 0; h < arguments.height; ++h) {
      int64_t h_begin;
      int64_t h_end;
      cell_range(h, arguments.height, top, bottom, height, h_begin, h_end);
      for (int64_t w = 0; w < arguments.width; ++w) {
        int64_t w_begin;
        int64_t w_end;
        cell_range(w, arguments.width, left, right, width, w_begin, w_end);
        T best = 0;
        bool first = true;
        for (int64_t i = h_begin; i < h_end; ++i) {
          for (int64_t j = w_begin; j < w_end; ++j) {
            T value = x[i * width + j];
            if (first || value > best) best = value;
            first = false;
          }
        }
        *out++ = best;
      }
    }
  }
}

MadeKernel MakeMaxRoiPool(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(RegionArguments arguments, ArgumentsOf(request.call));
  return MakeKernel([arguments](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    const Tensor& regions = context.input(1);
    int64_t count = regions.shape().dim(0);
    Shape shape = {count, x.shape().dim(1), arguments.height, arguments.width};
    SIGNET_RETURN_IF_ERROR(Labelled("C4", CheckOutputSize(shape.dims())));
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    return VisitReal(arguments.dtype, [&]<class T>(T) -> Status {
      int64_t image_size = x.num_elements() / std::max<int64_t>(1, x.shape().dim(0));
      int64_t own = out->num_elements() / count;
      for (int64_t i = 0; i < count; ++i) {
        const T* region = regions.elements<T>().data() + i * 5;
        bool fits = region[0] >= 0 && region[0] < 1e9;
        int64_t image = fits ? static_cast<int64_t>(region[0]) : -1;
        SIGNET_RETURN_IF_ERROR(CheckBatch(i, image, x.shape().dim(0)));
        PoolRegion<T>(arguments, region, x.elements<T>().data() + image * image_size, x.shape(),
                      out->mutable_elements<T>() + i * own);
      }
      return absl::OkStatus();
    });
  });
}

// --- non_max_suppression ------------------------------------------------------------------------

struct Box {
  float top;
  float left;
  float bottom;
  float right;
  float area() const { return (bottom - top) * (right - left); }
};

Box BoxOf(const float* box, bool center_point) {
  if (center_point) {
    float half_width = box[2] / 2;
    float half_height = box[3] / 2;
    return {box[1] - half_height, box[0] - half_width, box[1] + half_height, box[0] + half_width};
  }
  return {std::min(box[0], box[2]), std::min(box[1], box[3]), std::max(box[0], box[2]),
          std::max(box[1], box[3])};
}

bool Overlap(const Box& a, const Box& b, float threshold) {
  float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (height <= 0 || width <= 0 || a.area() <= 0 || b.area() <= 0) return false;
  float shared = height * width;
  return shared / (a.area() + b.area() - shared) > threshold;
}

MadeKernel MakeNonMaxSuppression(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(bool center_point, request.call.attributes.Bool("center_point"));
  return MakeKernel([center_point](KernelContext& context) -> Status {
    const Tensor& boxes = context.input(0);
    const Tensor& scores = context.input(1);
    int64_t batch = boxes.shape().dim(0);
    int64_t count = boxes.shape().dim(1);
    int64_t classes = scores.shape().dim(1);
    if (scores.shape() != Shape{batch, classes, count}) {
      return InvalidArgument("C1 scores of shape `", scores.shape(), "` for boxes of shape `",
                             boxes.shape(), "`");
    }
    auto given = [&](size_t i) { return context.num_inputs() > i && context.input(i).has_value(); };
    for (size_t i = 2; i < 5; ++i) {
      if (!given(i) || context.input(i).num_elements() == 1) continue;
      return InvalidArgument("C2 input ", i, " has ", context.input(i).num_elements(),
                             " elements; takes one");
    }
    int64_t most = given(2) ? context.input(2).scalar<int64_t>() : 0;
    float overlap = given(3) ? context.input(3).scalar<float>() : 0;
    if (!(overlap >= 0 && overlap <= 1)) {
      return InvalidArgument("C4 iou_threshold is ", overlap, "; takes 0 to 1");
    }
    std::vector<int64_t> picked;
    std::vector<int64_t> order;
    std::vector<Box> kept;
    for (int64_t row = 0; row < batch * classes && most > 0; ++row) {
      const float* own = scores.elements<float>().data() + row * count;
      const float* corners = boxes.elements<float>().data() + row / classes * count * 4;
      order.clear();
      for (int64_t i = 0; i < count; ++i) {
        bool good = !given(4) || own[i] > context.input(4).scalar<float>();
        if (good && !std::isnan(own[i])) order.push_back(i);
      }
      std::stable_sort(order.begin(), order.end(),
                       [&](int64_t a, int64_t b) { return own[a] > own[b]; });
      kept.clear();
      for (int64_t i : order) {
        if (static_cast<int64_t>(kept.size()) >= most) break;
        Box box = BoxOf(corners + i * 4, center_point);
        bool free = std::none_of(kept.begin(), kept.end(),
                                 [&](const Box& other) { return Overlap(box, other, overlap); });
        if (!free) continue;
        kept.push_back(box);
        picked.insert(picked.end(), {row / classes, row % classes, i});
      }
    }
    SIGNET_ASSIGN_OR_RETURN(Tensor * out,
                            context.Allocate(0, {static_cast<int64_t>(picked.size()) / 3, 3}));
    std::copy(picked.begin(), picked.end(), out->mutable_elements<int64_t>());
    return absl::OkStatus();
  });
}

constexpr KernelDef kKernels[] = {
    {"max_roi_pool", OrLate<MakeMaxRoiPool, Needs::kShapes>},
    {"non_max_suppression", OrLate<MakeNonMaxSuppression, Needs::kShapes>},
    {"roi_align", OrLate<MakeRoiAlign, Needs::kShapes>},
};

}  // namespace

std::span<const KernelDef> RegionKernels() { return kKernels; }

}  // namespace signet
