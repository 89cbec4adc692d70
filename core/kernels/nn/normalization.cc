// Kernels of normalizations: divide the work into rows and threads; the arithmetic is in
// simd/normalization.cc.

#include "core/kernels/simd/normalization.h"

#include <algorithm>

#include "core/kernels/def/request.h"
#include "core/kernels/def/stop_poll.h"
#include "core/kernels/loops/axis.h"
#include "core/kernels/nn/nn_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

// Returns the elements of input `i`, which has one number for each of the `n` elements of a row, or
// null if the input is absent.
StatusOr<const std::byte*> RowInput(const KernelContext& context, size_t i, int64_t n) {
  if (i >= context.num_inputs() || !context.input(i).has_value()) return nullptr;
  const Tensor& given = context.input(i);
  if (given.num_elements() == n) return given.data().data();
  return WithConstraint("C4", InvalidArgument("input ", i, ": expected the shape of a row of ", n,
                                              " elements, found `", given.shape(), "`"));
}

template <bool centered>
MadeKernel MakeRows(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(int64_t given_axis, request.call.attributes.Int("axis"));
  SIGNET_ASSIGN_OR_RETURN(double epsilon, request.call.attributes.Float("epsilon"));
  DType dtype = DTypeIn(request.call.inputs[0]);
  auto run = SIGNET_ACTIVE_TABLE(NormalizationTable).rows[static_cast<int>(dtype)];
  auto kernel = MakeKernel([=, size = SizeOf(dtype)](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    auto axis = NormalizeAxis(given_axis, x.rank());
    if (!axis.ok()) return WithConstraint("C3", axis.status());
    AxisView view = ViewAlong(x.shape(), *axis);
    int64_t n = view.size * view.inner;
    SIGNET_ASSIGN_OR_RETURN(const std::byte* scale, RowInput(context, 1, n));
    SIGNET_ASSIGN_OR_RETURN(const std::byte* bias, RowInput(context, 2, n));
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, x.shape()));
    if (x.num_elements() == 0) return absl::OkStatus();
    const std::byte* from = x.data().data();
    std::byte* to = out->data().mutable_data();
    return context.For(view.outer, 10 + 0.15 * static_cast<double>(n),
                       [&](int64_t begin, int64_t end) {
                         StopPoll poll(context);
                         size_t offset = static_cast<size_t>(begin * n) * size;
                         run({from + offset, scale, bias, to + offset, end - begin, n, epsilon,
                              centered, poll.hook()});
                       });
  });
  kernel->set_cost(50 + 0.2 * GuessElements(request.call.inputs[0]));
  return kernel;
}

MadeKernel MakeChannels(const KernelRequest& request) {
  const Attributes& attributes = request.call.attributes;
  SIGNET_ASSIGN_OR_RETURN(int64_t size, attributes.Int("size"));
  SIGNET_ASSIGN_OR_RETURN(double alpha, attributes.Float("alpha"));
  SIGNET_ASSIGN_OR_RETURN(double beta, attributes.Float("beta"));
  SIGNET_ASSIGN_OR_RETURN(double bias, attributes.Float("bias"));
  double factor = alpha / static_cast<double>(size);
  DType dtype = DTypeIn(request.call.inputs[0]);
  auto run = SIGNET_ACTIVE_TABLE(NormalizationTable).channels[static_cast<int>(dtype)];
  auto kernel = MakeKernel([=, width = SizeOf(dtype)](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    if (x.rank() < 2) {
      return WithConstraint(
          "C3", InvalidArgument("input 0: expected a rank of at least 2, found `", x.spec(), "`"));
    }
    AxisView view = ViewAlong(x.shape(), 1);
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, x.shape()));
    if (x.num_elements() == 0) return absl::OkStatus();
    const std::byte* from = x.data().data();
    std::byte* to = out->data().mutable_data();
    int64_t block = view.size * view.inner;
    // A channel has at most `view.size` neighbors on each side.
    int64_t window = std::min(size, 2 * view.size);
    const double cost = static_cast<double>(view.size) * (2 + 0.1 * static_cast<double>(window));
    // The number of inner elements between two checks.
    const int64_t part = std::clamp<int64_t>(static_cast<int64_t>(1e6 / cost), 32, 512);
    return context.For(view.outer, cost * static_cast<double>(view.inner),
                       [&](int64_t begin, int64_t end) {
                         StopPoll poll(context);
                         for (int64_t i = begin; i < end; ++i) {
                           size_t offset = static_cast<size_t>(i * block) * width;
                           for (int64_t first = 0; first < view.inner; first += part) {
                             const int64_t last = std::min(view.inner, first + part);
                             if (poll.Stops(static_cast<int64_t>(cost) * (last - first))) return;
                             run({from + offset, to + offset, view.size, view.inner, first, last,
                                  window, factor, beta, bias, poll.hook()});
                           }
                         }
                       });
  });
  kernel->set_cost(50 + 2 * GuessElements(request.call.inputs[0]));
  return kernel;
}

constexpr KernelDef kNormalizationKernels[] = {
    {"layer_norm", MakeRows<true>},
    {"local_response_norm", MakeChannels},
    {"rms_norm", MakeRows<false>},
};

}  // namespace

std::span<const KernelDef> NormalizationKernels() { return kNormalizationKernels; }

}  // namespace signet
