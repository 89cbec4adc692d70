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

constexpr KernelDef kRandomNumberKernels[] = {
    {"random_categorical", MakeCategorical},
    {"random_normal", MakeNormal},
    {"random_uniform", MakeUniform},
};

}  // namespace

std::span<const KernelDef> RandomNumberKernels() { return kRandomNumberKernels; }

}  // namespace signet
