#include <gmock/gmock.h>

#include "core/formats/json/json.h"
#include "tests/core/formats/protobuf/proto_text.h"
#include "tests/server/test_server.h"

namespace signet {
namespace {

// shop.Dish {name: "soup", stars: [4, 5], labels: {"color": "red"}}
constexpr std::string_view kSoup(
    "\x0a\x04soup\x12\x08\0\0\x80\x40\0\0\xa0\x40"
    "\x1a\x0c\x0a\x05"
    "color\x12\x03red",
    30);
constexpr std::string_view kTea("\x0a\x03tea", 5);

std::shared_ptr<const LoadedModel> ShopModel() {
  ModelBuilder model("Dishes");
  model.SetDescriptorSet(DescriptorSetOf(R"(
    syntax = "proto3";
    package shop;
    message Dish { string name = 1; repeated float stars = 2; map<string, string> labels = 3;
                   optional int32 price = 4; }
  )"));
  model.AddMessageField("labels[color]", "color");
  model
      .AddFunction("dishes",
                   "(dishes: [{name: string[], stars: float32[(?)], color: string[(?)]}])")
      .Result("dishes");
  model.AddFunction("anything", "(dishes)").Result("dishes");
  model.AddFunction("price", "(dish: {price: int32[]})").Result("dish");
  auto def = BuildModelDef(model);
  if (!def.ok()) ADD_FAILURE() << def.status();
  return std::make_shared<LoadedModel>("shop", 1, *std::move(def), ModelOptions());
}

class ProtobufRowsCallTest : public testing::Test {
 protected:
  ProtobufRowsCallTest() { test_.server().repository().Add(ShopModel()); }

  // Returns the result as JSON, or the error.
  std::string Call(std::string function, MessageRows rows) {
    auto answer = test_.MakeClient().Call(
        {.model = {.name = "shop"}, .function = std::move(function), .args = {std::move(rows)}});
    return answer.ok() ? ValueToJson(answer->result) : std::string(answer.status().message());
  }

  TestServer test_;
};

TEST_F(ProtobufRowsCallTest, DecodesUnderTheParametersType) {
  std::string soup(kSoup);
  std::string tea(kTea);
  EXPECT_EQ(Call("dishes", {"shop.Dish", {soup, tea, ""}}),
            R"([{"name":"soup","stars":[4.0,5.0],"color":["red"]},)"
            R"({"name":"tea","stars":[],"color":[]},{"name":"","stars":[],"color":[]}])");
  EXPECT_EQ(Call("dishes", {"shop.Dish", {}}), "[]");
  EXPECT_EQ(Call("anything", {"shop.Dish", {tea}}),
            R"([{"labels":[],"name":["tea"],"price":[],"stars":[]}])");
}

TEST_F(ProtobufRowsCallTest, RejectsDataInTheFieldOfAnotherFormat) {
  using testing::HasSubstr;
  auto call = [&](v1::Encoded encoded) {
    auto answer = test_.MakeClient().Call(
        {.model = {.name = "shop"}, .function = "dishes", .args = {std::move(encoded)}});
    EXPECT_EQ(answer.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(answer.status().message());
  };
  v1::Encoded protobuf;
  protobuf.set_format(v1::Encoded::PROTOBUF);
  protobuf.set_message_type("shop.Dish");
  protobuf.set_data(std::string(kSoup));
  EXPECT_THAT(call(protobuf), HasSubstr("argument `dishes`: expected PROTOBUF messages in `rows`, "
                                        "one entry per message, found 30 bytes in `data`"));
  for (auto format : {v1::Encoded::JSON, v1::Encoded::JSON_LINES, v1::Encoded::ARROW_IPC}) {
    v1::Encoded other;
    other.set_format(format);
    other.add_rows("[]");
    EXPECT_THAT(call(other), HasSubstr("expected the text or stream in `data`, found 1 entry in "
                                       "`rows`"));
  }
}

TEST_F(ProtobufRowsCallTest, ReportsErrors) {
  using testing::HasSubstr;
  EXPECT_THAT(Call("dishes", {"shop.Dish", {std::string(kTea), "\x0a\x05x"}}),
              HasSubstr("argument `dishes`: row 1, byte 1: expected a field of 5 bytes, found 1"));
  EXPECT_THAT(
      Call("dishes", {"shop.Dash", {}}),
      HasSubstr("argument `dishes`: no message type `shop.Dash`; message types: `shop.Dish`"));
  EXPECT_THAT(Call("dishes", {"", {}}),
              HasSubstr("missing message_type of the protobuf rows; message types: `shop.Dish`"));
  EXPECT_THAT(Call("price", {"shop.Dish", {""}}),
              HasSubstr("argument `dish`: `price`: it is optional in the message, which fits "
                        "`int32[(?)]`; the parameter has `int32[]`"));
  auto math = test_.MakeClient().Call(MathCall("affine", {MessageRows{"shop.Dish", {}}}));
  EXPECT_EQ(math.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(math.status().message()), HasSubstr("(descriptors.pb)"));
}

}  // namespace
}  // namespace signet
