// StructuredSpec: structures with one schema, as columns: `[{title: string[], ids: int64[(?)]}]`.
//
// In the notation a field is written relative to its structure, whose own dimensions stand outside
// the braces: `{..}` is one structure, `[{..}]` a vector of them, `{..}[2, ?]` a matrix. A field's
// type here has those dimensions too: `ids` above is `ragged int64[?, (?)]`.
//
// Fields are kept sorted by name, and written in their author's order (TypeNotes). An optional
// field,
// `{name?: string[]}`, has a dimension more than is written: rows of length 0 or 1.
//
// Component tensors of a structure of rank r: `nrows` (int64 scalar; r > 0), `row_splits_0` to
// `row_splits_<r-2>`, then each field's in name order, without the partitions that it shares with
// its structure. Sharing is thus true by construction. Source: RFC StructuredTensor,
// docs/reference/types.md.

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

  const PartialShape& shape() const { return *TypeSpecRep::shape(); }  // of known rank
  int rank() const { return shape().rank(); }
  std::span<const std::string> field_names() const { return field_names_; }  // sorted
  TypeSpec LookupField(std::string_view name) const;          // null when there is none
  StatusOr<TypeSpec> FindField(std::string_view name) const;  // the refusal lists fields
  DType splits_dtype() const { return DType::kInt64; }
  // Field `i` as the structure is written: `ids: int64[(?)]`.
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

// A structure of `shape` whose fields have the given types, each starting with the structure's own
// dimensions. Sizes known in one place become known in all. Refuses: unknown rank; names that are
// no letter followed by letters, digits, underscores; names twice; fields that are no tensor,
// ragged or structured type, of lesser rank, or with other leading dimensions. The structure is
// written in the order of `fields`. `optional` says of each field whether it is optional, which
// takes a dimension behind those of the structure; empty: none is.
StatusOr<TypeSpec> MakeStructuredType(PartialShape shape, NamedTypes fields,
                                      std::vector<bool> optional = {});

// Whether a field of this type has the dimension that an optional field of a structure of rank
// `outer_rank` needs: rows that can have length 0 or 1.
bool CanBeOptional(const TypeSpec& field, int outer_rank);

// `structured` with its fields in the order of those of `like`; fields that `like` does not have
// come behind. For ops that make a structure from another one. Types of other kinds are returned
// as they are.
TypeSpec OrderedLike(const TypeSpec& structured, const TypeSpec& like);

// Refuses what cannot be field `name` of a structure of `shape`, whose rank is known: the name, the
// kind of type, its rank.
Status CheckField(std::string_view name, const TypeSpec& type, const PartialShape& shape);

// For a structure's component list: which of its components make up the field's value, in the
// field's own component order; empty when there is no such field.
std::optional<std::vector<int>> FieldComponents(const TypeSpec& structured, std::string_view field);

}  // namespace signet
