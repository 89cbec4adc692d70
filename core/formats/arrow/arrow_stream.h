// ArrowStream: the batches of an Arrow IPC stream, as arrays over its bytes.
//
// Also takes the file format, whose batches are such a stream, and a stream that ends without its
// end marker. The arrays borrow the stream's bytes. Buffers are checked to be there and to be long
// enough; offsets, indices and nulls are for who reads the elements. Immutable; thread-safe.
// Source of the layout: Arrow Columnar Format, "Serialization and IPC".

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
  Buffer validity;                   // a bit an element, 1 for a value; with has_nulls
  Buffer offsets;                    // lists, texts; may be empty when there are no elements
  Buffer data;                       // elements, bits, text, indices
  std::vector<ArrowArray> children;  // at least as long as the elements need
  const ArrowDictionary* dictionary = nullptr;  // of a column of indices
};

// Values that indices count: parts, one after the other.
struct ArrowDictionary {
  std::deque<ArrowArray> parts;  // addresses stay
  std::vector<int64_t> ends;     // of each part, among all values
};

class ArrowStream {
 public:
  // Refuses what is malformed, compressed or big-endian, with the message and its place. `more`:
  // messages that follow, from elsewhere.
  static StatusOr<ArrowStream> Read(const Buffer& bytes, const Limits& limits,
                                    const Buffer& more = Buffer());

  // A struct of the columns, and an array of it for each record batch.
  const ArrowField& rows() const { return *rows_; }
  const std::vector<ArrowArray>& batches() const { return batches_; }

 private:
  class Reader;
  ArrowStream() = default;

  std::unique_ptr<const ArrowField> rows_;
  std::vector<ArrowArray> batches_;
  std::deque<ArrowDictionary> dictionaries_;  // also those that later ones took the place of
};

}  // namespace signet
