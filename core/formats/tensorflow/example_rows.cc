#include "core/formats/tensorflow/example_rows.h"

#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/functional/function_ref.h>

#include "core/formats/common/allowance.h"
#include "core/formats/signet_wire/wire_cursor.h"
#include "core/values/builders/value_builder.h"
#include "signet/ragged_spec.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"
#include "tensorflow/example.pb.h"

namespace signet::tf {
namespace {

using ::tensorflow::Feature;
using wire::Extent;
using wire::WireCursor;
using wire::WireSource;
using wire::WireTag;
using wire::WireType;

// A field that a feature can fill.
struct Field {
  std::string_view name;
  DType dtype{};
  Dims dims = {};  // after those of the structure; only the first may be unknown
};

// The last feature of a name in the current example: its kind, and where its lists begin.
struct FoundFeature {
  int kind = 0;  // the number of the field in Feature; 0: none
  std::optional<WireCursor> lists;
};

int KindOf(DType dtype) {
  switch (InfoOf(dtype).family) {
    case DTypeClass::kBool:
    case DTypeClass::kSignedInteger:
    case DTypeClass::kUnsignedInteger:
      return Feature::kInt64ListFieldNumber;
    case DTypeClass::kFloat:
      return Feature::kFloatListFieldNumber;
    case DTypeClass::kString:
      return Feature::kBytesListFieldNumber;
    case DTypeClass::kComplex:
      return 0;
  }
  __builtin_unreachable();
}

std::string_view NameOfKind(int kind) {
  if (kind == Feature::kInt64ListFieldNumber) return "int64_list";
  return kind == Feature::kFloatListFieldNumber ? "float_list" : "bytes_list";
}

// Returns the fields in the order of `type`, or why features cannot fill one of them.
StatusOr<std::vector<Field>> FieldsOf(const TypeSpec& type) {
  const auto* structured = type ? type.As<StructuredSpec>() : nullptr;
  if (structured == nullptr || structured->rank() > 1) {
    return InvalidArgument(
        "examples require a parameter with records, such as `[{x: float32[]}]`, ", "found `",
        type ? type.ToString() : "any", "`");
  }
  std::vector<Field> fields;
  for (size_t i = 0; i < structured->field_names().size(); ++i) {
    const TypeSpec& spec = type.children()[i];
    Field field{.name = structured->field_names()[i]};
    const PartialShape* shape = spec.shape();
    const auto* tensor = spec.As<TensorSpec>();
    const auto* ragged = spec.As<RaggedSpec>();
    bool is_list = (tensor != nullptr || ragged != nullptr) && shape->has_rank();
    if (is_list) {
      field.dtype = tensor != nullptr ? tensor->dtype() : ragged->dtype();
      const int first = structured->rank() + (type.rep().IsOptionalChild(i) ? 1 : 0);
      for (int axis = first; axis < shape->rank(); ++axis) {
        field.dims.push_back(shape->dim(axis));
        is_list = is_list && (axis == first || shape->dim(axis) != kUnknownDim);
      }
      is_list = is_list && KindOf(field.dtype) != 0;
    }
    if (!is_list) {
      return InvalidArgument(
          "field `", structured->FieldToString(i),
          "`: expected a type that a list of integers, floats, or texts can fill");
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

class ExampleReader {
 public:
  ExampleReader(const std::vector<Field>& fields, const Limits& limits, ValueBuilder& builder)
      : fields_(fields), limits_(limits), builder_(builder), found_(fields.size()) {
    for (size_t i = 0; i < fields.size(); ++i) index_.emplace(fields[i].name, i);
  }

  Status Read(const Buffer& context, const Buffer& example) {
    wire::Message message;
    for (const Buffer* part : {&context, &example}) {
      if (!part->empty()) message.pieces.push_back(part->bytes());
    }
    WireSource source(message, limits_);
    std::fill(found_.begin(), found_.end(), FoundFeature());
    FindFeatures(source);
    SIGNET_RETURN_IF_ERROR(source.status());
    SIGNET_RETURN_IF_ERROR(builder_.BeginObject());
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (found_[i].kind == 0) continue;
      SIGNET_RETURN_IF_ERROR(builder_.Key(fields_[i].name));
      Status status = ReadFeature(source, fields_[i], found_[i]);
      SIGNET_RETURN_IF_ERROR(At(Cat("feature `", fields_[i].name, "`"), std::move(status)));
    }
    return builder_.EndObject();
  }

 private:
  void FindFeatures(WireSource& source) {
    using ::tensorflow::Example;
    using ::tensorflow::Features;
    WireCursor cursor(source);
    while (uint32_t tag = cursor.NextTag()) {
      if (tag != WireTag(Example::kFeaturesFieldNumber, WireType::kBytes)) {
        cursor.Skip(tag);
        continue;
      }
      WireCursor features = cursor.Enter();
      while (uint32_t inner = features.NextTag()) {
        if (inner == WireTag(Features::kFeatureFieldNumber, WireType::kBytes)) {
          ReadEntry(source, features.Enter());
        } else {
          features.Skip(inner);
        }
      }
    }
  }

  // Reads an entry of the map of features.
  void ReadEntry(WireSource& source, WireCursor entry) {
    Extent key;
    std::optional<WireCursor> value;
    while (uint32_t tag = entry.NextTag()) {
      if (tag == WireTag(1, WireType::kBytes)) {
        key = entry.Bytes();
      } else if (tag == WireTag(2, WireType::kBytes)) {
        value = entry.Enter();
      } else {
        entry.Skip(tag);
      }
    }
    if (!source.ok() || key.size > wire::kMaxNameBytes) return;  // no field has such a name
    char name[wire::kMaxNameBytes];
    source.Copy(key, reinterpret_cast<std::byte*>(name));
    auto known = index_.find(std::string_view(name, key.size));
    if (known == index_.end()) return;
    found_[known->second] = value ? FindLists(*value) : FoundFeature();
  }

  // Returns the kind of the last list. Lists of the same kind that precede it are joined with it.
  static FoundFeature FindLists(WireCursor feature) {
    FoundFeature out;
    while (true) {
      const WireCursor before = feature;
      const uint32_t tag = feature.NextTag();
      if (tag == 0) return out;
      const auto number = static_cast<int>(tag >> 3);
      const bool is_list = number >= Feature::kBytesListFieldNumber &&
                           number <= Feature::kInt64ListFieldNumber &&
                           tag == WireTag(number, WireType::kBytes);
      if (is_list && number != out.kind) out = {number, before};
      feature.Skip(tag);
    }
  }

  // Calls `on_value(tag, cursor)` for each `value` of the lists. It consumes the field.
  static void ForEachValue(const FoundFeature& feature,
                           absl::FunctionRef<void(uint32_t tag, WireCursor& cursor)> on_value) {
    WireCursor lists = *feature.lists;
    while (uint32_t tag = lists.NextTag()) {
      if (tag != WireTag(feature.kind, WireType::kBytes)) {
        lists.Skip(tag);
        continue;
      }
      WireCursor list = lists.Enter();
      while (uint32_t inner = list.NextTag()) {
        if (inner >> 3 == ::tensorflow::Int64List::kValueFieldNumber) {
          on_value(inner, list);
        } else {
          list.Skip(inner);
        }
      }
    }
  }

  // Calls `on_element` for each element, with the bits of a number or the place of a text.
  static void ForEachElement(
      const FoundFeature& feature,
      absl::FunctionRef<void(uint64_t bits, const Extent& text)> on_element) {
    const int kind = feature.kind;
    ForEachValue(feature, [&](uint32_t tag, WireCursor& cursor) {
      const auto type = static_cast<WireType>(tag & 7);
      if (kind == Feature::kBytesListFieldNumber) {
        if (type != WireType::kBytes) return cursor.Skip(tag);
        return on_element(0, cursor.Bytes());
      }
      const bool is_float = kind == Feature::kFloatListFieldNumber;
      auto read = [&](WireCursor& from) {
        on_element(is_float ? from.Fixed32() : from.Varint(), {});
      };
      if (type == (is_float ? WireType::kFixed32 : WireType::kVarint)) return read(cursor);
      if (type != WireType::kBytes) return cursor.Skip(tag);
      WireCursor packed = cursor.Enter();
      while (!packed.AtEnd()) read(packed);
    });
  }

  Status ReadFeature(WireSource& source, const Field& field, const FoundFeature& feature) {
    if (feature.kind != KindOf(field.dtype)) {
      return InvalidWithReason("DTYPE_MISMATCH", "expected ", NameOfKind(KindOf(field.dtype)),
                               " for `", NameOf(field.dtype), "`, found ",
                               NameOfKind(feature.kind));
    }
    int64_t count = 0;
    ForEachElement(feature, [&](uint64_t, const Extent&) { ++count; });
    SIGNET_RETURN_IF_ERROR(source.status());
    SIGNET_RETURN_IF_ERROR(CheckCount(field, count));
    Status status;
    Lists lists(field.dims, count);
    SIGNET_RETURN_IF_ERROR(lists.Begin(builder_));
    ForEachElement(feature, [&](uint64_t bits, const Extent& text) {
      if (!status.ok()) return;
      status = lists.BeginElement(builder_);
      if (status.ok()) status = Write(source, field.dtype, bits, text);
      if (status.ok()) status = lists.EndElement(builder_);
    });
    return status;
  }

  // Checks the number of values of a field.
  static Status CheckCount(const Field& field, int64_t count) {
    const bool is_open = !field.dims.empty() && field.dims[0] == kUnknownDim;
    int64_t row = 1;  // values per row of an open dimension, or all values
    for (size_t i = is_open ? 1 : 0; i < field.dims.size(); ++i) {
      if (__builtin_mul_overflow(row, field.dims[i], &row)) row = INT64_MAX;
    }
    const bool fits = is_open ? (row == 0 ? count == 0 : count % row == 0) : count == row;
    if (fits) return absl::OkStatus();
    return InvalidWithReason("SHAPE_MISMATCH", "expected ", is_open ? "a multiple of " : "", row,
                             row == 1 ? " value" : " values", ", found ", count);
  }

  // Opens and closes the lists around the elements of a field.
  class Lists {
   public:
    Lists(const Dims& dims, int64_t count) : sizes_(dims) {
      if (sizes_.empty() || sizes_[0] != kUnknownDim) return;
      int64_t row = 1;
      for (size_t i = 1; i < sizes_.size(); ++i) row *= sizes_[i];
      sizes_[0] = row == 0 ? 0 : count / row;
    }

    // Without elements, writes all lists.
    Status Begin(ValueBuilder& builder) {
      if (sizes_.empty()) return absl::OkStatus();
      bool is_empty = false;
      for (int64_t size : sizes_) is_empty = is_empty || size == 0;
      if (is_empty) return WriteEmpty(builder, 0);
      positions_.assign(sizes_.size(), 0);
      return absl::OkStatus();
    }
    Status BeginElement(ValueBuilder& builder) {
      // A list begins where all positions from its axis on are 0.
      size_t first = sizes_.size();
      while (first > 0 && positions_[first - 1] == 0) --first;
      for (size_t axis = first; axis < sizes_.size(); ++axis) {
        SIGNET_RETURN_IF_ERROR(builder.BeginList());
      }
      return absl::OkStatus();
    }
    Status EndElement(ValueBuilder& builder) {
      for (size_t axis = sizes_.size(); axis-- > 0;) {
        if (++positions_[axis] < sizes_[axis]) return absl::OkStatus();
        positions_[axis] = 0;
        SIGNET_RETURN_IF_ERROR(builder.EndList());
      }
      return absl::OkStatus();
    }

   private:
    Status WriteEmpty(ValueBuilder& builder, size_t axis) {
      SIGNET_RETURN_IF_ERROR(builder.BeginList());
      if (axis + 1 < sizes_.size()) {
        for (int64_t i = 0; i < sizes_[axis]; ++i) {
          SIGNET_RETURN_IF_ERROR(WriteEmpty(builder, axis + 1));
        }
      }
      return builder.EndList();
    }

    Dims sizes_;
    Dims positions_;
  };

  Status Write(WireSource& source, DType dtype, uint64_t bits, const Extent& text) {
    switch (InfoOf(dtype).family) {
      case DTypeClass::kString:
        text_.resize(text.size);
        source.Copy(text, reinterpret_cast<std::byte*>(text_.data()));
        return builder_.String(text_);
      case DTypeClass::kFloat:
        return builder_.Float(std::bit_cast<float>(static_cast<uint32_t>(bits)));
      case DTypeClass::kBool:
        if (bits > 1) {
          return InvalidArgument("expected 0 or 1 for `bool`, found ", static_cast<int64_t>(bits));
        }
        return builder_.Bool(bits == 1);
      default:
        return builder_.Int(static_cast<int64_t>(bits));
    }
  }

  const std::vector<Field>& fields_;
  const Limits& limits_;
  ValueBuilder& builder_;
  absl::flat_hash_map<std::string_view, size_t> index_;
  std::vector<FoundFeature> found_;
  std::string text_;
};

// Returns whether `type` is a vector of strings, whose elements are whole messages.
bool TakesMessages(const TypeSpec& type) {
  const auto* tensor = type ? type.As<TensorSpec>() : nullptr;
  if (tensor == nullptr || tensor->dtype() != DType::kString) return false;
  return !type.shape()->has_rank() || type.shape()->rank() == 1;
}

// Returns the messages, each after `context`.
StatusOr<Value> JoinMessages(std::span<const Buffer> examples, const Buffer& context,
                             Allowance& allowance) {
  size_t size = context.size() * examples.size();
  for (const Buffer& example : examples) size += example.size();
  const size_t offset_bytes = (examples.size() + 1) * sizeof(int64_t);
  SIGNET_RETURN_IF_ERROR(allowance.TakeBytes(size + offset_bytes));
  SIGNET_ASSIGN_OR_RETURN(Buffer offsets, Buffer::Allocate(offset_bytes));
  SIGNET_ASSIGN_OR_RETURN(Buffer text, Buffer::Allocate(size));
  auto* ends = reinterpret_cast<int64_t*>(offsets.mutable_data());
  *ends++ = 0;
  size_t filled = 0;
  for (const Buffer& example : examples) {
    for (const Buffer* part : {&context, &example}) {
      if (part->empty()) continue;
      std::memcpy(text.mutable_data() + filled, part->data(), part->size());
      filled += part->size();
    }
    *ends++ = static_cast<int64_t>(filled);
  }
  const Shape shape{static_cast<int64_t>(examples.size())};
  return Value(Tensor::Trusted(DType::kString, shape, std::move(offsets), std::move(text)));
}

}  // namespace

StatusOr<Value> ValueFromExamples(std::span<const Buffer> examples, const Buffer& context,
                                  const TypeSpec& type, const Limits& limits) {
  Allowance allowance(limits);
  // The context is read or copied once per example.
  SIGNET_RETURN_IF_ERROR(At("context", allowance.TakeBytes(context.size() * examples.size())));
  if (TakesMessages(type)) return JoinMessages(examples, context, allowance);
  SIGNET_ASSIGN_OR_RETURN(std::vector<Field> fields, FieldsOf(type));
  SIGNET_ASSIGN_OR_RETURN(ValueBuilder builder,
                          ValueBuilder::Make(type, {.max_elements = limits.tensor_elements,
                                                    .max_bytes = limits.expanded_bytes,
                                                    .max_depth = limits.nesting_depth,
                                                    .elements_flag = "--max_tensor_elements",
                                                    .bytes_flag = "--max_expanded_bytes"}));
  const bool is_list = type.As<StructuredSpec>()->rank() == 1;
  if (!is_list && examples.size() != 1) {
    return InvalidArgument("expected 1 example for `", type, "`, found ", examples.size());
  }
  ExampleReader reader(fields, limits, builder);
  if (is_list) SIGNET_RETURN_IF_ERROR(builder.BeginList());
  for (size_t row = 0; row < examples.size(); ++row) {
    SIGNET_RETURN_IF_ERROR(At(Cat("example ", row), reader.Read(context, examples[row])));
  }
  if (is_list) SIGNET_RETURN_IF_ERROR(builder.EndList());
  return builder.Finish();
}

}  // namespace signet::tf
