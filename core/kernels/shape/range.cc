// The kernel of `range`.

#include <type_traits>

#include "core/kernels/shape/shape_kernels.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/range_count.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

template <class T>
using RangeNumber = std::conditional_t<std::is_integral_v<T>, int64_t, double>;

template <class T, class Number>
Status Count(KernelContext& context, Number start, Number limit, Number step) {
  SIGNET_ASSIGN_OR_RETURN(int64_t count, WithConstraint("C3", RangeCount(start, limit, step)));
  SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, {count}));
  T* out = made->mutable_elements<T>();
  return context.ForInOrder(count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      out[i] = static_cast<T>(start + static_cast<Number>(i) * step);
    }
  });
}

MadeKernel MakeRange(const KernelRequest& request) {
  const Attributes& attributes = request.call.attributes;
  DType dtype = request.outputs[0].As<TensorSpec>()->dtype();
  bool from_attributes = request.call.inputs.empty();
  int64_t start = 0, limit = 0, step = 1;
  if (from_attributes) {
    SIGNET_ASSIGN_OR_RETURN(start, attributes.Int("start"));
    SIGNET_ASSIGN_OR_RETURN(limit, attributes.Int("limit"));
    SIGNET_ASSIGN_OR_RETURN(step, attributes.Int("step"));
  }
  return MakeKernel([=](KernelContext& context) {
    return VisitDType(dtype, [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t> ||
                    std::is_same_v<T, float> || std::is_same_v<T, double>) {
        if (from_attributes) {
          SIGNET_ASSIGN_OR_RETURN(int64_t count,
                                  WithConstraint("C3", RangeCount(start, limit, step)));
          SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, {count}));
          T* out = made->template mutable_elements<T>();
          return context.ForInOrder(count, 1, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) out[i] = static_cast<T>(start + i * step);
          });
        }
        using Number = RangeNumber<T>;
        size_t n = context.num_inputs();
        for (size_t i = 0; i < n; ++i) {
          if (context.input(i).num_elements() == 1) continue;
          return WithConstraint("C2", InvalidArgument("input ", i, ": expected a scalar, found `",
                                                      context.input(i).spec(), "`"));
        }
        auto bound = [&](size_t i) { return static_cast<Number>(context.input(i).scalar<T>()); };
        return Count<T, Number>(context, n > 1 ? bound(0) : Number(0), bound(n > 1 ? 1 : 0),
                                n > 2 ? bound(2) : Number(1));
      } else {
        return Internal("inference accepted a dtype that `range` does not support");
      }
    });
  });
}

constexpr KernelDef kRangeKernels[] = {{"range", MakeRange}};

}  // namespace

std::span<const KernelDef> RangeKernels() { return kRangeKernels; }

}  // namespace signet
