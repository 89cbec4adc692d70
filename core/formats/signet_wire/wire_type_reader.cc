#include "core/formats/signet_wire/wire_type_reader.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "core/types/default_value.h"
#include "core/types/notation/notation.h"
#include "signet/any_spec.h"
#include "signet/extension_spec.h"
#include "signet/literal_spec.h"
#include "signet/ragged_spec.h"
#include "signet/sequence_spec.h"
#include "signet/sparse_spec.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"

namespace signet::wire {
namespace {

using enum WireType;

// Maximum bytes of a type as text. A type uses about a hundred times the memory of its text.
constexpr size_t kMaxTypeText = size_t{64} << 10;

int64_t NumNodes(const TypeSpec& spec) {
  int64_t count = 1;
  for (const TypeSpec& child : spec.children()) count += NumNodes(child);
  return count;
}

// Checks the default values of types that are not fields. A structure checks those of its fields.
Status CheckDefaults(const TypeSpec& type) {
  if (!type.rep().has_notes()) return absl::OkStatus();
  SIGNET_RETURN_IF_ERROR(CheckDefaultValue(type, 0));
  if (type.is(TypeKind::kStructured)) return absl::OkStatus();
  for (const TypeSpec& child : type.children()) SIGNET_RETURN_IF_ERROR(CheckDefaults(child));
  return absl::OkStatus();
}

class TypeReader {
 public:
  explicit TypeReader(WireSource& source) : source_(source) {}

  StatusOr<TypeSpec> Read(WireCursor cursor, int depth) {
    SIGNET_RETURN_IF_ERROR(source_.allowance().CheckDepth(depth));
    SIGNET_RETURN_IF_ERROR(source_.allowance().TakeNames());
    StatusOr<TypeSpec> type = InvalidArgument("no kind of type is set");
    using P = v1::TypeSpec;
    while (uint32_t tag = cursor.NextTag()) {
      switch (tag) {
        case WireTag(P::kTensorFieldNumber, kBytes):
          type = ReadTensor(cursor.Enter(), depth);
          break;
        case WireTag(P::kRaggedFieldNumber, kBytes):
          type = ReadRagged(cursor.Enter(), depth);
          break;
        case WireTag(P::kSparseFieldNumber, kBytes):
          type = ReadSparse(cursor.Enter(), depth);
          break;
        case WireTag(P::kStructuredFieldNumber, kBytes):
          type = ReadStructured(cursor.Enter(), depth);
          break;
        case WireTag(P::kLiteralFieldNumber, kBytes):
          type = ReadLiteralType(cursor.Enter());
          break;
        case WireTag(P::kListFieldNumber, kBytes):
          type = ReadSequence(TypeKind::kList, cursor.Enter(), depth);
          break;
        case WireTag(P::kTupleFieldNumber, kBytes):
          type = ReadSequence(TypeKind::kTuple, cursor.Enter(), depth);
          break;
        case WireTag(P::kDictFieldNumber, kBytes):
          type = ReadDict(cursor.Enter(), depth);
          break;
        case WireTag(P::kNamedTupleFieldNumber, kBytes):
          type = ReadNamedTuple(cursor.Enter(), depth);
          break;
        case WireTag(P::kExtensionFieldNumber, kBytes):
          type = ReadExtension(cursor.Enter(), depth);
          break;
        case WireTag(P::kAnyFieldNumber, kBytes):
          type = ReadAny(cursor.Enter(), depth);
          break;
        case WireTag(P::kTextFieldNumber, kBytes):
          type = ReadText(cursor);
          break;
        default:
          cursor.Skip(tag);
      }
    }
    SIGNET_RETURN_IF_ERROR(source_.status());
    return type;
  }

 private:
  // Returns `type` with the default value. The default is checked where the dimensions of the type
  // are known: by the surrounding structure or at the end.
  static TypeSpec WithDefault(TypeSpec type, TypeSpec default_value) {
    if (!default_value) return type;
    return type.rep().WithNotes({}, {{}, {}, std::move(default_value)});
  }

