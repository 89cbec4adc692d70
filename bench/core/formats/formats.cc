// Formats: compares decoding of each format with a lower bound for reading it.
//
//   JSON          100,000 recipes of about 1 KiB into columns under their type, against simdjson
//                 parsing and walking the same bytes without keeping anything; it finds their
//                 structure with the best kernel for the processor
//   protobuf      the same recipes as serialized messages into columns, against protobuf's
//                 generated classes, parsing one row at a time and copying it into vectors
//   Arrow         a stream of a million rows of dense columns into the same columns, against one
//                 of a thousand: nothing is copied, so both take the same time
//   wire          a received Value message into a value, against protobuf's generated parser, which
//                 copies content: a tensor of 1 KiB, one of 16 MiB, and the recipes as columns
//   safetensors   a file of 64 MiB mapped, against reading it from the page cache
//
// Times are for one thread. JSON is in GB of text per second.

#include <fstream>

#include <simdjson.h>

#include "bench/subjects.h"
#include "bench/support/recipes_data.h"
#include "bench/support/recipes_messages.h"
#include "bench/support/servers.h"
#include "core/formats/arrow/arrow.h"
#include "core/formats/json/json.h"
#include "core/formats/protobuf/protobuf_rows.h"
#include "core/formats/safetensors/safetensors.h"
#include "core/formats/signet_wire/wire.h"
#include "core/types/notation/notation.h"
#include "signet/structured.h"

