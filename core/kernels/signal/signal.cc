// The kernels of `dft` and `mel_weight_matrix`. Lengths that are powers of two use the algorithm of
// Cooley and Tukey. Other lengths are computed as convolutions of such lengths (Bluestein). All
// numbers are float64.

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>

#include "core/kernels/def/request.h"
#include "core/kernels/def/stop_poll.h"
#include "core/kernels/loops/axis.h"
#include "core/kernels/signal/signal_kernels.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/int_list.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;
using Complex = std::complex<double>;

Complex Root(int64_t k, int64_t n) {
  return std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
}

// Transforms `x` in place. `n` is a power of two, and `roots` has n / 2 elements. Returns early if
// the call must end.
void PowerOfTwo(StopPoll& poll, Complex* x, int64_t n, const Complex* roots) {
  for (int64_t i = 1, j = 0; i < n; ++i) {
    if (i % kStopSegment == 0 && poll.Stops(5 * kStopSegment)) return;
    int64_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (int64_t half = 1; half < n; half *= 2) {
    int64_t step = n / (2 * half);
    for (int64_t first = 0; first < n; first += 2 * half) {
      const int64_t span = std::min(half, kStopSegment);
      for (int64_t begin = 0; begin < half; begin += span) {
        if ((first + begin) % kStopSegment == 0 && poll.Stops(5 * kStopSegment)) return;
        for (int64_t k = begin; k < begin + span; ++k) {
          Complex a = x[first + k];
          Complex b = x[first + k + half] * roots[k * step];
          x[first + k] = a + b;
          x[first + k + half] = a - b;
        }
      }
    }
  }
}

// Transforms of one length. The tables and the working memory belong to the run.
class Transform {
 public:
  static int64_t PaddedLength(int64_t n) {
    bool is_power = std::has_single_bit(static_cast<uint64_t>(n));
    return is_power ? n : static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(2 * n - 1)));
  }
  // The sizes of the tables and of the working memory of one thread. The first `n` numbers of the
  // working memory are transformed.
  static int64_t TableSize(int64_t n) { return n + 2 * PaddedLength(n); }
  static int64_t WorkSize(int64_t n) { return n + PaddedLength(n); }

  // Returns early if the call must end.
  Transform(StopPoll& poll, int64_t n, Complex* tables)
      : n_(n), m_(PaddedLength(n)), chirp_(tables), filter_(tables + n), roots_(filter_ + m_) {
    for (int64_t k = 0; k < m_ / 2; ++k) {
      if (poll.Stops(20)) return;
      roots_[k] = Root(k, m_);
    }
    if (m_ == n_) return;
    // Computes exp(-i pi k^2 / n), whose angle has period 2n.
    for (int64_t k = 0; k < n_; ++k) {
      if (poll.Stops(40)) return;
      auto square = static_cast<unsigned __int128>(k) * static_cast<unsigned __int128>(k);
      chirp_[k] = Root(static_cast<int64_t>(square % static_cast<uint64_t>(2 * n_)), 2 * n_);
    }
    FillZeros(poll, filter_, m_);
    for (int64_t k = 0; k < n_; ++k) {
      if (poll.Stops(4)) return;
      filter_[k] = std::conj(chirp_[k]);
      if (k > 0) filter_[m_ - k] = filter_[k];
    }
    PowerOfTwo(poll, filter_, m_, roots_);
  }

  void Run(StopPoll& poll, Complex* x) const {
    if (m_ == n_) {
      PowerOfTwo(poll, x, n_, roots_);
      return;
    }
    Complex* work = x + n_;
    ForEach(poll, n_, [&](int64_t k) { work[k] = x[k] * chirp_[k]; });
    FillZeros(poll, work + n_, m_ - n_);
    PowerOfTwo(poll, work, m_, roots_);
    // The inverse transform is the conjugate of the transform of the conjugates.
    ForEach(poll, m_, [&](int64_t k) { work[k] = std::conj(work[k] * filter_[k]); });
    PowerOfTwo(poll, work, m_, roots_);
    ForEach(poll, n_,
            [&](int64_t k) { x[k] = std::conj(work[k]) * chirp_[k] / static_cast<double>(m_); });
  }

  // Calls visit(k) for each of [0, count), until the call must end.
  template <class Visit>
  static void ForEach(StopPoll& poll, int64_t count, Visit visit) {
    ForSegments(poll, count, 4, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) visit(k);
    });
  }
  static void FillZeros(StopPoll& poll, Complex* to, int64_t count) {
    ForEach(poll, count, [&](int64_t k) { to[k] = 0; });
  }

 private:
  const int64_t n_;
  const int64_t m_;
  Complex* const chirp_;
  Complex* const filter_;
  Complex* const roots_;
};

