// KernelRunner: a context for one run of one kernel, on the heap.
//
// Its threads are pretended: work is cut into as many pieces, which run one after the other, the
// last first, so that a piece that depends on another gives a wrong answer.

#pragma once

#include <deque>
#include <span>
#include <vector>

#include "core/kernels/catalog.h"
#include "core/kernels/def/kernel.h"
#include "signet/tensor_spec.h"

namespace signet {

class PretendedThreads final : public Parallel {
 public:
  explicit PretendedThreads(int threads) : threads_(threads) {}
  int num_threads() const override { return threads_; }
  void For(int64_t count, double, absl::FunctionRef<void(int64_t, int64_t)> body) override {
    for (int i = threads_ - 1; i >= 0; --i) {
      int64_t begin = count * i / threads_;
      int64_t end = count * (i + 1) / threads_;
      if (begin < end) body(begin, end);
    }
  }

 private:
  const int threads_;
};

class KernelRunner final : public KernelContext {
 public:
  KernelRunner(std::span<const Tensor> inputs, std::span<const TypeSpec> outputs, int threads = 1,
               int64_t stop_interval = kStopInterval)
      : KernelContext(stop_interval),
        inputs_(inputs),
        specs_(outputs),
        outputs_(outputs.size()),
        threads_(threads) {}

  size_t num_inputs() const override { return inputs_.size(); }
  const Tensor& input(size_t i) const override { return inputs_[i]; }
  StatusOr<Tensor*> Allocate(size_t i, const Shape& shape) override {
    const DType dtype = specs_[i].As<TensorSpec>()->dtype();
    const size_t size = dtype == DType::kString ? sizeof(int64_t) : SizeOf(dtype);
    SIGNET_RETURN_IF_ERROR(CheckShape(shape.dims(), size));
    SIGNET_RETURN_IF_ERROR(Take(static_cast<size_t>(shape.num_elements()) * size));
    SIGNET_ASSIGN_OR_RETURN(outputs_[i], Tensor::Allocate(dtype, shape));
    return &outputs_[i];
  }
  StatusOr<Tensor*> AllocateStrings(size_t i, const Shape& shape, size_t num_bytes) override {
    SIGNET_RETURN_IF_ERROR(CheckShape(shape.dims(), sizeof(int64_t)));
    SIGNET_RETURN_IF_ERROR(Take(num_bytes + static_cast<size_t>(shape.num_elements()) * 8));
    SIGNET_ASSIGN_OR_RETURN(Tensor offsets, Tensor::Allocate(DType::kString, shape));
    SIGNET_ASSIGN_OR_RETURN(Buffer bytes, Buffer::Allocate(num_bytes));
    outputs_[i] = Tensor::Trusted(DType::kString, shape, offsets.data(), std::move(bytes));
    return &outputs_[i];
  }
  void Set(size_t i, Tensor tensor) override { outputs_[i] = std::move(tensor); }
  StatusOr<std::byte*> Scratch(size_t bytes) override {
    SIGNET_RETURN_IF_ERROR(Take(bytes));
    SIGNET_ASSIGN_OR_RETURN(Buffer scratch, Buffer::Allocate(bytes));
    scratches_.push_back(std::move(scratch));
    return scratches_.back().mutable_data();
  }
  Status CountBytes(size_t bytes) override { return Take(bytes); }
  Parallel& parallel() override { return threads_; }

  std::span<const Tensor> outputs() const { return outputs_; }

  // A kernel that takes more memory than this fails.
  void LimitBytes(size_t bytes) { bytes_left_ = bytes; }
  // The check with this number, counted from 1, and all later ones end the run. 0: none does.
  void StopAt(int64_t check) { stop_at_ = check; }
  // How many times the kernel checked whether it must end.
  int64_t checks() const { return checks_; }

 private:
  Status Take(size_t bytes) {
    if (bytes > bytes_left_) return ResourceExhausted("more memory than the test allows");
    bytes_left_ -= bytes;
    return absl::OkStatus();
  }
  Status CheckControl() override {
    ++checks_;
    return stop_at_ > 0 && checks_ >= stop_at_ ? Cancelled("stopped") : absl::OkStatus();
  }

  const std::span<const Tensor> inputs_;
  const std::span<const TypeSpec> specs_;
  std::vector<Tensor> outputs_;
  std::deque<Buffer> scratches_;
  PretendedThreads threads_;
  size_t bytes_left_ = SIZE_MAX;
  int64_t stop_at_ = 0;
  int64_t checks_ = 0;
};

// Infers, makes a kernel and runs it. An input without a value is one left out. `types` are those
// of the inputs, as much as is to be known of them.
inline StatusOr<std::vector<Tensor>> RunOp(const OpDef& op, const Attributes& attributes,
                                           std::span<const Tensor> inputs,
                                           std::span<const TypeSpec> types,
                                           std::span<const Tensor* const> constants = {},
                                           int threads = 1) {
  OpCall call{.op = op, .inputs = types, .attributes = attributes, .constants = constants};
  SIGNET_ASSIGN_OR_RETURN(auto outputs, op.infer(call));
  KernelFactory make = LookupKernel(op.name);
  if (make == nullptr) return Unimplemented("no kernel for `", op.name, "`");
  SIGNET_ASSIGN_OR_RETURN(auto kernel, make({.call = call, .outputs = outputs}));
  KernelRunner runner(inputs, outputs, threads);
  SIGNET_RETURN_IF_ERROR(kernel->Run(runner));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& found = runner.outputs()[i];
    if (!found.has_value() || !IsSubtype(found.spec(), outputs[i])) {
      return Internal("output ", i, " is not of its inferred type `", outputs[i], "`");
    }
  }
  return std::vector<Tensor>(runner.outputs().begin(), runner.outputs().end());
}

}  // namespace signet
