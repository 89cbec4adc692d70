// TypeSpec: the type of a value: everything about it that is static.
//
//   float32[?, 3]      ragged int64[?, (?)]      {title: string[], steps: [{text: string[]}]}
//
// A TypeSpec is one pointer to immutable, interned data: equal types are equal pointers, copying
// one counts a reference, and a type that nobody holds is forgotten. Every type does four jobs: it
// holds static data, writes itself in the notation (docs/reference/notation.md), names the
// component tensors of its values, and compares. Comparison looks at every kind in one way: a
// *fixed* part that must be equal, a shape, and child types; so a kind states its parts, and the
// relations below serve all kinds.
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
  TypeSpec() = default;  // no type: an unconstrained parameter, a join that does not exist
  TypeSpec(const TypeSpec& other);
  TypeSpec(TypeSpec&& other) noexcept : rep_(std::exchange(other.rep_, nullptr)) {}
  TypeSpec& operator=(TypeSpec other) noexcept {
    std::swap(rep_, other.rep_);
    return *this;
  }
  ~TypeSpec();

  explicit operator bool() const { return rep_ != nullptr; }
  inline bool operator==(const TypeSpec& other) const;  // ignores notes

  // All below need a type.
  TypeKind kind() const;
  bool is(TypeKind kind) const { return rep_ != nullptr && this->kind() == kind; }
  // The static data, or null when the type is of another kind: `spec.As<TensorSpec>()`.
  template <class Spec>
  const Spec* As() const {
    return is(Spec::kKind) ? static_cast<const Spec*>(rep_) : nullptr;
  }
  const TypeSpecRep& rep() const { return *rep_; }
  // Same on every machine; equal for equal types.
  uint64_t fingerprint() const;
  // Fingerprint of everything but shapes: types related by IsSubtype (of any but `any`) share it.
  uint64_t structure() const;
  // The child types: elements, items, fields, components; in canonical order.
  std::span<const TypeSpec> children() const;
  // The same type without notes, its own and those of the types in it.
  TypeSpec plain() const;
  // The shape; null for kinds that have none.
  const PartialShape* shape() const;
  // Number of component tensors of a value of this type.
  size_t num_components() const;
  std::string ToString() const;  // in the notation; ParseTypeSpec reads it back

 private:
  friend TypeSpec InternRep(TypeSpecRep& rep, TypeSpecRep* (*move_to_heap)(TypeSpecRep&));
  explicit TypeSpec(const TypeSpecRep* rep) : rep_(rep) {}  // takes over one reference

  const TypeSpecRep* rep_ = nullptr;
};

// What the author of a type wrote that is not part of its values.
struct TypeNotes {
  // Of a structure or dict: the indices of its children in the order in which they were written.
  // Empty: in canonical order.
  std::vector<uint32_t> order;
  // Of a structure: for each child, whether it is written as optional, `name?: string[]`. Empty:
  // none is.
  std::vector<bool> optional;
  // Of a tensor or ragged type: what stands for a null or missing value, `float32[] = nan`. A
  // literal stands for a missing element, a list of literals for a missing value. Null: nothing.
  TypeSpec default_value;

  bool empty() const { return order.empty() && optional.empty() && !default_value; }
  bool operator==(const TypeNotes& other) const = default;
};

// A component tensor of a value, as its type sees it.
struct ComponentSpec {
  std::string name;  // path within the value: `values`, `row_splits_0`, `steps.text`; empty for a
                     // tensor itself
  TypeSpec spec;     // a tensor type
};

// The static data of one kind. Derived classes (one level, one file each) add typed accessors.
class TypeSpecRep {
 public:
  virtual ~TypeSpecRep() = default;
  TypeSpecRep& operator=(const TypeSpecRep&) = delete;

