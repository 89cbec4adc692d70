// ClientHello: the record with which a TLS client begins.
//
//   ClientHello hello;
//   while (hello.state() == ClientHello::State::kIncomplete)
//   hello.Add(Read(hello.missing_bytes()));
//   ... hello.random() ...
//
// The random number of a handshake identifies its connection, because OpenSSL reports the same
// number (RFC 8446, section 4.1.2; the layout is the same in TLS 1.2). Bytes that are not a
// ClientHello are kOther. A ClientHello that does not fit into one record, or whose number is 0, is
// kOther, too; no client is known to send that. Not thread-safe.

#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace signet {

class ClientHello {
 public:
  enum class State { kIncomplete, kComplete, kOther };
  static constexpr size_t kRandomBytes = 32;

  // Returns how many bytes may be read so that none after the record are read; 0 if the state is
  // not kIncomplete.
  size_t missing_bytes() const;
  // Adds at most missing_bytes() bytes.
  State Add(std::string_view bytes);
  State state() const { return state_; }
  // Valid if the state is kComplete.
  std::string_view random() const { return {start_.data() + kRandomBegin, kRandomBytes}; }

 private:
  // The record has a header of 5 bytes: type, version, and length. The message in it has a header
  // of 4 bytes, type and length, and begins with its version and the random number.
  static constexpr size_t kRecordHeaderBytes = 5;
  static constexpr size_t kMessageHeaderBytes = 4;
  static constexpr size_t kRandomBegin = kRecordHeaderBytes + kMessageHeaderBytes + 2;

  size_t NumberAt(size_t begin, size_t bytes) const;
  State FindState() const;

  std::array<char, kRandomBegin + kRandomBytes> start_ = {};
  size_t size_ = 0;  // bytes of the record that were added
  State state_ = State::kIncomplete;
};

}  // namespace signet
