// The kernels of `max_roi_pool`, `non_max_suppression`, and `roi_align`: ops on regions of images.

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "core/kernels/def/late_kernel.h"
#include "core/kernels/def/request.h"
#include "core/kernels/loops/growing_bytes.h"
#include "core/kernels/loops/merge_sort.h"
#include "core/kernels/vision/box.h"
#include "core/kernels/vision/vision_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

constexpr int64_t kMostSamples = 1 << 12;  // per cell along one dimension

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

Status CheckBatch(int64_t region, int64_t image, int64_t batch) {
  if (image >= 0 && image < batch) return absl::OkStatus();
  return WithConstraint("C5", OutOfRange("region ", region, ": expected the index of one of ",
                                         batch, " images, found ", image));
}

// --- roi_align ----------------------------------------------------------------------------------

// The position of a sample along one dimension, between two elements.
template <class T>
struct Sample {
  int64_t low;
  int64_t high;
  T beyond_low;  // the weight of `high`
};

// Computes the samples of a cell along one dimension. Samples outside of the image are omitted;
// their value is 0.
template <class T>
void SampleCell(T begin, T length, int64_t count, int64_t size, std::vector<Sample<T>>& samples) {
  samples.clear();
  for (int64_t i = 0; i < count; ++i) {
    T at = begin + (static_cast<T>(i) + T(0.5)) * length / static_cast<T>(count);
    if (!(at >= -1 && at <= static_cast<T>(size))) continue;
    at = std::max(at, T(0));
    auto low = static_cast<int64_t>(at);
    if (low >= size - 1) {
      samples.push_back({size - 1, size - 1, 0});
    } else {
      samples.push_back({low, low + 1, at - static_cast<T>(low)});
    }
  }
}

// Returns the average or the maximum of the samples of a cell. `all` is the number of samples
// including those outside of the image.
template <class T>
T CellOf(const T* plane, int64_t width, bool take_max, std::span<const Sample<T>> rows,
         std::span<const Sample<T>> columns, int64_t all) {
  bool any_outside = static_cast<int64_t>(rows.size() * columns.size()) < all;
  T sum = 0;
  T most = any_outside ? T(0) : std::numeric_limits<T>::lowest();
  for (const Sample<T>& row : rows) {
    const T* top = plane + row.low * width;
    const T* bottom = plane + row.high * width;
    T down = row.beyond_low;
    for (const Sample<T>& column : columns) {
      T along = column.beyond_low;
      const T parts[] = {
          (1 - down) * (1 - along) * top[column.low], (1 - down) * along * top[column.high],
          down * (1 - along) * bottom[column.low], down * along * bottom[column.high]};
      // The maximum of the contributions of the four elements, as in ONNX Runtime.
      most = std::max(most, *std::max_element(parts, parts + 4));
      sum += parts[0] + parts[1] + parts[2] + parts[3];
    }
  }
  if (take_max) return all == 0 ? T(0) : most;
  return sum / static_cast<T>(std::max<int64_t>(1, all));
}

template <class T>
Status AlignRegion(StopPoll& poll, const RegionArguments& arguments, const T* region, const T* x,
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
    return WithConstraint(
        "C5", InvalidArgument("cells of ", cell_height, " by ", cell_width,
                              " elements exceed the limit of ", kMostSamples, " per dimension"));
  }
  auto count = [&](T cell) {
    int64_t samples = arguments.sampling_ratio > 0 ? arguments.sampling_ratio
                                                   : static_cast<int64_t>(std::ceil(cell));
    return std::max<int64_t>(samples, 0);
  };
  const int64_t num_rows = count(cell_height);
  const int64_t num_columns = count(cell_width);
  std::vector<Sample<T>> rows;
  std::vector<Sample<T>> columns;
  int64_t plane = arguments.height * arguments.width;
  for (int64_t cell = 0; cell < plane; ++cell) {
    int64_t i = cell / arguments.width;
    int64_t j = cell % arguments.width;
    SampleCell(top + static_cast<T>(i) * cell_height, cell_height, num_rows, height, rows);
    SampleCell(left + static_cast<T>(j) * cell_width, cell_width, num_columns, width, columns);
    for (int64_t c = 0; c < channels; ++c) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(20 + 5 * std::ssize(rows) * std::ssize(columns)));
      out[c * plane + cell] = CellOf<T>(x + c * height * width, width, arguments.take_max, rows,
                                        columns, num_rows * num_columns);
    }
  }
  return absl::OkStatus();
}

// Assumes that a region has at most the samples of the whole image.
double CostOfCells(const KernelRequest& request, int64_t sampling_ratio) {
  const PartialShape& x = ShapeOf(request.call.inputs[0]);
  double samples = sampling_ratio > 0 ? static_cast<double>(sampling_ratio * sampling_ratio)
                                      : GuessElements(x.Slice(2, 4));
  return 200 + 2 * samples * GuessElements(request.outputs[0]);
}

