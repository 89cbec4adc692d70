#include "core/kernels/vision/conv_floats.h"

#include <algorithm>

#include "core/kernels/loops/pieces.h"
#include "core/kernels/simd/window_plane.h"

namespace signet {
namespace {

// Elements of a product's inner dimension that are summed at a time.
constexpr int64_t kMostSummed = 192;
// Weights that are multiplied by a tile, and stay in cache until the next tile.
constexpr int64_t kWeightFloats = 128 << 10;
constexpr int64_t kResultFloats = 64
                                  << 10;  // results that stay in cache until the next part is added
constexpr int64_t kPhaseFloats = 256 << 10;  // floats of the images that are processed at a time
// Number of tiles of the table's columns that are packed together.
constexpr int64_t kMostTiles = 8;
constexpr int64_t kMostColumns = 512;  // number of columns that are packed together

// PackRows divides weights [rows][k] into parts of the inner dimension, and packs each part as
// ConvTable::multiply requires.
int64_t NumPanels(const ConvTable& table, int64_t rows) {
  return (rows + table.rows - 1) / table.rows;
}
int64_t NumParts(int64_t k) { return std::max<int64_t>(1, (k + kMostSummed - 1) / kMostSummed); }
void PackRows(const ConvTable& table, const float* weights, int64_t rows, int64_t k,
              float* packed) {
  int64_t parts = NumParts(k);
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

// Returns the number of columns that are packed together. If sums are short, more columns are
// packed, so that longer parts of a result row are written at once.
int64_t TileColumns(const ConvTable& table, int64_t k) {
  return std::clamp<int64_t>(kMostSummed / std::max<int64_t>(1, k), 1, kMostTiles) * table.columns;
}

// Returns true if WindowPlane can read the windows in place.
bool MayReadInPlace(const ConvSizes& sizes) {
  const SpatialAxes& axes = sizes.axes;
  return axes[0].size == 1 && axes[0].kernel == 1 && axes[0].out == 1 && axes[0].before == 0 &&
         (axes[2].stride == 1 || (axes[2].stride == 2 && axes[2].dilation == 1)) &&
         axes[2].kernel <= SIGNET_ACTIVE_TABLE(WindowPlaneTable).most_width;
}

bool IsDepthwise(const ConvSizes& sizes) { return sizes.in == 1 && sizes.out <= 4; }

}  // namespace

// How the result of a group is divided: panels of channels by tiles of columns.
struct FloatConv::Blocks {
  int64_t panels;  // per block; the last block may have fewer
  int64_t tiles;
  int64_t num_panels;  // number of blocks
  int64_t num_tiles;
};
// The arguments of a product that are the same for all blocks of a group.
struct FloatConv::Block {
  const ConvSizes& sizes;
  const PhaseLayout& layout;
  const int64_t* offsets;  // of the elements of a window; then those of a tile of each width
  const float* from;       // phases of an image
  const float* packed;     // weights
  const float* bias;
  const float* residual;  // of the image
  float* out;
  int64_t group;
};

int64_t FloatConv::GroupSize(const ConvSizes& sizes) const {
  return NumPanels(table_, sizes.out) * table_.rows * sizes.in * sizes.taps;
}

int64_t FloatConv::PackedSize(const ConvSizes& sizes) const {
  return IsDepthwise(sizes) ? 0 : sizes.groups * GroupSize(sizes);
}

void FloatConv::Pack(const ConvSizes& sizes, const float* weights, float* packed) const {
  if (IsDepthwise(sizes)) return;
  int64_t k = sizes.in * sizes.taps;
  for (int64_t g = 0; g < sizes.groups; ++g) {
    PackRows(table_, weights + g * sizes.out * k, sizes.out, k, packed + g * GroupSize(sizes));
  }
}

Status FloatConv::Run(KernelContext& context, const ConvSizes& sizes, const float* x,
                      const float* weights, const float* packed, const float* bias,
                      const float* residual, float* out) const {
  if (IsDepthwise(sizes)) return RunDepthwise(context, sizes, x, weights, bias, residual, out);
  return RunProduct(context, sizes, x, packed, bias, residual, out);
}

Status FloatConv::RunDepthwise(KernelContext& context, const ConvSizes& sizes, const float* x,
                               const float* weights, const float* bias, const float* residual,
                               float* out) const {
  if (MayReadInPlace(sizes)) return RunPlanes(context, sizes, x, weights, bias, residual, out);
  PhaseLayout layout(sizes.axes, false);
  int64_t channels = sizes.groups * sizes.out;
  ConvProduct finish{};
  finish_.AddTo(finish);
  double cost = 2.0 * static_cast<double>(sizes.out_plane() * sizes.taps * sizes.out) / 60 + 100;
  return ForPieces(context, sizes.batch * sizes.groups, cost, layout.channel() + table_.lanes,
                   [&](int64_t task, float* phases) {
                     std::fill_n(phases + layout.channel(), table_.lanes, 0.0F);
                     layout.Split(table_, x + task * sizes.x_plane(), phases);
                     for (int64_t i = 0; i < sizes.out; ++i) {
                       int64_t channel = (task * sizes.out + i) % channels;
                       int64_t at = (task * sizes.out + i) * sizes.out_plane();
                       ConvSlide slide = layout.Slide(phases);
                       slide.weights = weights + channel * sizes.taps;
                       slide.out = out + at;
                       slide.residual = residual == nullptr ? nullptr : residual + at;
                       slide.bias = bias == nullptr ? 0 : bias[channel];
                       slide.clips = finish.clips;
                       slide.low = finish.low;
                       slide.high = finish.high;
                       layout.ForEachPlane(slide, table_.slide);
                       if (!finish_.in_product()) finish_.RunRest(sizes.out_plane(), out + at);
                     }
                   });
}

Status FloatConv::RunPlanes(KernelContext& context, const ConvSizes& sizes, const float* x,
                            const float* weights, const float* bias, const float* residual,
                            float* out) const {
  const WindowPlaneTable& table = SIGNET_ACTIVE_TABLE(WindowPlaneTable);
  auto axis = [](const WindowAxis& along) {
    return WindowPlane::Axis{along.size,     along.kernel, along.stride,
                             along.dilation, along.before, along.out};
  };
  const int64_t channels = sizes.groups * sizes.out;
  const double cost = 2.0 * static_cast<double>(sizes.out_plane() * sizes.taps) / 60 + 50;
  return context.For(sizes.batch * channels, cost, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t channel = task % channels;
      float* to = out + task * sizes.out_plane();
      table.run({.x = x + task / sizes.out * sizes.x_plane(),
                 .height = axis(sizes.axes[1]),
                 .width = axis(sizes.axes[2]),
                 .weights = weights + channel * sizes.taps,
                 .bias = bias == nullptr ? 0 : bias[channel],
                 .residual = residual == nullptr ? nullptr : residual + task * sizes.out_plane(),
                 .finish = finish_.arguments(),
                 .out = to});
      if (finish_.function() != nullptr) finish_.function()(to, to, sizes.out_plane());
    }
  });
}

