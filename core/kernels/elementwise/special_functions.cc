// The kernels of special functions, in float64.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <type_traits>

#include <unsupported/Eigen/SpecialFunctions>

#include "core/kernels/def/request.h"
#include "core/kernels/elementwise/elementwise_kernels.h"
#include "core/kernels/loops/broadcast.h"
#include "core/kernels/loops/from_double.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The sum of (n + q)^-s over all n, for q > 0 and s > 1.
double ZetaAbove(double s, double q) {
  if (std::isinf(q)) return 0;
  return Eigen::numext::zeta(s, q);
}

double Zeta(double s, double q) {
  if (std::isnan(s) || std::isnan(q)) return kNan;
  if (s == 1) return kInfinity;
  if (s < 1) return kNan;
  if (q > 0) return ZetaAbove(s, q);
  const bool is_even = std::fmod(s, 2) == 0;
  if (q == std::floor(q)) return is_even ? kInfinity : kNan;
  if (s != std::floor(s)) return kNan;
  // A term whose base is below 0 has the size of the term with the opposite base, and the sign of
  // the power. The terms with the opposite bases are a part of another sum of this kind.
  const double first = q - std::floor(q);
  const double below = ZetaAbove(s, 1 - first) - ZetaAbove(s, 1 - q);
  return ZetaAbove(s, first) + (is_even ? below : -below);
}

double Polygamma(double order, double x) {
  if (std::isnan(x) || !(order >= 0) || order != std::floor(order)) return kNan;
  if (order == 0) return Eigen::numext::digamma(x);
  const double zeta = Zeta(order + 1, x);
  // The factorial of a large order and the sum may exceed the range where their product does not.
  const double sign = std::fmod(order, 2) == 0 ? -1 : 1;
  const double factorial = Eigen::numext::exp(Eigen::numext::lgamma(order + 1));
  if (std::isfinite(factorial) || !(zeta > 0)) return sign * factorial * zeta;
  return sign * std::exp(Eigen::numext::lgamma(order + 1) + std::log(zeta));
}

double Igamma(double a, double x) {
  if (std::isnan(a) || std::isnan(x) || a <= 0 || x < 0) return kNan;
  if (std::isinf(a)) return std::isinf(x) ? kNan : 0;
  return std::clamp(Eigen::numext::igamma(a, x), 0.0, 1.0);
}

double Igammac(double a, double x) {
  if (std::isnan(a) || std::isnan(x) || a <= 0 || x < 0) return kNan;
  if (std::isinf(a)) return std::isinf(x) ? kNan : 1;
  return std::clamp(Eigen::numext::igammac(a, x), 0.0, 1.0);
}

double Betainc(double a, double b, double x) {
  if (std::isnan(a) || std::isnan(b) || std::isnan(x)) return kNan;
  return Eigen::numext::betainc(a, b, x);
}

// By the sum of Rybicki; near 0 and far from it, by series.
double Dawsn(double x) {
  const double size = std::abs(x);
  if (!(size < 1e9)) return std::isnan(x) ? x : 0.5 / x;
  const double square = x * x;
  if (size < 0.5) {
    // x * sum of (-2 x^2)^n / (1 * 3 * .. * (2 n + 1))
    double term = 1;
    double sum = 1;
    for (int n = 1; n < 20; ++n) {
      term *= -2 * square / (2 * n + 1);
      sum += term;
    }
    return x * sum;
  }
  if (size > 20) {
    double term = 1;
    double sum = 1;
    for (int n = 1; n < 15; ++n) {
      term *= (2 * n - 1) / (2 * square);
      sum += term;
    }
    return sum / (2 * x);
  }
  constexpr double kStep = 0.25;
  const double middle = 2 * std::round(size / (2 * kStep));
  double sum = 0;
  for (int k = -29; k <= 29; k += 2) {
    const double n = middle + k;
    const double distance = size - n * kStep;
    sum += std::exp(-distance * distance) / n;
  }
  return std::copysign(sum / std::sqrt(std::numbers::pi), x);
}

double Expint(double x) {
  if (x < 0) return kNan;
  if (x == 0) return -kInfinity;
  if (std::isinf(x)) return x;
  return std::expint(x);
}

