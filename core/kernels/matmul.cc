// matmul: which matrices are multiplied, and on how many threads; the arithmetic is in isa/gemm.cc.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "core/kernels/all_kernels.h"
#include "core/kernels/broadcast.h"
#include "core/kernels/isa/gemm.h"
#include "core/kernels/request.h"
#include "core/ops/inference.h"

namespace signet {
namespace {

bool IsHalf(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBFloat16; }

// The sizes of one call. Vectors are matrices of one row or column.
struct Sizes {
  int64_t m = 1;
  int64_t n = 1;
  int64_t k = 1;
  Shape batch_a;
  Shape batch_b;
};

Shape Prefix(const Shape& shape) {
  return Shape(shape.dims().first(static_cast<size_t>(std::max(shape.rank() - 2, 0))));
}

class MatmulKernel final : public Kernel {
 public:
  MatmulKernel(const GemmTable& table, DType dtype, bool transpose_a, bool transpose_b)
      : table_(table),
        gemm_(table.by_dtype[static_cast<int>(IsHalf(dtype) ? DType::kFloat32 : dtype)]),
        dtype_(dtype),
        transpose_a_(transpose_a),
        transpose_b_(transpose_b) {}

  Status Run(KernelContext& context) const override {
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    SIGNET_ASSIGN_OR_RETURN(Sizes sizes, SizesOf(a.shape(), b.shape()));
    const Shape* batches[] = {&sizes.batch_a, &sizes.batch_b};
    auto plan = BroadcastPlan::Make(batches);
    if (!plan.ok()) return Labelled("C6", plan.status());
    Shape shape = plan->shape();
    if (a.rank() > 1) shape.push_back(sizes.m);
    if (b.rank() > 1) shape.push_back(sizes.n);
    SIGNET_RETURN_IF_ERROR(Labelled("C6", CheckOutputSize(shape.dims())));
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    if (sizes.k == 0) {
      std::memset(out->data().mutable_data(), 0, out->data().size());
      return absl::OkStatus();
    }
    if (IsHalf(dtype_)) return RunHalf(context, sizes, *plan, a, b, *out);
    return Multiply(context, sizes, *plan, a.data().data(), b.data().data(),
                    out->data().mutable_data());
  }

 private:
  StatusOr<Sizes> SizesOf(const Shape& a, const Shape& b) const {
    Sizes sizes;
    int p = a.rank();
    int q = b.rank();
    if (p < (transpose_a_ ? 2 : 1) || q < (transpose_b_ ? 2 : 1)) {
      return InvalidArgument("C4 inputs have shapes `", a, "` and `", b,
                             "`; takes rank 1 or more, 2 to be transposed");
    }
    sizes.k = a.dim(p == 1 || !transpose_a_ ? p - 1 : p - 2);
    int64_t from_b = b.dim(q == 1 || transpose_b_ ? q - 1 : q - 2);
    if (sizes.k != from_b) {
      return InvalidArgument("C5 inputs of shapes `", a, "` and `", b, "` are summed over ",
                             sizes.k, " and ", from_b, " elements; takes as many of both");
    }
    if (p > 1) sizes.m = a.dim(transpose_a_ ? p - 1 : p - 2);
    if (q > 1) sizes.n = b.dim(transpose_b_ ? q - 2 : q - 1);
    sizes.batch_a = Prefix(a);
    sizes.batch_b = Prefix(b);
    return sizes;
  }

  Status RunHalf(KernelContext& context, const Sizes& sizes, const BroadcastPlan& plan,
                 const Tensor& a, const Tensor& b, Tensor& out) const {
    auto floats = [&](int64_t n) {
      return context.Scratch(static_cast<size_t>(n) * sizeof(float));
    };
    SIGNET_ASSIGN_OR_RETURN(std::byte * wide_a, floats(a.num_elements()));
    SIGNET_ASSIGN_OR_RETURN(std::byte * wide_b, floats(b.num_elements()));
    SIGNET_ASSIGN_OR_RETURN(std::byte * wide_out, floats(out.num_elements()));
    bool brain = dtype_ == DType::kBFloat16;
    auto widen = brain ? table_.widen_bfloat16 : table_.widen_float16;
    auto narrow = brain ? table_.narrow_bfloat16 : table_.narrow_float16;
    widen(a.data().data(), reinterpret_cast<float*>(wide_a), a.num_elements());
    widen(b.data().data(), reinterpret_cast<float*>(wide_b), b.num_elements());
    SIGNET_RETURN_IF_ERROR(Multiply(context, sizes, plan, wide_a, wide_b, wide_out));
    narrow(reinterpret_cast<float*>(wide_out), out.data().mutable_data(), out.num_elements());
    return absl::OkStatus();
  }

