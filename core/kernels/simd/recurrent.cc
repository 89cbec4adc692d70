// Steps of recurrent layers: the product with the state is computed in registers, and the
// activations immediately afterward.

#include "core/kernels/simd/recurrent.h"

#include <algorithm>
#include <type_traits>

#include <Eigen/Core>

#include "core/kernels/simd/vector/exponential.h"
#include "core/kernels/simd/vector/sigmoid.h"

namespace signet {
namespace {

namespace eigen = Eigen::internal;

template <class T>
using Packet = typename eigen::packet_traits<T>::type;
template <class T>
inline constexpr int kLanes = eigen::unpacket_traits<Packet<T>>::size;
// Sequences of a batch that are processed together, so that the weights are read once. The
// registers limit their number.
template <class T>
inline constexpr int kRows = sizeof(Packet<T>) == 64 ? 4 : 2;

// --- activations --------------------------------------------------------------------------------

template <class T>
Packet<T> All(double value) {
  return eigen::pset1<Packet<T>>(static_cast<T>(value));
}

// True if packets of T can be used as vectors of vectors.h.
template <class T>
inline constexpr bool kIsFloatVector = std::is_same_v<T, float> &&
                                       sizeof(Packet<T>) == sizeof(FloatVector);

// Returns e^x. Eigen's packets clamp large and small numbers (exponential.h).
template <class T>
Packet<T> Exp(Packet<T> x) {
  if constexpr (kIsFloatVector<T>) {
    return Packet<T>(ExpOf(FloatVector(x)));
  } else {
    Packet<T> zero = All<T>(0);
    return eigen::pselect(eigen::pcmp_lt(x, All<T>(-708)), zero, eigen::pexp(x));
  }
}

template <class T>
Packet<T> Sigmoid(Packet<T> x) {
  if constexpr (kIsFloatVector<T>) {
    return Packet<T>(SigmoidOf(FloatVector(x)));
  } else {
    Packet<T> one = All<T>(1);
    return eigen::pdiv(one, eigen::padd(one, Exp<T>(eigen::pnegate(x))));
  }
}

template <class T>
Packet<T> Tanh(Packet<T> x) {
  if constexpr (sizeof(T) == 4) {
    return eigen::ptanh(x);
  } else {
    Packet<T> one = All<T>(1);
    Packet<T> e = Exp<T>(eigen::pmul(All<T>(-2), eigen::pabs(x)));
    Packet<T> y = eigen::pdiv(eigen::psub(one, e), eigen::padd(one, e));
    return eigen::pselect(eigen::pcmp_lt(x, All<T>(0)), eigen::pnegate(y), y);
  }
}

template <class T>
Packet<T> Apply(const RecurrentActivation& f, Packet<T> x) {
  const Packet<T> zero = All<T>(0);
  const Packet<T> one = All<T>(1);
  auto below_zero = [&](Packet<T> then) {
    return eigen::pselect(eigen::pcmp_lt(x, zero), then, x);
  };
  switch (f.kind) {
    case ActivationKind::kAffine:
      return eigen::pmadd(All<T>(f.alpha), x, All<T>(f.beta));
    case ActivationKind::kElu:
      return below_zero(
          eigen::pmul(All<T>(f.alpha), eigen::psub(Exp<T>(eigen::pmin(x, zero)), one)));
    case ActivationKind::kHardSigmoid:
      return eigen::pmin(one, eigen::pmax(zero, eigen::pmadd(All<T>(f.alpha), x, All<T>(f.beta))));
    case ActivationKind::kLeakyRelu:
      return below_zero(eigen::pmul(All<T>(f.alpha), x));
    case ActivationKind::kRelu:
      return below_zero(zero);
    case ActivationKind::kScaledTanh:
      return eigen::pmul(All<T>(f.alpha), Tanh<T>(eigen::pmul(All<T>(f.beta), x)));
    case ActivationKind::kSigmoid:
      return Sigmoid<T>(x);
    case ActivationKind::kSoftplus: {
      Packet<T> e = Exp<T>(eigen::pnegate(eigen::pabs(x)));
      return eigen::padd(eigen::pmax(x, zero), eigen::plog(eigen::padd(one, e)));
    }
    case ActivationKind::kSoftsign:
      return eigen::pdiv(x, eigen::padd(one, eigen::pabs(x)));
    case ActivationKind::kTanh:
      return Tanh<T>(x);
    case ActivationKind::kThresholdedRelu:
      return eigen::pselect(eigen::pcmp_lt(All<T>(f.alpha), x), x, zero);
  }
  return x;
}

// Applies the activation after the clip. NaN remains NaN, which clamps may lose.
template <class T>
Packet<T> Activate(const RecurrentStep& step, int i, Packet<T> x) {
  Packet<T> clipped = eigen::pmin(eigen::pmax(x, All<T>(-step.clip)), All<T>(step.clip));
  Packet<T> y = Apply<T>(step.activations[i], clipped);
  return eigen::pselect(eigen::pcmp_eq(x, x), y, x);
}

// --- products -----------------------------------------------------------------------------------

// Computes sums[row][vector] = the sum over i < count of states[row][i] * weights[i][vector].
template <class T, int rows, int vectors>
inline void Product(const T* weights, const T* states, int64_t stride, int64_t count,
                    Packet<T> (&sums)[rows][vectors]) {
  // Enough independent sums to hide the latency of an addition.
  constexpr int kAtOnce = std::max(1, 8 / (rows * vectors));
  constexpr int kL = kLanes<T>;
  Packet<T> parts[kAtOnce][rows][vectors];
  for (int u = 0; u < kAtOnce; ++u) {
    for (int r = 0; r < rows; ++r) {
      for (int v = 0; v < vectors; ++v) parts[u][r][v] = All<T>(0);
    }
  }
  auto add = [&](int64_t i, Packet<T>(&to)[rows][vectors]) {
    Packet<T> w[vectors];
    for (int v = 0; v < vectors; ++v) {
      w[v] = eigen::pload<Packet<T>>(weights + (i * vectors + v) * kL);
    }
    for (int r = 0; r < rows; ++r) {
      Packet<T> state = eigen::pset1<Packet<T>>(states[r * stride + i]);
      for (int v = 0; v < vectors; ++v) to[r][v] = eigen::pmadd(state, w[v], to[r][v]);
    }
  };
  int64_t i = 0;
  for (; i + kAtOnce <= count; i += kAtOnce) {
    for (int u = 0; u < kAtOnce; ++u) add(i + u, parts[u]);
  }
  for (; i < count; ++i) add(i, parts[0]);
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vectors; ++v) {
      sums[r][v] = parts[0][r][v];
      for (int u = 1; u < kAtOnce; ++u) sums[r][v] = eigen::padd(sums[r][v], parts[u][r][v]);
    }
  }
}

