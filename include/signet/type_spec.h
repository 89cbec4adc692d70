// TypeSpec: the type of a value, which holds everything about the value that is static.
//
//   bool is_below = signet::IsSubtype(two_rows, any_rows);   // of 2 and of ? rows: true
//   const auto* tensor = two_rows.As<signet::TensorSpec>();  // null for types of other kinds
//
//   float32[?, 3]      ragged int64[?, (?)]      {title: string[], steps: [{text: string[]}]}
//
// A TypeSpec is one pointer to immutable, interned data: equal types are equal pointers, a copy
// increments a reference count, and a type without references is deleted. Every type does four
// things: it holds static data, writes itself in the notation (docs/reference/notation.md), names
// the component tensors of its values, and can be compared. Comparison treats all kinds in the same
// way: a type has a *fixed* part that must be equal, a shape, and child types. A kind defines these
// parts, and the relations below work for all kinds.
//
// A type can carry notes (TypeNotes): the order in which its author wrote the fields, and how text
// formats write missing values. Notes are not part of any value: types that differ only in their
// notes are equal, have the same fingerprint, and find the same concrete function.
//
// Sources: RFC FunctionType (trace types), RFC extension types (TypeSpec). Thread-safe.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "signet/shape.h"
#include "signet/status.h"

namespace signet {

enum class TypeKind : uint8_t {
  kTensor,
  kRagged,
  kSparse,
  kStructured,
  kLiteral,
  kList,
  kTuple,
  kDict,
  kNamedTuple,  // and attrs
  kExtension,
  kAny,
};
std::string_view NameOf(TypeKind kind);

class TypeSpecRep;

class TypeSpec {
 public:
  TypeSpec() = default;  // no type: an unconstrained parameter, or a join that does not exist
  TypeSpec(const TypeSpec& other);
  TypeSpec(TypeSpec&& other) noexcept : rep_(std::exchange(other.rep_, nullptr)) {}
  TypeSpec& operator=(TypeSpec other) noexcept {
    std::swap(rep_, other.rep_);
    return *this;
  }
  ~TypeSpec();

  explicit operator bool() const { return rep_ != nullptr; }
  inline bool operator==(const TypeSpec& other) const;  // ignores notes

  // All functions below require a type.
  TypeKind kind() const;
  bool is(TypeKind kind) const { return rep_ != nullptr && this->kind() == kind; }
  // Returns the static data, or null if the type is of another kind: `spec.As<TensorSpec>()`.
  template <class Spec>
  const Spec* As() const {
    return is(Spec::kKind) ? static_cast<const Spec*>(rep_) : nullptr;
  }
  const TypeSpecRep& rep() const { return *rep_; }
  // Returns a hash that is the same on every machine and equal for equal types.
  uint64_t fingerprint() const;
  // Returns a fingerprint of everything except shapes. Types related by IsSubtype have the same
  // one; `any` is an exception.
  uint64_t structure() const;
  // Returns the child types: elements, items, fields, or components, in canonical order.
  std::span<const TypeSpec> children() const;
  // Returns the same type without its notes and without the notes of the types in it.
  TypeSpec plain() const;
  // Returns the shape, or null for kinds without a shape.
  const PartialShape* shape() const;
  // Returns the number of component tensors of a value of this type.
  size_t num_components() const;
  std::string ToString() const;  // in the notation; ParseTypeSpec reads it back

 private:
  friend TypeSpec InternRep(TypeSpecRep& rep, TypeSpecRep* (*move_to_heap)(TypeSpecRep&));
  explicit TypeSpec(const TypeSpecRep* rep) : rep_(rep) {}  // takes over one reference

  const TypeSpecRep* rep_ = nullptr;
};

// What the author of a type wrote in addition to the type of the values.
struct TypeNotes {
  // Structures and dicts: the indices of the children in the order in which they were written.
  // Empty: in canonical order.
  std::vector<uint32_t> order;
  // Structures: whether each child is written as optional, `name?: string[]`. Empty: no child is
  // optional.
  std::vector<bool> optional;
  // Tensor and ragged types: the replacement for a null or missing value, `float32[] = nan`. A
  // literal replaces a missing element, and a list of literals replaces a missing value. Null: no
  // default.
  TypeSpec default_value;

  bool empty() const { return order.empty() && optional.empty() && !default_value; }
  bool operator==(const TypeNotes& other) const = default;
};

// A component tensor of a value, as described by its type.
struct ComponentSpec {
  std::string name;  // path within the value: `values`, `row_splits_0`, `steps.text`; empty for a
                     // tensor itself
  TypeSpec spec;     // a tensor type
};

// The static data of one kind. Each kind derives one class, in a file of its own, with typed
// accessors.
class TypeSpecRep {
 public:
  virtual ~TypeSpecRep() = default;
  TypeSpecRep& operator=(const TypeSpecRep&) = delete;

  TypeKind kind() const { return kind_; }
  const PartialShape* shape() const { return has_shape_ ? &shape_ : nullptr; }
  std::span<const TypeSpec> children() const { return children_; }
  // Returns the number of dimensions, or -1 if the type has no shape or its rank is unknown.
  int rank() const { return has_shape_ && shape_.has_rank() ? shape_.rank() : -1; }
  const TypeNotes& notes() const { return notes_ != nullptr ? *notes_ : NoNotes(); }
  // Returns true if the type or a type in it has notes.
  bool has_notes() const { return static_cast<bool>(plain_); }
  // Returns the index of the child that was written at position `i`.
  size_t WrittenChild(size_t i) const { return notes().order.empty() ? i : notes().order[i]; }
  bool IsOptionalChild(size_t i) const { return !notes().optional.empty() && notes().optional[i]; }