  // Reads a literal or lists of literals.
  StatusOr<TypeSpec> ReadDefault(WireCursor cursor, int depth) {
    SIGNET_ASSIGN_OR_RETURN(TypeSpec value, Read(cursor, depth + 1));
    if (IsDefaultValue(value)) return value;
    return InvalidArgument("default_value: expected a literal or lists of literals, found `",
                           Printable(value.ToString()), "`");
  }

  StatusOr<TypeSpec> ReadTensor(WireCursor cursor, int depth) {
    uint64_t dtype_number = 0;
    PartialShape shape = Shape();
    TypeSpec default_value;
    while (uint32_t tag = cursor.NextTag()) {
      switch (tag) {
        case WireTag(v1::TensorSpec::kDtypeFieldNumber, kVarint):
          dtype_number = cursor.Varint();
          break;
        case WireTag(v1::TensorSpec::kShapeFieldNumber, kBytes): {
          SIGNET_ASSIGN_OR_RETURN(shape, ReadShape(source_, cursor.Enter()));
          break;
        }
        case WireTag(v1::TensorSpec::kDefaultValueFieldNumber, kBytes): {
          SIGNET_ASSIGN_OR_RETURN(default_value, ReadDefault(cursor.Enter(), depth));
          break;
        }
        default:
          cursor.Skip(tag);
      }
    }
    SIGNET_RETURN_IF_ERROR(source_.status());
    SIGNET_ASSIGN_OR_RETURN(DType dtype, DTypeFromNumber(dtype_number));
    return WithDefault(TensorType(dtype, std::move(shape)), std::move(default_value));
  }

  StatusOr<TypeSpec> ReadRagged(WireCursor cursor, int depth) {
    TypeSpec default_value;
    uint64_t dtype_number = 0;
    uint64_t splits_number = 0;
    int64_t ragged_rank = 0;
    PartialShape shape = Shape();
    while (uint32_t tag = cursor.NextTag()) {
      switch (tag) {
        case WireTag(v1::RaggedSpec::kDtypeFieldNumber, kVarint):
          dtype_number = cursor.Varint();
          break;
        case WireTag(v1::RaggedSpec::kShapeFieldNumber, kBytes): {
          SIGNET_ASSIGN_OR_RETURN(shape, ReadShape(source_, cursor.Enter()));
          break;
        }
        case WireTag(v1::RaggedSpec::kRaggedRankFieldNumber, kVarint):
          ragged_rank = cursor.Int64();
          break;
        case WireTag(v1::RaggedSpec::kRowSplitsDtypeFieldNumber, kVarint):
          splits_number = cursor.Varint();
          break;
        case WireTag(v1::RaggedSpec::kDefaultValueFieldNumber, kBytes): {
          SIGNET_ASSIGN_OR_RETURN(default_value, ReadDefault(cursor.Enter(), depth));
          break;
        }
        default:
          cursor.Skip(tag);
      }
    }
    SIGNET_RETURN_IF_ERROR(source_.status());
    SIGNET_ASSIGN_OR_RETURN(DType dtype, DTypeFromNumber(dtype_number));
    DType splits = DType::kInt64;
    if (splits_number != 0) {
      SIGNET_ASSIGN_OR_RETURN(splits, DTypeFromNumber(splits_number));
    }
    if (ragged_rank < 0)
      return InvalidArgument("ragged rank: expected at least 0, found ", ragged_rank);
    SIGNET_RETURN_IF_ERROR(source_.allowance().CheckRank(static_cast<size_t>(ragged_rank)));
    SIGNET_ASSIGN_OR_RETURN(TypeSpec type, MakeRaggedType(dtype, std::move(shape),
                                                          static_cast<int>(ragged_rank), splits));
    return WithDefault(std::move(type), std::move(default_value));
  }

  StatusOr<TypeSpec> ReadSparse(WireCursor cursor, int depth) {
    // A SparseSpec has the fields of a TensorSpec.
    static_assert(int{v1::SparseSpec::kDtypeFieldNumber} ==
                      int{v1::TensorSpec::kDtypeFieldNumber} &&
                  int{v1::SparseSpec::kShapeFieldNumber} == int{v1::TensorSpec::kShapeFieldNumber});
    SIGNET_ASSIGN_OR_RETURN(TypeSpec tensor, ReadTensor(cursor, depth));
    return SparseType(tensor.As<TensorSpec>()->dtype(), *tensor.shape());
  }

