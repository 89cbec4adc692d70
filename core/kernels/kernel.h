// Kernel: the arithmetic of one op for given types and attributes, ready to run many times.
//
// A kernel is made when a function is specialised (attributes parsed, weights packed) and is then
// immutable: Run is called from many threads at once. It may rely on everything OpDef::infer
// checked; it must check what depends on values or on sizes unknown until now (indices, sizes that
// overflow) and refuse with a Status. Steady state allocates nothing but through KernelContext.

#pragma once

#include <memory>
#include <span>

#include <absl/functional/function_ref.h>

#include "core/ops/op.h"
#include "core/values/tensor.h"

namespace signet {

// Work on several threads. `body(begin, end)` runs over disjoint pieces of [0, count).
class Parallel {
 public:
  virtual ~Parallel() = default;
  virtual int num_threads() const = 0;
  // `cost` is a guess at the nanoseconds of one unit. Small totals run on the calling thread.
  virtual void For(int64_t count, double cost,
                   absl::FunctionRef<void(int64_t begin, int64_t end)> body) = 0;
};

// A run of a kernel: its inputs, and where its outputs go.
class KernelContext {
 public:
  virtual ~KernelContext() = default;
  virtual size_t num_inputs() const = 0;
  virtual const Tensor& input(size_t i) const = 0;  // has_value() is false when left out
  // Memory for output `i`, of the dtype that inference gave; 64-byte aligned, not cleared. For a
  // string tensor: its offsets; AllocateStrings gives its bytes.
  virtual StatusOr<Tensor*> Allocate(size_t i, const Shape& shape) = 0;
  // A string tensor of `shape` with `num_bytes` of text: fill the offsets and the bytes.
  virtual StatusOr<Tensor*> AllocateStrings(size_t i, const Shape& shape, size_t num_bytes) = 0;
  // Output `i` is `tensor`, sharing its buffers (views of an input, constants).
  virtual void Set(size_t i, Tensor tensor) = 0;
  // Memory that lasts until Run returns.
  virtual StatusOr<std::byte*> Scratch(size_t bytes) = 0;
  virtual Parallel& parallel() = 0;
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual Status Run(KernelContext& context) const = 0;
  // A guess at the nanoseconds of one run on known shapes; unknown sizes count as 64. It says which
  // plans stay on the calling thread, and what may be computed ahead: a kernel whose work is not in
  // proportion to its inputs and outputs sets it.
  virtual double Cost() const { return cost_; }
  void set_cost(double nanoseconds) { cost_ = nanoseconds; }

 private:
  double cost_ = 100;
};

// What a kernel is made for. Everything is alive during the call only.
struct KernelRequest {
  const OpCall& call;                 // inputs, attributes, constants
  std::span<const TypeSpec> outputs;  // as inferred
};

using KernelFactory = StatusOr<std::unique_ptr<Kernel>> (*)(const KernelRequest&);

struct KernelDef {
  const char* op;
  KernelFactory make;
};

// The kernels of all families, one for each op that is not only expanded
// (core/kernels/all_kernels.cc).
KernelFactory LookupKernel(std::string_view op);
std::span<const KernelDef> AllKernels();

// A kernel from a function object `Status run(KernelContext&)`, which is copied in.
template <class Function>
std::unique_ptr<Kernel> MakeKernel(Function function) {
  class FromFunction final : public Kernel {
   public:
    explicit FromFunction(Function run) : run_(std::move(run)) {}
    Status Run(KernelContext& context) const override { return run_(context); }

   private:
    Function run_;
  };
  return std::make_unique<FromFunction>(std::move(function));
}

}  // namespace signet
