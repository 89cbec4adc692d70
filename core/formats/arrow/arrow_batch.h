// ArrowBatch: a record batch to be written, as the lengths and buffers of its fields in the order
// of the schema; and such a batch of some rows of one that was read. Internal to the Arrow door and
// to who takes files apart. Stateless; thread-safe.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/formats/arrow/arrow_metadata.h"
#include "core/formats/arrow/arrow_stream.h"
#include "core/formats/arrow/flatbuffer_writer.h"

namespace signet {

struct ArrowBatch {
  struct Node {
    int64_t length = 0;
    int64_t nulls = 0;
  };
  int64_t rows = 0;
  std::vector<Node> nodes;
  std::vector<Buffer> buffers;
};

// A message up to its body; `add_header` adds its table and returns where that stands.
std::string ArrowMessage(arrow::HeaderType type, int64_t body_length,
                         const std::function<size_t(FlatWriter&)>& add_header);

// The message of a batch, in pieces that share its buffers.
std::vector<Buffer> ArrowBatchMessage(const ArrowBatch& batch);

// Rows [begin, end) of `rows`, a struct of columns; indices stay indices. INVALID_ARGUMENT for
// offsets that leave their elements, UNIMPLEMENTED for a column of a type that is not read.
StatusOr<ArrowBatch> SliceArrowBatch(const ArrowArray& rows, int64_t begin, int64_t end);

}  // namespace signet
