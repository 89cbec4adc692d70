// Kernels that select elements of rows.

#include <algorithm>
#include <limits>

#include "core/kernels/loops/row_access.h"
#include "core/kernels/loops/runs.h"
#include "core/kernels/ragged/ragged_kernels.h"
#include "core/ops/build/slice_ranges.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

// C2: rows [start, start + count) exist.
Status CheckRange(int64_t start, int64_t count, int64_t rows) {
  if (start >= 0 && count >= 0 && start <= rows && count <= rows - start) return absl::OkStatus();
  return WithConstraint("C2", OutOfRange("expected a range within ", rows, " rows, found ", count,
                                         " rows from row ", start));
}

MadeKernel MakeCutRows(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(int64_t start, SizeInput(context, 1));
    SIGNET_ASSIGN_OR_RETURN(int64_t count, SizeInput(context, 2));
    if (x.rank() == 0)
      return WithConstraint(
          "C1", InvalidArgument("input 0: expected a rank of at least 1, found a scalar"));
    SIGNET_RETURN_IF_ERROR(CheckRange(start, count, x.shape().dim(0)));
    int64_t inner = x.shape().dim(0) == 0 ? 0 : x.num_elements() / x.shape().dim(0);
    Shape shape = x.shape();
    shape.set_dim(0, count);
    if (x.is_string()) {  // the offsets of the output must start at 0
      return MoveRuns(context, 0, x.dtype(), shape,
                      [&](auto&& run) { run(x, start * inner, count * inner); });
    }
    size_t size = SizeOf(x.dtype());
    Buffer rows = x.data().Slice(static_cast<size_t>(start * inner) * size,
                                 static_cast<size_t>(count * inner) * size);
    context.Set(0, Tensor::Trusted(x.dtype(), std::move(shape), std::move(rows)));
    return absl::OkStatus();
  });
}

Status SetScalar(KernelContext& context, size_t output, int64_t value) {
  SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(output, Shape{}));
  *out->mutable_elements<int64_t>() = value;
  return absl::OkStatus();
}

template <class T>
Status CutSplits(KernelContext& context, std::span<const T> splits) {
  SIGNET_ASSIGN_OR_RETURN(int64_t start, SizeInput(context, 1));
  SIGNET_ASSIGN_OR_RETURN(int64_t count, SizeInput(context, 2));
  SIGNET_RETURN_IF_ERROR(CheckRange(start, count, static_cast<int64_t>(splits.size()) - 1));
  SIGNET_RETURN_IF_ERROR(CheckSomeRows(context, context.input(0), start, count));
  splits = splits.subspan(static_cast<size_t>(start), static_cast<size_t>(count) + 1);
  SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, {count + 1}));
  T first = splits.front();
  T* out = made->mutable_elements<T>();
  SIGNET_RETURN_IF_ERROR(context.ForInOrder(count + 1, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      out[i] = static_cast<T>(splits[static_cast<size_t>(i)] - first);
    }
  }));
  SIGNET_RETURN_IF_ERROR(SetScalar(context, 1, first));
  return SetScalar(context, 2, splits.back() - first);
}

MadeKernel MakeCutRowSplits(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    SIGNET_RETURN_IF_ERROR(CheckSplitsShape(context.input(0)));
    return VisitInts(context.input(0), [&](auto splits) { return CutSplits(context, splits); });
  });
}

// A slice before it is clipped to a row. A bound is an attribute, or an input with one number for
// all rows or one per row.
struct GivenSlice {
  int64_t start;
  int64_t limit;
  int64_t step;
  const Tensor* starts = nullptr;
  const Tensor* limits = nullptr;

  SliceRange Of(int64_t row, int64_t size) const {
    return ClippedSlice(BoundOf(starts, start, row), BoundOf(limits, limit, row), step, size);
  }

 private:
  static int64_t BoundOf(const Tensor* bounds, int64_t otherwise, int64_t row) {
    if (bounds == nullptr) return otherwise;
    return bounds->elements<int64_t>()[static_cast<size_t>(bounds->rank() == 0 ? 0 : row)];
  }
};

StatusOr<GivenSlice> ReadGivenSlice(const Attributes& attributes) {
  using Limits = std::numeric_limits<int64_t>;
  SIGNET_ASSIGN_OR_RETURN(auto start, attributes.OptionalInt("start"));
  SIGNET_ASSIGN_OR_RETURN(auto limit, attributes.OptionalInt("limit"));
  SIGNET_ASSIGN_OR_RETURN(int64_t step, attributes.Int("step"));
  // If a bound is absent, the slice extends to the end of the row.
  return GivenSlice{start.value_or(step > 0 ? 0 : Limits::max()),
                    limit.value_or(step > 0 ? Limits::max() : Limits::min()), step};
}

