#include "tests/conformance/structured/compare.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/values/builders/value_notation.h"
#include "core/values/builders/value_writer.h"
#include "signet/extension_spec.h"
#include "signet/ragged_spec.h"
#include "signet/sparse_spec.h"
#include "signet/structured.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"

namespace signet::structured_vectors {
namespace {

constexpr double kTolerance = 1e-6;

// Builds JSON from the events of WriteValue.
class JsonSink final : public ValueSink {
 public:
  void BeginList() override { Begin(Json::array()); }
  void EndList() override { open_.pop_back(); }
  void BeginObject() override { Begin(Json::object()); }
  void Key(std::string_view name) override { key_ = name; }
  void EndObject() override { open_.pop_back(); }
  void Null() override { Put(nullptr); }
  void Bool(bool value) override { Put(value); }
  void Int(absl::int128 value) override {
    bool is_signed = value <= std::numeric_limits<int64_t>::max();
    Put(is_signed ? Json(static_cast<int64_t>(value)) : Json(static_cast<uint64_t>(value)));
  }
  void Float(double value, DType) override { Put(value); }
  void String(std::string_view bytes) override { Put(std::string(bytes)); }

  Json Take() { return std::move(root_); }

 private:
  Json& Put(Json json) {
    if (open_.empty()) return root_ = std::move(json);
    Json& parent = *open_.back();
    if (parent.is_object()) return parent[key_] = std::move(json);
    parent.push_back(std::move(json));
    return parent.back();
  }
  void Begin(Json json) { open_.push_back(&Put(std::move(json))); }

  Json root_;
  std::vector<Json*> open_;  // which do not move: only the last grows
  std::string key_;
};

// A text or number of the notation as ToJson has it.
Json Plain(const Json& json) {
  if (IsBytes(json)) return ToBytes(json);
  if (json.is_object() && json.size() == 1 && json.contains("$float")) return std::nan("");
  if (!json.is_structured()) return json;
  Json plain = json.is_array() ? Json::array() : Json::object();
  for (const auto& item : json.items()) {
    if (json.is_array()) {
      plain.push_back(Plain(item.value()));
    } else {
      plain[item.key()] = Plain(item.value());
    }
  }
  return plain;
}

std::string Shown(const Json& json) {
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= 400 ? text : text.substr(0, 400) + "...";
}

bool Same(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number() && (a.is_number_float() || b.is_number_float())) {
    auto x = a.get<double>();
    auto y = b.get<double>();
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
    return x == y || std::abs(x - y) <= kTolerance * std::max(std::abs(x), std::abs(y));
  }
  if (a.is_array() && b.is_array()) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), Same);
  }
  if (a.is_object() && b.is_object()) {
    if (a.size() != b.size()) return false;
    for (const auto& item : a.items()) {
      if (!b.contains(item.key()) || !Same(item.value(), b.at(item.key()))) return false;
    }
    return true;
  }
  return a == b;
}

std::string JsonDifference(const Json& expected, const Json& found) {
  Json plain = Plain(expected);
  return Same(plain, found) ? "" : Cat("expected ", Shown(plain), "; found ", Shown(found));
}

// As sets, or multisets: what is one in `expected` is one in `found`.
std::string UnorderedDifference(const Json& expected, Json found) {
  Json plain = Plain(expected);
  bool same = found.is_array() &&
              std::is_permutation(plain.begin(), plain.end(), found.begin(), found.end(), Same);
  return same ? "" : Cat("expected, in any order, ", Shown(plain), "; found ", Shown(found));
}

// Compares lengths. A number n represents rows that all have length n.
bool SameLengths(const Json& a, const Json& b) {
  if (a.is_array() == b.is_array()) return a == b;
  const Json& list = a.is_array() ? a : b;
  const Json& number = a.is_array() ? b : a;
  return std::all_of(list.begin(), list.end(), [&](const Json& n) { return n == number; });
}

DType DTypeIn(const TypeSpec& type) {
  if (const auto* tensor = type.As<TensorSpec>()) return tensor->dtype();
  if (const auto* ragged = type.As<RaggedSpec>()) return ragged->dtype();
  if (const auto* sparse = type.As<SparseSpec>()) return sparse->dtype();
  throw std::runtime_error(Cat("`", type, "` has no dtype"));
}

std::string DTypeDifference(const Json& expected, const TypeSpec& type) {
  std::string found(NameOf(DTypeIn(type)));
  return found == expected ? "" : Cat("expected ", Shown(expected), "; found `", type, "`");
}

// How types are compared.
struct Rules {
  bool strict = false;      // compare kinds, ragged ranks, and dtypes of row splits, too
  bool open_sizes = false;  // ignore sizes that are unknown in the found type
};

