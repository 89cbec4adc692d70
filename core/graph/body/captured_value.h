// CapturedValue: what the name of a capture stands for in a model.
//
// A tensor of a mapped file is used where it lies when its elements are aligned there. One that is
// not (the bytes in a model.onnx stand anywhere) stays in the file until a function that uses it is
// specialised; the aligned copy made then lives for as long as something uses it: weights that are
// packed leave no copy behind. Thread-safe.

#pragma once

#include <memory>

#include "signet/value.h"

namespace signet {

class CapturedValue {
 public:
  CapturedValue() = default;     // none; assign before use
  CapturedValue(Value value);    // NOLINT: every value may be captured
  CapturedValue(Tensor tensor);  // NOLINT
  // A tensor over `data`, aligned or not; refuses what Tensor::Make refuses.
  static StatusOr<CapturedValue> OfBytes(DType dtype, Shape shape, Buffer data);

  const TypeSpec& spec() const { return value_.spec(); }
  size_t num_bytes() const;
  // The value itself; RESOURCE_EXHAUSTED when there is no memory for a copy.
  StatusOr<Value> Get() const;

 private:
  struct Copy;

  Value value_;                 // with `copy_`, a tensor whose elements must not be read in place
  std::shared_ptr<Copy> copy_;  // null: `value_` is aligned
};

}  // namespace signet