MadeKernel MakeRoiAlign(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(RegionArguments arguments, ArgumentsOf(request.call));
  auto kernel = MakeKernel([arguments](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    const Tensor& regions = context.input(1);
    auto images = context.input(2).elements<int64_t>();
    int64_t count = regions.shape().dim(0);
    if (static_cast<int64_t>(images.size()) != count) {
      return WithConstraint("C2",
                            InvalidArgument("batch indices: expected ", count,
                                            " elements, one per region, found ", images.size()));
    }
    Shape shape = {count, x.shape().dim(1), arguments.height, arguments.width};
    SIGNET_RETURN_IF_ERROR(WithConstraint("C4", CheckOutputSize(shape.dims())));
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    if (x.shape().dim(2) == 0 || x.shape().dim(3) == 0) {
      return WithConstraint(
          "C5",
          InvalidArgument("images: expected at least one element, found shape `", x.shape(), "`"));
    }
    return VisitFloatOrDouble(arguments.dtype, [&]<class T>(T) -> Status {
      int64_t image_size = x.num_elements() / std::max<int64_t>(1, x.shape().dim(0));
      int64_t own = out->num_elements() / count;
      StopPoll poll(context);
      for (int64_t i = 0; i < count; ++i) {
        int64_t image = images[static_cast<size_t>(i)];
        SIGNET_RETURN_IF_ERROR(CheckBatch(i, image, x.shape().dim(0)));
        SIGNET_RETURN_IF_ERROR(AlignRegion<T>(poll, arguments, regions.elements<T>().data() + i * 4,
                                              x.elements<T>().data() + image * image_size,
                                              x.shape(), out->mutable_elements<T>() + i * own));
      }
      return absl::OkStatus();
    });
  });
  kernel->set_cost(CostOfCells(request, arguments.sampling_ratio));
  return kernel;
}

// --- max_roi_pool -------------------------------------------------------------------------------

