// DictSpec, NamedTupleSpec: the types of containers whose elements have names.
//
//   auto type = signet::MakeDictType({{"x", number}, {"y", number}});
//   auto keys = type->As<signet::DictSpec>()->keys();  // x, y
//
//   dict(a: int64[], "odd key": 3)      namedtuple Point(x: float32[], y: float32[])
//   attrs Point(x: float32[], y: float32[])
//
// The keys of a dict are stored in byte order. Dict types are related only if they have equal keys.
// The notation writes a dict in the order of its author (TypeNotes). The fields of a named tuple
// are in declared order. Named tuple types are related only if they have the same type name and
// fields. An attrs class is a named tuple of another style; the two styles are never related.

#pragma once

#include <string>
#include <utility>

#include "signet/type_spec.h"

namespace signet {

using NamedTypes = std::vector<std::pair<std::string, TypeSpec>>;

class DictSpec : public TypeSpecRep {
 public:
  static constexpr TypeKind kKind = TypeKind::kDict;

  std::span<const std::string> keys() const { return keys_; }  // sorted, as children() is

  uint64_t HashFixed() const override;
  bool EqualFixed(const TypeSpecRep& other) const override {
    return keys_ == static_cast<const DictSpec&>(other).keys_;
  }
  StatusOr<TypeSpec> Rebuild(PartialShape shape, std::vector<TypeSpec> children) const override;
  void AppendComponents(std::string_view path, int shared_rank,
                        std::vector<ComponentSpec>& out) const override;
  TypeSpec WithNotes(std::vector<TypeSpec> children, TypeNotes notes) const override;
  void AppendTo(std::string& out) const override;

 private:
  friend StatusOr<TypeSpec> MakeDictType(NamedTypes items);
  DictSpec(std::vector<std::string> keys, std::vector<TypeSpec> items, TypeNotes notes)
      : TypeSpecRep(kKind, std::move(items)), keys_(std::move(keys)) {
    SetNotes(std::move(notes));
  }

  const std::vector<std::string> keys_;
};

class NamedTupleSpec : public TypeSpecRep {
 public:
  static constexpr TypeKind kKind = TypeKind::kNamedTuple;
  enum class Style : uint8_t { kNamedTuple, kAttrs };

  Style style() const { return style_; }
  const std::string& name() const { return name_; }
  std::span<const std::string> field_names() const { return field_names_; }

  uint64_t HashFixed() const override;
  bool EqualFixed(const TypeSpecRep& other) const override;
  StatusOr<TypeSpec> Rebuild(PartialShape shape, std::vector<TypeSpec> children) const override;
  void AppendComponents(std::string_view path, int shared_rank,
                        std::vector<ComponentSpec>& out) const override;
  void AppendTo(std::string& out) const override;

 private:
  friend StatusOr<TypeSpec> MakeNamedTupleType(NamedTupleSpec::Style, std::string, NamedTypes);
  NamedTupleSpec(Style style, std::string name, std::vector<std::string> names,
                 std::vector<TypeSpec> fields)
      : TypeSpecRep(kKind, std::move(fields)),
        style_(style),
        name_(std::move(name)),
        field_names_(std::move(names)) {}

  const Style style_;
  const std::string name_;
  const std::vector<std::string> field_names_;
};

// Returns the type of a dict that is written in the order of `items`. Returns an error if a key
// appears twice.
StatusOr<TypeSpec> MakeDictType(NamedTypes items);
// Returns an error if a name is not an identifier or a field appears twice.
StatusOr<TypeSpec> MakeNamedTupleType(NamedTupleSpec::Style style, std::string name,
                                      NamedTypes fields);

}  // namespace signet
