#include "core/graph/flat/run_kernel.h"

#include "core/kernels/catalog.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

class Serial final : public Parallel {
 public:
  int num_threads() const override { return 1; }
  void For(int64_t count, double,
           absl::FunctionRef<void(int64_t begin, int64_t end)> body) override {
    if (count > 0) body(0, count);
  }
};

class HeapContext final : public KernelContext {
 public:
  HeapContext(const OpCall& call, std::span<const TypeSpec> outputs, Parallel& parallel,
              RunBudget& budget, absl::FunctionRef<Status()> check)
      : call_(call),
        specs_(outputs),
        parallel_(parallel),
        budget_(budget),
        check_(check),
        outputs_(outputs.size()) {}

  size_t num_inputs() const override { return call_.inputs.size(); }
  const Tensor& input(size_t i) const override {
    return call_.constants[i] != nullptr ? *call_.constants[i] : absent_;
  }
  StatusOr<Tensor*> Allocate(size_t i, const Shape& shape) override {
    DType dtype = specs_[i].As<TensorSpec>()->dtype();
    size_t element = dtype == DType::kString ? sizeof(int64_t) : SizeOf(dtype);
    SIGNET_RETURN_IF_ERROR(Take(shape, element));
    SIGNET_ASSIGN_OR_RETURN(outputs_[i], Tensor::Allocate(dtype, shape));
    return &outputs_[i];
  }
  StatusOr<Tensor*> AllocateStrings(size_t i, const Shape& shape, size_t num_bytes) override {
    SIGNET_RETURN_IF_ERROR(Take(shape, sizeof(int64_t)));
    SIGNET_RETURN_IF_ERROR(budget_.TakeBytes(num_bytes));
    SIGNET_ASSIGN_OR_RETURN(Tensor offsets, Tensor::Allocate(DType::kString, shape));
    SIGNET_ASSIGN_OR_RETURN(Buffer bytes, Buffer::Allocate(num_bytes));
    outputs_[i] = Tensor::Trusted(DType::kString, shape, offsets.data(), std::move(bytes));
    return &outputs_[i];
  }
  void Set(size_t i, Tensor tensor) override { outputs_[i] = std::move(tensor); }
  StatusOr<std::byte*> Scratch(size_t bytes) override {
    SIGNET_RETURN_IF_ERROR(budget_.TakeBytes(bytes));
    SIGNET_ASSIGN_OR_RETURN(Buffer scratch, Buffer::Allocate(bytes));
    scratches_.push_back(scratch);
    return scratches_.back().mutable_data();
  }
  Status CountBytes(size_t bytes) override { return budget_.TakeBytes(bytes); }
  Parallel& parallel() override { return parallel_; }
  std::vector<Tensor> TakeOutputs() { return std::move(outputs_); }

 private:
  Status CheckControl() override {
    SIGNET_RETURN_IF_ERROR(check_());
    return budget_.CheckShortRun();
  }
  Status Take(const Shape& shape, size_t element_bytes) {
    SIGNET_RETURN_IF_ERROR(CheckShape(shape.dims(), element_bytes));
    return budget_.TakeBytes(static_cast<size_t>(shape.num_elements()) * element_bytes);
  }

  const OpCall& call_;
  std::span<const TypeSpec> specs_;
  Parallel& parallel_;
  RunBudget& budget_;
  const absl::FunctionRef<Status()> check_;
  std::vector<Tensor> outputs_;
  std::vector<Buffer> scratches_;
  const Tensor absent_;
};

}  // namespace

Status NeverStop() { return absl::OkStatus(); }

Parallel& SerialParallel() {
  static Serial serial;
  return serial;
}

StatusOr<std::unique_ptr<Kernel>> KernelFor(const OpCall& call, std::span<const TypeSpec> outputs) {
  KernelFactory factory = LookupKernel(call.op.name);
  if (factory == nullptr) return Internal("op `", call.op.name, "` has no kernel");
  return factory({call, outputs});
}

StatusOr<std::vector<Tensor>> RunKernelOnce(const Kernel& kernel, const OpCall& call,
                                            std::span<const TypeSpec> outputs, Parallel& parallel,
                                            RunBudget* budget, absl::FunctionRef<Status()> check) {
  RunBudget no_limit{.max_bytes = INT64_MAX};
  RunBudget& own = budget != nullptr ? *budget : no_limit;
  const int64_t before = own.bytes;
  SIGNET_RETURN_IF_ERROR(own.TakeNanoseconds(kernel.Cost()));
  HeapContext context(call, outputs, parallel, own, check);
  Status ran = kernel.Run(context);
  if (context.stopped()) {
    SIGNET_RETURN_IF_ERROR(check());
    return own.EndShortRun();
  }
  SIGNET_RETURN_IF_ERROR(std::move(ran));
  std::vector<Tensor> made = context.TakeOutputs();
  int64_t bytes = 0;
  for (Tensor& tensor : made) {
    SIGNET_ASSIGN_OR_RETURN(tensor, OwnedWithin(own, tensor));
    bytes += static_cast<int64_t>(tensor.num_bytes());
  }
  own.KeepOnly(before, bytes);
  return made;
}

StatusOr<std::vector<Tensor>> RunKernelOnce(const OpCall& call, std::span<const TypeSpec> outputs,
                                            Parallel& parallel, RunBudget* budget,
                                            absl::FunctionRef<Status()> check) {
  SIGNET_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, KernelFor(call, outputs));
  return RunKernelOnce(*kernel, call, outputs, parallel, budget, check);
}

}  // namespace signet
