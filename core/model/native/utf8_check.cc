#include "core/model/native/utf8_check.h"

#include <string>
#include <string_view>
#include <vector>

#include "core/base/utf8.h"

namespace signet {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Returns the position of the first byte that does not start a character, or npos.
size_t FindFault(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    size_t length = Utf8Length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

std::string ElementPlace(const FieldDescriptor& field, const Message& entry, int i) {
  if (!field.is_map()) return Cat(field.name(), "[", i, "]");
  const FieldDescriptor* key = entry.GetDescriptor()->map_key();
  if (key->type() != FieldDescriptor::TYPE_STRING) return Cat(field.name(), "[", i, "]");
  return Cat(field.name(), "[`", Printable(entry.GetReflection()->GetString(entry, key)), "`]");
}

Status CheckMessages(const Message& message, const FieldDescriptor& field) {
  const Reflection& fields = *message.GetReflection();
  if (!field.is_repeated()) {
    return At(field.name(), CheckUtf8(fields.GetMessage(message, &field)));
  }
  for (int i = 0; i < fields.FieldSize(message, &field); ++i) {
    const Message& element = fields.GetRepeatedMessage(message, &field, i);
    Status status = CheckUtf8(element);
    if (!status.ok()) return At(ElementPlace(field, element, i), std::move(status));
  }
  return absl::OkStatus();
}

Status CheckTexts(const Message& message, const FieldDescriptor& field) {
  const Reflection& fields = *message.GetReflection();
  std::string scratch;
  if (!field.is_repeated()) {
    return At(field.name(), CheckUtf8(fields.GetStringReference(message, &field, &scratch)));
  }
  for (int i = 0; i < fields.FieldSize(message, &field); ++i) {
    Status status = CheckUtf8(fields.GetRepeatedStringReference(message, &field, i, &scratch));
    if (!status.ok()) return At(Cat(field.name(), "[", i, "]"), std::move(status));
  }
  return absl::OkStatus();
}

}  // namespace

Status CheckUtf8(std::string_view text) {
  size_t fault = FindFault(text);
  if (fault == std::string_view::npos) return absl::OkStatus();
  // The error shows some text before the wrong byte, which helps to find it in the file.
  constexpr size_t kShown = 24;
  size_t start = fault < kShown ? 0 : fault - kShown;
  return InvalidArgument("expected UTF-8, found `", Printable(text.substr(start, 2 * kShown)),
                         "`; byte ", fault + 1, " of the text does not start a character");
}

Status CheckUtf8(const Message& message) {
  std::vector<const FieldDescriptor*> present;
  message.GetReflection()->ListFields(message, &present);
  for (const FieldDescriptor* field : present) {
    if (field->type() == FieldDescriptor::TYPE_STRING) {
      SIGNET_RETURN_IF_ERROR(CheckTexts(message, *field));
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      SIGNET_RETURN_IF_ERROR(CheckMessages(message, *field));
    }
  }
  return absl::OkStatus();
}

}  // namespace signet