  StatusOr<TypeSpec> ReadLiteralType(WireCursor cursor) {
    SIGNET_ASSIGN_OR_RETURN(Literal literal, ReadLiteral(source_, cursor));
    return LiteralType(std::move(literal));
  }

  StatusOr<TypeSpec> ReadStructured(WireCursor cursor, int depth) {
    PartialShape shape = Shape();
    NamedTypes fields;
    WrittenForm written;
    while (uint32_t tag = cursor.NextTag()) {
      switch (tag) {
        case WireTag(v1::StructuredSpec::kShapeFieldNumber, kBytes): {
          SIGNET_ASSIGN_OR_RETURN(shape, ReadShape(source_, cursor.Enter()));
          break;
        }
        case WireTag(v1::StructuredSpec::kFieldsFieldNumber, kBytes):
          SIGNET_RETURN_IF_ERROR(ReadNamedType(cursor.Enter(), depth, fields));
          break;
        case WireTag(v1::StructuredSpec::kFieldOrderFieldNumber, kBytes):
          SIGNET_RETURN_IF_ERROR(ReadName(source_, cursor, written.order));
          break;
        case WireTag(v1::StructuredSpec::kOptionalFieldsFieldNumber, kBytes):
          SIGNET_RETURN_IF_ERROR(ReadName(source_, cursor, written.optional));
          break;
        default:
          cursor.Skip(tag);
      }
    }
    SIGNET_RETURN_IF_ERROR(source_.status());
    return MakeStructuredType(std::move(shape), std::move(fields), written);
  }

  StatusOr<TypeSpec> ReadSequence(TypeKind kind, WireCursor cursor, int depth) {
    std::vector<TypeSpec> elements;
    while (uint32_t tag = cursor.NextTag()) {
      if (tag == WireTag(v1::SequenceSpec::kElementsFieldNumber, kBytes)) {
        auto element = Read(cursor.Enter(), depth + 1);
        if (!element.ok()) return WithField(Cat("[", elements.size(), "]"), element.status());
        elements.push_back(*std::move(element));
      } else {
        cursor.Skip(tag);
      }
    }
    SIGNET_RETURN_IF_ERROR(source_.status());
    return kind == TypeKind::kList ? ListType(std::move(elements)) : TupleType(std::move(elements));
  }

  StatusOr<TypeSpec> ReadDict(WireCursor cursor, int depth) {
    NamedTypes items;
    std::vector<std::string> order;
    while (uint32_t tag = cursor.NextTag()) {
      if (tag == WireTag(v1::DictSpec::kItemsFieldNumber, kBytes)) {
        SIGNET_RETURN_IF_ERROR(ReadNamedType(cursor.Enter(), depth, items));
      } else if (tag == WireTag(v1::DictSpec::kKeyOrderFieldNumber, kBytes)) {
        SIGNET_RETURN_IF_ERROR(ReadName(source_, cursor, order));
      } else {
        cursor.Skip(tag);
      }
    }
    SIGNET_RETURN_IF_ERROR(source_.status());
    PutInOrder(items, order);
    return MakeDictType(std::move(items));
  }

  StatusOr<TypeSpec> ReadNamedTuple(WireCursor cursor, int depth) {
    std::string name;
    NamedTypes fields;
    bool attrs = false;
    while (uint32_t tag = cursor.NextTag()) {
      switch (tag) {
        case WireTag(v1::NamedTupleSpec::kNameFieldNumber, kBytes):
          name = cursor.Text();
          break;
        case WireTag(v1::NamedTupleSpec::kFieldsFieldNumber, kBytes):
          SIGNET_RETURN_IF_ERROR(ReadNamedType(cursor.Enter(), depth, fields));
          break;
        case WireTag(v1::NamedTupleSpec::kAttrsFieldNumber, kVarint):
          attrs = cursor.Varint() != 0;
          break;
        default:
          cursor.Skip(tag);
      }
    }
    SIGNET_RETURN_IF_ERROR(source_.status());
    auto style = attrs ? NamedTupleSpec::Style::kAttrs : NamedTupleSpec::Style::kNamedTuple;
    return MakeNamedTupleType(style, std::move(name), std::move(fields));
  }

