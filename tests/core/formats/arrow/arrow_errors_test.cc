// Checks that Arrow streams with wrong sizes or offsets are rejected.
// Whatever a stream claims, no memory is taken for it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/formats/arrow/arrow.h"
#include "core/types/notation/notation.h"
#include "tests/core/formats/arrow/arrow_maker.h"
#include "tests/support/memory_limit.h"

namespace signet {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr uint64_t kMemory = uint64_t{64} << 20;  // bytes
constexpr int64_t kFourGi = int64_t{1} << 32;

const std::vector<FlatWriter::Field> kInt32 = {{0, 4, 32}, {1, 1, 1}};
const std::vector<FlatWriter::Field> kInt64 = {{0, 4, 64}, {1, 1, 1}};
const std::vector<ArrowTestField> kOneInt = {{"x", arrow::kInt, kInt32}};
const std::vector<ArrowTestField> kOneBool = {{"x", arrow::kBool}};
const std::vector<ArrowTestField> kOneText = {{"x", arrow::kUtf8}};
const std::vector<ArrowTestField> kOneLargeText = {{"x", arrow::kLargeUtf8}};
const std::vector<ArrowTestField> kOneList = {
    {"x", arrow::kList, {}, {{"item", arrow::kInt, kInt32}}}};
const std::vector<ArrowTestField> kOneLargeList = {
    {"x", arrow::kLargeList, {}, {{"item", arrow::kInt, kInt32}}}};

StatusOr<Value> Read(const std::string& stream, std::string_view spec = "") {
  TypeSpec type;
  if (!spec.empty()) type = *ParseTypeSpec(spec);
  Buffer bytes = Buffer::Copy(stream);
  MemoryLimit limit(kMemory);
  return ValueFromArrow(bytes, type, Limits());
}

// Returns the error message without the number of the stream message.
std::string RejectionOf(const std::string& stream, std::string_view spec = "",
                        absl::StatusCode code = absl::StatusCode::kInvalidArgument) {
  auto value = Read(stream, spec);
  EXPECT_EQ(value.status().code(), code) << value.status();
  std::string text(MessageOf(value.status()));
  if (size_t end = text.find(": "); text.starts_with("message ")) text.erase(0, end + 2);
  return text;
}

std::string StreamOf(const std::vector<ArrowTestField>& fields, int64_t rows,
                     const std::vector<ArrowTestNode>& nodes,
                     const std::vector<std::string>& buffers) {
  ArrowMaker maker(fields);
  maker.AddBatch(rows, nodes, buffers);
  return maker.text();
}

TEST(ArrowErrorsTest, NoMemoryIsThereToTake) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  MemoryLimit limit(kMemory);
  EXPECT_FALSE(Buffer::Allocate(2 * kMemory).ok());
#endif
}

TEST(ArrowErrorsTest, RejectsDeepNesting) {
  FlatWriter out;
  size_t message = out.AddTable({{0, 2, arrow::kV5}, {1, 1, arrow::kSchemaHeader}, {2, 4}});
  size_t schema = out.AddTable({{1, 4}});
  out.Link(message, 2, schema);
  size_t fields = out.AddVector(1, sizeof(uint32_t));
  out.Link(schema, 1, fields);
  for (int i = 0; i < 50000; ++i) {
    size_t field = out.AddTable({{0, 4}, {2, 1, arrow::kList}, {3, 4}, {5, 4}});
    out.LinkElement(fields, 0, field);
    out.Link(field, 0, out.AddText("a"));
    out.Link(field, 3, out.AddTable({}));
    fields = out.AddVector(1, sizeof(uint32_t));
    out.Link(field, 5, fields);
  }
  out.LinkElement(fields, 0, out.AddTable({{2, 1, arrow::kBool}}));
  std::string metadata = std::move(out).Finish();
  std::string stream =
      Bytes<uint32_t>({arrow::kContinuation, static_cast<uint32_t>(metadata.size())}) + metadata;
  std::string rejection = RejectionOf(stream);
  EXPECT_THAT(rejection, StartsWith("`a.a.a.a."));
  EXPECT_THAT(rejection, HasSubstr("nested more than 64 deep"));
}

