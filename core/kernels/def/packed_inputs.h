// PackedInputs: a kernel that holds constant inputs in a layout of its own.
//
// A plan keeps the constants that its kernels read. The elements of a constant that all of them
// hold are not kept: weights in a model.onnx that are not aligned were copied to be packed, and the
// copy would stay in memory next to the packed weights.

#pragma once

#include <cstddef>

namespace signet {

// A base of kernels, next to Kernel. Immutable after the kernel was made.
class PackedInputs {
 public:
  virtual ~PackedInputs() = default;
  // Returns true if Run reads the shape of input `i`, and not its elements.
  virtual bool HoldsInput(size_t i) const = 0;
};

}  // namespace signet