  StatusOr<TypeSpec> ReadExtension(WireCursor cursor, int depth) {
    std::string name;
    NamedTypes statics;
    NamedTypes components;
    while (uint32_t tag = cursor.NextTag()) {
      switch (tag) {
        case WireTag(v1::ExtensionSpec::kNameFieldNumber, kBytes):
          name = cursor.Text();
          break;
        case WireTag(v1::ExtensionSpec::kStaticsFieldNumber, kBytes):
          SIGNET_RETURN_IF_ERROR(ReadNamedType(cursor.Enter(), depth, statics));
          break;
        case WireTag(v1::ExtensionSpec::kComponentsFieldNumber, kBytes):
          SIGNET_RETURN_IF_ERROR(ReadNamedType(cursor.Enter(), depth, components));
          break;
        default:
          cursor.Skip(tag);
      }
    }
    SIGNET_RETURN_IF_ERROR(source_.status());
    return MakeExtensionType(std::move(name), std::move(statics), std::move(components));
  }

  StatusOr<TypeSpec> ReadAny(WireCursor cursor, int depth) {
    TypeSpec base;
    while (uint32_t tag = cursor.NextTag()) {
      if (tag == WireTag(v1::AnySpec::kBaseFieldNumber, kBytes)) {
        SIGNET_ASSIGN_OR_RETURN(base, Read(cursor.Enter(), depth + 1));
      } else {
        cursor.Skip(tag);
      }
    }
    SIGNET_RETURN_IF_ERROR(source_.status());
    return AnyType(std::move(base));
  }

  StatusOr<TypeSpec> ReadText(WireCursor& cursor) {
    std::string text = cursor.Text(kMaxTypeText);
    SIGNET_RETURN_IF_ERROR(source_.status());
    SIGNET_ASSIGN_OR_RETURN(TypeSpec type, ParseTypeSpec(text));
    SIGNET_RETURN_IF_ERROR(source_.allowance().TakeNames(NumNodes(type) - 1));
    return type;
  }

  Status ReadNamedType(WireCursor cursor, int depth, NamedTypes& out) {
    SIGNET_ASSIGN_OR_RETURN(NamedEntry entry, ReadNamed(source_, cursor));
    if (!entry.content) return WithField(entry.name, InvalidArgument("no type"));
    auto type = Read(*entry.content, depth + 1);
    if (!type.ok()) return WithField(entry.name, type.status());
    out.emplace_back(std::move(entry.name), *std::move(type));
    return absl::OkStatus();
  }