TEST(ArrowErrorsTest, RejectsSizesThatExceedTheBuffers) {
  const auto kExhausted = absl::StatusCode::kResourceExhausted;
  const struct {
    std::string stream;
    const char* rejection;
    const char* spec = "";
    absl::StatusCode code = absl::StatusCode::kInvalidArgument;
  } kCases[] = {
      // Rows, elements, lists.
      {StreamOf(kOneInt, kFourGi, {{kFourGi, 0}}, {"", "1234"}),
       "4294967296 elements; the limit is 2147483648 (--max_tensor_elements)", "", kExhausted},
      {StreamOf(kOneInt, 1 << 30, {{1 << 30, 0}}, {"", "1234"}),
       "`x`: expected a buffer of at least 4294967296 bytes, found 4"},
      {StreamOf(kOneBool, 1 << 30, {{1 << 30, 0}}, {"", "1"}),
       "`x`: expected a buffer of at least 134217728 bytes, found 1"},
      {StreamOf(kOneText, 1 << 30, {{1 << 30, 0}}, {"", "1234", ""}),
       "`x`: expected a buffer of at least 4294967300 bytes, found 4"},
      {StreamOf(kOneLargeText, 1 << 30, {{1 << 30, 0}}, {"", "1234", ""}),
       "`x`: expected a buffer of at least 8589934600 bytes, found 4"},
      {StreamOf(kOneList, 1 << 30, {{1 << 30, 0}, {0, 0}}, {"", "1234", "", ""}),
       "`x`: expected a buffer of at least 4294967300 bytes, found 4"},
      {StreamOf(kOneList, 1, {{1, 0}, {kFourGi, 0}},
                {"", Bytes<int32_t>({0, INT32_MAX}), "", "1234"}),
       "`x.item`: 4294967296 elements; the limit is 2147483648 (--max_tensor_elements)", "",
       kExhausted},
      {StreamOf(kOneList, 1, {{1, 0}, {INT32_MAX, 0}},
                {"", Bytes<int32_t>({0, INT32_MAX}), "", "1234"}),
       "`x.item`: expected a buffer of at least 8589934588 bytes, found 4"},
      {StreamOf({{"x", arrow::kFixedSizeList, {{0, 4, INT32_MAX}}, {{"i", arrow::kNull}}}}, 4,
                {{4, 0}, {8, 8}}, {""}),
       "`x.i`: expected at least 8589934588 elements, found 8"},
      {StreamOf({{"x", arrow::kFixedSizeBinary, {{0, 4, INT32_MAX}}}}, 4, {{4, 0}}, {"", "1234"}),
       "`x`: expected a buffer of at least 8589934588 bytes, found 4"},
      {StreamOf({{"x", arrow::kFixedSizeBinary, {{0, 4, -1}}}}, 4, {{4, 0}}, {"", "1234"}),
       "`x`: size: expected at least 0, found -1"},
      // Columns without bytes, that would take some.
      {StreamOf({{"x", arrow::kNull}}, 1 << 30, {{1 << 30, 1 << 30}}, {}),
       "`x`: decoding requires 8589934600 more bytes, ", "[{x: int8[(?)]}]", kExhausted},
      {StreamOf({{"x", arrow::kFixedSizeBinary, {{0, 4, 0}}}}, 1 << 30, {{1 << 30, 0}}, {"", ""}),
       "`x`: decoding requires 8589934600 more bytes, ", "[{x: string[]}]", kExhausted},
      {StreamOf({{"x", arrow::kFixedSizeList, {{0, 4, 0}}, {{"i", arrow::kBool}}}}, 1 << 30,
                {{1 << 30, 0}, {0, 0}}, {"", "", ""}),
       "`x`: decoding requires 8589934600 more bytes, ", "[{x: bool[(?)]}]", kExhausted},
  };
  for (const auto& row : kCases) {
    SCOPED_TRACE(row.rejection);
    EXPECT_THAT(RejectionOf(row.stream, row.spec, row.code), StartsWith(row.rejection));
  }
}

