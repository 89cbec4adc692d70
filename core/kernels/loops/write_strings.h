// WriteStrings: writes an output of strings, one after another.
//
//   WriteParts        each string consists of parts of known texts: counted first, then written
//   WriteStrings      each string is computed once, and its size is known only then
//   WriteRowsOfParts  the strings are parts of the input texts: writes row splits and all parts
//
// They allocate memory within the budget of the call before using it, and return an error for more
// than kMaxOutputText bytes.

#pragma once

#include <algorithm>
#include <string_view>

#include "core/kernels/loops/growing_bytes.h"
#include "core/kernels/loops/runs.h"

namespace signet {

// Writes strings of `shape` to output `output`. Element i consists of the parts that parts(i, take)
// passes to `take`. It is called twice per element and must pass the same parts. `take` returns
// false if the call must end.
template <class Parts>
Status WriteParts(KernelContext& context, size_t output, const Shape& shape, Parts parts) {
  SIGNET_RETURN_IF_ERROR(CheckShape(shape.dims(), sizeof(int64_t)));
  const int64_t n = shape.num_elements();
  StopPoll poll(context);
  int64_t size = 0;
  auto count = [&](std::string_view part) {
    size = std::min(size + static_cast<int64_t>(part.size()), kMaxOutputText + 1);
    return !poll.Stops(2);
  };
  for (int64_t i = 0; i < n; ++i) {
    SIGNET_RETURN_IF_ERROR(poll.Spend(4));
    parts(i, count);
  }
  if (context.stopped()) return context.CheckStop();
  if (size > kMaxOutputText) return TooMuchText();
  SIGNET_ASSIGN_OR_RETURN(Tensor * out,
                          context.AllocateStrings(output, shape, static_cast<size_t>(size)));
  auto* offsets = out->mutable_elements<int64_t>();
  auto* text = const_cast<std::byte*>(out->bytes().data());
  int64_t written = 0;
  auto write = [&](std::string_view part) {
    // If the call ends between the two passes, the parts may differ from those that were counted.
    if (static_cast<int64_t>(part.size()) > size - written) return false;
    std::byte* to = text + written;
    written += static_cast<int64_t>(part.size());
    return CopyBytes(poll, to, reinterpret_cast<const std::byte*>(part.data()), part.size());
  };
  offsets[0] = 0;
  for (int64_t i = 0; i < n; ++i) {
    SIGNET_RETURN_IF_ERROR(poll.Spend(4));
    parts(i, write);
    offsets[i + 1] = written;
  }
  return context.stopped() ? context.CheckStop() : absl::OkStatus();
}

// Writes strings of `shape` to output `output`. Element i is what append(poll, i, text) appends to
// `text`. A long computation calls `poll`, and stops when `text` rejects an append.
template <class Append>
Status WriteStrings(KernelContext& context, size_t output, const Shape& shape, Append append) {
  SIGNET_RETURN_IF_ERROR(CheckShape(shape.dims(), sizeof(int64_t)));
  const int64_t n = shape.num_elements();
  const size_t offset_bytes = (static_cast<size_t>(n) + 1) * sizeof(int64_t);
  SIGNET_ASSIGN_OR_RETURN(std::byte * scratch, context.Scratch(offset_bytes));
  auto* offsets = reinterpret_cast<int64_t*>(scratch);
  StopPoll poll(context);
  GrowingBytes text(poll, kMaxOutputText);
  offsets[0] = 0;
  for (int64_t i = 0; i < n; ++i) {
    SIGNET_RETURN_IF_ERROR(poll.Spend(10));
    append(poll, i, text);
    if (!text.status().ok()) return text.status();
    if (context.stopped()) return context.CheckStop();
    offsets[i + 1] = text.size();
  }
  if (text.size() > kMaxOutputText) return TooMuchText();
  SIGNET_ASSIGN_OR_RETURN(Tensor * out,
                          context.AllocateStrings(output, shape, static_cast<size_t>(text.size())));
  SIGNET_RETURN_IF_ERROR(CopyBytes(context, out->data().mutable_data(), scratch, offset_bytes));
  const bool copied = text.CopyTo(const_cast<std::byte*>(out->bytes().data()));
  return copied ? absl::OkStatus() : context.CheckStop();
}

// Writes row splits to output 0 and strings to output 1. cut(poll, text, take) passes the parts of
// each text of `x` to `take`, one after another. It is called twice per text and must pass the same
// parts. It calls `poll`, and stops when the call must end.
template <class Cut>
Status WriteRowsOfParts(KernelContext& context, const Tensor& x, Cut cut) {
  SIGNET_ASSIGN_OR_RETURN(Tensor * splits, context.Allocate(0, {x.num_elements() + 1}));
  auto* split = splits->mutable_elements<int64_t>();
  int64_t count = 0;
  int64_t bytes = 0;
  *split++ = 0;
  StopPoll poll(context);
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    cut(poll, x.string_at(i), [&](std::string_view part) {
      ++count;
      bytes = std::min(bytes + static_cast<int64_t>(part.size()), kMaxOutputText + 1);
    });
    *split++ = count;
    SIGNET_RETURN_IF_ERROR(poll.Spend(5));
  }
  if (bytes > kMaxOutputText) return TooMuchText();
  const int64_t dims[] = {count};
  SIGNET_RETURN_IF_ERROR(CheckOutputSize(dims));
  SIGNET_ASSIGN_OR_RETURN(Tensor * parts,
                          context.AllocateStrings(1, Shape(dims), static_cast<size_t>(bytes)));
  auto* offset = parts->mutable_elements<int64_t>();
  auto* out = const_cast<std::byte*>(parts->bytes().data());
  int64_t written = 0;
  *offset++ = 0;
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    cut(poll, x.string_at(i), [&](std::string_view part) {
      // If the call ends between the two passes, the parts may differ from those that were counted.
      if (count == 0 || static_cast<int64_t>(part.size()) > bytes - written) return;
      --count;
      CopyBytes(poll, out + written, reinterpret_cast<const std::byte*>(part.data()), part.size());
      written += static_cast<int64_t>(part.size());
      *offset++ = written;
    });
    SIGNET_RETURN_IF_ERROR(poll.Spend(5));
  }
  return context.stopped() ? context.CheckStop() : absl::OkStatus();
}

}  // namespace signet