// The values of one panel of one sequence.
template <class T>
struct Place {
  const RecurrentStep& step;
  int64_t panel;
  int64_t row;

  int64_t position() const { return step.positions[row]; }
  int64_t state() const { return row * step.padded + panel * kLanes<T>; }
  Packet<T> Bias(int i, int biases) const {
    return eigen::pload<Packet<T>>(static_cast<const T*>(step.bias) +
                                   (panel * biases + i) * kLanes<T>);
  }
  Packet<T> Gate(int i, int gates) const {
    int64_t panels = step.padded / kLanes<T>;
    int64_t at = (position() * step.batch + row) * panels + panel;
    return eigen::pload<Packet<T>>(static_cast<const T*>(step.gates) +
                                   (at * gates + i) * kLanes<T>);
  }
  Packet<T> Peephole(int i) const {
    return eigen::pload<Packet<T>>(static_cast<const T*>(step.peepholes) +
                                   (panel * 3 + i) * kLanes<T>);
  }
  Packet<T> Load(const void* states) const {
    return eigen::pload<Packet<T>>(static_cast<const T*>(states) + state());
  }
  void Store(void* states, Packet<T> value) const {
    eigen::pstore(static_cast<T*>(states) + state(), value);
  }
  // Writes the state after the step, which is also an element of y.
  void Finish(Packet<T> h) const {
    Store(step.h_next, h);
    if (step.y == nullptr) return;
    T* y =
        static_cast<T*>(step.y) + position() * step.y_step + row * step.hidden + panel * kLanes<T>;
    int64_t left = step.hidden - panel * kLanes<T>;
    if (left >= kLanes<T>) {
      eigen::pstoreu(y, h);
    } else {
      std::copy_n(static_cast<const T*>(step.h_next) + state(), left, y);
    }
  }
};

// Calls finish(place, sums) for each panel of each sequence that has not ended.
template <class T, int vectors, class Finish>
inline void ForAll(const RecurrentStep& step, const void* states, int64_t first, int64_t last,
                   Finish finish) {
  const T* from = static_cast<const T*>(states);
  for (int64_t panel = first; panel < last; ++panel) {
    const T* weights =
        static_cast<const T*>(step.weights) + panel * step.hidden * vectors * kLanes<T>;
    auto rows = [&]<int count>(int64_t row) {
      Packet<T> sums[count][vectors];
      Product<T, count, vectors>(weights, from + row * step.padded, step.padded, step.hidden, sums);
      for (int r = 0; r < count; ++r) {
        Place<T> place{step, panel, row + r};
        if (place.position() >= 0) {
          finish(place, sums[r]);
        } else {
          place.Store(step.h_next, place.Load(step.h));
        }
      }
    };
    int64_t row = step.first_row;
    for (; row + kRows<T> <= step.end_row; row += kRows<T>) rows.template operator()<kRows<T>>(row);
    for (; row < step.end_row; ++row) rows.template operator()<1>(row);
  }
}