TEST(ArrowErrorsTest, RejectsMessagesLargerThanTheStream) {
  std::string whole = StreamOf(kOneInt, 1, {{1, 0}}, {"", "1234"});
  std::string schema = ArrowMaker(kOneInt).text();
  auto claim = [](uint32_t size) { return Bytes<uint32_t>({arrow::kContinuation, size}); };
  EXPECT_EQ(RejectionOf(claim(UINT32_MAX)), "expected 4294967295 bytes, found 0");
  EXPECT_EQ(RejectionOf(schema + claim(UINT32_MAX - 7) + "12345678"),
            "expected 4294967288 bytes, found 8");
  // The body's length, an int64, is the last of the message's fields, before its header.
  std::string old = Bytes<int64_t>({8});
  size_t at = whole.find(old, schema.size() + 8);
  ASSERT_NE(at, std::string::npos);
  auto with_body = [&](int64_t size) { return std::string(whole).replace(at, 8, Bytes({size})); };
  ASSERT_TRUE(Read(with_body(8)).ok());
  EXPECT_EQ(RejectionOf(with_body(kFourGi)), "expected 4294967296 bytes, found 8");
  EXPECT_EQ(RejectionOf(with_body(INT64_MAX)), "expected 9223372036854775807 bytes, found 8");
  EXPECT_EQ(RejectionOf(with_body(-8)), "expected an Arrow message, found bytes that do not parse");
  // The end of a file claims a footer.
  std::string file = std::string(arrow::kFileMagic) + whole;
  EXPECT_THAT(RejectionOf(file + Bytes<uint32_t>({UINT32_MAX}) + "ARROW1"),
              StartsWith("the footer: expected 4294967295 bytes, found "));
}

TEST(ArrowErrorsTest, RejectsBuffersOutsideTheBody) {
  const struct {
    ArrowTestRange offsets, text;
    const char* rejection;
  } kCases[] = {
      {{-8, 8},
       {8, 8},
       "expected a buffer within the 16 bytes of the body, found 8 bytes from byte -8 on"},
      {{0, -1},
       {8, 8},
       "expected a buffer within the 16 bytes of the body, found -1 bytes from byte 0 on"},
      {{0, 8},
       {8, 9},
       "expected a buffer within the 16 bytes of the body, found 9 bytes from byte 8 on"},
      {{0, 8},
       {24, 0},
       "expected a buffer within the 16 bytes of the body, found 0 bytes from byte 24 on"},
      {{0, 8},
       {INT64_MAX, 8},
       "expected a buffer within the 16 bytes of the body, found 8 bytes from byte "
       "9223372036854775807 on"},
      {{8, INT64_MAX},
       {8, 8},
       "expected a buffer within the 16 bytes of the body, found 9223372036854775807 bytes from "
       "byte 8 on"},
      {{0, 8},
       {0, 8},
       "expected a buffer after byte 8, where the previous buffer ends, found one at byte 0"},
      {{0, 16},
       {15, 1},
       "expected a buffer after byte 16, where the previous buffer ends, found one at byte 15"},
      {{8, 8},
       {0, 8},
       "expected a buffer after byte 16, where the previous buffer ends, found one at byte 0"},
  };
  const std::string body = Bytes<int32_t>({0, 3}) + "abcdefgh";
  for (const auto& row : kCases) {
    SCOPED_TRACE(row.rejection);
    ArrowMaker maker(kOneText);
    maker.AddBatchOf(1, {{1, 0}}, {{0, 0}, row.offsets, row.text}, body);
    EXPECT_EQ(RejectionOf(maker.text()), Cat("`x`: ", row.rejection));
  }
  ArrowMaker right(kOneText);
  right.AddBatchOf(1, {{1, 0}}, {{16, 0}, {0, 8}, {8, 3}}, body);
  EXPECT_TRUE(Read(right.text()).ok());
}

