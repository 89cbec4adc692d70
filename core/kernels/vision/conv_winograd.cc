#include "core/kernels/vision/conv_winograd.h"

#include <algorithm>

#include "core/kernels/loops/pieces.h"

namespace signet {
namespace {

constexpr int64_t kBlockRows = 64;           // output channels at a time
constexpr int64_t kPlaneFloats = 256 << 10;  // floats of the images at a time
constexpr int64_t kMostVectors = 3;          // vectors of tiles at a time

int64_t CeilOf(int64_t n, int64_t by) { return (n + by - 1) / by; }

// Number of rows and columns of quads of an image.
int64_t QuadRows(const WinogradForm& form, const ConvSizes& sizes) {
  return CeilOf(sizes.axes[1].out, form.tile);
}
int64_t QuadColumns(const WinogradForm& form, const ConvSizes& sizes) {
  return CeilOf(sizes.axes[2].out, 4 * form.tile);
}

// PlainCost and CostOf estimate the cycles of a processor that starts two vector multiplications
// per cycle: for products, transforms, and the memory accesses to the weights.
constexpr double kCyclesOfFloat = 0.4;
double PlainCost(const ConvTable& table, const ConvSizes& sizes) {
  auto pairs = static_cast<double>(sizes.in * sizes.out);
  auto vectors = static_cast<double>(CeilOf(sizes.out_plane(), table.lanes));
  return 9 * pairs * (vectors / 2 / 0.85 + kCyclesOfFloat);
}
double CostOf(const WinogradForm& form, const ConvTable& table, const ConvSizes& sizes) {
  auto pairs = static_cast<double>(sizes.in * sizes.out);
  auto channels = static_cast<double>(sizes.in + sizes.out);
  auto elements = static_cast<double>(form.elements);
  auto vectors = static_cast<double>(
      CeilOf(QuadRows(form, sizes) * QuadColumns(form, sizes), table.lanes / 4));
  return elements * (pairs * (vectors / 2 / 0.8 + kCyclesOfFloat) + 4 * channels * vectors);
}

}  // namespace

const WinogradForm* WinogradConv::BestForm(const ConvTable& table, const ConvSizes& sizes) {
  const auto& [depth, height, width] = sizes.axes;
  bool fits = depth.kernel == 1 && depth.size == 1 && depth.out == 1 && depth.before == 0;
  for (const WindowAxis* axis : {&height, &width}) {
    fits = fits && axis->kernel == 3 && axis->stride == 1 && axis->dilation == 1 && axis->out > 0;
  }
  if (!fits || sizes.in < 8 || sizes.out < 8) return nullptr;
  const WinogradForm* best = nullptr;
  double least = PlainCost(table, sizes);
  for (const WinogradForm& form : SIGNET_ACTIVE_TABLE(WinogradTable).forms) {
    double cost = CostOf(form, table, sizes);
    if (cost >= least) continue;
    least = cost;
    best = &form;
  }
  return best;
}

int64_t WinogradConv::PackedSize(const WinogradForm& form, const ConvTable& table,
                                 const ConvSizes& sizes) {
  return sizes.groups * form.elements * CeilOf(sizes.out, table.rows) * table.rows * sizes.in;
}

WinogradConv::WinogradConv(const WinogradForm& form, const ConvTable& table,
                           const ConvFinish& finish, const ConvSizes& sizes, const float* weights,
                           Buffer buffer)
    : form_(form), table_(table), finish_(finish), packed_(std::move(buffer)) {
  int64_t panel_size = sizes.in * table_.rows;
  int64_t element_size = NumPanels(sizes) * panel_size;
  auto* packed = reinterpret_cast<float*>(packed_.mutable_data());
  std::fill_n(packed, PackedSize(form, table, sizes), 0.0F);
  float transformed[kMostWinogradElements];
  for (int64_t row = 0; row < sizes.groups * sizes.out; ++row) {
    int64_t group = row / sizes.out;
    int64_t own = row % sizes.out;
    for (int64_t c = 0; c < sizes.in; ++c) {
      form_.weights(weights + (row * sizes.in + c) * 9, transformed);
      int64_t at = group * form_.elements * element_size + own / table_.rows * panel_size +
                   c * table_.rows + own % table_.rows;
      for (int64_t i = 0; i < form_.elements; ++i) {
        packed[at + i * element_size] = transformed[i];
      }
    }
  }
}

Status WinogradConv::Run(KernelContext& context, const ConvSizes& sizes, const float* x,
                         const float* bias, const float* residual, float* out) const {
  const WindowAxis& height = sizes.axes[1];
  const WindowAxis& width = sizes.axes[2];
  const int64_t quads_down = QuadRows(form_, sizes);
  const int64_t quads_across = QuadColumns(form_, sizes);
  const int64_t quads_of_vector = table_.lanes / 4;
  const int64_t vectors = CeilOf(quads_down * quads_across, quads_of_vector);
  const int64_t row_stride = quads_across * 4 * form_.tile + 2;
  const int64_t rows = quads_down * form_.tile + 2;
  SIGNET_ASSIGN_OR_RETURN(
      std::byte * quad_bytes,
      context.Scratch(static_cast<size_t>(vectors * quads_of_vector) * sizeof(WinogradQuad)));
  auto* quads = reinterpret_cast<WinogradQuad*>(quad_bytes);
  for (int64_t i = 0; i < vectors * quads_of_vector; ++i) {
    int64_t h = i / quads_across * form_.tile;
    int64_t w = i % quads_across * 4 * form_.tile;
    bool there = i < quads_down * quads_across;
    quads[i] = there ? WinogradQuad{.from = h * row_stride + w,
                                    .to = h * width.out + w,
                                    .width = width.out - w,
                                    .height = height.out - h}
                     : WinogradQuad{};
  }
  // Planes with blanks, of several images.
  const int64_t zero = 0;
  const PhaseAxis axes[] = {{1, 0, 1, 1, &zero, 1},
                            {height.size, height.before, 1, rows, &zero, 1},
                            {width.size, width.before, 1, row_stride, &zero, 1}};
  const int64_t blocks = CeilOf(vectors, kMostVectors);
  const int64_t columns = CeilOf(vectors, blocks) * table_.lanes;
  SIGNET_ASSIGN_OR_RETURN(std::byte * offset_bytes,
                          context.Scratch(static_cast<size_t>(sizes.in) * sizeof(int64_t)));
  auto* offsets = reinterpret_cast<int64_t*>(offset_bytes);
  for (int64_t c = 0; c < sizes.in; ++c) offsets[c] = c * columns;
  Call call{sizes, bias, residual, out, quads, row_stride, rows * row_stride, columns, offsets};
  const int64_t channels = sizes.groups * sizes.in;
  const int64_t images = std::clamp(kPlaneFloats / (channels * call.plane), int64_t{1},
                                    std::max<int64_t>(1, sizes.batch));
  const int64_t floats = images * channels * call.plane;
  SIGNET_ASSIGN_OR_RETURN(float* planes, ScratchFloats(context, floats + kWinogradSlack));
  std::fill_n(planes + floats, kWinogradSlack, 0.0F);

  const int64_t threads = context.parallel().num_threads();
  const int64_t panels = NumPanels(sizes);
  int64_t parts = 1;  // number of parts that the output channels are divided into
  if (images * sizes.groups * blocks < threads) parts = std::min(threads, panels);
  const int64_t scratch = form_.elements * (sizes.in + kBlockRows) * columns;
  for (int64_t first = 0; first < sizes.batch; first += images) {
    const int64_t count = std::min(images, sizes.batch - first);
    const float* from = x + first * channels * sizes.x_plane();
    SIGNET_RETURN_IF_ERROR(context.For(
        count * channels, static_cast<double>(call.plane) / 8, [&](int64_t begin, int64_t end) {
          for (int64_t c = begin; c < end; ++c) {
            table_.split(from + c * sizes.x_plane(), axes, planes + c * call.plane);
          }
        }));
    const int64_t tasks = count * sizes.groups * blocks * parts;
    const double cost = sizes.operations() / 3 * static_cast<double>(count) /
                        static_cast<double>(sizes.batch * tasks) / kFlopsPerNanosecond;
    SIGNET_RETURN_IF_ERROR(
        ForPieces(context, tasks, cost, scratch, [&](int64_t task, float* room, StopPoll& poll) {
          const int64_t part = task % parts;
          const int64_t block = task / parts % blocks;
          const int64_t plane = task / parts / blocks;  // the group of an image
          const int64_t first_vector = vectors * block / blocks;
          const int64_t first_row = panels * part / parts * table_.rows;
          const int64_t end_row = std::min(sizes.out, panels * (part + 1) / parts * table_.rows);
          RunBlock(call,
                   {.planes = planes + plane * sizes.in * call.plane,
                    .image = first + plane / sizes.groups,
                    .group = plane % sizes.groups,
                    .first_vector = first_vector,
                    .vectors = vectors * (block + 1) / blocks - first_vector,
                    .first_row = first_row,
                    .rows = end_row - first_row},
                   room, poll);
        }));
  }
  return absl::OkStatus();
}

void WinogradConv::RunBlock(const Call& call, const Block& block, float* scratch,
                            StopPoll& poll) const {
  const ConvSizes& sizes = call.sizes;
  const int64_t columns = call.columns;
  const int64_t quads_of_vector = table_.lanes / 4;
  const WinogradQuad* quads = call.quads + block.first_vector * quads_of_vector;
  // Transformed inputs are [element][channel][column]; sums are [element][row][column].
  float* inputs = scratch;
  float* sums = inputs + form_.elements * sizes.in * columns;
  for (int64_t c = 0; c < sizes.in; ++c) {
    if (poll.Stops(20 * block.vectors)) return;
    for (int64_t v = 0; v < block.vectors; ++v) {
      form_.input(block.planes + c * call.plane, call.row_stride, quads + v * quads_of_vector,
                  sizes.in * columns, inputs + c * columns + v * table_.lanes);
    }
  }
  const int64_t panel_size = sizes.in * table_.rows;
  const int64_t element_size = NumPanels(sizes) * panel_size;
  const float* weights =
      reinterpret_cast<const float*>(packed_.data()) + block.group * form_.elements * element_size;
  ConvProduct product{};
  product.offsets = call.offsets;
  product.k = sizes.in;
  product.columns = block.vectors * table_.lanes;
  product.c_stride = columns;
  ConvProduct finish{};
  finish_.AddTo(finish);
  for (int64_t first = block.first_row; first < block.first_row + block.rows; first += kBlockRows) {
    product.rows = std::min(kBlockRows, block.first_row + block.rows - first);
    for (int64_t i = 0; i < form_.elements; ++i) {
      if (poll.Stops(2 * product.rows * product.columns * product.k / 80)) return;
      product.a = weights + i * element_size + first / table_.rows * panel_size;
      product.b = inputs + i * sizes.in * columns;
      product.c = sums + i * kBlockRows * columns;
      table_.multiply(product);
    }
    for (int64_t row = 0; row < product.rows; ++row) {
      const int64_t channel = block.group * sizes.out + first + row;
      const int64_t at = (block.image * sizes.groups * sizes.out + channel) * sizes.out_plane();
      const WinogradResult result{
          .out = call.out + at,
          .row_stride = sizes.axes[2].out,
          .residual = call.residual == nullptr ? nullptr : call.residual + at,
          .bias = call.bias == nullptr ? 0 : call.bias[channel],
          .clips = finish.clips,
          .low = finish.low,
          .high = finish.high};
      for (int64_t v = 0; v < block.vectors; ++v) {
        const WinogradQuad* own = quads + v * quads_of_vector;
        form_.output(sums + row * columns + v * table_.lanes, kBlockRows * columns, own, result);
        if (finish_.in_product()) continue;
        for (int64_t q = 0; q < quads_of_vector; ++q) {
          for (int64_t i = 0; i < std::min(form_.tile, own[q].height); ++i) {
            finish_.RunRest(std::min(4 * form_.tile, own[q].width),
                            result.out + own[q].to + i * result.row_stride);
          }
        }
      }
    }
  }
}

}  // namespace signet
