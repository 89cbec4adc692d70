// The kernel of `segment_top_k`.

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "core/kernels/loops/merge_sort.h"
#include "core/kernels/loops/runs.h"
#include "core/kernels/loops/segment_rows.h"
#include "core/kernels/ragged/ragged_kernels.h"
#include "core/ops/def/int_list.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

// Sorts `order`, the positions of a row, so that the best `k` come first. Larger values come before
// smaller ones, NaN comes before all numbers (as in top_k), and equal values keep their order.
// `scratch` has room for MergeScratch elements. Returns false if the call must end.
template <class T>
bool RankRow(StopPoll& poll, const T* scores, std::span<int64_t> order, int64_t k,
             int64_t* scratch) {
  auto better = [scores](int64_t a, int64_t b) {
    auto x = Widen(scores[a]);
    auto y = Widen(scores[b]);
    if (x > y || y > x) return x > y;
    bool x_nan = x != x;
    bool y_nan = y != y;
    return x_nan != y_nan ? x_nan : a < b;
  };
  const auto length = std::ssize(order);
  if (length > kSortedAtOnce) return MergeSort(poll, order.data(), scratch, length, better);
  if (poll.Stops(20 * length)) return false;
  std::partial_sort(order.begin(), order.begin() + k, order.end(), better);
  return true;
}

template <class T>
Status TopK(KernelContext& context, int64_t k) {
  if (k == kUnknownDim) {
    SIGNET_ASSIGN_OR_RETURN(k, CountInput(context, "k", 2));
  }
  SIGNET_ASSIGN_OR_RETURN(SegmentRows rows, CheckSegments(context));
  if (rows.values.rank() != 1) {
    return WithConstraint("C2", InvalidArgument("scores: expected a vector, found shape `",
                                                rows.values.shape(), "`"));
  }
  SIGNET_ASSIGN_OR_RETURN(Tensor * splits, context.Allocate(1, rows.splits.shape()));
  int64_t total = 0;
  auto put = [&](int64_t i) {
    if (splits->dtype() == DType::kInt32) {
      splits->mutable_elements<int32_t>()[i] = static_cast<int32_t>(total);
    } else {
      splits->mutable_elements<int64_t>()[i] = total;
    }
  };
  put(0);
  int64_t longest = 0;
  StopPoll poll(context);
  for (int64_t row = 0; row < rows.count; ++row) {
    SIGNET_RETURN_IF_ERROR(poll.Spend(2));
    int64_t length = IntAt(rows.splits, row + 1) - IntAt(rows.splits, row);
    longest = std::max(longest, length);
    total += std::min(length, k);
    put(row + 1);
  }
  SIGNET_ASSIGN_OR_RETURN(Tensor * positions, context.Allocate(0, {total}));
  SIGNET_ASSIGN_OR_RETURN(
      std::byte * scratch,
      context.Scratch(static_cast<size_t>(longest + MergeScratch(longest)) * sizeof(int64_t)));
  auto* order = reinterpret_cast<int64_t*>(scratch);
  auto* out = positions->mutable_elements<int64_t>();
  const T* scores = rows.values.elements<T>().data();
  for (int64_t row = 0; row < rows.count; ++row) {
    int64_t begin = IntAt(rows.splits, row);
    int64_t length = IntAt(rows.splits, row + 1) - begin;
    int64_t kept = std::min(length, k);
    std::iota(order, order + length, 0);
    if (!RankRow(poll, scores + begin, {order, static_cast<size_t>(length)}, kept,
                 order + longest)) {
      return context.CheckStop();
    }
    out = std::copy(order, order + kept, out);
  }
  return absl::OkStatus();
}

MadeKernel MakeTopK(const KernelRequest& request) {
  DType dtype = request.call.inputs[0].As<TensorSpec>()->dtype();
  SIGNET_ASSIGN_OR_RETURN(int64_t k, RequiredCount(request.call, "k", 2));
  return MakeKernel([dtype, k](KernelContext& context) {
    return VisitDType(dtype, [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if constexpr (IsHalf(DTypeOf<T>::value) ||
                    (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)) {
        return TopK<T>(context, k);
      } else {
        return Internal("inference accepted a dtype that `segment_top_k` does not support");
      }
    });
  });
}

constexpr KernelDef kSegmentTopKKernels[] = {{"segment_top_k", MakeTopK}};

}  // namespace

std::span<const KernelDef> SegmentTopKKernels() { return kSegmentTopKKernels; }

}  // namespace signet
