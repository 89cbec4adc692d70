#include "tests/conformance/structured/reader.h"

#include <cmath>
#include <stdexcept>

#include <absl/strings/escaping.h>

#include "core/values/builders/value_builder.h"
#include "signet/extension_spec.h"
#include "signet/literal_spec.h"
#include "signet/ragged_spec.h"
#include "signet/sequence_spec.h"
#include "signet/sparse_spec.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"

namespace signet::structured_vectors {
namespace {

[[noreturn]] void Unknown(std::string_view what, const Json& json) {
  throw std::runtime_error(Cat("unknown ", what, ": ", json.dump()));
}

DType ToDType(const Json& json) {
  auto dtype = LookupDType(json.get<std::string>());
  if (!dtype) Unknown("dtype", json);
  return *dtype;
}

PartialShape ToShape(const Json& json) {
  Dims dims;
  if (!json.is_array() || json.size() > 255) Unknown("shape", json);
  for (const Json& dim : json) {
    dims.push_back(dim.is_null() ? kUnknownDim : std::max(dim.get<int64_t>(), kUnknownDim));
  }
  return PartialShape(std::span<const int64_t>(dims.data(), dims.size()));
}

// Tells a builder what JSON says.
class Feeder {
 public:
  explicit Feeder(ValueBuilder& builder) : builder_(builder) {}

  Status Feed(const Json& json) {
    if (json.is_null()) return builder_.Null();
    if (json.is_boolean()) return builder_.Bool(json.get<bool>());
    if (json.is_number_float()) return builder_.Float(json.get<double>());
    if (json.is_number_unsigned()) return builder_.Int(json.get<uint64_t>());
    if (json.is_number()) return builder_.Int(json.get<int64_t>());
    if (json.is_string() || IsBytes(json)) return builder_.String(ToBytes(json));
    if (json.is_array()) {
      SIGNET_RETURN_IF_ERROR(builder_.BeginList());
      for (const Json& element : json) SIGNET_RETURN_IF_ERROR(Feed(element));
      return builder_.EndList();
    }
    if (json.contains("$float")) return builder_.Float(std::nan(""));
    if (vectors::IsBigInt(json)) return builder_.Int(vectors::ToInt(json));
    SIGNET_RETURN_IF_ERROR(builder_.BeginObject());
    for (const auto& item : json.items()) {
      SIGNET_RETURN_IF_ERROR(builder_.Key(item.key()));
      SIGNET_RETURN_IF_ERROR(Feed(item.value()));
    }
    return builder_.EndObject();
  }

 private:
  ValueBuilder& builder_;
};

}  // namespace

TypeSpec ToType(const Json& json) {
  const std::string kind = json.at("kind");
  PartialShape shape = ToShape(json.at("shape"));
  if (kind == "structured") {
    NamedTypes fields;
    for (const auto& field : json.at("fields").items()) {
      fields.emplace_back(field.key(), ToType(field.value()));
    }
    return Must(MakeStructuredType(std::move(shape), std::move(fields)));
  }
  DType dtype = ToDType(json.at("dtype"));
  if (kind == "tensor") return TensorType(dtype, std::move(shape));
  if (kind == "sparse") return SparseType(dtype, std::move(shape));
  if (kind == "ragged") {
    return Must(MakeRaggedType(dtype, std::move(shape), json.at("ragged_rank"),
                               ToDType(json.at("row_splits_dtype"))));
  }
  if (kind == "extension" && json.at("name") == "MaskedTensor") {
    return Must(MakeExtensionType(
        "masked.MaskedTensor", {},
        {{"values", TensorType(dtype, shape)}, {"mask", TensorType(DType::kBool, shape)}}));
  }
  Unknown("kind", json);
}

bool IsBytes(const Json& json) {
  return json.is_object() && json.size() == 1 && json.contains("b64");
}

std::string ToBytes(const Json& json) {
  if (json.is_string()) return json;
  std::string bytes;
  if (!absl::Base64Unescape(json.at("b64").get<std::string>(), &bytes)) Unknown("base64", json);
  return bytes;
}

StatusOr<Value> MakeValueOf(const TypeSpec& type, const Json& json) {
  SIGNET_ASSIGN_OR_RETURN(ValueBuilder builder, ValueBuilder::Make(type));
  SIGNET_RETURN_IF_ERROR(Feeder(builder).Feed(json));
  return builder.Finish();
}

StatusOr<Value> MakeTypedValue(const Json& json) {
  return MakeValueOf(ToType(json.at("type")), json.at("value"));
}

TypeSpec ToAttribute(const Json& json) {
  if (json.is_null()) return LiteralType(Literal());
  if (json.is_boolean()) return AttributeOf(json.get<bool>());
  if (json.is_number_float()) return AttributeOf(json.get<double>());
  if (json.is_number()) return AttributeOf(json.get<int64_t>());
  if (json.is_string()) return AttributeOf(std::string_view(json.get_ref<const std::string&>()));
  if (!json.is_array()) Unknown("attribute", json);
  std::vector<TypeSpec> elements;
  for (const Json& element : json) elements.push_back(ToAttribute(element));
  return ListType(std::move(elements));
}

std::vector<Value> Case::values(const std::string& name) const {
  std::vector<Value> values;
  for (const Json& value : inputs().at(name)) values.push_back(Must(MakeTypedValue(value)));
  return values;
}

}  // namespace signet::structured_vectors
