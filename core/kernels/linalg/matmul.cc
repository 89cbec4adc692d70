// The kernels of `linear` and `matmul`: decide which matrices are multiplied, and on how many
// threads; the arithmetic is in simd/gemm.cc. A constant second matrix is packed when the kernel is
// made.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>

#include "core/kernels/def/packed_inputs.h"
#include "core/kernels/def/request.h"
#include "core/kernels/linalg/few_rows.h"
#include "core/kernels/linalg/linalg_kernels.h"
#include "core/kernels/loops/broadcast.h"
#include "core/kernels/loops/gemm_blocks.h"
#include "core/kernels/loops/matrix_sizes.h"
#include "core/kernels/loops/pieces.h"
#include "core/ops/def/inference.h"
#include "core/ops/linalg/linear.h"

namespace signet {
namespace {

bool IsHalf(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBFloat16; }

class MatmulKernel final : public Kernel, public PackedInputs {
 public:
  MatmulKernel(const GemmTable& table, DType dtype, bool transpose_a, bool transpose_b,
               std::optional<Clip> linear)
      : table_(table),
        gemm_(table.by_dtype[static_cast<int>(IsHalf(dtype) ? DType::kFloat32 : dtype)]),
        dtype_(dtype),
        transpose_a_(transpose_a),
        transpose_b_(transpose_b),
        linear_(linear.has_value()),
        clip_(linear.value_or(Clip())) {}

  // Packs `b`, the second matrix of every run.
  Status Pack(const Tensor& b) {
    if (gemm_.pack == nullptr || b.rank() < 2 || BatchOf(b.shape()).num_elements() != 1) {
      return absl::OkStatus();
    }
    const int64_t rows = b.shape().dim(b.rank() - 2);
    const int64_t columns = b.shape().dim(b.rank() - 1);
    const int64_t n = transpose_b_ ? rows : columns;
    const int64_t k = transpose_b_ ? columns : rows;
    if (n < 2 || k < 1) return absl::OkStatus();
    const std::byte* from = b.data().data();
    Buffer wide;
    if (IsHalf(dtype_)) {
      SIGNET_ASSIGN_OR_RETURN(
          wide, Buffer::Allocate(static_cast<size_t>(b.num_elements()) * sizeof(float)));
      WidenPart(b, wide.mutable_data(), 0, b.num_elements());
      from = wide.data();
    }
    SIGNET_ASSIGN_OR_RETURN(packed_, Buffer::Allocate(gemm_.packed_size(n, k)));
    gemm_.pack(from, columns, transpose_b_, n, k, packed_.mutable_data());
    return absl::OkStatus();
  }

  bool HoldsInput(size_t i) const override { return i == 1 && !packed_.empty(); }

  Status Run(KernelContext& context) const override {
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    SIGNET_ASSIGN_OR_RETURN(MatrixSizes sizes, SizesOf(a.shape(), b.shape()));
    if (linear_) SIGNET_RETURN_IF_ERROR(CheckMatrices(a, b));
    const Shape* batches[] = {&sizes.batch_a, &sizes.batch_b};
    auto plan = BroadcastPlan::Make(batches);
    if (!plan.ok()) return WithConstraint("C6", plan.status());
    Shape shape = plan->shape();
    if (a.rank() > 1) shape.push_back(sizes.m);
    if (b.rank() > 1) shape.push_back(sizes.n);
    SIGNET_RETURN_IF_ERROR(WithConstraint("C6", CheckOutputSize(shape.dims())));
    if (linear_) SIGNET_RETURN_IF_ERROR(CheckExtras(context, sizes.n, shape));
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    if (IsHalf(dtype_)) return RunHalf(context, sizes, *plan, a, b, *out);
    return Multiply(context, sizes, *plan, a.data().data(), b.data().data(),
                    out->data().mutable_data());
  }

 private:
  static Status CheckMatrices(const Tensor& a, const Tensor& b) {
    if (a.rank() >= 2 && b.rank() >= 2) return absl::OkStatus();
    return WithConstraint("C4", InvalidArgument("inputs: expected rank at least 2, found shapes `",
                                                a.shape(), "` and `", b.shape(), "`"));
  }

