// The kernel of `csr_matmul`: decides which rows are multiplied, and on how many threads; the
// arithmetic is in simd/csr.cc.

#include "core/kernels/def/request.h"
#include "core/kernels/def/stop_poll.h"
#include "core/kernels/loops/row_access.h"
#include "core/kernels/simd/csr.h"
#include "core/kernels/sparse/sparse_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

StatusOr<std::unique_ptr<Kernel>> MakeCsrMatmul(const KernelRequest& request) {
  DType dtype = DTypeIn(request.call.inputs[0]);
  CsrRow multiply = SIGNET_ACTIVE_TABLE(CsrTable).by_dtype[static_cast<int>(dtype)];
  if (multiply == nullptr)
    return Internal("inference accepted a dtype that `csr_matmul` does not support");
  auto kernel = MakeKernel([multiply](KernelContext& context) -> Status {
    const Tensor& values = context.input(0);
    const Tensor& columns = context.input(1);
    const Tensor& splits = context.input(2);
    const Tensor& dense = context.input(3);
    if (values.rank() != 1 || columns.rank() != 1 ||
        values.num_elements() != columns.num_elements()) {
      return WithConstraint(
          "C2", InvalidArgument("expected vectors of one column per value, found values of shape `",
                                values.shape(), "` and columns of shape `", columns.shape(), "`"));
    }
    if (dense.rank() != 1 && dense.rank() != 2) {
      return WithConstraint("C4",
                            InvalidArgument("input 3: expected a vector or a matrix, found shape `",
                                            dense.shape(), "`"));
    }
    SIGNET_RETURN_IF_ERROR(CheckSplits(context, splits, values.num_elements()));
    SIGNET_RETURN_IF_ERROR(
        WithConstraint("C5", CheckIndices(context, columns, dense.shape().dim(0))));
    Shape shape = dense.shape();
    shape.set_dim(0, NumRows(splits));
    SIGNET_RETURN_IF_ERROR(CheckOutputSize(shape.dims()));
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, shape));
    if (made->num_elements() == 0) return absl::OkStatus();
    int64_t width = dense.rank() == 2 ? dense.shape().dim(1) : 1;
    size_t size = SizeOf(values.dtype());
    const std::byte* from = values.data().data();
    std::byte* out = made->data().mutable_data();
    const int64_t* column = columns.elements<int64_t>().data();
    auto rows = static_cast<double>(NumRows(splits));
    double cost =
        static_cast<double>(values.num_elements()) / rows * (2 + 0.2 * static_cast<double>(width));
    return context.For(NumRows(splits), cost, [&](int64_t begin, int64_t end) {
      StopPoll poll(context);
      const StopHook hook = poll.hook();
      for (int64_t row = begin; row < end; ++row) {
        int64_t first = IntAt(splits, row);
        const int64_t count = IntAt(splits, row + 1) - first;
        if (poll.Stops(5 + count * (2 + width / 8))) return;
        multiply(from + static_cast<size_t>(first) * size, column + first, count,
                 dense.data().data(), width, out + static_cast<size_t>(row * width) * size, hook);
      }
    });
  });
  double width =
      ShapeOf(request.call.inputs[3]).has_rank() && ShapeOf(request.call.inputs[3]).rank() == 2
          ? GuessElements(ShapeOf(request.call.inputs[3]).Slice(1, 2))
          : 1;
  kernel->set_cost(GuessElements(request.call.inputs[0]) * (2 + 0.2 * width));
  return kernel;
}

constexpr KernelDef kCsrKernels[] = {{"csr_matmul", MakeCsrMatmul}};

}  // namespace

std::span<const KernelDef> CsrKernels() { return kCsrKernels; }

}  // namespace signet
