// The kernels of `argmax`, `argmin`, `cumprod`, `cumsum`, `cumulative_logsumexp`, and `top_k`: ops
// along one axis that depend on the order of elements.
//
// In every comparison of elements, NaN is greater than every number.

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <functional>
#include <limits>
#include <optional>
#include <type_traits>

#include <absl/container/inlined_vector.h>

#include "core/kernels/def/request.h"
#include "core/kernels/loops/axis.h"
#include "core/kernels/loops/merge_sort.h"
#include "core/kernels/reduction/reduction_kernels.h"
#include "core/ops/def/axis_set.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/int_list.h"

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

// Returns true if `a` is greater than `b`. NaN is greater than every number and equal to NaN.
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
      return WithConstraint("C2", Internal("dtype `", NameOf(dtype), "` has no order"));
    }
  });
}

// A number that is known when the kernel is made, or is input 1 of a run.
class NumberFor {
 public:
  static StatusOr<NumberFor> Make(const KernelRequest& request, std::string_view name) {
    SIGNET_ASSIGN_OR_RETURN(IntList list, FindIntList(request.call, name, 1));
    if (!list.given)
      return InvalidArgument("missing `", name, "`; pass it as an attribute or as input 1");
    NumberFor number;
    if (list.known) number.known_ = list.known->at(0);
    return number;
  }
  StatusOr<int64_t> In(const KernelContext& context, std::string_view label) const {
    if (known_) return *known_;
    const Tensor& given = context.input(1);
    if (given.num_elements() == 1) return IntsOf(given)[0];
    return WithConstraint(
        label, InvalidArgument("input 1: expected one number, found `", given.spec(), "`"));
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
    if (!axis.ok()) return WithConstraint("C3", axis.status());
    AxisView view = ViewAlong(x.shape(), *axis);
    PartialShape shape = ReducedShape(PartialShape(x.shape()), AxisSet{1} << *axis, keepdims_);
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, shape.ToShape()));
    if (view.size == 0 && view.columns() > 0) {
      return WithConstraint(
          "C4", InvalidArgument("input 0: expected at least one element along axis ", *axis,
                                ", found shape `", x.shape(), "`"));
    }
    auto* to = out->mutable_elements<int64_t>();
    return VisitReal(x.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      const T* from = x.elements<T>().data();
      double unit = static_cast<double>(view.size);
      return context.For(view.columns(), unit, [&](int64_t begin, int64_t end) {
        StopPoll poll(context);
        for (int64_t i = begin; i < end; ++i) to[i] = Find(poll, from + view.Start(i), view);
      });
    });
  }

 private:
  template <class T>
  int64_t Find(StopPoll& poll, const T* x, const AxisView& view) const {
    int64_t best = 0;
    ForSegments(poll, view.size, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = std::max<int64_t>(begin, 1); i < end; ++i) {
        const T& a = x[i * view.inner];
        const T& b = x[best * view.inner];
        if (greatest_ ? IsAbove(a, b) : IsBelow(a, b)) {
          best = i;
        } else if (last_ && !(greatest_ ? IsAbove(b, a) : IsBelow(b, a))) {
          best = i;  // equal elements
        }
      }
    });
    return best;
  }
  // For the least element, NaN comes first too, as in numpy.
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

// A count or a step that is known at compile time.
constexpr std::integral_constant<int64_t, 1> kOne;

// Returns an unsigned number that orders elements: greater elements have greater ranks. 0 and -0
// have the same rank, and all NaN have the same rank.
template <class T>
auto RankOf(T value) {
  using U = std::conditional_t<
      sizeof(T) == 1, uint8_t,
      std::conditional_t<sizeof(T) == 2, uint16_t,
                         std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;
  constexpr U kSign = U(U(1) << (8 * sizeof(T) - 1));
  const U bits = std::bit_cast<U>(value);
  if constexpr (std::unsigned_integral<T>) {
    return bits;
  } else if constexpr (std::integral<T>) {
    return U(bits ^ kSign);
  } else {
    U infinity;
    if constexpr (std::same_as<T, Float16>) {
      infinity = 0x7c00;
    } else if constexpr (std::same_as<T, BFloat16>) {
      infinity = 0x7f80;
    } else {
      infinity = std::bit_cast<U>(std::numeric_limits<T>::infinity());
    }
    const U magnitude = bits & U(~kSign);
    const U rank = bits == magnitude ? U(kSign + magnitude) : U(kSign - magnitude);
    return magnitude > infinity ? U(~U(0)) : rank;
  }
}

