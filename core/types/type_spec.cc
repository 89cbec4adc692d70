#include "signet/type_spec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <unordered_map>

#include "core/base/hash.h"
#include "signet/literal_spec.h"
#include "signet/ragged_spec.h"

namespace signet {
namespace {

// Returns true if two fixed parts are equal where 0.0 equals -0.0 and all NaNs are equal. Identical
// literals have identical bits, but subtyping and compatibility compare the values of floats.
bool EqualByValue(const TypeSpecRep& a, const TypeSpecRep& b) {
  if (a.kind() != TypeKind::kLiteral) return a.EqualFixed(b);
  const Literal& x = static_cast<const LiteralSpec&>(a).literal();
  const Literal& y = static_cast<const LiteralSpec&>(b).literal();
  if (!x.is(Literal::Kind::kFloat) || !y.is(Literal::Kind::kFloat)) return x == y;
  return x.float_value() == y.float_value() ||
         (std::isnan(x.float_value()) && std::isnan(y.float_value()));
}

// Returns a hash of the fixed part that is equal for parts that are equal by value.
uint64_t HashByValue(const TypeSpecRep& rep) {
  if (rep.kind() != TypeKind::kLiteral) return rep.HashFixed();
  const Literal& literal = static_cast<const LiteralSpec&>(rep).literal();
  if (!literal.is(Literal::Kind::kFloat)) return literal.Hash();
  if (literal.float_value() == 0) return Literal::Float(0.0).Hash();
  if (std::isnan(literal.float_value())) return Literal::Float(std::nan("")).Hash();
  return literal.Hash();
}

}  // namespace

// TypeTable: the interned types, in shards by fingerprint. The lock of the shard is held whenever
// the last reference to a type is dropped or a new first reference is taken, so a type found in the
// table is alive.
class TypeTable {
 public:
  static TypeTable& Get() {
    static TypeTable* table = new TypeTable;  // outlives every static TypeSpec
    return *table;
  }

  const TypeSpecRep* FindOrAdd(TypeSpecRep& rep, TypeSpecRep* (*move_to_heap)(TypeSpecRep&)) {
    Shard& shard = ShardOf(rep.identity_);
    std::lock_guard lock(shard.mu);
    if (const TypeSpecRep* found = LookupLocked(shard, rep)) return found;
    const TypeSpecRep* added = move_to_heap(rep);
    added->references_.store(1, std::memory_order_relaxed);
    shard.types.emplace(added->identity_, added);
    return added;
  }

  // Returns null if there is none.
  const TypeSpecRep* Lookup(const TypeSpecRep& rep) {
    Shard& shard = ShardOf(rep.identity_);
    std::lock_guard lock(shard.mu);
    return LookupLocked(shard, rep);
  }

