#include "server/protocols/signet/read_call.h"

#include "tests/server/test_server.h"

namespace signet {
namespace {

// Returns a call of math.`function` whose arguments have no content.
v1::CallRequest TruncatedCall(const std::string& function, int args,
                              std::initializer_list<const char*> keywords) {
  v1::CallRequest request;
  request.mutable_model()->set_name("math");
  request.set_function(function);
  v1::Value whole;
  whole.mutable_literal()->set_int_(1);
  v1::Value truncated;
  truncated.mutable_tensor()->set_dtype(v1::DTYPE_INT16);
  for (int i = 0; i < args; ++i) {
    *request.add_args() = i + 1 < args || keywords.size() > 0 ? whole : truncated;
  }
  for (const char* keyword : keywords) {
    auto* entry = request.add_kwargs();
    entry->set_name(keyword);
    *entry->mutable_value()->mutable_list()->add_elements() = truncated;
  }
  return request;
}

class ReadCallTest : public testing::Test {
 protected:
  ReadCallTest() {
    ModelBuilder variadic;
    variadic.AddFunction("first", "(x, *rest)").Result("x");
    auto def = BuildModelDef(variadic);
    EXPECT_TRUE(def.ok()) << def.status();
    server_.repository.Add(MathModel(1));
    server_.repository.Add(
        std::make_shared<LoadedModel>("variadic", 2, *std::move(def), ModelOptions()));
  }

  Status Read(const std::string& bytes) {
    return ReadCall(server_, Access(), {{std::as_bytes(std::span(bytes))}, nullptr}).status();
  }

  ServerContext server_{ModelOptions(), TransportLimits(), 1};
};

TEST_F(ReadCallTest, NamesTheParameterOfARejectedArgument) {
  struct Row {
    v1::CallRequest request;
    const char* place;
    const char* field;
  };
  v1::CallRequest variadic = TruncatedCall("first", 3, {});
  variadic.mutable_model()->set_name("variadic");
  v1::CallRequest only_function = variadic;
  only_function.clear_function();
  v1::CallRequest no_model = TruncatedCall("affine", 1, {});
  no_model.mutable_model()->set_name("none");
  const Row kRows[] = {
      {TruncatedCall("affine", 1, {}), "math/1.affine: argument `x`: ", "x"},
      {TruncatedCall("score", 2, {}), "math/1.score: argument `limit`: ", "limit"},
      {TruncatedCall("affine", 1, {"scale"}), "math/1.affine: argument `scale[0]`: ", "scale[0]"},
      {TruncatedCall("affine", 2, {}), "math/1.affine: argument `args[1]`: ", "args[1]"},
      {variadic, "variadic/2.first: argument `rest_1`: ", "rest_1"},
      {only_function, "variadic/2.first: argument `rest_1`: ", "rest_1"},
      {TruncatedCall("none", 1, {}), "argument `args[0]`: ", "args[0]"},
      {TruncatedCall("none", 0, {"y"}), "argument `y[0]`: ", "y[0]"},
      {no_model, "argument `args[0]`: ", "args[0]"},
  };
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.place);
    Status status = Read(row.request.SerializeAsString());
    EXPECT_EQ(MessageOf(status),
              Cat(row.place, "expected 2 bytes of content for `int16[]`, found 0"));
    EXPECT_EQ(FieldOf(status), row.field);
  }
}

// Fields may come in any order, so the function may be unknown when the argument is rejected.
TEST_F(ReadCallTest, NamesTheArgumentIfTheFunctionFollowsIt) {
  v1::CallRequest call = TruncatedCall("affine", 1, {});
  v1::CallRequest target = call;
  target.clear_args();
  call.clear_model();
  call.clear_function();
  Status status = Read(call.SerializeAsString() + target.SerializeAsString());
  EXPECT_EQ(FieldOf(status), "args[0]");
}

TEST_F(ReadCallTest, ReadsACall) {
  std::string bytes = RequestOf(MathCall("affine", {FloatsOf({1, 2})})).SerializeAsString();
  auto call = ReadCall(server_, Access(), {{std::as_bytes(std::span(bytes))}, nullptr});
  ASSERT_TRUE(call.ok()) << call.status();
  EXPECT_EQ(call->function, "affine");
  EXPECT_EQ(call->arguments.positional.size(), 1u);
}

}  // namespace
}  // namespace signet
