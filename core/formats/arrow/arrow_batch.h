// ArrowBatch: a record batch to write, as the lengths and buffers of its fields in the order of the
// schema. SliceArrowBatch makes such a batch from some rows of a batch that was read. Internal to
// core/formats/arrow and to code that splits files. Stateless; thread-safe.

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

// Returns a message without its body. `add_header` adds the table of the message and returns its
// position.
std::string ArrowMessage(arrow::HeaderType type, int64_t body_length,
                         const std::function<size_t(FlatWriter&)>& add_header);

// Returns the message of a batch, in pieces that share its buffers.
std::vector<Buffer> ArrowBatchMessage(const ArrowBatch& batch);

// Returns rows [begin, end) of `rows`, a struct of columns. Indices stay indices. Returns
// INVALID_ARGUMENT for offsets outside of the elements, and UNIMPLEMENTED for a column of an
// unsupported type.
StatusOr<ArrowBatch> SliceArrowBatch(const ArrowArray& rows, int64_t begin, int64_t end);

}  // namespace signet
