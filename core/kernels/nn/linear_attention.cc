// The kernel of `linear_attention`: computes each head of a state step by step.

#include "core/ops/nn/linear_attention.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/kernels/def/request.h"
#include "core/kernels/def/stop_poll.h"
#include "core/kernels/nn/nn_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

template <class T>
class LinearAttentionRun {
 public:
  explicit LinearAttentionRun(const LinearAttentionForm& form) : form_(form) {}

  Status operator()(KernelContext& context) const {
    std::array<const T*, LinearAttentionInput::kCount> data = {};
    std::array<PartialShape, LinearAttentionInput::kCount> shapes;
    std::array<const PartialShape*, LinearAttentionInput::kCount> given = {};
    for (size_t i = 0; i < context.num_inputs(); ++i) {
      const Tensor& input = context.input(i);
      if (!input.has_value()) continue;
      data[i] = input.elements<T>().data();
      shapes[i] = PartialShape(input.shape());
      given[i] = &shapes[i];
    }
    SIGNET_ASSIGN_OR_RETURN(LinearAttentionSizes sizes, LinearAttentionSizesOf(form_, given));
    Shape y_shape = {sizes.batch, sizes.steps, form_.q_heads * sizes.values};
    Shape state_shape = {sizes.batch, form_.kv_heads, sizes.keys, sizes.values};
    SIGNET_RETURN_IF_ERROR(CheckOutputSize(y_shape.dims()));
    SIGNET_RETURN_IF_ERROR(CheckOutputSize(state_shape.dims()));
    SIGNET_ASSIGN_OR_RETURN(Tensor * y, context.Allocate(0, y_shape));
    SIGNET_ASSIGN_OR_RETURN(Tensor * state, context.Allocate(1, state_shape));
    T* y_data = y->mutable_elements<T>();
    T* state_data = state->mutable_elements<T>();
    int64_t heads = sizes.batch * form_.kv_heads;
    // Each head has its own buffer for the value that it writes, so that threads share nothing.
    SIGNET_ASSIGN_OR_RETURN(
        std::byte * bytes,
        context.Scratch(static_cast<size_t>(std::max<int64_t>(heads * sizes.values, 1)) *
                        sizeof(T)));
    T* scratch = reinterpret_cast<T*>(bytes);
    Strides strides;
    if (given[LinearAttentionInput::kDecay] != nullptr)
      strides.decay = given[LinearAttentionInput::kDecay]->dim(2);
    if (given[LinearAttentionInput::kBeta] != nullptr)
      strides.beta = given[LinearAttentionInput::kBeta]->dim(2);
    double cost = static_cast<double>(sizes.steps * sizes.keys * sizes.values) *
                  static_cast<double>(2 + form_.q_heads / form_.kv_heads) / 4;
    return context.For(heads, cost, [&](int64_t begin, int64_t end) {
      StopPoll poll(context);
      for (int64_t i = begin; i < end; ++i) {
        RunHead(poll, data, sizes, strides, i / form_.kv_heads, i % form_.kv_heads, y_data,
                state_data + i * sizes.keys * sizes.values, scratch + i * sizes.values);
      }
    });
  }

 private:
  // Elements between two steps.
  struct Strides {
    int64_t decay = 0;
    int64_t beta = 0;
  };