  // Hash and equality of the fixed part, which is everything except shape and children.
  virtual uint64_t HashFixed() const = 0;
  virtual bool EqualFixed(const TypeSpecRep& other) const = 0;  // `other` is of the same kind
  // Returns the same type with another shape and other children, or an error if they do not fit
  // together. Keeps the order of fields and which fields are optional, but no default value.
  virtual StatusOr<TypeSpec> Rebuild(PartialShape shape, std::vector<TypeSpec> children) const = 0;
  // Returns the same type with `notes` and with `children`, which are equal to its own. Kinds
  // without notes ignore `notes`.
  virtual TypeSpec WithNotes(std::vector<TypeSpec> children, TypeNotes notes) const;
  // Appends the component tensors of a value. A field of a structure of rank r > 0 passes r: the
  // row partitions of those dimensions are components of the structure, and the field does not
  // repeat them.
  virtual void AppendComponents(std::string_view path, int shared_rank,
                                std::vector<ComponentSpec>& out) const = 0;
  virtual void AppendTo(std::string& out) const = 0;

  // For kinds whose fixed parts can be related without being equal.
  virtual bool FixedBelow(const TypeSpecRep& other) const { return EqualFixed(other); }
  virtual bool FixedCompatible(const TypeSpecRep& other) const { return EqualFixed(other); }

 protected:
  // Used by Intern to move a new type to the heap.
  TypeSpecRep(TypeSpecRep&& other) noexcept
      : kind_(other.kind_),
        has_shape_(other.has_shape_),
        shape_(std::move(other.shape_)),
        children_(std::move(other.children_)),
        notes_(std::move(other.notes_)),
        plain_(std::move(other.plain_)),
        fingerprint_(other.fingerprint_),
        identity_(other.identity_),
        structure_(other.structure_),
        num_components_(other.num_components_) {}
  TypeSpecRep(TypeKind kind, std::vector<TypeSpec> children)
      : kind_(kind), has_shape_(false), children_(std::move(children)) {}
  TypeSpecRep(TypeKind kind, PartialShape shape, std::vector<TypeSpec> children = {})
      : kind_(kind), has_shape_(true), shape_(std::move(shape)), children_(std::move(children)) {}
  // For constructors only: the type is not interned yet.
  void SetNotes(TypeNotes notes) {
    if (!notes.empty()) notes_ = std::make_unique<const TypeNotes>(std::move(notes));
  }

 private:
  friend class TypeSpec;
  friend class TypeTable;
  friend TypeSpec InternRep(TypeSpecRep& rep, TypeSpecRep* (*move_to_heap)(TypeSpecRep&));

  const TypeKind kind_;
  const bool has_shape_;
  PartialShape shape_;
  static const TypeNotes& NoNotes();

  std::vector<TypeSpec> children_;
  std::unique_ptr<const TypeNotes> notes_;  // null: no notes of its own
  // Set by Intern.
  mutable std::atomic<int64_t> references_{0};
  TypeSpec plain_;  // null: neither this type nor its children have notes
  uint64_t fingerprint_ = 0;
  uint64_t identity_ = 0;  // the fingerprint including notes
  uint64_t structure_ = 0;
  size_t num_components_ = 0;
};

inline bool TypeSpec::operator==(const TypeSpec& other) const {
  if (rep_ == other.rep_) return true;
  if (rep_ == nullptr || other.rep_ == nullptr) return false;
  const TypeSpecRep* mine = rep_->has_notes() ? rep_->plain_.rep_ : rep_;
  const TypeSpecRep* others = other.rep_->has_notes() ? other.rep_->plain_.rep_ : other.rep_;
  return mine == others;
}

// Returns the one shared instance that is equal to `rep`, including notes. Allocates memory only
// for a new type.
template <class Spec>
TypeSpec Intern(Spec rep) {
  return InternRep(rep, [](TypeSpecRep& is_new) -> TypeSpecRep* {
    return new Spec(static_cast<Spec&&>(is_new));
  });
}
TypeSpec InternRep(TypeSpecRep& rep, TypeSpecRep* (*move_to_heap)(TypeSpecRep&));

// Returns the number of types that exist, for tests and metrics.
size_t NumInternedTypes();

// Returns all component tensors of a value of `spec`, in canonical order (docs/reference/types.md).
std::vector<ComponentSpec> ComponentsOf(const TypeSpec& spec);

// Returns true if every value of `a` is a value of `b`. A partial order.
bool IsSubtype(const TypeSpec& a, const TypeSpec& b);

// Returns true if some value could have both types. Used only while a model is loaded; dispatch
// uses IsSubtype. Symmetric with one exception: a ragged type of ragged rank 0 accepts a dense
// type, but not the other way round.
bool IsCompatible(const TypeSpec& a, const TypeSpec& b);

// Returns `type` with the field order and the optional fields of `declared`, for the fields that
// both have, and without any other note. Results thus do not depend on the order in which a caller
// wrote the fields. `declared` may be null.
TypeSpec ArrangedLike(const TypeSpec& type, const TypeSpec& declared);

// Returns the most specific supertype of all `specs`, or null if there is none. `specs` is not
// empty.
TypeSpec MostSpecificCommonSupertype(std::span<const TypeSpec> specs);
inline TypeSpec MostSpecificCommonSupertype(const TypeSpec& a, const TypeSpec& b) {
  const TypeSpec both[] = {a, b};
  return MostSpecificCommonSupertype(both);
}
}  // namespace signet
