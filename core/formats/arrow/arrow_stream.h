// ArrowStream: reads the batches of an Arrow IPC stream as arrays over its bytes.
//
// Also accepts the file format, which contains such a stream, and a stream without its end marker.
// The arrays borrow the bytes of the stream. ArrowStream checks that buffers exist and are long
// enough; the readers of elements check offsets, indices, and nulls. Immutable; thread-safe. Source
// of the layout: Arrow Columnar Format, "Serialization and IPC".

#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "core/formats/arrow/arrow_schema.h"
#include "signet/buffer.h"

namespace signet {

struct ArrowDictionary;

struct ArrowArray {
  const ArrowField* field = nullptr;
  int64_t length = 0;
  bool has_nulls = false;
  // one bit per element, 1 if the element is not null; only with has_nulls
  Buffer validity;
  Buffer offsets;                    // lists, texts; may be empty if there are no elements
  Buffer data;                       // elements, bits, text, indices
  std::vector<ArrowArray> children;  // at least as long as the elements require
  const ArrowDictionary* dictionary = nullptr;  // for a column of indices
};

// The values that indices refer to: the concatenation of the parts.
struct ArrowDictionary {
  std::deque<ArrowArray> parts;  // a deque, because addresses must not change
  std::vector<int64_t> ends;     // end of each part among all values
};

class ArrowStream {
 public:
  // Returns an error for malformed, compressed, or big-endian data, with the message and the
  // position. `more` contains messages that follow from elsewhere.
  static StatusOr<ArrowStream> Read(const Buffer& bytes, const Limits& limits,
                                    const Buffer& more = Buffer());

  // A struct of the columns, with one array per record batch.
  const ArrowField& rows() const { return *rows_; }
  const std::vector<ArrowArray>& batches() const { return batches_; }

 private:
  class Reader;
  ArrowStream() = default;

  std::unique_ptr<const ArrowField> rows_;
  std::vector<ArrowArray> batches_;
  std::deque<ArrowDictionary> dictionaries_;  // includes dictionaries that were replaced
};

}  // namespace signet
