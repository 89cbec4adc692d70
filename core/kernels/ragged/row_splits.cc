// The kernels of `check_row_splits`, `check_same_size`, `check_same_splits`, `concat_row_splits`,
// `gather_row_splits`, `num_rows`, `num_values`, `row_lengths`, `row_splits_from_lengths`,
// `segment_ids` and `uniform_row_splits`.

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/base/checked_math.h"
#include "core/kernels/loops/row_access.h"
#include "core/kernels/loops/runs.h"
#include "core/kernels/ragged/ragged_kernels.h"

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
    SIGNET_RETURN_IF_ERROR(CheckSplitsShape(splits));
    return SetScalar(context, NumRows(splits));
  });
}

MadeKernel MakeNumValues(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& splits = context.input(0);
    SIGNET_RETURN_IF_ERROR(CheckSplitsShape(splits));
    SIGNET_RETURN_IF_ERROR(CheckSomeRows(context, splits, NumRows(splits), 0));
    return SetScalar(context, IntAt(splits, NumRows(splits)));
  });
}

MadeKernel MakeRowLengths(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& splits = context.input(0);
    SIGNET_RETURN_IF_ERROR(CheckSplits(context, splits));
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, {NumRows(splits)}));
    auto* lengths = out->mutable_elements<int64_t>();
    return VisitInts(splits, [&](auto all) {
      return context.ForInOrder(NumRows(splits), 1, [&](int64_t begin, int64_t end) {
        FillLengths(all.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin) + 1),
                    lengths + begin);
      });
    });
  });
}

MadeKernel MakeSegmentIds(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& splits = context.input(0);
    SIGNET_RETURN_IF_ERROR(CheckSplits(context, splits));
    Shape shape = {IntAt(splits, NumRows(splits))};
    SIGNET_RETURN_IF_ERROR(WithConstraint("C2", CheckOutputSize(shape.dims())));
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, shape));
    auto* ids = out->mutable_elements<int64_t>();
    return VisitInts(splits, [&](auto all) -> Status {
      StopPoll poll(context);
      for (int64_t row = 0; row < NumRows(splits); ++row) {
        SIGNET_RETURN_IF_ERROR(poll.Spend(2));
        const int64_t first = all[static_cast<size_t>(row)];
        const int64_t length = all[static_cast<size_t>(row) + 1] - first;
        ForSegments(poll, length, 1, [&](int64_t begin, int64_t end) {
          std::fill(ids + first + begin, ids + first + end, row);
        });
      }
      return context.stopped() ? context.CheckStop() : absl::OkStatus();
    });
  });
}

MadeKernel MakeUniformRowSplits(const KernelRequest& request) {
  bool narrow = request.outputs[0].As<TensorSpec>()->dtype() == DType::kInt32;
  return MakeKernel([narrow](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(int64_t rows, SizeInput(context, 0));
    SIGNET_ASSIGN_OR_RETURN(int64_t length, SizeInput(context, 1));
    if (rows < 0 || length < 0) {
      return WithConstraint(
          "C2", InvalidArgument("expected a number of rows and a length of at least 0, found ",
                                rows, " rows of length ", length));
    }
    auto values = CheckedMultiply(rows, length);
    if (rows >= kMaxOutputElements || !values) {
      return WithConstraint(
          "C3", ResourceExhausted(rows, " rows of length ", length, " exceed the limit of ",
                                  kMaxOutputElements, " elements"));
    }
    if (narrow && *values > std::numeric_limits<int32_t>::max()) {
      return WithConstraint("C3",
                            ResourceExhausted(rows, " rows of length ", length,
                                              " exceed the range of int32 row splits, ",
                                              std::numeric_limits<int32_t>::max(), " values"));
    }
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, {rows + 1}));
    return context.ForInOrder(rows + 1, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        if (narrow) {
          out->mutable_elements<int32_t>()[i] = static_cast<int32_t>(i * length);
        } else {
          out->mutable_elements<int64_t>()[i] = i * length;
        }
      }
    });
  });
}

MadeKernel MakeRowSplitsFromLengths(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& lengths = context.input(0);
    if (lengths.rank() != 1) {
      return WithConstraint(
          "C2", InvalidArgument("lengths: expected a vector, found shape `", lengths.shape(), "`"));
    }
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, {lengths.num_elements() + 1}));
    auto* splits = out->mutable_elements<int64_t>();
    return VisitInts(lengths, [&](auto all) -> Status {
      int64_t end = 0;
      bool fits = true;
      splits[0] = 0;
      SIGNET_RETURN_IF_ERROR(
          context.ForInOrder(lengths.num_elements(), 1, [&](int64_t first, int64_t last) {
            for (int64_t i = first; i < last; ++i) {
              const int64_t length = all[static_cast<size_t>(i)];
              fits = fits && length >= 0 && !__builtin_add_overflow(end, length, &end);
              splits[i + 1] = end;
            }
          }));
      // FillSplitsFromLengths reports the error.
      return fits ? absl::OkStatus() : WithConstraint("C3", FillSplitsFromLengths(all, splits));
    });
  });
}

