// Kernels that make row splits from other views of a row partition.

#include <algorithm>

#include "core/kernels/all_kernels.h"
#include "core/kernels/row_access.h"
#include "core/ops/inference.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

Status CheckVector(const Tensor& view) {
  if (view.rank() == 1) return absl::OkStatus();
  return InvalidArgument("C2 input 0 of shape `", view.shape(), "`; takes a vector");
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
      // The last id counts the rows.
      int64_t last = std::max<int64_t>(IntAt(ids, n - 1), -1);
      if (last >= kMaxOutputElements) {
        return ResourceExhausted("C4 row id ", last, "; the limit is ", kMaxOutputElements,
                                 " rows");
      }
      rows = last + 1;
    }
    if (rows < 0) return InvalidArgument("C3 ", rows, " rows; takes at least 0");
    if (rows >= kMaxOutputElements) {
      return ResourceExhausted("C4 ", rows, " rows; the limit is ", kMaxOutputElements);
    }
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, {rows + 1}));
    return VisitInts(ids, [&](auto all) {
      return Labelled("C3", FillSplitsFromRowIds(all, rows, out->mutable_elements<int64_t>()));
    });
  });
}

MadeKernel MakeFromStarts(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& starts = context.input(0);
    SIGNET_RETURN_IF_ERROR(CheckVector(starts));
    SIGNET_ASSIGN_OR_RETURN(int64_t num_values, SizeInput(context, 1));
    if (num_values < 0) return InvalidArgument("C3 ", num_values, " values; takes at least 0");
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, {starts.num_elements() + 1}));
    return VisitInts(starts, [&](auto all) {
      auto* splits = out->mutable_elements<int64_t>();
      return Labelled("C3", FillSplitsFromStarts(all, num_values, splits));
    });
  });
}

MadeKernel MakeFromLimits(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& limits = context.input(0);
    SIGNET_RETURN_IF_ERROR(CheckVector(limits));
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, {limits.num_elements() + 1}));
    return VisitInts(limits, [&](auto all) {
      return Labelled("C3", FillSplitsFromLimits(all, out->mutable_elements<int64_t>()));
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"row_splits_from_limits", MakeFromLimits},
    {"row_splits_from_row_ids", MakeFromRowIds},
    {"row_splits_from_starts", MakeFromStarts},
};

}  // namespace

std::span<const KernelDef> RowViewKernels() { return kKernels; }

}  // namespace signet