class DftKernel final : public Kernel {
 public:
  DftKernel(IntList length, IntList axis, bool inverse, bool onesided)
      : length_(std::move(length)),
        axis_(std::move(axis)),
        inverse_(inverse),
        onesided_(onesided && !inverse),
        from_half_(onesided && inverse) {}

  Status Run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    int last = x.rank() - 1;
    int64_t parts = last < 1 ? 0 : x.shape().dim(last);
    if (parts != 1 && parts != 2) {
      return WithConstraint(
          "C2",
          InvalidArgument(
              "input 0: expected rank 2 or more, with 1 or 2 elements in the last dimension, found "
              "`",
              x.spec(), "`"));
    }
    SIGNET_ASSIGN_OR_RETURN(int64_t given, Number(context, axis_, 2, "C4"));
    SIGNET_ASSIGN_OR_RETURN(int axis, WithConstraint("C4", NormalizeAxis(given, x.rank())));
    if (axis == last)
      return WithConstraint(
          "C4", InvalidArgument("axis: expected a dimension before the last one, found ", axis));
    int64_t n = from_half_ ? 2 * (x.shape().dim(axis) - 1) : x.shape().dim(axis);
    if (length_.given) {
      SIGNET_ASSIGN_OR_RETURN(n, Number(context, length_, 1, "C3"));
    }
    if (n < 1 || n > kMaxOutputElements) {
      return WithConstraint(
          "C3", InvalidArgument("length: expected 1 to ", kMaxOutputElements, ", found ", n));
    }
    Shape shape = x.shape();
    shape.set_dim(axis, onesided_ ? n / 2 + 1 : n);
    shape.set_dim(last, from_half_ ? 1 : 2);
    SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckOutputSize(shape.dims())));
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    return x.dtype() == DType::kFloat64 ? RunOf<double>(context, x, axis, n, *out)
                                        : RunOf<float>(context, x, axis, n, *out);
  }

 private:
  static StatusOr<int64_t> Number(const KernelContext& context, const IntList& list, size_t i,
                                  std::string_view label) {
    if (list.known) return list.known->at(0);
    const Tensor& given = context.input(i);
    if (given.num_elements() == 1) return IntsOf(given)[0];
    return WithConstraint(
        label, InvalidArgument("input ", i, ": expected one number, found `", given.spec(), "`"));
  }

  template <class T>
  Status RunOf(KernelContext& context, const Tensor& x, int axis, int64_t n, Tensor& out) const {
    AxisView from = ViewAlong(x.shape(), axis);
    AxisView to = ViewAlong(out.shape(), axis);
    int64_t parts = x.shape().dim(x.rank() - 1);
    int64_t made = from_half_ ? 1 : 2;
    int64_t inner = to.inner / made;  // adjacent lines
    int64_t lines = to.outer * inner;
    auto pieces = std::min<int64_t>(lines, context.parallel().num_threads());
    auto bytes = static_cast<size_t>(Transform::TableSize(n) + pieces * Transform::WorkSize(n)) *
                 sizeof(Complex);
    SIGNET_ASSIGN_OR_RETURN(std::byte * scratch, context.Scratch(bytes));
    auto* tables = reinterpret_cast<Complex*>(scratch);
    StopPoll table_poll(context);
    Transform transform(table_poll, n, tables);
    if (context.stopped()) return context.CheckStop();
    Complex* work = tables + Transform::TableSize(n);
    double unit =
        20.0 * static_cast<double>(n) * static_cast<double>(lines) / static_cast<double>(pieces);
    const T* in = x.elements<T>().data();
    T* result = out.mutable_elements<T>();
    int64_t taken = std::min(from_half_ ? n / 2 + 1 : n, from.size);
    double scale = inverse_ ? 1 / static_cast<double>(n) : 1;
    return context.For(pieces, unit, [&](int64_t begin, int64_t end) {
      StopPoll poll(context);
      for (int64_t piece = begin; piece < end; ++piece) {
        Complex* line = work + piece * Transform::WorkSize(n);
        for (int64_t l = lines * piece / pieces; l < lines * (piece + 1) / pieces; ++l) {
          const T* source = in + l / inner * from.size * from.inner + l % inner * parts;
          Transform::ForEach(poll, taken, [&](int64_t i) {
            const T* element = source + i * from.inner;
            double imaginary = parts == 2 ? static_cast<double>(element[1]) : 0;
            line[i] = Complex(element[0], inverse_ ? -imaginary : imaginary);
          });
          Transform::FillZeros(poll, line + taken, n - taken);
          if (from_half_) Mirror(poll, line, n);
          transform.Run(poll, line);
          if (poll.Stops(0)) return;
          T* target = result + l / inner * to.size * to.inner + l % inner * made;
          Transform::ForEach(poll, to.size, [&](int64_t i) {
            Complex value = scale * line[i];
            target[i * to.inner] = static_cast<T>(value.real());
            if (!from_half_)
              target[i * to.inner + 1] = static_cast<T>(inverse_ ? -value.imag() : value.imag());
          });
        }
      }
    });
  }

  const IntList length_;
  const IntList axis_;
  // Completes the spectrum of real numbers from its first half.
  static void Mirror(StopPoll& poll, Complex* line, int64_t n) {
    line[0] = line[0].real();
    if (n % 2 == 0) line[n / 2] = line[n / 2].real();
    const int64_t first = n / 2 + 1;
    Transform::ForEach(poll, n - first,
                       [&](int64_t i) { line[first + i] = std::conj(line[n - first - i]); });
  }

  const bool inverse_;
  const bool onesided_;
  const bool from_half_;
};

