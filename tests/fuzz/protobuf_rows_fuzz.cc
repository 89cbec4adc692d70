// Law: rows that are taken under everything that a message type has are values, of the very type;
// so they are with half of the columns left out, which changes none of the others. The first byte
// is the length of the first row; the rest is the second.

#include "core/formats/protobuf/protobuf_rows.h"
#include "tests/core/formats/protobuf/proto_text.h"

namespace {

constexpr char kSchema[] = R"(
  syntax = "proto2";
  message Any { optional string type_url = 1; optional bytes value = 2; }
  message Leaf { required int32 x = 1; optional string s = 2; repeated sint64 r = 3; }
  message Node {
    optional int32 a = 1;
    repeated fixed32 fixed = 2 [packed = true];
    oneof one { bool b = 3; Leaf leaf = 4; bytes raw = 5; }
    map<string, Leaf> leaves = 6;
    map<sint32, uint64> numbers = 7;
    repeated group Part = 8 { optional double d = 1; }
    optional Any any = 9;
  }
  message Root { repeated Node nodes = 1; optional Node node = 2; repeated string words = 3; }
)";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace signet;  // NOLINT(google-build-using-namespace): a program of one function
  static const auto kTypes = *ProtobufSchema::Parse(DescriptorSetOf(kSchema));
  static const auto kOptions = [] {
    ProtobufOptions options;
    options.paths = {{"nodes"}, {"words"}};
    for (const char* step : {"a", "b", "leaf", "leaves", "numbers[3]", "part"}) {
      options.paths.push_back({"node", step});
    }
    options.paths.push_back({"node", "any", "(host/Leaf)"});
    options.names = {{"numbers[3]", "third"}, {"(host/Leaf)", "leaf"}};
    return options;
  }();
  // Compiled once: inputs are rows, and compiling takes far longer than reading some.
  static const auto kSelection =
      *SelectFields(*kTypes, **kTypes->FindMessage("Root"), kOptions, Limits());
  static const TypeSpec kType = *TypeOf(kSelection);
  if (size == 0) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  size_t first = std::min<size_t>(data[0], bytes.size());
  const std::string_view rows[] = {bytes.substr(0, first), bytes.substr(first)};
  Limits limits;
  limits.expanded_bytes = 1 << 20;
  auto read = [&](const std::vector<bool>& needs) -> StatusOr<Value> {
    SIGNET_ASSIGN_OR_RETURN(ProtobufRows reader,
                            ProtobufRows::Make(kSelection, kType, limits, needs));
    reader.Expect(bytes.size());
    for (std::string_view row : rows) SIGNET_RETURN_IF_ERROR(reader.Read(row));
    return reader.Finish();
  };
  auto value = read({});
  if (!value.ok()) return 0;
  SIGNET_CHECK(
      MakeValue(value->spec(), {value->components().begin(), value->components().end()}).ok());
  std::vector<bool> needs(value->components().size());
  for (size_t i = 0; i < needs.size(); ++i) needs[i] = (data[0] >> i % 7 & 1) != 0;
  auto part = read(needs);
  if (!part.ok()) return 0;  // zeros in place of rows may take more
  for (size_t i = 0; i < needs.size(); ++i) {
    SIGNET_CHECK(!needs[i] ||
                 SameValue(Value(part->components()[i]), Value(value->components()[i])));
  }
  return 0;
}