  static Status CheckExtras(KernelContext& context, int64_t n, const Shape& shape) {
    for (size_t i = 2; i < context.num_inputs(); ++i) {
      const Shape wanted = i == 2 ? Shape{n} : shape;
      if (!context.input(i).has_value() || context.input(i).shape() == wanted) continue;
      return WithConstraint(i == 2 ? "C7" : "C8",
                            InvalidArgument(i == 2 ? "bias" : "residual", ": expected shape `",
                                            wanted, "`, found `", context.input(i).shape(), "`"));
    }
    return absl::OkStatus();
  }

  StatusOr<MatrixSizes> SizesOf(const Shape& a, const Shape& b) const {
    if (a.rank() < (transpose_a_ ? 2 : 1) || b.rank() < (transpose_b_ ? 2 : 1)) {
      return WithConstraint(
          "C4",
          InvalidArgument(
              "inputs: expected rank at least 1, or at least 2 to be transposed, found shapes `", a,
              "` and `", b, "`"));
    }
    return MatrixSizes::Of(a, b, transpose_a_, transpose_b_);
  }

  Status RunHalf(KernelContext& context, const MatrixSizes& sizes, const BroadcastPlan& plan,
                 const Tensor& a, const Tensor& b, Tensor& out) const {
    auto floats = [&](int64_t n) {
      return context.Scratch(static_cast<size_t>(n) * sizeof(float));
    };
    SIGNET_ASSIGN_OR_RETURN(std::byte * wide_a, floats(a.num_elements()));
    std::byte* wide_b = nullptr;
    if (packed_.empty()) {
      SIGNET_ASSIGN_OR_RETURN(wide_b, floats(b.num_elements()));
      SIGNET_RETURN_IF_ERROR(Widen(context, b, wide_b));
    }
    SIGNET_ASSIGN_OR_RETURN(std::byte * wide_out, floats(out.num_elements()));
    auto narrow = dtype_ == DType::kBFloat16 ? table_.narrow_bfloat16 : table_.narrow_float16;
    SIGNET_RETURN_IF_ERROR(Widen(context, a, wide_a));
    SIGNET_RETURN_IF_ERROR(Multiply(context, sizes, plan, wide_a, wide_b, wide_out));
    const auto* sums = reinterpret_cast<const float*>(wide_out);
    std::byte* to = out.data().mutable_data();
    return context.ForInOrder(out.num_elements(), 0.5, [&](int64_t begin, int64_t end) {
      narrow(sums + begin, to + begin * kHalfBytes, end - begin);
    });
  }

  Status Widen(KernelContext& context, const Tensor& x, std::byte* out) const {
    return context.ForInOrder(x.num_elements(), 0.5,
                              [&](int64_t begin, int64_t end) { WidenPart(x, out, begin, end); });
  }
  void WidenPart(const Tensor& x, std::byte* out, int64_t begin, int64_t end) const {
    auto widen = dtype_ == DType::kBFloat16 ? table_.widen_bfloat16 : table_.widen_float16;
    widen(x.data().data() + begin * kHalfBytes, reinterpret_cast<float*>(out) + begin, end - begin);
  }

  // Returns the elements of input `i` of linear, or null.
  static const std::byte* Extra(KernelContext& context, size_t i) {
    bool given = i < context.num_inputs() && context.input(i).has_value();
    return given ? context.input(i).data().data() : nullptr;
  }