// Adds the bounds that are inputs `first` and `first` + 1 to `slice`. There are `rows` rows.
Status AddComputedBounds(const KernelContext& context, size_t first, int64_t rows,
                         GivenSlice& slice) {
  for (size_t i : {first, first + 1}) {
    if (i >= context.num_inputs() || !context.input(i).has_value()) continue;
    const Tensor& bounds = context.input(i);
    if (bounds.rank() > 1 || (bounds.rank() == 1 && bounds.num_elements() != rows)) {
      return WithConstraint(
          "C2", InvalidArgument("bound of a slice: expected one integer, or one ", "per row of ",
                                rows, " rows, found shape `", bounds.shape(), "`"));
    }
    (i == first ? slice.starts : slice.limits) = &bounds;
  }
  return absl::OkStatus();
}

// Writes output `output`: the row splits of the slice of each row. Returns the last split.
template <class T>
StatusOr<int64_t> SliceSplits(KernelContext& context, size_t output, std::span<const T> splits,
                              const GivenSlice& slice) {
  SIGNET_ASSIGN_OR_RETURN(Tensor * made,
                          context.Allocate(output, {static_cast<int64_t>(splits.size())}));
  T* out = made->mutable_elements<T>();
  out[0] = 0;
  StopPoll poll(context);
  for (size_t row = 0; row + 1 < splits.size(); ++row) {
    SIGNET_RETURN_IF_ERROR(poll.Spend(5));
    int64_t size = int64_t{splits[row + 1]} - int64_t{splits[row]};
    out[row + 1] = static_cast<T>(out[row] + slice.Of(static_cast<int64_t>(row), size).count);
  }
  return int64_t{out[splits.size() - 1]};
}

// Calls visit(first position, step, count) for each row, until it returns false.
template <class T, class Visit>
void VisitSlices(std::span<const T> splits, const GivenSlice& slice, Visit visit) {
  for (size_t row = 0; row + 1 < splits.size(); ++row) {
    int64_t begin = splits[row];
    SliceRange range = slice.Of(static_cast<int64_t>(row), int64_t{splits[row + 1]} - begin);
    if (!visit(begin + range.start, range.step, range.count)) return;
  }
}

template <class T>
Status SliceEach(KernelContext& context, std::span<const T> splits, const GivenSlice& slice) {
  SIGNET_ASSIGN_OR_RETURN(int64_t count, SliceSplits(context, 0, splits, slice));
  SIGNET_ASSIGN_OR_RETURN(Tensor * picked, context.Allocate(1, {count}));
  auto* position = picked->mutable_elements<int64_t>();
  StopPoll poll(context);
  VisitSlices(splits, slice, [&](int64_t first, int64_t step, int64_t n) {
    if (poll.Stops(5)) return false;
    return ForSegments(poll, n, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) *position++ = first + i * step;
    });
  });
  return context.stopped() ? context.CheckStop() : absl::OkStatus();
}

template <class T>
Status SliceValues(KernelContext& context, std::span<const T> splits, const GivenSlice& slice) {
  const Tensor& x = context.input(0);
  SIGNET_ASSIGN_OR_RETURN(int64_t count, SliceSplits(context, 1, splits, slice));
  Shape shape = x.shape();
  int64_t inner = shape.dim(0) == 0 ? 0 : shape.num_elements() / shape.dim(0);
  shape.set_dim(0, count);
  return MoveRuns(context, 0, x.dtype(), shape, [&](auto&& run) {
    VisitSlices(splits, slice, [&](int64_t first, int64_t step, int64_t n) {
      if (step == 1) return run(x, first * inner, n * inner);
      for (int64_t i = 0; i < n; ++i) {
        if (!run(x, (first + i * step) * inner, inner)) return false;
      }
      return true;
    });
  });
}

MadeKernel MakeSliceRows(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(GivenSlice given, ReadGivenSlice(request.call.attributes));
  return MakeKernel([given](KernelContext& context) -> Status {
    SIGNET_RETURN_IF_ERROR(CheckSplits(context, context.input(0)));
    GivenSlice slice = given;
    SIGNET_RETURN_IF_ERROR(AddComputedBounds(context, 1, NumRows(context.input(0)), slice));
    return VisitInts(context.input(0),
                     [&](auto splits) { return SliceEach(context, splits, slice); });
  });
}

MadeKernel MakeSliceRowValues(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(GivenSlice given, ReadGivenSlice(request.call.attributes));
  return MakeKernel([given](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    const Tensor& splits = context.input(1);
    if (x.rank() == 0)
      return WithConstraint(
          "C2", InvalidArgument("input 0: expected a rank of at least 1, found a scalar"));
    SIGNET_RETURN_IF_ERROR(CheckSplits(context, splits, x.shape().dim(0)));
    GivenSlice slice = given;
    SIGNET_RETURN_IF_ERROR(AddComputedBounds(context, 2, NumRows(splits), slice));
    return VisitInts(splits, [&](auto all) { return SliceValues(context, all, slice); });
  });
}

