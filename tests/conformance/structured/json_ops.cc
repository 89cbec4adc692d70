// Values from JSON, with a type and without; ragged constants.

#include "core/formats/json/json.h"
#include "tests/conformance/structured/table.h"

namespace signet::structured_vectors {
namespace {

// Appends `json` as a client sends it: integers exact, floats with a point or exponent.
void AppendText(const Json& json, std::string& out) {
  if (vectors::IsBigInt(json)) {
    out += json.at("int").get_ref<const std::string&>();
  } else if (json.is_array()) {
    out += '[';
    for (size_t i = 0; i < json.size(); ++i) {
      if (i > 0) out += ',';
      AppendText(json.at(i), out);
    }
    out += ']';
  } else if (json.is_object()) {
    out += '{';
    for (const auto& [key, value] : json.items()) {
      if (out.back() != '{') out += ',';
      out += Json(key).dump() + ":";
      AppendText(value, out);
    }
    out += '}';
  } else {
    out += json.dump();
  }
}

std::string TextOf(const Case& one) {
  std::string text;
  AppendText(one.inputs().at("json"), text);
  return text;
}

// The vectors reject what a type does not have.
Limits StrictLimits() {
  Limits limits;
  limits.reject_unknown_fields = true;
  return limits;
}

StatusOr<Answer> FromJson(const Case& one) {
  auto value = one.arg("type").is_null()
                   ? InferFromJson(TextOf(one), {})
                   : ValueFromJson(TextOf(one), ToType(one.arg("type")), StrictLimits());
  if (!value.ok()) return value.status();
  return AnswerOf(*std::move(value));
}

StatusOr<Answer> RaggedConstant(const Case& one) {
  auto dtype_of = [](const Json& json) { return LookupDType(json.get<std::string>()).value(); };
  InferOptions options;
  if (Json dtype = one.arg("dtype"); !dtype.is_null()) options.dtype = dtype_of(dtype);
  if (Json rank = one.arg("ragged_rank"); !rank.is_null()) options.ragged_rank = rank.get<int>();
  if (Json inner = one.arg("inner_shape"); !inner.is_null()) {
    options.inner_shape.emplace();
    for (const Json& size : inner) options.inner_shape->push_back(size);
  }
  if (Json splits = one.arg("row_splits_dtype"); !splits.is_null()) {
    options.splits_dtype = dtype_of(splits);
  }
  SIGNET_ASSIGN_OR_RETURN(Value value, InferFromJson(TextOf(one), {}, options));
  return AnswerOf(std::move(value));
}

constexpr OpRow kOps[] = {
    {"from_json", FromJson},
    {"ragged.constant", RaggedConstant},
};

}  // namespace

std::span<const OpRow> JsonOps() { return kOps; }

}  // namespace signet::structured_vectors