  Status Multiply(KernelContext& context, const MatrixSizes& sizes, const BroadcastPlan& plan,
                  const std::byte* a, const std::byte* b, std::byte* c) const {
    size_t size = IsHalf(dtype_) ? sizeof(float) : SizeOf(dtype_);
    int64_t m = sizes.m;
    int64_t batch = plan.num_elements();
    // If the second matrix is the same for the whole batch, the rows of all first matrices form one
    // matrix.
    bool stacked = batch > 1 && !transpose_a_ && sizes.batch_b.num_elements() == 1;
    if (stacked) {
      m *= batch;
      batch = 1;
    }
    GemmArguments whole = {.a = a,
                           .b = packed_.empty() ? b : packed_.data(),
                           .c = c,
                           .m = m,
                           .n = sizes.n,
                           .k = sizes.k,
                           .a_stride = transpose_a_ ? sizes.m : sizes.k,
                           .b_stride = transpose_b_ ? sizes.k : sizes.n,
                           .c_stride = sizes.n,
                           .transpose_a = transpose_a_,
                           .transpose_b = transpose_b_,
                           .packed = !packed_.empty(),
                           .bias = Extra(context, 2),
                           .residual = Extra(context, 3),
                           .low = clip_.low ? &*clip_.low : nullptr,
                           .high = clip_.high ? &*clip_.high : nullptr};
    double work = 2.0 * static_cast<double>(batch) * static_cast<double>(m) *
                  static_cast<double>(sizes.n) * static_cast<double>(sizes.k) / gemm_.flops;

    // The work is divided along the batch, or else along the longer side in pieces of at least a
    // tile.
    auto threads = static_cast<int64_t>(context.parallel().num_threads());
    int64_t wanted = std::clamp<int64_t>(static_cast<int64_t>(work / kSmallestPiece), 1, threads);
    bool by_batch = batch >= wanted;
    bool by_rows = m >= sizes.n;
    int64_t tile = by_rows ? kTileRows : kTileColumns;
    int64_t tiles = by_batch ? batch : ((by_rows ? m : sizes.n) + tile - 1) / tile;
    int64_t pieces = std::min(wanted, tiles);
    size_t scratch_size = gemm_.scratch_size(m, sizes.n, sizes.k);
    scratch_size = (scratch_size + 63) / 64 * 64;
    std::byte* scratch = nullptr;
    if (scratch_size > 0) {
      SIGNET_ASSIGN_OR_RETURN(scratch, context.Scratch(scratch_size * static_cast<size_t>(pieces)));
    }
    return context.For(pieces, work / static_cast<double>(pieces), [&](int64_t begin, int64_t end) {
      StopPoll poll(context);
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
            if (!part.packed) part.b = b + step(plan.IndexIn(1, i), sizes.k * sizes.n);
            part.c = c + step(i, sizes.m * sizes.n);
            if (part.residual != nullptr) {
              part.residual = MoveBy(part.residual, i * sizes.m * sizes.n, size);
            }
          }
          if (!by_batch) {
            const int64_t past = std::min(last * tile, by_rows ? part.m : part.n);
            (by_rows ? TakeRows : TakeColumns)(first * tile, past, size, part);
          }
          if (!RunGemm(poll, gemm_, part, size, own)) return;
        }
      }
    });
  }

  static constexpr int64_t kHalfBytes = 2;
  static constexpr int64_t kTileRows = 48;
  static constexpr int64_t kTileColumns = 64;  // whole panels of packed matrices

  const GemmTable& table_;
  const Gemm& gemm_;
  const DType dtype_;
  const bool transpose_a_;
  const bool transpose_b_;
  const bool linear_;
  const Clip clip_;
  Buffer packed_;  // the second matrix, if it is constant
};

StatusOr<std::unique_ptr<Kernel>> MakeMatmul(const KernelRequest& request) {
  const GemmTable& table = SIGNET_ACTIVE_TABLE(GemmTable);
  DType dtype = DTypeIn(request.call.inputs[0]);
  SIGNET_ASSIGN_OR_RETURN(bool transpose_a, request.call.attributes.Bool("transpose_a"));
  SIGNET_ASSIGN_OR_RETURN(bool transpose_b, request.call.attributes.Bool("transpose_b"));
  std::optional<Clip> linear;
  if (request.call.op.name == "linear") {
    SIGNET_ASSIGN_OR_RETURN(linear, ClipOf(request.call));
  }
  auto kernel = std::make_unique<MatmulKernel>(table, dtype, transpose_a, transpose_b, linear);
  if (const Tensor* b = request.call.constant(1)) SIGNET_RETURN_IF_ERROR(kernel->Pack(*b));
  // The number of multiplications is the square root of the product of the three numbers of
  // elements.
  double a = GuessElements(request.call.inputs[0]);
  double b = GuessElements(request.call.inputs[1]);
  double out = GuessElements(request.outputs[0]);
  bool wide = dtype == DType::kFloat64;
  kernel->set_cost(60 + 2 * std::sqrt(a * b * out) / (wide ? 15 : 30));
  return ForFewRows(request, std::move(kernel));
}

constexpr KernelDef kMatmulKernels[] = {{"linear", MakeMatmul}, {"matmul", MakeMatmul}};

}  // namespace

std::span<const KernelDef> MatmulKernels() { return kMatmulKernels; }

}  // namespace signet