  void RunHead(StopPoll& poll, const std::array<const T*, LinearAttentionInput::kCount>& data,
               const LinearAttentionSizes& sizes, const Strides& strides, int64_t batch,
               int64_t head, T* y, T* state, T* written) const {
    int64_t keys = sizes.keys;
    int64_t values = sizes.values;
    int64_t group = form_.q_heads / form_.kv_heads;
    T scale =
        static_cast<T>(form_.scale != 0 ? form_.scale : 1 / std::sqrt(static_cast<double>(keys)));
    const T* given = data[LinearAttentionInput::kState];
    if (given != nullptr) given += (batch * form_.kv_heads + head) * keys * values;
    ForSegments(poll, keys * values, 1, [&](int64_t begin, int64_t end) {
      if (given != nullptr) {
        std::copy(given + begin, given + end, state + begin);
      } else {
        std::fill(state + begin, state + end, T(0));
      }
    });
    // There is one decay per head, or one per element of a key.
    bool each_decays = strides.decay != form_.kv_heads;
    const int64_t cost = keys * values * (2 + group) / 4;
    const bool is_wide = values > kStopSegment;  // one key is enough work for a check
    for (int64_t t = 0; t < sizes.steps; ++t) {
      if (poll.Stops(cost)) return;
      int64_t step = batch * sizes.steps + t;
      const T* k = data[LinearAttentionInput::kKey] + (step * form_.kv_heads + head) * keys;
      const T* v = data[LinearAttentionInput::kValue] + (step * form_.kv_heads + head) * values;
      const T* decay = data[LinearAttentionInput::kDecay];
      if (decay != nullptr) decay += step * strides.decay + head * (each_decays ? keys : 1);
      const T* erase = data[LinearAttentionInput::kEraseGate];
      if (erase != nullptr) erase += (step * form_.kv_heads + head) * keys;
      bool corrects = data[LinearAttentionInput::kBeta] != nullptr;
      std::fill_n(written, values, T(0));  // first the value that the state stores for the key
      for (int64_t d = 0; d < keys && (decay != nullptr || corrects); ++d) {
        if (is_wide && poll.Stops(values)) return;
        T* row = state + d * values;
        if (decay != nullptr) {
          T factor = std::exp(decay[each_decays ? d : 0]);
          for (int64_t m = 0; m < values; ++m) row[m] *= factor;
        }
        if (!corrects) continue;
        T weight = erase != nullptr ? k[d] * erase[d] : k[d];
        for (int64_t m = 0; m < values; ++m) written[m] += weight * row[m];
      }
      if (corrects) {
        T beta =
            data[LinearAttentionInput::kBeta][step * strides.beta + (strides.beta == 1 ? 0 : head)];
        for (int64_t m = 0; m < values; ++m) written[m] = beta * (v[m] - written[m]);
      } else {
        std::copy_n(v, values, written);
      }
      T* out = y + (step * form_.q_heads + head * group) * values;
      const T* q =
          data[LinearAttentionInput::kQuery] + (step * form_.q_heads + head * group) * keys;
      std::fill_n(out, group * values, T(0));
      for (int64_t d = 0; d < keys; ++d) {
        if (is_wide && poll.Stops(values * (1 + group))) return;
        T* row = state + d * values;
        for (int64_t m = 0; m < values; ++m) row[m] += k[d] * written[m];
        for (int64_t g = 0; g < group; ++g) {
          T weight = scale * q[g * keys + d];
          for (int64_t m = 0; m < values; ++m) out[g * values + m] += weight * row[m];
        }
      }
    }
  }

  LinearAttentionForm form_;
};

StatusOr<std::unique_ptr<Kernel>> MakeLinearAttention(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(LinearAttentionForm form, LinearAttentionFormOf(request.call));
  bool wide = DTypeIn(request.call.inputs[0]) == DType::kFloat64;
  auto kernel = wide ? MakeKernel(LinearAttentionRun<double>(form))
                     : MakeKernel(LinearAttentionRun<float>(form));
  const PartialShape& y = ShapeOf(request.outputs[0]);
  double steps = y.has_rank() ? GuessElements(y.Slice(1, 2)) : 64;
  kernel->set_cost(100 + steps * GuessElements(request.outputs[1]) *
                             static_cast<double>(2 + form.q_heads / form.kv_heads) / 4);
  return kernel;
}

constexpr KernelDef kLinearAttentionKernels[] = {{"linear_attention", MakeLinearAttention}};

}  // namespace

std::span<const KernelDef> LinearAttentionKernels() { return kLinearAttentionKernels; }

}  // namespace signet