  Status Multiply(KernelContext& context, const Sizes& sizes, const BroadcastPlan& plan,
                  const std::byte* a, const std::byte* b, std::byte* c) const {
    size_t size = IsHalf(dtype_) ? sizeof(float) : SizeOf(dtype_);
    int64_t m = sizes.m;
    int64_t batch = plan.num_elements();
    // One matrix for the whole batch: the rows of all are those of one.
    bool stacked = batch > 1 && !transpose_a_ && sizes.batch_b.num_elements() == 1;
    if (stacked) {
      m *= batch;
      batch = 1;
    }
    GemmArguments whole = {.a = a,
                           .b = b,
                           .c = c,
                           .m = m,
                           .n = sizes.n,
                           .k = sizes.k,
                           .a_stride = transpose_a_ ? sizes.m : sizes.k,
                           .b_stride = transpose_b_ ? sizes.k : sizes.n,
                           .c_stride = sizes.n,
                           .transpose_a = transpose_a_,
                           .transpose_b = transpose_b_};
    double work = 2.0 * static_cast<double>(batch) * static_cast<double>(m) *
                  static_cast<double>(sizes.n) * static_cast<double>(sizes.k) / gemm_.flops;

    // Pieces: of the batch, else of the longer side, a few tiles at least.
    auto threads = static_cast<int64_t>(context.parallel().num_threads());
    int64_t wanted =
        std::clamp<int64_t>(static_cast<int64_t>(work / kPieceNanoseconds), 1, threads);
    bool by_batch = batch >= wanted;
    bool by_rows = m >= sizes.n;
    int64_t tiles = by_batch ? batch : ((by_rows ? m : sizes.n) + kTile - 1) / kTile;
    int64_t pieces = std::min(wanted, tiles);
    size_t scratch_size = gemm_.scratch_size(m, sizes.n, sizes.k);
    scratch_size = (scratch_size + 63) / 64 * 64;
    std::byte* scratch = nullptr;
    if (scratch_size > 0) {
      SIGNET_ASSIGN_OR_RETURN(scratch, context.Scratch(scratch_size * static_cast<size_t>(pieces)));
    }
    context.parallel().For(
        pieces, work / static_cast<double>(pieces), [&](int64_t begin, int64_t end) {
          for (int64_t piece = begin; piece < end; ++piece) {
            std::byte* own = scratch + static_cast<size_t>(piece) * scratch_size;
            int64_t first = tiles * piece / pieces;
            int64_t last = tiles * (piece + 1) / pieces;
            for (int64_t i = by_batch ? first : 0; i < (by_batch ? last : batch); ++i) {
              GemmArguments part = whole;
              if (!stacked) {
                auto step = [&](int64_t index, int64_t elements) {
                  return static_cast<size_t>(index * elements) * size;
                };
                part.a = a + step(plan.IndexIn(0, i), sizes.m * sizes.k);
                part.b = b + step(plan.IndexIn(1, i), sizes.k * sizes.n);
                part.c = c + step(i, sizes.m * sizes.n);
              }
              if (!by_batch) TakeTiles(first, last, by_rows, size, part);
              gemm_.run(part, own);
            }
          }
        });
    return absl::OkStatus();
  }

  // Tiles [first, last) of the rows, or columns, of a product.
  static void TakeTiles(int64_t first, int64_t last, bool rows, size_t size, GemmArguments& part) {
    int64_t begin = first * kTile;
    int64_t end = std::min(last * kTile, rows ? part.m : part.n);
    auto move = [size](const void* matrix, int64_t elements) {
      return static_cast<const std::byte*>(matrix) + static_cast<size_t>(elements) * size;
    };
    int64_t c_step = rows ? part.c_stride : 1;
    part.c = const_cast<std::byte*>(move(part.c, begin * c_step));
    if (rows) {
      part.a = move(part.a, begin * (part.transpose_a ? 1 : part.a_stride));
      part.m = end - begin;
    } else {
      part.b = move(part.b, begin * (part.transpose_b ? part.b_stride : 1));
      part.n = end - begin;
    }
  }

  static constexpr int64_t kTile = 48;                 // rows or columns
  static constexpr double kPieceNanoseconds = 20'000;  // less is not worth another thread

  const GemmTable& table_;
  const Gemm& gemm_;
  const DType dtype_;
  const bool transpose_a_;
  const bool transpose_b_;
};

StatusOr<std::unique_ptr<Kernel>> MakeMatmul(const KernelRequest& request) {
  const GemmTable& table = SIGNET_ACTIVE_TABLE(GemmTable);
  DType dtype = DTypeIn(request.call.inputs[0]);
  SIGNET_ASSIGN_OR_RETURN(bool transpose_a, request.call.attributes.Bool("transpose_a"));
  SIGNET_ASSIGN_OR_RETURN(bool transpose_b, request.call.attributes.Bool("transpose_b"));
  auto kernel = std::make_unique<MatmulKernel>(table, dtype, transpose_a, transpose_b);
  // As many multiplications as the root of the product of all three sizes.
  double a = GuessElements(request.call.inputs[0]);
  double b = GuessElements(request.call.inputs[1]);
  double out = GuessElements(request.outputs[0]);
  bool wide = dtype == DType::kFloat64;
  kernel->set_cost(60 + 2 * std::sqrt(a * b * out) / (wide ? 15 : 30));
  return kernel;
}

constexpr KernelDef kKernels[] = {{"matmul", MakeMatmul}};

}  // namespace

std::span<const KernelDef> MatmulKernels() { return kKernels; }

}  // namespace signet
