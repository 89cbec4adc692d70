#include "core/model/tracing/function_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model/tracing/imported_functions.h"
#include "signet/literal_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

using testing::HasSubstr;

TEST(FunctionTraceTest, InfersTypesCallByCall) {
  TraceLibrary library;
  auto trace = FunctionTrace::Start("scaled", "(x: float32[?, 3], k, /)", {}, library);
  ASSERT_TRUE(trace.ok()) << trace.status();
  const auto x = (*trace)->parameters()[0];
  const auto k = (*trace)->parameters()[1];
  EXPECT_EQ((*trace)->TypeOf(x).ToString(), "float32[?, 3]");
  EXPECT_FALSE((*trace)->TypeOf(k));
  EXPECT_EQ((*trace)->ElementTypeOf(x).ToString(), "float32[3]");

  const FunctionTrace::ValueId inputs[] = {x};
  auto sums = (*trace)->Call("sums", "reduce_sum", inputs, {{"axes", AttributeOf(1)}}, {});
  ASSERT_TRUE(sums.ok()) << sums.status();
  EXPECT_EQ((*trace)->TypeOf((*sums)[0]).ToString(), "float32[?]");

  const FunctionTrace::ValueId unknown[] = {(*sums)[0], k};
  auto product = (*trace)->Call("product", "mul", unknown, {}, {});
  ASSERT_TRUE(product.ok()) << product.status();
  EXPECT_FALSE((*trace)->TypeOf((*product)[0]));

  auto function = std::move(**trace).Finish((*product)[0], {.doc = "Scales"});
  ASSERT_TRUE(function.ok()) << function.status();
  EXPECT_EQ((*function)->def.graph.nodes.size(), 2u);
  EXPECT_EQ((*function)->def.doc, "Scales");
}

TEST(FunctionTraceTest, RejectsACallWhereItIsMade) {
  TraceLibrary library;
  auto trace = FunctionTrace::Start("f", "(x: float32[2, 3], y: float32[4, 5])", {}, library);
  ASSERT_TRUE(trace.ok()) << trace.status();
  const FunctionTrace::ValueId inputs[] = {(*trace)->parameters()[0], (*trace)->parameters()[1]};
  auto product = (*trace)->Call("z", "matmul", inputs, {}, {});
  EXPECT_THAT(std::string(product.status().message()), HasSubstr("matmul"));
  EXPECT_FALSE((*trace)->Call("z", "no_such_op", inputs, {}, {}).ok());
  EXPECT_FALSE((*trace)->Call("z", "neg", inputs, {}, {}).ok());
  EXPECT_FALSE(FunctionTrace::Start("f", "(x: float23[])", {}, library).ok());
}

std::shared_ptr<const TracedFunction> WithCapture(TraceLibrary& library, std::string name,
                                                  double value) {
  auto trace = FunctionTrace::Start(std::move(name), "(x: float32[])", {}, library);
  auto capture =
      (*trace)->Capture("w", Value::Trusted(TensorType(DType::kFloat32, Shape{}),
                                            {Tensor::Scalar(static_cast<float>(value))}));
  const FunctionTrace::ValueId inputs[] = {(*trace)->parameters()[0], *capture};
  auto sum = (*trace)->Call("sum", "add", inputs, {}, {});
  auto function = std::move(**trace).Finish((*sum)[0], {});
  return *std::move(function);
}

TEST(TraceLibraryTest, NamesCapturesByTheirValues) {
  TraceLibrary first, second, all;
  ASSERT_TRUE(all.AddFunction(WithCapture(first, "one", 1)).ok());
  ASSERT_TRUE(all.AddFunction(WithCapture(second, "two", 2)).ok());
  TraceLibrary third;
  ASSERT_TRUE(all.AddFunction(WithCapture(third, "same", 1)).ok());
  EXPECT_EQ(all.Lookup("one")->graph.captures, std::vector<std::string>{"w"});
  EXPECT_EQ(all.Lookup("two")->graph.captures, std::vector<std::string>{"w_2"});
  EXPECT_EQ(all.Lookup("same")->graph.captures, std::vector<std::string>{"w"});
  TraceLibrary fourth;
  EXPECT_TRUE(absl::IsAlreadyExists(all.AddFunction(WithCapture(fourth, "one", 3))));

  auto model = all.MakeModel({.doc = "Sums"});
  ASSERT_TRUE(model.ok()) << model.status();
  auto imported = ImportFunctions(*std::move(model), "_net_");
  ASSERT_TRUE(imported.ok()) << imported.status();
  EXPECT_EQ((*imported)[0]->def.name, "_net_one");
  EXPECT_TRUE((*imported)[1]->captures.contains("w_2"));
}

}  // namespace
}  // namespace signet
