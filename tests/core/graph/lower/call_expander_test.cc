#include "core/graph/lower/call_expander.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/graph/lower/specializer.h"
#include "core/ops/build/rows/setting_inputs.h"
#include "core/types/notation/notation.h"
#include "tests/support/body_maker.h"

namespace signet {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

const OpDef& Op(std::string_view name) { return *BuiltinOps().Lookup(name); }

TEST(CallExpanderTest, SettingsAreInputsWithTheNameOfAnAttribute) {
  auto settings = SettingInputsOf(Op("slice"));
  ASSERT_EQ(settings.size(), 4u);
  EXPECT_EQ(settings[0].input, 1u);
  EXPECT_EQ(settings[0].attribute->name, "starts");
  EXPECT_TRUE(SettingInputsOf(Op("sort")).empty());
}

// Returns the specialized call of `op` on a parameter `x` of type `x_type`, with a parameter of
// type `setting_type` as the setting.
StatusOr<FlatGraph> CallWithSetting(const OpDef& op, const SettingInput& setting,
                                    std::string_view x_type, std::string_view setting_type) {
  std::vector<std::string> inputs;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const bool is_optional = op.inputs[i].ends_with('?');
    inputs.push_back(i == setting.input ? "k" : is_optional ? "None" : "x");
  }
  NamedTypes attributes;
  if (op.name == "slice" && setting.attribute->name != "starts") {
    const int64_t zero[] = {0};
    attributes = {{"starts", AttributeOf(std::span<const int64_t>(zero))}};
  }
  FunctionDef f = BodyMaker("f", "(x, k)").Node("y", op.name, inputs, attributes).Make("y");
  FunctionType type = CallType(
      f, {Value::OfType(*ParseTypeSpec(x_type)), Value::OfType(*ParseTypeSpec(setting_type))});
  SIGNET_ASSIGN_OR_RETURN(auto made, Specialize(f, type, TestLibrary(), {}));
  return made.graph;
}

// No op with a setting ignores it, on any kind of value. A new op is checked without a change here.
TEST(CallExpanderTest, SettingsAreReadOrRejectedByAllOps) {
  constexpr std::string_view kTypes[] = {"ragged float32[?, (?)]", "ragged int64[?, (?), 3]",
                                         "ragged string[?, (?)]",  "sparse float32[?, ?]",
                                         "sparse string[?]",       "[{a: int64[], b: float32[2]}]",
                                         "[[{a: int64[]}]]",       "{a: int64[], b: float32[2]}",
                                         "dict(a: float32[?, ?])", "tuple(string[?], int64[2])",
                                         "list(float32[2, 3])",    "ragged int64[?, (?), (?)]"};
  std::set<std::string> accepted;
  for (const OpDef* op : BuiltinOps().All()) {
    for (const SettingInput& setting : SettingInputsOf(*op)) {
      for (std::string_view x : kTypes) {
        for (std::string_view k : {"int64[]", "int64[1]", "int64[2]"}) {
          auto graph = CallWithSetting(*op, setting, x, k);
          if (!graph.ok()) continue;
          const auto edge = static_cast<int>(ComponentsOf(*ParseTypeSpec(x)).size());
          bool is_read =
              std::any_of(graph->nodes.begin(), graph->nodes.end(), [&](const FlatNode& node) {
                return std::find(node.inputs.begin(), node.inputs.end(), edge) != node.inputs.end();
              });
          EXPECT_TRUE(is_read) << op->name << " ignores `" << setting.attribute->name << "` on "
                               << x;
          accepted.insert(op->name);
        }
      }
    }
  }
  EXPECT_THAT(accepted, IsSupersetOf({"top_k", "slice", "segment_sort", "segment_top_k"}));
}

TEST(CallExpanderTest, NamesTheSettingThatAnExpansionDoesNotRead) {
  auto graph = CallWithSetting(Op("reduce_sum"), SettingInputsOf(Op("reduce_sum"))[0],
                               "ragged float32[?, (?)]", "int64[]");
  EXPECT_EQ(graph.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(MessageOf(graph.status()), HasSubstr("expected an attribute"));
}

// A known value of a setting is an attribute: the size of the result is known.
TEST(CallExpanderTest, KnownSettingsBecomeAttributes) {
  FunctionDef f = BodyMaker("f", "(x)").Node("y", "reduce_sum", {"x", "1"}).Make("y");
  FunctionType type = CallType(f, {Value::OfType(*ParseTypeSpec("ragged float32[2, (?)]"))});
  auto made = Specialize(f, type, TestLibrary(), {});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->output.ToString(), "float32[2]");
}

}  // namespace
}  // namespace signet
