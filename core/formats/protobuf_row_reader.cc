#include "core/formats/protobuf_row_reader.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/formats/wire_cursor.h"

namespace signet {
namespace {

static_assert(std::endian::native == std::endian::little);

using Op = ProtobufOp;
using Presence = SelectedField::Presence;
using wire::WireTag;
using wire::WireType;

constexpr int kLongestVarint = 10;   // bytes
constexpr size_t kMostGroups = 100;  // unknown groups within one another
constexpr size_t kShortText = 16;    // bytes that are copied at once

int32_t ZigZag32(uint64_t value) {
  auto number = static_cast<uint32_t>(value);
  return static_cast<int32_t>((number >> 1) ^ (0 - (number & 1)));
}
int64_t ZigZag64(uint64_t value) { return static_cast<int64_t>((value >> 1) ^ (0 - (value & 1))); }

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

// Keeps the first `count` elements, of messages or of a column.
void TruncateElements(ProtobufTarget& target, int64_t count) {
  if (target.count() <= count) return;
  if (target.message != nullptr) {
    TruncateObjects(*target.message, count);
    return;
  }
  target.node->data.Truncate(static_cast<size_t>(count) * target.width);
  if (target.is_text) {
    target.node->text.Truncate(static_cast<size_t>(LastEnd(target.node->data)));
  }
}

void DropLast(ProtobufTarget& target) { TruncateElements(target, target.count() - 1); }

// Whether the last element of a column is the default value.
bool LastIsDefault(const ProtobufTarget& target) {
  const GrowingBuffer& data = target.node->data;
  if (target.is_text) {
    size_t count = data.size() / sizeof(int64_t);
    return EndBefore(data, count) == EndBefore(data, count - 1);
  }
  uint64_t value = 0;
  std::memcpy(&value, data.data() + data.size() - target.width, target.width);
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
  const char* end = row_.data() + row_.size();
  if (ReadMessage(root, row_.data(), end, 0) == nullptr || !EndObject(root)) return status_;
  FaultIfMissing(root);
  return status_;
}

std::string ProtobufRowReader::Place() const {
  return place_ == nullptr ? std::string() : Cat(", byte ", place_ - row_.data());
}

const char* ProtobufRowReader::Fault(const char* place, Status status) {
  if (status_.ok()) {
    status_ = std::move(status);
    place_ = place;
  }
  return nullptr;
}

bool ProtobufRowReader::Keep(Status status) {
  if (status.ok()) return true;
  Fault(nullptr, std::move(status));
  return false;
}

bool ProtobufRowReader::TakeBytes(int64_t bytes) {
  bytes_ += bytes;
  if (bytes_ <= max_bytes_) return true;
  return Keep(ResourceExhausted("more than ", max_bytes_,
                                " bytes in columns, which is the limit (--max_expanded_bytes)"));
}

bool ProtobufRowReader::FaultIfMissing(const ProtobufTable& table) {
  if (table.missing.target == nullptr) return false;
  std::string path = table.missing.table->PathOf(*table.missing.target);
  Fault(nullptr, Refuse("MISSING_REQUIRED", "`", path, "`: required, and not there"));
  return true;
}

// --- the wire format ----------------------------------------------------------------------------

inline const char* ProtobufRowReader::ReadVarint(const char* at, const char* end, uint64_t& value) {
  if (at < end && static_cast<signed char>(*at) >= 0) [[likely]] {
    value = static_cast<uint8_t>(*at);
    return at + 1;
  }
  return ReadLongVarint(at, end, value);
}

const char* ProtobufRowReader::ReadLongVarint(const char* at, const char* end, uint64_t& value) {
  const char* start = at;
  value = 0;
  for (int i = 0; i < kLongestVarint; ++i) {
    if (at == end) return Fault(start, InvalidArgument("ends within a number"));
    auto byte = static_cast<uint8_t>(*at++);
    value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) return at;
  }
  return Fault(start, InvalidArgument("a number of more than 10 bytes"));
}

const char* ProtobufRowReader::ReadTag(const char* at, const char* end, uint32_t& tag) {
  uint64_t value;
  const char* next = ReadVarint(at, end, value);
  if (next == nullptr) return nullptr;
  if (value > UINT32_MAX) {
    return Fault(at, InvalidArgument("tag ", value, ", which no field has"));
  }
  tag = static_cast<uint32_t>(value);
  return next;
}

inline const char* ProtobufRowReader::ReadBytes(const char* at, const char* end,
                                                std::string_view& bytes) {
  uint64_t size;
  const char* begin = ReadVarint(at, end, size);
  if (begin == nullptr) return nullptr;
  auto left = static_cast<size_t>(end - begin);
  if (size > left) [[unlikely]] {
    return Fault(at, InvalidArgument("a field of ", size, " bytes; ", left, " are left"));
  }
  bytes = {begin, static_cast<size_t>(size)};
  return begin + size;
}

const char* ProtobufRowReader::Skip(const char* start, const char* at, const char* end,
                                    uint32_t tag) {
  uint64_t number;
  std::string_view bytes;
  auto fixed = [&](int64_t size) {
    if (end - at >= size) return at + size;
    return Fault(start, InvalidArgument("ends within a field"));
  };
  if (tag >> 3 == 0) return Fault(start, InvalidArgument("field number 0; takes 1 or more"));
  switch (static_cast<WireType>(tag & 7)) {
    case WireType::kVarint:
      return ReadVarint(at, end, number);
    case WireType::kFixed64:
      return fixed(8);
    case WireType::kBytes:
      return ReadBytes(at, end, bytes);
    case WireType::kGroup:
      return SkipGroup(start, at, end, tag);
    case WireType::kEndGroup:
      return Fault(start, InvalidArgument("the end of group ", tag >> 3, ", which did not begin"));
    case WireType::kFixed32:
      return fixed(4);
  }
  return Fault(start, InvalidArgument("wire type ", tag & 7, "; takes 0 to 5"));
}

const char* ProtobufRowReader::SkipGroup(const char* start, const char* at, const char* end,
                                         uint32_t tag) {
  absl::InlinedVector<uint32_t, 8> groups = {tag >> 3};
  while (!groups.empty()) {
    if (at == end) return Fault(start, InvalidArgument("group ", groups.back(), " has no end"));
    const char* field = at;
    at = ReadTag(at, end, tag);
    if (at == nullptr) return nullptr;
    auto wire = static_cast<WireType>(tag & 7);
    if (wire == WireType::kEndGroup && tag >> 3 == groups.back()) {
      groups.pop_back();
    } else if (wire == WireType::kGroup && tag >> 3 != 0) {
      if (groups.size() == kMostGroups) {
        return Fault(field, InvalidArgument("groups nested more than ", kMostGroups, " deep"));
      }
      groups.push_back(tag >> 3);
    } else {
      at = Skip(field, at, end, tag);
      if (at == nullptr) return nullptr;
    }
  }
  return at;
}

// --- messages -----------------------------------------------------------------------------------

const char* ProtobufRowReader::ReadMessage(ProtobufTable& table, const char* at, const char* end,
                                           uint32_t end_tag) {
  const char* start = at;
  while (at < end) {
    const char* field = at;
    uint32_t tag = static_cast<uint8_t>(*at);
    uint32_t slot;
    if (tag < 0x80) [[likely]] {
      ++at;
      slot = table.short_tags[tag];
    } else if (end - at > 1 && static_cast<signed char>(at[1]) > 0) {
      tag = (tag & 0x7f) | static_cast<uint32_t>(static_cast<uint8_t>(at[1])) << 7;
      at += 2;
      slot = table.Lookup(tag);
    } else {
      at = ReadTag(at, end, tag);
      if (at == nullptr) return nullptr;
      slot = table.Lookup(tag);
    }
    if (slot != 0) [[likely]] {
      at = ReadField(table, table.slots[slot - 1], at, end);
    } else if (tag == end_tag && end_tag != 0) {
      return at;
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

template <class T>
inline bool ProtobufRowReader::Append(ProtobufTable& table, ProtobufTarget& target, T value) {
  if (target.is_singular) NoteSingular(table, target);
  return TakeBytes(sizeof(T)) && Keep(target.node->data.Append(value));
}

const char* ProtobufRowReader::ReadField(ProtobufTable& table, const ProtobufSlot& slot,
                                         const char* at, const char* end) {
  const char* start = at;
  uint64_t number = 0;
  std::string_view bytes;
  // Of a map it is another index.
  ProtobufTarget& target = table.targets[slot.op == Op::kMapEntry ? 0 : slot.target];
  auto varint = [&](auto decode) -> const char* {
    at = ReadVarint(at, end, number);
    return at != nullptr && Append(table, target, decode(number)) ? at : nullptr;
  };
  auto fixed = [&](auto value) -> const char* {
    if (static_cast<size_t>(end - at) < sizeof value) {
      return Fault(start, InvalidArgument("ends within a field"));
    }
    std::memcpy(&value, at, sizeof value);
    return Append(table, target, value) ? at + sizeof value : nullptr;
  };
  switch (slot.op) {
    case Op::kVarint32:
      return varint([](uint64_t value) { return static_cast<uint32_t>(value); });
    case Op::kVarint64:
      return varint([](uint64_t value) { return value; });
    case Op::kZigZag32:
      return varint(ZigZag32);
    case Op::kZigZag64:
      return varint(ZigZag64);
    case Op::kBool:
      return varint([](uint64_t value) { return value != 0; });
    case Op::kFixed32:
      return fixed(uint32_t{});
    case Op::kFixed64:
      return fixed(uint64_t{});
    case Op::kText:
      return ReadText(table, target, at, end);
    case Op::kMessage:
      at = ReadBytes(at, end, bytes);
      if (at == nullptr) return nullptr;
      return ReadChild(table, target, bytes.data(), at, 0);
    case Op::kGroup:
      return ReadChild(table, target, at, end,
                       WireTag(static_cast<int>(slot.tag >> 3), WireType::kEndGroup));
    case Op::kPackedVarint32:
    case Op::kPackedVarint64:
    case Op::kPackedZigZag32:
    case Op::kPackedZigZag64:
    case Op::kPackedBool:
    case Op::kPackedFixed32:
    case Op::kPackedFixed64:
      at = ReadBytes(at, end, bytes);
      if (at == nullptr) return nullptr;
      return ReadPacked(target, slot.op, bytes.data(), at);
    case Op::kMapEntry: {
      at = ReadBytes(at, end, bytes);
      if (at == nullptr) return nullptr;
      ProtobufMap& map = table.maps[slot.target];
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
      if (target.node == nullptr) return at;
      return ReadText(table, target, start, end);
    }
  }
  __builtin_unreachable();
}

const char* ProtobufRowReader::ReadChild(ProtobufTable& table, ProtobufTarget& target,
                                         const char* at, const char* end, uint32_t end_tag) {
  ProtobufTable& child = *target.message;
  if (target.is_singular && target.seen == table.object) {
    ReopenObject(child);  // what is sent twice is merged
  } else {
    if (target.is_singular) NoteSingular(table, target);
    BeginObject(child);
  }
  at = ReadMessage(child, at, end, end_tag);
  if (at == nullptr || !EndObject(child)) return nullptr;
  // What a singular message lacks, another copy of it may bring.
  if (!target.is_singular && FaultIfMissing(child)) return nullptr;
  return at;
}

const char* ProtobufRowReader::ReadText(ProtobufTable& table, ProtobufTarget& target,
                                        const char* at, const char* end) {
  std::string_view bytes;
  at = ReadBytes(at, end, bytes);
  if (at == nullptr) return nullptr;
  if (target.is_singular) NoteSingular(table, target);
  if (!TakeBytes(static_cast<int64_t>(bytes.size() + sizeof(int64_t)))) return nullptr;
  GrowingBuffer& text = target.node->text;
  size_t room = std::max(bytes.size(), kShortText);
  if (!Keep(text.Reserve(room))) return nullptr;
  if (bytes.size() <= kShortText &&
      static_cast<size_t>(row_.data() + row_.size() - bytes.data()) >= kShortText) {
    std::memcpy(text.end(), bytes.data(), kShortText);
  } else {
    std::memcpy(text.end(), bytes.data(), bytes.size());
  }
  text.Extend(bytes.size());
  return Keep(target.node->data.Append(static_cast<int64_t>(text.size()))) ? at : nullptr;
}

template <class T, class Decode>
bool ProtobufRowReader::AppendPackedVarints(ProtobufTarget& target, const char* at, const char* end,
                                            Decode decode) {
  auto count = static_cast<size_t>(
      std::count_if(at, end, [](char c) { return static_cast<signed char>(c) >= 0; }));
  GrowingBuffer& data = target.node->data;
  if (!TakeBytes(static_cast<int64_t>(count * sizeof(T))) ||
      !Keep(data.Reserve(count * sizeof(T)))) {
    return false;
  }
  // Each number has one byte without a continuation; what is behind the last is cut short.
  while (at < end) {
    uint64_t number;
    at = ReadVarint(at, end, number);
    if (at == nullptr) return false;
    T value = decode(number);
    std::memcpy(data.end(), &value, sizeof value);
    data.Extend(sizeof value);
  }
  return true;
}

bool ProtobufRowReader::AppendPackedFixed(ProtobufTarget& target, const char* at, size_t size) {
  if (size % target.width != 0) {
    Fault(at, InvalidArgument("a packed run of ", size, " bytes; each number takes ",
                              static_cast<int>(target.width)));
    return false;
  }
  return TakeBytes(static_cast<int64_t>(size)) && Keep(target.node->data.AppendBytes({at, size}));
}

const char* ProtobufRowReader::ReadPacked(ProtobufTarget& target, ProtobufOp op, const char* at,
                                          const char* end) {
  bool is_read = false;
  switch (op) {
    case Op::kPackedVarint32:
      is_read = AppendPackedVarints<uint32_t>(
          target, at, end, [](uint64_t value) { return static_cast<uint32_t>(value); });
      break;
    case Op::kPackedVarint64:
      is_read =
          AppendPackedVarints<uint64_t>(target, at, end, [](uint64_t value) { return value; });
      break;
    case Op::kPackedZigZag32:
      is_read = AppendPackedVarints<int32_t>(target, at, end, ZigZag32);
      break;
    case Op::kPackedZigZag64:
      is_read = AppendPackedVarints<int64_t>(target, at, end, ZigZag64);
      break;
    case Op::kPackedBool:
      is_read =
          AppendPackedVarints<bool>(target, at, end, [](uint64_t value) { return value != 0; });
      break;
    default:  // the fixed ones
      is_read = AppendPackedFixed(target, at, static_cast<size_t>(end - at));
      break;
  }
  return is_read ? end : nullptr;
}

// --- objects ------------------------------------------------------------------------------------

void ProtobufRowReader::BeginObject(ProtobufTable& table) {
  ++table.object;
  ++table.objects;
  table.missing = {};
}

bool ProtobufRowReader::EndObject(ProtobufTable& table) {
  if (!table.maps.empty() && !FillMaps(table)) return false;
  if (!table.any.casts.empty() && !FillCasts(table)) return false;
  if (!TakeBytes(table.object_bytes)) return false;
  for (size_t i = 0; i < table.num_filled; ++i) {
    ProtobufTarget& target = table.targets[i];
    if (target.presence != Presence::kRepeated && target.presence != Presence::kOptional &&
        !EndTarget(table, target)) {
      return false;
    }
    if (target.axis != nullptr && !Keep(target.axis->splits.Append(target.count()))) return false;
  }
  if (!table.can_miss) return true;
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
  if (!TakeBytes(target.width)) return false;
  GrowingBuffer& data = target.node->data;
  if (target.is_text) return Keep(data.Append(static_cast<int64_t>(target.node->text.size())));
  if (!Keep(data.Reserve(target.width))) return false;
  std::memset(data.end(), 0, target.width);
  data.Extend(target.width);
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

// --- maps and Any -------------------------------------------------------------------------------

bool ProtobufRowReader::FillMaps(ProtobufTable& table) {
  for (ProtobufMap& map : table.maps) {
    if (map.object == table.object && !FillMap(map)) return false;
  }
  return true;
}

bool ProtobufRowReader::FillMap(ProtobufMap& map) {
  auto& entries = map.entries;
  for (auto& entry : entries) {
    if (!ReadKey(map, entry.bytes, entry.key)) return false;
  }
  auto before = [](const auto& a, const auto& b) { return a.key < b.key; };
  if (!std::is_sorted(entries.begin(), entries.end(), before)) {
    std::stable_sort(entries.begin(), entries.end(), before);
  }
  // Of equal keys, the last counts. The entries stay: more of the same message may come.
  auto next = entries.begin();
  for (auto entry = entries.begin(); entry != entries.end(); entry = next) {
    next = std::upper_bound(entry, entries.end(), *entry, before);
    const auto& last = *(next - 1);
    if (map.whole != nullptr && !FillMapEntry(*map.whole->message, last.bytes)) return false;
    for (auto& lookup : map.lookups) {
      if (lookup.key == last.key && !FillMapEntry(*lookup.entry, last.bytes)) return false;
    }
  }
  return true;
}

bool ProtobufRowReader::FillMapEntry(ProtobufTable& entry, std::string_view bytes) {
  BeginObject(entry);
  const char* end = bytes.data() + bytes.size();
  return ReadMessage(entry, bytes.data(), end, 0) != nullptr && EndObject(entry) &&
         !FaultIfMissing(entry);
}

bool ProtobufRowReader::ReadKey(const ProtobufMap& map, std::string_view entry, ProtobufKey& key) {
  const char* at = entry.data();
  const char* end = at + entry.size();
  uint64_t number = 0;
  key = {};
  while (at < end) {
    const char* start = at;
    uint32_t tag;
    at = ReadTag(at, end, tag);
    if (at == nullptr) return false;
    if (tag != map.key_tag) {
      at = Skip(start, at, end, tag);
    } else if (map.key_op == Op::kText) {
      at = ReadBytes(at, end, key.text);
    } else if (map.key_op == Op::kFixed32 || map.key_op == Op::kFixed64) {
      const char* value = at;
      at = Skip(start, at, end, tag);
      if (at == nullptr) return false;
      number = 0;
      std::memcpy(&number, value, static_cast<size_t>(at - value));
    } else {
      at = ReadVarint(at, end, number);
    }
    if (at == nullptr) return false;
  }
  bool is_narrow = map.key_op == Op::kVarint32 || map.key_op == Op::kFixed32;
  if (map.key_op == Op::kBool) number = number != 0 ? 1 : 0;
  if (map.key_op == Op::kZigZag32) number = static_cast<uint64_t>(int64_t{ZigZag32(number)});
  if (map.key_op == Op::kZigZag64) number = static_cast<uint64_t>(ZigZag64(number));
  if (is_narrow) {
    auto narrow = static_cast<uint32_t>(number);
    number = map.key_is_signed
                 ? static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(narrow)))
                 : narrow;
  }
  if (map.key_op != Op::kText) {
    key.number = map.key_is_signed ? number ^ (uint64_t{1} << 63) : number;
  }
  return true;
}

bool ProtobufRowReader::FillCasts(ProtobufTable& table) {
  const ProtobufAny& any = table.any;
  std::string_view url = any.url_object == table.object ? any.url : std::string_view();
  std::string_view value = any.value_object == table.object ? any.value : "";
  size_t slash = url.rfind('/');
  if (slash == std::string_view::npos) return true;
  std::string_view type_name = url.substr(slash + 1);
  for (const auto& cast : any.casts) {
    if (cast.type_name != type_name) continue;
    if (!FillMapEntry(*cast.target->message, value)) return false;
  }
  return true;
}

}  // namespace signet
