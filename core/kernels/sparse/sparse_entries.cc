// Kernels for the entries of sparse values, and for conversions between sparse values and tensors.

#include <algorithm>
#include <limits>
#include <vector>

#include "core/base/checked_math.h"
#include "core/kernels/loops/row_access.h"
#include "core/kernels/loops/runs.h"
#include "core/kernels/sparse/sparse_kernels.h"
#include "core/ops/build/slice_ranges.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;
using Ints = std::span<const int64_t>;

// Returns input `i`, an int64 tensor of rank `rank` (C1).
StatusOr<Ints> Int64Input(const KernelContext& context, size_t i, int rank) {
  const Tensor& input = context.input(i);
  if (input.rank() == rank) return input.elements<int64_t>();
  return WithConstraint("C1", InvalidArgument("input ", i, ": expected rank ", rank,
                                              ", found shape `", input.shape(), "`"));
}

// Returns the number of elements of a dense shape. C3: sizes are at least 0, and int64 can count
// the elements.
StatusOr<int64_t> CountElements(Ints sizes) {
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    if (sizes[axis] < 0) {
      return WithConstraint(
          "C3", InvalidArgument("dimension ", axis, ": expected at least 0, found ", sizes[axis]));
    }
  }
  auto count = CheckedProduct(sizes);
  if (!count)
    return WithConstraint(
        "C3", InvalidArgument("the dense shape has more elements than int64 can count"));
  return *count;
}

// Indices, and the sizes of the dimensions. There is one column of indices per dimension (C2).
struct Entries {
  int64_t count;
  Ints indices;
  Ints sizes;

  static StatusOr<Entries> Read(const KernelContext& context) {
    SIGNET_ASSIGN_OR_RETURN(Ints indices, Int64Input(context, 0, 2));
    SIGNET_ASSIGN_OR_RETURN(Ints sizes, Int64Input(context, 1, 1));
    if (sizes.size() > size_t{kMaxOutputRank}) {
      return WithConstraint("C2",
                            InvalidArgument("input 1: expected at most ", kMaxOutputRank,
                                            " elements, one per dimension, found ", sizes.size()));
    }
    const Shape& shape = context.input(0).shape();
    if (shape.dim(1) != static_cast<int64_t>(sizes.size())) {
      return WithConstraint("C2",
                            InvalidArgument("indices: expected ", sizes.size(),
                                            " columns, one per dimension, found ", shape.dim(1)));
    }
    return Entries{shape.dim(0), indices, sizes};
  }

  Ints index(int64_t entry) const {
    return indices.subspan(static_cast<size_t>(entry) * sizes.size(), sizes.size());
  }
};

MadeKernel MakeRavel(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(Entries entries, Entries::Read(context));
    SIGNET_RETURN_IF_ERROR(CountElements(entries.sizes).status());
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, {entries.count}));
    auto* out = made->mutable_elements<int64_t>();
    StopPoll poll(context);
    for (int64_t entry = 0; entry < entries.count; ++entry) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(5));
      Ints index = entries.index(entry);
      int64_t position = 0;
      for (size_t axis = 0; axis < index.size(); ++axis) {
        if (index[axis] < 0 || index[axis] >= entries.sizes[axis]) {
          return WithConstraint(
              "C4", InvalidArgument(
                        "entry ", entry, ": expected an index of at least 0 and less than ",
                        entries.sizes[axis], " for dimension ", axis, ", found ", index[axis]));
        }
        position = position * entries.sizes[axis] + index[axis];
      }
      out[entry] = position;
    }
    return absl::OkStatus();
  });
}

MadeKernel MakeUnravel(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(Ints positions, Int64Input(context, 0, 1));
    SIGNET_ASSIGN_OR_RETURN(Ints sizes, Int64Input(context, 1, 1));
    SIGNET_ASSIGN_OR_RETURN(int64_t count, CountElements(sizes));
    const int64_t dims[] = {static_cast<int64_t>(positions.size()),
                            static_cast<int64_t>(sizes.size())};
    SIGNET_RETURN_IF_ERROR(CheckOutputSize(dims));
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, Shape(dims)));
    auto* out = made->mutable_elements<int64_t>();
    StopPoll poll(context);
    const auto cost = 2 + 8 * static_cast<int64_t>(sizes.size());  // for the divisions
    for (size_t i = 0; i < positions.size(); ++i, out += sizes.size()) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(cost));
      int64_t rest = positions[i];
      if (rest < 0 || rest >= count) {
        return WithConstraint(
            "C4", InvalidArgument("expected a position of at least 0 and less than ", count,
                                  ", the number of elements, found ", rest));
      }
      for (size_t axis = sizes.size(); axis-- > 0;) {
        out[axis] = rest % sizes[axis];
        rest /= sizes[axis];
      }
    }
    return absl::OkStatus();
  });
}

