// Kernels of random numbers of several distributions. Element i of a result is a function of the
// seed and i, so that it does not depend on the number of threads.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/kernels/def/request.h"
#include "core/kernels/loops/row_access.h"
#include "core/kernels/random/philox.h"
#include "core/kernels/random/random_kernels.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/int_list.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

StatusOr<int64_t> SeedInput(const KernelContext& context, size_t i) {
  const Tensor& seed = context.input(i);
  if (seed.rank() == 0) return IntAt(seed, 0);
  return WithConstraint(
      "C1", InvalidArgument("seed: expected a scalar, found shape `", seed.shape(), "`"));
}

// Returns the requested shape, which is known when the kernel is made, or is input 1.
StatusOr<Shape> ShapeFor(const KernelContext& context,
                         const std::optional<std::vector<int64_t>>& known) {
  std::vector<int64_t> sizes;
  if (known) {
    sizes = *known;
  } else {
    SIGNET_ASSIGN_OR_RETURN(sizes, WithConstraint("C2", IntsPerDimension(context, 1)));
  }
  SIGNET_RETURN_IF_ERROR(WithConstraint("C2", CheckOutputSize(sizes)));
  return Shape(sizes);
}

// Makes a kernel whose output is filled by fill(stream, output, begin, end).
template <class Fill>
MadeKernel MakeFilled(const KernelRequest& request, RandomStream::Kind kind, Fill fill) {
  SIGNET_ASSIGN_OR_RETURN(IntList shape, FindIntList(request.call, "shape", 1));
  return MakeKernel([kind, fill, known = shape.known](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(int64_t seed, SeedInput(context, 0));
    SIGNET_ASSIGN_OR_RETURN(Shape made_shape, ShapeFor(context, known));
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, made_shape));
    RandomStream stream(kind, seed);
    return context.For(made->num_elements(), 20,
                       [&](int64_t begin, int64_t end) { fill(stream, *made, begin, end); });
  });
}

// Returns a number in [low, low + span) from all bits. The relative difference
// between the probabilities of two numbers is at most span / 2^64.
template <class T>
T IntegerIn(uint64_t bits, int64_t low, uint64_t span) {
  auto above = static_cast<uint64_t>(static_cast<unsigned __int128>(bits) * span >> 64);
  return static_cast<T>(static_cast<uint64_t>(low) + above);
}

template <class T>
MadeKernel MakeUniformIntegers(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(int64_t low, request.call.attributes.Int("low"));
  SIGNET_ASSIGN_OR_RETURN(int64_t high, request.call.attributes.Int("high"));
  uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  return MakeFilled(
      request, RandomStream::Kind::kUniform,
      [low, span](const RandomStream& stream, Tensor& made, int64_t begin, int64_t end) {
        T* out = made.mutable_elements<T>();
        for (int64_t i = begin; i < end; ++i) {
          out[i] = IntegerIn<T>(stream.Bits(i), low, span);
        }
      });
}

template <class T>
MadeKernel MakeUniformFloats(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(double low, request.call.attributes.Float("low"));
  SIGNET_ASSIGN_OR_RETURN(double high, request.call.attributes.Float("high"));
  // The greatest number below `high`, which rounding could otherwise reach.
  T most = std::nextafter(static_cast<T>(high), static_cast<T>(low));
  return MakeFilled(
      request, RandomStream::Kind::kUniform,
      [low, high, most](const RandomStream& stream, Tensor& made, int64_t begin, int64_t end) {
        T* out = made.mutable_elements<T>();
        for (int64_t i = begin; i < end; ++i) {
          double unit = UnitDouble(stream.Bits(i));
          out[i] = std::min(static_cast<T>(low + unit * (high - low)), most);
        }
      });
}

MadeKernel MakeUniform(const KernelRequest& request) {
  switch (request.outputs[0].As<TensorSpec>()->dtype()) {
    case DType::kInt32:
      return MakeUniformIntegers<int32_t>(request);
    case DType::kInt64:
      return MakeUniformIntegers<int64_t>(request);
    case DType::kFloat32:
      return MakeUniformFloats<float>(request);
    case DType::kFloat64:
      return MakeUniformFloats<double>(request);
    default:
      return Internal("inference accepted a dtype that `random_uniform` does not support");
  }
}

