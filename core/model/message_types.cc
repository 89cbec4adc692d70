#include "core/model/message_types.h"

#include "core/formats/protobuf/protobuf_path.h"
#include "core/types/identifier.h"

namespace signet {

Status AddMessageTypes(const std::string& descriptor_set, ModelDef& model) {
  if (!descriptor_set.empty()) {
    auto schema = ProtobufSchema::Parse(descriptor_set);
    if (!schema.ok()) return At("descriptor_set", schema.status());
    model.messages = *std::move(schema);
  }
  for (const auto& [step, name] : model.message_fields) {
    std::string where = Cat("message_fields: `", Printable(step), "`");
    SIGNET_RETURN_IF_ERROR(At(where, ParseProtobufStep(step).status()));
    if (!IsFieldName(name)) {
      return At(where, InvalidArgument("expected a name of a letter, then letters, digits, or `_`, "
                                       "found `",
                                       Printable(name), "`"));
    }
    if (model.messages == nullptr) {
      return At(where, InvalidArgument("missing descriptor_set, which message_fields requires"));
    }
  }
  return absl::OkStatus();
}

}  // namespace signet
