// Kernels that make rows of little input: ranges, and combinations of other rows.

#include <algorithm>
#include <optional>
#include <type_traits>

#include "core/base/checked_math.h"
#include "core/kernels/all_kernels.h"
#include "core/kernels/request.h"
#include "core/kernels/row_access.h"
#include "core/ops/inference.h"
#include "core/ops/range_count.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

template <class T>
class Ranges {
 public:
  // What ranges are counted in.
  using Number = std::conditional_t<std::is_integral_v<T>, int64_t, double>;

  explicit Ranges(const KernelContext& context) : context_(context) {}

  Status Run(KernelContext& context, int64_t rows) const {
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, {rows + 1}));
    auto* splits = made->mutable_elements<int64_t>();
    splits[0] = 0;
    StopPoll poll(context);
    for (int64_t row = 0; row < rows; ++row) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(10));
      auto count = RangeCount(At(0, row), At(1, row), At(2, row));
      if (!count.ok()) return Labelled("C3", signet::At(Cat("row ", row), count.status()));
      splits[row + 1] = splits[row] + *count;
      SIGNET_RETURN_IF_ERROR(Labelled("C3", CheckOutputSize(std::span(&splits[row + 1], 1))));
    }
    SIGNET_ASSIGN_OR_RETURN(Tensor * numbers, context.Allocate(1, {splits[rows]}));
    T* out = numbers->template mutable_elements<T>();
    for (int64_t row = 0; row < rows; ++row) {
      Number start = At(0, row);
      Number step = At(2, row);
      int64_t count = splits[row + 1] - splits[row];
      SIGNET_RETURN_IF_ERROR(poll.Spend(4));
      ForSegments(poll, count, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) out[i] = static_cast<T>(Step(start, i, step));
      });
      out += count;
    }
    return context.stopped() ? context.CheckStop() : absl::OkStatus();
  }

 private:
  // A bound of one row; a scalar is that of all.
  Number At(size_t input, int64_t row) const {
    const Tensor& bounds = context_.input(input);
    auto i = bounds.rank() == 0 ? size_t{0} : static_cast<size_t>(row);
    return static_cast<Number>(bounds.elements<T>()[i]);
  }

  // A product on the way may be beyond int64, the sum is not.
  static Number Step(Number start, int64_t i, Number step) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<int64_t>(static_cast<uint64_t>(start) +
                                  static_cast<uint64_t>(i) * static_cast<uint64_t>(step));
    } else {
      return start + static_cast<double>(i) * step;
    }
  }

  const KernelContext& context_;
};

MadeKernel MakeRowRanges(const KernelRequest& request) {
  DType dtype = DTypeIn(request.call.inputs[0]);
  return MakeKernel([dtype](KernelContext& context) -> Status {
    int64_t rows = 1;
    bool some = false;
    for (size_t i = 0; i < context.num_inputs(); ++i) {
      const Shape& shape = context.input(i).shape();
      if (shape.rank() > 1) {
        return InvalidArgument("C1 input ", i, " is of shape `", shape, "`; takes a vector");
      }
      if (shape.rank() == 0) continue;
      if (some && shape.dim(0) != rows) {
        return InvalidArgument("C2 vectors of ", rows, " and ", shape.dim(0),
                               " bounds; takes as many");
      }
      rows = shape.dim(0);
      some = true;
    }
    return VisitDType(dtype, [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t> ||
                    std::is_same_v<T, float> || std::is_same_v<T, double>) {
        return Ranges<T>(context).Run(context, rows);
      } else {
        return Internal("a range that inference lets through");
      }
    });
  });
}

// The number of combinations of row `row` of all inputs, if int64 holds it.
std::optional<int64_t> CombinationsOf(const KernelContext& context, int64_t row) {
  std::optional<int64_t> product = 1;
  for (size_t i = 0; i < context.num_inputs(); ++i) {
    const Tensor& splits = context.input(i);
    int64_t length = IntAt(splits, row + 1) - IntAt(splits, row);
    if (length == 0) return 0;
    if (product) product = CheckedMultiply(*product, length);
  }
  return product;
}

MadeKernel MakeCrossRows(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    for (size_t i = 0; i < context.num_inputs(); ++i) {
      SIGNET_RETURN_IF_ERROR(CheckSplits(context, context.input(i)));
    }
    int64_t rows = NumRows(context.input(0));
    for (size_t i = 1; i < context.num_inputs(); ++i) {
      if (NumRows(context.input(i)) == rows) continue;
      return InvalidArgument("C2 ", rows, " rows and ", NumRows(context.input(i)),
                             "; takes as many");
    }
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, {rows + 1}));
    auto* splits = made->mutable_elements<int64_t>();
    splits[0] = 0;
    StopPoll poll(context);
    for (int64_t row = 0; row < rows; ++row) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(5 * static_cast<int64_t>(context.num_inputs())));
      // C3: there are at most 2^31 of them.
      auto count = CombinationsOf(context, row);
      if (!count || *count > kMaxOutputElements - splits[row]) {
        return ResourceExhausted("C3 rows up to ", row, " have more combinations than the limit, ",
                                 kMaxOutputElements);
      }
      splits[row + 1] = splits[row] + *count;
    }
    for (size_t i = 0; i < context.num_inputs(); ++i) {
      SIGNET_ASSIGN_OR_RETURN(Tensor * picked, context.Allocate(i + 1, {splits[rows]}));
      auto* out = picked->mutable_elements<int64_t>();
      const Tensor& own = context.input(i);
      for (int64_t row = 0; row < rows; ++row) {
        SIGNET_RETURN_IF_ERROR(poll.Spend(4));
        int64_t count = splits[row + 1] - splits[row];
        if (count == 0) continue;
        // The last input goes round fastest: each of these stands for all of the inputs behind.
        int64_t behind = 1;
        for (size_t k = i + 1; k < context.num_inputs(); ++k) {
          behind *= IntAt(context.input(k), row + 1) - IntAt(context.input(k), row);
        }
        int64_t begin = IntAt(own, row);
        int64_t length = IntAt(own, row + 1) - begin;
        const bool goes_on = ForSegments(poll, count, 8, [&](int64_t from, int64_t to) {
          for (int64_t at = from; at < to; ++at) *out++ = begin + at / behind % length;
        });
        if (!goes_on) return context.CheckStop();
      }
    }
    return absl::OkStatus();
  });
}

constexpr KernelDef kKernels[] = {
    {"cross_rows", MakeCrossRows},
    {"row_ranges", MakeRowRanges},
};

}  // namespace

std::span<const KernelDef> RowProductKernels() { return kKernels; }

}  // namespace signet
