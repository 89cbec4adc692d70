// Models as text of the message signet.v1.Model, for tests of what programs write.

#pragma once

#include <string>
#include <string_view>

#include <google/protobuf/text_format.h>

#include "core/model/native/loader.h"
#include "signet/status.h"
#include "signet/v1/model.pb.h"

namespace signet {

inline StatusOr<v1::Model> ParseModelText(std::string_view text) {
  v1::Model proto;
  if (!google::protobuf::TextFormat::ParseFromString(std::string(text), &proto)) {
    return InvalidArgument("expected the text of a signet.v1.Model");
  }
  return proto;
}

// Returns the content of a model.pb.
inline std::string BinaryModel(std::string_view text) {
  auto proto = ParseModelText(text);
  SIGNET_CHECK(proto.ok());
  return proto->SerializeAsString();
}

}  // namespace signet