// The first k elements of a line, which is passed piece by piece. Each candidate has a key, which
// consists of its rank and its position, so that equal elements keep their order. When the keys are
// full, all keys except the first k are dropped. From then on, an element is a candidate only if
// its key is above the least of these k keys.
template <class T>
class TopKSelector {
 public:
  __extension__ typedef unsigned __int128 Wide;
  using Key = std::conditional_t<(sizeof(T) > 4), Wide, uint64_t>;
  static constexpr int64_t kPiece = 16;  // most elements of a piece

  // If k is larger, all keys are kept, and sorted by MergeSort.
  static constexpr int64_t kMostSelected = int64_t{1} << 16;

  // Returns the number of keys that `keys` of the constructor must have room for.
  static int64_t Room(int64_t k, int64_t size) {
    return k > kMostSelected ? size : std::min(2 * k + 2 * kPiece, size);
  }
  // Returns the number of keys of scratch memory for the sort of one line at a time.
  static int64_t SortScratch(int64_t k, int64_t size) {
    return k > kMostSelected ? MergeScratch(size) : 0;
  }

  TopKSelector(Key* keys, int64_t k, int64_t size) : keys_(keys), k_(k), room_(Room(k, size)) {}

  // Adds the next piece: elements `first` to `end` of a line at `x`, with distance `step`.
  template <bool largest>
  void AddPiece(const T* x, int64_t step, int64_t first, int64_t end) {
    if (room_ - count_ < end - first) {
      std::nth_element(keys_, keys_ + k_ - 1, keys_ + count_, std::greater<>());
      least_ = keys_[k_ - 1];
      count_ = k_;
    }
    Key* const shown = keys_ + count_;
    auto make_keys = [&](auto apart) {
      for (int64_t i = first; i < end; ++i) {
        const auto rank = RankOf(x[i * apart]);
        const Key key = largest ? rank : static_cast<decltype(rank)>(~rank);
        shown[i - first] = key << 32 | static_cast<uint32_t>(~i);
      }
    };
    step == 1 ? make_keys(kOne) : make_keys(step);
    for (int64_t i = 0; i < end - first; ++i) {
      const Key key = shown[i];
      keys_[count_] = key;
      count_ += key > least_ ? 1 : 0;
    }
  }

  // Calls visit(j, i) for each j of the first k. The j-th element of the result is element `i`.
  template <class Visit>
  void ForEach(StopPoll& poll, Key* scratch, Visit visit) {
    if (k_ > kMostSelected) {
      if (!MergeSort(poll, keys_, scratch, count_, std::greater<>())) return;
    } else {
      if (poll.Stops(10 * k_)) return;
      if (k_ < count_) std::nth_element(keys_, keys_ + k_, keys_ + count_, std::greater<>());
      std::sort(keys_, keys_ + k_, std::greater<>());
    }
    ForSegments(poll, k_, 5, [&](int64_t begin, int64_t end) {
      for (int64_t j = begin; j < end; ++j) visit(j, int64_t{static_cast<uint32_t>(~keys_[j])});
    });
  }

 private:
  Key* keys_;
  int64_t k_;
  int64_t room_;
  int64_t count_ = 0;
  Key least_ = 0;  // less than all keys
};

class TopKKernel final : public Kernel {
 public:
  TopKKernel(int64_t axis, NumberFor k, bool largest) : axis_(axis), k_(k), largest_(largest) {}

