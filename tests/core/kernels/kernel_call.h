// KernelCall: a call of the kernel of an op, ready to run.

#pragma once

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "core/kernels/catalog.h"
#include "core/ops/catalog.h"
#include "core/ops/def/op_registry.h"
#include "tests/core/kernels/kernel_runner.h"

namespace signet {

class KernelCall {
 public:
  static StatusOr<KernelCall> Make(std::string_view name, const Attributes& given,
                                   std::vector<Tensor> inputs) {
    KernelCall made;
    SIGNET_ASSIGN_OR_RETURN(made.op_, BuiltinOps().Find(name));
    SIGNET_ASSIGN_OR_RETURN(made.attributes_, CompleteAttributes(*made.op_, given));
    made.inputs_ = std::move(inputs);
    for (const Tensor& input : made.inputs_) {
      made.types_.push_back(input.has_value() ? input.spec() : TypeSpec());
    }
    OpCall call{.op = *made.op_, .inputs = made.types_, .attributes = made.attributes_};
    SIGNET_ASSIGN_OR_RETURN(made.outputs_, made.op_->infer(call));
    KernelFactory make = LookupKernel(made.op_->name);
    if (make == nullptr) return Unimplemented("no kernel");
    SIGNET_ASSIGN_OR_RETURN(made.kernel_, make({.call = call, .outputs = made.outputs_}));
    return made;
  }

  // Runs the kernel with at most `limit` bytes of memory.
  Status RunWithin(size_t limit) const {
    KernelRunner runner(inputs_, outputs_);
    runner.LimitBytes(limit);
    return kernel_->Run(runner);
  }

  // Returns how many bytes the outputs of one run take that are not shared with inputs, or an
  // error. Sets `checks`.
  StatusOr<size_t> CountWrittenBytes(int64_t interval, size_t limit, int64_t& checks) const {
    KernelRunner runner(inputs_, outputs_, 1, interval);
    runner.LimitBytes(limit);
    SIGNET_RETURN_IF_ERROR(kernel_->Run(runner));
    checks = runner.checks();
    size_t bytes = 0;
    for (const Tensor& output : runner.outputs()) {
      const bool is_shared = std::any_of(inputs_.begin(), inputs_.end(), [&](const Tensor& input) {
        if (!input.has_value()) return false;
        const std::byte* begin = input.data().data();
        return output.data().data() >= begin && output.data().data() < begin + input.data().size();
      });
      if (!is_shared) bytes += output.num_bytes();
    }
    return bytes;
  }

  // Runs the kernel, which checks after each `interval` nanoseconds of estimated work. Check
  // `stop_at` ends it.
  Status Run(int64_t interval, int64_t stop_at, int threads, int64_t& checks) const {
    KernelRunner runner(inputs_, outputs_, threads, interval);
    runner.StopAt(stop_at);
    Status ran = kernel_->Run(runner);
    checks = runner.checks();
    // As executors have it: once stopped, the outputs are not used.
    return runner.stopped() ? runner.CheckStop() : ran;
  }

 private:
  const OpDef* op_ = nullptr;
  Attributes attributes_;
  std::vector<Tensor> inputs_;
  std::vector<TypeSpec> types_;
  std::vector<TypeSpec> outputs_;
  std::unique_ptr<Kernel> kernel_;
};

}  // namespace signet
