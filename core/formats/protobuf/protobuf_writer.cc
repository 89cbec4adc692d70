#include "core/formats/protobuf/protobuf_writer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>
#include <utility>

#include <google/protobuf/descriptor.h>
#include <simdjson.h>

#include "core/formats/signet_wire/wire_cursor.h"
#include "core/types/child_path.h"
#include "core/values/builders/value_writer.h"
#include "signet/structured.h"
#include "signet/structured_spec.h"

namespace signet {
namespace {

namespace pb = google::protobuf;
using Presence = SelectedField::Presence;
using Type = pb::FieldDescriptor::Type;

using wire::WireType;

WireType WireTypeOf(Type type) {
  switch (type) {
    case pb::FieldDescriptor::TYPE_DOUBLE:
    case pb::FieldDescriptor::TYPE_FIXED64:
    case pb::FieldDescriptor::TYPE_SFIXED64:
      return WireType::kFixed64;
    case pb::FieldDescriptor::TYPE_FLOAT:
    case pb::FieldDescriptor::TYPE_FIXED32:
    case pb::FieldDescriptor::TYPE_SFIXED32:
      return WireType::kFixed32;
    case pb::FieldDescriptor::TYPE_STRING:
    case pb::FieldDescriptor::TYPE_BYTES:
    case pb::FieldDescriptor::TYPE_MESSAGE:
      return WireType::kBytes;
    case pb::FieldDescriptor::TYPE_GROUP:
      return WireType::kGroup;
    default:
      return WireType::kVarint;
  }
}

void AppendVarint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}
void AppendTag(std::string& out, const pb::FieldDescriptor& field, WireType type) {
  AppendVarint(out, wire::WireTag(field.number(), type));
}
template <class T>
void AppendFixed(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void AppendInteger(std::string& out, Type type, absl::int128 value) {
  auto number = static_cast<int64_t>(static_cast<uint64_t>(value));
  switch (type) {
    case pb::FieldDescriptor::TYPE_SINT32:
    case pb::FieldDescriptor::TYPE_SINT64:
      return AppendVarint(out,
                          static_cast<uint64_t>(number) << 1 ^ static_cast<uint64_t>(number >> 63));
    case pb::FieldDescriptor::TYPE_FIXED32:
    case pb::FieldDescriptor::TYPE_SFIXED32:
      return AppendFixed(out, static_cast<uint32_t>(number));
    case pb::FieldDescriptor::TYPE_FIXED64:
    case pb::FieldDescriptor::TYPE_SFIXED64:
      return AppendFixed(out, number);
    default:
      return AppendVarint(out, static_cast<uint64_t>(number));
  }
}

// Returns an error for fields that cannot be written for any value of the structure.
Status CheckSelection(const SelectedMessage& message) {
  for (const SelectedField& field : message.fields) {
    if (field.source != SelectedField::Source::kField) {
      return WithField(field.name, InvalidArgument("cannot write a part of a map or of an Any"));
    }
    if (field.message == nullptr) continue;
    Status status = CheckSelection(*field.message);
    if (!status.ok()) return WithField(field.name, std::move(status));
  }
  for (int i = 0; i < message.type->field_count(); ++i) {
    const pb::FieldDescriptor* field = message.type->field(i);
    bool is_there = std::any_of(message.fields.begin(), message.fields.end(),
                                [&](const SelectedField& own) { return own.field == field; });
    if (field->is_required() && !is_there) {
      return WithField(
          field->name(),
          InvalidArgument("the message requires this field, but the structure does not have it"));
    }
  }
  return absl::OkStatus();
}

// Converts a dict or named tuple of columns to the structure of its rows.
StatusOr<Value> RowsOfRecord(const Value& record) {
  std::span<const std::string> names = ChildNames(record.spec());
  std::vector<Value> parts = ChildrenOf(record);
  NamedValues fields;
  for (size_t i = 0; i < names.size(); ++i) fields.emplace_back(names[i], std::move(parts[i]));
  return MakeStructured(PartialShape({kUnknownDim}), std::move(fields));
}

// Receives the events of a structure, and writes a message for each outermost object. Stores the
// first fault.
class RowSink : public ValueSink {
 public:
  RowSink(const SelectedMessage& root, const Limits& limits)
      : root_(root), bytes_left_(limits.message_bytes), max_bytes_(limits.message_bytes) {}

  StatusOr<std::vector<std::string>> Take() && {
    if (status_.ok()) return std::move(rows_);
    return At(Cat("row ", rows_.size()), std::move(status_));
  }

  void BeginList() override {
    if (messages_.empty()) return;  // of the rows
    Open& open = messages_.back();
    open.is_in_list = true;
    open.count = 0;
    open.packed.clear();
  }
  void EndList() override {
    if (messages_.empty()) return;
    Open& open = messages_.back();
    open.is_in_list = false;
    if (open.packed.empty()) return;
    AppendTag(open.bytes, *open.field->field, WireType::kBytes);
    AppendVarint(open.bytes, open.packed.size());
    open.bytes += open.packed;
  }
  void BeginObject() override {
    if (messages_.empty()) {
      messages_.emplace_back(root_);
    } else if (Begin(messages_.back())) {
      const SelectedField& field = *messages_.back().field;
      messages_.emplace_back(*field.message);
    }
  }
  void EndObject() override {
    std::string bytes = std::move(messages_.back().bytes);
    messages_.pop_back();
    if (messages_.empty()) {
      // Each has its length before it.
      bytes_left_ -= static_cast<int64_t>(bytes.size()) + 1;
      if (bytes_left_ < 0) {
        status_ = ResourceExhausted("more than ", max_bytes_,
                                    " bytes of messages; that is the limit (--max_message_bytes)");
        return;
      }
      rows_.push_back(std::move(bytes));
      return;
    }
    Open& open = messages_.back();
    const pb::FieldDescriptor& field = *open.field->field;
    WireType type = WireTypeOf(field.type());
    AppendTag(open.bytes, field, type);
    if (type == WireType::kBytes) AppendVarint(open.bytes, bytes.size());
    open.bytes += bytes;
    if (type == WireType::kGroup) AppendTag(open.bytes, field, WireType::kEndGroup);
  }
  void Key(std::string_view name) override {
    Open& open = messages_.back();
    const auto& fields = open.message->fields;
    auto found = std::find_if(fields.begin(), fields.end(),
                              [&](const SelectedField& field) { return field.name == name; });
    SIGNET_CHECK(found != fields.end());  // the selection has the fields of the structure
    open.field = &*found;
  }
  void Null() override {}
  void Bool(bool value) override {
    Scalar(!value, [&](std::string& out, Type) { out += static_cast<char>(value); });
  }
  void Int(absl::int128 value) override {
    Scalar(value == 0, [&](std::string& out, Type type) { AppendInteger(out, type, value); });
  }
  void Float(double value, DType dtype) override {
    bool is_default = std::bit_cast<uint64_t>(value) == 0;  // -0.0 is not the default
    Scalar(is_default, [&](std::string& out, Type) {
      if (dtype == DType::kFloat32) return AppendFixed(out, static_cast<float>(value));
      AppendFixed(out, value);
    });
  }
  void String(std::string_view bytes) override {
    bool is_text = messages_.back().field->field->type() == pb::FieldDescriptor::TYPE_STRING;
    if (is_text && !simdjson::validate_utf8(bytes.data(), bytes.size())) {
      return Reject(InvalidArgument("expected UTF-8 text for a `string` field, found other bytes"));
    }
    Scalar(bytes.empty(), [&](std::string& out, Type) {
      AppendVarint(out, bytes.size());
      out += bytes;
    });
  }
  bool IsFull() const override { return !status_.ok(); }

 private:
  // An unfinished message.
  struct Open {
    explicit Open(const SelectedMessage& of) : message(&of) {}
    const SelectedMessage* message;
    const SelectedField* field = nullptr;  // the current field
    bool is_in_list = false;
    int64_t count = 0;                            // number of elements in its list
    std::string packed;                           // its numbers
    std::set<const pb::OneofDescriptor*> oneofs;  // oneofs that have a member
    std::string bytes;
  };

  void Reject(Status status) {
    if (!status_.ok()) return;
    std::string path;
    for (const Open& open : messages_) path += Cat(path.empty() ? "" : ".", open.field->name);
    status_ = At(Cat("`", path, "`"), std::move(status));
  }

  // Returns true if another value of the current field may follow.
  bool Begin(Open& open) {
    const SelectedField& field = *open.field;
    if (open.is_in_list && ++open.count > 1 && field.presence != Presence::kRepeated) {
      Reject(InvalidArgument("expected at most one value, found several"));
      return false;
    }
    const pb::OneofDescriptor* oneof = field.field->real_containing_oneof();
    if (oneof != nullptr && !open.oneofs.insert(oneof).second) {
      Reject(InvalidArgument("another member of the oneof `", oneof->name(), "` has a value too"));
      return false;
    }
    return true;
  }

  template <class Append>
  void Scalar(bool is_default, Append append) {
    Open& open = messages_.back();
    if (!Begin(open)) return;
    const pb::FieldDescriptor& field = *open.field->field;
    if (field.is_packed()) return append(open.packed, field.type());
    if (is_default && !field.is_repeated() && !field.has_presence()) return;
    AppendTag(open.bytes, field, WireTypeOf(field.type()));
    append(open.bytes, field.type());
  }

  const SelectedMessage& root_;
  std::vector<Open> messages_;  // the first is the message of the row
  std::vector<std::string> rows_;
  int64_t bytes_left_;
  const int64_t max_bytes_;
  Status status_;
};

}  // namespace

StatusOr<std::vector<std::string>> ProtobufRowsFromValue(const Value& value,
                                                         const ProtobufSchema& schema,
                                                         std::string_view message_type,
                                                         const Limits& limits,
                                                         const ProtobufOptions& options) {
  if (value.spec().is(TypeKind::kDict) || value.spec().is(TypeKind::kNamedTuple)) {
    SIGNET_ASSIGN_OR_RETURN(Value rows, RowsOfRecord(value));
    return ProtobufRowsFromValue(rows, schema, message_type, limits, options);
  }
  SIGNET_ASSIGN_OR_RETURN(const auto* type, schema.FindMessage(message_type));
  const auto* structured = value.spec().As<StructuredSpec>();
  if (structured == nullptr || structured->rank() > 1 || value.is_placeholder()) {
    return InvalidArgument("expected a structure of rank 0 or 1 to write as messages, found `",
                           value.spec(), "`");
  }
  // Without notes, an optional field is written as rows of 0 or 1, and the message must have it.
  const Value plain =
      Value::Trusted(value.spec().plain(), {value.components().begin(), value.components().end()});
  SIGNET_ASSIGN_OR_RETURN(SelectedMessage selection,
                          SelectFieldsOf(plain.spec(), schema, *type, options, limits));
  if (Status status = CheckSelection(selection); !status.ok()) {
    return At(Cat("`", std::string(FieldOf(status)), "`"), status);
  }
  RowSink sink(selection, limits);
  WriteValue(plain, sink);
  return std::move(sink).Take();
}

}  // namespace signet
