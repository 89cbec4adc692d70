// ProtobufRowReader: fills the fields that are known only at the end of a message: maps and Any.

#include <algorithm>
#include <cstring>

#include "core/base/protowire/zigzag.h"
#include "core/formats/protobuf/protobuf_row_reader.h"

namespace signet {

using Op = ProtobufOp;

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
  // The last of equal keys is used. The entries stay, because more of the same message may follow.
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
