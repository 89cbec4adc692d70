#include "core/formats/protobuf/protobuf_wire_reader.h"

#include <bit>
#include <cstring>

#include "core/formats/signet_wire/wire_cursor.h"

namespace signet {

using wire::WireType;

static_assert(std::endian::native == std::endian::little);

constexpr int kLongestVarint = 10;   // bytes
constexpr size_t kMostGroups = 100;  // nested unknown groups

std::string ProtobufWireReader::Place() const {
  return place_ == nullptr ? std::string() : Cat(", byte ", place_ - row_.data());
}

const char* ProtobufWireReader::Fault(const char* place, Status status) {
  if (status_.ok()) {
    status_ = std::move(status);
    place_ = place;
  }
  return nullptr;
}

bool ProtobufWireReader::Keep(Status status) {
  if (status.ok()) return true;
  Fault(nullptr, std::move(status));
  return false;
}

const char* ProtobufWireReader::FaultOfSize(const char* at, uint64_t size, size_t left) {
  return Fault(at, InvalidArgument("expected a field of ", size, " bytes, found ", left));
}

const char* ProtobufWireReader::ReadLongVarint(const char* at, const char* end, uint64_t& value) {
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

const char* ProtobufWireReader::ReadLongTag(const char* at, const char* end, uint32_t& tag) {
  uint64_t value;
  const char* next = ReadVarint(at, end, value);
  if (next == nullptr) return nullptr;
  if (value > UINT32_MAX) {
    return Fault(at, InvalidArgument("unknown tag ", value));
  }
  tag = static_cast<uint32_t>(value);
  return next;
}

const char* ProtobufWireReader::SkipOther(const char* start, const char* at, const char* end,
                                          uint32_t tag) {
  if (tag >> 3 == 0)
    return Fault(start, InvalidArgument("expected a field number of at least 1, found 0"));
  switch (static_cast<WireType>(tag & 7)) {
    case WireType::kGroup:
      return SkipGroup(start, at, end, tag);
    case WireType::kEndGroup:
      return Fault(start, InvalidArgument("group ", tag >> 3, " ends but did not begin"));
    case WireType::kVarint:
    case WireType::kFixed64:
    case WireType::kBytes:
    case WireType::kFixed32:
      return Fault(start, InvalidArgument("ends within a field"));
  }
  return Fault(start, InvalidArgument("expected a wire type from 0 to 5, found ", tag & 7));
}

const char* ProtobufWireReader::SkipGroup(const char* start, const char* at, const char* end,
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

}  // namespace signet
