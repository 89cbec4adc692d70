// ControlTest: functions with control ops, run three ways: planned, planned without optimizations,
// and at once. All must agree.

#pragma once

#include <gtest/gtest.h>

#include "core/graph/lower/specializer.h"
#include "core/runtime/executor.h"
#include "core/types/notation/notation.h"
#include "core/values/builders/value_notation.h"
#include "signet/ops/run_op.h"
#include "tests/support/typed_library.h"

namespace signet {

inline Value Parse(std::string_view text) {
  auto value = ParseValue(text);
  if (!value.ok())
    CheckFailed(Cat(text, ": ", value.status().ToString()).c_str(), __FILE__, __LINE__);
  return *std::move(value);
}

inline TypeSpec Names(std::string_view text) { return *ParseTypeSpec(text); }

// The value as text, of the type that its tensors show.
inline std::string TextOf(const Value& value) {
  return ToString(
      Value::Trusted(ExactSpecOf(value), {value.components().begin(), value.components().end()}));
}

inline StatusOr<Value> RunPlanned(const FunctionDef& def, const TestLibrary& library,
                                  std::vector<Value> inputs, bool optimize) {
  SIGNET_ASSIGN_OR_RETURN(CanonicalCall call,
                          Canonicalize(def.type, {std::move(inputs), {}}, def.defaults));
  SIGNET_ASSIGN_OR_RETURN(Specialization made, Specialize(def, call.type, library,
                                                          {.optimize = optimize, .verify = true}));
  SIGNET_ASSIGN_OR_RETURN(auto plan, Plan::Make(std::move(made.graph)));
  std::vector<const Tensor*> given;
  for (const Value& argument : call.arguments) {
    for (const Tensor& component : argument.components()) given.push_back(&component);
  }
  FramePool frames;
  // Twice: the second run takes the frames of the first.
  SIGNET_RETURN_IF_ERROR(RunPlan(*plan, frames, given, {}).status());
  SIGNET_ASSIGN_OR_RETURN(Components results, RunPlan(*plan, frames, given, {}));
  return MakeValue(made.output, std::move(results));
}

inline StatusOr<Value> RunAtOnce(const FunctionDef& def, const TestLibrary& library,
                                 std::vector<Value> inputs) {
  SIGNET_ASSIGN_OR_RETURN(
      auto results,
      RunOp("call", inputs, Attributes({{"function", AttributeOf(def.name)}}), &library));
  return results[0];
}

class ControlTest : public ::testing::Test {
 protected:
  // (x) -> op(x)
  void Define(FunctionDef def) { library_.functions.insert_or_assign(def.name, std::move(def)); }
  void DefineUnary(std::string name, std::string_view op) {
    Define(BodyMaker(name, "(x)").Node("y", op, {"x"}).Make("y"));
  }

  void Expect(std::string_view function, std::vector<std::string> inputs, std::string_view expected,
              std::string_view at_once = "") {
    SCOPED_TRACE(Cat(function, " of ", Join(inputs, ", ")));
    std::vector<Value> values;
    for (const std::string& input : inputs) values.push_back(Parse(input));
    const FunctionDef& def = library_.functions.at(std::string(function));
    for (bool optimize : {true, false}) {
      auto found = RunPlanned(def, library_, values, optimize);
      ASSERT_TRUE(found.ok()) << found.status() << (optimize ? "" : " (plain)");
      EXPECT_EQ(TextOf(*found), expected) << (optimize ? "" : " (plain)");
    }
    auto found = RunAtOnce(def, library_, values);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(TextOf(*found), at_once.empty() ? expected : at_once) << "at once";
  }

  // Returns the error of specializing or running it.
  std::string RejectionOf(std::string_view function, std::vector<std::string> inputs) {
    std::vector<Value> values;
    for (const std::string& input : inputs) values.push_back(Parse(input));
    return std::string(MessageOf(
        RunPlanned(library_.functions.at(std::string(function)), library_, values, true).status()));
  }

  // f(c, x) -> cond(c, x; then, else)
  void DefineCond(std::string_view then, std::string_view otherwise) {
    Define(BodyMaker("f", "(c, x)")
               .Node("y", "cond", {"c", "x"},
                     {{"then", AttributeOf(then)}, {"else", AttributeOf(otherwise)}})
               .Make("y"));
  }

  TypedLibrary library_;
};

}  // namespace signet
