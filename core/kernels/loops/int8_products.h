// MultiplyInt8: multiplies 8-bit matrices with the fastest instruction set, on one or more threads.

#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include <absl/container/inlined_vector.h>

#include "core/kernels/def/kernel.h"
#include "core/kernels/simd/int8_gemm.h"

namespace signet {

using Int8Zeros = absl::InlinedVector<int32_t, 4>;

// Returns the fastest implementation for this processor at the active level.
const Int8Gemm& ActiveInt8Gemm();

// Reads zero points as 32-bit numbers: one number for all rows or columns, or one for each of
// `count`. The result is empty if there is no tensor or if all zero points are 0. Returns an error
// with the label `label` for any other number of elements.
Status ZeroPoints(const Tensor* given, int64_t count, std::string_view label, Int8Zeros& out);

// Computes the product, in pieces along the longer side if it is large.
Status MultiplyInt8(KernelContext& context, const Int8Gemm& gemm, const Int8GemmArguments& whole);

// AlignedBytes: memory aligned to 64 bytes.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  explicit AlignedBytes(size_t size)
      : bytes_(static_cast<std::byte*>(::operator new(size + 1, std::align_val_t(64)))) {}
  std::byte* data() { return bytes_.get(); }
  const std::byte* data() const { return bytes_.get(); }

 private:
  struct Free {
    void operator()(std::byte* bytes) const { ::operator delete(bytes, std::align_val_t(64)); }
  };
  std::unique_ptr<std::byte, Free> bytes_;
};

}  // namespace signet
