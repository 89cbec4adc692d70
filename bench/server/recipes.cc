// Recipes: compares calls of the example model, `score(recipes, user_embedding)` for all its
// records, with a ByteBuffer echo of the same request.
//
//   columns   the records as a structured value: calls per second with 8 in flight, and the median
//             latency with 1
//   JSON      the records as JSON, which the server decodes
//
// Requires the root of the repository as the working directory.

#include <filesystem>

#include <google/protobuf/message_lite.h>

#include "bench/subjects.h"
#include "bench/support/load.h"
#include "bench/support/recipes_data.h"
#include "bench/support/servers.h"
#include "core/formats/json/json.h"
#include "core/formats/signet_wire/wire.h"
#include "core/types/notation/notation.h"
#include "signet/v1/service.pb.h"

namespace signet {
namespace {

constexpr const char* kModels = "examples/models";

// Returns a request without its first argument.
v1::CallRequest ScoreCall() {
  v1::CallRequest request;
  request.mutable_model()->set_name("recipes");
  request.set_function("score");
  request.add_args();
  *request.add_args() = wire::ValueToProto(Tensor::Of<float>({16}, std::vector<float>(16, 0.25f)));
  return request;
}

Status Compare(const BenchOptions& options, std::string_view what, const RunningServer& signet,
               const RunningServer& echo, const std::string& request, Report& report) {
  LoadClient call(signet.tcp, kCallMethod, request);
  LoadClient raw(echo.tcp, kRawEchoMethod, request);
  SIGNET_RETURN_IF_ERROR(call.CallOnce(10).status());
  SIGNET_RETURN_IF_ERROR(raw.CallOnce(10).status());
  auto rate = [&](const LoadClient& load) { return load.CallsPerSecond(8, options.load_seconds); };
  auto latency = [&](const LoadClient& load) { return load.MedianLatency(options.load_seconds); };
  constexpr const char* kRaw = "ByteBuffer gRPC echo";
  report.Add(Compared(Cat("recipes: score of ", what, ", 8 in flight"), "calls/s", kRaw,
                      MedianPair(
                          options, [&] { return rate(call); }, [&] { return rate(raw); }),
                      Better::kHigher));
  report.Add(Compared(Cat("recipes: score of ", what, ", median latency"), "us", kRaw,
                      MedianPair(
                          options, [&] { return latency(call); }, [&] { return latency(raw); }),
                      Better::kLower));
  return absl::OkStatus();
}

Status Measure(const BenchOptions& options, Report& report) {
  if (!std::filesystem::exists(std::filesystem::path(kModels) / "recipes")) {
    return NotFound(kModels, "/recipes not found in the current folder");
  }
  SIGNET_ASSIGN_OR_RETURN(std::string json, ReadRecipes());
  SIGNET_ASSIGN_OR_RETURN(TypeSpec type, ParseTypeSpec(kRecipesType));
  SIGNET_ASSIGN_OR_RETURN(Value recipes, ValueFromJson(json, type, Limits()));
  TemporaryFolder folder;
  SIGNET_ASSIGN_OR_RETURN(RunningServer echo, StartEcho(folder.path()));
  SIGNET_ASSIGN_OR_RETURN(RunningServer signet, StartSignet(kModels, folder.path()));

  v1::CallRequest columns = ScoreCall();
  *columns.mutable_args(0) = wire::ValueToProto(recipes);
  SIGNET_RETURN_IF_ERROR(
      Compare(options, "columns", signet, echo, columns.SerializeAsString(), report));

  v1::CallRequest text = ScoreCall();
  v1::Encoded& encoded = *text.mutable_args(0)->mutable_encoded();
  encoded.set_format(v1::Encoded::JSON);
  encoded.set_data(json);
  return Compare(options, "JSON", signet, echo, text.SerializeAsString(), report);
}

}  // namespace

void BenchRecipes(const BenchOptions& options, Report& report) {
  Status measured = Measure(options, report);
  if (!measured.ok()) report.Skip("recipes", MessageOf(measured));
}

}  // namespace signet
