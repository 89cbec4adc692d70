// Steps of recurrent layers over plain arrays, with weights packed by gates.
//
// Units are dealt with in panels of `lanes`, one vector; what belongs to a panel stands together,
// all gates of it: units beyond `hidden` are padding, whose weights are 0.

#pragma once

#include <cstdint>

#include "core/kernels/simd/vector/dtypes.h"
#include "core/kernels/simd/vector/isa_level.h"
#include "core/ops/nn/recurrent_activation.h"

namespace signet {

// One step of one direction. Arrays are of the table's dtype.
struct RecurrentStep {
  int64_t batch;
  int64_t first_row;  // sequences [first_row, end_row) are done
  int64_t end_row;
  int64_t hidden;
  int64_t padded;            // hidden, made a multiple of the lanes
  const int64_t* positions;  // of each sequence: which step of x this is; -1: it is over
  const void* gates;         // x times w: [steps][batch][panels][gates][lanes]
  const void* weights;       // [panels][hidden][gates][lanes]; of gru, see the functions
  const void* bias;          // [panels][biases][lanes]
  const void* peepholes;     // [panels][3][lanes], of input, output, forget; null: none
  const void* h;             // [batch][padded]
  void* h_next;              // the same
  void* c;                   // lstm: the same, written over; gru: the update gate, between phases
  void* reset;               // gru: the same: what goes into the second product
  void* y;                   // at [step][direction 0][sequence 0]; null: nobody asks
  int64_t y_step;            // elements from step to step of y; a sequence has `hidden`
  RecurrentActivation activations[3];
  double clip;
  bool input_forget;
};

// Does panels [first, last) of some sequences. A step is done when all panels of all sequences are,
// all phases in turn.
using RecurrentFn = void (*)(const RecurrentStep& step, int64_t first, int64_t last);

struct RecurrentLoops {
  int lanes = 0;
  RecurrentFn rnn = nullptr;         // 1 bias
  RecurrentFn lstm = nullptr;        // gates and biases: input, output, forget, cell
  RecurrentFn gru_linear = nullptr;  // gates: update, reset, hidden; biases: theirs, then that
                                     // of the hidden gate's second product
  RecurrentFn gru_gates = nullptr;   // without linear_before_reset: weights of update and reset;
  RecurrentFn gru_hidden = nullptr;  // and then those of the hidden gate; biases as above
};

struct RecurrentTable {
  RecurrentLoops of_float32;
  RecurrentLoops of_float64;
};
SIGNET_ISA_TABLE(RecurrentTable);

}  // namespace signet