MadeKernel MakeGroupEqual(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(Ints sorted, Int64Input(context, 0, 1));
    int64_t groups = sorted.empty() ? 0 : 1;
    StopPoll poll(context);
    for (size_t i = 1; i < sorted.size(); ++i) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(1));
      if (sorted[i] < sorted[i - 1]) {
        return WithConstraint("C2", InvalidArgument("expected numbers in order, found ", sorted[i],
                                                    " at index ", i, " after ", sorted[i - 1]));
      }
      if (sorted[i] != sorted[i - 1]) ++groups;
    }
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, {groups + 1}));
    auto* out = made->mutable_elements<int64_t>();
    *out++ = 0;
    for (size_t i = 1; i < sorted.size(); ++i) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(1));
      if (sorted[i] != sorted[i - 1]) *out++ = static_cast<int64_t>(i);
    }
    if (!sorted.empty()) *out = static_cast<int64_t>(sorted.size());
    return absl::OkStatus();
  });
}

MadeKernel MakeScatterDense(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(Ints positions, Int64Input(context, 0, 1));
    SIGNET_ASSIGN_OR_RETURN(Ints sizes, Int64Input(context, 2, 1));
    const Tensor& values = context.input(1);
    const Tensor& missing = context.input(3);
    if (values.rank() != 1 || values.num_elements() != context.input(0).num_elements()) {
      return WithConstraint("C2", InvalidArgument("values: expected one for each of ",
                                                  positions.size(), " positions"));
    }
    if (missing.rank() != 0) {
      return WithConstraint(
          "C5", InvalidArgument("default: expected a scalar, found shape `", missing.shape(), "`"));
    }
    SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckOutputSize(sizes)));
    SIGNET_ASSIGN_OR_RETURN(int64_t count, CountElements(sizes));
    StopPoll poll(context);
    for (size_t i = 0; i < positions.size(); ++i) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(1));
      int64_t least = i == 0 ? 0 : positions[i - 1] + 1;
      if (positions[i] < least || positions[i] >= count) {
        return WithConstraint(
            "C4", InvalidArgument("expected increasing positions less than ", count, ", found ",
                                  positions[i], " at index ", i));
      }
    }
    return MoveRuns(context, 0, values.dtype(), Shape(sizes), [&](auto&& run) {
      int64_t at = 0;
      for (size_t i = 0; i < positions.size(); ++i, ++at) {
        for (; at < positions[i]; ++at) {
          if (!run(missing, 0, 1)) return;
        }
        if (!run(values, static_cast<int64_t>(i), 1)) return;
      }
      for (; at < count; ++at) {
        if (!run(missing, 0, 1)) return;
      }
    });
  });
}

// Returns the range that `slice` selects of each dimension. Unlike the sizes of a tensor's slice,
// larger sizes are clipped to the dimension.
StatusOr<std::vector<SliceRange>> Window(SliceRequest request, Ints dims) {
  Ints starts = *request.starts.known;
  std::vector<int64_t> limits;
  if (request.limits.given) limits = *request.limits.known;
  if (request.sizes) {
    for (size_t i = 0; i < request.sizes->size() && i < starts.size(); ++i) {
      int64_t size = (*request.sizes)[i];
      if (size < -1) {
        return WithConstraint(
            "C4", InvalidArgument(
                      "size: expected at least 0, or -1 for all remaining elements, found ", size));
      }
      int64_t given =
          request.axes && i < request.axes->size() ? (*request.axes)[i] : static_cast<int64_t>(i);
      SIGNET_ASSIGN_OR_RETURN(
          int axis, WithConstraint("C3", NormalizeAxis(given, static_cast<int>(dims.size()))));
      int64_t start = starts[i] < 0
                          ? std::max<int64_t>(0, starts[i] + dims[static_cast<size_t>(axis)])
                          : starts[i];
      constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
      limits.push_back(size == -1 ? kEnd : CheckedAdd(start, size).value_or(kEnd));
    }
    if (request.sizes->size() != starts.size()) {
      return WithConstraint(
          "C2", InvalidArgument("`sizes`: expected ", starts.size(),
                                " elements, one per start, found ", request.sizes->size()));
    }
    request.limits.given = true;
    request.sizes.reset();
  }
  return SliceRanges(request, dims, starts, limits);
}