  Status Run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    auto axis = NormalizeAxis(axis_, x.rank());
    if (!axis.ok()) return WithConstraint("C3", axis.status());
    AxisView view = ViewAlong(x.shape(), *axis);
    SIGNET_ASSIGN_OR_RETURN(int64_t k, k_.In(context, "C4"));
    if (k < 0 || k > view.size || view.size > std::numeric_limits<int32_t>::max()) {
      return WithConstraint("C4", InvalidArgument("attribute `k`: expected at most ", view.size,
                                                  ", the size of axis ", *axis, ", found ", k));
    }
    Shape shape = x.shape();
    shape.set_dim(*axis, k);
    SIGNET_ASSIGN_OR_RETURN(Tensor * values, context.Allocate(0, shape));
    SIGNET_ASSIGN_OR_RETURN(Tensor * indices, context.Allocate(1, shape));
    if (values->num_elements() == 0) return absl::OkStatus();
    return VisitReal(x.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      auto run = largest_ ? RunColumns<T, true> : RunColumns<T, false>;
      using Key = typename TopKSelector<T>::Key;
      auto pieces = std::min<int64_t>(view.columns(), context.parallel().num_threads());
      auto keys = static_cast<size_t>(std::min(kColumnsAtOnce, view.inner) *
                                          TopKSelector<T>::Room(k, view.size) +
                                      TopKSelector<T>::SortScratch(k, view.size));
      SIGNET_ASSIGN_OR_RETURN(std::byte * scratch,
                              context.Scratch(keys * sizeof(Key) * static_cast<size_t>(pieces)));
      double unit = 1.5 * static_cast<double>(x.num_elements()) / static_cast<double>(pieces);
      return context.For(pieces, unit, [&](int64_t begin, int64_t end) {
        StopPoll poll(context);
        for (int64_t piece = begin; piece < end; ++piece) {
          run(poll, x.elements<T>().data(), view, k, view.columns() * piece / pieces,
              view.columns() * (piece + 1) / pieces,
              reinterpret_cast<Key*>(scratch) + static_cast<size_t>(piece) * keys,
              values->mutable_elements<T>(), indices->mutable_elements<int32_t>());
        }
      });
    });
  }

 private:
  // The number of adjacent columns that are read together, because they are adjacent in memory.
  static constexpr int64_t kColumnsAtOnce = 16;

  template <class T, bool largest>
  static void RunColumns(StopPoll& poll, const T* x, const AxisView& view, int64_t k, int64_t begin,
                         int64_t end, typename TopKSelector<T>::Key* keys, T* values,
                         int32_t* indices) {
    const int64_t room = TopKSelector<T>::Room(k, view.size);
    auto* const scratch = keys + std::min(kColumnsAtOnce, view.inner) * room;
    absl::InlinedVector<TopKSelector<T>, kColumnsAtOnce> selectors;
    for (int64_t column = begin; column < end; column += std::ssize(selectors)) {
      selectors.clear();
      int64_t count = std::min({kColumnsAtOnce, end - column, view.inner - column % view.inner});
      for (int64_t i = 0; i < count; ++i) {
        selectors.emplace_back(keys + i * room, k, view.size);
      }
      const T* from = x + view.Start(column);
      for (int64_t first = 0; first < view.size; first += TopKSelector<T>::kPiece) {
        const int64_t last = std::min(first + TopKSelector<T>::kPiece, view.size);
        if (poll.Stops((last - first) * count)) return;
        for (int64_t i = 0; i < count; ++i) {
          selectors[static_cast<size_t>(i)].template AddPiece<largest>(from + i, view.inner, first,
                                                                       last);
        }
      }
      int64_t to = column / view.inner * k * view.inner + column % view.inner;
      for (int64_t i = 0; i < count; ++i) {
        selectors[static_cast<size_t>(i)].ForEach(poll, scratch, [&](int64_t j, int64_t found) {
          indices[to + i + j * view.inner] = static_cast<int32_t>(found);
          values[to + i + j * view.inner] = from[i + found * view.inner];
        });
      }
    }
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
  kernel->set_cost(50 + 1.5 * GuessElements(request.call.inputs[0]));
  return kernel;
}

// How a running value includes the next element.
enum class Running : uint8_t { kSum, kProduct, kLogSumExp };

// Includes an element. Integers wrap around; half-width floats are computed in float32.
template <Running kind, class T>
T Accumulate(T all, T x) {
  constexpr bool kIsProduct = kind == Running::kProduct;
  if constexpr (kind == Running::kLogSumExp) {
    if (all != all || x != x) return all + x;
    const T most = std::max(all, x);
    if (std::isinf(most)) return most;
    return most + std::log1p(std::exp(std::min(all, x) - most));
  } else if constexpr (std::integral<T>) {
    using U = std::conditional_t<sizeof(T) < 4, uint32_t, std::make_unsigned_t<T>>;
    auto a = static_cast<U>(all);
    auto b = static_cast<U>(x);
    return static_cast<T>(kIsProduct ? a * b : a + b);
  } else {
    return kIsProduct ? all * x : all + x;
  }
}

// The running value before the first element.
template <Running kind, class T>
T FirstValue() {
  if constexpr (kind == Running::kLogSumExp) return -std::numeric_limits<T>::infinity();
  return kind == Running::kProduct ? T(1) : T();
}

inline void NarrowTo(float value, Float16& out) { out = ToFloat16(value); }
inline void NarrowTo(float value, BFloat16& out) { out = ToBFloat16(value); }
template <class T>
void NarrowTo(T value, T& out) {
  out = value;
}

// The number of adjacent columns that are summed together, row by row.
constexpr int64_t kSumsAtOnce = 512;

