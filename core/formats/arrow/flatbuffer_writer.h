// FlatWriter: writes a flatbuffer, parents before the parts that they refer to.
//
//   FlatWriter out;
//   size_t field = out.AddTable({{0, 4}, {1, 1, 1}});  // an offset; the number 1 in a byte
//   out.Link(field, 0, out.AddText("name"));
//
// The first table is the root. Not thread-safe. For data of Signet only, below 4 GiB.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "signet/status.h"

namespace signet {

class FlatWriter {
 public:
  // A field of a table: a number of `size` bytes, 1 to 8, or an offset of 4 bytes that is linked
  // later.
  struct Field {
    int number;
    size_t size;
    int64_t value = 0;
  };

  FlatWriter() : bytes_(sizeof(uint32_t), '\0') {}

  // These functions return the position of the new part.
  size_t AddTable(std::initializer_list<Field> fields) {
    return AddTable(std::span(fields.begin(), fields.size()));
  }
  size_t AddTable(std::span<const Field> fields) {
    int last = -1;
    for (const Field& field : fields) last = std::max(last, field.number);
    Align(2);
    size_t vtable = bytes_.size();
    size_t vtable_size = 4 + 2 * static_cast<size_t>(last + 1);
    bytes_.resize(vtable + vtable_size);
    Align(4);
    size_t table = bytes_.size();
    Append(static_cast<int32_t>(table - vtable));
    for (const Field& field : fields) {
      Align(field.size);
      Set(vtable + 4 + 2 * static_cast<size_t>(field.number),
          static_cast<uint16_t>(bytes_.size() - table));
      bytes_.append(reinterpret_cast<const char*>(&field.value), field.size);
    }
    Set(vtable, static_cast<uint16_t>(vtable_size));
    Set(vtable + 2, static_cast<uint16_t>(bytes_.size() - table));
    if (is_empty_) Set(0, static_cast<uint32_t>(table));
    is_empty_ = false;
    return table;
  }
  size_t AddText(std::string_view text) {
    size_t at = AddVector(text.size(), 1);
    std::memcpy(bytes_.data() + at + sizeof(uint32_t), text.data(), text.size());
    bytes_ += '\0';
    return at;
  }
  // Adds `size` zeros of `element_size` bytes. Zeros of 4 bytes may be linked as offsets.
  size_t AddVector(size_t size, size_t element_size) {
    Align(4);
    if (element_size >= 8 && bytes_.size() % 8 == 0) bytes_.append(4, '\0');
    size_t at = bytes_.size();
    Append(static_cast<uint32_t>(size));
    bytes_.resize(bytes_.size() + size * element_size);
    return at;
  }

  // Makes field `number` of a table, or element `i` of a vector of offsets, refer to `to`.
  void Link(size_t table, int number, size_t to) {
    int32_t back;
    std::memcpy(&back, bytes_.data() + table, sizeof(back));
    uint16_t place;
    std::memcpy(
        &place,
        bytes_.data() + table - static_cast<size_t>(back) + 4 + 2 * static_cast<size_t>(number),
        sizeof(place));
    LinkAt(table + place, to);
  }
  void LinkElement(size_t vector, size_t i, size_t to) {
    LinkAt(vector + sizeof(uint32_t) * (i + 1), to);
  }
  // Sets the int64 number `i` of a vector of int64 or of structs of int64.
  void SetInt64(size_t vector, size_t i, int64_t value) {
    Set(vector + sizeof(uint32_t) + i * sizeof(int64_t), value);
  }

  std::string Finish() && {
    Align(8);
    return std::move(bytes_);
  }

 private:
  void Align(size_t to) { bytes_.resize((bytes_.size() + to - 1) / to * to); }
  template <class T>
  void Append(T number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof(number));
  }
  template <class T>
  void Set(size_t at, T number) {
    std::memcpy(bytes_.data() + at, &number, sizeof(number));
  }
  void LinkAt(size_t at, size_t to) { Set(at, static_cast<uint32_t>(to - at)); }

  std::string bytes_;
  bool is_empty_ = true;
};

}  // namespace signet
