// ProtobufSchema: the message types that a model knows: a google.protobuf.FileDescriptorSet,
// checked.
//
//   auto schema = ProtobufSchema::Parse(bytes);   // protoc --include_imports --descriptor_set_out
//   (*schema)->FindMessage("shop.Recipe")
//
// Immutable; thread-safe. What a message type is as a structure: protobuf_selection.h.

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
  // Files may come in any order; each file that one imports must be there. Refuses what protoc
  // would.
  static StatusOr<std::shared_ptr<const ProtobufSchema>> Parse(std::string_view descriptor_set);
  ~ProtobufSchema();

  // By full name, `shop.Recipe`; NOT_FOUND lists what there is.
  StatusOr<const google::protobuf::Descriptor*> FindMessage(std::string_view name) const;
  // Null when there is none.
  const google::protobuf::Descriptor* LookupMessage(std::string_view name) const;
  const google::protobuf::FieldDescriptor* LookupExtension(std::string_view name) const;
  // Full names, sorted; entries of maps left out.
  const std::vector<std::string>& message_names() const { return message_names_; }

 private:
  class Pool;
  ProtobufSchema();

  std::unique_ptr<Pool> pool_;
  std::vector<std::string> message_names_;
};

}  // namespace signet
