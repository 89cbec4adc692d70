// RowSink: writes the results of calls to a file, in order.
//
//   result.ndjson, .jsonl   one JSON record per line; also standard output, `-`
//   result.arrow, .arrows   an Arrow stream with one record batch per call
//   result.pb               serialized messages, each preceded by its length as a varint
//   result.csv              a header, then one row per record (client/cli/csv.h)
//   result.json             one list of all records; for a single call, its result
//
// Results are collected in `result.ndjson.part`, which replaces the file when all results are
// written. After an error, the file is unchanged, and the part contains the results before the
// error. If the part cannot be written, for example because the disk is full, it is removed. Pipes
// and devices are written directly. Not thread-safe.

#pragma once

#include <memory>
#include <string>

#include "signet/status.h"
#include "signet/v1/service.pb.h"

namespace signet {

class RowSink {
 public:
  virtual ~RowSink() = default;

  // Returns the format in which the results of calls are written.
  virtual v1::ResultFormat format() const = 0;
  virtual Status Write(const v1::Encoded& result) = 0;
  // Completes the file after the last result.
  virtual Status Finish() = 0;
};

struct RowSinkOptions {
  bool is_single = false;         // the file contains one result
  std::string message_type = {};  // for .pb
};

// Opens a file in the format that the extension of its name states. Returns INVALID_ARGUMENT with
// the known extensions, or FAILED_PRECONDITION if the file cannot be written.
StatusOr<std::unique_ptr<RowSink>> OpenRowSink(const std::string& path,
                                               const RowSinkOptions& options);

// Returns a sink that prints records on standard output as rows and columns, for people.
std::unique_ptr<RowSink> MakeTableSink();

}  // namespace signet
