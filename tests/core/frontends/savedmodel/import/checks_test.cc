// Imports SavedModels whose functions have assertions, and calls them with values that fail.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/frontends/load_model.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

using ::testing::HasSubstr;

// A model with the signature `x -> y` of float vectors, in which x is the placeholder `x` and y is
// the node `y`.
std::string ModelWith(const std::string& nodes, const std::string& library = "") {
  const std::string tensor = "dtype: DT_FLOAT tensor_shape { dim { size: -1 } }";
  return Cat(
      "saved_model_schema_version: 1 meta_graphs { meta_info_def { tags: 'serve' } graph_def { ",
      "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } ",
      "attr { key: 'shape' value { shape { dim { size: -1 } } } } } ",
      "node { name: 'zero' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } ",
      "attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 0 } } } } ",
      "node { name: 'axes' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } } attr { key: ",
      "'value' value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 0 } } } ",
      "} node { name: 'text' op: 'Const' attr { key: 'dtype' value { type: DT_STRING } } ",
      "attr { key: 'value' value { tensor { dtype: DT_STRING tensor_shape { } ",
      "string_val: 'x must not be negative' } } } } ",
      "node { name: 'each' op: 'GreaterEqual' input: 'x' input: 'zero' } ",
      "node { name: 'all' op: 'All' input: 'each' input: 'axes' } ", nodes, library,
      " } signature_def { key: 'serving_default' value { inputs { key: 'x' value { name: 'x:0' ",
      tensor, " } } outputs { key: 'y' value { name: 'y:0' ", tensor,
      " } } method_name: 'tensorflow/serving/predict' } } }");
}

constexpr char kResult[] = "node { name: 'y' op: 'Neg' input: 'x' input: '^check' } ";

// Calls the function with `x`, and returns the error message, or "" if there is none.
std::string ErrorOf(const std::string& model, std::initializer_list<float> x) {
  TemporaryFolder folder;
  folder.Write("saved_model.pbtxt", model);
  auto loaded = LoadModel(folder.path(), "m", 1, {});
  if (!loaded.ok()) return loaded.status().ToString();
  auto function = (*loaded)->FindFunction("serving_default");
  if (!function.ok()) return function.status().ToString();
  const std::vector<float> values(x);
  const auto size = static_cast<int64_t>(values.size());
  auto answer = (*function)->Call(
      {{Value(Tensor::Of<float>({size}, std::span<const float>(values)))}, {}}, {});
  return answer.ok() ? "" : std::string(MessageOf(answer.status()));
}

TEST(SavedModelChecksTest, ChecksAnAssertion) {
  const std::string model =
      ModelWith(Cat("node { name: 'check' op: 'Assert' input: 'all' input: 'text' } ", kResult));
  EXPECT_EQ(ErrorOf(model, {1, 2}), "");
  EXPECT_THAT(ErrorOf(model, {1, -2}), HasSubstr("x must not be negative"));
}

// An assertion in a branch of version 1 does not run if the other side is selected.
TEST(SavedModelChecksTest, LeavesOutAnAssertionOfOneSide) {
  for (const char* inputs : {"input: 'pivot:1'", "input: 'all' input: '^yes'"}) {
    const std::string model = ModelWith(
        Cat("node { name: 'pivot' op: 'Switch' input: 'all' input: 'all' } ",
            "node { name: 'yes' op: 'Identity' input: 'pivot:1' } ",
            "node { name: 'assert' op: 'Assert' ", inputs, " input: 'text' } ",
            "node { name: 'on_true' op: 'Identity' input: 'yes' input: '^assert' } ",
            "node { name: 'check' op: 'Merge' input: 'pivot' input: 'on_true' } ", kResult));
    EXPECT_EQ(ErrorOf(model, {1}), "") << inputs;
    EXPECT_EQ(ErrorOf(model, {-1}), "") << inputs;
  }
}

// Version 2 calls a function that asserts if the condition is false.
TEST(SavedModelChecksTest, ChecksAnAssertionInABranch) {
  const std::string library =
      "library { "
      "function { signature { name: 'yes' input_arg { name: 'c' type: DT_BOOL } input_arg { name: "
      "'v' type: DT_BOOL } output_arg { name: 'r' type: DT_BOOL } } ret { key: 'r' value: 'c' } } "
      "function { signature { name: 'no' input_arg { name: 'c' type: DT_BOOL } input_arg { name: "
      "'v' type: DT_BOOL } output_arg { name: 'r' type: DT_BOOL } } node_def { name: 'words' op: "
      "'Const' attr { key: 'dtype' value { type: DT_STRING } } attr { key: 'value' value { tensor "
      "{ dtype: DT_STRING tensor_shape { } string_val: 'in a branch' } } } } node_def { name: "
      "'assert' op: 'Assert' input: 'c' input: 'words:output:0' } node_def { name: 'id' op: "
      "'Identity' input: 'c' input: '^assert' } ret { key: 'r' value: 'id:output:0' } } }";
  const std::string model =
      ModelWith(Cat("node { name: 'if' op: 'If' input: 'all' input: 'all' input: 'each' ",
                    "attr { key: 'then_branch' value { func { name: 'yes' } } } ",
                    "attr { key: 'else_branch' value { func { name: 'no' } } } } ",
                    "node { name: 'check' op: 'Identity' input: 'if' } ", kResult),
                library);
  EXPECT_EQ(ErrorOf(model, {}), "");
  EXPECT_THAT(ErrorOf(model, {-1}), HasSubstr("in a branch"));
}

// A condition that needs an unsupported operator does not make the function unavailable.
TEST(SavedModelChecksTest, NotesAnAssertionThatIsNotSupported) {
  const std::string model =
      ModelWith(Cat("node { name: 'odd' op: 'PyFunc' input: 'all' } ",
                    "node { name: 'check' op: 'Assert' input: 'odd' input: 'text' } ", kResult));
  EXPECT_EQ(ErrorOf(model, {-1}), "");
  TemporaryFolder folder;
  folder.Write("saved_model.pbtxt", model);
  auto loaded = LoadModel(folder.path(), "m", 1, {});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  auto function = (*loaded)->FindFunction("serving_default");
  ASSERT_TRUE(function.ok()) << function.status();
  EXPECT_THAT(std::string((*function)->def().doc), HasSubstr("x must not be negative"));
}

}  // namespace
}  // namespace signet
