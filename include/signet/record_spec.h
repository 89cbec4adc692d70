// DictSpec, NamedTupleSpec: containers whose elements have names.
//
//   dict(a: int64[], "odd key": 3)      namedtuple Point(x: float32[], y: float32[])
//   attrs Point(x: float32[], y: float32[])
//
// A dict's keys are kept in byte order, and must be equal for two dicts to be related; it is
// written in the order in which its author wrote it (TypeNotes). A named tuple's fields are in
// declared order; it is related only to one with the same type name and fields. An attrs class is a
// named tuple of another style, and never related to one.

#pragma once

#include <string>
#include <utility>

#include "signet/type_spec.h"

namespace signet {

using NamedTypes = std::vector<std::pair<std::string, TypeSpec>>;

class DictSpec : public TypeSpecRep {
 public:
  static constexpr TypeKind kKind = TypeKind::kDict;

  std::span<const std::string> keys() const { return keys_; }  // sorted; children() in this order

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

// A dict that is written in the order of `items`. Refuses a key that appears twice.
StatusOr<TypeSpec> MakeDictType(NamedTypes items);
// Refuses names that are no identifiers, and a field that appears twice.
StatusOr<TypeSpec> MakeNamedTupleType(NamedTupleSpec::Style style, std::string name,
                                      NamedTypes fields);

}  // namespace signet
