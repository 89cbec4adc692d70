// Kernels of bitwise ops on integers: bitwise_and, bitwise_or, bitwise_xor, shift_left,
// shift_right.

#include <functional>
#include <type_traits>

#include "core/kernels/def/request.h"
#include "core/kernels/elementwise/elementwise_kernels.h"
#include "core/kernels/loops/broadcast.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using JoinFn = void (*)(const void* x, const void* y, void* out, int64_t n);

template <class T, class Join>
void JoinAll(const void* x, const void* y, void* out, int64_t n) {
  const T* left = static_cast<const T*>(x);
  const T* right = static_cast<const T*>(y);
  T* to = static_cast<T*>(out);
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(Join()(left[i], right[i]));
}

// A shift by the width of the dtype or more returns 0, or -1 for a right shift of a negative
// number. A shift by a negative number returns x.
struct ShiftLeft {
  template <class T>
  T operator()(T x, T by) const {
    if (by >= static_cast<T>(sizeof(T) * 8)) return 0;
    return by < T(1) ? x : static_cast<T>(static_cast<uint64_t>(x) << by);
  }
};
struct ShiftRight {
  template <class T>
  T operator()(T x, T by) const {
    if (by >= static_cast<T>(sizeof(T) * 8)) return std::is_signed_v<T> && x < T(0) ? T(-1) : T(0);
    return by < T(1) ? x : static_cast<T>(x >> by);
  }
};

template <class T>
JoinFn JoinOf(std::string_view op) {
  if (op == "bitwise_and") return JoinAll<T, std::bit_and<>>;
  if (op == "bitwise_or") return JoinAll<T, std::bit_or<>>;
  if (op == "bitwise_xor") return JoinAll<T, std::bit_xor<>>;
  return op == "shift_left" ? JoinAll<T, ShiftLeft> : JoinAll<T, ShiftRight>;
}

StatusOr<std::unique_ptr<Kernel>> MakeJoin(const KernelRequest& request) {
  DType dtype = DTypeIn(request.outputs[0]);
  JoinFn join = VisitDType(dtype, [&](auto tag) -> JoinFn {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      return JoinOf<T>(request.call.op.name);
    } else {
      return nullptr;
    }
  });
  if (join == nullptr)
    return WithConstraint("C2", Internal("dtype `", NameOf(dtype), "` has no bitwise ops"));
  auto kernel = MakeKernel([join, size = SizeOf(dtype)](KernelContext& context) -> Status {
    const Shape* shapes[] = {&context.input(0).shape(), &context.input(1).shape()};
    auto plan = BroadcastPlan::Make(shapes);
    if (!plan.ok()) return WithConstraint("C4", plan.status());
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, plan->shape()));
    std::byte* to = out->data().mutable_data();
    const BroadcastPlan::Operand operands[] = {{context.input(0).data().data(), size},
                                               {context.input(1).data().data(), size}};
    return context.For(plan->num_elements(), 0.5, [&](int64_t begin, int64_t end) {
      plan->ForEachRun(operands, begin, end, [&](auto at, int64_t first, int64_t count) {
        join(at[0], at[1], to + static_cast<size_t>(first) * size, count);
      });
    });
  });
  kernel->set_cost(60 + 0.3 * GuessElements(request.outputs[0]));
  return kernel;
}

constexpr KernelDef kBitKernels[] = {
    {"bitwise_and", MakeJoin}, {"bitwise_or", MakeJoin},  {"bitwise_xor", MakeJoin},
    {"shift_left", MakeJoin},  {"shift_right", MakeJoin},
};

}  // namespace

std::span<const KernelDef> BitKernels() { return kBitKernels; }

}  // namespace signet