std::string ShapeDifference(const Json& expected, const TypeSpec& type, Rules rules) {
  const PartialShape* shape = type.shape();
  bool same = shape != nullptr && shape->has_rank() &&
              static_cast<size_t>(shape->rank()) == expected.size();
  for (int axis = 0; same && axis < shape->rank(); ++axis) {
    const Json& size = expected.at(static_cast<size_t>(axis));
    same = size.is_null() || size == shape->dim(axis) ||
           (rules.open_sizes && shape->dim(axis) == kUnknownDim);
  }
  return same ? "" : Cat("expected shape ", Shown(expected), "; found `", type, "`");
}

int RaggedRank(const TypeSpec& type) {
  const auto* ragged = type.As<RaggedSpec>();
  return ragged == nullptr ? 0 : ragged->ragged_rank();
}

// Returns true for kinds that are interchangeable unless the comparison is strict.
bool IsArray(const TypeSpec& type) {
  return type.is(TypeKind::kTensor) || type.is(TypeKind::kRagged);
}

std::string TypeDifference(const Json& expected, const TypeSpec& found, Rules rules) {
  TypeSpec type = ToType(expected);
  if (rules.strict && type.is(TypeKind::kRagged) != found.is(TypeKind::kRagged)) {
    return Cat("expected `", type, "`; found `", found, "`");
  }
  if (type.kind() != found.kind() && !(IsArray(type) && IsArray(found))) {
    return Cat("expected `", type, "`; found `", found, "`");
  }
  if (const auto* extension = found.As<ExtensionSpec>()) {
    const TypeSpec& values = extension->children()[0];
    std::string wrong = DTypeDifference(expected.at("dtype"), values);
    return wrong.empty() ? ShapeDifference(expected.at("shape"), values, rules) : wrong;
  }
  if (std::string wrong = ShapeDifference(expected.at("shape"), found, rules); !wrong.empty()) {
    return wrong;
  }
  if (const auto* structured = found.As<StructuredSpec>()) {
    const Json& fields = expected.at("fields");
    for (const auto& field : fields.items()) {
      TypeSpec own = structured->LookupField(field.key());
      if (!own) return Cat("no field `", field.key(), "` in `", found, "`");
      std::string wrong = TypeDifference(field.value(), own, rules);
      if (!wrong.empty()) return Cat("field `", field.key(), "`: ", wrong);
    }
    bool same = structured->field_names().size() == fields.size();
    return same ? "" : Cat("expected fields ", Shown(fields), "; found `", found, "`");
  }
  if (std::string wrong = DTypeDifference(expected.at("dtype"), found); !wrong.empty()) {
    return wrong;
  }
  const auto* ragged = type.As<RaggedSpec>();
  if (!rules.strict || ragged == nullptr) return "";
  bool same = ragged->ragged_rank() == RaggedRank(found) &&
              ragged->splits_dtype() == found.As<RaggedSpec>()->splits_dtype();
  return same ? "" : Cat("expected `", type, "`; found `", found, "`");
}

Json ElementsOf(const Tensor& tensor) {
  return ToJson(Value(tensor.Reshaped({tensor.num_elements()})));
}

// Unknown sizes are null.
Json SizesOf(const PartialShape& shape) {
  Json sizes = Json::array();
  for (int64_t size : shape.dims()) {
    sizes.push_back(size == kUnknownDim ? Json(nullptr) : Json(size));
  }
  return sizes;
}

// `found` with null for each size that `expected` leaves open.
void ForgetSizes(const Json& expected, Json& found) {
  if (!expected.is_object() || !found.is_object()) return;
  for (const auto& item : expected.items()) {
    if (!found.contains(item.key())) continue;
    Json& beside = found[item.key()];
    ForgetSizes(item.value(), beside);
    if (item.key() != "shape" || item.value().size() != beside.size()) continue;
    for (size_t i = 0; i < beside.size(); ++i) {
      if (item.value().at(i).is_null()) beside[i] = nullptr;
    }
  }
}

bool IsTypedValue(const Json& json) {
  return json.is_object() && json.size() == 2 && json.contains("type") && json.contains("value");
}

// Compares one result.
std::string ValueDifference(const Json& expect, const Value& found, Rules rules) {
  rules.strict = expect.contains("encoding") ||
                 (expect.contains("strict_type") && expect["strict_type"] == true);
  TypeSpec type = ExactSpecOf(found);
  std::string wrong;
  auto check = [&](const char* name, auto difference) {
    if (wrong.empty() && expect.contains(name)) wrong = difference(expect.at(name));
  };
  check("type", [&](const Json& json) { return TypeDifference(json, type, rules); });
  check("dtype", [&](const Json& json) { return DTypeDifference(json, type); });
  check("shape", [&](const Json& json) { return ShapeDifference(json, type, rules); });
  check("ragged_rank", [&](const Json& json) {
    return json == RaggedRank(type)
               ? ""
               : Cat("expected ragged rank ", Shown(json), "; found `", type, "`");
  });
  check("value", [&](const Json& json) {
    bool unordered = expect.contains("unordered") || expect.contains("unordered_rows");
    return unordered ? UnorderedDifference(json, ToJson(found))
                     : JsonDifference(json, ToJson(found));
  });
  check("encoding", [&](const Json& json) {
    Json encoding =
        ToEncoding(Value::Trusted(type, {found.components().begin(), found.components().end()}));
    ForgetSizes(json, encoding);
    return JsonDifference(json, encoding);
  });
  return wrong;
}

