// ProtobufWireReader: reads the tags, numbers, and lengths of a row, and skips unknown fields.
//
// Internal to ProtobufRowReader. Stores the first fault. Functions read from `at` to at most `end`,
// and return the position after the bytes read, or null after a fault. Not thread-safe.

#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "core/formats/signet_wire/wire_cursor.h"
#include "signet/status.h"

namespace signet {

class ProtobufWireReader {
 public:
  explicit ProtobufWireReader(std::string_view row) : row_(row.empty() ? "" : row) {}

  // Returns the position of the fault: `, byte 17`, or an empty text.
  std::string Place() const;

 protected:
  const char* begin() const { return row_.data(); }
  const char* end() const { return row_.data() + row_.size(); }
  const Status& status() const { return status_; }

  const char* ReadTag(const char* at, const char* end, uint32_t& tag) {
    if (at < end && static_cast<signed char>(*at) >= 0) {
      tag = static_cast<uint8_t>(*at);
      return at + 1;
    }
    if (end - at > 1 && static_cast<signed char>(at[1]) > 0) {
      tag = (static_cast<uint8_t>(*at) & 0x7fu) | static_cast<uint32_t>(at[1]) << 7;
      return at + 2;
    }
    return ReadLongTag(at, end, tag);
  }
  // Returns the number in up to 8 bytes, all of which except the last have their high bit set.
  // Combines 7 bits of each byte, then 14 of each pair, then 28 of each half.
  static uint64_t VarintOf(uint64_t word) {
    word = (word & 0x007f007f007f007f) | (word & 0x7f007f007f007f00) >> 1;
    word = (word & 0x00003fff00003fff) | (word & 0x3fff00003fff0000) >> 2;
    return (word & 0x0fffffff) | (word & 0x0fffffff00000000) >> 4;
  }
  const char* ReadVarint(const char* at, const char* end, uint64_t& value) {
    if (at < end && static_cast<signed char>(*at) >= 0) [[likely]] {
      value = static_cast<uint8_t>(*at);
      return at + 1;
    }
    if (end - at >= 8) [[likely]] {
      uint64_t word;
      std::memcpy(&word, at, sizeof word);
      if (uint64_t stops = ~word & 0x8080808080808080; stops != 0) {
        value = VarintOf(word & (stops ^ (stops - 1)));
        return at + (static_cast<size_t>(std::countr_zero(stops)) >> 3) + 1;
      }
    }
    return ReadLongVarint(at, end, value);
  }
  const char* ReadBytes(const char* at, const char* end, std::string_view& bytes) {
    uint64_t size;
    const char* begin = ReadVarint(at, end, size);
    if (begin == nullptr) return nullptr;
    if (size > static_cast<size_t>(end - begin)) [[unlikely]] {
      return FaultOfSize(at, size, static_cast<size_t>(end - begin));
    }
    bytes = {begin, static_cast<size_t>(size)};
    return begin + size;
  }
  // Skips a field after its tag, which is at `start`.
  const char* Skip(const char* start, const char* at, const char* end, uint32_t tag) {
    uint64_t number;
    std::string_view bytes;
    if (tag < 8) return SkipOther(start, at, end, tag);
    switch (static_cast<wire::WireType>(tag & 7)) {
      case wire::WireType::kVarint:
        return ReadVarint(at, end, number);
      case wire::WireType::kBytes:
        return ReadBytes(at, end, bytes);
      case wire::WireType::kFixed32:
        return end - at >= 4 ? at + 4 : SkipOther(start, at, end, tag);
      case wire::WireType::kFixed64:
        return end - at >= 8 ? at + 8 : SkipOther(start, at, end, tag);
      default:
        return SkipOther(start, at, end, tag);
    }
  }

  bool Keep(Status status);                             // false if `status` is an error
  const char* Fault(const char* place, Status status);  // returns null

 private:
  const char* ReadLongTag(const char* at, const char* end, uint32_t& tag);
  const char* ReadLongVarint(const char* at, const char* end, uint64_t& value);
  // Skips a group. Anything else is a fault.
  const char* SkipOther(const char* start, const char* at, const char* end, uint32_t tag);
  const char* SkipGroup(const char* start, const char* at, const char* end, uint32_t tag);
  const char* FaultOfSize(const char* at, uint64_t size, size_t left);

  const std::string_view row_;   // its data is not null even if it is empty
  const char* place_ = nullptr;  // position of the fault; null: the row as a whole
  Status status_;
};

}  // namespace signet
