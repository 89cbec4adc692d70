#include "signet/value.h"

#include <algorithm>

#include "signet/extension_spec.h"
#include "signet/literal_spec.h"
#include "signet/ragged_spec.h"
#include "signet/sequence_spec.h"
#include "signet/sparse_spec.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

// Returns a value of `spec` with the components of all `values`, one after the other.
Value Gather(TypeSpec spec, std::span<const Value> values) {
  Components components;
  components.reserve(spec.num_components());
  for (const Value& value : values) {
    if (value.is_placeholder()) return Value::OfType(std::move(spec));
    components.insert(components.end(), value.components().begin(), value.components().end());
  }
  return Value::Trusted(std::move(spec), std::move(components));
}

std::vector<TypeSpec> SpecsOf(std::span<const Value> values) {
  std::vector<TypeSpec> specs;
  specs.reserve(values.size());
  for (const Value& value : values) specs.push_back(value.spec());
  return specs;
}

NamedTypes NamedSpecs(const NamedValues& items) {
  NamedTypes types;
  for (const auto& [name, value] : items) types.emplace_back(name, value.spec());
  return types;
}

std::vector<Value> ValuesOf(NamedValues items) {
  std::vector<Value> values;
  for (auto& [name, value] : items) values.push_back(std::move(value));
  return values;
}

// Traverses a type and the components of a value, and fills in the sizes of the components.
class ExactSpecs {
 public:
  explicit ExactSpecs(std::span<const Tensor> components) : components_(components) {}

  // `nrows` is the size of dimension 0 if a surrounding structure has it; `shared` is the rank of
  // that structure.
  TypeSpec Exact(const TypeSpec& spec, int shared, int64_t nrows) {
    switch (spec.kind()) {
      case TypeKind::kTensor:
        return ExactTensor(spec);
      case TypeKind::kRagged:
        return ExactRagged(*spec.As<RaggedSpec>(), shared, nrows);
      case TypeKind::kSparse:
        return ExactSparse(*spec.As<SparseSpec>());
      case TypeKind::kStructured:
        return ExactStructured(*spec.As<StructuredSpec>(), shared, nrows);
      case TypeKind::kLiteral:
      case TypeKind::kAny:
        return spec;
      case TypeKind::kList:
      case TypeKind::kTuple:
      case TypeKind::kDict:
      case TypeKind::kNamedTuple:
      case TypeKind::kExtension:
        return Rebuilt(spec, {}, 0, 0);
    }
    __builtin_unreachable();
  }

 private:
  const Tensor& Next() { return components_[next_++]; }

  TypeSpec Rebuilt(const TypeSpec& spec, PartialShape shape, int shared, int64_t nrows) {
    std::vector<TypeSpec> children;
    for (const TypeSpec& child : spec.children()) children.push_back(Exact(child, shared, nrows));
    auto rebuilt = spec.rep().Rebuild(std::move(shape), std::move(children));
    SIGNET_CHECK(rebuilt.ok());
    return *std::move(rebuilt);
  }

  TypeSpec ExactTensor(const TypeSpec& spec) {
    const Tensor& tensor = Next();
    if (spec.shape()->IsFullyDefined()) return spec.plain();
    return *spec.rep().Rebuild(tensor.shape(), {});
  }

  TypeSpec ExactRagged(const RaggedSpec& spec, int shared, int64_t nrows) {
    PartialShape flat = Next().shape();
    int ragged_rank = spec.ragged_rank();
    for (int i = std::max(shared - 1, 0); i < ragged_rank; ++i) {
      const Tensor& splits = Next();
      if (i == 0) nrows = splits.num_elements() - 1;
    }
    PartialShape shape = flat;
    if (ragged_rank > 0) {
      PartialShape rows = spec.shape().has_rank() ? spec.shape().Slice(0, ragged_rank + 1)
                                                  : PartialShape::OfRank(ragged_rank + 1);
      shape = rows.WithDim(0, nrows).Concatenate(flat.Slice(1, flat.rank()));
    }
    return *spec.Rebuild(std::move(shape), {});
  }