MadeKernel MakeCheckRowSplits(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(int64_t num_values, SizeInput(context, 1));
    SIGNET_RETURN_IF_ERROR(CheckSplits(context, context.input(0), num_values));
    context.Set(0, context.input(0));
    return absl::OkStatus();
  });
}

MadeKernel MakeCheckSameSplits(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    bool same =
        a.data().data() == b.data().data() && a.dtype() == b.dtype() && a.shape() == b.shape();
    if (!same) {
      SIGNET_RETURN_IF_ERROR(CheckSplits(context, a));
      SIGNET_RETURN_IF_ERROR(CheckSplits(context, b));
      SIGNET_RETURN_IF_ERROR(WithConstraint("C2", VisitInts(a, [&](auto x) {
                                              return VisitInts(
                                                  b, [&](auto y) { return CheckSameRows(x, y); });
                                            })));
    }
    context.Set(0, a);
    return absl::OkStatus();
  });
}

MadeKernel MakeCheckSameSize(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(int64_t a, SizeInput(context, 0));
    SIGNET_ASSIGN_OR_RETURN(int64_t b, SizeInput(context, 1));
    if (a != b)
      return WithConstraint(
          "C2", InvalidArgument("expected the same number of rows, found ", a, " and ", b));
    context.Set(0, context.input(0));
    return absl::OkStatus();
  });
}

template <class T, class In>
Status GatherSplits(KernelContext& context, std::span<const T> splits, std::span<const In> rows) {
  SIGNET_ASSIGN_OR_RETURN(Tensor * out,
                          context.Allocate(0, {static_cast<int64_t>(rows.size()) + 1}));
  int64_t most = std::min<int64_t>(kMaxOutputElements, std::numeric_limits<T>::max());
  auto total = FillGatheredSplits(splits, rows, most, out->mutable_elements<T>());
  if (!total) {
    return WithConstraint("C4", ResourceExhausted("selected rows exceed the limit of ", most,
                                                  " values per output; select fewer rows"));
  }
  SIGNET_ASSIGN_OR_RETURN(Tensor * positions, context.Allocate(1, {*total}));
  auto* position = positions->mutable_elements<int64_t>();
  StopPoll poll(context);
  for (In at : rows) {
    SIGNET_RETURN_IF_ERROR(poll.Spend(2));
    const int64_t first = splits[static_cast<size_t>(at)];
    const int64_t length = splits[static_cast<size_t>(at) + 1] - first;
    ForSegments(poll, length, 1, [&](int64_t begin, int64_t end) {
      std::iota(position + begin, position + end, first + begin);
    });
    position += length;
  }
  return context.stopped() ? context.CheckStop() : absl::OkStatus();
}

MadeKernel MakeGatherRowSplits(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& splits = context.input(0);
    const Tensor& rows = context.input(1);
    // A loop may select row after row. If few rows are selected, only these rows are checked.
    bool few = splits.rank() == 1 && rows.num_elements() < splits.num_elements() / 16;
    SIGNET_RETURN_IF_ERROR(few ? CheckSplitsShape(splits) : CheckSplits(context, splits));
    SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckIndices(context, rows, NumRows(splits))));
    for (int64_t i = 0; few && i < rows.num_elements(); ++i) {
      SIGNET_RETURN_IF_ERROR(CheckSomeRows(context, splits, IntAt(rows, i), 1));
    }
    return VisitInts(splits, [&](auto all) {
      return VisitInts(rows, [&](auto picked) { return GatherSplits(context, all, picked); });
    });
  });
}

MadeKernel MakeConcatRowSplits(const KernelRequest& request) {
  DType dtype = request.outputs[0].As<TensorSpec>()->dtype();
  int64_t most =
      dtype == DType::kInt32 ? std::numeric_limits<int32_t>::max() : kMaxOutputElements * 4;
  return MakeKernel([most](KernelContext& context) -> Status {
    int64_t rows = 0;
    for (size_t i = 0; i < context.num_inputs(); ++i) {
      SIGNET_RETURN_IF_ERROR(CheckSplits(context, context.input(i)));
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
        return WithConstraint(
            "C3", ResourceExhausted("joined rows exceed the limit of ", most, " values"));
      }
      SIGNET_RETURN_IF_ERROR(
          context.ForInOrder(NumRows(splits), 2, [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) put(base + IntAt(splits, row + 1));
          }));
      base += IntAt(splits, NumRows(splits));
    }
    return absl::OkStatus();
  });
}

constexpr KernelDef kRowSplitsKernels[] = {
    {"check_row_splits", MakeCheckRowSplits},
    {"check_same_size", MakeCheckSameSize},
    {"check_same_splits", MakeCheckSameSplits},
    {"concat_row_splits", MakeConcatRowSplits},
    {"gather_row_splits", MakeGatherRowSplits},
    {"num_rows", MakeNumRows},
    {"num_values", MakeNumValues},
    {"row_lengths", MakeRowLengths},
    {"row_splits_from_lengths", MakeRowSplitsFromLengths},
    {"segment_ids", MakeSegmentIds},
    {"uniform_row_splits", MakeUniformRowSplits},
};

}  // namespace

std::span<const KernelDef> RowSplitsKernels() { return kRowSplitsKernels; }

}  // namespace signet
