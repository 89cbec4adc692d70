// Runs every case of $SIGNET_VECTORS_DIR/structured/proto_batch.json: messages read straight into
// columns, paths, and the index helpers of row partitions.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <absl/strings/escaping.h>
#include <gtest/gtest.h>

#include "core/formats/json/json.h"
#include "core/formats/protobuf/protobuf_rows.h"
#include "signet/ragged_spec.h"
#include "signet/row_partition.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"
#include "tests/conformance/isolation.h"
#include "tests/conformance/mutation.h"
#include "tests/conformance/structured/compare.h"
#include "tests/conformance/structured/proto_messages.h"

namespace signet::vectors {
namespace {

using Json = nlohmann::ordered_json;

bool SameNumber(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b));
}

// Texts, and bytes that are none: {"b64": ".."}.
std::string BytesOf(const Json& json) {
  if (json.is_string()) return json;
  std::string bytes;
  std::string base64 = json.at("b64");
  return absl::Base64Unescape(base64, &bytes) ? bytes : base64;
}

bool IsText(const Json& json) {
  return json.is_string() || (json.is_object() && json.size() == 1 && json.contains("b64"));
}

bool SameJson(const Json& a, const Json& b) {
  if (IsText(a) && IsText(b)) return BytesOf(a) == BytesOf(b);
  if (a.is_number_float() && b.is_number()) {
    return SameNumber(a.get<double>(), b.get<double>());
  }
  if (a.is_array() && b.is_array()) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!SameJson(a[i], b[i])) return false;
    }
    return true;
  }
  if (a.is_object() && b.is_object()) {
    if (a.size() != b.size()) return false;
    for (const auto& [key, value] : a.items()) {
      if (!b.contains(key) || !SameJson(value, b.at(key))) return false;
    }
    return true;
  }
  return a == b;
}

// Types as the vectors write them, all of a type's parts.
bool SameType(const Json& json, const TypeSpec& spec) {
  const PartialShape& shape = *spec.shape();
  const Json& dims = json.at("shape");
  if (shape.rank() != static_cast<int>(dims.size())) return false;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const Json& dim = dims[static_cast<size_t>(axis)];
    if (!dim.is_null() && dim.get<int64_t>() != shape.dim(axis)) return false;
  }
  std::string kind = json.at("kind");
  if (const auto* tensor = spec.As<TensorSpec>()) {
    return kind == "tensor" && json.at("dtype") == std::string(NameOf(tensor->dtype()));
  }
  if (const auto* ragged = spec.As<RaggedSpec>()) {
    return kind == "ragged" && json.at("dtype") == std::string(NameOf(ragged->dtype())) &&
           json.at("ragged_rank") == ragged->ragged_rank() &&
           json.at("row_splits_dtype") == std::string(NameOf(ragged->splits_dtype()));
  }
  const auto* structured = spec.As<StructuredSpec>();
  if (structured == nullptr || kind != "structured") return false;
  const Json& fields = json.at("fields");
  if (fields.size() != structured->field_names().size()) return false;
  for (const auto& [name, type] : fields.items()) {
    TypeSpec field = structured->LookupField(name);
    if (!field || !SameType(type, field)) return false;
  }
  return true;
}

StatusOr<Value> ReadBatch(const Json& one, const ProtobufOptions& options) {
  const Json& inputs = one.at("inputs");
  const Json& schema_json = inputs.at("schema");
  SIGNET_ASSIGN_OR_RETURN(auto schema, ProtobufSchema::Parse(DescriptorSetOf(schema_json)));
  std::string type =
      schema_json.at("package").get<std::string>() + "." + inputs.at("message").get<std::string>();
  SIGNET_ASSIGN_OR_RETURN(auto rows, RowsOf(inputs, *schema, type));
  std::vector<std::string_view> views(rows.begin(), rows.end());
  return ValueFromProtobufRows(views, *schema, type, TypeSpec(), Limits(), options);
}

