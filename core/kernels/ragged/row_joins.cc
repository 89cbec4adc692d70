// Kernels that join rows.

#include <limits>
#include <numeric>

#include "core/base/checked_math.h"
#include "core/kernels/loops/row_access.h"
#include "core/kernels/ragged/ragged_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

// The largest number of values that positions and splits of type T can count.
template <class T>
constexpr int64_t kMost = std::min<int64_t>(kMaxOutputElements, std::numeric_limits<T>::max());

template <class T>
Status Interleave(KernelContext& context) {
  const size_t n = context.num_inputs();
  const int64_t rows = NumRows(context.input(0));
  int64_t total = 0;
  for (size_t i = 0; i < n; ++i) {
    const Tensor& splits = context.input(i);
    SIGNET_RETURN_IF_ERROR(CheckSplits(context, splits));
    if (NumRows(splits) != rows) {
      return WithConstraint("C2", InvalidArgument("input ", i, ": expected ", rows,
                                                  " rows, as in input 0, found ", NumRows(splits)));
    }
    int64_t values = IntAt(splits, rows);
    if (values > kMost<T> - total) {
      return WithConstraint(
          "C3", ResourceExhausted("joined rows exceed the limit of ", kMost<T>, " values"));
    }
    total += values;
  }
  SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, {rows + 1}));
  SIGNET_ASSIGN_OR_RETURN(Tensor * positions, context.Allocate(1, {total}));
  T* out = made->mutable_elements<T>();
  auto* position = positions->mutable_elements<int64_t>();
  T end = 0;
  *out++ = end;
  StopPoll poll(context);
  for (size_t row = 0; row < static_cast<size_t>(rows); ++row) {
    int64_t base = 0;  // index of the first value of the input among the values of all inputs
    for (size_t i = 0; i < n; ++i) {
      auto splits = context.input(i).elements<T>();
      SIGNET_RETURN_IF_ERROR(poll.Spend(4));
      const int64_t length = splits[row + 1] - splits[row];
      ForSegments(poll, length, 1, [&](int64_t from, int64_t to) {
        std::iota(position + from, position + to, base + splits[row] + from);
      });
      position += length;
      end = static_cast<T>(end + splits[row + 1] - splits[row]);
      base += splits.back();
    }
    *out++ = end;
  }
  return context.stopped() ? context.CheckStop() : absl::OkStatus();
}

MadeKernel MakeInterleaveRows(const KernelRequest& request) {
  bool narrow = request.outputs[0].As<TensorSpec>()->dtype() == DType::kInt32;
  return MakeKernel([narrow](KernelContext& context) -> Status {
    return narrow ? Interleave<int32_t>(context) : Interleave<int64_t>(context);
  });
}

template <class T>
Status Tile(KernelContext& context, std::span<const T> splits) {
  SIGNET_ASSIGN_OR_RETURN(int64_t multiple, SizeInput(context, 1));
  if (multiple < 0)
    return WithConstraint("C2", InvalidArgument("multiple: expected at least 0, found ", multiple));
  auto total = CheckedMultiply(int64_t{splits.back()}, multiple);
  if (!total || *total > kMost<T>) {
    return WithConstraint("C3", ResourceExhausted(splits.back(), " values times ", multiple,
                                                  " exceed the limit of ", kMost<T>));
  }
  SIGNET_ASSIGN_OR_RETURN(Tensor * made,
                          context.Allocate(0, {static_cast<int64_t>(splits.size())}));
  SIGNET_ASSIGN_OR_RETURN(Tensor * positions, context.Allocate(1, {*total}));
  T* out = made->mutable_elements<T>();
  auto* position = positions->mutable_elements<int64_t>();
  StopPoll poll(context);
  for (T split : splits) {
    SIGNET_RETURN_IF_ERROR(poll.Spend(1));
    *out++ = static_cast<T>(split * multiple);
  }
  for (size_t row = 0; row + 1 < splits.size(); ++row) {
    SIGNET_RETURN_IF_ERROR(poll.Spend(1));
    if (splits[row] == splits[row + 1]) continue;  // `multiple` may be large
    for (int64_t i = 0; i < multiple; ++i) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(2));
      const int64_t length = splits[row + 1] - splits[row];
      ForSegments(poll, length, 1, [&](int64_t begin, int64_t end) {
        std::iota(position + begin, position + end, splits[row] + begin);
      });
      position += length;
    }
  }
  return context.stopped() ? context.CheckStop() : absl::OkStatus();
}

MadeKernel MakeTileRows(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    SIGNET_RETURN_IF_ERROR(CheckSplits(context, context.input(0)));
    return VisitInts(context.input(0), [&](auto splits) { return Tile(context, splits); });
  });
}

constexpr KernelDef kRowJoinKernels[] = {
    {"interleave_rows", MakeInterleaveRows},
    {"tile_rows", MakeTileRows},
};

}  // namespace

std::span<const KernelDef> RowJoinKernels() { return kRowJoinKernels; }

}  // namespace signet