template <class T>
Status PoolRegion(StopPoll& poll, const RegionArguments& arguments, const T* region, const T* x,
                  const Shape& shape, T* out) {
  int64_t height = shape.dim(2);
  int64_t width = shape.dim(3);
  auto scaled = [&](T value) {
    double at = std::round(static_cast<double>(value) * arguments.scale);
    return std::isnan(at) ? 0.0 : std::clamp(at, -1e9, 1e9);
  };
  // Computes the elements [begin, end) of cell `i` of `cells`, where the cells divide [first,
  // last].
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
        SIGNET_RETURN_IF_ERROR(poll.Spend(20));
        T best = 0;
        bool first = true;
        for (int64_t i = h_begin; i < h_end; ++i) {
          SIGNET_RETURN_IF_ERROR(poll.Spend(w_end - w_begin));
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
  return absl::OkStatus();
}

MadeKernel MakeMaxRoiPool(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(RegionArguments arguments, ArgumentsOf(request.call));
  auto kernel = MakeKernel([arguments](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    const Tensor& regions = context.input(1);
    int64_t count = regions.shape().dim(0);
    Shape shape = {count, x.shape().dim(1), arguments.height, arguments.width};
    SIGNET_RETURN_IF_ERROR(WithConstraint("C4", CheckOutputSize(shape.dims())));
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    return VisitFloatOrDouble(arguments.dtype, [&]<class T>(T) -> Status {
      int64_t image_size = x.num_elements() / std::max<int64_t>(1, x.shape().dim(0));
      int64_t own = out->num_elements() / count;
      StopPoll poll(context);
      for (int64_t i = 0; i < count; ++i) {
        const T* region = regions.elements<T>().data() + i * 5;
        bool fits = region[0] >= 0 && region[0] < 1e9;
        int64_t image = fits ? static_cast<int64_t>(region[0]) : -1;
        SIGNET_RETURN_IF_ERROR(CheckBatch(i, image, x.shape().dim(0)));
        SIGNET_RETURN_IF_ERROR(PoolRegion<T>(poll, arguments, region,
                                             x.elements<T>().data() + image * image_size, x.shape(),
                                             out->mutable_elements<T>() + i * own));
      }
      return absl::OkStatus();
    });
  });
  kernel->set_cost(CostOfCells(request, 0));
  return kernel;
}

// --- non_max_suppression ------------------------------------------------------------------------

Box BoxOf(const float* box, bool center_point) {
  if (center_point) {
    float half_width = box[2] / 2;
    float half_height = box[3] / 2;
    return {box[1] - half_height, box[0] - half_width, box[1] + half_height, box[0] + half_width};
  }
  return Box::FromCorners(box);
}

MadeKernel MakeNonMaxSuppression(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(bool center_point, request.call.attributes.Bool("center_point"));
  auto kernel = MakeKernel([center_point](KernelContext& context) -> Status {
    const Tensor& boxes = context.input(0);
    const Tensor& scores = context.input(1);
    int64_t batch = boxes.shape().dim(0);
    int64_t count = boxes.shape().dim(1);
    int64_t classes = scores.shape().dim(1);
    if (scores.shape() != Shape{batch, classes, count}) {
      return WithConstraint(
          "C1", InvalidArgument("expected one score per box, found scores of shape `",
                                scores.shape(), "` and boxes of shape `", boxes.shape(), "`"));
    }
    auto given = [&](size_t i) { return context.num_inputs() > i && context.input(i).has_value(); };
    for (size_t i = 2; i < 5; ++i) {
      if (!given(i) || context.input(i).num_elements() == 1) continue;
      return WithConstraint("C2", InvalidArgument("input ", i, ": expected one element, found ",
                                                  context.input(i).num_elements()));
    }
    int64_t most = given(2) ? context.input(2).scalar<int64_t>() : 0;
    float overlap = given(3) ? context.input(3).scalar<float>() : 0;
    if (!(overlap >= 0 && overlap <= 1)) {
      return WithConstraint("C4",
                            InvalidArgument("iou_threshold: expected 0 to 1, found ", overlap));
    }
    auto room = [&](int64_t bytes) { return context.Scratch(static_cast<size_t>(bytes)); };
    SIGNET_ASSIGN_OR_RETURN(std::byte * orders,
                            room((count + MergeScratch(count)) * int64_t{sizeof(int64_t)}));
    SIGNET_ASSIGN_OR_RETURN(
        std::byte * boxes_kept,
        room(std::min(count, std::max<int64_t>(most, 0)) * int64_t{sizeof(Box)}));
    auto* order = reinterpret_cast<int64_t*>(orders);
    auto* kept = reinterpret_cast<Box*>(boxes_kept);
    StopPoll poll(context);
    GrowingBytes picked(poll, kMaxOutputElements);
    for (int64_t row = 0; row < batch * classes && most > 0; ++row) {
      const float* own = scores.elements<float>().data() + row * count;
      const float* corners = boxes.elements<float>().data() + row / classes * count * 4;
      int64_t candidates = 0;
      for (int64_t i = 0; i < count; ++i) {
        SIGNET_RETURN_IF_ERROR(poll.Spend(4));
        bool good = !given(4) || own[i] > context.input(4).scalar<float>();
        if (good && !std::isnan(own[i])) order[candidates++] = i;
      }
      if (!MergeSort(poll, order, order + count, candidates,
                     [&](int64_t a, int64_t b) { return own[a] > own[b]; })) {
        return context.CheckStop();
      }
      int64_t num_kept = 0;
      for (int64_t k = 0; k < candidates && num_kept < most; ++k) {
        SIGNET_RETURN_IF_ERROR(poll.Spend(10 + 4 * num_kept));
        Box box = BoxOf(corners + order[k] * 4, center_point);
        bool free = std::none_of(kept, kept + num_kept,
                                 [&](const Box& other) { return OverlapOf(box, other) > overlap; });
        if (!free) continue;
        kept[num_kept++] = box;
        const int64_t found[] = {row / classes, row % classes, order[k]};
        if (!picked.Append({reinterpret_cast<const char*>(found), sizeof(found)})) {
          return picked.status();
        }
      }
    }
    SIGNET_ASSIGN_OR_RETURN(
        Tensor * out, context.Allocate(0, {picked.size() / (3 * int64_t{sizeof(int64_t)}), 3}));
    return picked.CopyTo(out->data().mutable_data()) ? absl::OkStatus() : context.CheckStop();
  });
  // Each box is compared with the boxes that have been kept, which may be all.
  const PartialShape& scores = ShapeOf(request.call.inputs[1]);
  const Tensor* most = request.call.constant(2);
  double kept = GuessElements(scores.Slice(2, 3));
  if (most != nullptr && most->num_elements() == 1) {
    kept = std::min(kept, static_cast<double>(most->scalar<int64_t>()));
  }
  kernel->set_cost(200 + GuessElements(scores) * (10 + 2 * kept));
  return kernel;
}

constexpr KernelDef kRegionKernels[] = {
    {"max_roi_pool", OrLate<MakeMaxRoiPool, Needs::kShapes>},
    {"non_max_suppression", OrLate<MakeNonMaxSuppression, Needs::kShapes>},
    {"roi_align", OrLate<MakeRoiAlign, Needs::kShapes>},
};

}  // namespace

std::span<const KernelDef> RegionKernels() { return kRegionKernels; }

}  // namespace signet
