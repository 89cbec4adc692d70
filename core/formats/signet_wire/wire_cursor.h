// WireCursor: reads the fields of a protobuf message from the pieces in which it was received.
//
//   WireCursor cursor(source);
//   while (uint32_t tag = cursor.NextTag()) {
//     switch (tag) {
//       case WireTag(1, WireType::kVarint): id = cursor.Varint(); break;
//       case WireTag(2, WireType::kBytes): ReadCall(cursor.Enter()); break;
//       default: cursor.Skip(tag);  // unknown fields, and known ones of another wire type
//     }
//   }
//   return source.status();
//
// A fault (truncated, endless varint, stray end of a group) is kept in the source; from then on
// every cursor is at its end and reads zeros, so it is enough to ask once a message. One thread.

#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <absl/container/inlined_vector.h>

#include "core/formats/common/allowance.h"
#include "core/formats/signet_wire/wire.h"

namespace signet::wire {

enum class WireType : uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5
};

constexpr uint32_t WireTag(int field, WireType type) {
  return static_cast<uint32_t>(field) << 3 | static_cast<uint32_t>(type);
}

// A run of bytes in a message, perhaps across pieces.
struct Extent {
  size_t piece = 0;
  size_t offset = 0;  // in the piece
  size_t size = 0;
};

// Longest name (model, function, keyword, key, field); names are repeated along the paths of a
// type.
inline constexpr size_t kMaxNameBytes = 256;

// A message being read: its pieces, what is left of the limits, and the first fault.
class WireSource {
 public:
  // `message` must outlive the source.
  WireSource(const Message& message, const Limits& limits);
  WireSource(const WireSource&) = delete;
  WireSource& operator=(const WireSource&) = delete;

  size_t size() const { return size_; }
  Allowance& allowance() { return allowance_; }
  const Status& status() const { return status_; }
  bool ok() const { return status_.ok(); }

  // The bytes, aligned, and counted as expanded: borrowed when they lie in one piece, aligned, and
  // the message has an owner; else copied.
  StatusOr<Buffer> Take(const Extent& extent, size_t alignment);
  // A copy of the bytes at `out`, which has room for them.
  void Copy(const Extent& extent, std::byte* out) const;

 private:
  friend class WireCursor;
  std::span<const std::byte> piece(size_t i) const { return message_.pieces[i]; }
  void Fault(Status status) {
    if (status_.ok()) status_ = std::move(status);
  }

  const Message& message_;
  Allowance allowance_;
  absl::InlinedVector<Buffer, 2> borrowed_;  // one a piece, made when first needed
  size_t size_ = 0;
  Status status_;
};

// A place in a message; copying one remembers the place.
class WireCursor {
 public:
  explicit WireCursor(WireSource& source);

  // The next field's tag; 0 at the end of the message.
  uint32_t NextTag();
  uint64_t Varint() {
    if (at_ < end_ && (*at_ & std::byte{0x80}) == std::byte{0})
      return static_cast<uint64_t>(*at_++);
    return LongVarint();
  }
  int64_t Int64() { return static_cast<int64_t>(Varint()); }
  uint64_t Fixed64();
  Extent Bytes() { return Advance(FieldSize()); }
  // Text, which must be UTF-8, of at most `longest` bytes.
  std::string Text(size_t longest = kMaxNameBytes);
  // Bytes of any kind, counted as expanded.
  std::string String();
  // A cursor over the field's content; this one goes on behind it.
  WireCursor Enter();
  void Skip(uint32_t tag);

  bool AtEnd() const { return at_ == end_ && later_ == 0; }
  size_t remaining() const { return static_cast<size_t>(end_ - at_) + later_; }
  size_t position() const;  // bytes from the start of the whole message

 private:
  uint64_t LongVarint();
  std::byte NextByte();  // 0 at the end, which is a fault
  bool NextPiece();      // when at_ == end_ and later_ > 0
  size_t FieldSize();    // a length, of no more bytes than are left
  Extent Advance(size_t size);
  void Fault(size_t position, std::string_view text);
  void Stop(Status status);

  WireSource* source_;
  size_t piece_ = 0;
  size_t before_ = 0;  // bytes of the whole message before this piece
  const std::byte* at_ = nullptr;
  const std::byte* end_ = nullptr;  // of this message in this piece
  size_t later_ = 0;                // bytes of this message in later pieces
};

}  // namespace signet::wire
