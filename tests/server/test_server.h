// TestServer: a real server in this process, on a free port, with a model `math`:
//
//   identity(x)                                          x
//   affine(x: float32[?], /, *, scale: float32[] = 0.5)  x * scale
//   slow(x: float32[?])                                  2000 nodes over x
//   count(n)                                             0, 1, 2, .. n - 1
//   score(recipe: {ids: int64[?], title: string[]}, limit = 3)   recipe.ids

#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>

#include "client/lib/service_client.h"
#include "core/model/native/build_model_def.h"
#include "server/server.h"
#include "signet/v1/service.grpc.pb.h"

namespace signet {

inline std::shared_ptr<const LoadedModel> MathModel(int64_t version,
                                                    const ModelOptions& options = {}) {
  ModelBuilder model("Arithmetic\nFor tests.");
  model.AddFunction("identity", "(x)").Doc("Returns x").Result("x");
  model.AddFunction("affine", "(x: float32[?], /, *, scale: float32[] = 0.5) -> float32[?]")
      .ParameterDoc("scale", "what to multiply by")
      .Example("'[1, 2]' scale=3")
      .Node("y", "mul", {"x", "scale"})
      .Result("y");
  FunctionBuilder& slow = model.AddFunction("slow", "(x: float32[?])");
  std::string last = "x";
  for (int i = 0; i < 2000; ++i) {
    slow.Node(Cat("step", i), "tanh", {last});
    last = Cat("step", i);
  }
  slow.Result(last);
  model.AddFunction("count", "(n)").Node("y", "range", {"n"}).Result("y");
  model.AddFunction("score", "(recipe: {ids: int64[?], title: string[]}, limit = 3)")
      .Result("recipe.ids");
  auto def = BuildModelDef(model);
  if (!def.ok()) ADD_FAILURE() << def.status();
  return std::make_shared<LoadedModel>("math", version, *std::move(def), options);
}

class TestServer {
 public:
  explicit TestServer(ServerOptions options = {}) : server_(PrepareOptions(std::move(options))) {
    server_.repository().Add(MathModel(1));
    Status started = server_.Start();
    EXPECT_TRUE(started.ok()) << started;
  }

  Server& server() { return server_; }
  std::string address() const { return Cat("127.0.0.1:", server_.port()); }
  ServiceClient MakeClient() const { return ServiceClient(address(), std::chrono::seconds(60)); }
  std::shared_ptr<grpc::Channel> MakeChannel() const { return OpenChannel(address()); }
  std::unique_ptr<v1::TensorService::Stub> MakeStub() const {
    return v1::TensorService::NewStub(MakeChannel());
  }

 private:
  static ServerOptions PrepareOptions(ServerOptions options) {
    options.listen = "127.0.0.1:0";
    EXPECT_EQ(ConfigureLog({.level = LogLevel::kError}), absl::OkStatus());
    return options;
  }

  Server server_;
};

// Returns a call of math.FUNCTION(args...).
inline CallSpec MathCall(std::string function, std::vector<ClientArgument> args = {}) {
  return {.model = {.name = "math"}, .function = std::move(function), .args = std::move(args)};
}

inline Value FloatsOf(std::initializer_list<float> elements) {
  return Tensor::Of<float>({static_cast<int64_t>(elements.size())}, elements);
}

// Returns an argument with which `slow` takes more than a second.
inline Value ManyFloats() {
  return Tensor::Of<float>({1 << 22}, std::vector<float>(1 << 22, 0.5f));
}

}  // namespace signet