// Accumulates `count` columns, the first of which begins at `x`. `count` is at most kSumsAtOnce, or
// is the constant 1.
template <Running kind, class T, class Count>
void RunAlong(StopPoll& poll, const T* x, T* out, const AxisView& view, bool exclusive,
              bool reverse, Count count) {
  using Sum = decltype(Number(T{}));
  Sum all[std::same_as<Count, int64_t> ? kSumsAtOnce : 1];
  std::fill_n(all, int64_t{count}, FirstValue<kind, Sum>());
  constexpr int64_t kCost = kind == Running::kLogSumExp ? 20 : 1;
  ForSegments(poll, view.size, kCost * int64_t{count}, [&](int64_t begin, int64_t end) {
    for (int64_t step = begin; step < end; ++step) {
      const int64_t row = (reverse ? view.size - 1 - step : step) * view.inner;
      if (exclusive) {
        for (int64_t i = 0; i < count; ++i) NarrowTo(all[i], out[row + i]);
      }
      for (int64_t i = 0; i < count; ++i) all[i] = Accumulate<kind>(all[i], Number(x[row + i]));
      if (!exclusive) {
        for (int64_t i = 0; i < count; ++i) NarrowTo(all[i], out[row + i]);
      }
    }
  });
}

// Accumulates columns [begin, end).
template <Running kind, class T>
void RunColumns(StopPoll& poll, const T* x, T* out, const AxisView& view, bool exclusive,
                bool reverse, int64_t begin, int64_t end) {
  constexpr int64_t kWorthRows = 8;
  while (begin < end) {
    const int64_t at = view.Start(begin);
    const int64_t count = std::min({kSumsAtOnce, end - begin, view.inner - begin % view.inner});
    if (count >= kWorthRows) {
      RunAlong<kind>(poll, x + at, out + at, view, exclusive, reverse, count);
    } else {
      for (int64_t i = at; i < at + count; ++i) {
        RunAlong<kind>(poll, x + i, out + i, view, exclusive, reverse, kOne);
      }
    }
    begin += count;
  }
}

// The kernels of `cumsum`, `cumprod`, and `cumulative_logsumexp`.
template <Running kind>
class RunningKernel final : public Kernel {
 public:
  RunningKernel(NumberFor axis, bool exclusive, bool reverse)
      : axis_(axis), exclusive_(exclusive), reverse_(reverse) {}

  Status Run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(int64_t given, axis_.In(context, "C3"));
    auto axis = NormalizeAxis(given, x.rank());
    if (!axis.ok()) return WithConstraint("C3", axis.status());
    AxisView view = ViewAlong(x.shape(), *axis);
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, x.shape()));
    return VisitDType(x.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      constexpr bool kIsLog = kind == Running::kLogSumExp;
      if constexpr (std::same_as<T, bool> || std::same_as<T, std::string_view> ||
                    (kIsLog && !std::floating_point<T> && !kIsHalf<T>)) {
        return WithConstraint("C2", Internal("dtype `", NameOf(x.dtype()), "` has no sum"));
      } else {
        const T* from = x.elements<T>().data();
        T* to = out->mutable_elements<T>();
        const double unit = (kIsLog ? 20 : 1.5) * static_cast<double>(view.size);
        return context.For(view.columns(), unit, [&](int64_t begin, int64_t end) {
          StopPoll poll(context);
          RunColumns<kind>(poll, from, to, view, exclusive_, reverse_, begin, end);
        });
      }
    });
  }

 private:
  const NumberFor axis_;
  const bool exclusive_;
  const bool reverse_;
};

template <Running kind>
StatusOr<std::unique_ptr<Kernel>> MakeRunning(const KernelRequest& request) {
  const Attributes& attributes = request.call.attributes;
  SIGNET_ASSIGN_OR_RETURN(NumberFor axis, NumberFor::Make(request, "axis"));
  SIGNET_ASSIGN_OR_RETURN(bool exclusive, attributes.Bool("exclusive"));
  SIGNET_ASSIGN_OR_RETURN(bool reverse, attributes.Bool("reverse"));
  auto kernel = std::make_unique<RunningKernel<kind>>(axis, exclusive, reverse);
  const double unit = kind == Running::kLogSumExp ? 20 : 1.5;
  kernel->set_cost(30 + unit * GuessElements(request.call.inputs[0]));
  return kernel;
}

constexpr KernelDef kOrderKernels[] = {
    {"argmax", MakeArg},
    {"argmin", MakeArg},
    {"cumprod", MakeRunning<Running::kProduct>},
    {"cumsum", MakeRunning<Running::kSum>},
    {"cumulative_logsumexp", MakeRunning<Running::kLogSumExp>},
    {"top_k", MakeTopK},
};

}  // namespace

std::span<const KernelDef> OrderKernels() { return kOrderKernels; }

}  // namespace signet