ProtobufOptions OptionsOf(const Json& args) {
  ProtobufOptions options;
  if (args.contains("fields")) options.paths = args.at("fields").get<std::vector<ProtobufPath>>();
  options.honor_proto3_optional_semantics = args.value("honor_proto3_optional_semantics", false);
  if (args.contains("extensions")) {
    for (const auto& [name, alias] : args.at("extensions").items()) options.names[name] = alias;
  }
  return options;
}

Json ToJson(const Value& value) { return Json::parse(ValueToJson(value)); }

StatusOr<Json> RunProtoBatch(const Json& one) {
  SIGNET_ASSIGN_OR_RETURN(Value value, ReadBatch(one, OptionsOf(one.at("args"))));
  Json out = {{"value", ToJson(value)}};
  if (one.contains("expect") && !SameType(one.at("expect").at("type"), value.spec())) {
    out["another type"] = value.spec().ToString();
  }
  return out;
}

// For rows of 0 or 1 elements: which rows have one, and the elements, as `name`.
Json Gather(const Json& rows, const std::string& field, const std::string& name) {
  Json indices = Json::array();
  Json values = Json::array();
  for (size_t i = 0; i < rows.size(); ++i) {
    for (const Json& value : rows[i].at(field)) {
      indices.push_back(i);
      values.push_back(value);
    }
  }
  return {{"parent_index", indices}, {name, values}};
}

StatusOr<Json> RunMapLookup(const Json& one) {
  const Json& args = one.at("args");
  Json values = Json::array();
  for (const std::string key : args.at("keys")) {
    std::string step = args.at("map_field").get<std::string>() + "[" + key + "]";
    ProtobufOptions options;
    options.paths = {{step}};
    options.names[step] = "found";
    SIGNET_ASSIGN_OR_RETURN(Value value, ReadBatch(one, options));
    Json found = Gather(ToJson(value), "found", "values");
    found["key"] = key;
    values.push_back(found);
  }
  return Json{{"values", values}};
}

StatusOr<Json> RunAnyCast(const Json& one) {
  const Json& args = one.at("args");
  ProtobufPath path = args.at("path");
  std::string step = "(" + args.at("type").get<std::string>() + ")";
  ProtobufOptions options;
  options.paths = {path};
  options.paths[0].push_back(step);
  options.names[step] = "held";
  SIGNET_ASSIGN_OR_RETURN(Value value, ReadBatch(one, options));
  Json rows = Json::array();
  for (const Json& row : ToJson(value)) {
    const Json& any = row.at(path[0]);  // 0 or 1 of them
    rows.push_back({{"held", any.empty() ? Json::array() : any[0].at("held")}});
  }
  return Gather(rows, "held", "value");
}

StatusOr<Json> RunParsePath(const Json& one) {
  SIGNET_ASSIGN_OR_RETURN(ProtobufPath path,
                          ParseProtobufPath(one.at("inputs").at("text").get<std::string>()));
  return Json{{"steps", path}};
}

StatusOr<Json> RunExpandPaths(const Json& one) {
  const Json& inputs = one.at("inputs");
  const Json& schema_json = inputs.at("schema");
  SIGNET_ASSIGN_OR_RETURN(auto schema, ProtobufSchema::Parse(DescriptorSetOf(schema_json)));
  std::string type =
      schema_json.at("package").get<std::string>() + "." + inputs.at("message").get<std::string>();
  SIGNET_ASSIGN_OR_RETURN(const auto* descriptor, schema->FindMessage(type));
  SIGNET_ASSIGN_OR_RETURN(auto paths,
                          ExpandPaths(*schema, *descriptor, one.at("args").at("paths")));
  std::sort(paths.begin(), paths.end());
  return Json{{"paths", paths}};
}

StatusOr<RowPartition> PartitionOfIds(const std::vector<int64_t>& ids) {
  return RowPartition::FromValueRowIds(
      Tensor::Of<int64_t>({static_cast<int64_t>(ids.size())}, ids));
}

