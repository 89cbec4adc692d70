// The kernel of `round_to`.

#include "core/kernels/def/request.h"
#include "core/kernels/quantization/quantization_kernels.h"
#include "core/ops/def/inference.h"
#include "core/values/minifloat.h"

namespace signet {
namespace {

StatusOr<std::unique_ptr<Kernel>> MakeRoundTo(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(std::string name, request.call.attributes.String("format"));
  SIGNET_ASSIGN_OR_RETURN(bool saturates, request.call.attributes.Bool("saturate"));
  SIGNET_ASSIGN_OR_RETURN(std::string rounding_name, request.call.attributes.String("rounding"));
  const MinifloatFormat* format = LookupMinifloat(name);
  auto rounding = LookupPowerRounding(rounding_name);
  SIGNET_CHECK(format != nullptr && rounding.has_value());  // inference checked them
  constexpr double kElement = 10;
  auto kernel =
      MakeKernel([format, saturates, rounding = *rounding](KernelContext& context) -> Status {
        const Tensor& x = context.input(0);
        SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, x.shape()));
        auto from = x.elements<float>();
        auto* to = out->mutable_elements<float>();
        return context.For(x.num_elements(), kElement, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            to[i] = format->Round(from[static_cast<size_t>(i)], saturates, rounding);
          }
        });
      });
  kernel->set_cost(60 + kElement * GuessElements(request.call.inputs[0]));
  return kernel;
}

constexpr KernelDef kRoundToKernels[] = {{"round_to", MakeRoundTo}};

}  // namespace

std::span<const KernelDef> RoundToKernels() { return kRoundToKernels; }

}  // namespace signet
