// Kernels that make row splits from other views of a row partition.

#include <algorithm>

#include "core/kernels/loops/row_access.h"
#include "core/kernels/ragged/ragged_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

Status CheckVector(const Tensor& view) {
  if (view.rank() == 1) return absl::OkStatus();
  return WithConstraint(
      "C2", InvalidArgument("input 0: expected a vector, found shape `", view.shape(), "`"));
}

// Copies `numbers` to `out`. Returns true if no number is less than the number before it.
template <class T>
StatusOr<bool> CopyIfRising(KernelContext& context, std::span<const T> numbers, int64_t* out) {
  bool rise = true;
  SIGNET_RETURN_IF_ERROR(
      context.ForInOrder(std::ssize(numbers), 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          out[i] = numbers[static_cast<size_t>(i)];
          rise = rise && (i == 0 || out[i] >= out[i - 1]);
        }
      }));
  return rise;
}

MadeKernel MakeFromRowIds(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& ids = context.input(0);
    SIGNET_RETURN_IF_ERROR(CheckVector(ids));
    int64_t n = ids.num_elements();
    bool given = context.num_inputs() > 1 && context.input(1).has_value();
    int64_t rows = 0;
    if (given) {
      SIGNET_ASSIGN_OR_RETURN(rows, SizeInput(context, 1));
    } else if (n > 0) {
      // The number of rows is the last id plus 1.
      int64_t last = std::max<int64_t>(IntAt(ids, n - 1), -1);
      if (last >= kMaxOutputElements) {
        return WithConstraint("C4", ResourceExhausted("row id ", last, " exceeds the limit of ",
                                                      kMaxOutputElements, " rows"));
      }
      rows = last + 1;
    }
    if (rows < 0)
      return WithConstraint("C3", InvalidArgument("expected at least 0 rows, found ", rows));
    if (rows >= kMaxOutputElements) {
      return WithConstraint(
          "C4", ResourceExhausted(rows, " rows exceed the limit of ", kMaxOutputElements - 1));
    }
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, {rows + 1}));
    auto* splits = out->mutable_elements<int64_t>();
    return VisitInts(ids, [&](auto all) -> Status {
      StopPoll poll(context);
      splits[0] = 0;
      int64_t row = 0;
      for (int64_t i = 0; i <= n; ++i) {
        SIGNET_RETURN_IF_ERROR(poll.Spend(2));
        const int64_t id = i == n ? rows : all[static_cast<size_t>(i)];
        if (id < row || (i < n && id >= rows)) {  // FillSplitsFromRowIds reports the error
          return WithConstraint("C3", FillSplitsFromRowIds(all, rows, splits));
        }
        ForSegments(poll, id - row, 1, [&](int64_t begin, int64_t end) {
          std::fill(splits + row + begin + 1, splits + row + end + 1, i);
        });
        row = id;
      }
      return context.stopped() ? context.CheckStop() : absl::OkStatus();
    });
  });
}

MadeKernel MakeFromStarts(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& starts = context.input(0);
    SIGNET_RETURN_IF_ERROR(CheckVector(starts));
    SIGNET_ASSIGN_OR_RETURN(int64_t num_values, SizeInput(context, 1));
    if (num_values < 0)
      return WithConstraint("C3",
                            InvalidArgument("expected at least 0 values, found ", num_values));
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, {starts.num_elements() + 1}));
    auto* splits = out->mutable_elements<int64_t>();
    return VisitInts(starts, [&](auto all) -> Status {
      SIGNET_ASSIGN_OR_RETURN(bool rise, CopyIfRising(context, all, splits));
      const bool fits = rise && (all.empty() ? num_values == 0
                                             : all[0] == 0 && splits[all.size() - 1] <= num_values);
      if (!fits) return WithConstraint("C3", FillSplitsFromStarts(all, num_values, splits));
      splits[all.size()] = num_values;
      return absl::OkStatus();
    });
  });
}

MadeKernel MakeFromLimits(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& limits = context.input(0);
    SIGNET_RETURN_IF_ERROR(CheckVector(limits));
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, {limits.num_elements() + 1}));
    auto* splits = out->mutable_elements<int64_t>();
    return VisitInts(limits, [&](auto all) -> Status {
      splits[0] = 0;
      SIGNET_ASSIGN_OR_RETURN(bool rise, CopyIfRising(context, all, splits + 1));
      if (!rise || (!all.empty() && all[0] < 0)) {
        return WithConstraint("C3", FillSplitsFromLimits(all, splits));
      }
      return absl::OkStatus();
    });
  });
}

constexpr KernelDef kRowViewKernels[] = {
    {"row_splits_from_limits", MakeFromLimits},
    {"row_splits_from_row_ids", MakeFromRowIds},
    {"row_splits_from_starts", MakeFromStarts},
};

}  // namespace

std::span<const KernelDef> RowViewKernels() { return kRowViewKernels; }

}  // namespace signet
