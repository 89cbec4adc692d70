// RowSink: results of calls, written to a file one after the other.
//
//   result.ndjson, .jsonl   a JSON record a line; also standard output, `-`
//   result.arrow, .arrows   an Arrow stream, a record batch a call
//   result.pb               serialised messages, each behind its length as a varint
//   result.csv              a header, then a row per record (client/cli/csv.h)
//   result.json             one list of all records; of a single call, its result
//
// Results gather in `result.ndjson.part`, which replaces the file when all of them are there. After
// an error, the file is as it was, and the part holds the results before the error; but if the part
// itself could not be written, as on a full disk, it is removed. Pipes and devices are written
// directly.
//
// One thread.

#pragma once

#include <memory>
#include <string>

#include "signet/status.h"
#include "signet/v1/service.pb.h"

namespace signet {

class RowSink {
 public:
  virtual ~RowSink() = default;

  // What calls are to be asked for.
  virtual v1::ResultFormat format() const = 0;
  virtual Status Write(const v1::Encoded& result) = 0;
  // After the last result.
  virtual Status Finish() = 0;
};

struct RowSinkOptions {
  bool is_single = false;         // there will be one result
  std::string message_type = {};  // of .pb
};

// Opens a file by the ending of its name. INVALID_ARGUMENT lists the endings; FAILED_PRECONDITION
// if the file cannot be written.
StatusOr<std::unique_ptr<RowSink>> OpenRowSink(const std::string& path,
                                               const RowSinkOptions& options);

// Prints records on standard output as rows and columns, for people.
std::unique_ptr<RowSink> MakeTableSink();

}  // namespace signet
