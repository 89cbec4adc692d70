// RowSource: reads the rows of a file in chunks. Each chunk is an argument of one call.
//
//   orders.ndjson, .jsonl   one JSON record per line; also standard input, `-`
//   orders.arrow, .arrows   Arrow record batches, in a file or a stream
//   orders.pb               serialized messages, each preceded by its length as a varint
//   orders.csv              a header, then one row per record (client/cli/csv.h)
//   orders.json             one JSON text, which is one chunk
//
// One chunk is in memory at a time. It has at most RowSourceOptions::rows rows and a few MB. A
// record or message is never split; one of more than 1 GiB is rejected. A large Arrow record batch
// is split in the mapped file. Not thread-safe.

#pragma once

#include <memory>
#include <string>

#include "client/cli/field_names.h"
#include "signet/status.h"
#include "signet/type_spec.h"
#include "signet/v1/values.pb.h"

namespace signet {

struct RowSourceOptions {
  int64_t rows = 4096;            // maximum number of rows per chunk
  std::string message_type = {};  // for .pb
};

class RowSource {
 public:
  virtual ~RowSource() = default;

  // Sets the type of the rows, such as `[{id: int64[]}]`, or null if any value is accepted. Call it
  // before the first chunk. CSV needs the type, because `1` in a cell may be a number or a text.
  // `names` are the names of columns that stand for other fields of the type.
  virtual void SetType(const TypeSpec& /*rows*/, const FieldNames& /*names*/ = {}) {}
  // Fills `chunk` with the next rows and returns true, or returns false at the end. The first call
  // returns true even if the file has no rows.
  virtual StatusOr<bool> Next(v1::Encoded& chunk) = 0;
  // Returns true if the file is one value instead of rows.
  virtual bool is_whole() const { return false; }

  int64_t rows() const { return rows_; }    // so far
  int64_t bytes() const { return bytes_; }  // so far
  int64_t size() const { return size_; }    // of the file in bytes; -1 if it is unknown

 protected:
  int64_t rows_ = 0;
  int64_t bytes_ = 0;
  int64_t size_ = -1;
};

// Opens a file in the format that the extension of its name states. The error for another extension
// lists the known ones.
StatusOr<std::unique_ptr<RowSource>> OpenRowSource(const std::string& path,
                                                   const RowSourceOptions& options);

}  // namespace signet
