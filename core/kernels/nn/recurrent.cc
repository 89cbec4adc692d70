// The kernels of `lstm`, `gru`, and `rnn`. Weights are packed by gates, once if they are constants.
// One product multiplies the inputs of all steps by w; the steps then run one by one. The
// arithmetic is in simd/recurrent.cc.

#include "core/ops/nn/recurrent.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/kernels/def/request.h"
#include "core/kernels/loops/gemm_blocks.h"
#include "core/kernels/loops/pieces.h"
#include "core/kernels/nn/nn_kernels.h"
#include "core/kernels/simd/recurrent.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

// Offsets of the parts of the packed weights of one direction, in elements.
struct Layout {
  int64_t lanes = 0;
  int64_t gates = 0;
  int64_t biases = 0;  // bias vectors per panel
  int64_t hidden = 0;
  int64_t inputs = 0;
  int64_t panels = 0;

  int64_t padded() const { return panels * lanes; }
  int64_t columns() const { return padded() * gates; }
  // First w as [inputs][panels][gates][lanes], then the other parts in the layout of RecurrentStep.
  int64_t r() const { return inputs * columns(); }
  int64_t bias() const { return r() + hidden * columns(); }
  int64_t peepholes() const { return bias() + padded() * biases; }
  int64_t size() const { return peepholes() + padded() * 3; }
};

template <class T>
class RecurrentKernel final : public Kernel {
 public:
  RecurrentKernel(RecurrentForm form, const Gemm& gemm, const RecurrentLoops& loops)
      : form_(std::move(form)), gemm_(gemm), loops_(loops) {}

  // Packs weights that are constants.
  Status Prepare(const OpCall& call) {
    for (size_t i :
         {RecurrentInput::kW, RecurrentInput::kR, RecurrentInput::kB, RecurrentInput::kPeepholes}) {
      if (HasInput(call, i) && call.constant(i) == nullptr) return absl::OkStatus();
    }
    std::vector<const Tensor*> inputs;
    for (size_t i = 0; i < kMaxRecurrentInputs; ++i) inputs.push_back(call.constant(i));
    Layout layout = LayoutOf(*inputs[RecurrentInput::kW], *inputs[RecurrentInput::kR]);
    SIGNET_ASSIGN_OR_RETURN(packed_, Buffer::Allocate(static_cast<size_t>(layout.size()) *
                                                      sizeof(T) * NumDirections()));
    Pack(layout, inputs, reinterpret_cast<T*>(packed_.mutable_data()), nullptr);
    return absl::OkStatus();
  }

  Status Run(KernelContext& context) const override {
    std::vector<const Tensor*> inputs(kMaxRecurrentInputs, nullptr);
    for (size_t i = 0; i < context.num_inputs(); ++i) {
      if (context.input(i).has_value()) inputs[i] = &context.input(i);
    }
    SIGNET_ASSIGN_OR_RETURN(RecurrentSizes sizes, SizesOf(inputs));
    SIGNET_ASSIGN_OR_RETURN(std::vector<int64_t> lengths, LengthsOf(inputs, sizes));
    Layout layout = LayoutOf(*inputs[RecurrentInput::kW], *inputs[RecurrentInput::kR]);
    int64_t directions = form_.directions;
    SIGNET_RETURN_IF_ERROR(
        CheckOutputSize(std::array{sizes.steps, sizes.batch, layout.columns() * directions}));

    SIGNET_ASSIGN_OR_RETURN(
        Tensor * y, context.Allocate(0, {sizes.steps, directions, sizes.batch, sizes.hidden}));
    Shape state = {directions, sizes.batch, sizes.hidden};
    SIGNET_ASSIGN_OR_RETURN(Tensor * y_h, context.Allocate(1, state));
    Tensor* y_c = nullptr;
    if (form_.cell == RecurrentCell::kLstm) {
      SIGNET_ASSIGN_OR_RETURN(y_c, context.Allocate(2, state));
    }
    bool all_whole = std::all_of(lengths.begin(), lengths.end(),
                                 [&](int64_t length) { return length == sizes.steps; });
    if (!all_whole) {
      SIGNET_RETURN_IF_ERROR(
          FillElements(context, y->mutable_elements<T>(), y->num_elements(), T(0)));
    }

    StopPoll own_poll(context);
    const T* packed = reinterpret_cast<const T*>(packed_.data());
    if (packed == nullptr) {
      SIGNET_ASSIGN_OR_RETURN(T * own, Elements(context, layout.size() * directions));
      if (!Pack(layout, inputs, own, &own_poll)) return context.CheckStop();
      packed = own;
    }
    int64_t rows = sizes.steps * sizes.batch;
    SIGNET_ASSIGN_OR_RETURN(T * gates, Elements(context, rows * layout.columns()));
    int64_t state_size = sizes.batch * layout.padded();
    SIGNET_ASSIGN_OR_RETURN(T * states, Elements(context, 4 * state_size));
    for (int64_t d = 0; d < directions; ++d) {
      const T* weights = packed + d * layout.size();
      SIGNET_RETURN_IF_ERROR(Multiply(context, inputs[RecurrentInput::kX]->elements<T>().data(),
                                      weights, layout, rows, gates));
      SIGNET_RETURN_IF_ERROR(FillElements(context, states, 4 * state_size, T(0)));
      T* h = states;
      T* h_next = states + state_size;
      T* c = states + 2 * state_size;
      LoadState(own_poll, inputs[RecurrentInput::kInitialH], d, sizes, layout, h);
      LoadState(own_poll, inputs[RecurrentInput::kInitialC], d, sizes, layout, c);
      RecurrentStep step = StepOf(d, sizes, layout, weights);
      step.gates = gates;
      step.c = c;
      step.reset = states + 3 * state_size;
      step.y = y->mutable_elements<T>() + d * sizes.batch * sizes.hidden;
      if (inputs[RecurrentInput::kPeepholes] == nullptr) step.peepholes = nullptr;
      SIGNET_RETURN_IF_ERROR(
          RunSteps(context, step, lengths, d == 1 || form_.starts_reverse, layout, h, h_next));
      StoreState(own_poll, h, d, sizes, layout, lengths, *y_h);
      if (y_c != nullptr) StoreState(own_poll, c, d, sizes, layout, lengths, *y_c);
    }
    return context.stopped() ? context.CheckStop() : absl::OkStatus();
  }

