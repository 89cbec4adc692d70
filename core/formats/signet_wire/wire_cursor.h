// WireCursor: reads the fields of a protobuf message from the received pieces.
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
// The source stores the first fault (a truncated message, an endless varint, or a stray end of a
// group). From then on, every cursor is at its end and reads zeros, so one check per message is
// enough. Not thread-safe.

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

// Consecutive bytes of a message, possibly in several pieces.
struct Extent {
  size_t piece = 0;
  size_t offset = 0;  // in the first piece
  size_t size = 0;
};

// Maximum bytes of a name (model, function, keyword, key, field). Paths of types repeat names.
inline constexpr size_t kMaxNameBytes = 256;

// A message that is being read: its pieces, the rest of the limits, and the first fault.
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

  // Returns the bytes, aligned, and counts them as expanded. Borrows them if they are in one piece
  // and aligned and the message has an owner; otherwise copies them.
  StatusOr<Buffer> Take(const Extent& extent, size_t alignment);
  // Copies the bytes to `out`, which has room for them.
  void Copy(const Extent& extent, std::byte* out) const;

 private:
  friend class WireCursor;
  std::span<const std::byte> piece(size_t i) const { return message_.pieces[i]; }
  void Fault(Status status) {
    if (status_.ok()) status_ = std::move(status);
  }

  const Message& message_;
  Allowance allowance_;
  absl::InlinedVector<Buffer, 2> borrowed_;  // one per piece, created when first needed
  size_t size_ = 0;
  Status status_;
};

// A position in a message. A copy remembers the position.
class WireCursor {
 public:
  explicit WireCursor(WireSource& source);

  // Returns the tag of the next field, or 0 at the end of the message.
  uint32_t NextTag();
  uint64_t Varint() {
    if (at_ < end_ && (*at_ & std::byte{0x80}) == std::byte{0})
      return static_cast<uint64_t>(*at_++);
    return LongVarint();
  }
  int64_t Int64() { return static_cast<int64_t>(Varint()); }
  uint32_t Fixed32();
  uint64_t Fixed64();
  Extent Bytes() { return Advance(FieldSize()); }
  // Returns text of at most `longest` bytes, which must be UTF-8.
  std::string Text(size_t longest = kMaxNameBytes);
  // Returns any bytes, and counts them as expanded.
  std::string String();
  // Returns a cursor for the content of the field. This cursor continues after it.
  WireCursor Enter();
  void Skip(uint32_t tag);

  bool AtEnd() const { return at_ == end_ && later_ == 0; }
  size_t remaining() const { return static_cast<size_t>(end_ - at_) + later_; }
  size_t position() const;  // bytes from the beginning of the whole message

 private:
  uint64_t LongVarint();
  std::byte NextByte();  // 0 at the end, which is a fault
  bool NextPiece();      // requires at_ == end_ and later_ > 0
  size_t FieldSize();    // a length, at most the remaining bytes
  Extent Advance(size_t size);
  void Fault(size_t position, std::string_view text);
  void Stop(Status status);

  WireSource* source_;
  size_t piece_ = 0;
  size_t before_ = 0;  // bytes of the whole message before this piece
  const std::byte* at_ = nullptr;
  const std::byte* end_ = nullptr;  // end of this message in this piece
  size_t later_ = 0;                // bytes of this message in later pieces
};

}  // namespace signet::wire