  TypeKind kind() const { return kind_; }
  const PartialShape* shape() const { return has_shape_ ? &shape_ : nullptr; }
  std::span<const TypeSpec> children() const { return children_; }
  // Number of dimensions of the type, when it has a shape of known rank; else -1.
  int rank() const { return has_shape_ && shape_.has_rank() ? shape_.rank() : -1; }
  const TypeNotes& notes() const { return notes_ != nullptr ? *notes_ : NoNotes(); }
  // Whether the type, or one in it, has notes.
  bool has_notes() const { return static_cast<bool>(plain_); }
  // The index of the child that was written as number `i`.
  size_t WrittenChild(size_t i) const { return notes().order.empty() ? i : notes().order[i]; }
  bool IsOptionalChild(size_t i) const { return !notes().optional.empty() && notes().optional[i]; }

  // Hash and equality of the fixed part: all that is neither shape nor child.
  virtual uint64_t HashFixed() const = 0;
  virtual bool EqualFixed(const TypeSpecRep& other) const = 0;  // `other` is of the same kind
  // The same type with another shape and other children; refused when they do not fit together.
  // Keeps the order of fields and which are optional, and no default value.
  virtual StatusOr<TypeSpec> Rebuild(PartialShape shape, std::vector<TypeSpec> children) const = 0;
  // The same type with `notes`, and with children that are equal to its own. Kinds that have no
  // notes of their own ignore them.
  virtual TypeSpec WithNotes(std::vector<TypeSpec> children, TypeNotes notes) const;
  // Appends the component tensors of a value. A field of a structure of rank r > 0 passes r: the
  // row partitions of those dimensions are components of the structure, not of the field again.
  virtual void AppendComponents(std::string_view path, int shared_rank,
                                std::vector<ComponentSpec>& out) const = 0;
  virtual void AppendTo(std::string& out) const = 0;

  // Where the fixed parts need not be equal to be below, or compatible with, the other's.
  virtual bool FixedBelow(const TypeSpecRep& other) const { return EqualFixed(other); }
  virtual bool FixedCompatible(const TypeSpecRep& other) const { return EqualFixed(other); }

 protected:
  // Intern moves what it has not met before.
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
  // For constructors: before Intern.
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
  std::unique_ptr<const TypeNotes> notes_;  // null: none of its own
  // Filled in by Intern.
  mutable std::atomic<int64_t> references_{0};
  TypeSpec plain_;  // null: this type and its children have no notes
  uint64_t fingerprint_ = 0;
  uint64_t identity_ = 0;  // the fingerprint, with notes
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

// The one shared instance equal to `rep`, notes included; it costs no memory unless it is new.
template <class Spec>
TypeSpec Intern(Spec rep) {
  return InternRep(rep, [](TypeSpecRep& is_new) -> TypeSpecRep* {
    return new Spec(static_cast<Spec&&>(is_new));
  });
}
TypeSpec InternRep(TypeSpecRep& rep, TypeSpecRep* (*move_to_heap)(TypeSpecRep&));

// Number of types alive; for tests and metrics.
size_t NumInternedTypes();

// All component tensors of a value of `spec`, in canonical order (docs/reference/types.md).
std::vector<ComponentSpec> ComponentsOf(const TypeSpec& spec);

// Every value of `a` is a value of `b`. A partial order.
bool IsSubtype(const TypeSpec& a, const TypeSpec& b);

// Some value could be of both types. Load-time checks only: dispatch uses IsSubtype. Symmetric but
// for one case: a ragged type of ragged rank 0 accepts a dense one, and not the other way round.
bool IsCompatible(const TypeSpec& a, const TypeSpec& b);

// `type` with the order of fields and the optional fields of `declared`, as far as the two have
// the same fields, and without any other note. Results thus never depend on the order in which a
// caller happened to write the fields. `declared` may be null.
TypeSpec ArrangedLike(const TypeSpec& type, const TypeSpec& declared);

// The least type above all; null when there is none. `specs` is not empty.
TypeSpec MostSpecificCommonSupertype(std::span<const TypeSpec> specs);
inline TypeSpec MostSpecificCommonSupertype(const TypeSpec& a, const TypeSpec& b) {
  const TypeSpec both[] = {a, b};
  return MostSpecificCommonSupertype(both);
}
}  // namespace signet
