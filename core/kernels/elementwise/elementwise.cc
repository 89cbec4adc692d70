// Elementwise kernels: checks shapes and reports faults; the arithmetic is in simd/.

#include "core/kernels/simd/elementwise.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>

#include "core/kernels/def/request.h"
#include "core/kernels/def/stop_poll.h"
#include "core/kernels/elementwise/elementwise_kernels.h"
#include "core/kernels/loops/broadcast.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

// The dtype numbers of simd/ are the values of DType.
#define SIGNET_CHECK_NUMBER(T, Name, number) static_assert(static_cast<int>(DType::Name) == number);
SIGNET_ISA_DTYPES(SIGNET_CHECK_NUMBER)
#undef SIGNET_CHECK_NUMBER
static_assert(static_cast<int>(DType::kString) + 1 == kNumDTypes);
static_assert(sizeof(HalfBits) == sizeof(Float16) && sizeof(BrainBits) == sizeof(BFloat16));

Status StatusOf(Fault fault, DType dtype) {
  switch (fault) {
    case Fault::kNone:
      return absl::OkStatus();
    case Fault::kDivisionByZero:
      return WithConstraint("C5", InvalidArgument("input 1: expected divisors other than 0 for `",
                                                  NameOf(dtype), "`, found 0"));
    case Fault::kOverflow:
      return WithConstraint("C5",
                            InvalidArgument("the quotient of the least `", NameOf(dtype),
                                            "` and -1 exceeds the range of `", NameOf(dtype), "`"));
    case Fault::kNegativePower:
      return WithConstraint("C5", InvalidArgument("input 1: expected exponents of at least 0 for `",
                                                  NameOf(dtype), "`, found a negative one"));
  }
  __builtin_unreachable();
}

class UnaryKernel final : public Kernel {
 public:
  UnaryKernel(UnaryFn function, float cost, DType from, DType to)
      : function_(function), unit_(cost), from_(SizeOf(from)), to_(SizeOf(to)) {}

  Status Run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, x.shape()));
    const std::byte* from = x.data().data();
    std::byte* to = out->data().mutable_data();
    return context.For(x.num_elements(), unit_, [&](int64_t begin, int64_t end) {
      auto first = static_cast<size_t>(begin);
      function_(from + first * from_, to + first * to_, end - begin);
    });
  }

 private:
  const UnaryFn function_;
  const double unit_;
  const size_t from_;
  const size_t to_;
};

class BinaryKernel final : public Kernel {
 public:
  BinaryKernel(BinaryFn function, float cost, DType from, DType to,
               std::optional<BroadcastPlan> plan)
      : function_(function), unit_(cost), dtype_(from), to_(SizeOf(to)), plan_(std::move(plan)) {}

  Status Run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    const Tensor& y = context.input(1);
    if (x.shape() == y.shape()) return RunDense(context, x, y);
    if (plan_) return RunPlan(context, *plan_, x, y);
    const Shape* shapes[] = {&x.shape(), &y.shape()};
    auto plan = BroadcastPlan::Make(shapes);
    if (!plan.ok()) return WithConstraint("C4", plan.status());
    return RunPlan(context, *plan, x, y);
  }

 private:
  Status RunDense(KernelContext& context, const Tensor& x, const Tensor& y) const {
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, x.shape()));
    const std::byte* left = x.data().data();
    const std::byte* right = y.data().data();
    std::byte* to = out->data().mutable_data();
    size_t size = SizeOf(dtype_);
    std::atomic<Fault> fault = Fault::kNone;
    SIGNET_RETURN_IF_ERROR(context.For(x.num_elements(), unit_, [&](int64_t begin, int64_t end) {
      auto first = static_cast<size_t>(begin);
      Fault found =
          function_(left + first * size, right + first * size, to + first * to_, end - begin);
      if (found != Fault::kNone) fault = found;
    }));
    return StatusOf(fault, dtype_);
  }

  Status RunPlan(KernelContext& context, const BroadcastPlan& plan, const Tensor& x,
                 const Tensor& y) const {
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, plan.shape()));
    std::byte* to = out->data().mutable_data();
    const BroadcastPlan::Operand operands[] = {{x.data().data(), SizeOf(dtype_)},
                                               {y.data().data(), SizeOf(dtype_)}};
    std::atomic<Fault> fault = Fault::kNone;
    SIGNET_RETURN_IF_ERROR(context.For(plan.num_elements(), unit_, [&](int64_t begin, int64_t end) {
      plan.ForEachRun(operands, begin, end, [&](auto at, int64_t first, int64_t count) {
        Fault found = function_(at[0], at[1], to + static_cast<size_t>(first) * to_, count);
        if (found != Fault::kNone) fault = found;
      });
    }));
    return StatusOf(fault, dtype_);
  }

  const BinaryFn function_;
  const double unit_;
  const DType dtype_;
  const size_t to_;
  const std::optional<BroadcastPlan> plan_;
};

