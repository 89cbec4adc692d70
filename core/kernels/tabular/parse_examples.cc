// The kernel of `parse_examples`.
//
// A parser of untrusted input. Each message is read twice: first, the place of each feature is
// found and its values are counted; then the values are written.

#include <cstring>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "core/kernels/def/request.h"
#include "core/kernels/def/stop_poll.h"
#include "core/kernels/tabular/tabular_kernels.h"

namespace signet {
namespace {

// The numbers of the lists in the message Feature.
enum FeatureKind : uint8_t { kAbsentFeature = 0, kBytesList = 1, kFloatList = 2, kInt64List = 3 };

FeatureKind KindOfFeature(DType dtype) {
  if (dtype == DType::kInt64) return kInt64List;
  return dtype == DType::kFloat32 ? kFloatList : kBytesList;
}

std::string_view NameOfFeatureKind(int kind) {
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

// The bytes of a Feature, and the kind of its last list.
struct FeaturePlace {
  std::string_view bytes = {};
  int kind = kAbsentFeature;
};

class ExamplesKernel final : public Kernel {
 public:
  ExamplesKernel(std::vector<std::string> names, std::vector<DType> dtypes)
      : names_(std::move(names)), dtypes_(std::move(dtypes)) {
    for (size_t i = 0; i < names_.size(); ++i) indices_.emplace(names_[i], i);
  }

  Status Run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    const int64_t rows = x.num_elements();
    const size_t count = names_.size();
    std::vector<int64_t*> splits(count);
    std::vector<bool*> present(count);
    std::vector<int64_t> num_bytes(count, 0);
    for (size_t i = 0; i < count; ++i) {
      SIGNET_ASSIGN_OR_RETURN(Tensor * split, context.Allocate(3 * i + 1, {rows + 1}));
      SIGNET_ASSIGN_OR_RETURN(Tensor * has, context.Allocate(3 * i + 2, {rows}));
      splits[i] = split->mutable_elements<int64_t>();
      present[i] = has->mutable_elements<bool>();
      splits[i][0] = 0;
    }
    StopPoll poll(context);
    std::vector<FeaturePlace> places(count);
    for (int64_t row = 0; row < rows; ++row) {
      const std::string_view message = x.string_at(row);
      SIGNET_RETURN_IF_ERROR(poll.Spend(50 + 2 * static_cast<int64_t>(message.size())));
      SIGNET_RETURN_IF_ERROR(Find(message, row, places));
      for (size_t i = 0; i < count; ++i) {
        int64_t number = 0;
        const bool is_message =
            VisitValues(places[i].bytes, places[i].kind, [&](uint64_t, std::string_view text) {
              ++number;
              num_bytes[i] += static_cast<int64_t>(text.size());
            });
        if (!is_message) return NoExample(row);
        splits[i][row + 1] = splits[i][row] + number;
        present[i][row] = places[i].kind != kAbsentFeature;
      }
    }
    std::vector<Tensor*> values(count);
    std::vector<int64_t> written(count, 0);  // bytes of text
    for (size_t i = 0; i < count; ++i) {
      const Shape shape = {splits[i][rows]};
      if (dtypes_[i] == DType::kString) {
        SIGNET_ASSIGN_OR_RETURN(
            values[i], context.AllocateStrings(3 * i, shape, static_cast<size_t>(num_bytes[i])));
        values[i]->mutable_elements<int64_t>()[0] = 0;
      } else {
        SIGNET_ASSIGN_OR_RETURN(values[i], context.Allocate(3 * i, shape));
      }
    }
    for (int64_t row = 0; row < rows; ++row) {
      const std::string_view message = x.string_at(row);
      SIGNET_RETURN_IF_ERROR(poll.Spend(50 + 2 * static_cast<int64_t>(message.size())));
      SIGNET_RETURN_IF_ERROR(Find(message, row, places));
      for (size_t i = 0; i < count; ++i) {
        int64_t at = splits[i][row];
        VisitValues(places[i].bytes, places[i].kind, [&](uint64_t bits, std::string_view text) {
          if (dtypes_[i] == DType::kInt64) {
            values[i]->mutable_elements<int64_t>()[at++] = static_cast<int64_t>(bits);
          } else if (dtypes_[i] == DType::kFloat32) {
            const auto word = static_cast<uint32_t>(bits);
            std::memcpy(values[i]->mutable_elements<float>() + at++, &word, sizeof word);
          } else {
            auto* bytes = const_cast<std::byte*>(values[i]->bytes().data());
            if (!text.empty()) std::memcpy(bytes + written[i], text.data(), text.size());
            written[i] += static_cast<int64_t>(text.size());
            values[i]->mutable_elements<int64_t>()[++at] = written[i];
          }
        });
      }
    }
    return absl::OkStatus();
  }

 private:
  static Status NoExample(int64_t row) {
    return WithConstraint("C3", InvalidArgument("row ", row,
                                                ": expected a serialized tensorflow.Example, found "
                                                "bytes that do not parse"));
  }

  // Finds the features of one message.
  Status Find(std::string_view message, int64_t row, std::vector<FeaturePlace>& places) const {
    std::fill(places.begin(), places.end(), FeaturePlace());
    ProtoFields example(message);
    while (example.Next()) {
      if (example.number() != 1 || !example.is_bytes()) continue;
      ProtoFields features(example.bytes());
      while (features.Next()) {
        if (features.number() != 1 || !features.is_bytes()) continue;
        std::string_view key;
        std::string_view feature;
        ProtoFields entry(features.bytes());
        while (entry.Next()) {
          if (entry.is_bytes() && entry.number() == 1) key = entry.bytes();
          if (entry.is_bytes() && entry.number() == 2) feature = entry.bytes();
        }
        if (entry.failed()) return NoExample(row);
        auto known = indices_.find(absl::string_view(key.data(), key.size()));
        if (known == indices_.end()) continue;
        FeaturePlace& place = places[known->second];
        place = {feature};
        ProtoFields lists(feature);
        while (lists.Next()) {
          if (lists.is_bytes() && lists.number() >= kBytesList && lists.number() <= kInt64List) {
            place.kind = lists.number();
          }
        }
        if (lists.failed()) return NoExample(row);
        const int wanted = KindOfFeature(dtypes_[known->second]);
        if (place.kind != kAbsentFeature && place.kind != wanted) {
          return WithConstraint(
              "C3", InvalidArgument("row ", row, ": feature `", Printable(std::string(key)),
                                    "`: expected ", NameOfFeatureKind(wanted), ", found ",
                                    NameOfFeatureKind(place.kind)));
        }
      }
      if (features.failed()) return NoExample(row);
    }
    return example.failed() ? NoExample(row) : absl::OkStatus();
  }

  const std::vector<std::string> names_;
  const std::vector<DType> dtypes_;
  absl::flat_hash_map<std::string, size_t> indices_;
};

StatusOr<std::unique_ptr<Kernel>> MakeParseExamples(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(auto names, request.call.attributes.Strings("features"));
  std::vector<DType> dtypes;
  for (size_t i = 0; i < names.size(); ++i) dtypes.push_back(DTypeIn(request.outputs[3 * i]));
  return std::make_unique<ExamplesKernel>(std::move(names), std::move(dtypes));
}

constexpr KernelDef kParseExamplesKernels[] = {{"parse_examples", MakeParseExamples}};

}  // namespace

std::span<const KernelDef> ParseExamplesKernels() { return kParseExamplesKernels; }

}  // namespace signet
