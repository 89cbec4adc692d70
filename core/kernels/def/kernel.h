// Kernel: computes one op for given types and attributes, any number of times.
//
// A kernel is made when a function is specialized (attributes are parsed and weights are packed),
// and is immutable afterward: many threads call Run at the same time. It may rely on everything
// that OpDef::infer checked. It must check what depends on values or on sizes that were unknown
// (indices, sizes that overflow), and return an error. In the steady state, it allocates only
// through KernelContext.
//
// A kernel checks several times per millisecond of work whether its call must end, so that work
// that takes 100 times as long as estimated is stopped in time. Its loops run in KernelContext::For
// or ForInOrder, or call a StopPoll (stop_poll.h).

#pragma once

#include <atomic>
#include <memory>
#include <span>

#include <absl/functional/function_ref.h>

#include "core/base/constraint.h"
#include "core/ops/def/op_def.h"
#include "signet/tensor.h"

namespace signet {

// Runs work on several threads. `body(begin, end)` is called for disjoint pieces of [0, count).
class Parallel {
 public:
  virtual ~Parallel() = default;
  virtual int num_threads() const = 0;
  // `cost` is an estimate of the nanoseconds per unit. Short loops run on the calling thread.
  virtual void For(int64_t count, double cost,
                   absl::FunctionRef<void(int64_t begin, int64_t end)> body) = 0;
};

// Nanoseconds of estimated work between two checks whether a call must end.
inline constexpr int64_t kStopInterval = 100'000;

// A run of a kernel: its inputs, and where its outputs are stored.
class KernelContext {
 public:
  explicit KernelContext(int64_t stop_interval = kStopInterval) : stop_interval_(stop_interval) {}
  virtual ~KernelContext() = default;
  virtual size_t num_inputs() const = 0;
  virtual const Tensor& input(size_t i) const = 0;  // has_value() is false if it was left out
  // Allocates output `i` with its inferred dtype, aligned to 64 bytes, not cleared. For a string
  // tensor, allocates the offsets; AllocateStrings also allocates the bytes.
  virtual StatusOr<Tensor*> Allocate(size_t i, const Shape& shape) = 0;
  // Allocates a string tensor of `shape` with `num_bytes` of text. The kernel writes offsets and
  // bytes.
  virtual StatusOr<Tensor*> AllocateStrings(size_t i, const Shape& shape, size_t num_bytes) = 0;
  // Sets output `i` to `tensor`, which shares its buffers (a view of an input, or a constant).
  virtual void Set(size_t i, Tensor tensor) = 0;
  // Allocates memory that exists until Run returns.
  virtual StatusOr<std::byte*> Scratch(size_t bytes) = 0;
  // Counts memory that the kernel allocates elsewhere and holds until Run returns.
  virtual Status CountBytes(size_t bytes) = 0;
  // Loops on it do not check whether the call must end. Use For instead.
  virtual Parallel& parallel() = 0;

  // Calls body(begin, end) for disjoint pieces of [0, count), on several threads if that is faster.
  // `cost` is an estimate of the nanoseconds per unit. Checks about once per stop_interval()
  // whether the call must end, and then returns its error; some pieces may not have run.
  Status For(int64_t count, double cost, absl::FunctionRef<void(int64_t begin, int64_t end)> body);
  // Does the same in order, on the calling thread.
  Status ForInOrder(int64_t count, double cost,
                    absl::FunctionRef<void(int64_t begin, int64_t end)> body);

  // Returns OK while the run may continue. After the deadline of the call has passed or the call
  // was cancelled, returns the error of the call. Thread-safe.
  Status CheckStop() {
    Status status = CheckControl();
    if (!status.ok()) stopped_.store(true, std::memory_order_relaxed);
    return status;
  }
  // Returns true if any CheckStop returned an error. Outputs may then be incomplete.
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  int64_t stop_interval() const { return stop_interval_; }

 private:
  // Returns the error with which the run ends, or OK. Once it returns an error, it always does.
  // Thread-safe.
  virtual Status CheckControl() = 0;

  const int64_t stop_interval_;
  std::atomic<bool> stopped_{false};
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual Status Run(KernelContext& context) const = 0;
  // Returns an estimate of the nanoseconds of one run on known shapes; unknown sizes count as 64.
  // It determines which plans stay on the calling thread, and which results may be computed in
  // advance. Kernels whose work is not proportional to the size of their inputs and outputs set it.
  virtual double Cost() const { return cost_; }
  void set_cost(double nanoseconds) { cost_ = nanoseconds; }

 private:
  double cost_ = 100;
};

// The types and attributes that a kernel is made for. All references are valid only during the
// call.
struct KernelRequest {
  const OpCall& call;                 // inputs, attributes, constants
  std::span<const TypeSpec> outputs;  // as inferred
};

using KernelFactory = StatusOr<std::unique_ptr<Kernel>> (*)(const KernelRequest&);

struct KernelDef {
  const char* op;
  KernelFactory make;
};

// Returns a kernel that runs a copy of a function object `Status run(KernelContext&)`.
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