 private:
  size_t NumDirections() const { return static_cast<size_t>(form_.directions); }

  static StatusOr<T*> Elements(KernelContext& context, int64_t count) {
    SIGNET_ASSIGN_OR_RETURN(std::byte * bytes,
                            context.Scratch(static_cast<size_t>(count) * sizeof(T)));
    return reinterpret_cast<T*>(bytes);
  }

  StatusOr<RecurrentSizes> SizesOf(std::span<const Tensor* const> inputs) const {
    std::vector<PartialShape> shapes(kMaxRecurrentInputs);
    std::vector<const PartialShape*> given(kMaxRecurrentInputs, nullptr);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == nullptr) continue;
      shapes[i] = inputs[i]->shape();
      given[i] = &shapes[i];
    }
    return RecurrentSizesOf(form_, given);
  }

  // C5: each length is from 0 to the number of steps.
  static StatusOr<std::vector<int64_t>> LengthsOf(std::span<const Tensor* const> inputs,
                                                  const RecurrentSizes& sizes) {
    std::vector<int64_t> lengths(static_cast<size_t>(sizes.batch), sizes.steps);
    if (inputs[RecurrentInput::kLengths] == nullptr) return lengths;
    auto given = inputs[RecurrentInput::kLengths]->elements<int32_t>();
    for (size_t i = 0; i < lengths.size(); ++i) {
      if (given[i] < 0 || given[i] > sizes.steps) {
        return WithConstraint("C5", InvalidArgument("sequence ", i, ": expected length 0 to ",
                                                    sizes.steps, ", found ", given[i]));
      }
      lengths[i] = given[i];
    }
    return lengths;
  }

  Layout LayoutOf(const Tensor& w, const Tensor& r) const {
    Layout layout = {.lanes = loops_.lanes,
                     .gates = form_.gates(),
                     .biases = form_.cell == RecurrentCell::kRnn ? 1 : 4,
                     .hidden = r.shape().dim(2),
                     .inputs = w.shape().dim(2)};
    layout.panels = (layout.hidden + layout.lanes - 1) / layout.lanes;
    return layout;
  }

  // --- packing

  // Returns false if the call must end. Without a poll, it never returns false.
  bool Pack(const Layout& layout, std::span<const Tensor* const> inputs, T* packed,
            StopPoll* poll) const {
    const int64_t size = layout.size() * form_.directions;
    if (poll == nullptr) {
      std::fill_n(packed, size, T(0));
    } else {
      ForSegments(*poll, size, 1, [&](int64_t begin, int64_t end) {
        std::fill(packed + begin, packed + end, T(0));
      });
    }
    int64_t gates = layout.gates;
    // Number of elements that each unit writes. They are far apart in memory.
    const int64_t of_w = gates * layout.inputs;
    const int64_t of_r = gates * layout.hidden;
    auto stops = [&](int64_t elements) { return poll != nullptr && poll->Stops(5 * elements); };
    for (int64_t d = 0; d < form_.directions; ++d) {
      T* to = packed + d * layout.size();
      const T* w = inputs[RecurrentInput::kW]->elements<T>().data() +
                   d * gates * layout.hidden * layout.inputs;
      const T* r = inputs[RecurrentInput::kR]->elements<T>().data() +
                   d * gates * layout.hidden * layout.hidden;
      // A packed row of w contains all panels.
      ForUnits(layout, [&](int64_t panel, int64_t lane, int64_t unit) {
        if (stops(of_w + of_r)) return;
        for (int64_t gate = 0; gate < gates; ++gate) {
          const T* from = w + (gate * layout.hidden + unit) * layout.inputs;
          T* column = to + (panel * gates + gate) * layout.lanes + lane;
          for (int64_t i = 0; i < layout.inputs; ++i) column[i * layout.columns()] = from[i];
        }
      });
      if (form_.cell == RecurrentCell::kGru && !form_.linear_before_reset) {
        PackState(layout, r, 0, 2, to + layout.r(), stops);
        PackState(layout, r, 2, 1, HiddenGate(layout, to), stops);
      } else {
        PackState(layout, r, 0, gates, to + layout.r(), stops);
      }
      if (inputs[RecurrentInput::kB] != nullptr) {
        PackBias(layout,
                 inputs[RecurrentInput::kB]->elements<T>().data() + d * 2 * gates * layout.hidden,
                 to + layout.bias());
      }
      if (inputs[RecurrentInput::kPeepholes] != nullptr) {
        const T* p =
            inputs[RecurrentInput::kPeepholes]->elements<T>().data() + d * 3 * layout.hidden;
        ForUnits(layout, [&](int64_t panel, int64_t lane, int64_t unit) {
          for (int64_t i = 0; i < 3; ++i) {
            to[layout.peepholes() + (panel * 3 + i) * layout.lanes + lane] =
                p[i * layout.hidden + unit];
          }
        });
      }
    }
    return !stops(0);
  }

  template <class Each>
  static void ForUnits(const Layout& layout, Each each) {
    for (int64_t unit = 0; unit < layout.hidden; ++unit) {
      each(unit / layout.lanes, unit % layout.lanes, unit);
    }
  }

  // Packs `count` gates of r, beginning with gate `first`, as [panels][hidden][count][lanes].
  template <class Stops>
  static void PackState(const Layout& layout, const T* r, int64_t first, int64_t count, T* to,
                        Stops stops) {
    ForUnits(layout, [&](int64_t panel, int64_t lane, int64_t unit) {
      if (stops(count * layout.hidden)) return;
      for (int64_t gate = 0; gate < count; ++gate) {
        const T* from = r + ((first + gate) * layout.hidden + unit) * layout.hidden;
        T* column = to + (panel * layout.hidden * count + gate) * layout.lanes + lane;
        for (int64_t i = 0; i < layout.hidden; ++i) column[i * count * layout.lanes] = from[i];
      }
    });
  }

  // Packs the sum of the biases of both products, except for the hidden gate of gru, whose biases
  // are separate.
  void PackBias(const Layout& layout, const T* b, T* to) const {
    int64_t gates = layout.gates;
    ForUnits(layout, [&](int64_t panel, int64_t lane, int64_t unit) {
      auto out = [&](int64_t i) -> T& {
        return to[(panel * layout.biases + i) * layout.lanes + lane];
      };
      for (int64_t gate = 0; gate < gates; ++gate) {
        T of_w = b[gate * layout.hidden + unit];
        T of_r = b[(gates + gate) * layout.hidden + unit];
        bool apart = form_.cell == RecurrentCell::kGru && gate == 2;
        out(gate) = apart ? of_w : of_w + of_r;
        if (apart) out(3) = of_r;
      }
    });
  }

  // For gru, returns the weights of its second product, which follow those of the first two gates.
  template <class Weights>
  static Weights* HiddenGate(const Layout& layout, Weights* weights) {
    return weights + layout.r() + layout.hidden * layout.padded() * 2;
  }

  // --- running

  RecurrentStep StepOf(int64_t d, const RecurrentSizes& sizes, const Layout& layout,
                       const T* weights) const {
    RecurrentStep step = {};
    step.batch = sizes.batch;
    step.hidden = sizes.hidden;
    step.padded = layout.padded();
    step.weights = weights + layout.r();
    step.bias = weights + layout.bias();
    step.peepholes = weights + layout.peepholes();
    step.y_step = form_.directions * sizes.batch * sizes.hidden;
    int count = form_.activations_of_direction();
    for (int i = 0; i < count; ++i) {
      step.activations[i] = form_.activations[static_cast<size_t>(d * count + i)];
    }
    step.clip = form_.clip;
    step.input_forget = form_.input_forget;
    return step;
  }

  // Computes gates[rows][columns] = x[rows][inputs] * w[inputs][columns].
  Status Multiply(KernelContext& context, const T* x, const T* w, const Layout& layout,
                  int64_t rows, T* gates) const {
    int64_t columns = layout.columns();
    if (layout.inputs == 0) std::fill_n(gates, rows * columns, T(0));
    if (rows == 0 || columns == 0 || layout.inputs == 0) return absl::OkStatus();
    double work = 2.0 * static_cast<double>(rows) * static_cast<double>(columns) *
                  static_cast<double>(layout.inputs) / gemm_.flops;
    auto threads = static_cast<int64_t>(context.parallel().num_threads());
    int64_t pieces = std::clamp<int64_t>(static_cast<int64_t>(work / kSmallestPiece), 1, threads);
    bool by_rows = rows >= columns;
    int64_t tiles = ((by_rows ? rows : columns) + kTile - 1) / kTile;
    pieces = std::min(pieces, tiles);
    size_t scratch_size = (gemm_.scratch_size(rows, columns, layout.inputs) + 63) / 64 * 64;
    std::byte* scratch = nullptr;
    if (scratch_size > 0) {
      SIGNET_ASSIGN_OR_RETURN(scratch, context.Scratch(scratch_size * static_cast<size_t>(pieces)));
    }
    return context.For(pieces, work / static_cast<double>(pieces), [&](int64_t begin, int64_t end) {
      StopPoll poll(context);
      for (int64_t piece = begin; piece < end; ++piece) {
        int64_t first = tiles * piece / pieces * kTile;
        int64_t last = std::min(tiles * (piece + 1) / pieces * kTile, by_rows ? rows : columns);
        GemmArguments part = {.a = x + (by_rows ? first * layout.inputs : 0),
                              .b = w + (by_rows ? 0 : first),
                              .c = gates + (by_rows ? first * columns : first),
                              .m = by_rows ? last - first : rows,
                              .n = by_rows ? columns : last - first,
                              .k = layout.inputs,
                              .a_stride = layout.inputs,
                              .b_stride = columns,
                              .c_stride = columns};
        void* own = scratch + static_cast<size_t>(piece) * scratch_size;
        if (!RunGemm(poll, gemm_, part, sizeof(T), own)) return;
      }
    });
  }

  // Runs all steps. The last state remains in `h`.
  Status RunSteps(KernelContext& context, RecurrentStep& step, std::span<const int64_t> lengths,
                  bool reverse, const Layout& layout, T*& h, T* h_next) const {
    std::vector<int64_t> positions(lengths.size());
    step.positions = positions.data();
    double cost = 2.0 * static_cast<double>(step.batch) * static_cast<double>(step.hidden) *
                  static_cast<double>(layout.gates * layout.lanes) / (gemm_.flops / 2);
    StopPoll poll(context);
    // The minimum number of nanoseconds per sequence.
    const double batch = static_cast<double>(std::max<int64_t>(step.batch, 1));
    const auto row_cost =
        static_cast<int64_t>(static_cast<double>(layout.panels) * std::max(cost / batch, 30.0));
    // The number of sequences between two checks: whole tiles, because kernels process several
    // sequences at once.
    const int64_t tiles = 1'000'000 / kTile / std::max<int64_t>(row_cost, 1);
    const int64_t rows = kTile * std::max<int64_t>(tiles, 1);
    auto run = [&](RecurrentFn phase) -> Status {
      for (int64_t row = 0; row < step.batch; row += rows) {
        step.first_row = row;
        step.end_row = std::min(step.batch, row + rows);
        const int64_t count = step.end_row - row;
        SIGNET_RETURN_IF_ERROR(poll.Spend(100 + row_cost * count));
        const double part = static_cast<double>(count) / batch;
        SIGNET_RETURN_IF_ERROR(
            context.For(layout.panels, cost * part,
                        [&](int64_t begin, int64_t end) { phase(step, begin, end); }));
      }
      return absl::OkStatus();
    };
    const void* first_weights = step.weights;
    const T* second_weights =
        static_cast<const T*>(first_weights) + layout.hidden * layout.padded() * 2;
    int64_t steps = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
    for (int64_t t = 0; t < steps; ++t) {
      ForSegments(poll, std::ssize(lengths), 1, [&](int64_t begin, int64_t end) {
        for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
          positions[i] = t >= lengths[i] ? -1 : reverse ? lengths[i] - 1 - t : t;
        }
      });
      step.h = h;
      step.h_next = h_next;
      if (form_.cell == RecurrentCell::kLstm) {
        SIGNET_RETURN_IF_ERROR(run(loops_.lstm));
      } else if (form_.cell == RecurrentCell::kRnn) {
        SIGNET_RETURN_IF_ERROR(run(loops_.rnn));
      } else if (form_.linear_before_reset) {
        SIGNET_RETURN_IF_ERROR(run(loops_.gru_linear));
      } else {
        step.weights = first_weights;
        SIGNET_RETURN_IF_ERROR(run(loops_.gru_gates));
        step.weights = second_weights;
        SIGNET_RETURN_IF_ERROR(run(loops_.gru_hidden));
      }
      std::swap(h, h_next);
    }
    return absl::OkStatus();
  }

  static void LoadState(StopPoll& poll, const Tensor* initial, int64_t d,
                        const RecurrentSizes& sizes, const Layout& layout, T* to) {
    if (initial == nullptr) return;
    const T* from = initial->elements<T>().data() + d * sizes.batch * sizes.hidden;
    for (int64_t b = 0; b < sizes.batch; ++b) {
      if (poll.Stops(2 + sizes.hidden)) return;
      std::copy_n(from + b * sizes.hidden, sizes.hidden, to + b * layout.padded());
    }
  }

  // The state of a sequence without steps is 0, as in ONNX Runtime.
  static void StoreState(StopPoll& poll, const T* from, int64_t d, const RecurrentSizes& sizes,
                         const Layout& layout, std::span<const int64_t> lengths, Tensor& out) {
    T* to = out.mutable_elements<T>() + d * sizes.batch * sizes.hidden;
    for (int64_t b = 0; b < sizes.batch; ++b, to += sizes.hidden) {
      if (poll.Stops(2 + sizes.hidden)) return;
      if (lengths[static_cast<size_t>(b)] == 0) {
        std::fill_n(to, sizes.hidden, T(0));
      } else {
        std::copy_n(from + b * layout.padded(), sizes.hidden, to);
      }
    }
  }

  static constexpr int64_t kTile = 64;

  const RecurrentForm form_;
  const Gemm& gemm_;
  const RecurrentLoops& loops_;
  Buffer packed_;  // one part per direction; empty if the weights are packed in each run
};