// The Box-Muller transform: the two numbers of a block are a radius and an angle, which result in
// two normal numbers.
std::array<double, 2> Normals(std::array<uint64_t, 2> bits) {
  double radius = std::sqrt(-2 * std::log1p(-UnitDouble(bits[0])));
  double angle = 2 * std::numbers::pi * UnitDouble(bits[1]);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

template <class T>
MadeKernel MakeNormalOf(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(double mean, request.call.attributes.Float("mean"));
  SIGNET_ASSIGN_OR_RETURN(double stddev, request.call.attributes.Float("stddev"));
  return MakeFilled(
      request, RandomStream::Kind::kNormal,
      [mean, stddev](const RandomStream& stream, Tensor& made, int64_t begin, int64_t end) {
        T* out = made.mutable_elements<T>();
        for (int64_t i = begin; i < end;) {
          auto pair = Normals(stream.Pair(i / 2));
          for (size_t k = static_cast<size_t>(i % 2); k < 2 && i < end; ++k, ++i) {
            out[i] = static_cast<T>(mean + stddev * pair[k]);
          }
        }
      });
}

MadeKernel MakeNormal(const KernelRequest& request) {
  bool wide = request.outputs[0].As<TensorSpec>()->dtype() == DType::kFloat64;
  return wide ? MakeNormalOf<double>(request) : MakeNormalOf<float>(request);
}

// Draws index k with a probability proportional to exp(logits[k]), by a search in the running sums
// of these numbers.
template <class T>
Status SampleRow(std::span<const T> logits, const RandomStream& stream, int64_t first, int64_t n,
                 StopPoll& poll, std::span<double> sums, int64_t* out) {
  if (logits.empty())
    return WithConstraint("C4", InvalidArgument("expected at least one logit, found none"));
  double greatest = -std::numeric_limits<double>::infinity();
  for (T logit : logits) {
    SIGNET_RETURN_IF_ERROR(poll.Spend(2));
    if (std::isnan(logit) || logit == std::numeric_limits<T>::infinity()) {
      return WithConstraint("C4", InvalidArgument("logits: expected finite numbers or -inf, found ",
                                                  static_cast<double>(logit)));
    }
    greatest = std::max(greatest, static_cast<double>(logit));
  }
  if (std::isinf(greatest)) {
    return WithConstraint(
        "C4",
        InvalidArgument("logits: expected at least one finite number per row, found only -inf"));
  }
  double sum = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    SIGNET_RETURN_IF_ERROR(poll.Spend(10));
    sum += std::exp(static_cast<double>(logits[i]) - greatest);
    sums[i] = sum;
  }
  for (int64_t i = 0; i < n; ++i) {
    SIGNET_RETURN_IF_ERROR(poll.Spend(40));
    // Less than the sum, so that an index with probability 0 is never drawn.
    double at = std::min(UnitDouble(stream.Bits(first + i)) * sum, std::nextafter(sum, 0.0));
    out[i] = std::upper_bound(sums.begin(), sums.end(), at) - sums.begin();
  }
  return absl::OkStatus();
}

MadeKernel MakeCategorical(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(int64_t n, request.call.attributes.Int("num_samples"));
  return MakeKernel([n](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(int64_t seed, SeedInput(context, 0));
    const Tensor& logits = context.input(1);
    if (logits.rank() == 0) {
      return WithConstraint("C2",
                            InvalidArgument("logits: expected rank at least 1, found a scalar"));
    }
    Shape shape = logits.shape();
    int64_t classes = shape.dim(shape.rank() - 1);
    shape.set_dim(shape.rank() - 1, n);
    SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckOutputSize(shape.dims())));
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, shape));
    RandomStream stream(RandomStream::Kind::kCategorical, seed);
    auto* out = made->mutable_elements<int64_t>();
    int64_t rows = n == 0 ? 0 : made->num_elements() / n;
    auto sample = [&](auto all) -> Status {
      const auto room = static_cast<size_t>(classes);
      SIGNET_ASSIGN_OR_RETURN(std::byte * scratch, context.Scratch(room * sizeof(double)));
      std::span<double> sums(reinterpret_cast<double*>(scratch), room);
      StopPoll poll(context);
      for (int64_t row = 0; row < rows; ++row) {
        auto its = all.subspan(static_cast<size_t>(row * classes), static_cast<size_t>(classes));
        SIGNET_RETURN_IF_ERROR(SampleRow(its, stream, row * n, n, poll, sums, out + row * n));
      }
      return absl::OkStatus();
    };
    return logits.dtype() == DType::kFloat64 ? sample(logits.elements<double>())
                                             : sample(logits.elements<float>());
  });
}

// Numbers for one element: as many as a rejection method requires.
class ElementStream {
 public:
  ElementStream(const RandomStream& stream, int64_t element) : stream_(stream), element_(element) {}