MadeKernel MakeDft(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(IntList length, FindIntList(request.call, "length", 1));
  SIGNET_ASSIGN_OR_RETURN(IntList axis, FindIntList(request.call, "axis", 2));
  SIGNET_ASSIGN_OR_RETURN(bool inverse, request.call.attributes.Bool("inverse"));
  SIGNET_ASSIGN_OR_RETURN(bool onesided, request.call.attributes.Bool("onesided"));
  auto kernel = std::make_unique<DftKernel>(std::move(length), std::move(axis), inverse, onesided);
  kernel->set_cost(100 + 20 * GuessElements(request.outputs[0]));
  return kernel;
}

// Each bin is a triangle. The corners of all triangles have equal distances on the mel scale.
Status RunMel(KernelContext& context) {
  auto number = [&](size_t i) { return context.input(i).scalar<int64_t>(); };
  int64_t bins = number(0);
  int64_t length = number(1);
  int64_t rate = number(2);
  auto low = context.input(3).scalar<double>();
  auto high = context.input(4).scalar<double>();
  if (bins < 0 || length < 0 || rate < 1 || !(low >= 0) || !(high >= low)) {
    return WithConstraint("C3", InvalidArgument("expected counts of at least 0, a rate of at least "
                                                "1, and edges of at least 0 in order, "
                                                "found ",
                                                bins, " bins, length ", length, ", rate ", rate,
                                                ", and edges ", low, " and ", high));
  }
  int64_t frequencies = length / 2 + 1;
  SIGNET_RETURN_IF_ERROR(
      WithConstraint("C3", CheckOutputSize(std::vector<int64_t>{frequencies, bins})));
  SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, {frequencies, bins}));
  auto* weights = out->mutable_elements<double>();
  SIGNET_RETURN_IF_ERROR(FillElements(context, weights, out->num_elements(), 0.0));
  StopPoll poll(context);
  auto mel = [](double frequency) { return 2595 * std::log10(1 + frequency / 700); };
  double step = (mel(high) - mel(low)) / static_cast<double>(bins + 2);
  auto place = [&](int64_t i) {
    double at = 700 * (std::pow(10, (static_cast<double>(i) * step + mel(low)) / 2595) - 1);
    return std::floor(static_cast<double>(length + 1) * at / static_cast<double>(rate));
  };
  auto corner = [&](int64_t i) { return static_cast<int64_t>(place(i)); };
  if (bins > 0 && !(place(bins + 1) <= static_cast<double>(frequencies))) {
    return WithConstraint("C4", InvalidArgument("the upper edge ", high, " exceeds the spectrum"));
  }
  for (int64_t i = 0; i < bins; ++i) {
    SIGNET_RETURN_IF_ERROR(poll.Spend(200));
    int64_t left = corner(i), center = corner(i + 1), right = corner(i + 2);
    auto at = [&](int64_t j) -> double& {
      return weights[std::min(j, frequencies - 1) * bins + i];
    };
    if (left == center) at(center) = 1;
    for (int64_t j = left; left < center && j <= center; ++j) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(5));
      at(j) = static_cast<double>(j - left) / static_cast<double>(center - left);
    }
    for (int64_t j = center; j < right; ++j) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(5));
      at(j) = static_cast<double>(right - j) / static_cast<double>(right - center);
    }
  }
  return absl::OkStatus();
}

MadeKernel MakeMel(const KernelRequest&) { return MakeKernel(RunMel); }

constexpr KernelDef kSignalKernels[] = {{"dft", MakeDft}, {"mel_weight_matrix", MakeMel}};

}  // namespace

std::span<const KernelDef> SignalKernels() { return kSignalKernels; }

}  // namespace signet
