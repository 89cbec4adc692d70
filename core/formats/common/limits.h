// Limits: the maximum sizes of untrusted input. Each limit is a flag of signet-server and is
// published in the metadata of the server; errors name the flag.

#pragma once

#include <cstdint>

namespace signet {

struct Limits {
  int64_t message_bytes = int64_t{256} << 20;  // --max_message_bytes: one request or response
  int64_t tensor_elements = int64_t{1} << 31;  // --max_tensor_elements: one tensor
  int rank = 32;                               // --max_rank: dimensions of one tensor
  int nesting_depth = 64;                      // --max_nesting_depth: nested types and values
  int names = 4096;  // --max_names: keywords, keys, fields, and plain values in one request
  int64_t expanded_bytes = int64_t{1}
                           << 30;  // --max_expanded_bytes: all values of one request, decoded
  // True if fields of JSON, Arrow, and protobuf that a type does not have are errors; otherwise,
  // they are skipped. Requests set it (Encoded.reject_unknown_fields).
  bool reject_unknown_fields = false;
};

}  // namespace signet
