// RecurrentTable: steps of recurrent layers over plain arrays, with weights packed by gates.
//
// Units are processed in panels of `lanes`, one vector. All gates of a panel are stored together.
// Units beyond `hidden` are padding, whose weights are 0.

#pragma once

#include <cstdint>

#include "core/kernels/simd/vector/dtypes.h"
#include "core/kernels/simd/vector/isa_level.h"
#include "core/ops/nn/recurrent_activation.h"

namespace signet {

// One step of one direction. Arrays are of the table's dtype.
struct RecurrentStep {
  int64_t batch;
  int64_t first_row;  // sequences [first_row, end_row) are processed
  int64_t end_row;
  int64_t hidden;
  int64_t padded;            // `hidden`, rounded up to a multiple of the lanes
  const int64_t* positions;  // per sequence: the step of x to process; -1: the sequence has ended
  const void* gates;         // x times w: [steps][batch][panels][gates][lanes]
  const void* weights;       // [panels][hidden][gates][lanes]; for gru, see the functions
  const void* bias;          // [panels][biases][lanes]
  const void* peepholes;     // [panels][3][lanes]: input, output, forget; null: none
  const void* h;             // [batch][padded]
  void* h_next;              // [batch][padded]
  void* c;         // lstm: [batch][padded], overwritten; gru: the update gate, between phases
  void* reset;     // gru: [batch][padded], the input of the second product
  void* y;         // at [step][direction 0][sequence 0]; null: not requested
  int64_t y_step;  // elements between two steps of y; a sequence has `hidden`
  RecurrentActivation activations[3];
  double clip;
  bool input_forget;
};

// Processes panels [first, last) of several sequences. A step is complete after all phases, one
// after another, have processed all panels of all sequences.
using RecurrentFn = void (*)(const RecurrentStep& step, int64_t first, int64_t last);

struct RecurrentLoops {
  int lanes = 0;
  RecurrentFn rnn = nullptr;         // 1 bias
  RecurrentFn lstm = nullptr;        // gates and biases: input, output, forget, cell
  RecurrentFn gru_linear = nullptr;  // gates: update, reset, hidden; biases: one per gate, then
                                     // one of the hidden gate's second product
  RecurrentFn gru_gates = nullptr;   // without linear_before_reset: weights of update and reset;
  RecurrentFn gru_hidden = nullptr;  // then weights of hidden; biases as above
};

struct RecurrentTable {
  RecurrentLoops of_float32;
  RecurrentLoops of_float64;
};
SIGNET_ISA_TABLE(RecurrentTable);

}  // namespace signet
