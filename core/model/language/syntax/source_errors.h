// SourceErrors: collects the errors in a source file, with their positions.
//
//   model.signet:3:15: name `oders` not found; did you mean `orders`?
//       amounts = oders.items.price
//                 ^
//
// Lines and columns are counted from 1; a column is a character. Not thread-safe.

#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "signet/status.h"

namespace signet {

// A position in a source file.
struct SourcePosition {
  size_t line = 1;
  size_t column = 1;
};
SourcePosition PositionOf(std::string_view source, size_t offset);

// Returns an error with the position `offset` in `source`, its line, and a caret.
Status ErrorInSource(std::string_view file, std::string_view source, size_t offset,
                     std::string_view message);

class SourceErrors {
 public:
  // Borrows both. `file` is the name that errors show.
  SourceErrors(std::string_view file, std::string_view source) : file_(file), source_(source) {}

  // Adds an error at the byte `offset` of the source. Only the first error at an offset, and the
  // first kMaxSourceErrors of a file, are kept.
  void Add(size_t offset, std::string message);
  bool empty() const { return errors_.empty(); }
  // Returns the offsets of the errors, in order.
  std::vector<size_t> Offsets() const;
  bool is_full() const;
  // Returns all errors in the order of their positions, one after another; OK if there are none.
  Status ToStatus() const;

  std::string_view file() const { return file_; }
  std::string_view source() const { return source_; }

 private:
  std::string_view file_;
  std::string_view source_;
  std::map<size_t, std::string> errors_;  // by offset
};

}  // namespace signet
