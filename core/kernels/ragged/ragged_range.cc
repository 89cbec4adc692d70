// The kernel of `row_ranges`.

#include <type_traits>

#include "core/kernels/def/request.h"
#include "core/kernels/def/stop_poll.h"
#include "core/kernels/ragged/ragged_kernels.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/range_count.h"
#include "core/values/row_algebra.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

template <class T>
class Ranges {
 public:
  // The type that computes the numbers of a range.
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
      if (!count.ok()) return WithConstraint("C3", signet::At(Cat("row ", row), count.status()));
      splits[row + 1] = splits[row] + *count;
      SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckOutputSize(std::span(&splits[row + 1], 1))));
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
  // Returns a bound of one row. A scalar bound applies to all rows.
  Number At(size_t input, int64_t row) const {
    const Tensor& bounds = context_.input(input);
    auto i = bounds.rank() == 0 ? size_t{0} : static_cast<size_t>(row);
    return static_cast<Number>(bounds.elements<T>()[i]);
  }

  // The product may overflow int64, but the sum does not.
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
        return WithConstraint(
            "C1", InvalidArgument("input ", i, ": expected a vector, found shape `", shape, "`"));
      }
      if (shape.rank() == 0) continue;
      if (some && shape.dim(0) != rows) {
        return WithConstraint(
            "C2", InvalidArgument("expected vectors of the same length, found lengths ", rows,
                                  " and ", shape.dim(0)));
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

constexpr KernelDef kRaggedRangeKernels[] = {{"row_ranges", MakeRowRanges}};

}  // namespace

std::span<const KernelDef> RaggedRangeKernels() { return kRaggedRangeKernels; }

}  // namespace signet
