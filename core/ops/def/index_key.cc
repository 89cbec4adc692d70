#include "signet/index_key.h"

#include "signet/attributes.h"
#include "signet/literal_spec.h"
#include "signet/record_spec.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

constexpr std::string_view kEllipsis = "...";

Status UnexpectedKey(const TypeSpec& spec) {
  return InvalidArgument("key: expected an integer, a name, a slice, `\"...\"` or None, found `",
                         spec ? spec.ToString() : "None", "`");
}

// Returns the number of an input, `dict(input: 0)`, or nothing for another attribute.
std::optional<size_t> InputOf(const TypeSpec& spec) {
  const auto* dict = spec ? spec.As<DictSpec>() : nullptr;
  if (dict == nullptr || dict->keys().size() != 1 || dict->keys()[0] != "input") return {};
  const Literal* number = LookupLiteral(spec.children()[0]);
  auto input = number == nullptr ? std::nullopt : number->AsInt64();
  if (!input || *input < 0) return {};
  return static_cast<size_t>(*input);
}

TypeSpec InputAttribute(size_t input) {
  return *MakeDictType({{"input", AttributeOf(static_cast<int64_t>(input))}});
}

StatusOr<std::optional<int64_t>> ReadBound(const TypeSpec& spec) {
  const Literal* literal = LookupLiteral(spec);
  std::optional<int64_t> bound;
  if (literal != nullptr) bound = literal->AsInt64();
  if (bound || (literal != nullptr && literal->is(Literal::Kind::kNone))) return bound;
  return InvalidArgument("slice: expected integers or None, found `", spec, "`");
}

StatusOr<IndexKey> ReadSlice(const TypeSpec& spec) {
  auto parts = spec.children();
  if (parts.size() != 3) return UnexpectedKey(spec);
  SliceKey slice;
  slice.start_input = InputOf(parts[0]);
  slice.stop_input = InputOf(parts[1]);
  if (!slice.start_input) {
    SIGNET_ASSIGN_OR_RETURN(slice.start, ReadBound(parts[0]));
  }
  if (!slice.stop_input) {
    SIGNET_ASSIGN_OR_RETURN(slice.stop, ReadBound(parts[1]));
  }
  SIGNET_ASSIGN_OR_RETURN(slice.step, ReadBound(parts[2]));
  if (slice.step == 0) return InvalidArgument("slice: expected a step other than 0, found 0");
  return IndexKey(slice);
}

StatusOr<IndexKey> ReadKey(const TypeSpec& spec) {
  if (spec && spec.is(TypeKind::kTuple)) return ReadSlice(spec);
  if (auto input = InputOf(spec)) return IndexKey(InputKey{*input});
  const Literal* literal = LookupLiteral(spec);
  if (literal == nullptr) return UnexpectedKey(spec);
  if (literal->is(Literal::Kind::kNone)) return IndexKey(NewAxisKey{});
  if (literal->is(Literal::Kind::kString)) {
    if (literal->string_value() == kEllipsis) return IndexKey(EllipsisKey{});
    return IndexKey(literal->string_value());
  }
  if (auto index = literal->AsInt64()) return IndexKey(*index);
  return UnexpectedKey(spec);
}

TypeSpec BoundOf(const std::optional<int64_t>& bound, const std::optional<size_t>& input = {}) {
  if (input) return InputAttribute(*input);
  return bound ? AttributeOf(*bound) : LiteralType(Literal());
}

struct ToAttribute {
  TypeSpec operator()(int64_t index) const { return AttributeOf(index); }
  TypeSpec operator()(const SliceKey& slice) const {
    return TupleType({BoundOf(slice.start, slice.start_input),
                      BoundOf(slice.stop, slice.stop_input), BoundOf(slice.step)});
  }
  TypeSpec operator()(const std::string& name) const { return AttributeOf(name); }
  TypeSpec operator()(EllipsisKey) const { return AttributeOf(kEllipsis); }
  TypeSpec operator()(NewAxisKey) const { return LiteralType(Literal()); }
  TypeSpec operator()(InputKey key) const { return InputAttribute(key.input); }
};

}  // namespace

StatusOr<std::vector<IndexKey>> ReadIndexKeys(const TypeSpec& attribute) {
  bool several = attribute && attribute.is(TypeKind::kList);
  auto specs = several ? attribute.children() : std::span(&attribute, 1);
  if (specs.size() > kMaxIndexKeys) {
    return InvalidArgument("expected at most ", kMaxIndexKeys, " keys, found ", specs.size());
  }
  std::vector<IndexKey> keys;
  for (const TypeSpec& spec : specs) {
    SIGNET_ASSIGN_OR_RETURN(IndexKey key, ReadKey(spec));
    keys.push_back(std::move(key));
  }
  return keys;
}

TypeSpec AttributeOf(std::span<const IndexKey> keys) {
  std::vector<TypeSpec> specs;
  for (const IndexKey& key : keys) specs.push_back(std::visit(ToAttribute(), key));
  return ListType(std::move(specs));
}

}  // namespace signet
