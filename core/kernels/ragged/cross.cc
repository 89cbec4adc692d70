// The kernel of `cross_rows`.

#include <optional>

#include "core/base/checked_math.h"
#include "core/kernels/def/request.h"
#include "core/kernels/loops/row_access.h"
#include "core/kernels/ragged/ragged_kernels.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/range_count.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

// Returns the number of combinations of row `row` of all inputs, or nothing if it exceeds int64.
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
      return WithConstraint("C2", InvalidArgument("expected the same number of rows, found ", rows,
                                                  " and ", NumRows(context.input(i))));
    }
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, {rows + 1}));
    auto* splits = made->mutable_elements<int64_t>();
    splits[0] = 0;
    StopPoll poll(context);
    for (int64_t row = 0; row < rows; ++row) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(5 * static_cast<int64_t>(context.num_inputs())));
      // C3: there are at most 2^31 combinations.
      auto count = CombinationsOf(context, row);
      if (!count || *count > kMaxOutputElements - splits[row]) {
        return WithConstraint("C3", ResourceExhausted("combinations of rows 0 to ", row,
                                                      " exceed the limit of ", kMaxOutputElements));
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
        // The last input varies fastest: an element of this input repeats for every combination of
        // the inputs after it.
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

constexpr KernelDef kCrossKernels[] = {{"cross_rows", MakeCrossRows}};

}  // namespace

std::span<const KernelDef> CrossKernels() { return kCrossKernels; }

}  // namespace signet
