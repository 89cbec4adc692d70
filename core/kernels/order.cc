// argmax, argmin, top_k, cumsum, cumprod: work along one axis that keeps an order.
//
// NaN counts as greater than every number, wherever elements are ordered.

#include <algorithm>
#include <complex>
#include <concepts>
#include <limits>
#include <numeric>
#include <optional>

#include "core/kernels/all_kernels.h"
#include "core/kernels/axis.h"
#include "core/kernels/request.h"
#include "core/ops/inference.h"
#include "core/ops/int_list.h"
#include "core/ops/reductions.h"

namespace signet {
namespace {

float Number(Float16 value) { return ToFloat(value); }
float Number(BFloat16 value) { return ToFloat(value); }
template <class T>
T Number(T value) {
  return value;
}

template <class T>
inline constexpr bool kIsHalf = std::same_as<T, Float16> || std::same_as<T, BFloat16>;
template <class T>
inline constexpr bool kIsReal =
    (std::integral<T> && !std::same_as<T, bool>) || std::floating_point<T> || kIsHalf<T>;

// Whether `a` is above `b`, of two different elements; NaN is above all, and equal to NaN.
template <class T>
bool IsAbove(T a, T b) {
  auto x = Number(a);
  auto y = Number(b);
  if constexpr (std::floating_point<decltype(x)>) {
    if (x != x) return y == y;
  }
  return x > y;
}

// Calls `visit` with the C++ type of a real dtype.
template <class Visitor>
Status VisitReal(DType dtype, Visitor visit) {
  return VisitDType(dtype, [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    if constexpr (kIsReal<T>) {
      return visit(tag);
    } else {
      return Internal("C2 no order of `", NameOf(dtype), "`");
    }
  });
}

// A number that is known when the kernel is made, or else is input 1 of a run.
class NumberFor {
 public:
  static StatusOr<NumberFor> Make(const KernelRequest& request, std::string_view name) {
    SIGNET_ASSIGN_OR_RETURN(IntList list, FindIntList(request.call, name, 1));
    if (!list.given) return InvalidArgument("no `", name, "`");
    NumberFor number;
    if (list.known) number.known_ = list.known->at(0);
    return number;
  }
  StatusOr<int64_t> In(const KernelContext& context, std::string_view label) const {
    if (known_) return *known_;
    const Tensor& given = context.input(1);
    if (given.num_elements() == 1) return IntsOf(given)[0];
    return InvalidArgument(label, " input 1 is `", given.spec(), "`; takes one number");
  }

 private:
  std::optional<int64_t> known_;
};

class ArgKernel final : public Kernel {
 public:
  ArgKernel(int64_t axis, bool keepdims, bool greatest, bool last)
      : axis_(axis), keepdims_(keepdims), greatest_(greatest), last_(last) {}

  Status Run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    auto axis = NormalizeAxis(axis_, x.rank());
    if (!axis.ok()) return Labelled("C3", axis.status());
    AxisView view = ViewAlong(x.shape(), *axis);
    PartialShape shape = ReducedShape(PartialShape(x.shape()), AxisSet{1} << *axis, keepdims_);
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, shape.ToShape()));
    if (view.size == 0 && view.columns() > 0) {
      return InvalidArgument("C4 input 0 has shape `", x.shape(),
                             "`; takes at least one element along axis ", *axis);
    }
    auto* to = out->mutable_elements<int64_t>();
    return VisitReal(x.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      const T* from = x.elements<T>().data();
      double unit = static_cast<double>(view.size);
      context.parallel().For(view.columns(), unit, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) to[i] = Find(from + view.Start(i), view);
      });
      return absl::OkStatus();
    });
  }

 private:
  template <class T>
  int64_t Find(const T* x, const AxisView& view) const {
    int64_t best = 0;
    for (int64_t i = 1; i < view.size; ++i) {
      const T& a = x[i * view.inner];
      const T& b = x[best * view.inner];
      if (greatest_ ? IsAbove(a, b) : IsBelow(a, b)) {
        best = i;
      } else if (last_ && !(greatest_ ? IsAbove(b, a) : IsBelow(b, a))) {
        best = i;  // equal
      }
    }
    return best;
  }
  // For the least, NaN comes first too, as numpy has it.
  template <class T>
  static bool IsBelow(T a, T b) {
    auto x = Number(a);
    auto y = Number(b);
    if constexpr (std::floating_point<decltype(x)>) {
      if (x != x) return y == y;
    }
    return x < y;
  }

  const int64_t axis_;
  const bool keepdims_;
  const bool greatest_;
  const bool last_;
};