  void DropLast(const TypeSpecRep* rep) {
    Shard& shard = ShardOf(rep->identity_);
    {
      std::lock_guard lock(shard.mu);
      if (rep->references_.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
      auto [first, last] = shard.types.equal_range(rep->identity_);
      while (first != last && first->second != rep) ++first;
      shard.types.erase(first);
    }
    delete rep;  // outside the lock: its children may be in the same shard
  }

  size_t size() {
    size_t total = 0;
    for (Shard& shard : shards_) {
      std::lock_guard lock(shard.mu);
      total += shard.types.size();
    }
    return total;
  }

 private:
  struct Shard {
    std::mutex mu;
    std::unordered_multimap<uint64_t, const TypeSpecRep*> types;  // guarded by mu
  };

  Shard& ShardOf(uint64_t identity) { return shards_[identity % shards_.size()]; }

  // Returns the type that is equal to `rep` and adds a reference.
  static const TypeSpecRep* LookupLocked(Shard& shard, const TypeSpecRep& rep) {
    auto [first, last] = shard.types.equal_range(rep.identity_);
    for (; first != last; ++first) {
      if (IsSame(*first->second, rep)) {
        first->second->references_.fetch_add(1, std::memory_order_relaxed);
        return first->second;
      }
    }
    return nullptr;
  }

  // Returns true if the two are equal, including notes.
  static bool IsSame(const TypeSpecRep& a, const TypeSpecRep& b) {
    return a.kind_ == b.kind_ && a.shape_ == b.shape_ && a.notes() == b.notes() &&
           std::equal(a.children_.begin(), a.children_.end(), b.children_.begin(),
                      b.children_.end(),
                      [](const TypeSpec& x, const TypeSpec& y) { return &x.rep() == &y.rep(); }) &&
           a.EqualFixed(b);
  }

  std::array<Shard, 64> shards_;
};

const TypeNotes& TypeSpecRep::NoNotes() {
  static const TypeNotes* none = new TypeNotes;
  return *none;
}

TypeSpec TypeSpecRep::WithNotes(std::vector<TypeSpec> children, TypeNotes) const {
  auto rebuilt = Rebuild(shape_, std::move(children));
  SIGNET_CHECK(rebuilt.ok());  // equal children fit as the previous ones did
  return *std::move(rebuilt);
}

std::string_view NameOf(TypeKind kind) {
  switch (kind) {
    case TypeKind::kTensor:
      return "tensor";
    case TypeKind::kRagged:
      return "ragged";
    case TypeKind::kSparse:
      return "sparse";
    case TypeKind::kStructured:
      return "structured";
    case TypeKind::kLiteral:
      return "literal";
    case TypeKind::kList:
      return "list";
    case TypeKind::kTuple:
      return "tuple";
    case TypeKind::kDict:
      return "dict";
    case TypeKind::kNamedTuple:
      return "named tuple";
    case TypeKind::kExtension:
      return "extension";
    case TypeKind::kAny:
      return "any";
  }
  __builtin_unreachable();
}

TypeSpec::TypeSpec(const TypeSpec& other) : rep_(other.rep_) {
  if (rep_ != nullptr) rep_->references_.fetch_add(1, std::memory_order_relaxed);
}

TypeSpec::~TypeSpec() {
  if (rep_ == nullptr) return;
  int64_t held = rep_->references_.load(std::memory_order_relaxed);
  while (held > 1) {
    if (rep_->references_.compare_exchange_weak(held, held - 1, std::memory_order_acq_rel)) return;
  }
  TypeTable::Get().DropLast(rep_);
}

TypeKind TypeSpec::kind() const { return rep_->kind(); }
uint64_t TypeSpec::fingerprint() const { return rep_->fingerprint_; }
uint64_t TypeSpec::structure() const { return rep_->structure_; }
std::span<const TypeSpec> TypeSpec::children() const { return rep_->children_; }
const PartialShape* TypeSpec::shape() const { return rep_->shape(); }
size_t TypeSpec::num_components() const { return rep_->num_components_; }
TypeSpec TypeSpec::plain() const {
  return rep_ != nullptr && rep_->has_notes() ? rep_->plain_ : *this;
}

std::string TypeSpec::ToString() const {
  if (rep_ == nullptr) return "any type";
  std::string out;
  rep_->AppendTo(out);
  return out;
}

namespace {

// Returns the number of components that AppendComponents appends. Does not write their names, whose
// length grows with the depth of the type.
size_t CountComponents(const TypeSpecRep& rep, int shared_rank) {
  int shared = std::max(shared_rank - 1, 0);  // row partitions
  size_t count = 0;
  switch (rep.kind()) {
    case TypeKind::kTensor:
      return 1;
    case TypeKind::kRagged:
      return 1 + static_cast<size_t>(
                     std::max(static_cast<const RaggedSpec&>(rep).ragged_rank() - shared, 0));
    case TypeKind::kSparse:
      return 3;
    case TypeKind::kLiteral:
    case TypeKind::kAny:
      return 0;
    case TypeKind::kStructured:
      count = rep.rank() > 0 && shared_rank == 0 ? 1 : 0;
      count += static_cast<size_t>(std::max(rep.rank() - 1 - shared, 0));
      for (const TypeSpec& field : rep.children())
        count += CountComponents(field.rep(), rep.rank());
      return count;
    case TypeKind::kList:
    case TypeKind::kTuple:
    case TypeKind::kDict:
    case TypeKind::kNamedTuple:
    case TypeKind::kExtension:
      for (const TypeSpec& child : rep.children()) count += child.num_components();
      return count;
  }
  __builtin_unreachable();
}

uint64_t HashOf(const TypeNotes& notes) {
  uint64_t hash = notes.default_value ? notes.default_value.fingerprint() : 0;
  for (uint32_t index : notes.order) hash = MixHash(hash, index);
  for (bool optional : notes.optional) hash = MixHash(hash, optional ? 1 : 2);
  return hash;
}

}  // namespace

TypeSpec InternRep(TypeSpecRep& rep, TypeSpecRep* (*move_to_heap)(TypeSpecRep&)) {
  const auto kind = static_cast<uint64_t>(rep.kind_);
  const uint64_t fixed = MixHash(kind, HashByValue(rep));
  uint64_t structure = fixed;
  uint64_t fingerprint =
      MixHash(MixHash(kind, rep.HashFixed()), rep.has_shape_ ? rep.shape_.Hash() : 0);
  for (const TypeSpec& child : rep.children_) {
    structure = MixHash(structure, child.structure());
    fingerprint = MixHash(fingerprint, child.fingerprint());
  }
  // Plain `any` is a supertype of every `any`, so all of them share a structure.
  rep.structure_ = rep.kind_ == TypeKind::kAny ? fixed : structure;
  rep.fingerprint_ = fingerprint;
  rep.identity_ = fingerprint;
  rep.num_components_ = CountComponents(rep, 0);
  bool has_notes = rep.notes_ != nullptr;
  for (const TypeSpec& child : rep.children_) has_notes |= child.rep().has_notes();
  if (has_notes) {
    rep.identity_ = MixHash(rep.identity_, HashOf(rep.notes()));
    for (const TypeSpec& child : rep.children_) {
      rep.identity_ = MixHash(rep.identity_, child.rep().identity_);
    }
    if (const TypeSpecRep* found = TypeTable::Get().Lookup(rep)) return TypeSpec(found);
    std::vector<TypeSpec> children;
    for (const TypeSpec& child : rep.children_) children.push_back(child.plain());
    rep.plain_ = rep.WithNotes(std::move(children), {});
  }
  return TypeSpec(TypeTable::Get().FindOrAdd(rep, move_to_heap));
}

size_t NumInternedTypes() { return TypeTable::Get().size(); }

std::vector<ComponentSpec> ComponentsOf(const TypeSpec& spec) {
  std::vector<ComponentSpec> out;
  spec.rep().AppendComponents("", 0, out);
  return out;
}

namespace {

// Returns true if `fixed` holds for the two types, `shapes` for their shapes, and the relation
// itself for each pair of children.
template <class Fixed, class Shapes, class Children>
bool Relate(const TypeSpec& a, const TypeSpec& b, Fixed fixed, Shapes shapes, Children children) {
  if (a.kind() != b.kind() || a.children().size() != b.children().size()) return false;
  if (!fixed(a.rep(), b.rep())) return false;
  if (a.shape() != nullptr && !shapes(*a.shape(), *b.shape())) return false;
  for (size_t i = 0; i < a.children().size(); ++i) {
    if (!children(a.children()[i], b.children()[i])) return false;
  }
  return true;
}

}  // namespace

bool IsSubtype(const TypeSpec& a, const TypeSpec& b) {
  if (a == b) return true;
  if (!a || !b || a.structure() != b.structure()) return false;
  if (b.is(TypeKind::kAny) && b.children().empty()) return true;
  return Relate(
      a, b,
      [](const TypeSpecRep& x, const TypeSpecRep& y) {
        return x.FixedBelow(y) || EqualByValue(x, y);
      },
      [](const PartialShape& x, const PartialShape& y) { return x.IsSubtypeOf(y); }, IsSubtype);
}

TypeSpec ArrangedLike(const TypeSpec& type, const TypeSpec& declared) {
  bool has_notes = type && (type.rep().has_notes() || (declared && declared.rep().has_notes()));
  if (!has_notes) return type;
  bool is_alike = declared && type.kind() == declared.kind() &&
                  type.children().size() == declared.children().size() &&
                  type.rep().EqualFixed(declared.rep());
  if (!is_alike) return type.plain();
  std::vector<TypeSpec> children;
  for (size_t i = 0; i < type.children().size(); ++i) {
    children.push_back(ArrangedLike(type.children()[i], declared.children()[i]));
  }
  const TypeNotes& notes = declared.rep().notes();
  return type.rep().WithNotes(std::move(children), {notes.order, notes.optional, {}});
}

bool IsCompatible(const TypeSpec& a, const TypeSpec& b) {
  if (a == b) return true;
  if (a.is(TypeKind::kAny) && b.is(TypeKind::kAny) &&
      (a.children().empty() || b.children().empty())) {
    return true;
  }
  if (!a || !b) return false;
  const auto* ragged = a.As<RaggedSpec>();
  if (ragged != nullptr && ragged->ragged_rank() == 0 && b.is(TypeKind::kTensor)) {
    return IsCompatible(ragged->FlatValuesSpec(), b);
  }
  return Relate(
      a, b,
      [](const TypeSpecRep& x, const TypeSpecRep& y) {
        return x.FixedCompatible(y) || EqualByValue(x, y);
      },
      [](const PartialShape& x, const PartialShape& y) { return x.IsCompatibleWith(y); },
      [](const TypeSpec& x, const TypeSpec& y) { return IsCompatible(x, y); });
}

namespace {

TypeSpec JoinTwo(const TypeSpec& a, const TypeSpec& b) {
  if (a == b) return a;
  if (!a || !b || a.kind() != b.kind()) return {};
  if (a.is(TypeKind::kAny)) {
    if (a.children().size() == 1 && b.children().size() == 1) {
      if (TypeSpec base = JoinTwo(a.children()[0], b.children()[0])) {
        return *a.rep().Rebuild({}, {base});
      }
    }
    return *a.rep().Rebuild({}, {});
  }
  if (a.children().size() != b.children().size() || !a.rep().EqualFixed(b.rep())) return {};
  std::vector<TypeSpec> children;
  for (size_t i = 0; i < a.children().size(); ++i) {
    children.push_back(JoinTwo(a.children()[i], b.children()[i]));
    if (!children.back()) return {};
  }
  PartialShape shape;
  if (a.shape() != nullptr) shape = a.shape()->MostSpecificCommonSupertype(*b.shape());
  auto joined = a.rep().Rebuild(std::move(shape), std::move(children));
  return joined.ok() ? *joined : TypeSpec();
}

}  // namespace

TypeSpec MostSpecificCommonSupertype(std::span<const TypeSpec> specs) {
  TypeSpec joined = specs[0];
  for (const TypeSpec& spec : specs.subspan(1)) joined = JoinTwo(joined, spec);
  return joined;
}

}  // namespace signet
