// The kernel of `select`.

#include "core/kernels/def/request.h"
#include "core/kernels/elementwise/elementwise_kernels.h"
#include "core/kernels/loops/broadcast.h"
#include "core/kernels/loops/write_strings.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

// Elements are copied as integers of their size.
template <class T>
void SelectRun(const bool* condition, const void* x, const void* y, void* out, int64_t n) {
  const T* left = static_cast<const T*>(x);
  const T* right = static_cast<const T*>(y);
  T* to = static_cast<T*>(out);
  for (int64_t i = 0; i < n; ++i) to[i] = condition[i] ? left[i] : right[i];
}

struct alignas(8) Wide {
  uint64_t parts[2];
};

using SelectFn = void (*)(const bool*, const void*, const void*, void*, int64_t);

SelectFn SelectOf(size_t size) {
  switch (size) {
    case 1:
      return SelectRun<uint8_t>;
    case 2:
      return SelectRun<uint16_t>;
    case 4:
      return SelectRun<uint32_t>;
    case 8:
      return SelectRun<uint64_t>;
    default:
      return SelectRun<Wide>;
  }
}

StatusOr<BroadcastPlan> PlanOf(KernelContext& context) {
  const Shape* shapes[] = {&context.input(0).shape(), &context.input(1).shape(),
                           &context.input(2).shape()};
  auto plan = BroadcastPlan::Make(shapes);
  if (!plan.ok()) return WithConstraint("C4", plan.status());
  return plan;
}

Status SelectNumbers(KernelContext& context, const BroadcastPlan& plan, SelectFn select,
                     size_t size) {
  SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, plan.shape()));
  std::byte* to = out->data().mutable_data();
  const BroadcastPlan::Operand operands[] = {{context.input(0).data().data(), 1},
                                             {context.input(1).data().data(), size},
                                             {context.input(2).data().data(), size}};
  return context.For(plan.num_elements(), 0.5, [&](int64_t begin, int64_t end) {
    plan.ForEachRun(operands, begin, end, [&](auto at, int64_t first, int64_t count) {
      select(static_cast<const bool*>(at[0]), at[1], at[2], to + static_cast<size_t>(first) * size,
             count);
    });
  });
}

Status SelectStrings(KernelContext& context) {
  SIGNET_ASSIGN_OR_RETURN(BroadcastPlan plan, PlanOf(context));
  auto condition = context.input(0).elements<bool>();
  auto chosen = [&](int64_t i) {
    size_t operand = condition[static_cast<size_t>(plan.IndexIn(0, i))] ? 1 : 2;
    return context.input(operand).string_at(plan.IndexIn(operand, i));
  };
  return WriteParts(context, 0, plan.shape(), [&](int64_t i, auto take) { take(chosen(i)); });
}

StatusOr<std::unique_ptr<Kernel>> MakeSelect(const KernelRequest& request) {
  DType dtype = DTypeIn(request.outputs[0]);
  std::unique_ptr<Kernel> kernel;
  if (dtype == DType::kString) {
    kernel = MakeKernel(SelectStrings);
  } else {
    auto known = BroadcastPlan::MakeKnown(request.call.inputs);
    if (!known.ok()) return WithConstraint("C4", known.status());
    kernel = MakeKernel([known = *std::move(known), select = SelectOf(SizeOf(dtype)),
                         size = SizeOf(dtype)](KernelContext& context) -> Status {
      if (known) return SelectNumbers(context, *known, select, size);
      SIGNET_ASSIGN_OR_RETURN(BroadcastPlan plan, PlanOf(context));
      return SelectNumbers(context, plan, select, size);
    });
  }
  kernel->set_cost(50 + (dtype == DType::kString ? 20 : 0.5) * GuessElements(request.outputs[0]));
  return kernel;
}

constexpr KernelDef kSelectKernels[] = {{"select", MakeSelect}};

}  // namespace

std::span<const KernelDef> SelectKernels() { return kSelectKernels; }

}  // namespace signet