StatusOr<std::unique_ptr<Kernel>> MakeArg(const KernelRequest& request) {
  const Attributes& attributes = request.call.attributes;
  SIGNET_ASSIGN_OR_RETURN(int64_t axis, attributes.Int("axis"));
  SIGNET_ASSIGN_OR_RETURN(bool keepdims, attributes.Bool("keepdims"));
  SIGNET_ASSIGN_OR_RETURN(bool last, attributes.Bool("last"));
  auto kernel = std::make_unique<ArgKernel>(axis, keepdims, request.call.op.name == "argmax", last);
  kernel->set_cost(30 + GuessElements(request.call.inputs[0]));
  return kernel;
}

class TopKKernel final : public Kernel {
 public:
  TopKKernel(int64_t axis, NumberFor k, bool largest) : axis_(axis), k_(k), largest_(largest) {}

  Status Run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    auto axis = NormalizeAxis(axis_, x.rank());
    if (!axis.ok()) return Labelled("C3", axis.status());
    AxisView view = ViewAlong(x.shape(), *axis);
    SIGNET_ASSIGN_OR_RETURN(int64_t k, k_.In(context, "C4"));
    if (k < 0 || k > view.size || view.size > std::numeric_limits<int32_t>::max()) {
      return InvalidArgument("C4 attribute `k` is ", k, "; axis ", *axis, " has ", view.size,
                             " elements");
    }
    Shape shape = x.shape();
    shape.set_dim(*axis, k);
    SIGNET_ASSIGN_OR_RETURN(Tensor * values, context.Allocate(0, shape));
    SIGNET_ASSIGN_OR_RETURN(Tensor * indices, context.Allocate(1, shape));
    if (values->num_elements() == 0) return absl::OkStatus();
    auto pieces = std::min<int64_t>(view.columns(), context.parallel().num_threads());
    auto bytes = static_cast<size_t>(view.size) * sizeof(int32_t);
    SIGNET_ASSIGN_OR_RETURN(std::byte * scratch,
                            context.Scratch(bytes * static_cast<size_t>(pieces)));
    return VisitReal(x.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      double unit = 3.0 * static_cast<double>(x.num_elements()) / static_cast<double>(pieces);
      context.parallel().For(pieces, unit, [&](int64_t begin, int64_t end) {
        for (int64_t piece = begin; piece < end; ++piece) {
          auto* order = reinterpret_cast<int32_t*>(scratch + static_cast<size_t>(piece) * bytes);
          int64_t last = view.columns() * (piece + 1) / pieces;
          for (int64_t i = view.columns() * piece / pieces; i < last; ++i) {
            Sort(x.elements<T>().data() + view.Start(i), view, k, order);
            int64_t to = i / view.inner * k * view.inner + i % view.inner;
            for (int64_t j = 0; j < k; ++j) {
              indices->mutable_elements<int32_t>()[to + j * view.inner] = order[j];
              values->mutable_elements<T>()[to + j * view.inner] =
                  x.elements<T>()[static_cast<size_t>(view.Start(i) + order[j] * view.inner)];
            }
          }
        }
      });
      return absl::OkStatus();
    });
  }

 private:
  // The first k places of `order` are those of the elements wanted, equal ones in their order.
  template <class T>
  void Sort(const T* x, const AxisView& view, int64_t k, int32_t* order) const {
    std::iota(order, order + view.size, 0);
    auto before = [&](int32_t i, int32_t j) {
      const T& a = x[i * view.inner];
      const T& b = x[j * view.inner];
      if (largest_ ? IsAbove(a, b) : IsAbove(b, a)) return true;
      if (largest_ ? IsAbove(b, a) : IsAbove(a, b)) return false;
      return i < j;
    };
    if (k < view.size) std::nth_element(order, order + k, order + view.size, before);
    std::sort(order, order + k, before);
  }

  const int64_t axis_;
  const NumberFor k_;
  const bool largest_;
};

