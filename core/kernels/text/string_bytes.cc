// The kernel of `string_bytes`.

#include <algorithm>
#include <cstring>

#include "core/kernels/def/stop_poll.h"
#include "core/kernels/text/text_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

StatusOr<std::unique_ptr<Kernel>> MakeStringBytes(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(auto length, request.call.attributes.OptionalInt("length"));
  return MakeKernel([length](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    StopPoll poll(context);
    int64_t size = length.value_or(0);
    for (int64_t i = 0; !length && i < x.num_elements(); ++i) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(2));
      const auto own = static_cast<int64_t>(x.string_at(i).size());
      if (i == 0) size = own;
      if (own != size) {
        return WithConstraint("C2", InvalidArgument("expected strings of ", size,
                                                    " bytes, found one of ", own, " bytes"));
      }
    }
    std::vector<int64_t> dims(x.shape().dims().begin(), x.shape().dims().end());
    dims.push_back(size);
    SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckOutputSize(dims)));
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, Shape(dims)));
    auto* out = reinterpret_cast<std::byte*>(made->mutable_elements<uint8_t>());
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(5 + size / 8));
      const std::string_view text = x.string_at(i);
      const size_t count = std::min(text.size(), static_cast<size_t>(size));
      std::byte* row = out + i * size;
      if (!CopyBytes(poll, row, reinterpret_cast<const std::byte*>(text.data()), count)) {
        return context.CheckStop();
      }
      if (count < static_cast<size_t>(size)) {
        std::memset(row + count, 0, static_cast<size_t>(size) - count);
      }
    }
    return absl::OkStatus();
  });
}

constexpr KernelDef kStringBytesKernels[] = {{"string_bytes", MakeStringBytes}};

}  // namespace

std::span<const KernelDef> StringBytesKernels() { return kStringBytesKernels; }

}  // namespace signet
