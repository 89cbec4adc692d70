// RowSource: the rows of a file, a chunk at a time, each an argument for one call.
//
//   orders.ndjson, .jsonl   a JSON record a line; also standard input, `-`
//   orders.arrow, .arrows   Arrow record batches, a file or a stream of them
//   orders.pb               serialised messages, each behind its length as a varint
//   orders.csv              a header, then a row per record (client/cli/csv.h)
//   orders.json             one JSON text: the whole of it is one chunk
//
// Holds one chunk in memory, whatever the size of the file: of at most as many rows as asked for,
// and of some MB; but a single record or message is never taken apart: one of more than 1 GiB is
// refused. A large record batch is, where it lies: the file is mapped. One thread.

#pragma once

#include <memory>
#include <string>

#include "signet/status.h"
#include "signet/type_spec.h"
#include "signet/v1/values.pb.h"

namespace signet {

struct RowSourceOptions {
  int64_t rows = 4096;            // of a chunk
  std::string message_type = {};  // of .pb
};

class RowSource {
 public:
  virtual ~RowSource() = default;

  // States the type of the rows, such as `[{id: int64[]}]`, before the first chunk; null if any
  // value is accepted. CSV needs it, as its cells do not show whether `1` is a number or a text.
  virtual void SetType(const TypeSpec& /*rows*/) {}
  // Fills `chunk` with the next rows; false at the end. There is at least one chunk, be it of no
  // rows.
  virtual StatusOr<bool> Next(v1::Encoded& chunk) = 0;
  // Whether all of the file is one value, rather than rows.
  virtual bool is_whole() const { return false; }

  int64_t rows() const { return rows_; }    // so far
  int64_t bytes() const { return bytes_; }  // so far
  int64_t size() const { return size_; }    // of the file in bytes; -1: not known

 protected:
  int64_t rows_ = 0;
  int64_t bytes_ = 0;
  int64_t size_ = -1;
};

// By the ending of `path`; the refusal lists those that are known.
StatusOr<std::unique_ptr<RowSource>> OpenRowSource(const std::string& path,
                                                   const RowSourceOptions& options);

}  // namespace signet
