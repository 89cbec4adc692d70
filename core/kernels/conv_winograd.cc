#include "core/kernels/conv_winograd.h"

#include <algorithm>

#include "core/kernels/pieces.h"

namespace signet {
namespace {

constexpr int64_t kBlockRows = 64;  // channels of the result at a time

int64_t NumTiles(const WindowAxis& axis) { return (axis.out + kWinogradTile - 1) / kWinogradTile; }

// The layout of tiles: each is a window of 4 elements, 2 apart.
PhaseLayout TileLayout(const ConvSizes& sizes) {
  SpatialAxes axes = sizes.axes;
  for (size_t i = 1; i < axes.size(); ++i) {
    axes[i].kernel = kWinogradSize;
    axes[i].stride = kWinogradTile;
    axes[i].out = NumTiles(axes[i]);
  }
  return {axes, false};
}

int64_t RoundUp(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

}  // namespace

bool WinogradConv::Suits(const ConvTable& table, const ConvSizes& sizes) {
  const auto& [depth, height, width] = sizes.axes;
  bool fits = depth.kernel == 1 && depth.size == 1 && depth.out == 1 && depth.before == 0;
  for (const WindowAxis* axis : {&height, &width}) {
    fits = fits && axis->kernel == 3 && axis->stride == 1 && axis->dilation == 1 && axis->out > 0;
  }
  if (!fits || sizes.in < 16 || sizes.out < 16) return false;
  // Multiplications for each pair of channels; transforms cost as much as some channels more.
  int64_t tiles = (NumTiles(height) - 1) * (NumTiles(width) + 1) + NumTiles(width);
  double overhead = 1 + 4 / static_cast<double>(sizes.in) + 6 / static_cast<double>(sizes.out);
  auto own = static_cast<double>(kWinogradElements * RoundUp(tiles, table.lanes));
  auto plain = static_cast<double>(9 * RoundUp(height.out * (width.out + 2), table.lanes));
  return own * overhead < 0.9 * plain;
}

WinogradConv::WinogradConv(const ConvTable& table, const ConvFinish& finish, const ConvSizes& sizes,
                           const float* weights)
    : table_(table), finish_(finish), transforms_(SIGNET_ACTIVE_TABLE(WinogradTable)) {
  int64_t panel_size = sizes.in * table_.rows;
  int64_t element_size = NumPanels(sizes) * panel_size;
  packed_.assign(static_cast<size_t>(sizes.groups * kWinogradElements * element_size), 0);
  float transformed[kWinogradElements];
  for (int64_t row = 0; row < sizes.groups * sizes.out; ++row) {
    int64_t group = row / sizes.out;
    int64_t own = row % sizes.out;
    for (int64_t c = 0; c < sizes.in; ++c) {
      transforms_.weights(weights + (row * sizes.in + c) * 9, transformed);
      int64_t at = group * kWinogradElements * element_size + own / table_.rows * panel_size +
                   c * table_.rows + own % table_.rows;
      for (int64_t i = 0; i < kWinogradElements; ++i) {
        packed_[static_cast<size_t>(at + i * element_size)] = transformed[i];
      }
    }
  }
}

Status WinogradConv::Run(KernelContext& context, const ConvSizes& sizes, const float* x,
                         const float* bias, const float* residual, float* out) const {
  PhaseLayout layout = TileLayout(sizes);
  int64_t channels = sizes.groups * sizes.in;
  int64_t slack = table_.columns;
  SIGNET_ASSIGN_OR_RETURN(float* phases,
                          ScratchFloats(context, channels * layout.channel() + slack));
  std::fill_n(phases + channels * layout.channel(), slack, 0.0F);
  int64_t blocks = (layout.columns() + table_.columns - 1) / table_.columns;
  int64_t rows = std::min(RoundUp(sizes.out, table_.rows), kBlockRows);
  int64_t floats =
      (kWinogradElements * (sizes.in + rows) + kWinogradTile * kWinogradTile) * table_.columns;
  double products = 2.0 * static_cast<double>(kWinogradElements * sizes.in * sizes.out) *
                    static_cast<double>(table_.columns) / kFlopsPerNanosecond;
  for (int64_t image = 0; image < sizes.batch; ++image) {
    const float* from = x + image * channels * sizes.x_plane();
    context.parallel().For(
        channels, static_cast<double>(layout.channel()) / 4, [&](int64_t begin, int64_t end) {
          for (int64_t c = begin; c < end; ++c) {
            layout.Split(table_, from + c * sizes.x_plane(), phases + c * layout.channel());
          }
        });
    SIGNET_RETURN_IF_ERROR(ForPieces(
        context, sizes.groups * blocks, products, floats, [&](int64_t task, float* scratch) {
          RunBlock(sizes, layout, phases, image, task / blocks, task % blocks * table_.columns,
                   bias, residual, out, scratch);
        }));
  }
  return absl::OkStatus();
}

void WinogradConv::RunBlock(const ConvSizes& sizes, const PhaseLayout& layout, const float* phases,
                            int64_t image, int64_t group, int64_t column, const float* bias,
                            const float* residual, float* out, float* scratch) const {
  int64_t end = std::min(column + table_.columns, layout.columns());
  int64_t columns = RoundUp(end - column, table_.lanes);
  // Transformed inputs [element][channel][column], sums [element][row][column], results.
  float* inputs = scratch;
  float* sums = inputs + kWinogradElements * sizes.in * columns;
  int64_t block_rows = std::min(RoundUp(sizes.out, table_.rows), kBlockRows);
  float* results = sums + kWinogradElements * block_rows * columns;
  for (int64_t c = 0; c < sizes.in; ++c) {
    const float* channel = phases + (group * sizes.in + c) * layout.channel() + column;
    transforms_.input(channel, layout.taps().data(), columns, sizes.in * columns,
                      inputs + c * columns);
  }
  int64_t panel_size = sizes.in * table_.rows;
  int64_t element_size = NumPanels(sizes) * panel_size;
  const float* weights = packed_.data() + group * kWinogradElements * element_size;
  for (int64_t first = 0; first < sizes.out; first += kBlockRows) {
    int64_t rows = std::min(kBlockRows, sizes.out - first);
    int64_t panels = (rows + table_.rows - 1) / table_.rows;
    for (int64_t i = 0; i < kWinogradElements; ++i) {
      table_.multiply(weights + i * element_size + first / table_.rows * panel_size,
                      inputs + i * sizes.in * columns, sums + i * block_rows * columns, panels,
                      columns, sizes.in, columns, false);
    }
    const WindowAxis& height = sizes.axes[1];
    const WindowAxis& width = sizes.axes[2];
    int64_t tiles_across = NumTiles(width);
    int64_t row_stride = columns * kWinogradTile;
    for (int64_t row = 0; row < rows; ++row) {
      transforms_.output(sums + row * columns, block_rows * columns, columns, results, row_stride);
      int64_t channel = group * sizes.out + first + row;
      int64_t plane = (image * sizes.groups * sizes.out + channel) * sizes.out_plane();
      float add = bias == nullptr ? 0 : bias[channel];
      layout.ForEachRun(column, end, [&](int64_t from, int64_t tile, int64_t count) {
        int64_t h = tile / tiles_across * kWinogradTile;
        int64_t w = tile % tiles_across * kWinogradTile;
        int64_t length = std::min(count * kWinogradTile, width.out - w);
        for (int64_t i = 0; i < std::min(kWinogradTile, height.out - h); ++i) {
          int64_t at = plane + (h + i) * width.out + w;
          finish_.Run(results + i * row_stride + (from - column) * kWinogradTile, add,
                      residual == nullptr ? nullptr : residual + at, length, out + at);
        }
      });
    }
  }
}

}  // namespace signet
