#include "server/protocols/inference/infer_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/types/type_mismatch.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

using testing::HasSubstr;

TEST(InferCallTest, ReadsTheFunctionFromTheName) {
  auto target = ParseInferTarget("savings/fees", "3");
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->model, "savings");
  EXPECT_EQ(target->function, "fees");
  EXPECT_EQ(target->version, 3);
  EXPECT_EQ(ParseInferTarget("savings", "")->function, "");
  EXPECT_FALSE(ParseInferTarget("savings/", "").ok());
  for (std::string_view version : {"0", "-1", "x", "1.0"}) {
    EXPECT_FALSE(ParseInferTarget("savings", version).ok()) << version;
  }
}

TEST(InferCallTest, TakesSettingsFromParameters) {
  InferRequest request{.model = "m"};
  request.parameters = {.function = "f", .timeout_us = 5000, .priority = 1};
  auto call = CallOfRequest(request);
  ASSERT_TRUE(call.ok());
  EXPECT_EQ(call->function, "f");
  EXPECT_EQ(call->timeout, std::chrono::milliseconds(5));
  EXPECT_EQ(call->priority, "high");
  EXPECT_TRUE(call->tensors.has_value());

  InferRequest other{.model = "m/g"};
  other.parameters.function = "f";
  EXPECT_THAT(std::string(MessageOf(CallOfRequest(other).status())),
              HasSubstr("different functions"));
  InferRequest plain{.model = "m"};
  plain.parameters = {.timeout_us = 0, .priority = 0};
  call = CallOfRequest(plain);
  EXPECT_FALSE(call->timeout.has_value());
  EXPECT_EQ(call->priority, "");
}

TEST(InferCallTest, WritesErrorsAsClientsExpect) {
  const Status unknown = NotFound("model `nope` not found; models: a");
  EXPECT_EQ(MessageOf(InferErrorOf(unknown, "nope", "")),
            "Request for unknown model: 'nope' is not found");
  EXPECT_EQ(MessageOf(InferErrorOf(NotFound("model `a`: version 9 not found"), "a", "9")),
            "Request for unknown model: 'a' version 9 is not found");
  const Status function = NotFound("model `a`: function `f` not found; functions: g");
  EXPECT_EQ(InferErrorOf(function, "a/f", ""), function);
  const Status unloaded = NotFound("model `a`: version 9 is not loaded: unloaded by an operator");
  EXPECT_EQ(InferErrorOf(unloaded, "a/f", ""),
            Unavailable("Request for unknown model: 'a/f' has no available versions; it is not "
                        "loaded: unloaded by an operator"));
  EXPECT_EQ(InferErrorOf(unloaded, "a", "9"),
            Unavailable("Request for unknown model: 'a' version 9 is not at ready state; it is not "
                        "loaded: unloaded by an operator"));
  EXPECT_EQ(
      InferErrorOf(FailedPrecondition("model `a`: version 9 is not loaded: x"), "a", "").code(),
      absl::StatusCode::kUnavailable);
  const Status full = WithReason("QUEUE_FULL", ResourceExhausted("the queue is full"));
  EXPECT_EQ(InferErrorOf(full, "a", "").code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(InferErrorOf(OutOfRange("300 for INT8"), "a", "").code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(InferErrorOf(absl::OkStatus(), "a", "").ok());
  EXPECT_EQ(InferErrorOf(NotFound("missing name of a model; models: a"), "", ""),
            NotFound("Request for unknown model: '' is not found"));
  // The name is not known if the request cannot be read.
  EXPECT_EQ(InferErrorOf(NotFound("no such region"), "", ""), NotFound("no such region"));
}

TEST(InferCallTest, AddsTheSentencesOfDatatypesAndShapes) {
  auto sentence = [](std::string_view reason, const TypeSpec& expected, const TypeSpec& found) {
    const Status status =
        WithField("x", WithTypes(expected, found, InvalidWithReason(reason, "y")));
    const Status out = InferCallErrorOf(At("argument `x`", status), {}, "m", "");
    EXPECT_EQ(ReasonOf(out), reason);
    EXPECT_EQ(FieldOf(out), "x");
    return std::string(MessageOf(out));
  };
  const TypeSpec matrix = TensorType(DType::kInt32, PartialShape{kUnknownDim, 16});
  const TypeSpec vector = TensorType(DType::kInt32, PartialShape{3});
  const TypeSpec floats = TensorType(DType::kFloat32, PartialShape{1, 16});
  EXPECT_EQ(sentence("DTYPE_MISMATCH", matrix, floats),
            "inference input 'x' data-type is 'FP32', but model 'm' expects 'INT32'; argument `x`: "
            "y");
  EXPECT_EQ(sentence("SHAPE_MISMATCH", matrix, vector),
            "unexpected shape for input 'x' for model 'm'. Expected [-1,16], got [3]; argument "
            "`x`: y");
  const std::string plain = "argument `x`: y";
  EXPECT_EQ(sentence("SHAPE_MISMATCH", TensorType(DType::kInt32, PartialShape()), vector), plain);
  EXPECT_EQ(sentence("SHAPE_MISMATCH", TypeSpec(), vector), plain);
  EXPECT_EQ(sentence("MISSING_REQUIRED", matrix, vector), plain);
}

TEST(InferCallTest, ReportsThatTheTimeOfTheRequestHasPassed) {
  const Status late = DeadlineExceeded("the deadline has passed");
  EXPECT_EQ(InferCallErrorOf(late, {}, "a", ""), late);
  EXPECT_EQ(InferCallErrorOf(late, {.timeout_us = 0}, "a", ""), late);
  EXPECT_EQ(InferCallErrorOf(late, {.timeout_us = 5}, "a", ""),
            Unavailable("Request timeout expired; the deadline has passed"));
  EXPECT_EQ(InferCallErrorOf(InvalidArgument("x"), {.timeout_us = 5}, "a", ""),
            InvalidArgument("x"));
}

}  // namespace
}  // namespace signet
