// The kernel of `matmul_integer`: decides which matrices are multiplied, and on how many threads;
// the arithmetic is in simd/int8_gemm.cc. A constant second matrix is packed when the kernel is
// made.

#include <algorithm>
#include <cmath>

#include "core/kernels/def/request.h"
#include "core/kernels/def/stop_poll.h"
#include "core/kernels/linalg/linalg_kernels.h"
#include "core/kernels/loops/broadcast.h"
#include "core/kernels/loops/int8_products.h"
#include "core/kernels/loops/matrix_sizes.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

StatusOr<MatrixSizes> SizesOf(const Shape& a, const Shape& b) {
  if (a.rank() < 1 || b.rank() < 1) {
    return WithConstraint("C2", InvalidArgument("inputs: expected rank at least 1, found shapes `",
                                                a, "` and `", b, "`"));
  }
  return MatrixSizes::Of(a, b);
}

class MatmulIntegerKernel final : public Kernel {
 public:
  MatmulIntegerKernel(const Int8Gemm& gemm, bool a_signed, bool b_signed)
      : gemm_(gemm), a_signed_(a_signed), b_signed_(b_signed) {}

  // Packs the matrices of a constant second input.
  Status PackConstant(const Tensor& b, const Tensor* zero) {
    if (b.rank() < 2 || b.num_elements() == 0) return absl::OkStatus();
    int64_t k = b.shape().dim(b.rank() - 2);
    int64_t n = b.shape().dim(b.rank() - 1);
    Int8Zeros zeros;
    SIGNET_RETURN_IF_ERROR(ZeroPoints(zero, n, "C3", zeros));
    size_t size = PackedSize(k, n);
    auto count = static_cast<size_t>(b.num_elements() / (k * n));
    packed_ = AlignedBytes(size * count);
    PackAll(b, k, n, count, zeros, packed_.data());
    is_packed_ = true;
    return absl::OkStatus();
  }

  Status Run(KernelContext& context) const override {
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    SIGNET_ASSIGN_OR_RETURN(MatrixSizes sizes, SizesOf(a.shape(), b.shape()));
    const Shape* batches[] = {&sizes.batch_a, &sizes.batch_b};
    auto plan = BroadcastPlan::Make(batches);
    if (!plan.ok()) return WithConstraint("C6", plan.status());
    Shape shape = plan->shape();
    if (a.rank() > 1) shape.push_back(sizes.m);
    if (b.rank() > 1) shape.push_back(sizes.n);
    SIGNET_RETURN_IF_ERROR(WithConstraint("C6", CheckOutputSize(shape.dims())));
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, shape));
    Int8Zeros a_zeros;
    Int8Zeros b_zeros;
    SIGNET_RETURN_IF_ERROR(ZeroPoints(Given(context, 2), sizes.m, "C3", a_zeros));
    SIGNET_RETURN_IF_ERROR(ZeroPoints(Given(context, 3), sizes.n, "C3", b_zeros));
    if (out->num_elements() == 0) return absl::OkStatus();
    auto* c = out->mutable_elements<int32_t>();
    if (sizes.k == 0) {
      return FillElements(context, c, out->num_elements(), 0);
    }
    size_t packed_size = PackedSize(sizes.k, sizes.n);
    const std::byte* packed = packed_.data();
    if (!is_packed_) {
      auto count = static_cast<size_t>(sizes.batch_b.num_elements());
      SIGNET_ASSIGN_OR_RETURN(std::byte * memory, context.Scratch(packed_size * count));
      PackAll(b, sizes.k, sizes.n, count, b_zeros, memory);
      packed = memory;
    }
    // If the second matrix is the same for the whole batch, the rows of all first matrices form one
    // matrix.
    int64_t batch = plan->num_elements();
    int64_t m = sizes.m;
    bool stacked = batch > 1 && sizes.batch_b.num_elements() == 1 && a_zeros.size() <= 1;
    if (stacked) {
      m *= batch;
      batch = 1;
    }
    Int8GemmArguments whole = {.a = nullptr,
                               .a_signed = a_signed_,
                               .m = m,
                               .n = sizes.n,
                               .k = sizes.k,
                               .a_stride = sizes.k,
                               .zero = a_zeros.empty() ? nullptr : a_zeros.data(),
                               .zero_each = a_zeros.size() > 1,
                               .packed = packed,
                               .c = nullptr,
                               .c_stride = sizes.n,
                               .first_column = 0,
                               .last_column = sizes.n};
    for (int64_t i = 0; i < batch; ++i) {
      whole.a = a.data().data() + (stacked ? 0 : plan->IndexIn(0, i)) * sizes.m * sizes.k;
      whole.packed = packed + static_cast<size_t>(stacked ? 0 : plan->IndexIn(1, i)) * packed_size;
      whole.c = c + i * sizes.m * sizes.n;
      SIGNET_RETURN_IF_ERROR(MultiplyInt8(context, gemm_, whole));
    }
    return absl::OkStatus();
  }

 private:
  size_t PackedSize(int64_t k, int64_t n) const { return (gemm_.packed_size(k, n) + 63) / 64 * 64; }

  void PackAll(const Tensor& b, int64_t k, int64_t n, size_t count, const Int8Zeros& zeros,
               std::byte* out) const {
    for (size_t i = 0; i < count; ++i) {
      gemm_.pack({.b = b.data().data() + i * static_cast<size_t>(k * n),
                  .b_signed = b_signed_,
                  .a_signed = a_signed_,
                  .k = k,
                  .n = n,
                  .k_step = n,
                  .n_step = 1,
                  .zero = zeros.empty() ? nullptr : zeros.data(),
                  .zero_each = zeros.size() > 1},
                 out + i * PackedSize(k, n));
    }
  }

  static const Tensor* Given(KernelContext& context, size_t i) {
    bool given = context.num_inputs() > i && context.input(i).has_value();
    return given ? &context.input(i) : nullptr;
  }

  const Int8Gemm& gemm_;
  const bool a_signed_;
  const bool b_signed_;
  AlignedBytes packed_;
  bool is_packed_ = false;
};

StatusOr<std::unique_ptr<Kernel>> MakeMatmulInteger(const KernelRequest& request) {
  const OpCall& call = request.call;
  auto kernel = std::make_unique<MatmulIntegerKernel>(ActiveInt8Gemm(),
                                                      DTypeIn(call.inputs[0]) == DType::kInt8,
                                                      DTypeIn(call.inputs[1]) == DType::kInt8);
  bool zero_known = !HasInput(call, 3) || call.constant(3) != nullptr;
  if (call.constant(1) != nullptr && zero_known) {
    SIGNET_RETURN_IF_ERROR(kernel->PackConstant(*call.constant(1), call.constant(3)));
  }
  // The number of multiplications is the square root of the product of the three numbers of
  // elements.
  double a = GuessElements(call.inputs[0]);
  double b = GuessElements(call.inputs[1]);
  double out = GuessElements(request.outputs[0]);
  kernel->set_cost(100 + std::sqrt(a * b * out) / ActiveInt8Gemm().products);
  return kernel;
}

constexpr KernelDef kMatmulIntegerKernels[] = {{"matmul_integer", MakeMatmulInteger}};

}  // namespace

std::span<const KernelDef> MatmulIntegerKernels() { return kMatmulIntegerKernels; }

}  // namespace signet