  TypeSpec ExactSparse(const SparseSpec& spec) {
    next_ += 2;
    return SparseType(spec.dtype(), PartialShape(Next().elements<int64_t>()));
  }

  TypeSpec ExactStructured(const StructuredSpec& spec, int shared, int64_t nrows) {
    if (spec.rank() > 0 && shared == 0) nrows = Next().scalar<int64_t>();
    int splits = std::max(spec.rank() - 1, 0) - std::max(shared - 1, 0);
    next_ += static_cast<size_t>(splits);
    PartialShape shape = spec.rank() > 0 ? spec.shape().WithDim(0, nrows) : spec.shape();
    std::vector<TypeSpec> fields;
    for (const TypeSpec& field : spec.children())
      fields.push_back(Exact(field, spec.rank(), nrows));
    auto rebuilt = spec.Rebuild(std::move(shape), std::move(fields));
    SIGNET_CHECK(rebuilt.ok());
    return *std::move(rebuilt);
  }

  std::span<const Tensor> components_;
  size_t next_ = 0;
};

}  // namespace

Value::Value(Tensor tensor) : spec_(tensor.spec()) { components_.push_back(std::move(tensor)); }

Value Value::OfLiteral(Literal literal) { return Trusted(LiteralType(std::move(literal)), {}); }

Value Value::OfType(TypeSpec spec) {
  Value value;
  value.is_placeholder_ = spec.num_components() > 0;
  value.spec_ = std::move(spec);
  return value;
}

Value Value::Trusted(TypeSpec spec, Components components) {
  Value value;
  value.spec_ = std::move(spec);
  value.components_ = std::move(components);
  return value;
}

const Literal& Value::literal() const { return spec_.As<LiteralSpec>()->literal(); }

Value ListOf(std::span<const Value> elements) {
  return Gather(ListType(SpecsOf(elements)), elements);
}

Value TupleOf(std::span<const Value> elements) {
  return Gather(TupleType(SpecsOf(elements)), elements);
}

StatusOr<Value> MakeDict(NamedValues items) {
  SIGNET_ASSIGN_OR_RETURN(TypeSpec spec, MakeDictType(NamedSpecs(items)));
  // Components are stored in the order of the keys.
  std::sort(items.begin(), items.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return Gather(std::move(spec), ValuesOf(std::move(items)));
}

StatusOr<Value> MakeNamedTuple(NamedTupleSpec::Style style, std::string name, NamedValues fields) {
  SIGNET_ASSIGN_OR_RETURN(TypeSpec spec,
                          MakeNamedTupleType(style, std::move(name), NamedSpecs(fields)));
  return Gather(std::move(spec), ValuesOf(std::move(fields)));
}

std::vector<Value> ChildrenOf(const Value& value) {
  std::vector<Value> children;
  children.reserve(value.spec().children().size());
  size_t next = 0;
  for (const TypeSpec& child : value.spec().children()) {
    if (value.is_placeholder()) {
      children.push_back(Value::OfType(child));
      continue;
    }
    auto own = value.components().subspan(next, child.num_components());
    next += own.size();
    children.push_back(Value::Trusted(child, Components(own.begin(), own.end())));
  }
  return children;
}

StatusOr<Value> WithChildren(const TypeSpec& spec, std::span<const Value> children) {
  if (children.size() != spec.children().size()) {
    return InvalidArgument("number of children of `", spec, "`: expected ", spec.children().size(),
                           ", found ", children.size());
  }
  SIGNET_ASSIGN_OR_RETURN(TypeSpec rebuilt, spec.rep().Rebuild({}, SpecsOf(children)));
  return Gather(std::move(rebuilt), children);
}

TypeSpec ExactSpecOf(const Value& value) {
  if (value.is_placeholder()) return value.spec();
  return ExactSpecs(value.components()).Exact(value.spec(), 0, kUnknownDim);
}

bool SameValue(const Value& a, const Value& b) {
  return a.spec() == b.spec() && a.is_placeholder() == b.is_placeholder() &&
         std::equal(a.components().begin(), a.components().end(), b.components().begin(),
                    b.components().end(), SameTensor);
}

}  // namespace signet