// The dilogarithm of numbers from -1 to 0.5, by its series in -log(1 - z) with the numbers of
// Bernoulli, divided by factorials.
double DilogarithmSeries(double z) {
  constexpr double kTerms[] = {
      1.0 / 36,
      -1.0 / 3600,
      1.0 / 211680,
      -1.0 / 10886400,
      1.0 / 526901760,
      -4.0647616451442256e-11,
      8.921691020456452e-13,
      -1.9939295860721074e-14,
      4.518980029619918e-16,
      -1.0356517612181247e-17,
  };
  const double u = -std::log1p(-z);
  const double square = u * u;
  double sum = 0;
  for (int i = 9; i >= 0; --i) sum = sum * square + kTerms[i];
  return u * (1 + square * sum) - square / 4;
}

double Spence(double x) {
  constexpr double kSquare = std::numbers::pi * std::numbers::pi / 6;
  if (!(x >= 0)) return kNan;
  if (x == 0) return kSquare;
  if (std::isinf(x)) return -kInfinity;
  // The dilogarithm of 1 - x, with another argument where that is outside of the range.
  if (x < 0.5) return kSquare - std::log(x) * std::log1p(-x) - DilogarithmSeries(x);
  if (x <= 2) return DilogarithmSeries(1 - x);
  const double outer = std::log(x - 1);
  return -kSquare - outer * outer / 2 - DilogarithmSeries(1 / (1 - x));
}

// The modified Bessel functions of the first kind, whose limits at infinity Eigen does not return.
double BesselI0(double x) { return std::isinf(x) ? kInfinity : Eigen::numext::bessel_i0(x); }
double BesselI1(double x) { return std::isinf(x) ? x : Eigen::numext::bessel_i1(x); }

using Bessel = double (*)(double);

// Returns a Bessel function of a number, which is not NaN. All those that come here have the limit
// 0 at infinity.
double WithLimits(Bessel function, double x) {
  return std::isnan(x) ? x : std::isinf(x) ? 0 : function(x);
}
// The same of a function that exists only for numbers of at least 0.
double WithLimitsAbove(Bessel function, double x) { return x < 0 ? kNan : WithLimits(function, x); }

// Functions of one to three numbers. A function of fewer than three ignores the other arguments.
using SpecialFn = double (*)(double a, double b, double c);

struct SpecialRow {
  std::string_view op;
  SpecialFn function;
  double cost;  // nanoseconds per element
};

