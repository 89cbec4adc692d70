// Nests: flatten, pack, compare, map.
//
// What Python has and we have not: keys that are integers, which are texts in the same order here
// (see KeyText); keys of two kinds in one dict, which the reader rejects itself; an order of
// insertion, which is taken from the case when the answer is written.

#include <algorithm>
#include <stdexcept>

#include "core/formats/json/json.h"
#include "core/types/child_path.h"
#include "signet/extension_spec.h"
#include "signet/nest.h"
#include "signet/sequence_spec.h"
#include "signet/tensor_spec.h"
#include "tests/conformance/structured/table.h"

namespace signet::structured_vectors {
namespace {

// Signs of paths, and two characters that are the sign where a key has one: the order of keys
// stays.
constexpr std::pair<char, std::string_view> kSigns[] = {
    {'.', "-\xff"}, {'[', "Z\xff"}, {']', "\\\xff"}};

// The text of a key of a dict: integers become texts that sort as they do, before all others.
std::string KeyText(const Json& key) {
  std::string text;
  if (key.is_number_integer()) {
    absl::int128 shifted = vectors::ToInt(key) - absl::int128(INT64_MIN);
    for (int digit = 0; digit < 20; ++digit, shifted /= 10) {
      text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(shifted % 10)));
    }
    return Cat("\1", text);
  }
  for (char c : key.get_ref<const std::string&>()) {
    auto sign = std::find_if(std::begin(kSigns), std::end(kSigns),
                             [&](const auto& entry) { return entry.first == c; });
    if (sign == std::end(kSigns)) {
      text += c;
    } else {
      text += sign->second;
    }
  }
  return text;
}

// The key that KeyText wrote.
Json KeyOf(std::string_view text) {
  if (text.starts_with('\1')) {
    absl::int128 value = INT64_MIN;
    absl::int128 shifted = 0;
    for (char c : text.substr(1)) shifted = shifted * 10 + (c - '0');
    value += shifted;
    return value <= INT64_MAX ? Json(static_cast<int64_t>(value))
                              : Json(static_cast<uint64_t>(value));
  }
  std::string key;
  while (!text.empty()) {
    auto sign = std::find_if(std::begin(kSigns), std::end(kSigns),
                             [&](const auto& entry) { return text.starts_with(entry.second); });
    key += sign == std::end(kSigns) ? text.front() : sign->first;
    text.remove_prefix(sign == std::end(kSigns) ? 1 : sign->second.size());
  }
  return key;
}

bool SameKind(const Json& a, const Json& b) {
  return a.is_number_integer() == b.is_number_integer() && a.is_string() == b.is_string();
}

// Scalars are literals, lists tensors.
Value LeafOf(const Json& json) {
  if (json.is_array()) return Must(InferFromJson(json.dump(), {}));
  return Must(ValueFromJson(json.dump(), {}, {}));
}

StatusOr<Value> MakeStructure(const Json& json) {
  auto elements = [](const Json& list) -> StatusOr<std::vector<Value>> {
    std::vector<Value> out;
    for (const Json& element : list) {
      SIGNET_ASSIGN_OR_RETURN(Value value, MakeStructure(element));
      out.push_back(std::move(value));
    }
    return out;
  };
  auto items = [](const Json& pairs) -> StatusOr<NamedValues> {
    NamedValues out;
    for (const Json& pair : pairs) {
      const Json& first = pairs.at(0).at(0);
      if (!SameKind(pair.at(0), first)) {
        return InvalidArgument("keys of different kinds: ", first.dump(), ", ", pair.at(0).dump());
      }
      SIGNET_ASSIGN_OR_RETURN(Value value, MakeStructure(pair.at(1)));
      out.emplace_back(KeyText(pair.at(0)), std::move(value));
    }
    return out;
  };
  if (json.contains("leaf")) return LeafOf(json["leaf"]);
  if (json.contains("none")) return Value::None();
  if (json.contains("composite")) return MakeTypedValue(json["composite"]);
  if (json.contains("list")) {
    SIGNET_ASSIGN_OR_RETURN(auto values, elements(json["list"]));
    return ListOf(values);
  }
  if (json.contains("tuple")) {
    SIGNET_ASSIGN_OR_RETURN(auto values, elements(json["tuple"]));
    return TupleOf(values);
  }
  if (json.contains("dict")) {
    SIGNET_ASSIGN_OR_RETURN(NamedValues values, items(json["dict"]));
    return MakeDict(std::move(values));
  }
  if (json.contains("namedtuple")) {
    SIGNET_ASSIGN_OR_RETURN(NamedValues values, items(json["namedtuple"].at(1)));
    return MakeNamedTuple(NamedTupleSpec::Style::kNamedTuple, json["namedtuple"].at(0),
                          std::move(values));
  }
  SIGNET_ASSIGN_OR_RETURN(Value inside, MakeStructure(json.at("custom").at("components")));
  SIGNET_ASSIGN_OR_RETURN(
      TypeSpec type, MakeExtensionType("vectors.Custom",
                                       {{"metadata", ToAttribute(json["custom"].at("metadata"))}},
                                       {{"custom", inside.spec()}}));
  return Value::Trusted(std::move(type), {inside.components().begin(), inside.components().end()});
}

