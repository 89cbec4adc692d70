// Softmax kernels: determine the axis and the memory; the arithmetic is in simd/softmax.cc.

#include "core/kernels/simd/softmax.h"

#include "core/kernels/def/request.h"
#include "core/kernels/def/stop_poll.h"
#include "core/kernels/loops/axis.h"
#include "core/kernels/nn/nn_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

class SoftmaxKernel final : public Kernel {
 public:
  SoftmaxKernel(const SoftmaxLoop& softmax, DType dtype, int64_t axis)
      : softmax_(softmax), size_(SizeOf(dtype)), axis_(axis) {}

  Status Run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    auto axis = NormalizeAxis(axis_, x.rank());
    if (!axis.ok()) return WithConstraint("C3", axis.status());
    AxisView view = ViewAlong(x.shape(), *axis);
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, x.shape()));
    if (x.num_elements() == 0) return absl::OkStatus();

    auto numbers = static_cast<size_t>(2 * view.inner);
    if (softmax_.converted) numbers += static_cast<size_t>(view.size * view.inner);
    // A multiple of the cache line, so that threads do not share a line.
    size_t bytes = (numbers * softmax_.width + 63) / 64 * 64;
    bool needed = softmax_.converted || view.inner > 1;
    std::byte* scratch = nullptr;
    if (needed) {
      SIGNET_ASSIGN_OR_RETURN(
          scratch, context.Scratch(bytes * static_cast<size_t>(NumPieces(context, view.outer))));
    }
    const std::byte* from = x.data().data();
    std::byte* to = out->data().mutable_data();
    auto block = static_cast<size_t>(view.size * view.inner) * size_;
    int64_t pieces = NumPieces(context, view.outer);
    double unit = static_cast<double>(x.num_elements()) / static_cast<double>(pieces);
    const int64_t step_cost = 10 + 2 * view.size * view.inner;
    return context.For(pieces, unit, [&](int64_t begin, int64_t end) {
      StopPoll poll(context);
      const StopHook hook = poll.hook();
      for (int64_t piece = begin; piece < end; ++piece) {
        std::byte* own = needed ? scratch + static_cast<size_t>(piece) * bytes : nullptr;
        for (int64_t i = view.outer * piece / pieces; i < view.outer * (piece + 1) / pieces; ++i) {
          if (poll.Stops(step_cost)) return;
          size_t at = static_cast<size_t>(i) * block;
          softmax_.run(from + at, to + at, view.size, view.inner, own, hook);
        }
      }
    });
  }

 private:
  static int64_t NumPieces(KernelContext& context, int64_t outer) {
    return std::min<int64_t>(outer, context.parallel().num_threads());
  }

  const SoftmaxLoop& softmax_;
  const size_t size_;
  const int64_t axis_;
};

StatusOr<std::unique_ptr<Kernel>> MakeSoftmax(const KernelRequest& request) {
  const SoftmaxTable& table = SIGNET_ACTIVE_TABLE(SoftmaxTable);
  DType dtype = DTypeIn(request.call.inputs[0]);
  bool log = request.call.op.name == "log_softmax";
  const SoftmaxLoop& softmax = (log ? table.log_softmax : table.softmax)[static_cast<int>(dtype)];
  SIGNET_CHECK(softmax.run != nullptr);
  SIGNET_ASSIGN_OR_RETURN(int64_t axis, request.call.attributes.Int("axis"));
  auto kernel = std::make_unique<SoftmaxKernel>(softmax, dtype, axis);
  kernel->set_cost(50 + GuessElements(request.call.inputs[0]));
  return kernel;
}

constexpr KernelDef kSoftmaxKernels[] = {{"log_softmax", MakeSoftmax}, {"softmax", MakeSoftmax}};

}  // namespace

std::span<const KernelDef> SoftmaxKernels() { return kSoftmaxKernels; }

}  // namespace signet
