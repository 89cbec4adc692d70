// Recurrent: what lstm, gru and rnn are called with: sizes that agree, gates, activations. Their
// definition is that of ONNX, which the descriptions of the ops state.
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

// Inputs by position. `kInitialC` and `kPeepholes` are of lstm.
struct RecurrentInput {
  enum : size_t { kX, kW, kR, kB, kLengths, kInitialH, kInitialC, kPeepholes };
};
inline constexpr size_t kMaxRecurrentInputs = 8;

struct RecurrentForm {
  RecurrentCell cell;
  int directions;                                // 1 or 2
  bool starts_reverse;                           // the first direction goes from the back
  std::vector<RecurrentActivation> activations;  // as many for each direction
  double clip;                                   // infinity: none
  bool input_forget;                             // lstm: the forget gate is 1 - the input gate
  bool linear_before_reset;                      // gru

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

// What the shapes of the inputs say together; null: left out. Refuses shapes that do not agree.
StatusOr<RecurrentSizes> RecurrentSizesOf(const RecurrentForm& form,
                                          std::span<const PartialShape* const> shapes);

}  // namespace signet
