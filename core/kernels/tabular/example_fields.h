// ProtoFields, VisitValues: read the features of serialized tensorflow.Example and
// tensorflow.SequenceExample messages, without objects for messages. WantedFeatures are the
// features that a kernel reads, and a FeatureColumn has the values of one of them.
//
// Parsers of untrusted input. Not thread-safe.

#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "core/kernels/def/request.h"

namespace signet {

// The numbers of the lists in the message Feature.
enum FeatureKind : uint8_t { kAbsentFeature = 0, kBytesList = 1, kFloatList = 2, kInt64List = 3 };

inline FeatureKind KindOfFeature(DType dtype) {
  if (dtype == DType::kInt64) return kInt64List;
  return dtype == DType::kFloat32 ? kFloatList : kBytesList;
}

inline std::string_view NameOfFeatureKind(int kind) {
  if (kind == kInt64List) return "int64_list";
  return kind == kFloatList ? "float_list" : "bytes_list";
}

// Reads the fields of one message.
class ProtoFields {
 public:
  explicit ProtoFields(std::string_view bytes) : rest_(bytes) {}

  // Reads the next field. Returns false at the end, and after bytes that are not a field.
  bool Next() {
    if (rest_.empty()) return false;
    uint64_t tag;
    if (!TakeVarint(tag) || tag >> 3 == 0 || tag >> 3 > (1 << 29)) return Fail();
    number_ = static_cast<int>(tag >> 3);
    type_ = static_cast<int>(tag & 7);
    switch (type_) {
      case 0:
        return TakeVarint(varint_) || Fail();
      case 1:
        return Take(8) || Fail();
      case 5:
        return Take(4) || Fail();
      case 2: {
        uint64_t size;
        return (TakeVarint(size) && Take(size)) || Fail();
      }
      default:
        return Fail();
    }
  }

  bool failed() const { return failed_; }
  int number() const { return number_; }
  bool is_bytes() const { return type_ == 2; }
  bool is_varint() const { return type_ == 0; }
  bool is_fixed32() const { return type_ == 5; }
  uint64_t varint() const { return varint_; }
  std::string_view bytes() const { return bytes_; }  // of the field, or of the number

  static bool TakeVarintOf(std::string_view& rest, uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (rest.empty()) return false;
      const auto byte = static_cast<uint8_t>(rest.front());
      rest.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }

 private:
  bool TakeVarint(uint64_t& value) { return TakeVarintOf(rest_, value); }
  bool Take(uint64_t size) {
    if (size > rest_.size()) return false;
    bytes_ = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }
  bool Fail() {
    failed_ = true;
    return false;
  }

  std::string_view rest_;
  std::string_view bytes_;
  uint64_t varint_ = 0;
  int number_ = 0;
  int type_ = 0;
  bool failed_ = false;
};

// Calls visit(bits, text) for each value of a Feature whose kind is `kind`. Returns false if the
// bytes are not a Feature.
template <class Visit>
bool VisitValues(std::string_view feature, int kind, Visit visit) {
  ProtoFields lists(feature);
  while (lists.Next()) {
    if (lists.number() != kind || !lists.is_bytes()) continue;
    ProtoFields list(lists.bytes());
    while (list.Next()) {
      if (list.number() != 1) continue;
      if (kind == kBytesList) {
        if (list.is_bytes()) visit(uint64_t{0}, list.bytes());
      } else if (kind == kInt64List) {
        if (list.is_varint()) visit(list.varint(), std::string_view());
        if (!list.is_bytes()) continue;
        std::string_view packed = list.bytes();
        while (!packed.empty()) {
          uint64_t value;
          if (!ProtoFields::TakeVarintOf(packed, value)) return false;
          visit(value, std::string_view());
        }
      } else {
        if (!list.is_fixed32() && !list.is_bytes()) continue;
        std::string_view packed = list.bytes();
        if (packed.size() % 4 != 0) return false;
        for (; !packed.empty(); packed.remove_prefix(4)) {
          uint32_t bits;
          std::memcpy(&bits, packed.data(), sizeof bits);
          visit(uint64_t{bits}, std::string_view());
        }
      }
    }
    if (list.failed()) return false;
  }
  return !lists.failed();
}

// Finds the key and the value of an entry of a map. Returns false if the bytes are not an entry.
inline bool ReadMapEntry(std::string_view bytes, std::string_view& key, std::string_view& value) {
  ProtoFields entry(bytes);
  while (entry.Next()) {
    if (entry.is_bytes() && entry.number() == 1) key = entry.bytes();
    if (entry.is_bytes() && entry.number() == 2) value = entry.bytes();
  }
  return !entry.failed();
}

// Finds the kind of the last list of a Feature. Returns false if the bytes are not a Feature.
inline bool ReadFeatureKind(std::string_view feature, int& kind) {
  ProtoFields lists(feature);
  kind = kAbsentFeature;
  while (lists.Next()) {
    if (lists.is_bytes() && lists.number() >= kBytesList && lists.number() <= kInt64List) {
      kind = lists.number();
    }
  }
  return !lists.failed();
}

// The features that the attribute `features` of a call lists.
struct WantedFeatures {
  std::vector<std::string> names = {};
  std::vector<DType> dtypes = {};
  absl::flat_hash_map<std::string, size_t> indices = {};

