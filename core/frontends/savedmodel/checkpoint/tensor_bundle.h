// TensorBundle: reads the tensors of a checkpoint: variables.index, and
// variables.data-00000-of-00001 and so on.
//
//   SIGNET_ASSIGN_OR_RETURN(TensorBundle bundle, TensorBundle::Open(folder / "variables"));
//   StatusOr<CapturedValue> kernel = bundle.Read("dense/kernel/.ATTRIBUTES/VARIABLE_VALUE");
//
// A parser of untrusted input: everything is checked before memory is allocated. Tensors borrow the
// mapped files. The checksums of tensors are compared until 1 GiB has been read. Not thread-safe.

#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/formats/common/mapped_file.h"
#include "core/graph/body/captured_value.h"
#include "signet/shape.h"
#include "tensorflow/tensor_bundle.pb.h"

namespace signet {

class TensorBundle {
 public:
  struct Range {
    int64_t start = 0;
    int64_t size = -1;  // -1: to the end of the dimension
  };
  // A part of a tensor, one range per dimension. Empty: the whole tensor.
  using Ranges = std::vector<Range>;

  TensorBundle() = default;  // has no tensors
  // `folder` contains the files, which begin with `variables`. NOT_FOUND if there is no index.
  static StatusOr<TensorBundle> Open(const std::filesystem::path& folder);

  // Returns the entry of a tensor, or null.
  const tensorflow::BundleEntryProto* Lookup(const std::string& key) const;
  std::vector<std::string> Keys() const;

  // Returns a tensor, or a part of it. Errors state the key.
  StatusOr<CapturedValue> Read(const std::string& key, const Ranges& ranges = {});

  // The files that were mapped.
  std::vector<std::shared_ptr<const MappedFile>> files() const;

 private:
  StatusOr<CapturedValue> ReadEntry(const std::string& key,
                                    const tensorflow::BundleEntryProto& entry);
  StatusOr<CapturedValue> ReadStrings(const Shape& shape, Buffer bytes, uint32_t crc) const;
  StatusOr<CapturedValue> ReadSlices(const std::string& key,
                                     const tensorflow::BundleEntryProto& entry);
  StatusOr<Buffer> BytesOf(const tensorflow::BundleEntryProto& entry);

  std::filesystem::path folder_;
  int num_shards_ = 0;
  std::map<std::string, tensorflow::BundleEntryProto> entries_;
  std::map<int, std::shared_ptr<const MappedFile>> shards_;
  size_t num_bytes_checked_ = 0;
};

// Returns the key of a part of a tensor whose entry has slices: the name and the ranges in a code
// that keeps their order.
std::string SliceKey(const std::string& name, const TensorBundle::Ranges& ranges);

}  // namespace signet
