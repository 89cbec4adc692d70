// The kernel of `format_number`.

#include <cstdio>
#include <string>
#include <type_traits>

#include "core/kernels/loops/write_strings.h"
#include "core/kernels/text/is_number.h"
#include "core/kernels/text/text_kernels.h"
#include "core/ops/text/number_format.h"

namespace signet {
namespace {

// Writes a number into `text` and returns its length, like snprintf.
template <class T>
int PrintNumber(const std::string& format, T number, std::span<char> text) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"  // the format was checked by inference
  if constexpr (std::is_floating_point_v<T>) {
    return std::snprintf(text.data(), text.size(), format.c_str(), double{number});
  } else if constexpr (std::is_unsigned_v<T>) {
    return std::snprintf(text.data(), text.size(), format.c_str(),
                         static_cast<unsigned long long>(number));
  } else {
    return std::snprintf(text.data(), text.size(), format.c_str(), static_cast<long long>(number));
  }
#pragma GCC diagnostic pop
}

StatusOr<std::unique_ptr<Kernel>> MakeFormatNumber(const KernelRequest& request) {
  const DType dtype = request.call.inputs[0].As<TensorSpec>()->dtype();
  const bool is_float = IsFloat(dtype);
  SIGNET_ASSIGN_OR_RETURN(std::string given, request.call.attributes.String("format"));
  SIGNET_ASSIGN_OR_RETURN(NumberFormat format, ParseNumberFormat(given, is_float));
  std::string text = "%";
  if (format.flag != '\0') text += format.flag;
  if (format.width > 0) text += std::to_string(format.width);
  if (format.precision >= 0) text += "." + std::to_string(format.precision);
  const bool is_unsigned = InfoOf(dtype).family == DTypeClass::kUnsignedInteger;
  if (!is_float) text += "ll";
  text += is_unsigned ? 'u' : format.conversion;
  return MakeKernel([dtype, text](KernelContext& context) {
    return VisitDType(dtype, [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if constexpr (kIsNumber<T>) {
        const Tensor& x = context.input(0);
        auto all = x.elements<T>();
        return WriteStrings(
            context, 0, x.shape(), [&](StopPoll& poll, int64_t i, GrowingBytes& out) {
              if (poll.Stops(200)) return;
              char digits[2500];  // the longest double has 309 digits before the point
              const int length = PrintNumber(text, all[static_cast<size_t>(i)], digits);
              out.Append(std::string_view(
                  digits, static_cast<size_t>(std::clamp(length, 0, int{sizeof digits} - 1))));
            });
      } else {
        return Internal("inference accepted a dtype that `format_number` does not support");
      }
    });
  });
}

constexpr KernelDef kFormatNumberKernels[] = {{"format_number", MakeFormatNumber}};

}  // namespace

std::span<const KernelDef> FormatNumberKernels() { return kFormatNumberKernels; }

}  // namespace signet
