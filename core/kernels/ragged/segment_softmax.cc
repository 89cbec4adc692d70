// The kernels of `segment_log_softmax` and `segment_softmax`.

#include <cmath>
#include <type_traits>

#include "core/kernels/loops/larger.h"
#include "core/kernels/loops/runs.h"
#include "core/kernels/loops/segment_rows.h"
#include "core/kernels/ragged/ragged_kernels.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

template <class T, bool kLog>
Status Softmax(KernelContext& context) {
  using W = Wide<T>;
  SIGNET_ASSIGN_OR_RETURN(SegmentRows rows, CheckSegments(context));
  SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, rows.values.shape()));
  const T* in = rows.values.elements<T>().data();
  T* out = made->mutable_elements<T>();
  return ForRows(context, rows, [&](StopPoll& poll, int64_t, int64_t begin, int64_t end) {
    for (int64_t j = 0; j < rows.inner; ++j) {
      auto at = [&](int64_t i) { return Widen(in[i * rows.inner + j]); };
      // Calls visit(i) for each value of the row.
      auto for_each = [&](int64_t nanoseconds, auto visit) {
        ForSegments(poll, end - begin, nanoseconds, [&](int64_t from, int64_t to) {
          for (int64_t i = begin + from; i < begin + to; ++i) visit(i);
        });
      };
      if (begin == end) continue;
      W largest = at(begin);
      for_each(1, [&](int64_t i) { largest = Larger(largest, at(i)); });
      W total(0);
      for_each(5, [&](int64_t i) { total += std::exp(at(i) - largest); });
      for_each(10, [&](int64_t i) {
        W share = kLog ? at(i) - largest - std::log(total) : std::exp(at(i) - largest) / total;
        out[i * rows.inner + j] = Narrow<T>(share);
      });
    }
  });
}

template <bool kLog>
MadeKernel MakeSoftmax(const KernelRequest& request) {
  DType dtype = request.call.inputs[0].As<TensorSpec>()->dtype();
  return MakeKernel([dtype](KernelContext& context) {
    return VisitDType(dtype, [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if constexpr (IsHalf(DTypeOf<T>::value) || std::is_floating_point_v<T>) {
        return Softmax<T, kLog>(context);
      } else {
        return Internal("inference accepted a dtype that segment softmax does not support");
      }
    });
  });
}

constexpr KernelDef kSegmentSoftmaxKernels[] = {
    {"segment_log_softmax", MakeSoftmax<true>},
    {"segment_softmax", MakeSoftmax<false>},
};

}  // namespace

std::span<const KernelDef> SegmentSoftmaxKernels() { return kSegmentSoftmaxKernels; }

}  // namespace signet
