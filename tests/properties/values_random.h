// RandomValues: random types of every kind and values of them, for the laws.
//
// The choices follow from a seed, SIGNET_SEED or a fixed one, which is printed; or from the bytes
// of a fuzzer, which end in zeros.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "core/values/builders/value_builder.h"
#include "signet/extension_spec.h"
#include "signet/literal_spec.h"
#include "signet/ragged_spec.h"
#include "signet/sequence_spec.h"
#include "signet/sparse_spec.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"

namespace signet {

class RandomValues {
 public:
  RandomValues() {
    const char* text = std::getenv("SIGNET_SEED");
    auto seed = text != nullptr ? std::strtoul(text, nullptr, 10) : 20240817UL;
    std::cout << "SIGNET_SEED=" << seed << "\n";
    random_.seed(static_cast<unsigned>(seed));
  }
  // `bytes` must outlive this object.
  explicit RandomValues(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool with_complex = true;  // whether dtypes may be complex
  // Whether fields may be in any order, optional, and have defaults.
  bool with_notes = false;

  int Below(int n) { return static_cast<int>(Next() % static_cast<unsigned>(n)); }
  bool Chance(int one_in) { return Below(one_in) == 0; }
  DType AnyDType() {
    DType dtype =
        AllDTypes()[static_cast<size_t>(Below(static_cast<int>(AllDTypes().size())))].dtype;
    return with_complex || !IsComplex(dtype) ? dtype : DType::kFloat64;
  }

  PartialShape AnyShape(int least_rank) {
    Dims dims;
    for (int rank = least_rank + Below(3); rank > 0; --rank)
      dims.push_back(Chance(2) ? kUnknownDim : Below(4));
    return PartialShape(std::span<const int64_t>(dims.data(), dims.size()));
  }

  Literal AnyLiteral() {
    switch (Below(7)) {
      case 0:
        return Literal();
      case 1:
        return Literal::Bool(Chance(2));
      case 2:
        return Literal::Int(Below(3) - 1);
      case 3:
        return Literal::Int(Chance(2) ? absl::int128(UINT64_MAX) : absl::int128(INT64_MIN));
      case 4:
        return Literal::Float(Chance(2) ? std::nan("") : Below(5) / 4.0);
      case 5:
        return Literal::Float(-std::numeric_limits<double>::infinity());
      default:
        return Literal::String(AnyText());
    }
  }

  std::string AnyText() {
    static const char* const kTexts[] = {"",   "a",        "a b",  "\"",   "\\",
                                         "\n", "\xc3\xa9", "\xff", "None", "1"};
    return kTexts[Below(10)];
  }

  // A type of any kind but `any`, at most `depth` levels deep.
  TypeSpec Type(int depth) {
    switch (Below(depth > 0 ? 10 : 5)) {
      case 0:
        return TensorType(AnyDType(), Chance(8) ? PartialShape() : AnyShape(0));
      case 1:
        return LiteralType(AnyLiteral());
      case 2:
        return Ragged(PartialShape::OfRank(0));
      case 3:
        return SparseType(AnyDType(), Chance(8) ? PartialShape() : AnyShape(0));
      case 4:
      case 5:
        return Structure(AnyShape(0), depth - 1);
      case 6:
        return ListType(Types(depth - 1));
      case 7:
        return TupleType(Types(depth - 1));
      case 8:
        return Chance(2) ? *MakeDictType(Named(depth - 1, true))
                         : *MakeNamedTupleType(NamedTupleSpec::Style(Below(2)), "P",
                                               Named(depth - 1, false));
      default:
        return *MakeExtensionType("app.T", {{"n", LiteralType(AnyLiteral())}},
                                  Named(depth - 1, false));
    }
  }

  // Any number of records.
  TypeSpec Rows(int depth) { return Structure({kUnknownDim}, depth); }

  // The same type with sizes forgotten, changed or filled in, here and there.
  TypeSpec Relative(const TypeSpec& spec) {
    PartialShape shape;
    if (spec.shape() != nullptr) {
      shape = *spec.shape();
      for (int axis = 0; shape.has_rank() && axis < shape.rank(); ++axis) {
        if (Chance(3)) shape = shape.WithDim(axis, Chance(2) ? kUnknownDim : Below(4));
      }
    }
    std::vector<TypeSpec> children;
    for (const TypeSpec& child : spec.children()) children.push_back(Relative(child));
    auto rebuilt = spec.rep().Rebuild(std::move(shape), std::move(children));
    return rebuilt.ok() ? *rebuilt : spec;
  }

  // Tells `builder` a value of `spec`: lists of up to three, sizes where the type knows them.
  Status Fill(const TypeSpec& spec, ValueBuilder& builder) {
    switch (spec.kind()) {
      case TypeKind::kTensor:
      case TypeKind::kRagged:
      case TypeKind::kStructured: {
        open_.clear();
        return FillColumn(spec, 0, builder);
      }
      case TypeKind::kLiteral:
        return FillLiteral(spec.As<LiteralSpec>()->literal(), builder);
      case TypeKind::kList:
      case TypeKind::kTuple:
        SIGNET_RETURN_IF_ERROR(builder.BeginList());
        for (const TypeSpec& child : spec.children()) SIGNET_RETURN_IF_ERROR(Fill(child, builder));
        return builder.EndList();
      case TypeKind::kDict:
        return FillObject(spec.As<DictSpec>()->keys(), spec.children(), builder);
      case TypeKind::kNamedTuple:
        return FillObject(spec.As<NamedTupleSpec>()->field_names(), spec.children(), builder);
      case TypeKind::kExtension:
        return FillObject(spec.As<ExtensionSpec>()->component_names(), spec.children(), builder);
      case TypeKind::kSparse:
        return FillSparse(*spec.As<SparseSpec>(), builder);
      case TypeKind::kAny:
        break;
    }
    return InvalidArgument("no value");
  }

 private:
  std::vector<TypeSpec> Types(int depth) {
    std::vector<TypeSpec> types;
    for (int n = Below(3); n > 0; --n) types.push_back(Type(depth));
    return types;
  }

  NamedTypes Named(int depth, bool odd) {
    NamedTypes named;
    for (const char* name : {"b", "a", "c"}) {
      if (Chance(2)) named.emplace_back(name, Type(depth));
    }
    if (odd && Chance(3)) named.emplace_back("odd \"key\"", Type(depth));
    return named;
  }

  TypeSpec Ragged(const PartialShape& outer) {
    PartialShape shape = outer.Concatenate(AnyShape(outer.rank() > 0 ? 0 : 2));
    int least = outer.rank() > 0 ? outer.rank() - 1 : 1;
    int ragged_rank = std::min(least + Below(3), shape.rank() - 1);
    DType splits = outer.rank() < 2 && Chance(4) ? DType::kInt32 : DType::kInt64;
    return *MakeRaggedType(AnyDType(), shape, ragged_rank, splits);
  }

  // A structure whose dimensions start with `outer`.
  TypeSpec Structure(const PartialShape& outer, int depth) {
    NamedTypes fields;
    for (const char* name : {"x", "y", "z"}) {
      switch (Below(4)) {
        case 0:
          fields.emplace_back(name, TensorType(AnyDType(), outer.Concatenate(AnyShape(0))));
          break;
        case 1:
          fields.emplace_back(name, Ragged(outer));
          break;
        case 2:
          if (depth > 0)
            fields.emplace_back(name, Structure(outer.Concatenate(AnyShape(0)), depth - 1));
          break;
        default:
          break;
      }
    }
    if (!with_notes) return *MakeStructuredType(outer, std::move(fields));
    std::shuffle(fields.begin(), fields.end(), random_);
    std::vector<bool> optional;
    for (auto& [name, type] : fields) {
      int rank = outer.rank();
      // A structure may have dense fields, which take as many rows everywhere.
      bool may_be_optional = CanBeOptional(type, rank) && type.shape()->dim(rank) == kUnknownDim &&
                             (rank == 0 || !type.is(TypeKind::kStructured));
      optional.push_back(may_be_optional && Chance(2));
      if (type.shape()->rank() > rank || !Chance(2)) continue;
      if (TypeSpec value = DefaultOf(type)) type = type.rep().WithNotes({}, {{}, {}, value});
    }
    return *MakeStructuredType(outer, std::move(fields), std::move(optional));
  }

  // A default for the elements of a type; none for a structure.
  static TypeSpec DefaultOf(const TypeSpec& type) {
    const auto* tensor = type.As<TensorSpec>();
    const auto* ragged = type.As<RaggedSpec>();
    if (tensor == nullptr && ragged == nullptr) return TypeSpec();
    DType dtype = tensor != nullptr ? tensor->dtype() : ragged->dtype();
    if (dtype == DType::kBool) return LiteralType(Literal::Bool(true));
    if (dtype == DType::kString) return LiteralType(Literal::String("absent"));
    return LiteralType(IsInteger(dtype) ? Literal::Int(77) : Literal::Float(std::nan("")));
  }

  // List lengths: one for each dimension and value, so that all are rectangular where they must be.
  int64_t Length(const TypeSpec& spec, int axis, bool may_vary) {
    int64_t known = spec.shape()->dim(axis);
    if (known != kUnknownDim) return known;
    if (may_vary) return Below(3);
    auto at = static_cast<size_t>(axis);
    if (open_.size() <= at) open_.resize(at + 1, 2);
    return open_[at];
  }

  Status FillColumn(const TypeSpec& spec, int axis, ValueBuilder& builder) {
    int rank = spec.shape()->has_rank() ? spec.shape()->rank() : 2;
    if (axis < rank) {
      const auto* ragged = spec.As<RaggedSpec>();
      bool may_vary = ragged != nullptr && axis <= ragged->ragged_rank();
      int64_t length = spec.shape()->has_rank() ? Length(spec, axis, may_vary) : 2;
      SIGNET_RETURN_IF_ERROR(builder.BeginList());
      for (int64_t i = 0; i < length; ++i)
        SIGNET_RETURN_IF_ERROR(FillColumn(spec, axis + 1, builder));
      return builder.EndList();
    }
    if (const auto* structured = spec.As<StructuredSpec>()) {
      SIGNET_RETURN_IF_ERROR(builder.BeginObject());
      for (size_t i = 0; i < spec.children().size(); ++i) {
        const bool is_optional = structured->IsOptionalChild(i);
        const bool has_default = static_cast<bool>(spec.children()[i].rep().notes().default_value);
        if ((is_optional || has_default) && Chance(4)) continue;  // missing
        SIGNET_RETURN_IF_ERROR(builder.Key(structured->field_names()[i]));
        if ((is_optional || has_default) && Chance(4)) {
          SIGNET_RETURN_IF_ERROR(builder.Null());
          continue;
        }
        SIGNET_RETURN_IF_ERROR(
            FillColumn(spec.children()[i], rank + (is_optional ? 1 : 0), builder));
      }
      return builder.EndObject();
    }
    const auto* tensor = spec.As<TensorSpec>();
    return FillScalar(tensor != nullptr ? tensor->dtype() : spec.As<RaggedSpec>()->dtype(),
                      builder);
  }

  Status FillScalar(DType dtype, ValueBuilder& builder) {
    switch (InfoOf(dtype).family) {
      case DTypeClass::kBool:
        return builder.Bool(Chance(2));
      case DTypeClass::kSignedInteger:
      case DTypeClass::kUnsignedInteger:
        return builder.Int(Below(128));
      case DTypeClass::kFloat:
        if (Chance(6)) return builder.Float(Chance(2) ? std::nan("") : -0.0);
        return Chance(2) ? builder.Int(Below(100)) : builder.Float(Below(1000) / 7.0);
      case DTypeClass::kComplex:
        SIGNET_RETURN_IF_ERROR(builder.BeginList());
        SIGNET_RETURN_IF_ERROR(builder.Float(Below(1000) / 7.0));
        SIGNET_RETURN_IF_ERROR(builder.Float(-0.0));
        return builder.EndList();
      case DTypeClass::kString:
        return builder.String(AnyText());
    }
    __builtin_unreachable();
  }

  Status FillLiteral(const Literal& literal, ValueBuilder& builder) {
    switch (literal.kind()) {
      case Literal::Kind::kNone:
        return builder.Null();
      case Literal::Kind::kBool:
        return builder.Bool(literal.bool_value());
      case Literal::Kind::kInt:
        return builder.Int(literal.int_value());
      case Literal::Kind::kFloat:
        return builder.Float(literal.float_value());
      case Literal::Kind::kString:
        return builder.String(literal.string_value());
    }
    __builtin_unreachable();
  }

  Status FillObject(std::span<const std::string> names, std::span<const TypeSpec> types,
                    ValueBuilder& builder) {
    SIGNET_RETURN_IF_ERROR(builder.BeginObject());
    for (size_t i = names.size(); i-- > 0;) {  // any order will do
      SIGNET_RETURN_IF_ERROR(builder.Key(names[i]));
      SIGNET_RETURN_IF_ERROR(Fill(types[i], builder));
    }
    return builder.EndObject();
  }

  // At most one entry, the last one that there could be.
  Status FillSparse(const SparseSpec& spec, ValueBuilder& builder) {
    int rank = spec.shape().has_rank() ? spec.shape().rank() : 2;
    std::vector<int64_t> sizes;
    for (int axis = 0; axis < rank; ++axis) {
      int64_t known = spec.shape().has_rank() ? spec.shape().dim(axis) : kUnknownDim;
      sizes.push_back(known == kUnknownDim ? 3 : known);
    }
    bool has_entry = std::count(sizes.begin(), sizes.end(), 0) == 0 && Chance(2);
    SIGNET_RETURN_IF_ERROR(builder.BeginObject());
    SIGNET_RETURN_IF_ERROR(builder.Key("indices"));
    SIGNET_RETURN_IF_ERROR(builder.BeginList());
    if (has_entry) {
      SIGNET_RETURN_IF_ERROR(builder.BeginList());
      for (int64_t size : sizes) SIGNET_RETURN_IF_ERROR(builder.Int(size - 1));
      SIGNET_RETURN_IF_ERROR(builder.EndList());
    }
    SIGNET_RETURN_IF_ERROR(builder.EndList());
    SIGNET_RETURN_IF_ERROR(builder.Key("values"));
    SIGNET_RETURN_IF_ERROR(builder.BeginList());
    if (has_entry) SIGNET_RETURN_IF_ERROR(FillScalar(spec.dtype(), builder));
    SIGNET_RETURN_IF_ERROR(builder.EndList());
    SIGNET_RETURN_IF_ERROR(builder.Key("dense_shape"));
    SIGNET_RETURN_IF_ERROR(builder.BeginList());
    for (int64_t size : sizes) SIGNET_RETURN_IF_ERROR(builder.Int(size));
    SIGNET_RETURN_IF_ERROR(builder.EndList());
    return builder.EndObject();
  }

  unsigned Next() {
    if (!bytes_) return static_cast<unsigned>(random_());
    if (bytes_->empty()) return 0;
    unsigned byte = bytes_->front();
    bytes_ = bytes_->subspan(1);
    return byte;
  }

  std::mt19937 random_;
  std::optional<std::span<const uint8_t>> bytes_;  // given: read instead of `random_`
  std::vector<int64_t> open_;  // lengths of the dimensions that the type leaves open
};

}  // namespace signet
