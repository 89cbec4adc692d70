// TraceContext: the trace and the span to which a call belongs, as in the header `traceparent` of
// W3C Trace Context (https://www.w3.org/TR/trace-context/):
//
//   00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
//   version, trace id, span id, flags (01: sampled)
//
// Stateless; thread-safe.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace signet {

struct TraceContext {
  std::array<uint8_t, 16> trace_id = {};
  std::array<uint8_t, 8> span_id = {};
  uint8_t flags = 0;

  bool is_sampled() const { return (flags & 1) != 0; }
};

// Returns nothing if `header` is not valid. Accepts later versions of the standard, whose headers
// begin in the same way.
std::optional<TraceContext> ParseTraceparent(std::string_view header);
std::string TraceparentOf(const TraceContext& context);

// Returns the bytes in hexadecimal.
std::string HexOf(const uint8_t* bytes, size_t size);

// Returns random bits that differ between threads and processes. Not for secrets.
uint64_t RandomBits();
// Returns a context with random ids.
TraceContext NewTrace();
// Returns true with the probability `rate`.
bool IsSampled(double rate);

}  // namespace signet
