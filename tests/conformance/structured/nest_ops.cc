// Nests: flatten, pack, compare, map.
//
// What Python has and we have not: keys that are numbers, which are read as text here; keys of two
// kinds in one dict, which the reader refuses itself (one case); an order of insertion, which is
// taken from the case when the answer is written.

#include "core/formats/json.h"
#include "core/types/child_path.h"
#include "core/types/extension_spec.h"
#include "core/types/sequence_spec.h"
#include "core/types/tensor_spec.h"
#include "core/values/nest.h"
#include "tests/conformance/structured/table.h"

namespace signet::structured_vectors {
namespace {

std::string KeyText(const Json& key) { return key.is_string() ? key : Json(key.dump()); }

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
      if (pair[0].type() != pairs[0][0].type()) {
        return InvalidArgument("keys of different kinds: ", pairs[0][0].dump(), ", ",
                               pair[0].dump());
      }
      SIGNET_ASSIGN_OR_RETURN(Value value, MakeStructure(pair[1]));
      out.emplace_back(KeyText(pair[0]), std::move(value));
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
    SIGNET_ASSIGN_OR_RETURN(NamedValues values, items(json["namedtuple"][1]));
    return MakeNamedTuple(NamedTupleSpec::Style::kNamedTuple, json["namedtuple"][0],
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

// A value in the notation of cases. `outline` is a structure of the same form, as far as it is one;
// dicts have its order.
Json Written(const Value& value, const Json& outline = {}) {
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
      list.push_back(Written(children[i], element(at(kind), i)));
    }
    return {{kind, list}};
  }
  if (const auto* extension = spec.As<ExtensionSpec>()) {
    Json inside = at("custom").is_object() ? at("custom").at("components") : Json();
    TypeSpec metadata = extension->LookupStatic("metadata");
    return {{"custom",
             {{"components", Written(children[0], inside)},
              {"metadata", ToJson(Value::Trusted(metadata, {}))}}}};
  }
  bool is_dict = spec.is(TypeKind::kDict);
  Json pairs = is_dict ? at("dict") : element(at("namedtuple"), 1);
  for (size_t i = 0; i < children.size(); ++i) {
    size_t from = i;  // the child in place i
    Json key = ChildStep(spec, i);
    if (!pairs.is_null()) {
      key = pairs.at(i).at(0);
      from = 0;
      while (ChildStep(spec, from) != KeyText(key)) ++from;
    }
    list.push_back({key, Written(children[from], element(element(pairs, i), 1))});
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
    path.remove_prefix(step.size() + (is_index ? 1 : 0));
    steps.push_back(is_index ? Json(std::stoi(std::string(step))) : Json(std::string(step)));
  }
  return steps;
}

StatusOr<Answer> Flatten(const Case& one) {
  SIGNET_ASSIGN_OR_RETURN(Value nest, MakeStructure(one.inputs().at("structure")));
  bool has_components = one.inputs().dump().find("\"composite\"") != std::string::npos;
  Answer answer;
  answer.data["flat"] = Json::array();
  for (const Value& leaf : FlattenNest(nest, OptionsOf(one))) {
    answer.data["flat"].push_back(Written(leaf, has_components ? Json("component") : Json()));
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
  answer.data["structure"] = Written(packed, outline);
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
    return Value::OfLiteral(Literal::Int(leaf.literal().int_value() + operand));
  };
  SIGNET_ASSIGN_OR_RETURN(Value mapped, MapNest(Must(MakeStructure(outline)), add, OptionsOf(one)));
  Answer answer;
  answer.data["structure"] = Written(mapped, outline);
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