FloatConv::Blocks FloatConv::BlocksOf(const ConvSizes& sizes, int64_t images,
                                      int64_t threads) const {
  int64_t k = sizes.in * sizes.taps;
  int64_t panels = NumPanels(table_, sizes.out);
  int64_t columns = TileColumns(table_, k);
  int64_t tiles = (sizes.out_plane() + columns - 1) / columns;
  auto cut = [](int64_t count, int64_t most) {
    int64_t blocks = (count + most - 1) / most;
    return (count + blocks - 1) / blocks;
  };
  Blocks blocks;
  int64_t panel_floats = std::min(k, kMostSummed) * table_.rows;
  blocks.panels = cut(panels, std::max<int64_t>(1, kWeightFloats / panel_floats));
  int64_t tile_floats = blocks.panels * table_.rows * columns;
  int64_t most_tiles = k > kMostSummed ? std::max<int64_t>(1, kResultFloats / tile_floats) : tiles;
  int64_t others = images * sizes.groups * ((panels + blocks.panels - 1) / blocks.panels);
  if (threads > 1) {  // all threads have the same amount of work
    int64_t wanted = (4 * threads + others - 1) / others;
    most_tiles = std::min(most_tiles, std::max<int64_t>(1, tiles / wanted));
  }
  blocks.tiles = cut(tiles, most_tiles);
  blocks.num_tiles = (tiles + blocks.tiles - 1) / blocks.tiles;
  if (blocks.num_tiles * others < threads && panels > 1) {
    blocks.panels = cut(panels, (panels + threads - 1) / threads);
  }
  blocks.num_panels = (panels + blocks.panels - 1) / blocks.panels;
  return blocks;
}

