// WriteStrings: an output of strings, made one after the other.

#pragma once

#include <algorithm>
#include <string>

#include "core/kernels/runs.h"

namespace signet {

// Output `output`, strings of `shape`: element i is what append(i, text) adds to the text. Refuses
// more than kMaxOutputText bytes.
template <class Append>
Status WriteStrings(KernelContext& context, size_t output, const Shape& shape, Append append) {
  std::string text;
  SIGNET_RETURN_IF_ERROR(CheckShape(shape.dims(), sizeof(int64_t)));
  int64_t n = shape.num_elements();
  size_t offset_bytes = (static_cast<size_t>(n) + 1) * sizeof(int64_t);
  SIGNET_ASSIGN_OR_RETURN(std::byte * scratch, context.Scratch(offset_bytes));
  auto* offsets = reinterpret_cast<int64_t*>(scratch);
  offsets[0] = 0;
  for (int64_t i = 0; i < n; ++i) {
    append(i, text);
    if (static_cast<int64_t>(text.size()) > kMaxOutputText) {
      return TooMuchText();
    }
    offsets[i + 1] = static_cast<int64_t>(text.size());
  }
  SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.AllocateStrings(output, shape, text.size()));
  std::copy_n(offsets, n + 1, out->mutable_elements<int64_t>());
  if (!text.empty())
    std::memcpy(const_cast<std::byte*>(out->bytes().data()), text.data(), text.size());
  return absl::OkStatus();
}

}  // namespace signet