namespace signet {
namespace {

constexpr double kLeastJson = 0.5;      // of simdjson's walk
constexpr double kLeastProtobuf = 2.0;  // of generated classes
constexpr double kMostArrow = 1.5;      // of a thousand rows

// Returns how often the 120 records of examples/recipes are repeated for 100,000, or 1000, records.
size_t RepeatsOf(const BenchOptions& options) { return options.quick ? 9 : 834; }

// Visits every scalar in `value`. The result only prevents the compiler from removing the loop.
double Walk(simdjson::ondemand::value value) {
  double sum = 0;
  switch (value.type()) {
    case simdjson::ondemand::json_type::array:
      for (auto element : value.get_array()) sum += Walk(element.value());
      return sum;
    case simdjson::ondemand::json_type::object:
      for (auto field : value.get_object()) {
        std::string_view key = field.unescaped_key();
        sum += static_cast<double>(key.size()) + Walk(field.value());
      }
      return sum;
    case simdjson::ondemand::json_type::number:
      return value.get_double();
    case simdjson::ondemand::json_type::string:
      return static_cast<double>(std::string_view(value.get_string()).size());
    case simdjson::ondemand::json_type::boolean:
    case simdjson::ondemand::json_type::null:
      return 1;
  }
  return sum;
}

StatusOr<Value> RecipesValue(std::string_view json) {
  SIGNET_ASSIGN_OR_RETURN(TypeSpec type, ParseTypeSpec(kRecipesType));
  return ValueFromJson(json, type, Limits());
}

Status BenchJson(const BenchOptions& options, Report& report) {
  SIGNET_ASSIGN_OR_RETURN(std::string recipes, ReadRecipes());
  SIGNET_ASSIGN_OR_RETURN(TypeSpec type, ParseTypeSpec(kRecipesType));
  std::string text = RepeatRecipes(recipes, RepeatsOf(options));
  SIGNET_RETURN_IF_ERROR(RecipesValue(text).status());
  auto bytes = static_cast<double>(text.size());
  simdjson::padded_string padded(text);
  simdjson::ondemand::parser parser;
  Pair pair = MedianPair(
      options,
      [&] { return bytes / TimeOf(options, [&] { Keep(ValueFromJson(text, type, Limits())); }); },
      [&] {
        return bytes / TimeOf(options, [&] {
                 auto document = parser.iterate(padded);
                 Keep(Walk(simdjson::ondemand::value(document.get_value())));
               });
      });
  report.Add(Compared("formats: JSON records to columns", "GB/s", "simdjson walking", pair,
                      Better::kHigher, kLeastJson));
  return absl::OkStatus();
}

Status BenchProtobuf(const BenchOptions& options, Report& report) {
  SIGNET_ASSIGN_OR_RETURN(std::string recipes, ReadRecipes());
  SIGNET_ASSIGN_OR_RETURN(TypeSpec type, ParseTypeSpec(kRecipesType));
  SIGNET_ASSIGN_OR_RETURN(auto schema, ProtobufSchema::Parse(RecipesDescriptorSet()));
  SIGNET_ASSIGN_OR_RETURN(const std::vector<std::string> records, RecipesRows(recipes));
  std::vector<std::string> rows;
  for (size_t i = 0; i < RepeatsOf(options); ++i) {
    rows.insert(rows.end(), records.begin(), records.end());
  }
  std::vector<std::string_view> views(rows.begin(), rows.end());
  double bytes = 0;
  for (const std::string& row : rows) bytes += static_cast<double>(row.size());
  auto read = [&] {
    return ValueFromProtobufRows(views, *schema, "signet.bench.Recipe", type, Limits());
  };
  SIGNET_RETURN_IF_ERROR(read().status());
  Pair pair = MedianPair(
      options, [&] { return bytes / TimeOf(options, [&] { Keep(read()); }); },
      [&] { return bytes / TimeOf(options, [&] { Keep(ParseAndCopy(rows)); }); });
  report.Add(Compared("formats: protobuf rows to columns", "GB/s", "protobuf's classes", pair,
                      Better::kHigher, kLeastProtobuf));
  return absl::OkStatus();
}

// Returns a stream of columns that are borrowed: numbers and vectors.
StatusOr<Buffer> ArrowRows(int64_t rows) {
  NamedValues fields;
  SIGNET_ASSIGN_OR_RETURN(Tensor ids, Tensor::Allocate(DType::kInt64, {rows}));
  std::fill_n(ids.mutable_elements<int64_t>(), ids.num_elements(), 7);
  SIGNET_ASSIGN_OR_RETURN(Tensor vectors, Tensor::Allocate(DType::kFloat32, {rows, 4}));
  std::fill_n(vectors.mutable_elements<float>(), vectors.num_elements(), 0.5f);
  fields.emplace_back("id", Value(std::move(ids)));
  fields.emplace_back("vector", Value(std::move(vectors)));
  SIGNET_ASSIGN_OR_RETURN(Value value, MakeStructured({rows}, std::move(fields)));
  SIGNET_ASSIGN_OR_RETURN(std::vector<Buffer> pieces, ArrowFromValue(value));
  std::string stream;
  for (const Buffer& piece : pieces) stream += piece.text();
  return Buffer::Copy(stream);
}

Status BenchArrow(const BenchOptions& options, Report& report) {
  SIGNET_ASSIGN_OR_RETURN(TypeSpec type, ParseTypeSpec("[{id: int64[], vector: float32[4]}]"));
  SIGNET_ASSIGN_OR_RETURN(Buffer few, ArrowRows(1000));
  SIGNET_ASSIGN_OR_RETURN(Buffer many, ArrowRows(options.quick ? 100000 : 1000000));
  SIGNET_RETURN_IF_ERROR(ValueFromArrow(many, type, Limits()).status());
  auto time_of = [&](const Buffer& stream) {
    return TimeOf(options, [&] { Keep(ValueFromArrow(stream, type, Limits())); }) / 1000;
  };
  Pair pair = MedianPair(
      options, [&] { return time_of(many); }, [&] { return time_of(few); });
  report.Add(Compared("formats: Arrow, a million dense rows", "us", "a thousand rows", pair,
                      Better::kLower, kMostArrow));
  return absl::OkStatus();
}

void BenchWireValue(const BenchOptions& options, std::string_view what, const Value& value,
                    Report& report) {
  auto bytes = std::make_shared<std::string>(wire::ValueToProto(value).SerializeAsString());
  wire::Message message{{std::as_bytes(std::span(*bytes))}, bytes};
  std::string name = Cat("formats: wire value, ", what);
  Status reads = wire::ParseValue(message, Limits()).status();
  if (!reads.ok()) return report.Skip(name, MessageOf(reads));
  Pair pair = MedianPair(
      options,
      [&] { return TimeOf(options, [&] { Keep(wire::ParseValue(message, Limits())); }) / 1000; },
      [&] {
        return TimeOf(options,
                      [&] {
                        v1::Value proto;
                        Keep(proto.ParseFromString(*bytes));
                      }) /
               1000;
      });
  report.Add(Compared(name, "us", "protobuf's parser", pair, Better::kLower));
}

Status BenchSafetensors(const BenchOptions& options, Report& report) {
  constexpr int64_t kMegabyte = 1 << 18;  // floats
  TemporaryFolder folder;
  std::filesystem::path path = folder.path() / "weights.safetensors";
  SIGNET_ASSIGN_OR_RETURN(Tensor weights, Tensor::Allocate(DType::kFloat32, {64, kMegabyte}));
  std::fill_n(weights.mutable_elements<float>(), weights.num_elements(), 1.0f);
  SIGNET_RETURN_IF_ERROR(WriteSafetensors(path, {{"weights", weights}}));
  std::vector<char> memory(weights.num_bytes());
  Pair pair = MedianPair(
      options, [&] { return TimeOf(options, [&] { Keep(MapSafetensors(path)); }) / 1000; },
      [&] {
        return TimeOf(options,
                      [&] {
                        std::ifstream file(path, std::ios::binary);
                        file.read(memory.data(), static_cast<std::streamsize>(memory.size()));
                        Keep(memory[0]);
                      }) /
               1000;
      });
  report.Add(Compared("formats: safetensors of 64 MiB, mapped", "us", "reading the file", pair,
                      Better::kLower));
  return absl::OkStatus();
}

Status BenchRecipesValue(const BenchOptions& options, Report& report) {
  SIGNET_ASSIGN_OR_RETURN(std::string recipes, ReadRecipes());
  SIGNET_ASSIGN_OR_RETURN(Value value, RecipesValue(recipes));
  BenchWireValue(options, "the recipes' columns", value, report);
  return absl::OkStatus();
}

}  // namespace

void BenchFormats(const BenchOptions& options, Report& report) {
  auto or_skip = [&](std::string_view what, const Status& status) {
    if (!status.ok()) report.Skip(Cat("formats: ", what), MessageOf(status));
  };
  or_skip("JSON", BenchJson(options, report));
  or_skip("protobuf", BenchProtobuf(options, report));
  or_skip("Arrow", BenchArrow(options, report));
  BenchWireValue(options, "a tensor of 1 KiB", Tensor::Of<float>({256}, std::vector<float>(256, 1)),
                 report);
  int64_t large = int64_t{1} << (options.quick ? 18 : 22);
  BenchWireValue(options, options.quick ? "a tensor of 1 MiB" : "a tensor of 16 MiB",
                 Tensor::Of<float>({large}, std::vector<float>(static_cast<size_t>(large), 1)),
                 report);
  or_skip("recipes", BenchRecipesValue(options, report));
  or_skip("safetensors", BenchSafetensors(options, report));
}

}  // namespace signet
