// The kernel of `number_to_string`.

#include <charconv>
#include <type_traits>

#include "core/kernels/loops/write_strings.h"
#include "core/kernels/text/is_number.h"
#include "core/kernels/text/text_kernels.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

MadeKernel MakeNumberToString(const KernelRequest& request) {
  DType dtype = request.call.inputs[0].As<TensorSpec>()->dtype();
  return MakeKernel([dtype](KernelContext& context) {
    return VisitDType(dtype, [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if constexpr (kIsNumber<T>) {
        const Tensor& x = context.input(0);
        auto all = x.elements<T>();
        return WriteStrings(
            context, 0, x.shape(), [&](StopPoll& poll, int64_t i, GrowingBytes& text) {
              if (poll.Stops(30)) return;
              char digits[64];
              auto end =
                  std::to_chars(digits, digits + sizeof(digits), all[static_cast<size_t>(i)]).ptr;
              std::string_view written(digits, static_cast<size_t>(end - digits));
              text.Append(written);
              // A whole float has a decimal point: 3.0.
              bool whole =
                  std::is_floating_point_v<T> && written.find_first_of(".ein") == written.npos;
              if (whole) text.Append(".0");
            });
      } else {
        return Internal("inference accepted a dtype that `number_to_string` does not support");
      }
    });
  });
}

constexpr KernelDef kNumberToStringKernels[] = {{"number_to_string", MakeNumberToString}};

}  // namespace

std::span<const KernelDef> NumberToStringKernels() { return kNumberToStringKernels; }

}  // namespace signet
