// The kernel of `lstm_steps`. Each step is one product of matrices, and a loop over its elements.

#include <algorithm>
#include <cmath>

#include "core/kernels/def/request.h"
#include "core/kernels/loops/gemm_blocks.h"
#include "core/kernels/loops/pieces.h"
#include "core/kernels/nn/nn_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

constexpr double kUnitCost = 60;  // nanoseconds per unit of a step, without the product

// The elements of the outputs of one step.
template <class T>
struct StepOutputs {
  T* i;
  T* cs;
  T* f;
  T* o;
  T* ci;
  T* co;
  T* h;
};

template <class T>
T Sigmoid(T x) {
  return T(1) / (T(1) + std::exp(-x));
}

// Computes a row of units from the four gates of each.
template <class T>
void RunRow(const T* gates, const T* c, const T* peepholes, T clip, int64_t hidden,
            const StepOutputs<T>& out) {
  auto peephole = [&](int64_t which, int64_t unit) {
    return peepholes == nullptr ? T(0) : peepholes[which * hidden + unit];
  };
  for (int64_t u = 0; u < hidden; ++u) {
    const T i = Sigmoid(gates[u] + peephole(0, u) * c[u]);
    const T ci = std::tanh(gates[hidden + u]);
    const T f = Sigmoid(gates[2 * hidden + u] + peephole(1, u) * c[u]);
    T cs = ci * i + c[u] * f;
    if (clip > 0) cs = std::min(std::max(cs, -clip), clip);
    const T o = Sigmoid(gates[3 * hidden + u] + peephole(2, u) * cs);
    const T co = std::tanh(cs);
    out.i[u] = i;
    out.cs[u] = cs;
    out.f[u] = f;
    out.o[u] = o;
    out.ci[u] = ci;
    out.co[u] = co;
    out.h[u] = co * o;
  }
}

Status CheckShapes(const KernelContext& context, int64_t steps, int64_t batch, int64_t hidden) {
  auto check = [&](size_t i, const Shape& wanted) -> Status {
    if (context.input(i).shape() == wanted) return absl::OkStatus();
    return WithConstraint("C2", InvalidArgument("input ", i, ": expected shape `", wanted,
                                                "`, found `", context.input(i).shape(), "`"));
  };
  SIGNET_RETURN_IF_ERROR(check(0, {steps, batch, 4 * hidden}));
  SIGNET_RETURN_IF_ERROR(check(1, {hidden, 4 * hidden}));
  SIGNET_RETURN_IF_ERROR(check(2, {batch, hidden}));
  SIGNET_RETURN_IF_ERROR(check(3, {batch, hidden}));
  auto given = [&](size_t i) { return context.num_inputs() > i && context.input(i).has_value(); };
  if (given(4)) SIGNET_RETURN_IF_ERROR(check(4, {3, hidden}));
  return given(5) ? check(5, {}) : absl::OkStatus();
}

template <class T>
Status RunSteps(KernelContext& context, T clip) {
  const Tensor& x = context.input(0);
  if (x.rank() != 3 || context.input(1).rank() != 2) {
    return WithConstraint("C2", InvalidArgument("expected x of rank 3 and r of rank 2, found `",
                                                x.spec(), "` and `", context.input(1).spec(), "`"));
  }
  const int64_t steps = x.shape().dim(0);
  const int64_t batch = x.shape().dim(1);
  const int64_t hidden = context.input(1).shape().dim(0);
  SIGNET_RETURN_IF_ERROR(CheckShapes(context, steps, batch, hidden));
  auto given = [&](size_t i) { return context.num_inputs() > i && context.input(i).has_value(); };
  const int64_t length = given(5) ? context.input(5).scalar<int64_t>() : steps;
  if (length < 0 || length > steps) {
    return WithConstraint("C4",
                          InvalidArgument("length: expected 0 to ", steps, ", found ", length));
  }
  const int64_t size = batch * hidden;
  T* outputs[7];
  for (size_t k = 0; k < 7; ++k) {
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(k, {steps, batch, hidden}));
    outputs[k] = made->mutable_elements<T>();
    SIGNET_RETURN_IF_ERROR(
        FillElements(context, outputs[k] + length * size, (steps - length) * size, T(0)));
  }
  if (size == 0 || length == 0) return absl::OkStatus();
  const Gemm& gemm = SIGNET_ACTIVE_TABLE(GemmTable).by_dtype[static_cast<int>(x.dtype())];
  const int64_t columns = 4 * hidden;
  SIGNET_ASSIGN_OR_RETURN(std::byte * gates_room,
                          context.Scratch(static_cast<size_t>(batch * columns) * sizeof(T)));
  SIGNET_ASSIGN_OR_RETURN(std::byte * scratch,
                          context.Scratch(gemm.scratch_size(batch, columns, hidden)));
  T* gates = reinterpret_cast<T*>(gates_room);
  const T* h = context.input(2).elements<T>().data();
  const T* c = context.input(3).elements<T>().data();
  const T* peepholes = given(4) ? context.input(4).elements<T>().data() : nullptr;
  StopPoll poll(context);
  for (int64_t t = 0; t < length; ++t) {
    const GemmArguments product = {.a = h,
                                   .b = context.input(1).elements<T>().data(),
                                   .c = gates,
                                   .m = batch,
                                   .n = columns,
                                   .k = hidden,
                                   .a_stride = hidden,
                                   .b_stride = columns,
                                   .c_stride = columns,
                                   .residual = x.elements<T>().data() + t * batch * columns};
    if (!RunGemm(poll, gemm, product, sizeof(T), scratch)) return context.CheckStop();
    SIGNET_RETURN_IF_ERROR(context.For(
        batch, kUnitCost * static_cast<double>(hidden), [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            const int64_t at = t * size + row * hidden;
            const StepOutputs<T> out = {outputs[0] + at, outputs[1] + at, outputs[2] + at,
                                        outputs[3] + at, outputs[4] + at, outputs[5] + at,
                                        outputs[6] + at};
            RunRow(gates + row * columns, c + row * hidden, peepholes, clip, hidden, out);
          }
        }));
    c = outputs[1] + t * size;
    h = outputs[6] + t * size;
  }
  return absl::OkStatus();
}

StatusOr<std::unique_ptr<Kernel>> MakeLstmSteps(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(double clip, request.call.attributes.Float("cell_clip"));
  const DType dtype = DTypeIn(request.call.inputs[0]);
  auto kernel = MakeKernel([clip, dtype](KernelContext& context) -> Status {
    return VisitFloatOrDouble(
        dtype, [&]<class T>(T) { return RunSteps<T>(context, static_cast<T>(clip)); });
  });
  const PartialShape& states = ShapeOf(request.outputs[0]);
  const double units = GuessElements(states);
  const double hidden = GuessElements(states.has_rank() ? states.Slice(2, 3) : PartialShape());
  kernel->set_cost(300 + units * (kUnitCost + 8 * hidden / 20));
  return kernel;
}

constexpr KernelDef kLstmStepsKernels[] = {{"lstm_steps", MakeLstmSteps}};

}  // namespace

std::span<const KernelDef> LstmStepsKernels() { return kLstmStepsKernels; }

}  // namespace signet