Status FloatConv::RunProduct(KernelContext& context, const ConvSizes& sizes, const float* x,
                             const float* packed, const float* bias, const float* residual,
                             float* out) const {
  PhaseLayout layout(sizes.axes, true);
  int64_t channels = sizes.groups * sizes.in;
  int64_t k = sizes.in * sizes.taps;
  int64_t images = 1;  // number of images at a time
  float* phases = nullptr;
  if (!layout.borrows()) {
    images = std::clamp(kPhaseFloats / std::max<int64_t>(1, channels * layout.channel()),
                        int64_t{1}, std::max<int64_t>(1, sizes.batch));
    SIGNET_ASSIGN_OR_RETURN(
        phases, ScratchFloats(context, images * channels * layout.channel() + table_.lanes));
    std::fill_n(phases + images * channels * layout.channel(), table_.lanes, 0.0F);
  } else {
    images = sizes.batch;
  }
  SIGNET_ASSIGN_OR_RETURN(std::byte * offset_bytes,
                          context.Scratch(static_cast<size_t>(k) * sizeof(int64_t)));
  auto* offsets = reinterpret_cast<int64_t*>(offset_bytes);
  for (int64_t l = 0; l < k; ++l) {
    offsets[l] =
        l / sizes.taps * layout.channel() + layout.taps()[static_cast<size_t>(l % sizes.taps)];
  }
  int64_t result = sizes.groups * sizes.out * sizes.out_plane();  // elements per image
  for (int64_t first = 0; first < sizes.batch; first += images) {
    int64_t count = std::min(images, sizes.batch - first);
    const float* from = x + first * channels * sizes.x_plane();
    if (phases != nullptr) {
      double split_cost = static_cast<double>(layout.channel()) / 8;
      SIGNET_RETURN_IF_ERROR(
          context.For(count * channels, split_cost, [&](int64_t begin, int64_t end) {
            for (int64_t c = begin; c < end; ++c) {
              layout.Split(table_, from + c * sizes.x_plane(), phases + c * layout.channel());
            }
          }));
      from = phases;
    }
    auto block_of = [&](int64_t image, int64_t group) {
      return Block{sizes,
                   layout,
                   offsets,
                   from + (image * sizes.groups + group) * sizes.in * layout.channel(),
                   packed + group * GroupSize(sizes),
                   bias == nullptr ? nullptr : bias + group * sizes.out,
                   residual == nullptr ? nullptr : residual + (first + image) * result,
                   out + (first + image) * result,
                   group};
    };
    SIGNET_RETURN_IF_ERROR(RunTiles(context, sizes, count, block_of));
  }
  return absl::OkStatus();
}