MadeKernel MakeWindow(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(SliceRequest slice, ReadSlice(request.call));
  return MakeKernel([slice](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(Ints dims, Int64Input(context, 0, 1));
    SIGNET_RETURN_IF_ERROR(CountElements(dims).status());
    SIGNET_ASSIGN_OR_RETURN(auto ranges, Window(slice, dims));
    for (size_t output = 0; output < 2; ++output) {
      SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(output, context.input(0).shape()));
      auto* out = made->mutable_elements<int64_t>();
      for (const SliceRange& range : ranges) *out++ = output == 0 ? range.start : range.count;
    }
    return absl::OkStatus();
  });
}

MadeKernel MakeCutEntries(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(Entries entries, Entries::Read(context));
    SIGNET_ASSIGN_OR_RETURN(Ints sizes, Int64Input(context, 2, 1));
    Ints starts = entries.sizes;
    if (sizes.size() != starts.size()) {
      return WithConstraint("C2",
                            InvalidArgument("`sizes`: expected ", starts.size(),
                                            " elements, one per start, found ", sizes.size()));
    }
    auto within = [&](int64_t entry) {
      Ints index = entries.index(entry);
      for (size_t axis = 0; axis < index.size(); ++axis) {
        // Indices and starts must be at least 0, even if a model computed them. Otherwise, no entry
        // is within the window.
        if (starts[axis] < 0 || index[axis] < starts[axis] ||
            index[axis] - starts[axis] >= sizes[axis]) {
          return false;
        }
      }
      return true;
    };
    int64_t count = 0;
    StopPoll poll(context);
    for (int64_t entry = 0; entry < entries.count; ++entry) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(5));
      count += within(entry);
    }
    SIGNET_ASSIGN_OR_RETURN(Tensor * positions, context.Allocate(0, {count}));
    SIGNET_ASSIGN_OR_RETURN(Tensor * indices,
                            context.Allocate(1, {count, static_cast<int64_t>(sizes.size())}));
    auto* position = positions->mutable_elements<int64_t>();
    auto* moved = indices->mutable_elements<int64_t>();
    for (int64_t entry = 0; entry < entries.count; ++entry) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(8));
      if (!within(entry)) continue;
      *position++ = entry;
      Ints index = entries.index(entry);
      for (size_t axis = 0; axis < index.size(); ++axis) *moved++ = index[axis] - starts[axis];
    }
    return absl::OkStatus();
  });
}

MadeKernel MakeCompleteShape(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(Ints sizes, Int64Input(context, 0, 1));
    SIGNET_ASSIGN_OR_RETURN(Ints wanted, Int64Input(context, 1, 1));
    SIGNET_ASSIGN_OR_RETURN(int64_t count, CountElements(sizes));
    std::vector<int64_t> others;
    for (int64_t size : wanted) {
      if (size != -1) others.push_back(size);
      if (size < -1)
        return WithConstraint("C2",
                              InvalidArgument("sizes: expected at least 0, or -1, found ", size));
    }
    if (others.size() + 1 < wanted.size()) {
      return WithConstraint("C2", InvalidArgument(wanted.size() - others.size(),
                                                  " sizes are -1; expected at most one"));
    }
    auto product = CheckedProduct(others);
    bool open = others.size() < wanted.size();
    bool fits = product && (open ? *product > 0 && count % *product == 0 : *product == count);
    if (!fits) {
      return WithConstraint("C3", InvalidArgument("expected a shape with ", count,
                                                  " elements, found `", PartialShape(wanted), "`"));
    }
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, context.input(1).shape()));
    std::transform(wanted.begin(), wanted.end(), made->mutable_elements<int64_t>(),
                   [&](int64_t size) { return size == -1 ? count / *product : size; });
    return absl::OkStatus();
  });
}

