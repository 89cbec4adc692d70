// The kernel of `bucketize`, by binary search.

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/kernels/def/stop_poll.h"
#include "core/kernels/indexing/indexing_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

template <class T>
constexpr bool kIsRead = (std::is_integral_v<T> && !std::is_same_v<T, bool>) ||
                         std::is_same_v<T, float> || std::is_same_v<T, double>;

// Compares integers as integers, and all other pairs of numbers as float64. NaN is not less than
// any number.
template <class A, class B>
bool Below(A a, B b) {
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
    return std::cmp_less(a, b);
  } else {
    return static_cast<double>(a) < static_cast<double>(b);
  }
}

// Calls visit(span) with the elements of a tensor of integers, float32 or float64.
template <class Visitor>
Status VisitNumbers(const Tensor& x, Visitor visit) {
  return VisitDType(x.dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    if constexpr (kIsRead<T>) {
      return visit(x.elements<T>());
    } else {
      return Internal("inference accepted a dtype that `bucketize` does not support");
    }
  });
}

Status Bucketize(KernelContext& context) {
  const Tensor& x = context.input(0);
  const Tensor& boundaries = context.input(1);
  if (boundaries.rank() != 1) {
    return WithConstraint("C2", InvalidArgument("boundaries: expected a vector, found shape `",
                                                boundaries.shape(), "`"));
  }
  SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, x.shape()));
  auto* out = made->mutable_elements<int64_t>();
  return VisitNumbers(boundaries, [&](auto bounds) -> Status {
    StopPoll poll(context);
    for (size_t i = 0; i < bounds.size(); ++i) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(1));
      bool in_order = bounds[i] == bounds[i] && (i == 0 || !(bounds[i] < bounds[i - 1]));
      if (!in_order) {
        return WithConstraint(
            "C3", InvalidArgument("boundaries: expected numbers that never decrease, found ",
                                  bounds[i], " at index ", i));
      }
    }
    return VisitNumbers(x, [&](auto all) {
      using X = typename decltype(all)::value_type;
      using B = typename decltype(bounds)::value_type;
      return context.For(x.num_elements(), 20, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          out[i] = std::upper_bound(bounds.begin(), bounds.end(), all[static_cast<size_t>(i)],
                                    Below<X, B>) -
                   bounds.begin();
        }
      });
    });
  });
}

constexpr KernelDef kBucketKernels[] = {
    {"bucketize",
     [](const KernelRequest&) -> StatusOr<std::unique_ptr<Kernel>> {
       return MakeKernel(Bucketize);
     }},
};

}  // namespace

std::span<const KernelDef> BucketKernels() { return kBucketKernels; }

}  // namespace signet