#define SIGNET_BESSEL(name, with_limits)                                                           \
  {                                                                                                \
    "bessel_" #name,                                                                               \
        [](double x, double, double) {                                                             \
          return with_limits([](double v) { return double{Eigen::numext::bessel_##name(v)}; }, x); \
        },                                                                                         \
        30                                                                                         \
  }

constexpr SpecialRow kRows[] = {
    {"bessel_i0", [](double x, double, double) { return BesselI0(x); }, 30},
    SIGNET_BESSEL(i0e, WithLimits),
    {"bessel_i1", [](double x, double, double) { return BesselI1(x); }, 30},
    SIGNET_BESSEL(i1e, WithLimits),
    SIGNET_BESSEL(j0, WithLimits),
    SIGNET_BESSEL(j1, WithLimits),
    SIGNET_BESSEL(k0, WithLimitsAbove),
    SIGNET_BESSEL(k0e, WithLimitsAbove),
    SIGNET_BESSEL(k1, WithLimitsAbove),
    SIGNET_BESSEL(k1e, WithLimitsAbove),
    SIGNET_BESSEL(y0, WithLimitsAbove),
    SIGNET_BESSEL(y1, WithLimitsAbove),
    {"betainc", Betainc, 500},
    {"dawsn", [](double x, double, double) { return Dawsn(x); }, 200},
    {"expint", [](double x, double, double) { return Expint(x); }, 300},
    {"igamma", [](double a, double x, double) { return Igamma(a, x); }, 500},
    {"igammac", [](double a, double x, double) { return Igammac(a, x); }, 500},
    {"polygamma", [](double n, double x, double) { return Polygamma(n, x); }, 500},
    {"spence", [](double x, double, double) { return Spence(x); }, 40},
    {"zeta", [](double s, double q, double) { return Zeta(s, q); }, 500},
};

#undef SIGNET_BESSEL

double ToDouble(Float16 x) { return ToFloat(x); }
double ToDouble(BFloat16 x) { return ToFloat(x); }
double ToDouble(double x) { return x; }

using Operands = std::array<const void*, BroadcastPlan::kMaxOperands>;
using RunFn = void (*)(SpecialFn function, size_t count, Operands operands, void* out, int64_t n);

template <class T>
void RunSpecial(SpecialFn function, size_t count, Operands operands, void* out, int64_t n) {
  T* to = static_cast<T*>(out);
  for (int64_t i = 0; i < n; ++i) {
    std::array<double, 3> x = {};
    for (size_t k = 0; k < count; ++k) x[k] = ToDouble(static_cast<const T*>(operands[k])[i]);
    to[i] = FromDouble<T>(function(x[0], x[1], x[2]));
  }
}

template <class T>
T NextAfter(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::nextafter(x, y);
  } else {
    const double from = ToDouble(x);
    const double to = ToDouble(y);
    if (std::isnan(from)) return x;
    if (std::isnan(to) || from == to) return y;
    // The least number above or below 0, or the bits of a number whose magnitude is next.
    const auto bits = std::bit_cast<uint16_t>(x);
    if (from == 0) return std::bit_cast<T>(static_cast<uint16_t>(to > 0 ? 1 : 0x8001));
    const bool grows = (to > from) == (from > 0);
    return std::bit_cast<T>(static_cast<uint16_t>(grows ? bits + 1 : bits - 1));
  }
}

template <class T>
void RunNextAfter(SpecialFn, size_t, Operands operands, void* out, int64_t n) {
  const T* x = static_cast<const T*>(operands[0]);
  const T* y = static_cast<const T*>(operands[1]);
  T* to = static_cast<T*>(out);
  for (int64_t i = 0; i < n; ++i) to[i] = NextAfter(x[i], y[i]);
}

RunFn RunOf(DType dtype, bool is_next_after) {
  return VisitDType(dtype, [&]<class T>(TypeTag<T>) -> RunFn {
    if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16> ||
                  std::is_floating_point_v<T>) {
      return is_next_after ? RunNextAfter<T> : RunSpecial<T>;
    } else {
      return nullptr;
    }
  });
}

StatusOr<std::unique_ptr<Kernel>> MakeSpecial(const KernelRequest& request) {
  const DType dtype = DTypeIn(request.outputs[0]);
  const std::string_view name = request.call.op.name;
  const SpecialRow* row = nullptr;
  for (const SpecialRow& candidate : kRows) {
    if (candidate.op == name) row = &candidate;
  }
  RunFn run = RunOf(dtype, name == "next_after");
  SIGNET_CHECK(run != nullptr && (row != nullptr || name == "next_after"));
  const SpecialFn function = row == nullptr ? nullptr : row->function;
  const double cost = row == nullptr ? 3 : row->cost;
  const size_t count = request.call.inputs.size();
  auto kernel = MakeKernel(
      [run, function, cost, count, size = SizeOf(dtype)](KernelContext& context) -> Status {
        std::array<const Shape*, BroadcastPlan::kMaxOperands> shapes = {};
        std::array<BroadcastPlan::Operand, BroadcastPlan::kMaxOperands> operands = {};
        for (size_t i = 0; i < count; ++i) {
          shapes[i] = &context.input(i).shape();
          operands[i] = {context.input(i).data().data(), size};
        }
        auto plan = BroadcastPlan::Make(std::span(shapes).first(count));
        if (!plan.ok()) return WithConstraint("C4", plan.status());
        SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, plan->shape()));
        std::byte* to = out->data().mutable_data();
        return context.For(plan->num_elements(), cost, [&](int64_t begin, int64_t end) {
          plan->ForEachRun(std::span(operands).first(count), begin, end,
                           [&](Operands at, int64_t first, int64_t n) {
                             run(function, count, at, to + static_cast<size_t>(first) * size, n);
                           });
        });
      });
  kernel->set_cost(60 + cost * GuessElements(request.outputs[0]));
  return kernel;
}

constexpr KernelDef kSpecialFunctionKernels[] = {
    {"bessel_i0", MakeSpecial},  {"bessel_i0e", MakeSpecial}, {"bessel_i1", MakeSpecial},
    {"bessel_i1e", MakeSpecial}, {"bessel_j0", MakeSpecial},  {"bessel_j1", MakeSpecial},
    {"bessel_k0", MakeSpecial},  {"bessel_k0e", MakeSpecial}, {"bessel_k1", MakeSpecial},
    {"bessel_k1e", MakeSpecial}, {"bessel_y0", MakeSpecial},  {"bessel_y1", MakeSpecial},
    {"betainc", MakeSpecial},    {"dawsn", MakeSpecial},      {"expint", MakeSpecial},
    {"igamma", MakeSpecial},     {"igammac", MakeSpecial},    {"next_after", MakeSpecial},
    {"polygamma", MakeSpecial},  {"spence", MakeSpecial},     {"zeta", MakeSpecial},
};

}  // namespace

std::span<const KernelDef> SpecialFunctionKernels() { return kSpecialFunctionKernels; }

}  // namespace signet
