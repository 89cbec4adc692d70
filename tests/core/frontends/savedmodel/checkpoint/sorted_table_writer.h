// Sorted table writer: writes index files of checkpoints, and small checkpoints.
//
//   TableOf({{"", header.SerializeAsString()}, {"w", entry.SerializeAsString()}})
//
// For tests.

#pragma once

#include <cstring>
#include <snappy.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/crc32c.h"
#include "tensorflow/saved_object_graph.pb.h"
#include "tensorflow/tensor_bundle.pb.h"
#include "tests/support/temporary_folder.h"

namespace signet {

inline void AppendVarint(uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

inline void AppendWord(uint32_t value, std::string& out) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

inline std::string BlockOf(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string out;
  for (const auto& [key, value] : entries) {
    AppendVarint(0, out);
    AppendVarint(key.size(), out);
    AppendVarint(value.size(), out);
    out += key + value;
  }
  AppendWord(0, out);
  AppendWord(1, out);
  return out;
}

// Appends a block with its type and its checksum, and returns its handle.
inline std::string AppendBlock(std::string content, char type, std::string& file) {
  if (type == 1) {
    std::string compressed;
    snappy::Compress(content.data(), content.size(), &compressed);
    content = compressed;
  }
  std::string handle;
  AppendVarint(file.size(), handle);
  AppendVarint(content.size(), handle);
  content += type;
  const uint32_t crc = MaskCrc32c(Crc32c(std::as_bytes(std::span(content))));
  file += content;
  AppendWord(crc, file);
  return handle;
}

inline std::string TableOf(const std::vector<std::pair<std::string, std::string>>& entries,
                           char type = 0) {
  std::string file;
  const std::string data = AppendBlock(BlockOf(entries), type, file);
  const std::string metaindex = AppendBlock(BlockOf({}), 0, file);
  const std::string index = AppendBlock(BlockOf({{"~", data}}), 0, file);
  std::string footer = metaindex + index;
  footer.resize(40);
  footer += std::string("\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8);
  return file + footer;
}

// Writes variables/ of a SavedModel whose only variable is the float `value` of the object that the
// root has as `child`.
inline void WriteVariable(const TemporaryFolder& folder, const std::string& child, float value) {
  auto checksum = [](std::string_view bytes, uint32_t before = 0) {
    return Crc32c(std::as_bytes(std::span(bytes)), before);
  };
  const std::string key = child + "/.ATTRIBUTES/VARIABLE_VALUE";
  tensorflow::TrackableObjectGraph graph;
  auto& reference = *graph.add_nodes()->add_children();
  reference.set_node_id(1);
  reference.set_local_name(child);
  auto& attribute = *graph.add_nodes()->add_attributes();
  attribute.set_name("VARIABLE_VALUE");
  attribute.set_checkpoint_key(key);
  // A string: its length, the checksum of the length, and its bytes.
  const std::string text = graph.SerializeAsString();
  const auto length = static_cast<uint32_t>(text.size());
  const uint32_t of_length = checksum({reinterpret_cast<const char*>(&length), sizeof length});
  std::string data;
  AppendVarint(length, data);
  const size_t checked_from = data.size();
  AppendWord(MaskCrc32c(of_length), data);
  data += text;
  tensorflow::BundleEntryProto object_graph;
  object_graph.set_dtype(tensorflow::DT_STRING);
  object_graph.mutable_shape();
  object_graph.set_size(static_cast<int64_t>(data.size()));
  object_graph.set_crc32c(
      MaskCrc32c(checksum(std::string_view(data).substr(checked_from), of_length)));
  tensorflow::BundleEntryProto variable;
  variable.set_dtype(tensorflow::DT_FLOAT);
  variable.mutable_shape();
  variable.set_offset(static_cast<int64_t>(data.size()));
  variable.set_size(sizeof value);
  const std::string_view bytes(reinterpret_cast<const char*>(&value), sizeof value);
  variable.set_crc32c(MaskCrc32c(checksum(bytes)));
  data += bytes;
  tensorflow::BundleHeaderProto header;
  header.set_num_shards(1);
  folder.Write("variables/variables.index",
               TableOf({{"", header.SerializeAsString()},
                        {"_CHECKPOINTABLE_OBJECT_GRAPH", object_graph.SerializeAsString()},
                        {key, variable.SerializeAsString()}}));
  folder.Write("variables/variables.data-00000-of-00001", data);
}

}  // namespace signet
