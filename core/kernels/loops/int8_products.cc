#include "core/kernels/loops/int8_products.h"

#include <algorithm>

#include "core/kernels/loops/pieces.h"

namespace signet {
namespace {

bool HasDotProducts() {
#ifdef SIGNET_ISA_LEVELS
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512vnni");
#else
  return false;
#endif
}

}  // namespace

const Int8Gemm& ActiveInt8Gemm() {
  static const bool has_dot_products = HasDotProducts();
  const Int8GemmTable& table = SIGNET_ACTIVE_TABLE(Int8GemmTable);
  return has_dot_products && table.quads.run != nullptr ? table.quads : table.pairs;
}

Status ZeroPoints(const Tensor* given, int64_t count, std::string_view label, Int8Zeros& out) {
  out.clear();
  if (given == nullptr) return absl::OkStatus();
  int64_t n = given->num_elements();
  if (n != 1 && n != count) {
    return WithConstraint(
        label, InvalidArgument("zero points: expected 1 or ", count, " elements, found ", n));
  }
  auto widen = [&](auto elements) { out.assign(elements.begin(), elements.end()); };
  if (given->dtype() == DType::kInt8) {
    widen(given->elements<int8_t>());
  } else {
    widen(given->elements<uint8_t>());
  }
  if (std::all_of(out.begin(), out.end(), [](int32_t zero) { return zero == 0; })) out.clear();
  return absl::OkStatus();
}

namespace {

// Runs `whole` in blocks of rows and columns, until it is complete or the call must end.
void RunBlocks(KernelContext& context, const Int8Gemm& gemm, const Int8GemmArguments& whole,
               std::byte* scratch) {
  constexpr double kBlock = 5e6;  // nanoseconds
  constexpr int64_t kRows = 96;
  StopPoll poll(context);
  auto cost = [&](int64_t rows, int64_t columns) {
    return static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(whole.k) /
           gemm.products;
  };
  int64_t rows = whole.m;
  int64_t columns = whole.last_column - whole.first_column;
  if (cost(rows, columns) > kBlock) {
    rows = std::min(rows, kRows);
    const double fits = kBlock / std::max(cost(rows, gemm.columns), 1.0);
    columns = std::min(columns, gemm.columns * std::max<int64_t>(1, static_cast<int64_t>(fits)));
  }
  // A product with few elements per row spends most of its time on writing the result.
  constexpr int64_t kMostWritten = 2'000'000;
  while (rows > kRows && columns > 0 && rows > kMostWritten / columns) {
    rows = (rows / 2 + kRows - 1) / kRows * kRows;
  }
  const auto nanoseconds = static_cast<int64_t>(std::max(
      cost(rows, columns), 20 + static_cast<double>(rows) * static_cast<double>(columns) / 4));
  for (int64_t row = 0; row < whole.m; row += rows) {
    Int8GemmArguments part = whole;
    part.a = static_cast<const std::byte*>(whole.a) + row * whole.a_stride;
    part.c = whole.c + row * whole.c_stride;
    part.m = std::min(rows, whole.m - row);
    if (whole.zero_each) part.zero = whole.zero + row;
    for (int64_t column = whole.first_column; column < whole.last_column; column += columns) {
      if (poll.Stops(nanoseconds)) return;
      part.first_column = column;
      part.last_column = std::min(whole.last_column, column + columns);
      gemm.run(part, scratch);
    }
  }
}

}  // namespace

Status MultiplyInt8(KernelContext& context, const Int8Gemm& gemm, const Int8GemmArguments& whole) {
  constexpr int64_t kRows = 12;
  double work = static_cast<double>(whole.m) * static_cast<double>(whole.n) *
                static_cast<double>(whole.k) / gemm.products;
  auto threads = static_cast<int64_t>(context.parallel().num_threads());
  bool by_rows = whole.m >= whole.n;
  int64_t step = by_rows ? kRows : gemm.columns;
  int64_t tiles = ((by_rows ? whole.m : whole.n) + step - 1) / step;
  int64_t pieces =
      std::min(std::clamp<int64_t>(static_cast<int64_t>(work / kSmallestPiece), 1, threads), tiles);
  size_t scratch_size = (gemm.scratch_size(whole.k) + 63) / 64 * 64;
  SIGNET_ASSIGN_OR_RETURN(std::byte * scratch,
                          context.Scratch(scratch_size * static_cast<size_t>(pieces)));
  return context.For(pieces, work / static_cast<double>(pieces), [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; ++piece) {
      int64_t first = tiles * piece / pieces * step;
      int64_t last = std::min(tiles * (piece + 1) / pieces * step, by_rows ? whole.m : whole.n);
      Int8GemmArguments part = whole;
      if (by_rows) {
        part.a = static_cast<const std::byte*>(whole.a) + first * whole.a_stride;
        part.c = whole.c + first * whole.c_stride;
        part.m = last - first;
        if (whole.zero_each) part.zero = whole.zero + first;
      } else {
        part.first_column = first;
        part.last_column = last;
      }
      RunBlocks(context, gemm, part, scratch + static_cast<size_t>(piece) * scratch_size);
    }
  });
}

}  // namespace signet
