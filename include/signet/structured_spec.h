// StructuredSpec: the type of structures with one schema, stored as columns: `[{title: string[],
// ids: int64[(?)]}]`.
//
//   auto ids = type.As<signet::StructuredSpec>()->FindField("ids");  // ragged int64[?, (?)]
//
// In the notation, a field is written relative to its structure, whose own dimensions are outside
// the braces: `{..}` is one structure, `[{..}]` a vector of structures, `{..}[2, ?]` a matrix. The
// type of a field in this class includes the dimensions of the structure: `ids` above is `ragged
// int64[?, (?)]`.
//
// Fields are stored sorted by name, and written in the order of their author (TypeNotes). An
// optional field, `{name?: string[]}`, has one more dimension than is written: rows of length 0 or
// 1.
//
// The component tensors of a structure of rank r are `nrows` (an int64 scalar; only if r > 0),
// `row_splits_0` to `row_splits_<r-2>`, then the components of each field in the order of the
// names. A field does not repeat the partitions that it shares with its structure, so the two
// cannot disagree. Source: RFC StructuredTensor, docs/reference/types.md.

#pragma once

#include <optional>
#include <string>

#include "signet/dtype.h"
#include "signet/record_spec.h"
#include "signet/type_spec.h"

namespace signet {

class StructuredSpec : public TypeSpecRep {
 public:
  static constexpr TypeKind kKind = TypeKind::kStructured;

  const PartialShape& shape() const { return *TypeSpecRep::shape(); }  // its rank is known
  int rank() const { return shape().rank(); }
  std::span<const std::string> field_names() const { return field_names_; }  // sorted
  TypeSpec LookupField(std::string_view name) const;          // null if there is none
  StatusOr<TypeSpec> FindField(std::string_view name) const;  // the error lists the fields
  DType splits_dtype() const { return DType::kInt64; }
  // Returns field `i` in the form in which the structure is written: `ids: int64[(?)]`.
  std::string FieldToString(size_t i) const;

  uint64_t HashFixed() const override;
  bool EqualFixed(const TypeSpecRep& other) const override {
    return field_names_ == static_cast<const StructuredSpec&>(other).field_names_;
  }
  StatusOr<TypeSpec> Rebuild(PartialShape shape, std::vector<TypeSpec> children) const override;
  TypeSpec WithNotes(std::vector<TypeSpec> children, TypeNotes notes) const override;
  void AppendComponents(std::string_view path, int shared_rank,
                        std::vector<ComponentSpec>& out) const override;
  void AppendTo(std::string& out) const override;

 private:
  friend StatusOr<TypeSpec> MakeStructuredType(PartialShape, NamedTypes, std::vector<bool>);
  StructuredSpec(PartialShape shape, std::vector<std::string> names, std::vector<TypeSpec> fields,
                 TypeNotes notes)
      : TypeSpecRep(kKind, std::move(shape), std::move(fields)), field_names_(std::move(names)) {
    SetNotes(std::move(notes));
  }

  const std::vector<std::string> field_names_;
};

// Returns the type of a structure of `shape` with the given fields. The type of each field starts
// with the dimensions of the structure. A size that is known in one place is filled in everywhere.
//
// Returns an error if the rank is unknown, if a name appears twice or is not a letter followed by
// letters, digits, and underscores, or if a field does not fit. A field fits if it is a tensor,
// ragged, or structured type that starts with the dimensions of the structure.
//
// The structure is written in the order of `fields`. `optional` states whether each field is
// optional, which requires one dimension after those of the structure. If `optional` is empty, no
// field is optional.
StatusOr<TypeSpec> MakeStructuredType(PartialShape shape, NamedTypes fields,
                                      std::vector<bool> optional = {});

// Returns true if a field of this type has the dimension that an optional field of a structure of
// rank `outer_rank` requires: rows that can have length 0 or 1.
bool CanBeOptional(const TypeSpec& field, int outer_rank);

// Returns `structured` with its fields in the order of the fields of `like`. Fields that `like`
// does not have come last. For ops that derive a structure from another one. Types of other kinds
// are returned unchanged.
TypeSpec OrderedLike(const TypeSpec& structured, const TypeSpec& like);

// Checks the name, the kind of type, and the rank of field `name` of a structure of `shape`, whose
// rank is known.
Status CheckField(std::string_view name, const TypeSpec& type, const PartialShape& shape);

// Returns the indices of the components of a structure that belong to the value of the field, in
// the order of the field's own components. Empty if there is no such field.
std::optional<std::vector<int>> FieldComponents(const TypeSpec& structured, std::string_view field);

}  // namespace signet
