// RecurrentForm, RecurrentSizes: the attributes and sizes of a call of lstm, gru, or rnn. ONNX
// defines these layers; the descriptions of the ops repeat the definition.
//
//   x [steps, batch, inputs], w [directions, gates * hidden, inputs], ..
//     =>  y [steps, directions, batch, hidden], y_h [directions, batch, hidden], y_c of lstm

#pragma once

#include <span>
#include <vector>

#include "core/ops/def/op_def.h"
#include "core/ops/nn/recurrent_activation.h"
#include "signet/shape.h"

namespace signet {

enum class RecurrentCell : uint8_t { kRnn, kGru, kLstm };

// Inputs by position. Only lstm has `kInitialC` and `kPeepholes`.
struct RecurrentInput {
  enum : size_t { kX, kW, kR, kB, kLengths, kInitialH, kInitialC, kPeepholes };
};
inline constexpr size_t kMaxRecurrentInputs = 8;

struct RecurrentForm {
  RecurrentCell cell;
  int directions;                                // 1 or 2
  bool starts_reverse;                           // the first direction starts at the last step
  std::vector<RecurrentActivation> activations;  // the same number for each direction
  double clip;                                   // infinity: no limit
  bool input_forget;                             // lstm: the forget gate is 1 - the input gate
  bool linear_before_reset;                      // gru only

  int gates() const {
    return cell == RecurrentCell::kRnn ? 1 : cell == RecurrentCell::kGru ? 3 : 4;
  }
  int activations_of_direction() const { return static_cast<int>(activations.size()) / directions; }
};

StatusOr<RecurrentForm> RecurrentFormOf(const OpCall& call);

struct RecurrentSizes {
  int64_t steps = kUnknownDim;
  int64_t batch = kUnknownDim;
  int64_t inputs = kUnknownDim;
  int64_t hidden = kUnknownDim;
};

// Combines the shapes of the inputs; null means that an input is missing. Returns an error if the
// shapes contradict each other.
StatusOr<RecurrentSizes> RecurrentSizesOf(const RecurrentForm& form,
                                          std::span<const PartialShape* const> shapes);

}  // namespace signet