  // Returns a number in [0, 1).
  double Uniform() {
    if (next_ == 2) {
      pair_ = stream_.Pair(element_, step_++);
      next_ = 0;
    }
    return UnitDouble(pair_[next_++]);
  }
  double Normal() {
    next_ = 2;
    return Normals(stream_.Pair(element_, step_++))[0];
  }

 private:
  const RandomStream& stream_;
  const int64_t element_;
  uint32_t step_ = 0;
  size_t next_ = 2;
  std::array<uint64_t, 2> pair_ = {};
};

// Rejection methods accept at least a third of all candidates, so this limit is never reached.
constexpr int kMostCandidates = 1000;

// Marsaglia, Tsang: A simple method for generating gamma variables (TOMS 2000). A number for a
// parameter below 1 is one for the parameter plus 1, times a power of a uniform number.
double DrawGamma(ElementStream stream, double alpha) {
  if (!(alpha > 0) || std::isinf(alpha)) return std::numeric_limits<double>::quiet_NaN();
  const bool is_below = alpha < 1;
  const double d = (is_below ? alpha + 1 : alpha) - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  double out = d;
  for (int i = 0; i < kMostCandidates; ++i) {
    const double x = stream.Normal();
    const double root = 1 + c * x;
    const double u = 1 - stream.Uniform();
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log(u) >= 0.5 * x * x + d - d * v + d * std::log(v)) continue;
    out = d * v;
    break;
  }
  if (!is_below) return out;
  return std::exp(std::log(out) + std::log(1 - stream.Uniform()) / alpha);
}

// Hoermann: The transformed rejection method for generating Poisson random variables (1993).
double DrawLargePoisson(ElementStream stream, double rate) {
  const double log_rate = std::log(rate);
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double v_limit = 0.9277 - 3.6224 / (b - 2);
  for (int i = 0; i < kMostCandidates; ++i) {
    const double u = stream.Uniform() - 0.5;
    const double v = 1 - stream.Uniform();
    const double distance = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / distance + b) * u + rate + 0.43);
    if (distance >= 0.07 && v <= v_limit) return k;
    if (!(k >= 0) || (distance < 0.013 && v > distance)) continue;
    int sign = 0;
    const double log_v = std::log(v * inverse_alpha / (a / (distance * distance) + b));
    if (log_v <= k * log_rate - rate - lgamma_r(k + 1, &sign)) return k;
  }
  return std::floor(rate);
}

double DrawPoisson(ElementStream stream, double rate) {
  if (!(rate >= 0) || std::isinf(rate)) return std::numeric_limits<double>::quiet_NaN();
  if (rate >= 10) return DrawLargePoisson(stream, rate);
  // The number of uniform numbers whose product is greater than a limit.
  const double limit = std::exp(-rate);
  double product = 1 - stream.Uniform();
  double count = 0;
  while (product > limit && count < kMostCandidates) {
    product *= 1 - stream.Uniform();
    ++count;
  }
  return count;
}

MadeKernel MakeOfParameter(const KernelRequest& request) {
  const bool is_gamma = request.call.op.name == "random_gamma";
  auto kernel = MakeKernel([is_gamma](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(int64_t seed, SeedInput(context, 0));
    const Tensor& parameters = context.input(1);
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, parameters.shape()));
    const RandomStream stream(is_gamma ? RandomStream::Kind::kGamma : RandomStream::Kind::kPoisson,
                              seed);
    return VisitFloatOrDouble(parameters.dtype(), [&]<class T>(T) -> Status {
      const T* from = parameters.elements<T>().data();
      T* to = made->mutable_elements<T>();
      return context.For(parameters.num_elements(), 200, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const ElementStream numbers(stream, i);
          const auto parameter = static_cast<double>(from[i]);
          to[i] = static_cast<T>(is_gamma ? DrawGamma(numbers, parameter)
                                          : DrawPoisson(numbers, parameter));
        }
      });
    });
  });
  kernel->set_cost(60 + 200 * GuessElements(request.outputs[0]));
  return kernel;
}

constexpr KernelDef kRandomNumberKernels[] = {
    {"random_categorical", MakeCategorical}, {"random_gamma", MakeOfParameter},
    {"random_normal", MakeNormal},           {"random_poisson", MakeOfParameter},
    {"random_uniform", MakeUniform},
};

}  // namespace

std::span<const KernelDef> RandomNumberKernels() { return kRandomNumberKernels; }

}  // namespace signet
