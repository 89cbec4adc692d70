// LateKernel: a kernel of an op that must know more about its inputs than a function's
// specialization does. When it runs, it infers the types again and makes the actual kernel.

#pragma once

#include "core/kernels/def/kernel.h"
#include "core/ops/def/late_inference.h"
#include "signet/tensor_spec.h"

namespace signet {

class LateKernel final : public Kernel {
 public:
  LateKernel(const OpCall& call, KernelFactory make)
      : op_(call.op), attributes_(call.attributes), make_(make) {}

  Status Run(KernelContext& context) const override {
    std::vector<TypeSpec> inputs;
    for (size_t i = 0; i < context.num_inputs(); ++i) {
      const Tensor& input = context.input(i);
      inputs.push_back(input.has_value() ? input.spec() : TypeSpec());
    }
    OpCall call{.op = op_, .inputs = inputs, .attributes = attributes_};
    SIGNET_ASSIGN_OR_RETURN(auto outputs, op_.infer(call));
    SIGNET_ASSIGN_OR_RETURN(auto kernel, make_({.call = call, .outputs = outputs}));
    return kernel->Run(context);
  }

 private:
  const OpDef& op_;
  const Attributes attributes_;
  const KernelFactory make_;
};

enum class Needs : uint8_t { kRanks, kShapes };

// Returns the factory `make` with the stated requirements on its inputs.
template <KernelFactory make, Needs needs = Needs::kRanks>
StatusOr<std::unique_ptr<Kernel>> OrLate(const KernelRequest& request) {
  bool late = !KnowsRanks(request.call);
  for (const TypeSpec& input : request.call.inputs) {
    if (needs == Needs::kRanks || late || !input) continue;
    late = !input.shape()->IsFullyDefined();
  }
  if (!late) return make(request);
  auto kernel = std::make_unique<LateKernel>(request.call, make);
  kernel->set_cost(1e6);
  return kernel;
}

}  // namespace signet
