// The kernel of `unicode_script`.

#include <algorithm>
#include <iterator>

#include "core/kernels/def/request.h"
#include "core/kernels/text/script_runs.h"
#include "core/kernels/text/text_kernels.h"

namespace signet {
namespace {

constexpr int32_t kNoCodePoint = -1;

int32_t ScriptOf(int32_t code_point) {
  if (code_point < 0 || code_point > 0x10ffff) return kNoCodePoint;
  const uint32_t key = (static_cast<uint32_t>(code_point) << 8) | 0xff;
  const uint32_t* after = std::upper_bound(std::begin(kScriptRuns), std::end(kScriptRuns), key);
  return static_cast<int32_t>(*(after - 1) & 0xff);
}

StatusOr<std::unique_ptr<Kernel>> MakeUnicodeScript(const KernelRequest& request) {
  auto kernel = MakeKernel([](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, x.shape()));
    const int32_t* from = x.elements<int32_t>().data();
    auto* to = out->mutable_elements<int32_t>();
    return context.For(x.num_elements(), 30, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i] = ScriptOf(from[i]);
    });
  });
  kernel->set_cost(60 + 30 * GuessElements(request.outputs[0]));
  return kernel;
}

constexpr KernelDef kUnicodeScriptKernels[] = {{"unicode_script", MakeUnicodeScript}};

}  // namespace

std::span<const KernelDef> UnicodeScriptKernels() { return kUnicodeScriptKernels; }

}  // namespace signet
