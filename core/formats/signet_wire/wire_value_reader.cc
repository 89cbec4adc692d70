#include "core/formats/signet_wire/wire_value_reader.h"

#include <algorithm>
#include <utility>

#include "core/formats/signet_wire/wire_tensor.h"
#include "core/formats/signet_wire/wire_type_reader.h"
#include "signet/extension_spec.h"

namespace signet::wire {
namespace {

using enum WireType;

bool HasAny(const TypeSpec& spec) {
  auto children = spec.children();
  return spec.is(TypeKind::kAny) || std::any_of(children.begin(), children.end(), HasAny);
}

}  // namespace

StatusOr<DataFormat> DataFormatFromNumber(uint64_t number) {
  switch (number) {
    case v1::Encoded::JSON:
      return DataFormat::kJson;
    case v1::Encoded::JSON_LINES:
      return DataFormat::kJsonLines;
    case v1::Encoded::PROTOBUF:
      return DataFormat::kProtobuf;
    case v1::Encoded::ARROW_IPC:
      return DataFormat::kArrow;
    default:
      return InvalidArgument("expected a format from JSON (", static_cast<int>(v1::Encoded::JSON),
                             ") to ARROW_IPC (", static_cast<int>(v1::Encoded::ARROW_IPC),
                             "), found ", number);
  }
}

Status ValueReader::ReadArgument(WireCursor cursor, Value& value,
                                 std::optional<EncodedArgument>& encoded) {
  encoded_ = &encoded;
  SIGNET_ASSIGN_OR_RETURN(value, Read(cursor, 1));
  return absl::OkStatus();
}

StatusOr<Value> ValueReader::Read(WireCursor cursor, int depth) {
  SIGNET_RETURN_IF_ERROR(source_.allowance().CheckDepth(depth));
  SIGNET_RETURN_IF_ERROR(source_.allowance().TakeNames());
  std::optional<EncodedArgument>* encoded = std::exchange(encoded_, nullptr);
  bool is_set = false;
  StatusOr<Value> value = Value();
  using P = v1::Value;
  while (uint32_t tag = cursor.NextTag()) {
    bool is_kind = true;
    switch (tag) {
      case WireTag(P::kTensorFieldNumber, kBytes):
        value = ReadTensor(source_, cursor.Enter());
        break;
      case WireTag(P::kRaggedFieldNumber, kBytes):
        value = Checked(ReadRagged(cursor.Enter(), 0));
        break;
      case WireTag(P::kSparseFieldNumber, kBytes):
        value = Checked(ReadSparse(cursor.Enter()));
        break;
      case WireTag(P::kStructuredFieldNumber, kBytes):
        value = Checked(ReadStructured(cursor.Enter(), depth, 0));
        break;
      case WireTag(P::kLiteralFieldNumber, kBytes):
        value = ReadLiteralValue(cursor.Enter());
        break;
      case WireTag(P::kListFieldNumber, kBytes):
        value = ReadSequence(TypeKind::kList, cursor.Enter(), depth);
        break;
      case WireTag(P::kTupleFieldNumber, kBytes):
        value = ReadSequence(TypeKind::kTuple, cursor.Enter(), depth);
        break;
      case WireTag(P::kDictFieldNumber, kBytes):
        value = ReadDict(cursor.Enter(), depth);
        break;
      case WireTag(P::kNamedTupleFieldNumber, kBytes):
        value = ReadNamedTuple(cursor.Enter(), depth);
        break;
      case WireTag(P::kExtensionFieldNumber, kBytes):
        value = ReadExtension(cursor.Enter(), depth);
        break;
      case WireTag(P::kTypeFieldNumber, kBytes):
        value = ReadPlaceholder(cursor.Enter(), depth);
        break;
      case WireTag(P::kEncodedFieldNumber, kBytes):
        value = ReadEncoded(cursor.Enter(), encoded);
        break;
      default:
        cursor.Skip(tag);
        is_kind = false;
    }
    if (is_kind && encoded != nullptr && tag != WireTag(P::kEncodedFieldNumber, kBytes)) {
      encoded->reset();  // a later kind replaces it
    }
    is_set |= is_kind;
  }
  SIGNET_RETURN_IF_ERROR(source_.status());
  if (!is_set) return InvalidArgument("no value: no kind is set");
  return value;
}

Status ValueReader::Under(std::string_view step, Status status) {
  where_ = Cat(step, where_.empty() || where_.front() == '[' ? "" : ".", where_);
  return WithField(step, std::move(status));
}

StatusOr<Value> ValueReader::ReadLiteralValue(WireCursor cursor) {
  SIGNET_ASSIGN_OR_RETURN(Literal literal, ReadLiteral(source_, cursor));
  return Value::OfLiteral(std::move(literal));
}

StatusOr<Value> ValueReader::ReadPlaceholder(WireCursor cursor, int depth) {
  SIGNET_ASSIGN_OR_RETURN(TypeSpec spec, ReadType(source_, cursor, depth));
  if (HasAny(spec)) return InvalidArgument("expected a type without `any`, found `", spec, "`");
  return Value::OfType(std::move(spec));
}

StatusOr<Value> ValueReader::ReadSequence(TypeKind kind, WireCursor cursor, int depth) {
  std::vector<Value> elements;
  while (uint32_t tag = cursor.NextTag()) {
    if (tag == WireTag(v1::ValueList::kElementsFieldNumber, kBytes)) {
      auto element = Read(cursor.Enter(), depth + 1);
      if (!element.ok()) return Under(Cat("[", elements.size(), "]"), element.status());
      elements.push_back(*std::move(element));
    } else {
      cursor.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(source_.status());
  return kind == TypeKind::kList ? ListOf(elements) : TupleOf(elements);
}

Status ValueReader::ReadNamedValue(WireCursor cursor, int depth, NamedValues& out) {
  SIGNET_ASSIGN_OR_RETURN(NamedEntry entry, ReadNamed(source_, cursor));
  if (!entry.content) return Under(entry.name, InvalidArgument("no value"));
  auto value = Read(*entry.content, depth + 1);
  if (!value.ok()) return Under(entry.name, value.status());
  out.emplace_back(std::move(entry.name), *std::move(value));
  return absl::OkStatus();
}

StatusOr<Value> ValueReader::ReadDict(WireCursor cursor, int depth) {
  NamedValues items;
  std::vector<std::string> order;
  while (uint32_t tag = cursor.NextTag()) {
    if (tag == WireTag(v1::ValueDict::kItemsFieldNumber, kBytes)) {
      SIGNET_RETURN_IF_ERROR(ReadNamedValue(cursor.Enter(), depth, items));
    } else if (tag == WireTag(v1::ValueDict::kKeyOrderFieldNumber, kBytes)) {
      SIGNET_RETURN_IF_ERROR(ReadName(source_, cursor, order));
    } else {
      cursor.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(source_.status());
  PutInOrder(items, order);
  return MakeDict(std::move(items));
}

StatusOr<Value> ValueReader::ReadNamedTuple(WireCursor cursor, int depth) {
  std::string name;
  NamedValues fields;
  bool attrs = false;
  while (uint32_t tag = cursor.NextTag()) {
    switch (tag) {
      case WireTag(v1::NamedTuple::kNameFieldNumber, kBytes):
        name = cursor.Text();
        break;
      case WireTag(v1::NamedTuple::kFieldsFieldNumber, kBytes):
        SIGNET_RETURN_IF_ERROR(ReadNamedValue(cursor.Enter(), depth, fields));
        break;
      case WireTag(v1::NamedTuple::kAttrsFieldNumber, kVarint):
        attrs = cursor.Varint() != 0;
        break;
      default:
        cursor.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(source_.status());
  auto style = attrs ? NamedTupleSpec::Style::kAttrs : NamedTupleSpec::Style::kNamedTuple;
  return MakeNamedTuple(style, std::move(name), std::move(fields));
}

StatusOr<Value> ValueReader::ReadExtension(WireCursor cursor, int depth) {
  std::string name;
  NamedTypes statics;
  NamedValues components;
  while (uint32_t tag = cursor.NextTag()) {
    switch (tag) {
      case WireTag(v1::Extension::kNameFieldNumber, kBytes):
        name = cursor.Text();
        break;
      case WireTag(v1::Extension::kStaticsFieldNumber, kBytes): {
        SIGNET_ASSIGN_OR_RETURN(NamedEntry entry, ReadNamed(source_, cursor.Enter()));
        if (!entry.content) return Under(entry.name, InvalidArgument("no type"));
        auto type = ReadType(source_, *entry.content, depth + 1);
        if (!type.ok()) return Under(entry.name, type.status());
        statics.emplace_back(std::move(entry.name), *std::move(type));
        break;
      }
      case WireTag(v1::Extension::kComponentsFieldNumber, kBytes):
        SIGNET_RETURN_IF_ERROR(ReadNamedValue(cursor.Enter(), depth, components));
        break;
      default:
        cursor.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(source_.status());
  NamedTypes types;
  std::vector<Value> children;
  for (auto& [component, value] : components) {
    types.emplace_back(component, value.spec());
    children.push_back(std::move(value));
  }
  SIGNET_ASSIGN_OR_RETURN(TypeSpec spec,
                          MakeExtensionType(std::move(name), std::move(statics), std::move(types)));
  return WithChildren(spec, children);
}

StatusOr<Value> ValueReader::ReadEncoded(WireCursor cursor, std::optional<EncodedArgument>* out) {
  if (out == nullptr) {
    return InvalidArgument(
        "expected data in another format only as a whole argument, found it within a value");
  }
  EncodedArgument& encoded = out->emplace();
  uint64_t format = 0;
  while (uint32_t tag = cursor.NextTag()) {
    switch (tag) {
      case WireTag(v1::Encoded::kFormatFieldNumber, kVarint):
        format = cursor.Varint();
        break;
      case WireTag(v1::Encoded::kDataFieldNumber, kBytes): {
        SIGNET_ASSIGN_OR_RETURN(encoded.data, source_.Take(cursor.Bytes(), 1));
        break;
      }
      case WireTag(v1::Encoded::kRowsFieldNumber, kBytes): {
        SIGNET_RETURN_IF_ERROR(source_.allowance().TakeBytes(sizeof(Buffer)));
        SIGNET_ASSIGN_OR_RETURN(Buffer row, source_.Take(cursor.Bytes(), 1));
        encoded.rows.push_back(std::move(row));
        break;
      }
      case WireTag(v1::Encoded::kMessageTypeFieldNumber, kBytes):
        encoded.message_type = cursor.Text();
        break;
      case WireTag(v1::Encoded::kRejectUnknownFieldsFieldNumber, kVarint):
        encoded.reject_unknown_fields = cursor.Varint() != 0;
        break;
      default:
        cursor.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(source_.status());
  SIGNET_ASSIGN_OR_RETURN(encoded.format, DataFormatFromNumber(format));
  return Value();
}

}  // namespace signet::wire
