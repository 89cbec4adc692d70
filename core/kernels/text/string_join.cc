// The kernel of `join_row_text`.

#include "core/base/checked_math.h"
#include "core/kernels/loops/row_access.h"
#include "core/kernels/loops/write_strings.h"
#include "core/kernels/text/text_kernels.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

MadeKernel MakeJoinRowText(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(std::string separator, request.call.attributes.String("separator"));
  return MakeKernel([separator](KernelContext& context) -> Status {
    const Tensor& values = context.input(0);
    const Tensor& splits = context.input(1);
    if (values.rank() != 1) {
      return WithConstraint(
          "C1", InvalidArgument("input 0: expected a vector, found shape `", values.shape(), "`"));
    }
    SIGNET_RETURN_IF_ERROR(CheckSplits(context, splits, values.num_elements()));
    // Checks the size before any text is written.
    auto between = CheckedMultiply(values.num_elements(), static_cast<int64_t>(separator.size()));
    auto bytes = between ? CheckedAdd(*between, values.offsets().back()) : std::nullopt;
    if (!bytes || *bytes > kMaxOutputText) {
      return TooMuchText();
    }
    return WriteParts(context, 0, {NumRows(splits)}, [&](int64_t row, auto take) {
      int64_t first = IntAt(splits, row);
      for (int64_t i = first; i < IntAt(splits, row + 1); ++i) {
        if (i > first) take(separator);
        if (!take(values.string_at(i))) return;
      }
    });
  });
}

constexpr KernelDef kStringJoinKernels[] = {{"join_row_text", MakeJoinRowText}};

}  // namespace

std::span<const KernelDef> StringJoinKernels() { return kStringJoinKernels; }

}  // namespace signet