Json TypeToJson(const Tensor& tensor) {
  return {{"kind", "tensor"},
          {"dtype", NameOf(tensor.dtype())},
          {"shape",
           Json(std::vector<int64_t>(tensor.shape().dims().begin(), tensor.shape().dims().end()))}};
}

// The composites anywhere in a structure of a case.
void FindComposites(const Json& json, std::vector<Json>& out) {
  if (json.is_object() && json.contains("composite")) out.push_back(json.at("composite"));
  if (!json.is_structured()) return;
  for (const auto& item : json.items()) FindComposites(item.value(), out);
}

std::vector<Json> CompositesOf(const Case& one) {
  std::vector<Json> composites;
  FindComposites(one.inputs(), composites);
  return composites;
}

// The one of `composites` that is `value`; null if none is.
Json CompositeLike(const Value& value, std::span<const Json> composites) {
  for (const Json& composite : composites) {
    auto made = MakeTypedValue(composite);
    if (made.ok() && SameValue(*made, value)) return composite;
  }
  return nullptr;
}

// A value in the notation of cases. `outline` is a structure of the same form, as far as it is one;
// dicts have its order. `composites` are those of the case.
Json Written(const Value& value, std::span<const Json> composites, const Json& outline = {}) {
  const TypeSpec& spec = value.spec();
  auto at = [&](const char* name) {
    return outline.is_object() && outline.contains(name) ? outline.at(name) : Json();
  };
  auto element = [](const Json& list, size_t i) {
    return list.is_array() && i < list.size() ? list.at(i) : Json();
  };
  if (spec.is(TypeKind::kLiteral)) {
    if (value.literal().is(Literal::Kind::kNone)) return {{"none", true}};
    return {{"leaf", ToJson(value)}};
  }
  // A composite that stays closed is written as the case has it.
  if (Json composite = CompositeLike(value, composites); !composite.is_null()) {
    return {{"composite", composite}};
  }
  // Components are told from leaves by what they are a part of.
  if (spec.is(TypeKind::kTensor)) {
    if (outline != "component") return {{"leaf", ToJson(value)}};
    return {{"component", {{"type", TypeToJson(value.tensor())}, {"value", ToJson(value)}}}};
  }
  std::vector<Value> children = ChildrenOf(value);
  Json list = Json::array();
  if (IsSequence(spec)) {
    const char* kind = spec.is(TypeKind::kList) ? "list" : "tuple";
    for (size_t i = 0; i < children.size(); ++i) {
      list.push_back(Written(children[i], composites, element(at(kind), i)));
    }
    return {{kind, list}};
  }
  if (const auto* extension = spec.As<ExtensionSpec>()) {
    Json inside = at("custom").is_object() ? at("custom").at("components") : Json();
    TypeSpec metadata = extension->LookupStatic("metadata");
    return {{"custom",
             {{"components", Written(children.at(0), composites, inside)},
              {"metadata", ToJson(Value::Trusted(metadata, {}))}}}};
  }
  bool is_dict = spec.is(TypeKind::kDict);
  if (!is_dict && !spec.is(TypeKind::kNamedTuple)) {
    throw std::runtime_error(Cat("no notation for a value of `", spec, "`"));
  }
  Json pairs = is_dict ? at("dict") : element(at("namedtuple"), 1);
  for (size_t i = 0; i < children.size(); ++i) {
    size_t from = i;  // the child in place i
    Json key = is_dict ? KeyOf(ChildStep(spec, i)) : Json(ChildStep(spec, i));
    if (!pairs.is_null()) {
      key = pairs.at(i).at(0);
      for (from = 0; from < children.size() && ChildStep(spec, from) != KeyText(key);) ++from;
    }
    list.push_back({key, Written(children.at(from), composites, element(element(pairs, i), 1))});
  }
  if (is_dict) return {{"dict", list}};
  return {{"namedtuple", {spec.As<NamedTupleSpec>()->name(), list}}};
}