TEST(ArrowErrorsTest, RejectsOffsetsOutOfRange) {
  const std::vector<int64_t> kWrong[] = {
      {-1, 1, 2}, {0, -1, 2},        {0, 2, 1},         {0, 1, 3},         {3, 3, 3},
      {2, 1, 2},  {0, INT32_MAX, 2}, {0, INT32_MIN, 2}, {INT32_MAX, 1, 2}, {1, 0, 2},
      {0, 2, -2}, {INT32_MIN, 0, 2}, {0, 2, INT32_MIN}};
  const std::vector<int64_t> kWrongWide[] = {
      {0, kFourGi, 2},   {kFourGi, kFourGi + 1, kFourGi + 2}, {INT64_MIN, 0, 2}, {0, INT64_MIN, 2},
      {INT64_MAX, 0, 2}, {0, INT64_MAX, INT64_MIN},           {0, 1, INT64_MAX}, {-kFourGi, 1, 2}};
  const char* const kLists = "`x`: offsets decrease or exceed the 2 elements";
  const char* const kText = "`x`: offsets decrease or exceed the 2 bytes of text";
  auto check = [&](const std::vector<int64_t>& offsets, bool is_wide) {
    SCOPED_TRACE(testing::PrintToString(offsets));
    std::vector<int32_t> narrow(offsets.begin(), offsets.end());
    std::string bytes = is_wide ? Bytes(offsets) : Bytes(narrow);
    std::string lists = StreamOf(is_wide ? kOneLargeList : kOneList, 2, {{2, 0}, {2, 0}},
                                 {"", bytes, "", "12345678"});
    for (const char* spec : {"", "[{x: int32[(?)]}]", "[{x: int32[?]}]", "[{x: int32[1]}]"}) {
      EXPECT_EQ(RejectionOf(lists, spec), kLists);
    }
    std::string text = StreamOf(is_wide ? kOneLargeText : kOneText, 2, {{2, 0}}, {"", bytes, "12"});
    EXPECT_EQ(RejectionOf(text), kText);
  };
  for (const auto& offsets : kWrong) {
    check(offsets, false);
    check(offsets, true);
  }
  for (const auto& offsets : kWrongWide) check(offsets, true);
}

TEST(ArrowErrorsTest, RejectsIndicesOutOfTheDictionary) {
  for (int index : {-128, -1, 2, 127}) {
    ArrowMaker maker({{"x", arrow::kUtf8, {}, {}, true, 7}});
    maker.AddDictionary(7, {{2, 0}}, {"", Bytes<int32_t>({0, 1, 2}), "ab"});
    maker.AddBatch(1, {{1, 0}}, {"", Bytes({static_cast<int8_t>(index)})});
    EXPECT_EQ(RejectionOf(maker.text()),
              Cat("`x`: index ", index, " is out of range for dictionary 7 with 2 values"));
  }
}

// Metadata whose offsets lead out of it, or back: to itself, to its parent, to the root.
TEST(ArrowErrorsTest, RejectsMetadataOutOfBounds) {
  const std::string stream =
      StreamOf({{"s", arrow::kStruct, {}, kOneInt}}, 1, {{1, 0}, {1, 0}}, {"", "", "1234"});
  ASSERT_TRUE(Read(stream).ok());
  int rejected = 0;
  for (size_t at = 8; at + 4 <= stream.size() - 8; at += 2) {
    for (int64_t number : {int64_t{0}, int64_t{1}, int64_t{4}, -int64_t{4}, int64_t{INT32_MIN},
                           int64_t{INT32_MAX}, int64_t{UINT32_MAX}, 8 - static_cast<int64_t>(at)}) {
      std::string changed = stream;
      changed.replace(at, 4, Bytes({static_cast<int32_t>(number)}));
      auto value = Read(changed);
      if (value.ok()) continue;
      ++rejected;
      EXPECT_THAT(value.status().code(),
                  AnyOf(absl::StatusCode::kInvalidArgument, absl::StatusCode::kResourceExhausted,
                        absl::StatusCode::kUnimplemented));
      EXPECT_FALSE(MessageOf(value.status()).empty());
    }
  }
  EXPECT_GT(rejected, 100);
}

TEST(ArrowErrorsTest, RejectsCompression) {
  ArrowMaker maker(kOneInt);
  // The size that the buffer claims to have before compression is not looked at.
  maker.AddBatch(1, {{1, 0}}, {"", Bytes<int64_t>({INT64_MAX}) + "1234"}, /*compressed=*/true);
  EXPECT_EQ(RejectionOf(maker.text(), "", absl::StatusCode::kUnimplemented),
            "expected uncompressed buffers, found ZSTD compression");
}

}  // namespace
}  // namespace signet
