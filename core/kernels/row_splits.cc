// Kernels on row splits.

#include <algorithm>
#include <limits>

#include "core/base/checked_math.h"
#include "core/kernels/all_kernels.h"
#include "core/kernels/row_access.h"
#include "core/kernels/runs.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

Status SetScalar(KernelContext& context, int64_t value) {
  SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, Shape{}));
  *out->mutable_elements<int64_t>() = value;
  return absl::OkStatus();
}

MadeKernel MakeNumRows(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& splits = context.input(0);
    SIGNET_RETURN_IF_ERROR(CheckSplits(splits));
    return SetScalar(context, NumRows(splits));
  });
}

MadeKernel MakeNumValues(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& splits = context.input(0);
    SIGNET_RETURN_IF_ERROR(CheckSplits(splits));
    return SetScalar(context, IntAt(splits, NumRows(splits)));
  });
}

MadeKernel MakeRowLengths(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& splits = context.input(0);
    SIGNET_RETURN_IF_ERROR(CheckSplits(splits));
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, {NumRows(splits)}));
    auto* lengths = out->mutable_elements<int64_t>();
    VisitInts(splits, [&](auto all) {
      for (size_t i = 1; i < all.size(); ++i) *lengths++ = int64_t{all[i]} - int64_t{all[i - 1]};
    });
    return absl::OkStatus();
  });
}

MadeKernel MakeSegmentIds(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& splits = context.input(0);
    SIGNET_RETURN_IF_ERROR(CheckSplits(splits));
    Shape shape = {IntAt(splits, NumRows(splits))};
    SIGNET_RETURN_IF_ERROR(Labelled("C2", CheckOutputSize(shape.dims())));
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, shape));
    auto* ids = out->mutable_elements<int64_t>();
    for (int64_t row = 0; row < NumRows(splits); ++row) {
      std::fill(ids + IntAt(splits, row), ids + IntAt(splits, row + 1), row);
    }
    return absl::OkStatus();
  });
}

MadeKernel MakeUniformRowSplits(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    auto rows = context.input(0).scalar<int64_t>();
    auto length = context.input(1).scalar<int64_t>();
    if (rows < 0 || length < 0) {
      return InvalidArgument("C2 ", rows, " rows of length ", length, "; takes at least 0 of both");
    }
    auto values = CheckedMultiply(rows, length);
    if (rows >= kMaxOutputElements || !values) {
      return ResourceExhausted("C3 ", rows, " rows of length ", length, "; the limit is ",
                               kMaxOutputElements, " elements");
    }
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, {rows + 1}));
    auto* splits = out->mutable_elements<int64_t>();
    for (int64_t i = 0; i <= rows; ++i) splits[i] = i * length;
    return absl::OkStatus();
  });
}

MadeKernel MakeRowSplitsFromLengths(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& lengths = context.input(0);
    if (lengths.rank() != 1) {
      return InvalidArgument("C2 lengths of shape `", lengths.shape(), "`; takes a vector");
    }
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, {lengths.num_elements() + 1}));
    auto* splits = out->mutable_elements<int64_t>();
    int64_t end = 0;
    splits[0] = 0;
    for (int64_t i = 0; i < lengths.num_elements(); ++i) {
      int64_t length = IntAt(lengths, i);
      if (length < 0) return InvalidArgument("C3 length ", i, " is ", length, "; takes at least 0");
      auto next = CheckedAdd(end, length);
      if (!next) return OutOfRange("C3 lengths up to ", i, " add up to more than an int64 holds");
      splits[i + 1] = end = *next;
    }
    return absl::OkStatus();
  });
}

MadeKernel MakeCheckRowSplits(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    auto num_values = context.input(1).scalar<int64_t>();
    SIGNET_RETURN_IF_ERROR(CheckSplits(context.input(0), num_values));
    context.Set(0, context.input(0));
    return absl::OkStatus();
  });
}

// The first row whose length differs.
Status DifferentRows(const Tensor& a, const Tensor& b) {
  int64_t rows = std::min(NumRows(a), NumRows(b));
  for (int64_t row = 0; row < rows; ++row) {
    int64_t x = IntAt(a, row + 1) - IntAt(a, row);
    int64_t y = IntAt(b, row + 1) - IntAt(b, row);
    if (x != y) {
      return InvalidArgument("C2 row ", row, " has ", x, " values and ", y, "; takes as many");
    }
  }
  return InvalidArgument("C2 ", NumRows(a), " rows and ", NumRows(b), "; takes as many");
}

MadeKernel MakeCheckSameSplits(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    bool same =
        a.data().data() == b.data().data() && a.dtype() == b.dtype() && a.shape() == b.shape();
    if (!same) {
      SIGNET_RETURN_IF_ERROR(CheckSplits(a));
      SIGNET_RETURN_IF_ERROR(CheckSplits(b));
      same = VisitInts(a, [&](auto x) {
        return VisitInts(
            b, [&](auto y) { return std::equal(x.begin(), x.end(), y.begin(), y.end()); });
      });
    }
    if (!same) return DifferentRows(a, b);
    context.Set(0, a);
    return absl::OkStatus();
  });
}