// --- cells --------------------------------------------------------------------------------------

template <class T>
void Rnn(const RecurrentStep& step, int64_t first, int64_t last) {
  ForAll<T, 1>(step, step.h, first, last, [&](const Place<T>& at, const Packet<T>* sums) {
    Packet<T> x = eigen::padd(at.Gate(0, 1), at.Bias(0, 1));
    at.Finish(Activate<T>(step, 0, eigen::padd(x, sums[0])));
  });
}

template <class T>
void Lstm(const RecurrentStep& step, int64_t first, int64_t last) {
  ForAll<T, 4>(step, step.h, first, last, [&](const Place<T>& at, const Packet<T>* sums) {
    const bool peeps = step.peepholes != nullptr;
    auto gate = [&](int i) {
      return eigen::padd(sums[i], eigen::padd(at.Gate(i, 4), at.Bias(i, 4)));
    };
    Packet<T> c = at.Load(step.c);
    Packet<T> in = gate(0);
    if (peeps) in = eigen::pmadd(at.Peephole(0), c, in);
    in = Activate<T>(step, 0, in);
    Packet<T> forget;
    if (step.input_forget) {
      forget = eigen::psub(All<T>(1), in);
    } else {
      forget = gate(2);
      if (peeps) forget = eigen::pmadd(at.Peephole(2), c, forget);
      forget = Activate<T>(step, 0, forget);
    }
    Packet<T> cell = Activate<T>(step, 1, gate(3));
    c = eigen::pmadd(forget, c, eigen::pmul(in, cell));
    at.Store(step.c, c);
    Packet<T> out = gate(1);
    if (peeps) out = eigen::pmadd(at.Peephole(1), c, out);
    out = Activate<T>(step, 0, out);
    Packet<T> shown = Apply<T>(step.activations[2], c);
    shown = eigen::pselect(eigen::pcmp_eq(c, c), shown, c);
    at.Finish(eigen::pmul(out, shown));
  });
}

// (1 - update) * hidden + update * h
template <class T>
Packet<T> Mix(Packet<T> update, Packet<T> hidden, Packet<T> h) {
  return eigen::padd(eigen::pmul(eigen::psub(All<T>(1), update), hidden), eigen::pmul(update, h));
}

template <class T>
void GruLinear(const RecurrentStep& step, int64_t first, int64_t last) {
  ForAll<T, 3>(step, step.h, first, last, [&](const Place<T>& at, const Packet<T>* sums) {
    auto gate = [&](int i) { return eigen::padd(at.Gate(i, 3), at.Bias(i, 4)); };
    Packet<T> update = Activate<T>(step, 0, eigen::padd(gate(0), sums[0]));
    Packet<T> reset = Activate<T>(step, 0, eigen::padd(gate(1), sums[1]));
    Packet<T> linear = eigen::padd(sums[2], at.Bias(3, 4));
    Packet<T> hidden = Activate<T>(step, 1, eigen::pmadd(reset, linear, gate(2)));
    at.Finish(Mix<T>(update, hidden, at.Load(step.h)));
  });
}

template <class T>
void GruGates(const RecurrentStep& step, int64_t first, int64_t last) {
  ForAll<T, 2>(step, step.h, first, last, [&](const Place<T>& at, const Packet<T>* sums) {
    auto gate = [&](int i) { return eigen::padd(at.Gate(i, 3), at.Bias(i, 4)); };
    at.Store(step.c, Activate<T>(step, 0, eigen::padd(gate(0), sums[0])));
    Packet<T> reset = Activate<T>(step, 0, eigen::padd(gate(1), sums[1]));
    at.Store(step.reset, eigen::pmul(reset, at.Load(step.h)));
  });
}

template <class T>
void GruHidden(const RecurrentStep& step, int64_t first, int64_t last) {
  ForAll<T, 1>(step, step.reset, first, last, [&](const Place<T>& at, const Packet<T>* sums) {
    Packet<T> x = eigen::padd(at.Gate(2, 3), eigen::padd(at.Bias(2, 4), at.Bias(3, 4)));
    Packet<T> hidden = Activate<T>(step, 1, eigen::padd(x, sums[0]));
    at.Finish(Mix<T>(at.Load(step.c), hidden, at.Load(step.h)));
  });
}

template <class T>
constexpr RecurrentLoops Loops() {
  return {kLanes<T>, Rnn<T>, Lstm<T>, GruLinear<T>, GruGates<T>, GruHidden<T>};
}

}  // namespace

const RecurrentTable& SIGNET_ISA_NAME(RecurrentTable)() {
  static constexpr RecurrentTable table = {Loops<float>(), Loops<double>()};
  return table;
}

}  // namespace signet