template <class Rows>
auto FindRow(const Rows& rows, std::string_view op) {
  for (const auto& row : rows) {
    if (row.op == op) return &row;
  }
  __builtin_unreachable();
}

// Returns the name of the table row for a call. It may depend on a flag of the op.
std::string_view RowName(const KernelRequest& request) {
  auto flag = [&](const char* name) {
    auto value = request.call.attributes.Bool(name);
    return value.ok() && *value;
  };
  if (request.call.op.name == "mod" && flag("truncated")) return "remainder";
  if (request.call.op.name == "gelu" && flag("approximate")) return "gelu_tanh";
  return request.call.op.name;
}

template <class Table>
StatusOr<std::unique_ptr<Kernel>> MakeUnaryOf(const Table& table, const KernelRequest& request) {
  const auto* row = FindRow(table.rows, RowName(request));
  DType dtype = DTypeIn(request.call.inputs[0]);
  UnaryFn function = row->by_dtype[static_cast<int>(dtype)];
  SIGNET_CHECK(function != nullptr);
  auto kernel =
      std::make_unique<UnaryKernel>(function, row->cost, dtype, DTypeIn(request.outputs[0]));
  kernel->set_cost(20 + row->cost * GuessElements(request.outputs[0]));
  return kernel;
}

template <class Table>
StatusOr<std::unique_ptr<Kernel>> MakeBinaryOf(const Table& table, const KernelRequest& request) {
  const auto* row = FindRow(table.rows, RowName(request));
  DType dtype = DTypeIn(request.call.inputs[0]);
  BinaryFn function = row->by_dtype[static_cast<int>(dtype)];
  SIGNET_CHECK(function != nullptr);
  auto plan = BroadcastPlan::MakeKnown(request.call.inputs);
  if (!plan.ok()) return WithConstraint("C4", plan.status());
  auto kernel = std::make_unique<BinaryKernel>(function, row->cost, dtype,
                                               DTypeIn(request.outputs[0]), *std::move(plan));
  kernel->set_cost(30 + row->cost * GuessElements(request.outputs[0]));
  return kernel;
}

StatusOr<std::unique_ptr<Kernel>> MakeUnary(const KernelRequest& request) {
  return MakeUnaryOf(SIGNET_ACTIVE_TABLE(UnaryTable), request);
}

StatusOr<std::unique_ptr<Kernel>> MakeMath(const KernelRequest& request) {
  return MakeUnaryOf(SIGNET_ACTIVE_TABLE(MathTable), request);
}

StatusOr<std::unique_ptr<Kernel>> MakeArithmetic(const KernelRequest& request) {
  return MakeBinaryOf(SIGNET_ACTIVE_TABLE(ArithmeticTable), request);
}

// Compares strings by their bytes. The op returns true for x < y, x == y, or x > y if `below`,
// `equal`, or `above` is true.
struct StringComparison {
  std::string_view op;
  bool below;
  bool equal;
  bool above;
};
constexpr StringComparison kStringComparisons[] = {
    {"equal", false, true, false},        {"greater", false, false, true},
    {"greater_equal", false, true, true}, {"less", true, false, false},
    {"less_equal", true, true, false},    {"not_equal", true, false, true},
};

std::unique_ptr<Kernel> MakeStringComparison(std::string_view op) {
  const auto* row = std::find_if(std::begin(kStringComparisons), std::end(kStringComparisons),
                                 [&](const auto& candidate) { return candidate.op == op; });
  SIGNET_CHECK(row != std::end(kStringComparisons));
  return MakeKernel([row](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    const Tensor& y = context.input(1);
    const Shape* shapes[] = {&x.shape(), &y.shape()};
    auto plan = BroadcastPlan::Make(shapes);
    if (!plan.ok()) return WithConstraint("C4", plan.status());
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, plan->shape()));
    bool* to = out->mutable_elements<bool>();
    return context.For(plan->num_elements(), 20, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        int order = x.string_at(plan->IndexIn(0, i)).compare(y.string_at(plan->IndexIn(1, i)));
        to[i] = order < 0 ? row->below : order > 0 ? row->above : row->equal;
      }
    });
  });
}

StatusOr<std::unique_ptr<Kernel>> MakeComparison(const KernelRequest& request) {
  if (DTypeIn(request.call.inputs[0]) == DType::kString) {
    auto kernel = MakeStringComparison(request.call.op.name);
    kernel->set_cost(30 + 20 * GuessElements(request.outputs[0]));
    return kernel;
  }
  return MakeBinaryOf(SIGNET_ACTIVE_TABLE(ComparisonTable), request);
}