  WireSource& source_;
};

}  // namespace

StatusOr<TypeSpec> ReadType(WireSource& source, WireCursor cursor, int depth) {
  SIGNET_ASSIGN_OR_RETURN(TypeSpec type, TypeReader(source).Read(cursor, depth));
  SIGNET_RETURN_IF_ERROR(CheckDefaults(type));
  return type;
}

Status ReadName(WireSource& source, WireCursor& cursor, std::vector<std::string>& out) {
  SIGNET_RETURN_IF_ERROR(source.allowance().TakeNames());
  out.push_back(cursor.Text());
  return source.status();
}

std::vector<size_t> PositionsInOrder(std::span<const std::string_view> names,
                                     std::span<const std::string> order) {
  absl::flat_hash_map<std::string_view, size_t> places;
  for (const std::string& name : order) places.emplace(name, places.size());
  auto place = [&](size_t i) {
    auto found = places.find(names[i]);
    return found == places.end() ? places.size() : found->second;
  };
  std::vector<size_t> positions(names.size());
  std::iota(positions.begin(), positions.end(), size_t{0});
  std::sort(positions.begin(), positions.end(), [&](size_t a, size_t b) {
    return std::pair(place(a), names[a]) < std::pair(place(b), names[b]);
  });
  return positions;
}

StatusOr<TypeSpec> MakeStructuredType(PartialShape shape, NamedTypes fields,
                                      const WrittenForm& written) {
  PutInOrder(fields, written.order);
  std::vector<bool> optional;
  if (!written.optional.empty()) {
    absl::flat_hash_set<std::string_view> names(written.optional.begin(), written.optional.end());
    for (const auto& [name, type] : fields) optional.push_back(names.contains(name));
  }
  return signet::MakeStructuredType(std::move(shape), std::move(fields), std::move(optional));
}

StatusOr<DType> DTypeFromNumber(uint64_t number) {
  if (number == 0) return InvalidArgument("no dtype");
  if (number > 255 || !IsDType(static_cast<int>(number))) {
    return InvalidArgument("unknown dtype ", number, "; the last known dtype is ",
                           static_cast<int>(AllDTypes().back().dtype));
  }
  return static_cast<DType>(number);
}

Status ReadDims(WireSource& source, uint32_t tag, WireCursor& cursor, Dims& dims) {
  auto read = [&](WireCursor& from) {
    SIGNET_RETURN_IF_ERROR(source.allowance().CheckRank(dims.size() + 1));
    dims.push_back(from.Int64());
    return absl::OkStatus();
  };
  if ((tag & 7) == static_cast<uint32_t>(kVarint)) return read(cursor);
  WireCursor packed = cursor.Enter();
  while (!packed.AtEnd()) SIGNET_RETURN_IF_ERROR(read(packed));
  return absl::OkStatus();
}

StatusOr<PartialShape> ReadShape(WireSource& source, WireCursor cursor) {
  Dims dims;
  bool unknown_rank = false;
  while (uint32_t tag = cursor.NextTag()) {
    switch (tag) {
      case WireTag(v1::Shape::kDimsFieldNumber, kVarint):
      case WireTag(v1::Shape::kDimsFieldNumber, kBytes):
        SIGNET_RETURN_IF_ERROR(ReadDims(source, tag, cursor, dims));
        break;
      case WireTag(v1::Shape::kUnknownRankFieldNumber, kVarint):
        unknown_rank = cursor.Varint() != 0;
        break;
      default:
        cursor.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(source.status());
  if (unknown_rank && !dims.empty()) {
    return InvalidArgument("expected no dimensions in a shape of unknown rank, found ",
                           dims.size());
  }
  if (unknown_rank) return PartialShape();
  for (int64_t dim : dims) {
    if (dim < kUnknownDim) {
      return InvalidArgument("dimension: expected at least 0, or -1 for an unknown size, found ",
                             dim);
    }
  }
  return PartialShape(std::span<const int64_t>(dims));
}

StatusOr<Literal> ReadLiteral(WireSource& source, WireCursor cursor) {
  Literal literal;
  while (uint32_t tag = cursor.NextTag()) {
    switch (tag) {
      case WireTag(v1::Literal::kBoolFieldNumber, kVarint):
        literal = Literal::Bool(cursor.Varint() != 0);
        break;
      case WireTag(v1::Literal::kIntFieldNumber, kVarint): {
        uint64_t zigzag = cursor.Varint();
        literal = Literal::Int(static_cast<int64_t>((zigzag >> 1) ^ (~(zigzag & 1) + 1)));
        break;
      }
      case WireTag(v1::Literal::kUintFieldNumber, kVarint):
        literal = Literal::Int(cursor.Varint());
        break;
      case WireTag(v1::Literal::kFloatFieldNumber, WireType::kFixed64):
        literal = Literal::Float(std::bit_cast<double>(cursor.Fixed64()));
        break;
      case WireTag(v1::Literal::kStringFieldNumber, kBytes):
        literal = Literal::String(cursor.String());
        break;
      default:
        cursor.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(source.status());
  return literal;
}

StatusOr<NamedEntry> ReadNamed(WireSource& source, WireCursor cursor) {
  // Map entries and the NamedX messages have the same layout: field 1 is the name, field 2 the
  // content.
  static_assert(v1::NamedValue::kNameFieldNumber == 1 && v1::NamedValue::kValueFieldNumber == 2 &&
                v1::NamedTypeSpec::kNameFieldNumber == 1 &&
                v1::NamedTypeSpec::kTypeFieldNumber == 2);
  NamedEntry entry;
  while (uint32_t tag = cursor.NextTag()) {
    switch (tag) {
      case WireTag(1, kBytes):
        entry.name = cursor.Text();
        break;
      case WireTag(2, kBytes):
        entry.content = cursor.Enter();
        break;
      default:
        cursor.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(source.status());
  return entry;
}

}  // namespace signet::wire
