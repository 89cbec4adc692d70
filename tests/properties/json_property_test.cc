// Laws of reading JSON, on random types, values and texts: the quick way into columns takes what
// the plain way of events takes, with equal values, and rejects what it rejects, alike; and a
// column that is needed is the same whichever others are.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/formats/json/json.h"
#include "core/formats/json/json_columns.h"
#include "core/formats/json/json_events.h"
#include "tests/properties/values_random.h"

namespace signet {
namespace {

class JsonPropertyTest : public ::testing::Test {
 protected:
  // Mostly types that the quick way takes.
  TypeSpec Type() {
    random_.with_complex = random_.Chance(8);
    random_.with_notes = random_.Chance(2);
    return random_.Chance(3) ? random_.Type(3) : random_.Rows(2);
  }

  // A value of `spec` in writing, or nothing where its sizes admit no data.
  std::string Text(const TypeSpec& spec, bool columns = false) {
    ValueBuilder builder = *ValueBuilder::Make(spec);
    EXPECT_TRUE(random_.Fill(spec, builder).ok());
    auto value = builder.Finish();
    return value.ok() ? ValueToJson(*value, {.indent = random_.Below(3), .columns = columns}) : "";
  }

  // `text` with something of it changed: bytes, tokens, keys.
  std::string Mutated(std::string text) {
    static const char* const kTokens[] = {"null",
                                          "true",
                                          "-0",
                                          "-0.0",
                                          "0.5",
                                          "1e3",
                                          "1e400",
                                          "-1e-400",
                                          "007",
                                          "+1",
                                          ".5",
                                          "1.",
                                          "128",
                                          "-129",
                                          "256",
                                          "65536",
                                          "2147483648",
                                          "4294967296",
                                          "9223372036854775807",
                                          "9223372036854775808",
                                          "18446744073709551615",
                                          "18446744073709551616",
                                          "16777217",
                                          "9007199254740993",
                                          "36028797018963969",
                                          "3.4028236e38",
                                          "65520",
                                          "65504.1",
                                          "\"NaN\"",
                                          "\"Infinity\"",
                                          "\"-Infinity\"",
                                          "NaN",
                                          "\"\"",
                                          "\"a\"",
                                          "\"\\u0041\"",
                                          "\"\\ud800\"",
                                          "\"\\\"\"",
                                          "{\"b64\": \"/w==\"}",
                                          "{\"b64\": \"a\"}",
                                          "[]",
                                          "{}",
                                          "[[]]",
                                          "[0]",
                                          "[",
                                          "]",
                                          "{",
                                          "}",
                                          ",",
                                          ":",
                                          " ",
                                          "\n",
                                          "\t",
                                          "\"",
                                          "\\",
                                          "\"x\":",
                                          "\"a\": 1,",
                                          "\xff",
                                          "\0"};
    for (int changes = 1 + random_.Below(2); changes > 0; --changes) {
      auto at = static_cast<size_t>(random_.Below(static_cast<int>(text.size()) + 1));
      auto some = static_cast<size_t>(random_.Below(4));
      const char* token = kTokens[static_cast<size_t>(random_.Below(std::size(kTokens)))];
      switch (random_.Below(5)) {
        case 0:
          text.erase(at, some);
          break;
        case 1:
          text.insert(at, token);
          break;
        case 2:  // another scalar in place of a number
          at = text.find_first_of("0123456789", at);
          if (at == std::string::npos) break;
          text.replace(at, text.find_first_not_of("-+.eE0123456789", at) - at, token);
          break;
        case 3:
          text.insert(at, text.substr(at, 8 * some));
          break;
        default:
          if (at < text.size()) text[at] = static_cast<char>(random_.Below(256));
      }
    }
    return text;
  }

  Limits SomeLimits() {
    Limits limits;
    if (random_.Chance(6)) limits.tensor_elements = random_.Below(30);
    if (random_.Chance(6)) limits.expanded_bytes = random_.Below(2000);
    if (random_.Chance(6)) limits.nesting_depth = random_.Below(6);
    limits.reject_unknown_fields = random_.Chance(2);
    return limits;
  }

  void ExpectAlike(const StatusOr<Value>& quick, const StatusOr<Value>& plain) {
    ASSERT_EQ(quick.status().code(), plain.status().code()) << quick.status() << plain.status();
    ++(quick.ok() ? taken_ : rejected_);
    if (!quick.ok()) {
      EXPECT_EQ(quick.status(), plain.status());
      return;
    }
    ASSERT_EQ(quick->spec(), plain->spec());
    ASSERT_TRUE(SameValue(*quick, *plain)) << ValueToJson(*quick) << "\n" << ValueToJson(*plain);
  }

  RandomValues random_;
  int taken_ = 0;
  int rejected_ = 0;
};

TEST_F(JsonPropertyTest, BothWaysReadAlike) {
  for (int i = 0; i < 4000; ++i) {
    TypeSpec spec = Type();
    std::string text = Text(spec, /*columns=*/random_.Chance(2));
    for (int k = 0; k < 6; ++k) {
      if (k > 0) text = Mutated(text);
      SCOPED_TRACE(Cat(spec, "\n", text));
      Limits limits = SomeLimits();
      ExpectAlike(ValueFromJson(text, spec, limits), ValueFromJsonEvents(text, spec, limits));
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(taken_, 3000);
  EXPECT_GT(rejected_, 4000);
}

TEST_F(JsonPropertyTest, BothWaysReadLinesAlike) {
  for (int i = 0; i < 2000; ++i) {
    TypeSpec spec = random_.Rows(2);
    auto rows = nlohmann::json::parse(Text(spec), nullptr, false);
    if (!rows.is_array()) continue;
    std::string text;
    for (const auto& row : rows) text += row.dump() + (random_.Chance(9) ? "\n\n" : "\n");
    for (int k = 0; k < 6; ++k) {
      if (k > 0) text = Mutated(text);
      SCOPED_TRACE(Cat(spec, "\n", text));
      Limits limits = SomeLimits();
      ExpectAlike(ValueFromJsonLines(text, spec, limits),
                  ValueFromJsonLinesEvents(text, spec, limits));
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(taken_, 1000);
  EXPECT_GT(rejected_, 1000);
}

TEST_F(JsonPropertyTest, WhatIsNeededIsTheSameWhateverElseIs) {
  int less = 0;
  for (int i = 0; i < 4000; ++i) {
    TypeSpec spec = Type();
    std::string text = Text(spec, /*columns=*/random_.Chance(2));
    if (random_.Chance(3)) text = Mutated(text);
    SCOPED_TRACE(Cat(spec, "\n", text));
    std::vector<bool> needs(spec.num_components());
    for (size_t k = 0; k < needs.size(); ++k) needs[k] = random_.Chance(3);
    auto whole = ValueFromJson(text, spec, Limits());
    auto part = ValueFromJson(text, spec, Limits(), needs);
    if (!whole.ok()) {  // what is passed over may be wrong
      less += part.ok();
      continue;
    }
    ASSERT_TRUE(part.ok()) << part.status();
    Components components(part->components().begin(), part->components().end());
    ASSERT_TRUE(MakeValue(part->spec(), components).ok());
    ASSERT_TRUE(IsSubtype(part->spec(), spec)) << part->spec().ToString();
    for (size_t k = 0; k < needs.size(); ++k) {
      if (!needs[k]) continue;
      ASSERT_TRUE(SameTensor(components[k], whole->components()[k])) << k;
    }
  }
  EXPECT_GT(less, 0);
}

}  // namespace
}  // namespace signet
