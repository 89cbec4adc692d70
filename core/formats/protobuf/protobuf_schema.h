// ProtobufSchema: the message types that a model knows, from a checked
// google.protobuf.FileDescriptorSet.
//
//   auto schema = ProtobufSchema::Parse(bytes);   // protoc --include_imports --descriptor_set_out
//   (*schema)->FindMessage("shop.Recipe")
//
// protobuf_selection.h converts message types to structures. Immutable; thread-safe.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "signet/status.h"

namespace google::protobuf {
class Descriptor;
class FieldDescriptor;
}  // namespace google::protobuf

namespace signet {

class ProtobufSchema {
 public:
  // Files may be in any order, but the imports of each file must be present. Returns the errors
  // that protoc would report.
  static StatusOr<std::shared_ptr<const ProtobufSchema>> Parse(std::string_view descriptor_set);
  ~ProtobufSchema();

  // Finds a type by its full name, `shop.Recipe`. The NOT_FOUND error lists the known names.
  StatusOr<const google::protobuf::Descriptor*> FindMessage(std::string_view name) const;
  // Returns null if there is none.
  const google::protobuf::Descriptor* LookupMessage(std::string_view name) const;
  const google::protobuf::FieldDescriptor* LookupExtension(std::string_view name) const;
  // Returns the full names, sorted, without the entries of maps.
  const std::vector<std::string>& message_names() const { return message_names_; }

 private:
  class Pool;
  ProtobufSchema();

  std::unique_ptr<Pool> pool_;
  std::vector<std::string> message_names_;
};

}  // namespace signet