MadeKernel MakeClipSlice(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(GivenSlice given, ReadGivenSlice(request.call.attributes));
  return MakeKernel([given](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(int64_t size, SizeInput(context, 0));
    if (size < 0)
      return WithConstraint("C3", InvalidArgument("size: expected at least 0, found ", size));
    GivenSlice slice = given;
    SIGNET_RETURN_IF_ERROR(AddComputedBounds(context, 1, 1, slice));
    SliceRange range = slice.Of(0, size);
    SIGNET_RETURN_IF_ERROR(SetScalar(context, 0, range.start));
    return SetScalar(context, 1, range.count);
  });
}

MadeKernel MakeCheckIndex(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(int64_t index, SizeInput(context, 0));
    SIGNET_ASSIGN_OR_RETURN(int64_t size, SizeInput(context, 1));
    int64_t at = index < 0 && size > 0 ? index + size : index;
    if (at >= 0 && at < size) return SetScalar(context, 0, at);
    return OutOfRange("expected an index into a dimension of size ", size, ", found ", index);
  });
}

MadeKernel MakeMaskRowSplits(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& mask = context.input(1);
    if (mask.rank() != 1) {
      return WithConstraint(
          "C2", InvalidArgument("mask: expected a vector, found shape `", mask.shape(), "`"));
    }
    SIGNET_RETURN_IF_ERROR(CheckSplits(context, context.input(0), mask.num_elements()));
    return VisitInts(context.input(0), [&](auto splits) -> Status {
      SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, context.input(0).shape()));
      auto* out = made->mutable_elements<typename decltype(splits)::value_type>();
      auto kept = mask.elements<bool>();
      out[0] = 0;
      StopPoll poll(context);
      for (size_t row = 0; row + 1 < splits.size(); ++row) {
        SIGNET_RETURN_IF_ERROR(poll.Spend(4));
        auto first = kept.begin() + splits[row];
        int64_t count = 0;
        ForSegments(poll, splits[row + 1] - splits[row], 1, [&](int64_t begin, int64_t end) {
          count += std::count(first + begin, first + end, true);
        });
        out[row + 1] = static_cast<typename decltype(splits)::value_type>(out[row] + count);
      }
      return context.stopped() ? context.CheckStop() : absl::OkStatus();
    });
  });
}

MadeKernel MakeRowElements(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(bool negative, request.call.attributes.Bool("negative"));
  return MakeKernel([negative](KernelContext& context) -> Status {
    const Tensor& splits = context.input(0);
    const Tensor& rows = context.input(1);
    const Tensor& indices = context.input(2);
    SIGNET_RETURN_IF_ERROR(CheckSplits(context, splits));
    SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckIndices(context, rows, NumRows(splits))));
    bool one = indices.rank() == 0;
    if (rows.rank() != 1 || (!one && indices.shape() != rows.shape())) {
      return WithConstraint("C2", InvalidArgument("expected a vector of rows and one index per row "
                                                  "or one index for all, found shapes `",
                                                  rows.shape(), "` and `", indices.shape(), "`"));
    }
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, rows.shape()));
    auto* position = out->mutable_elements<int64_t>();
    StopPoll poll(context);
    for (int64_t i = 0; i < rows.num_elements(); ++i) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(5));
      int64_t row = IntAt(rows, i);
      int64_t begin = IntAt(splits, row);
      int64_t length = IntAt(splits, row + 1) - begin;
      int64_t given = IntAt(indices, one ? 0 : i);
      int64_t index = negative && given < 0 ? given + length : given;
      // C4: the row has an element with this index.
      if (index < 0 || index >= length) {
        return WithConstraint(
            "C4", OutOfRange("row ", row, ": expected an index into ", length,
                             length == 1 ? " element" : " elements", ", found ", given));
      }
      *position++ = begin + index;
    }
    return absl::OkStatus();
  });
}

constexpr KernelDef kRowCutKernels[] = {
    {"check_index", MakeCheckIndex},          {"clip_slice", MakeClipSlice},
    {"cut_row_splits", MakeCutRowSplits},     {"cut_rows", MakeCutRows},
    {"mask_row_splits", MakeMaskRowSplits},   {"row_elements", MakeRowElements},
    {"slice_row_values", MakeSliceRowValues}, {"slice_rows", MakeSliceRows},
};

}  // namespace

std::span<const KernelDef> RowCutKernels() { return kRowCutKernels; }

}  // namespace signet