  // Each feature has `num_outputs` outputs of the call. The first one has its values.
  static StatusOr<WantedFeatures> Of(const KernelRequest& request, size_t num_outputs) {
    WantedFeatures out;
    SIGNET_ASSIGN_OR_RETURN(out.names, request.call.attributes.Strings("features"));
    for (size_t i = 0; i < out.names.size(); ++i) {
      out.dtypes.push_back(DTypeIn(request.outputs[num_outputs * i]));
      out.indices.emplace(out.names[i], i);
    }
    return out;
  }

  size_t size() const { return names.size(); }
  // Returns the index of a feature, or `size()`.
  size_t IndexOf(std::string_view key) const {
    auto found = indices.find(absl::string_view(key.data(), key.size()));
    return found == indices.end() ? size() : found->second;
  }
};

// The values are counted first, and written after Allocate.
class FeatureColumn {
 public:
  void Count(std::string_view text) {
    ++num_values_;
    num_bytes_ += static_cast<int64_t>(text.size());
  }
  // Allocates the output for all values that were counted.
  Status Allocate(KernelContext& context, size_t output, DType dtype) {
    dtype_ = dtype;
    const Shape shape = {num_values_};
    if (dtype == DType::kString) {
      SIGNET_ASSIGN_OR_RETURN(
          values_, context.AllocateStrings(output, shape, static_cast<size_t>(num_bytes_)));
      values_->mutable_elements<int64_t>()[0] = 0;
    } else {
      SIGNET_ASSIGN_OR_RETURN(values_, context.Allocate(output, shape));
    }
    num_values_ = 0;
    num_bytes_ = 0;
    return absl::OkStatus();
  }
  void Append(uint64_t bits, std::string_view text) {
    const int64_t at = num_values_++;
    if (dtype_ == DType::kInt64) {
      values_->mutable_elements<int64_t>()[at] = static_cast<int64_t>(bits);
    } else if (dtype_ == DType::kFloat32) {
      const auto word = static_cast<uint32_t>(bits);
      std::memcpy(values_->mutable_elements<float>() + at, &word, sizeof word);
    } else {
      auto* bytes = const_cast<std::byte*>(values_->bytes().data());
      if (!text.empty()) std::memcpy(bytes + num_bytes_, text.data(), text.size());
      num_bytes_ += static_cast<int64_t>(text.size());
      values_->mutable_elements<int64_t>()[at + 1] = num_bytes_;
    }
  }
  int64_t num_values() const { return num_values_; }  // counted, or after Allocate, written

 private:
  Tensor* values_ = nullptr;
  DType dtype_{};
  int64_t num_values_ = 0;
  int64_t num_bytes_ = 0;  // of text
};

}  // namespace signet