NestOptions OptionsOf(const Case& one) {
  return {.expand_composites = one.arg("expand_composites") == true};
}

// `custom[0].a` as `["custom", 0, "a"]`.
Json StepsOf(std::string_view path) {
  Json steps = Json::array();
  while (!path.empty()) {
    bool is_index = path.front() == '[';
    if (is_index || path.front() == '.') path.remove_prefix(1);
    std::string_view step = path.substr(0, path.find_first_of(".[]"));
    steps.push_back(is_index ? Json(std::stoi(std::string(step))) : KeyOf(step));
    path.remove_prefix(std::min(path.size(), step.size() + (is_index ? 1 : 0)));
  }
  return steps;
}

StatusOr<Answer> Flatten(const Case& one) {
  SIGNET_ASSIGN_OR_RETURN(Value nest, MakeStructure(one.inputs().at("structure")));
  std::vector<Json> composites = CompositesOf(one);
  Json outline = composites.empty() ? Json() : Json("component");
  Answer answer;
  answer.data["flat"] = Json::array();
  for (const Value& leaf : FlattenNest(nest, OptionsOf(one))) {
    answer.data["flat"].push_back(Written(leaf, composites, outline));
  }
  answer.data["paths"] = Json::array();
  for (const std::string& path : NestPaths(nest.spec(), OptionsOf(one))) {
    answer.data["paths"].push_back(StepsOf(path));
  }
  return answer;
}

StatusOr<Answer> Pack(const Case& one) {
  const Json& outline = one.inputs().at("structure");
  std::vector<Value> leaves;
  for (const Json& leaf : one.inputs().at("flat")) leaves.push_back(Must(MakeStructure(leaf)));
  SIGNET_ASSIGN_OR_RETURN(Value packed,
                          PackNest(Must(MakeStructure(outline)).spec(), leaves, OptionsOf(one)));
  Answer answer;
  answer.data["structure"] = Written(packed, CompositesOf(one), outline);
  return answer;
}

StatusOr<Answer> AssertSameStructure(const Case& one) {
  SIGNET_RETURN_IF_ERROR(
      CheckSameStructure(Must(MakeStructure(one.inputs().at("a"))).spec(),
                         Must(MakeStructure(one.inputs().at("b"))).spec(),
                         {.check_kinds = one.arg("check_types") == true,
                          .expand_composites = one.arg("expand_composites") == true}));
  Answer answer;
  answer.data["value"] = true;
  return answer;
}

StatusOr<Answer> MapStructure(const Case& one) {
  const Json& outline = one.inputs().at("structure");
  if (one.arg("fn") != "add") return NotBuilt("map_structure of another function");
  auto operand = one.arg("operand").get<int64_t>();
  auto add = [&](const Value& leaf) -> StatusOr<Value> {
    if (!leaf.spec().is(TypeKind::kLiteral) || !leaf.literal().is(Literal::Kind::kInt)) {
      return InvalidArgument("expected an integer, found `", leaf.spec(), "`");
    }
    return Value::OfLiteral(Literal::Int(leaf.literal().int_value() + operand));
  };
  SIGNET_ASSIGN_OR_RETURN(Value mapped, MapNest(Must(MakeStructure(outline)), add, OptionsOf(one)));
  Answer answer;
  answer.data["structure"] = Written(mapped, CompositesOf(one), outline);
  return answer;
}

constexpr OpRow kOps[] = {
    {"assert_same_structure", AssertSameStructure},
    {"flatten", Flatten},
    {"map_structure", MapStructure},
    {"pack", Pack},
};

}  // namespace

std::span<const OpRow> NestOps() { return kOps; }

}  // namespace signet::structured_vectors
