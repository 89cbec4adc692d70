// Law: a random value that Arrow has types for is read back from the stream that it is written as,
// to the same bits, also where the stream does not lie aligned; and in two batches its rows are
// those of one.

#include <gtest/gtest.h>

#include "core/formats/arrow/arrow.h"
#include "core/formats/json/json.h"
#include "core/values/builders/value_notation.h"
#include "tests/properties/values_random.h"

namespace signet {
namespace {

std::string Joined(const std::vector<Buffer>& pieces) {
  std::string out;
  for (const Buffer& piece : pieces) out += piece.text();
  return out;
}

class ArrowPropertyTest : public testing::Test {
 protected:
  // A random value, or none where the sizes of a random type admit no data.
  Value Next() {
    TypeSpec spec = random_.Type(3);
    ValueBuilder builder = *ValueBuilder::Make(spec);
    EXPECT_TRUE(random_.Fill(spec, builder).ok());
    auto value = builder.Finish();
    return value.ok() ? *value : Value();
  }

  RandomValues random_;
};

TEST_F(ArrowPropertyTest, ValuesGoThereAndBack) {
  int written = 0;
  int structures = 0;
  for (int i = 0; i < 20000; ++i) {
    random_.with_notes = random_.Chance(2);
    Value value = Next();
    if (!value) continue;
    auto pieces = ArrowFromValue(value);
    if (!pieces.ok()) continue;
    SCOPED_TRACE(ToString(value));
    ++written;
    structures += value.spec().is(TypeKind::kStructured) ? 1 : 0;
    std::string stream = Joined(*pieces);
    for (size_t shift : {0, 1}) {
      Buffer bytes = Buffer::Copy(std::string(shift, ' ') + stream).Slice(shift, stream.size());
      auto read = ValueFromArrow(bytes, value.spec(), Limits());
      ASSERT_TRUE(read.ok()) << read.status();
      ASSERT_TRUE(SameValue(*read, value)) << ToString(*read);
    }
  }
  EXPECT_GT(written, 2000);
  EXPECT_GT(structures, 500);
}

TEST_F(ArrowPropertyTest, BatchesAreRowsOneAfterTheOther) {
  int compared = 0;
  for (int i = 0; i < 20000 && compared < 500; ++i) {
    Value value = Next();
    if (!value || !value.spec().is(TypeKind::kStructured) || value.spec().shape()->rank() != 1) {
      continue;
    }
    auto parts = ArrowPartsFromValue(value);
    if (!parts.ok()) continue;
    SCOPED_TRACE(ToString(value));
    std::string batch = Joined(parts->batch);
    auto read = ValueFromArrow(Buffer::Copy(parts->schema + batch + batch), TypeSpec(), Limits());
    if (!read.ok()) continue;  // 0 rows of a size that the type does not have
    std::string once = ValueToJson(value);
    std::string rows = once.substr(1, once.size() - 2);
    ASSERT_EQ(ValueToJson(*read), rows.empty() ? "[]" : Cat("[", rows, ",", rows, "]"));
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

}  // namespace
}  // namespace signet
