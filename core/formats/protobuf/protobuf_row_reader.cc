#include "core/formats/protobuf/protobuf_row_reader.h"

#include <algorithm>
#include <cstring>

#include "core/base/protowire/zigzag.h"
#include "core/formats/signet_wire/wire_cursor.h"

namespace signet {
namespace {

using Op = ProtobufOp;
using Presence = SelectedField::Presence;
using wire::WireTag;
using wire::WireType;

int64_t EndBefore(const GrowingBuffer& ends, size_t index) {
  if (index == 0) return 0;
  int64_t end;
  std::memcpy(&end, ends.data() + (index - 1) * sizeof(int64_t), sizeof end);
  return end;
}

int64_t LastEnd(const GrowingBuffer& ends) {
  return EndBefore(ends, ends.size() / sizeof(int64_t));
}

void DropLastEnd(GrowingBuffer& ends) { ends.Truncate(ends.size() - sizeof(int64_t)); }

// Keeps the first `count` elements of messages or of a column.
void TruncateElements(ProtobufTarget& target, int64_t count) {
  if (target.count() <= count) return;
  if (target.message != nullptr) {
    TruncateObjects(*target.message, count);
    return;
  }
  target.node->data.Truncate(static_cast<size_t>(count) << target.width_log2);
  if (target.is_text) {
    target.node->text.Truncate(static_cast<size_t>(LastEnd(target.node->data)));
  }
}

void DropLast(ProtobufTarget& target) { TruncateElements(target, target.count() - 1); }

// Returns true if the last element of a column is the default value.
bool LastIsDefault(const ProtobufTarget& target) {
  const GrowingBuffer& data = target.node->data;
  if (target.is_text) {
    size_t count = data.size() / sizeof(int64_t);
    return EndBefore(data, count) == EndBefore(data, count - 1);
  }
  uint64_t value = 0;
  std::memcpy(&value, data.data() + data.size() - target.width(), target.width());
  return value == 0;
}

}  // namespace

void TruncateObjects(ProtobufTable& table, int64_t objects) {
  table.objects = objects;
  for (size_t i = 0; i < table.num_filled; ++i) {
    ProtobufTarget& target = table.targets[i];
    if (target.axis == nullptr) {
      TruncateElements(target, objects);
      continue;
    }
    GrowingBuffer& splits = target.axis->splits;
    size_t size = static_cast<size_t>(objects) * sizeof(int64_t);
    if (splits.size() > size) splits.Truncate(size);
    TruncateElements(target, LastEnd(splits));
  }
}

Status ProtobufRowReader::Read(ProtobufTable& root) {
  BeginObject(root);
  if (ReadMessage(root, begin(), end(), 0) == nullptr || !EndObject(root)) return status();
  FaultIfMissing(root);
  return status();
}

// --- fields -------------------------------------------------------------------------------------

inline void ProtobufRowReader::NoteSingular(ProtobufTable& table, ProtobufTarget& target) {
  if (target.seen == table.object) [[unlikely]] {
    if (target.node != nullptr && target.message == nullptr) DropLast(target);
    return;
  }
  target.seen = table.object;
  if (target.oneof < 0) return;
  auto& oneof = table.oneofs[static_cast<size_t>(target.oneof)];
  if (oneof.object == table.object && oneof.member != &target) {
    oneof.member->seen = 0;
    if (oneof.member->node != nullptr) DropLast(*oneof.member);
  }
  oneof = {table.object, &target};
}

[[gnu::always_inline]] inline bool ProtobufRowReader::AppendBytes(GrowingBuffer& column,
                                                                  std::string_view bytes) {
  if (!MakeRoom(column, bytes.size())) return false;
  // Short texts are copied together with the bytes after them, which is faster than an exact copy.
  constexpr size_t kShort = GrowingBuffer::kOverrun;
  if (bytes.size() <= kShort && static_cast<size_t>(end() - bytes.data()) >= kShort) {
    std::memcpy(column.end(), bytes.data(), kShort);
  } else {
    std::memcpy(column.end(), bytes.data(), bytes.size());
  }
  column.Extend(bytes.size());
  return true;
}

template <class Decode>
inline const char* ProtobufRowReader::ReadVarintField(ProtobufTable& table, ProtobufTarget& target,
                                                      const char* at, const char* end,
                                                      Decode decode) {
  uint64_t number;
  at = ReadVarint(at, end, number);
  if (at == nullptr) return nullptr;
  if (target.is_singular) NoteSingular(table, target);
  return Append(target.node->data, decode(number)) ? at : nullptr;
}

template <class T>
inline const char* ProtobufRowReader::ReadFixedField(ProtobufTable& table, ProtobufTarget& target,
                                                     const char* at, const char* end) {
  T value;
  if (static_cast<size_t>(end - at) < sizeof value) {
    return Fault(at, InvalidArgument("ends within a field"));
  }
  std::memcpy(&value, at, sizeof value);
  if (target.is_singular) NoteSingular(table, target);
  return Append(target.node->data, value) ? at + sizeof value : nullptr;
}

[[gnu::always_inline]] inline const char* ProtobufRowReader::ReadText(ProtobufTable& table,
                                                                      ProtobufTarget& target,
                                                                      const char* at,
                                                                      const char* end) {
  std::string_view bytes;
  at = ReadBytes(at, end, bytes);
  if (at == nullptr) return nullptr;
  if (target.is_singular) NoteSingular(table, target);
  GrowingBuffer& text = target.node->text;
  if (!bytes.empty() && !AppendBytes(text, bytes)) return nullptr;
  return Append(target.node->data, static_cast<int64_t>(text.size())) ? at : nullptr;
}

[[gnu::always_inline]] inline const char* ProtobufRowReader::ReadPackedFixed(ProtobufTarget& target,
                                                                             const char* at,
                                                                             const char* end) {
  std::string_view bytes;
  at = ReadBytes(at, end, bytes);
  if (at == nullptr || bytes.empty()) return at;
  if (bytes.size() % target.width() != 0) {
    return Fault(bytes.data(), InvalidArgument("expected a multiple of ", target.width(),
                                               " bytes of packed numbers, found ", bytes.size()));
  }
  return AppendBytes(target.node->data, bytes) ? at : nullptr;
}

template <class T, class Decode>
bool ProtobufRowReader::AppendPacked(ProtobufTarget& target, const char* at, const char* end,
                                     Decode decode) {
  auto count = static_cast<size_t>(
      std::count_if(at, end, [](char c) { return static_cast<signed char>(c) >= 0; }));
  GrowingBuffer& data = target.node->data;
  if (!MakeRoom(data, count * sizeof(T))) return false;
  // Each number has one byte without a continuation bit. The last number may be truncated.
  while (at < end) {
    uint64_t number;
    at = ReadVarint(at, end, number);
    if (at == nullptr) return false;
    data.Put(static_cast<T>(decode(number)));
  }
  return true;
}

const char* ProtobufRowReader::ReadPacked(ProtobufTarget& target, ProtobufOp op, const char* at,
                                          const char* end) {
  std::string_view bytes;
  const char* next = ReadBytes(at, end, bytes);
  if (next == nullptr) return nullptr;
  at = bytes.data();
  auto same = [](uint64_t value) { return value; };
  bool is_read = op == Op::kPackedVarint32   ? AppendPacked<uint32_t>(target, at, next, same)
                 : op == Op::kPackedVarint64 ? AppendPacked<uint64_t>(target, at, next, same)
                 : op == Op::kPackedZigZag32 ? AppendPacked<int32_t>(target, at, next, ZigZag32)
                 : op == Op::kPackedZigZag64 ? AppendPacked<int64_t>(target, at, next, ZigZag64)
                                             : AppendPacked<bool>(target, at, next, same);
  return is_read ? next : nullptr;
}

// --- messages -----------------------------------------------------------------------------------

const char* ProtobufRowReader::ReadMessage(ProtobufTable& table, const char* at, const char* end,
                                           uint32_t end_tag) {
  const char* start = at;
  const ProtobufSlot* const* short_tags = table.short_tags.data();
  while (at < end) {
    const char* field = at;
    uint32_t tag = static_cast<uint8_t>(*at);
    const ProtobufSlot* slot;
    if (tag < 0x80) [[likely]] {
      ++at;
      slot = short_tags[tag];
    } else {
      at = ReadTag(at, end, tag);
      if (at == nullptr) return nullptr;
      slot = table.Lookup(tag);
    }
    if (slot != nullptr) {
      at = ReadField(table, *slot, at, end);
    } else if (tag == end_tag && end_tag != 0) {
      return at;
    } else if (rejects_unknown_fields_) [[unlikely]] {
      return Fault(field, InvalidArgument("expected a field of the parameter, found field number ",
                                          tag >> 3));
    } else {
      at = Skip(field, at, end, tag);
    }
    if (at == nullptr) return nullptr;
  }
  if (end_tag != 0) {
    return Fault(start, InvalidArgument("group ", end_tag >> 3, " has no end"));
  }
  return at;
}

[[gnu::always_inline]] inline const char* ProtobufRowReader::ReadField(ProtobufTable& table,
                                                                       const ProtobufSlot& slot,
                                                                       const char* at,
                                                                       const char* end) {
  ProtobufTarget& target = *slot.target;
  switch (slot.op) {
    case Op::kVarint32:
      return ReadVarintField(table, target, at, end,
                             [](uint64_t value) { return static_cast<uint32_t>(value); });
    case Op::kVarint64:
      return ReadVarintField(table, target, at, end, [](uint64_t value) { return value; });
    case Op::kBool:
      return ReadVarintField(table, target, at, end, [](uint64_t value) { return value != 0; });
    case Op::kFixed32:
      return ReadFixedField<uint32_t>(table, target, at, end);
    case Op::kFixed64:
      return ReadFixedField<uint64_t>(table, target, at, end);
    case Op::kText:
      return ReadText(table, target, at, end);
    case Op::kMessage:
      while (true) {  // a message is often followed by another one of the same field
        std::string_view bytes;
        at = ReadBytes(at, end, bytes);
        if (at != nullptr) at = ReadChild(table, target, bytes.data(), at, 0);
        if (at == nullptr || at == end) return at;
        // The first byte of a longer tag is negative.
        if (static_cast<signed char>(*at) != static_cast<int64_t>(slot.tag)) return at;
        ++at;
      }
    case Op::kPackedFixed32:
    case Op::kPackedFixed64:
      return ReadPackedFixed(target, at, end);
    default:
      return ReadRareField(table, slot, at, end);
  }
}

// In a function of its own, so that the code for common fields stays compact.
const char* ProtobufRowReader::ReadRareField(ProtobufTable& table, const ProtobufSlot& slot,
                                             const char* at, const char* end) {
  const char* start = at;
  std::string_view bytes;
  ProtobufTarget& target = *slot.target;
  switch (slot.op) {
    case Op::kZigZag32:
      return ReadVarintField(table, target, at, end, ZigZag32);
    case Op::kZigZag64:
      return ReadVarintField(table, target, at, end, ZigZag64);
    case Op::kGroup:
      return ReadChild(table, target, at, end,
                       WireTag(static_cast<int>(slot.tag >> 3), WireType::kEndGroup));
    case Op::kMapEntry: {
      at = ReadBytes(at, end, bytes);
      if (at == nullptr) return nullptr;
      ProtobufMap& map = table.maps[slot.index];
      if (map.object != table.object) map.entries.clear();
      map.object = table.object;
      map.entries.push_back({{}, bytes});
      return at;
    }
    case Op::kNote:
      at = Skip(start, at, end, slot.tag);
      if (at != nullptr) NoteSingular(table, target);
      return at;
    case Op::kAnyUrl:
    case Op::kAnyValue: {
      at = ReadBytes(at, end, bytes);
      if (at == nullptr) return nullptr;
      bool is_url = slot.op == Op::kAnyUrl;
      (is_url ? table.any.url : table.any.value) = bytes;
      (is_url ? table.any.url_object : table.any.value_object) = table.object;
      return target.node == nullptr ? at : ReadText(table, target, start, end);
    }
    default:
      return ReadPacked(target, slot.op, at, end);
  }
}

[[gnu::always_inline]] inline const char* ProtobufRowReader::ReadChild(ProtobufTable& table,
                                                                       ProtobufTarget& target,
                                                                       const char* at,
                                                                       const char* end,
                                                                       uint32_t end_tag) {
  ProtobufTable& child = *target.message;
  if (target.is_singular && target.seen == table.object) {
    ReopenObject(child);  // copies of a message are merged
  } else {
    if (target.is_singular) NoteSingular(table, target);
    BeginObject(child);
  }
  at = ReadMessage(child, at, end, end_tag);
  if (at == nullptr || !EndObject(child)) return nullptr;
  // Another copy of a singular message may contain the missing field.
  if (child.can_miss && !target.is_singular && FaultIfMissing(child)) return nullptr;
  return at;
}

// --- objects ------------------------------------------------------------------------------------

bool ProtobufRowReader::EndObject(ProtobufTable& table) {
  if (!table.maps.empty() && !FillMaps(table)) return false;
  if (!table.any.casts.empty() && !FillCasts(table)) return false;
  for (ProtobufTarget* target : table.ends) {
    if (!EndTarget(table, *target)) return false;
  }
  for (ProtobufTarget* target : table.dimensions) {
    if (!Append(target->axis->splits, target->count())) return false;
  }
  if (table.can_miss) FindMissing(table);
  return true;
}

inline bool ProtobufRowReader::EndTarget(ProtobufTable& table, ProtobufTarget& target) {
  bool is_seen = target.seen == table.object;
  switch (target.presence) {
    case Presence::kDense:
    case Presence::kDefaulted:
      return is_seen || AppendDefault(target);
    case Presence::kImplicit:
      if (is_seen && LastIsDefault(target)) {
        DropLast(target);
        target.seen = 0;
      }
      return true;
    case Presence::kRequired:
    case Presence::kOptional:
    case Presence::kRepeated:
      return true;
  }
  __builtin_unreachable();
}

bool ProtobufRowReader::AppendDefault(ProtobufTarget& target) {
  if (target.message != nullptr) {
    BeginObject(*target.message);
    return EndObject(*target.message);
  }
  GrowingBuffer& data = target.node->data;
  if (target.is_text) return Append(data, static_cast<int64_t>(target.node->text.size()));
  if (!MakeRoom(data, target.width())) return false;
  std::memset(data.end(), 0, sizeof(int64_t));  // no element is wider
  data.Extend(target.width());
  return true;
}

void ProtobufRowReader::ReopenObject(ProtobufTable& table) {
  for (size_t i = 0; i < table.num_filled; ++i) {
    ProtobufTarget& target = table.targets[i];
    if (target.axis != nullptr) {
      DropLastEnd(target.axis->splits);
      if (target.is_late) TruncateElements(target, LastEnd(target.axis->splits));
    }
    bool is_default =
        target.presence == Presence::kDense || target.presence == Presence::kDefaulted;
    if (is_default && target.seen != table.object) DropLast(target);
  }
}

void ProtobufRowReader::FindMissing(ProtobufTable& table) {
  table.missing = {};
  for (const ProtobufTarget& target : table.targets) {
    bool is_seen = target.seen == table.object;
    if (target.presence == Presence::kRequired && !is_seen) {
      table.missing = {&table, &target};
    } else if (target.message != nullptr && target.is_singular && !target.is_late &&
               (is_seen || target.presence == Presence::kDense) &&
               target.message->missing.target != nullptr) {
      table.missing = target.message->missing;
    }
  }
}

bool ProtobufRowReader::FaultIfMissing(const ProtobufTable& table) {
  if (table.missing.target == nullptr) return false;
  std::string path = table.missing.table->PathOf(*table.missing.target);
  Fault(nullptr, InvalidWithReason("MISSING_REQUIRED", "`", path, "`: required, and not there"));
  return true;
}

}  // namespace signet
