// The kernels of `clip_lengths`, `lengths_without_padding`, `pad_rows` and `unpad_rows`.

#include <algorithm>

#include <absl/container/inlined_vector.h>

#include "core/kernels/def/request.h"
#include "core/kernels/loops/row_access.h"
#include "core/kernels/loops/run_repeated.h"
#include "core/kernels/loops/runs.h"
#include "core/kernels/ragged/ragged_kernels.h"
#include "core/values/zero_scalar.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

// [n, inner...] in rows  =>  [rows, width, inner...]. Appends blanks to short rows, and cuts long
// rows.
MadeKernel MakePadRows(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(auto given_width, request.call.attributes.OptionalInt("width"));
  SIGNET_ASSIGN_OR_RETURN(Tensor blank, ZeroScalar(request.outputs[0].As<TensorSpec>()->dtype()));
  return MakeKernel([given_width, blank](KernelContext& context) -> Status {
    const Tensor& values = context.input(0);
    const Tensor& splits = context.input(1);
    bool given = context.num_inputs() > 2 && context.input(2).has_value();
    const Tensor& missing = given ? context.input(2) : blank;
    if (values.rank() == 0)
      return WithConstraint(
          "C2", InvalidArgument("input 0: expected a rank of at least 1, found a scalar"));
    std::span<const int64_t> element = values.shape().dims().subspan(1);
    std::span<const int64_t> blanks = missing.shape().dims();
    bool fits = blanks.size() <= element.size() &&
                std::equal(blanks.begin(), blanks.end(), element.end() - missing.rank());
    if (!fits) {
      return WithConstraint(
          "C4", InvalidArgument("default: expected the last dimensions of an element of `",
                                values.spec(), "`, found shape `", missing.shape(), "`"));
    }
    SIGNET_RETURN_IF_ERROR(CheckSplits(context, splits, values.shape().dim(0)));
    int64_t rows = NumRows(splits);
    int64_t width = given_width.value_or(0);
    StopPoll poll(context);
    for (int64_t row = 0; !given_width && row < rows; ++row) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(2));
      width = std::max(width, IntAt(splits, row + 1) - IntAt(splits, row));
    }
    Shape shape = {rows, width};
    int64_t inner = 1;
    for (int64_t dim : values.shape().dims().subspan(1)) {
      shape.push_back(dim);
      inner *= dim;
    }
    SIGNET_RETURN_IF_ERROR(WithConstraint("C5", CheckOutputSize(shape.dims())));
    return MoveRuns(context, 0, values.dtype(), shape, [&](auto&& run) {
      for (int64_t row = 0; row < rows; ++row) {
        int64_t begin = IntAt(splits, row);
        int64_t kept = std::min(width, IntAt(splits, row + 1) - begin);
        if (!run(values, begin * inner, kept * inner)) return;
        if (!RunRepeated(missing, (width - kept) * inner, run)) return;
      }
    });
  });
}

// [rows, width, inner...] and row splits of rows of at most `width` values  =>  [n, inner...]
MadeKernel MakeUnpadRows(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    const Tensor& splits = context.input(1);
    if (x.rank() < 2)
      return WithConstraint(
          "C2", InvalidArgument("input 0: expected a rank of at least 2, found `", x.spec(), "`"));
    SIGNET_RETURN_IF_ERROR(CheckSplits(context, splits));
    int64_t rows = NumRows(splits);
    int64_t width = x.shape().dim(1);
    if (x.shape().dim(0) != rows) {
      return WithConstraint(
          "C3", InvalidArgument("input 0: expected ", rows, " rows, as in row_splits, found ",
                                x.shape().dim(0)));
    }
    StopPoll poll(context);
    for (int64_t row = 0; row < rows; ++row) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(2));
      int64_t length = IntAt(splits, row + 1) - IntAt(splits, row);
      if (length > width) {
        return WithConstraint("C3",
                              InvalidArgument("row ", row, ": expected at most ", width,
                                              " values, the width of input 0, found ", length));
      }
    }
    Shape shape = {IntAt(splits, rows)};
    int64_t inner = 1;
    for (int64_t dim : x.shape().dims().subspan(2)) {
      shape.push_back(dim);
      inner *= dim;
    }
    return MoveRuns(context, 0, x.dtype(), shape, [&](auto&& run) {
      for (int64_t row = 0; row < rows; ++row) {
        int64_t length = IntAt(splits, row + 1) - IntAt(splits, row);
        if (!run(x, row * width * inner, length * inner)) return;
      }
    });
  });
}

// bool[rows, width]  =>  the length of each row without the padding at its end.
MadeKernel MakeLengthsWithoutPadding(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& padding = context.input(0);
    if (padding.rank() != 2) {
      return WithConstraint(
          "C1", InvalidArgument("input 0: expected bool of rank 2, found `", padding.spec(), "`"));
    }
    auto is_padding = padding.elements<bool>();
    int64_t rows = padding.shape().dim(0);
    int64_t width = padding.shape().dim(1);
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, {rows}));
    auto* lengths = out->mutable_elements<int64_t>();
    StopPoll poll(context);
    for (int64_t row = 0; row < rows; ++row) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(2));
      int64_t length = width;
      while (length > 0 && is_padding[static_cast<size_t>(row * width + length - 1)]) {
        SIGNET_RETURN_IF_ERROR(poll.Spend(1));
        --length;
      }
      lengths[row] = length;
    }
    return absl::OkStatus();
  });
}

// Clips each length to [0, width].
MadeKernel MakeClipLengths(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& lengths = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(int64_t width, SizeInput(context, 1));
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, lengths.shape()));
    auto* to = out->mutable_elements<int64_t>();
    return context.ForInOrder(lengths.num_elements(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        to[i] = std::max<int64_t>(0, std::min(IntAt(lengths, i), width));
      }
    });
  });
}

constexpr KernelDef kPaddedRowsKernels[] = {
    {"clip_lengths", MakeClipLengths},
    {"lengths_without_padding", MakeLengthsWithoutPadding},
    {"pad_rows", MakePadRows},
    {"unpad_rows", MakeUnpadRows},
};

}  // namespace

std::span<const KernelDef> PaddedRowsKernels() { return kPaddedRowsKernels; }

}  // namespace signet