std::string ResultsDifference(const Json& expect, const std::vector<Value>& results, Rules rules) {
  bool many = expect.contains("values") || expect.contains("components");
  if (!many) {
    if (results.size() != 1) return Cat("expected one result; found ", results.size());
    return ValueDifference(expect, results[0], rules);
  }
  const Json& list = expect.contains("values") ? expect["values"] : expect["components"];
  if (list.size() != results.size()) {
    return Cat("expected ", list.size(), " results; found ", results.size());
  }
  for (size_t i = 0; i < results.size(); ++i) {
    // Facts next to the list apply to each result.
    Json one = expect;
    one.erase("values");
    one.erase("components");
    const Json& element = list.at(i);
    if (IsTypedValue(element)) {
      one["type"] = element["type"];
      one["value"] = element["value"];
    } else {
      one["value"] = element;
    }
    std::string wrong = ValueDifference(one, results[i], rules);
    if (!wrong.empty()) return Cat("result ", i, ": ", wrong);
  }
  return "";
}

}  // namespace

Json ToJson(const Value& value) {
  JsonSink sink;
  WriteValue(value, sink);
  return sink.Take();
}

Json ToEncoding(const Value& value) {
  auto components = value.components();
  Json out;
  if (value.spec().is(TypeKind::kTensor)) {
    out["kind"] = "tensor";
    out["dtype"] = NameOf(value.tensor().dtype());
    out["shape"] = SizesOf(value.tensor().shape());
    out["values"] = ElementsOf(value.tensor());
  } else if (const auto* ragged = value.spec().As<RaggedSpec>()) {
    out["kind"] = "ragged";
    out["dtype"] = NameOf(ragged->dtype());
    out["row_splits_dtype"] = NameOf(ragged->splits_dtype());
    out["nested_row_splits"] = Json::array();
    for (const Tensor& splits : components.subspan(1)) {
      out["nested_row_splits"].push_back(ElementsOf(splits));
    }
    out["flat_values"]["shape"] = SizesOf(components[0].shape());
    out["flat_values"]["values"] = ElementsOf(components[0]);
  } else {
    const auto& spec = *value.spec().As<StructuredSpec>();
    out["kind"] = "structured";
    out["shape"] = SizesOf(spec.shape());
    out["nrows"] = spec.rank() == 0 ? Json(nullptr) : Json(components[0].scalar<int64_t>());
    out["row_partitions"] = Json::array();
    for (int i = 1; i < spec.rank(); ++i) {
      out["row_partitions"].push_back(ElementsOf(components[static_cast<size_t>(i)]));
    }
    out["fields"] = Json::object();
    for (const std::string& name : spec.field_names()) {
      out["fields"][name] = ToEncoding(Must(FieldOf(value, name)));
    }
  }
  return out;
}

std::string Difference(const Json& expect, const Answer& answer) {
  for (size_t i = 0; i < answer.ways.size(); ++i) {
    std::string wrong = ResultsDifference(expect, answer.ways[i], {.open_sizes = i >= 2});
    if (!wrong.empty()) return answer.ways.size() == 1 ? wrong : Cat("way ", i, ": ", wrong);
  }
  if (!answer.ways.empty()) return "";
  for (const auto& item : expect.items()) {
    const std::string& name = item.key();
    if (name == "type" && answer.type) {
      std::string wrong = TypeDifference(item.value(), answer.type, {.strict = true});
      if (!wrong.empty()) return wrong;
      continue;
    }
    if (name == "strict_type" || name == "unordered") continue;
    if (!answer.data.contains(name)) return Cat("the answer has no `", name, "`");
    const Json& found = answer.data.at(name);
    std::string wrong;
    if (name == "lengths") {
      bool same = std::equal(item.value().begin(), item.value().end(), found.begin(), found.end(),
                             SameLengths);
      if (!same) wrong = Cat("expected ", Shown(item.value()), "; found ", Shown(found));
    } else {
      wrong = expect.contains("unordered") ? UnorderedDifference(item.value(), found)
                                           : JsonDifference(item.value(), found);
    }
    if (!wrong.empty()) return Cat(name, ": ", wrong);
  }
  return "";
}

std::string CodeOf(const Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
      return "InvalidArgument";
    case absl::StatusCode::kNotFound:
      return "NotFound";
    case absl::StatusCode::kOutOfRange:
      return "OutOfRange";
    case absl::StatusCode::kUnimplemented:
      return "Unimplemented";
    default:
      return std::string(absl::StatusCodeToString(status.code()));
  }
}

}  // namespace signet::structured_vectors
