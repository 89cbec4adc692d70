// TypeSpec: the type of a value: everything about it that is static.
//
//   float32[?, 3]      ragged int64[?, (?)]      {title: string[], steps: [{text: string[]}]}
//
// A TypeSpec is one pointer to immutable, interned data: equal types are equal pointers, copying
// one counts a reference, and a type that nobody holds is forgotten. Every type does four jobs: it
// holds static data, writes itself in the notation (docs/notation.md), names the component tensors
// of its values, and compares. Comparison looks at every kind in one way: a *fixed* part that must
// be equal, a shape, and child types; so a kind states its parts, and the relations below serve all
// kinds.
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

#include "core/base/status.h"
#include "core/types/shape.h"

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
  bool operator==(const TypeSpec& other) const { return rep_ == other.rep_; }

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

  // Hash and equality of the fixed part: all that is neither shape nor child.
  virtual uint64_t HashFixed() const = 0;
  virtual bool EqualFixed(const TypeSpecRep& other) const = 0;  // `other` is of the same kind
  // The same type with another shape and other children; refused when they do not fit together.
  virtual StatusOr<TypeSpec> Rebuild(PartialShape shape, std::vector<TypeSpec> children) const = 0;
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
        fingerprint_(other.fingerprint_),
        structure_(other.structure_),
        num_components_(other.num_components_) {}
  TypeSpecRep(TypeKind kind, std::vector<TypeSpec> children)
      : kind_(kind), has_shape_(false), children_(std::move(children)) {}
  TypeSpecRep(TypeKind kind, PartialShape shape, std::vector<TypeSpec> children = {})
      : kind_(kind), has_shape_(true), shape_(std::move(shape)), children_(std::move(children)) {}

 private:
  friend class TypeSpec;
  friend class TypeTable;
  friend TypeSpec InternRep(TypeSpecRep& rep, TypeSpecRep* (*move_to_heap)(TypeSpecRep&));

  const TypeKind kind_;
  const bool has_shape_;
  PartialShape shape_;
  std::vector<TypeSpec> children_;
  // Filled in by Intern.
  mutable std::atomic<int64_t> references_{0};
  uint64_t fingerprint_ = 0;
  uint64_t structure_ = 0;
  size_t num_components_ = 0;
};

// The one shared instance equal to `rep`, which costs no memory unless it is new.
template <class Spec>
TypeSpec Intern(Spec rep) {
  return InternRep(rep, [](TypeSpecRep& is_new) -> TypeSpecRep* {
    return new Spec(static_cast<Spec&&>(is_new));
  });
}
TypeSpec InternRep(TypeSpecRep& rep, TypeSpecRep* (*move_to_heap)(TypeSpecRep&));

// Number of types alive; for tests and metrics.
size_t NumInternedTypes();

// All component tensors of a value of `spec`, in canonical order (docs/types.md).
std::vector<ComponentSpec> ComponentsOf(const TypeSpec& spec);

// Every value of `a` is a value of `b`. A partial order.
bool IsSubtype(const TypeSpec& a, const TypeSpec& b);

// Some value could be of both types. Load-time checks only: dispatch uses IsSubtype. Symmetric but
// for one case: a ragged type of ragged rank 0 accepts a dense one, and not the other way round.
bool IsCompatible(const TypeSpec& a, const TypeSpec& b);

// The least type above all; null when there is none. `specs` is not empty.
TypeSpec MostSpecificCommonSupertype(std::span<const TypeSpec> specs);
inline TypeSpec MostSpecificCommonSupertype(const TypeSpec& a, const TypeSpec& b) {
  const TypeSpec both[] = {a, b};
  return MostSpecificCommonSupertype(both);
}
}  // namespace signet
