// CapturedValue: the value that the name of a capture refers to in a model.
//
// A tensor of a mapped file is used without a copy if its elements are aligned in the file. The
// bytes in a model.onnx may have any address. An unaligned tensor stays in the file until a
// function that uses it is specialized. Its aligned copy lives as long as something uses it, so
// weights that are packed leave no copy. Thread-safe.

#pragma once

#include <memory>

#include "signet/value.h"

namespace signet {

class CapturedValue {
 public:
  CapturedValue() = default;     // none; assign before use
  CapturedValue(Value value);    // NOLINT: every value may be captured
  CapturedValue(Tensor tensor);  // NOLINT
  // Makes a tensor that refers to `data`, aligned or not. Has the errors of Tensor::Make.
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
