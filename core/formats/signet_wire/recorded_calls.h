// RecordedCallReader: reads a file of recorded calls (proto/signet/v1/recorded.proto), one by one.
//
//   SIGNET_ASSIGN_OR_RETURN(RecordedCallReader reader, RecordedCallReader::Open("calls.rec"));
//   while (true) {
//     SIGNET_ASSIGN_OR_RETURN(std::optional<v1::RecordedCall> call, reader.Next());
//     if (!call) break;
//     ...
//   }
//
// The bytes are untrusted: a size is checked against the rest of the file before memory is
// allocated. Not thread-safe.

#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "signet/status.h"
#include "signet/v1/recorded.pb.h"

namespace signet {

class RecordedCallReader {
 public:
  // Returns NOT_FOUND if the file cannot be opened.
  static StatusOr<RecordedCallReader> Open(const std::filesystem::path& path);

  // Returns the next call, or nothing after the last one. Returns DATA_LOSS, with the position of
  // the record, if a record is truncated or does not parse.
  StatusOr<std::optional<v1::RecordedCall>> Next();

 private:
  RecordedCallReader(std::ifstream file, uint64_t size) : file_(std::move(file)), size_(size) {}

  std::ifstream file_;
  uint64_t size_ = 0;      // of the file, in bytes
  uint64_t position_ = 0;  // of the next record
};

// Returns the bytes of one record in a file: the size of `call` as a varint, and `call`.
std::string RecordOf(const v1::RecordedCall& call);

// Returns a hash of the result in `response`, without the version of the model. Equal results have
// equal hashes in all builds with the same protobuf library.
uint64_t HashOfResponse(v1::CallResponse response);

}  // namespace signet