StatusOr<std::unique_ptr<Kernel>> MakeTopK(const KernelRequest& request) {
  const Attributes& attributes = request.call.attributes;
  SIGNET_ASSIGN_OR_RETURN(int64_t axis, attributes.Int("axis"));
  SIGNET_ASSIGN_OR_RETURN(NumberFor k, NumberFor::Make(request, "k"));
  SIGNET_ASSIGN_OR_RETURN(bool largest, attributes.Bool("largest"));
  auto kernel = std::make_unique<TopKKernel>(axis, k, largest);
  kernel->set_cost(50 + 3 * GuessElements(request.call.inputs[0]));
  return kernel;
}

// Integers wrap; half-width floats are taken together in float32.
template <bool product, class T>
T Together(T all, T x) {
  if constexpr (std::integral<T>) {
    using U = std::conditional_t<sizeof(T) < 4, uint32_t, std::make_unsigned_t<T>>;
    auto a = static_cast<U>(all);
    auto b = static_cast<U>(x);
    return static_cast<T>(product ? a * b : a + b);
  } else {
    return product ? all * x : all + x;
  }
}

inline void NarrowTo(float value, Float16& out) { out = ToFloat16(value); }
inline void NarrowTo(float value, BFloat16& out) { out = ToBFloat16(value); }
template <class T>
void NarrowTo(T value, T& out) {
  out = value;
}

template <bool product, class T>
void RunAlong(const T* x, T* out, const AxisView& view, bool exclusive, bool reverse) {
  auto all = Number(T{});
  if constexpr (product) all = decltype(all)(1);
  for (int64_t step = 0; step < view.size; ++step) {
    int64_t i = (reverse ? view.size - 1 - step : step) * view.inner;
    if (exclusive) NarrowTo(all, out[i]);
    all = Together<product>(all, Number(x[i]));
    if (!exclusive) NarrowTo(all, out[i]);
  }
}

// cumsum, cumprod.
template <bool product>
class RunningKernel final : public Kernel {
 public:
  RunningKernel(NumberFor axis, bool exclusive, bool reverse)
      : axis_(axis), exclusive_(exclusive), reverse_(reverse) {}

  Status Run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(int64_t given, axis_.In(context, "C3"));
    auto axis = NormalizeAxis(given, x.rank());
    if (!axis.ok()) return Labelled("C3", axis.status());
    AxisView view = ViewAlong(x.shape(), *axis);
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, x.shape()));
    return VisitDType(x.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if constexpr (std::same_as<T, bool> || std::same_as<T, std::string_view>) {
        return Internal("C2 no sum of `", NameOf(x.dtype()), "`");
      } else {
        const T* from = x.elements<T>().data();
        T* to = out->mutable_elements<T>();
        double unit = 1.5 * static_cast<double>(view.size);
        context.parallel().For(view.columns(), unit, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            RunAlong<product>(from + view.Start(i), to + view.Start(i), view, exclusive_, reverse_);
          }
        });
        return absl::OkStatus();
      }
    });
  }

 private:
  const NumberFor axis_;
  const bool exclusive_;
  const bool reverse_;
};

template <bool product>
StatusOr<std::unique_ptr<Kernel>> MakeRunning(const KernelRequest& request) {
  const Attributes& attributes = request.call.attributes;
  SIGNET_ASSIGN_OR_RETURN(NumberFor axis, NumberFor::Make(request, "axis"));
  SIGNET_ASSIGN_OR_RETURN(bool exclusive, attributes.Bool("exclusive"));
  SIGNET_ASSIGN_OR_RETURN(bool reverse, attributes.Bool("reverse"));
  auto kernel = std::make_unique<RunningKernel<product>>(axis, exclusive, reverse);
  kernel->set_cost(30 + 1.5 * GuessElements(request.call.inputs[0]));
  return kernel;
}

constexpr KernelDef kKernels[] = {
    {"argmax", MakeArg},
    {"argmin", MakeArg},
    {"cumprod", MakeRunning<true>},
    {"cumsum", MakeRunning<false>},
    {"top_k", MakeTopK},
};

}  // namespace

std::span<const KernelDef> OrderKernels() { return kKernels; }

}  // namespace signet
