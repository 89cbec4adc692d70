// OnnxFile: a model.onnx in memory: its message, and the bytes of large tensors left in the file.
//
// A parser of untrusted input. Before the message is parsed, each tensor with 4 KiB or more in
// raw_data is rewritten into a tensor with external data, whose location is kThisFile and whose
// offset is the place of the bytes in the file. Nothing large is copied or read until it is used.

#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <onnx/onnx_pb.h>

#include "core/formats/common/mapped_file.h"

namespace signet {

struct OnnxFile {
  onnx::ModelProto model;
  std::shared_ptr<const MappedFile> file;
  std::filesystem::path folder;  // that external data must lie in
};

// Reads a model. Returns INVALID_ARGUMENT if the file is not an ONNX model, and NOT_FOUND if it
// does not exist.
StatusOr<OnnxFile> ReadOnnxFile(const std::filesystem::path& path);

// The bytes of files in the directory of the model. Each file is mapped once.
class ExternalFiles {
 public:
  // The location of tensors whose bytes are in model.onnx itself. ReadOnnxFile rejects files in
  // which it is written.
  static constexpr std::string_view kThisFile = std::string_view("\0this file", 10);

  explicit ExternalFiles(const OnnxFile& main) : main_(main) {}

  // Returns the file at `location`, relative to the model's folder. Rejects an empty location, and
  // one outside of the folder.
  StatusOr<std::shared_ptr<const MappedFile>> Map(const std::string& location);
  // Counts `bytes` that a tensor takes beyond what the files hold of it; RESOURCE_EXHAUSTED where a
  // model's come to more than 1 GiB.
  Status TakeMemory(size_t bytes);
  // All that were mapped.
  const std::map<std::string, std::shared_ptr<const MappedFile>>& files() const { return files_; }

 private:
  const OnnxFile& main_;
  size_t taken_ = 0;  // by TakeMemory
  std::map<std::string, std::shared_ptr<const MappedFile>> files_;
};

}  // namespace signet