template <class BlockOf>
Status FloatConv::RunTiles(KernelContext& context, const ConvSizes& sizes, int64_t images,
                           BlockOf block_of) const {
  int64_t k = sizes.in * sizes.taps;
  Blocks blocks = BlocksOf(sizes, images, context.parallel().num_threads());
  int64_t tasks = images * sizes.groups * blocks.num_panels * blocks.num_tiles;
  double cost = sizes.operations() * static_cast<double>(images) /
                static_cast<double>(sizes.batch * tasks) / kFlopsPerNanosecond;
  int64_t most = std::min(k, kMostSummed);
  int64_t columns = TileColumns(table_, k);
  SIGNET_ASSIGN_OR_RETURN(std::byte * bytes,
                          context.Scratch(static_cast<size_t>(most) * sizeof(int64_t)));
  auto* rows = reinterpret_cast<int64_t*>(bytes);
  for (int64_t l = 0; l < most; ++l) rows[l] = l * columns;
  return ForPieces(context, tasks, cost, most * columns + table_.lanes,
                   [&](int64_t task, float* scratch, StopPoll& poll) {
                     int64_t tiles = task % blocks.num_tiles;
                     int64_t panels = task / blocks.num_tiles % blocks.num_panels;
                     int64_t plane = task / blocks.num_tiles / blocks.num_panels;
                     RunTileBlock(block_of(plane / sizes.groups, plane % sizes.groups), blocks,
                                  panels, tiles, rows, scratch, poll);
                   });
}

void FloatConv::RunTileBlock(const Block& block, const Blocks& blocks, int64_t panel_block,
                             int64_t tile_block, const int64_t* tile_rows, float* scratch,
                             StopPoll& poll) const {
  constexpr int64_t kFewPanels = 3;  // so few panels are multiplied sooner than a tile is packed
  const ConvSizes& sizes = block.sizes;
  int64_t k = sizes.in * sizes.taps;
  int64_t plane = sizes.out_plane();
  int64_t all_panels = NumPanels(table_, sizes.out);
  int64_t first_panel = panel_block * blocks.panels;
  int64_t panels = std::min(blocks.panels, all_panels - first_panel);
  int64_t first_row = first_panel * table_.rows;
  int64_t channel = block.group * sizes.out + first_row;
  bool in_place = block.layout.contiguous() && block.layout.borrows() && panels <= kFewPanels;
  int64_t vectors = (plane + table_.lanes - 1) / table_.lanes;
  int64_t columns = TileColumns(table_, k);
  int64_t all_tiles = (plane + columns - 1) / columns;
  int64_t last_tile = std::min(all_tiles, (tile_block + 1) * blocks.tiles);
  ConvProduct product{};
  product.rows = std::min(panels * table_.rows, sizes.out - first_row);
  product.c_stride = plane;
  int64_t parts = NumParts(k);
  for (int64_t part = 0; part < parts; ++part) {
    int64_t first = k * part / parts;
    product.k = k * (part + 1) / parts - first;
    product.a = block.packed + (first * all_panels + first_panel * product.k) * table_.rows;
    product.add = part > 0;
    bool ends = part + 1 == parts;
    for (int64_t tile = tile_block * blocks.tiles; tile < last_tile; ++tile) {
      int64_t begin = vectors * tile / all_tiles * table_.lanes;
      int64_t end = std::min(plane, vectors * (tile + 1) / all_tiles * table_.lanes);
      product.columns = end - begin;
      const int64_t packed = (product.rows + product.columns) * product.k / 4;
      if (poll.Stops(50 + packed + 2 * product.rows * product.columns * product.k / 80)) return;
      product.c = block.out + channel * plane + begin;
      if (in_place && product.columns % table_.lanes == 0) {
        product.b = block.from + begin;
        product.offsets = block.offsets + first;
      } else {
        ColumnRun runs[kMostColumns];
        int64_t num_runs = block.layout.RunsOf(begin, end, runs);
        table_.pack_columns(block.from, block.offsets + first, product.k, runs, num_runs, columns,
                            scratch);
        product.b = scratch;
        product.offsets = tile_rows;
      }
      if (ends) {
        product.bias = block.bias == nullptr ? nullptr : block.bias + first_row;
        product.residual =
            block.residual == nullptr ? nullptr : block.residual + channel * plane + begin;
        finish_.AddTo(product);
      }
      table_.multiply(product);
      if (!ends || finish_.in_product()) continue;
      for (int64_t i = 0; i < product.rows; ++i) {
        finish_.RunRest(product.columns, product.c + i * plane);
      }
    }
  }
}

}  // namespace signet
