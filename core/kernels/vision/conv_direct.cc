#include "core/kernels/vision/conv_direct.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "core/kernels/loops/pieces.h"

namespace signet {
namespace {

constexpr int64_t kMostLaidOut = 1 << 17;  // floats that are worth a layout of their own
constexpr int64_t kMostShared = 96;        // rows of weights
constexpr int64_t kLeastShared = 64;       // elements of a window
constexpr int64_t kMostRows = 8;           // rows of DirectTable
constexpr int64_t kMostLanes = 16;
constexpr int64_t kMostBlock =
    int64_t{10} * 1024;  // floats of the input that stay in the nearest cache

int64_t RoundUp(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

// Returns true if the columns of a layout with blanks are exactly the windows.
bool IsWhole(const SpatialAxes& axes) {
  auto grows = [](const WindowAxis& axis) { return axis.reach() > axis.stride; };
  return !grows(axes[2]) && (!grows(axes[1]) || axes[0].out == 1);
}

int64_t RowsOf(const WindowAxis& axis) { return axis.out + (axis.reach() - 1) / axis.stride; }

// Returns the number of floats of a channel that is laid out once per element of a row of the
// window.
int64_t JoinedSize(const SpatialAxes& axes) {
  return std::min(axes[1].kernel, axes[1].stride) * axes[2].kernel * RowsOf(axes[1]) * axes[2].out;
}

// Returns true if the rows are laid out again, and false if they are multiplied one by one.
bool IsJoined(const SpatialAxes& axes, int64_t out, int64_t lanes) {
  if (axes[0].kernel != 1 || axes[0].out != 1) return false;
  if (PlaneOf(axes, &WindowAxis::out) < lanes || axes[2].out < lanes) return true;
  double wasted = static_cast<double>(RoundUp(axes[2].out, lanes) - axes[2].out);
  double copied = 4.0 * static_cast<double>(RowsOf(axes[1]) * axes[2].out) /
                  static_cast<double>(axes[1].out * axes[1].kernel * out);
  return copied < wasted;
}

}  // namespace

bool DirectConv::Suits(const ConvSizes& sizes) {
  const DirectTable& direct = SIGNET_ACTIVE_TABLE(DirectTable);
  if (sizes.in == 1 && sizes.out <= 4) return false;
  if (PlaneOf(sizes.axes, &WindowAxis::out) == 0 || sizes.in * sizes.taps == 0) return false;
  bool whole = IsWhole(sizes.axes) && sizes.out_plane() >= direct.lanes;
  bool joined = !whole && IsJoined(sizes.axes, sizes.out, direct.lanes);
  if (!whole && !joined && sizes.axes[2].out < direct.lanes) return false;
  // If many rows of weights use the same windows, packing the windows is faster. Packing is also
  // faster for whole tiles of columns, unless all columns fit in two vectors.
  const int64_t columns = sizes.out_plane();
  const bool few_columns = columns <= 2 * direct.lanes;
  if (sizes.out > kMostShared && sizes.in * sizes.taps > kLeastShared && !few_columns) return false;
  if (sizes.out > 3 * direct.rows && columns < 3 * direct.lanes && !few_columns) return false;
  int64_t channel = joined ? JoinedSize(sizes.axes) : PlaneOf(sizes.axes, &WindowAxis::size);
  int64_t floats = sizes.groups * sizes.in * channel;
  if (floats <= kMostLaidOut) return true;
  return !joined && sizes.out <= 2 * direct.rows;
}

DirectConv::DirectConv(const ConvTable& table, const ConvFinish& finish,
                       const Activation& activation, const ConvSizes& sizes, const float* weights)
    : table_(table),
      direct_(SIGNET_ACTIVE_TABLE(DirectTable)),
      finish_(finish),
      sizes_(sizes),
      layout_(sizes.axes, IsWhole(sizes.axes) && sizes.out_plane() >= direct_.lanes) {
  const auto& [depth, height, width] = sizes_.axes;
  clips_ = activation.kind == ActivationKind::kClip || activation.kind == ActivationKind::kNone;
  bool bounded = activation.kind == ActivationKind::kClip;
  low_ = bounded ? activation.alpha : -std::numeric_limits<float>::infinity();
  high_ = bounded ? activation.beta : std::numeric_limits<float>::infinity();

  bool whole = IsWhole(sizes_.axes) && sizes_.out_plane() >= direct_.lanes;
  joined_ = !whole && IsJoined(sizes_.axes, sizes_.out, direct_.lanes);
  positions_ = RowsOf(width);
  height_ = RowsOf(height);
  channel_ = layout_.channel();
  std::vector<int64_t> taps = layout_.taps();
  if (joined_) {
    // Element (h, w) of the window is in the layout of its phase and w, some rows down.
    int64_t plane = height_ * positions_;
    int64_t rows = height_ * width.out;
    for (int64_t h = 0; h < height.kernel; ++h) {
      int64_t first = layout_.taps()[static_cast<size_t>(h * width.kernel)];
      auto found = std::find(slots_.begin(), slots_.end(), first / plane);
      int64_t slot = found - slots_.begin();
      if (found == slots_.end()) slots_.push_back(first / plane);
      for (int64_t w = 0; w < width.kernel; ++w) {
        taps[static_cast<size_t>(h * width.kernel + w)] =
            (slot * width.kernel + w) * rows + first % plane / positions_ * width.out;
      }
    }
    channel_ = std::ssize(slots_) * width.kernel * rows;
  }
  offsets_.reserve(static_cast<size_t>(sizes_.in * sizes_.taps));
  for (int64_t c = 0; c < sizes_.in; ++c) {
    for (int64_t tap : taps) offsets_.push_back(c * channel_ + tap);
  }

  by_rows_ = !whole && !joined_;
  const int64_t tile = 3 * direct_.lanes;
  const int64_t fits = kMostBlock / (sizes_.in * sizes_.taps) / tile * tile;
  run_ = by_rows_ ? width.out : std::min(std::clamp(fits, tile, 4 * tile), sizes_.out_plane());
  num_runs_ = sizes_.out_plane() / run_;

  for (int64_t first = 0; first < sizes_.out;) {
    auto left = static_cast<uint64_t>(std::min(direct_.rows, sizes_.out - first));
    panels_.push_back({first, static_cast<int64_t>(std::bit_floor(left))});
    first += panels_.back().rows;
  }
  int64_t k = sizes_.in * sizes_.taps;
  packed_.reserve(static_cast<size_t>(sizes_.groups * sizes_.out * k));
  for (int64_t group = 0; group < sizes_.groups; ++group) {
    for (const Panel& panel : panels_) {
      const float* rows = weights + (group * sizes_.out + panel.first) * k;
      for (int64_t l = 0; l < k; ++l) {
        for (int64_t i = 0; i < panel.rows; ++i) packed_.push_back(rows[i * k + l]);
      }
    }
  }
}

// Copies `channels` channels of `x` into `to` in the joined layout. `phases` has room for
// layout_.channel() floats and one more vector.
void DirectConv::LayOut(const float* x, int64_t channels, float* phases, float* to) const {
  const int64_t kernel = sizes_.axes[2].kernel;
  const int64_t width = sizes_.axes[2].out;
  const int64_t plane = height_ * positions_;
  const std::vector<int64_t>& taps = layout_.taps();
  for (int64_t c = 0; c < channels; ++c, x += sizes_.x_plane(), to += channel_) {
    layout_.Split(table_, x, joined_ ? phases : to);
    if (!joined_) continue;
    float* next = to;
    for (int64_t slot : slots_) {
      for (int64_t w = 0; w < kernel; ++w, next += height_ * width) {
        const float* from = phases + slot * plane + taps[static_cast<size_t>(w)] - taps[0];
        direct_.join(from, positions_, height_, width, next);
      }
    }
  }
}

void DirectConv::Multiply(const Image& image, int64_t group, Range panels, Range runs,
                          StopPoll& poll) const {
  const int64_t k = std::ssize(offsets_);
  const int64_t run_cost = 2 * k * run_ * direct_.rows / 80;
  const WindowAxis& height = sizes_.axes[1];
  const int64_t plane = sizes_.out_plane();
  // The number of input elements that all panels read while the elements are in cache.
  const int64_t touched = by_rows_ ? sizes_.in * positions_ * height.stride : k * run_;
  const int64_t block = std::max<int64_t>(1, kMostBlock / touched);
  for (int64_t begin = runs.begin; begin < runs.end; begin += block) {
    const int64_t end = std::min(begin + block, runs.end);
    for (int64_t p = panels.begin; p < panels.end; ++p) {
      const Panel& panel = panels_[static_cast<size_t>(p)];
      const int64_t row = group * sizes_.out + panel.first;
      DirectArguments with = {.weights = packed_.data() + row * k,
                              .bias = image.bias == nullptr ? nullptr : image.bias + row,
                              .from = nullptr,
                              .offsets = offsets_.data(),
                              .k = k,
                              .columns = 0,
                              .residual = nullptr,
                              .out = nullptr,
                              .stride = plane,
                              .low = low_,
                              .high = high_};
      for (int64_t run = begin; run < end; ++run) {
        if (poll.Stops(run_cost)) return;
        const int64_t at = row * plane + run * run_;
        const float* residual = image.residual == nullptr ? nullptr : image.residual + at;
        with.columns = run + 1 < num_runs_ ? run_ : plane - run * run_;
        with.from = image.from + run * run_;
        if (by_rows_) {
          with.from = image.from + (run / height.out * height_ + run % height.out) * positions_;
        }
        with.residual = residual;
        with.out = image.out + at;
        if (with.columns >= direct_.lanes) {
          direct_.multiply(panel.rows, with);
          for (int64_t i = 0; i < panel.rows && !clips_; ++i) {
            float* to = with.out + i * plane;
            finish_.Run(to, 0, nullptr, with.columns, to);
          }
          continue;
        }
        float sums[kMostRows * kMostLanes];
        float* to = with.out;
        const int64_t columns = std::exchange(with.columns, direct_.lanes);
        with.out = sums;
        with.stride = direct_.lanes;
        with.residual = nullptr;
        // The residual is added before the clip.
        with.low = -std::numeric_limits<float>::infinity();
        with.high = std::numeric_limits<float>::infinity();
        direct_.multiply(panel.rows, with);
        for (int64_t i = 0; i < panel.rows; ++i) {
          finish_.Run(sums + i * direct_.lanes, 0,
                      residual == nullptr ? nullptr : residual + i * plane, columns,
                      to + i * plane);
        }
      }
    }
  }
}

Status DirectConv::Run(KernelContext& context, const ConvSizes& sizes, const float* x,
                       const float* bias, const float* residual, float* out) const {
  const int64_t slack = direct_.lanes;
  const int64_t phases_size = joined_ ? RoundUp(layout_.channel() + slack, 16) : 0;
  const int64_t laid_out = layout_.borrows() ? 0 : sizes.in * channel_ + slack;
  const int64_t all_panels = std::ssize(panels_);
  const int64_t in_plane = sizes.in * sizes.x_plane();
  const int64_t out_image = sizes.groups * sizes.out * sizes.out_plane();
  auto image_of = [&](int64_t image) {
    int64_t at = image * out_image;
    return Image{nullptr, bias, residual == nullptr ? nullptr : residual + at, out + at};
  };
  const int64_t tasks = sizes.batch * sizes.groups;
  const int64_t threads = context.parallel().num_threads();
  const double cost = sizes.operations() / kFlopsPerNanosecond;
  const double lay_out_cost = static_cast<double>(channel_) / 8;
  if (tasks >= threads || cost < kWorthThreads) {
    double task_cost = cost / static_cast<double>(tasks) +
                       lay_out_cost * static_cast<double>(layout_.borrows() ? 0 : sizes.in);
    return ForPieces(context, tasks, task_cost, phases_size + laid_out,
                     [&](int64_t task, float* scratch, StopPoll& poll) {
                       Image image = image_of(task / sizes.groups);
                       image.from = x + task * in_plane;
                       if (laid_out > 0) {
                         LayOut(image.from, sizes.in, scratch, scratch + phases_size);
                         image.from = scratch + phases_size;
                       }
                       Multiply(image, task % sizes.groups, {0, all_panels}, {0, num_runs_}, poll);
                     });
  }
  // All threads lay out an image, and then multiply it.
  float* all = nullptr;
  if (laid_out > 0) {
    SIGNET_ASSIGN_OR_RETURN(all, ScratchFloats(context, sizes.groups * laid_out));
  }
  const int64_t panel_blocks = std::min(all_panels, 2 * threads);
  const int64_t run_blocks = panel_blocks >= threads ? 1 : std::min(num_runs_, 4 * threads);
  const int64_t pieces = sizes.groups * panel_blocks * run_blocks;
  for (int64_t i = 0; i < sizes.batch; ++i) {
    const float* from = x + i * sizes.groups * in_plane;
    if (laid_out > 0) {
      SIGNET_RETURN_IF_ERROR(ForPieces(context, sizes.groups * sizes.in, lay_out_cost, phases_size,
                                       [&](int64_t c, float* scratch) {
                                         LayOut(from + c * sizes.x_plane(), 1, scratch,
                                                all + c / sizes.in * laid_out +
                                                    c % sizes.in * channel_);
                                       }));
    }
    SIGNET_RETURN_IF_ERROR(ForPieces(
        context, pieces, cost / static_cast<double>(sizes.batch * pieces), 0,
        [&](int64_t piece, float*, StopPoll& poll) {
          int64_t group = piece / (panel_blocks * run_blocks);
          int64_t panel = piece / run_blocks % panel_blocks;
          int64_t run = piece % run_blocks;
          Image image = image_of(i);
          image.from = laid_out > 0 ? all + group * laid_out : from + group * in_plane;
          Multiply(image, group,
                   {all_panels * panel / panel_blocks, all_panels * (panel + 1) / panel_blocks},
                   {num_runs_ * run / run_blocks, num_runs_ * (run + 1) / run_blocks}, poll);
        }));
  }
  return absl::OkStatus();
}

}  // namespace signet