MadeKernel MakeCheckSameSize(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    auto a = context.input(0).scalar<int64_t>();
    auto b = context.input(1).scalar<int64_t>();
    if (a != b) return InvalidArgument("C2 ", a, " rows and ", b, "; takes as many");
    context.Set(0, context.input(0));
    return absl::OkStatus();
  });
}

template <class T>
Status GatherSplits(KernelContext& context, std::span<const T> splits, const Tensor& rows) {
  SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, {rows.num_elements() + 1}));
  T* out = made->mutable_elements<T>();
  int64_t total = 0;
  out[0] = 0;
  Status status = VisitInts(rows, [&](auto all) -> Status {
    for (size_t i = 0; i < all.size(); ++i) {
      auto row = static_cast<size_t>(all[i]);
      total += int64_t{splits[row + 1]} - int64_t{splits[row]};
      if (total > std::min<int64_t>(kMaxOutputElements, std::numeric_limits<T>::max())) {
        return ResourceExhausted("C4 picked rows have more values than the limit, ",
                                 kMaxOutputElements);
      }
      out[i + 1] = static_cast<T>(total);
    }
    return absl::OkStatus();
  });
  SIGNET_RETURN_IF_ERROR(status);
  SIGNET_ASSIGN_OR_RETURN(Tensor * picked, context.Allocate(1, {total}));
  auto* position = picked->mutable_elements<int64_t>();
  VisitInts(rows, [&](auto all) {
    for (auto row : all) {
      auto at = static_cast<size_t>(row);
      for (int64_t i = splits[at]; i < splits[at + 1]; ++i) *position++ = i;
    }
  });
  return absl::OkStatus();
}

MadeKernel MakeGatherRowSplits(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& splits = context.input(0);
    const Tensor& rows = context.input(1);
    SIGNET_RETURN_IF_ERROR(CheckSplits(splits));
    SIGNET_RETURN_IF_ERROR(Labelled("C3", CheckIndices(rows, NumRows(splits))));
    return VisitInts(splits, [&](auto all) { return GatherSplits(context, all, rows); });
  });
}

MadeKernel MakeConcatRowSplits(const KernelRequest& request) {
  DType dtype = request.outputs[0].As<TensorSpec>()->dtype();
  int64_t most =
      dtype == DType::kInt32 ? std::numeric_limits<int32_t>::max() : kMaxOutputElements * 4;
  return MakeKernel([most](KernelContext& context) -> Status {
    int64_t rows = 0;
    for (size_t i = 0; i < context.num_inputs(); ++i) {
      SIGNET_RETURN_IF_ERROR(CheckSplits(context.input(i)));
      rows += NumRows(context.input(i));
    }
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, {rows + 1}));
    int64_t base = 0;
    int64_t at = 0;
    auto put = [&](int64_t split) {
      if (out->dtype() == DType::kInt32) {
        out->mutable_elements<int32_t>()[at++] = static_cast<int32_t>(split);
      } else {
        out->mutable_elements<int64_t>()[at++] = split;
      }
    };
    put(0);
    for (size_t i = 0; i < context.num_inputs(); ++i) {
      const Tensor& splits = context.input(i);
      if (IntAt(splits, NumRows(splits)) > most - base) {
        return ResourceExhausted("C3 joined rows have more than ", most, " values");
      }
      for (int64_t row = 1; row <= NumRows(splits); ++row) put(base + IntAt(splits, row));
      base += IntAt(splits, NumRows(splits));
    }
    return absl::OkStatus();
  });
}

MadeKernel MakeRepeatRows(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    const Tensor& splits = context.input(1);
    SIGNET_RETURN_IF_ERROR(CheckSplits(splits));
    if (x.rank() == 0 || x.shape().dim(0) != NumRows(splits)) {
      return InvalidArgument("C2 input 0 is `", x.spec(), "`; takes an element for each of ",
                             NumRows(splits), " rows");
    }
    Shape shape = x.shape();
    shape.set_dim(0, IntAt(splits, NumRows(splits)));
    int64_t inner = NumRows(splits) == 0 ? 0 : x.num_elements() / NumRows(splits);
    return MoveRuns(context, 0, x.dtype(), shape, [&](auto&& run) {
      for (int64_t row = 0; row < NumRows(splits); ++row) {
        int64_t length = IntAt(splits, row + 1) - IntAt(splits, row);
        for (int64_t i = 0; i < length; ++i) run(x, row * inner, inner);
      }
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"check_row_splits", MakeCheckRowSplits},
    {"check_same_size", MakeCheckSameSize},
    {"check_same_splits", MakeCheckSameSplits},
    {"concat_row_splits", MakeConcatRowSplits},
    {"gather_row_splits", MakeGatherRowSplits},
    {"num_rows", MakeNumRows},
    {"num_values", MakeNumValues},
    {"repeat_rows", MakeRepeatRows},
    {"row_lengths", MakeRowLengths},
    {"row_splits_from_lengths", MakeRowSplitsFromLengths},
    {"segment_ids", MakeSegmentIds},
    {"uniform_row_splits", MakeUniformRowSplits},
};

}  // namespace

std::span<const KernelDef> RowSplitKernels() { return kKernels; }

}  // namespace signet
