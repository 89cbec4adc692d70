// The kernel of `string_to_number`.

#include <charconv>

#include "core/kernels/loops/write_strings.h"
#include "core/kernels/text/is_number.h"
#include "core/kernels/text/text_kernels.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

// Parses all of `text` as a T; "inf" and "nan" are floats.
template <class T>
bool Read(std::string_view text, T& value) {
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

MadeKernel MakeStringToNumber(const KernelRequest& request) {
  DType dtype = request.outputs[0].As<TensorSpec>()->dtype();
  return MakeKernel([dtype](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, x.shape()));
    return VisitDType(dtype, [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if constexpr (kIsNumber<T>) {
        T* out = made->template mutable_elements<T>();
        StopPoll poll(context);
        for (int64_t i = 0; i < x.num_elements(); ++i) {
          SIGNET_RETURN_IF_ERROR(poll.Spend(30 + static_cast<int64_t>(x.string_at(i).size())));
          if (Read(x.string_at(i), out[i])) continue;
          return WithConstraint(
              "C3", InvalidArgument("element ", i, ": expected the text of `", NameOf(dtype),
                                    "`, found \"", Printable(x.string_at(i)), "\""));
        }
        return absl::OkStatus();
      } else {
        return Internal("inference accepted a dtype that `string_to_number` does not support");
      }
    });
  });
}

constexpr KernelDef kStringToNumberKernels[] = {{"string_to_number", MakeStringToNumber}};

}  // namespace

std::span<const KernelDef> StringToNumberKernels() { return kStringToNumberKernels; }

}  // namespace signet
