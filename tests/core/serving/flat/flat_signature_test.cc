#include "core/serving/flat/flat_signature.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model/unique_names.h"
#include "core/serving/flat/flat_arguments.h"
#include "core/types/notation/notation.h"
#include "core/values/builders/value_notation.h"
#include "signet/record_spec.h"

namespace signet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kNames[] = {"a b",
                                  "a_b",
                                  "a_b_2",
                                  "a-b",
                                  "x",
                                  "x.values",
                                  "x.row_splits_0",
                                  "x.nrows",
                                  "x_",
                                  "x.a",
                                  "x.nrows_2",
                                  "x_nrows",
                                  "nrows",
                                  "",
                                  "0",
                                  "_0",
                                  "_",
                                  "__",
                                  "lambda",
                                  "lambda_",
                                  "é",
                                  "output",
                                  "output[0]",
                                  "x[0]",
                                  "x.v.values",
                                  "x.v",
                                  "x.v.row_splits_0",
                                  "A",
                                  "a",
                                  "a.",
                                  ".a",
                                  "row_splits_0",
                                  "values"};

constexpr const char* kTypes[] = {
    "int64[]",
    "int64[?]",
    "ragged int64[?, (?)]",
    "[{nrows: int64[], row_splits_0: int64[], a: int64[]}]",
    "[{v: int64[(?)], nrows: int64[]}]",
    "dict(values: int64[], nrows: int64[], nrows_2: int64[])",
    "{nrows: int64[], rows: [{a: int64[], nrows: int64[]}]}",
};

// A function with parameters, and a result that is a dict, of these names in its file.
FunctionDef FunctionWith(const std::vector<std::string>& names, std::mt19937& random) {
  FunctionDef def;
  def.name = "f";
  UniqueNames unique;
  for (const std::string& name : names) unique.Reserve(name);
  std::vector<Parameter> parameters;
  for (const std::string& name : names) {
    Parameter parameter{.name = unique.Make(name), .kind = ParameterKind::kKeywordOnly};
    parameter.type = *ParseTypeSpec(kTypes[random() % std::size(kTypes)]);
    if (parameter.name != name) {
      def.source_parameters[parameter.name] = name;
      def.source_results[parameter.name] = name;
    }
    parameters.push_back(std::move(parameter));
  }
  def.type = *FunctionType::Make(std::move(parameters));
  return def;
}

TypeSpec ResultOf(const FunctionDef& def) {
  NamedTypes items;
  for (const Parameter& parameter : def.type.parameters()) {
    items.emplace_back(parameter.name, parameter.type);
  }
  return *MakeDictType(std::move(items));
}

// Returns a valid tensor for a part; data differ from those of other parts.
Tensor TensorFor(const FlatPart& part, int64_t number) {
  if (part.role == FlatPart::Role::kRowCount) return Tensor::Scalar(int64_t{2});
  if (part.role == FlatPart::Role::kSplits) return Tensor::Of<int64_t>({3}, {0, 1 + number % 2, 3});
  if (part.type.shape()->rank() == 0) return Tensor::Scalar(number);
  if (part.path.ends_with(".values")) {
    return Tensor::Of<int64_t>({3}, {number, number + 1, number + 2});
  }
  return Tensor::Of<int64_t>({2}, {number, number + 1});
}

TEST(FlatSignatureTest, GivesEachTensorItsOwnName) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(Cat("seed ", seed));
    std::mt19937 random(seed);
    std::vector<std::string> names(std::begin(kNames), std::end(kNames));
    std::shuffle(names.begin(), names.end(), random);
    names.resize(1 + random() % 12);
    const FunctionDef def = FunctionWith(names, random);
    const auto& parameters = def.type.parameters();
    // No name in the signature is the name of another parameter in the file.
    for (size_t i = 0; i < names.size(); ++i) {
      auto other = std::find(names.begin(), names.end(), parameters[i].name);
      EXPECT_TRUE(other == names.end() || other - names.begin() == static_cast<std::ptrdiff_t>(i));
    }
    const std::vector<FlatPart> parts = InputPartsOf(def);
    std::set<std::string> seen;
    std::vector<NamedTensor> tensors;
    for (const FlatPart& part : parts) {
      EXPECT_TRUE(seen.insert(part.name).second) << part.name;
      if (part.is_whole) {
        EXPECT_EQ(part.name, names[part.parameter]);
      }
      tensors.push_back({part.name, TensorFor(part, 100 * static_cast<int64_t>(tensors.size()))});
    }
    std::vector<Tensor> sent;
    for (const NamedTensor& tensor : tensors) sent.push_back(tensor.tensor);
    std::shuffle(tensors.begin(), tensors.end(), random);
    CallRequest call;
    call.tensors = tensors;
    const Status assigned = AssignFlatArguments(def, call);
    ASSERT_TRUE(assigned.ok()) << assigned;
    for (size_t i = 0; i < parts.size(); ++i) {
      const std::string& name = parameters[parts[i].parameter].name;
      auto argument = std::find_if(call.arguments.keyword.begin(), call.arguments.keyword.end(),
                                   [&](const auto& given) { return given.first == name; });
      ASSERT_NE(argument, call.arguments.keyword.end()) << name;
      EXPECT_EQ(ToString(Value(argument->second.components()[parts[i].component])),
                ToString(Value(sent[i])))
          << parts[i].name;
    }
    seen.clear();
    for (const FlatPart& part : ResultPartsOf(def, ResultOf(def))) {
      EXPECT_TRUE(seen.insert(part.name).second) << part.name;
      if (part.is_whole) {
        EXPECT_EQ(part.name, SourceNameOfResult(def, part.path));
      }
    }
  }
}

TEST(FlatSignatureTest, ReportsMissingInputsByTheirNamesInTheFile) {
  std::mt19937 random(1);
  FunctionDef def = FunctionWith({"a b", "a_b"}, random);
  CallRequest call;
  call.tensors.emplace();
  EXPECT_THAT(std::string(MessageOf(AssignFlatArguments(def, call))),
              HasSubstr("missing required input(s) ['a b','a_b']"));
  call.tensors = {{"a b", Tensor::Scalar(int64_t{1})}, {"a_b_2", Tensor::Scalar(int64_t{1})}};
  EXPECT_THAT(std::string(MessageOf(AssignFlatArguments(def, call))), HasSubstr("['a_b']"));
}

// A field `nrows` is data: it is neither the count of rows nor guessed.
TEST(FlatSignatureTest, KeepsFieldsApartFromCountsAndSplits) {
  FunctionDef def;
  def.type = *FunctionType::Make({{.name = "s", .type = *ParseTypeSpec(kTypes[3])}});
  std::vector<std::string> names;
  for (const FlatPart& part : InputPartsOf(def)) names.push_back(part.name);
  EXPECT_THAT(names, ElementsAre("s.nrows_2", "s.nrows", "s.row_splits_0", "s.a"));
  const Tensor column = Tensor::Of<int64_t>({2}, {7, 8});
  CallRequest call;
  call.tensors = {{"s.nrows", column}, {"s.row_splits_0", column}, {"s.a", column}};
  ASSERT_TRUE(AssignFlatArguments(def, call).ok());
  EXPECT_EQ(ToString(Value(call.arguments.positional[0].components()[0])), "int64[] 2");
  call.tensors = {{"s.row_splits_0", column}, {"s.a", column}};
  EXPECT_THAT(std::string(MessageOf(AssignFlatArguments(def, call))),
              HasSubstr("missing component `nrows`"));
}

}  // namespace
}  // namespace signet
