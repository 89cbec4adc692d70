// Allowance: the rest of a request's limits while a parser reads it. Check it before allocating
// memory.
//
// Errors name the flag of the limit. Data that is nested too deep, has too high a rank, or has too
// many parts is INVALID_ARGUMENT. Data that is only too large is RESOURCE_EXHAUSTED. Not
// thread-safe.

#pragma once

#include "core/formats/common/limits.h"
#include "signet/status.h"

namespace signet {

class Allowance {
 public:
  explicit Allowance(const Limits& limits)
      : limits_(limits), names_(limits.names), expanded_bytes_(limits.expanded_bytes) {}

  const Limits& limits() const { return limits_; }

  // Counts `count` keywords, keys, fields, or values against the limit of the request.
  Status TakeNames(int64_t count = 1) {
    if (count > names_) return TooManyNames();
    names_ -= count;
    return absl::OkStatus();
  }

  // Counts bytes against the limit of decoded data.
  Status TakeBytes(size_t bytes) {
    if (bytes > static_cast<size_t>(expanded_bytes_)) return TooManyBytes(bytes);
    expanded_bytes_ -= static_cast<int64_t>(bytes);
    return absl::OkStatus();
  }

  Status CheckMessage(size_t bytes) const {
    if (bytes <= static_cast<size_t>(limits_.message_bytes)) return absl::OkStatus();
    return ResourceExhausted(bytes, " bytes; the limit is ", limits_.message_bytes,
                             " (--max_message_bytes)");
  }

  Status CheckDepth(int depth) const {
    if (depth <= limits_.nesting_depth) return absl::OkStatus();
    return InvalidArgument("nested more than ", limits_.nesting_depth,
                           " deep, which is the limit (--max_nesting_depth)");
  }

  Status CheckRank(size_t rank) const {
    if (rank <= static_cast<size_t>(limits_.rank)) return absl::OkStatus();
    return InvalidArgument("rank above ", limits_.rank, ", which is the limit (--max_rank)");
  }

  Status CheckElements(int64_t elements) const {
    if (elements <= limits_.tensor_elements) return absl::OkStatus();
    return ResourceExhausted(elements, " elements; the limit is ", limits_.tensor_elements,
                             " (--max_tensor_elements)");
  }

 private:
  Status TooManyNames() const {
    return InvalidArgument("more than ", limits_.names,
                           " keywords, keys, fields and values, which is the limit (--max_names)");
  }
  Status TooManyBytes(size_t bytes) const {
    return ResourceExhausted("decoding requires ", bytes, " more bytes, but ", expanded_bytes_,
                             " remain of the limit of ", limits_.expanded_bytes,
                             " bytes per request (--max_expanded_bytes)");
  }

  const Limits limits_;
  int64_t names_;
  int64_t expanded_bytes_;  // at least 0
};

}  // namespace signet