// Each value of `a` meets the row of `b` that has its parent's index.
StatusOr<Json> RunEquiJoin(const Json& one) {
  SIGNET_ASSIGN_OR_RETURN(RowPartition partition, PartitionOfIds(one.at("inputs").at("b")));
  Json out = {{"index_a", Json::array()}, {"index_b", Json::array()}};
  const auto splits = partition.row_splits().elements<int64_t>();
  std::vector<int64_t> a = one.at("inputs").at("a");
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] >= partition.nrows()) continue;
    auto row = static_cast<size_t>(a[i]);
    for (int64_t j = splits[row]; j < splits[row + 1]; ++j) {
      out["index_a"].push_back(i);
      out["index_b"].push_back(j);
    }
  }
  return out;
}

StatusOr<Json> RunRunLength(const Json& one) {
  SIGNET_ASSIGN_OR_RETURN(RowPartition partition, PartitionOfIds(one.at("inputs").at("a")));
  SIGNET_ASSIGN_OR_RETURN(Tensor offsets, partition.OffsetsInRows());
  return Json{{"value", ToJson(Value(offsets))}};
}

StatusOr<Json> Run(const Json& one) {
  std::string op = one.at("op");
  if (op == "proto_batch") return RunProtoBatch(one);
  if (op == "proto_map_lookup") return RunMapLookup(one);
  if (op == "proto_any_cast") return RunAnyCast(one);
  if (op == "parse_path") return RunParsePath(one);
  if (op == "expand_paths") return RunExpandPaths(one);
  if (op == "equi_join_indices") return RunEquiJoin(one);
  if (op == "run_length_before") return RunRunLength(one);
  return Unimplemented("op ", op);
}

// What is wrong; empty when nothing is.
std::string Judge(const Json& one) {
  StatusOr<Json> got = Run(one);
  if (one.contains("error")) {
    std::string code = one.at("error").at("code");
    if (got.ok()) return "expected " + code + ", found " + got->dump();
    return structured_vectors::CodeOf(got.status()) == code ? "" : got.status().ToString();
  }
  if (!got.ok()) return got.status().ToString();
  Json expect = one.at("expect");
  expect.erase("type");
  expect.erase("strict_type");
  if (expect.erase("unordered") > 0) std::sort(expect["paths"].begin(), expect["paths"].end());
  return SameJson(expect, *got) ? "" : got->dump() + " instead of " + expect.dump();
}

TEST(ProtoBatchVectorsTest, AllCasesPass) {
  const char* dir = std::getenv("SIGNET_VECTORS_DIR");
  std::filesystem::path path = dir == nullptr ? "tests/vectors" : dir;
  std::ifstream file(path / "structured" / "proto_batch.json");
  ASSERT_TRUE(file) << path;
  Json cases = Json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!cases.is_array()) cases = Json::array({nullptr});  // a case that nothing reads
  size_t passed = 0;
  auto results = RunIsolated(cases.size(), [&](size_t i) { return Judge(cases.at(i)); });
  for (size_t i = 0; i < cases.size(); ++i) {
    bool is_right = results[i].finished && results[i].text.empty();
    EXPECT_TRUE(is_right) << NameOfCase(cases.at(i), i) << ": " << results[i].text;
    passed += is_right;
  }
  std::printf("vectors: proto_batch.json ran %zu passed %zu failed %zu skipped 0\n", cases.size(),
              passed, cases.size() - passed);
}

TEST(ProtoBatchVectorsTest, MutatedCasesNeverCrash) {
  const char* source = std::getenv("SIGNET_SOURCE_DIR");
  std::filesystem::path root = source == nullptr ? "." : source;
  std::ifstream file(root / "tests/vectors/structured/proto_batch.json");
  ASSERT_TRUE(file);
  Json cases = Json::parse(file);
  std::mt19937 random(1);  // the seed
  Json mutants = Json::array({nullptr, Json::array(), Json::object()});
  for (const Json& one : cases) {
    for (int i = 0; i < 20; ++i) mutants.push_back(Mutated(one, random));
  }
  auto results = RunIsolated(mutants.size(), [&](size_t i) { return Judge(mutants.at(i)); });
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_TRUE(results[i].finished) << results[i].text << ": " << mutants.at(i).dump();
  }
}

}  // namespace
}  // namespace signet::vectors