MadeKernel MakeFillRows(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(Entries entries, Entries::Read(context));
    size_t rank = entries.sizes.size();
    if (rank == 0)
      return WithConstraint("C3",
                            InvalidArgument("dense shape: expected rank at least 1, found rank 0"));
    SIGNET_RETURN_IF_ERROR(CheckOutputSize(entries.sizes.first(1)));
    int64_t rows = entries.sizes[0];
    SIGNET_ASSIGN_OR_RETURN(Tensor * flags, context.Allocate(2, {rows}));
    bool* empty = flags->mutable_elements<bool>();
    SIGNET_RETURN_IF_ERROR(FillElements(context, empty, rows, true));
    StopPoll poll(context);
    int64_t filled = rows;
    int64_t previous = 0;
    for (int64_t entry = 0; entry < entries.count; ++entry) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(3));
      int64_t row = entries.index(entry)[0];
      if (row < previous || row >= rows) {
        return WithConstraint(
            "C4", InvalidArgument("expected entries in the order of rows 0 to ", rows - 1,
                                  ", found entry ", entry, " in row ", row));
      }
      filled -= empty[row];
      empty[row] = false;
      previous = row;
    }
    bool fits = std::find(entries.sizes.begin() + 1, entries.sizes.end(), 0) == entries.sizes.end();
    if (filled > 0 && !fits) {
      return WithConstraint("C3",
                            InvalidArgument("rows: expected sizes of at least 1, found shape `",
                                            PartialShape(entries.sizes.subspan(1)), "`"));
    }
    int64_t count = entries.count + filled;
    const int64_t dims[] = {count, static_cast<int64_t>(rank)};
    SIGNET_RETURN_IF_ERROR(CheckOutputSize(dims));
    SIGNET_ASSIGN_OR_RETURN(Tensor * indices, context.Allocate(0, Shape(dims)));
    SIGNET_ASSIGN_OR_RETURN(Tensor * sources, context.Allocate(1, {count}));
    auto* index = indices->mutable_elements<int64_t>();
    auto* source = sources->mutable_elements<int64_t>();
    int64_t entry = 0;
    for (int64_t row = 0; row < rows; ++row) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(4));
      if (empty[row]) {
        // The position after all values selects the default.
        *source++ = entries.count;
        *index++ = row;
        index = std::fill_n(index, rank - 1, 0);
      }
      for (; entry < entries.count && entries.index(entry)[0] == row; ++entry) {
        SIGNET_RETURN_IF_ERROR(poll.Spend(5));
        *source++ = entry;
        Ints kept = entries.index(entry);
        index = std::copy(kept.begin(), kept.end(), index);
      }
    }
    return absl::OkStatus();
  });
}

MadeKernel MakeBoundingShape(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(Ints indices, Int64Input(context, 0, 2));
    auto rank = static_cast<size_t>(context.input(0).shape().dim(1));
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, {static_cast<int64_t>(rank)}));
    auto* out = made->mutable_elements<int64_t>();
    std::fill_n(out, rank, 0);
    StopPoll poll(context);
    for (size_t i = 0; i < indices.size(); ++i) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(5));
      auto end = CheckedAdd(indices[i], 1);
      if (!end)
        return WithConstraint("C2",
                              InvalidArgument("index ", indices[i], " exceeds the range of int64"));
      out[i % rank] = std::max(out[i % rank], *end);
    }
    return absl::OkStatus();
  });
}

constexpr KernelDef kSparseKernels[] = {
    {"bounding_shape", MakeBoundingShape}, {"complete_shape", MakeCompleteShape},
    {"cut_entries", MakeCutEntries},       {"fill_rows", MakeFillRows},
    {"group_equal", MakeGroupEqual},       {"ravel_indices", MakeRavel},
    {"scatter_dense", MakeScatterDense},   {"sparse_window", MakeWindow},
    {"unravel_indices", MakeUnravel},
};

}  // namespace

std::span<const KernelDef> SparseKernels() { return kSparseKernels; }

}  // namespace signet