template <class T>
StatusOr<std::unique_ptr<Kernel>> Make(const KernelRequest& request, RecurrentForm form,
                                       DType dtype, const RecurrentLoops& loops) {
  const Gemm& gemm = SIGNET_ACTIVE_TABLE(GemmTable).by_dtype[static_cast<int>(dtype)];
  double gates = form.gates();
  auto kernel = std::make_unique<RecurrentKernel<T>>(std::move(form), gemm, loops);
  SIGNET_RETURN_IF_ERROR(kernel->Prepare(request.call));
  const PartialShape& r = ShapeOf(request.call.inputs[RecurrentInput::kR]);
  double hidden = r.has_rank() && r.dim(2) != kUnknownDim ? static_cast<double>(r.dim(2)) : 64;
  double x = GuessElements(request.call.inputs[RecurrentInput::kX]);
  double states = GuessElements(request.outputs[0]);
  kernel->set_cost(200 + gates * hidden * (x + states) * 2 / 20);
  return kernel;
}

StatusOr<std::unique_ptr<Kernel>> MakeRecurrent(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(RecurrentForm form, RecurrentFormOf(request.call));
  const RecurrentTable& table = SIGNET_ACTIVE_TABLE(RecurrentTable);
  DType dtype = DTypeIn(request.call.inputs[0]);
  if (dtype == DType::kFloat64) {
    return Make<double>(request, std::move(form), dtype, table.of_float64);
  }
  return Make<float>(request, std::move(form), dtype, table.of_float32);
}

constexpr KernelDef kRecurrentKernels[] = {
    {"gru", MakeRecurrent}, {"lstm", MakeRecurrent}, {"rnn", MakeRecurrent}};

}  // namespace

std::span<const KernelDef> RecurrentKernels() { return kRecurrentKernels; }

}  // namespace signet
