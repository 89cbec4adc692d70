// Kernel: the arithmetic of one op for given types and attributes, ready to run many times.
//
// A kernel is made when a function is specialised (attributes parsed, weights packed) and is then
// immutable: Run is called from many threads at once. It may rely on everything OpDef::infer
// checked; it must check what depends on values or on sizes unknown until now (indices, sizes that
// overflow) and refuse with a Status. Steady state allocates nothing but through KernelContext.
//
// A kernel checks several times per millisecond of work whether its call must end, so that work
// which takes 100 times as long as estimated is stopped in time. Its loops run in
// KernelContext::For or ForInOrder, or spend from a StopPoll (stop_poll.h).

#pragma once

#include <atomic>
#include <memory>
#include <span>

#include <absl/functional/function_ref.h>

#include "core/ops/def/op_def.h"
#include "signet/tensor.h"

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

// Nanoseconds of estimated work between two checks whether a call must end.
inline constexpr int64_t kStopInterval = 100'000;

// A run of a kernel: its inputs, and where its outputs go.
class KernelContext {
 public:
  explicit KernelContext(int64_t stop_interval = kStopInterval) : stop_interval_(stop_interval) {}
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
  // Counts memory that the kernel takes from elsewhere, and holds until Run returns.
  virtual Status CountBytes(size_t bytes) = 0;
  // Loops on it do not check whether the call must end; use For.
  virtual Parallel& parallel() = 0;

  // Runs body(begin, end) over disjoint pieces of [0, count), on several threads if that is worth
  // it. `cost` is a guess at the nanoseconds of one unit. Checks about once per stop_interval()
  // whether the call must end, and then returns its error; not all pieces may have run.
  Status For(int64_t count, double cost, absl::FunctionRef<void(int64_t begin, int64_t end)> body);
  // The same in order, on the calling thread.
  Status ForInOrder(int64_t count, double cost,
                    absl::FunctionRef<void(int64_t begin, int64_t end)> body);

  // Returns OK while the run may continue. Once the deadline of the call has passed, or the call
  // was cancelled, returns the error with which the call ends. Thread-safe.
  Status CheckStop() {
    Status status = CheckControl();
    if (!status.ok()) stopped_.store(true, std::memory_order_relaxed);
    return status;
  }
  // Returns true after any CheckStop returned an error: outputs may be incomplete.
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  int64_t stop_interval() const { return stop_interval_; }

 private:
  // Returns the error with which the run ends, or OK. Thread-safe. Errors last.
  virtual Status CheckControl() = 0;

  const int64_t stop_interval_;
  std::atomic<bool> stopped_{false};
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