// clip: the smaller of the high bound and the larger of x and the low bound.
class ClipKernel final : public Kernel {
 public:
  ClipKernel(BinaryFn maximum, BinaryFn minimum, size_t size)
      : maximum_(maximum), minimum_(minimum), size_(size) {}

  Status Run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, x.shape()));
    const void* from = x.data().data();
    std::byte* to = out->data().mutable_data();
    for (size_t i = 1; i < context.num_inputs(); ++i) {
      const Tensor& bound = context.input(i);
      if (!bound.has_value()) continue;
      BinaryFn function = i == 1 ? maximum_ : minimum_;
      const Shape* shapes[] = {&x.shape(), &bound.shape()};
      auto plan = BroadcastPlan::Make(shapes);
      if (!plan.ok()) return WithConstraint("C4", plan.status());
      if (plan->shape() != x.shape()) {
        return WithConstraint(
            "C4", InvalidArgument("input ", i, ": expected a shape that broadcasts to `", x.shape(),
                                  "`, found `", bound.shape(), "`"));
      }
      const BroadcastPlan::Operand operands[] = {{from, size_}, {bound.data().data(), size_}};
      SIGNET_RETURN_IF_ERROR(context.For(x.num_elements(), 0.3, [&](int64_t begin, int64_t end) {
        plan->ForEachRun(operands, begin, end, [&](auto at, int64_t first, int64_t count) {
          function(at[0], at[1], to + static_cast<size_t>(first) * size_, count);
        });
      }));
      from = to;
    }
    if (from == to) return absl::OkStatus();
    return CopyBytes(context, to, x.data().data(), x.data().size());
  }

 private:
  const BinaryFn maximum_;
  const BinaryFn minimum_;
  const size_t size_;
};

StatusOr<std::unique_ptr<Kernel>> MakeClip(const KernelRequest& request) {
  const ArithmeticTable& table = SIGNET_ACTIVE_TABLE(ArithmeticTable);
  DType dtype = DTypeIn(request.call.inputs[0]);
  auto function = [&](std::string_view op) {
    return FindRow(table.rows, op)->by_dtype[static_cast<int>(dtype)];
  };
  auto kernel =
      std::make_unique<ClipKernel>(function("maximum"), function("minimum"), SizeOf(dtype));
  kernel->set_cost(60 + 0.6 * GuessElements(request.outputs[0]));
  return kernel;
}

constexpr KernelDef kElementwiseKernels[] = {
    {"abs", MakeUnary},
    {"acos", MakeMath},
    {"acosh", MakeMath},
    {"add", MakeArithmetic},
    {"asin", MakeMath},
    {"asinh", MakeMath},
    {"atan", MakeMath},
    {"atanh", MakeMath},
    {"ceil", MakeUnary},
    {"clip", MakeClip},
    {"cos", MakeMath},
    {"cosh", MakeMath},
    {"div", MakeArithmetic},
    {"equal", MakeComparison},
    {"erf", MakeMath},
    {"exp", MakeMath},
    {"expm1", MakeMath},
    {"floor", MakeUnary},
    {"floordiv", MakeArithmetic},
    {"gelu", MakeMath},
    {"greater", MakeComparison},
    {"greater_equal", MakeComparison},
    {"is_finite", MakeUnary},
    {"is_inf", MakeUnary},
    {"is_nan", MakeUnary},
    {"less", MakeComparison},
    {"less_equal", MakeComparison},
    {"log", MakeMath},
    {"log1p", MakeMath},
    {"logical_and", MakeComparison},
    {"logical_not", MakeUnary},
    {"logical_or", MakeComparison},
    {"logical_xor", MakeComparison},
    {"maximum", MakeArithmetic},
    {"minimum", MakeArithmetic},
    {"mod", MakeArithmetic},
    {"mul", MakeArithmetic},
    {"neg", MakeUnary},
    {"not_equal", MakeComparison},
    {"pow", MakeArithmetic},
    {"reciprocal", MakeUnary},
    {"relu", MakeUnary},
    {"round", MakeUnary},
    {"rsqrt", MakeUnary},
    {"sigmoid", MakeMath},
    {"sign", MakeUnary},
    {"sin", MakeMath},
    {"sinh", MakeMath},
    {"softplus", MakeMath},
    {"sqrt", MakeUnary},
    {"square", MakeUnary},
    {"sub", MakeArithmetic},
    {"tan", MakeMath},
    {"tanh", MakeMath},
};

}  // namespace

std::span<const KernelDef> ElementwiseKernels() { return kElementwiseKernels; }

}  // namespace signet
