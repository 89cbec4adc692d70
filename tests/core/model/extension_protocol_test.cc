// Extension types that the program around a model defines, in C++.

#include <gtest/gtest.h>

#include "core/frontends/load_model.h"
#include "core/graph/lower/extension_types.h"
#include "core/model/loaded_model.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/types/notation/notation.h"
#include "core/values/builders/value_notation.h"
#include "signet/extension_spec.h"
#include "tests/support/native_model.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

// bank.Money<currency>(amount: int64[...]): added to money of its own currency.
class Money final : public ExtensionProtocol {
 public:
  Money() : ExtensionProtocol(Declaration()) {}

  Status CheckValue(CallExpander& build, const GraphValue& value,
                    std::string_view where) const override {
    SIGNET_ASSIGN_OR_RETURN(GraphValue each, build.GreaterEqual(ChildOf(value, 0), Zero(build)));
    SIGNET_ASSIGN_OR_RETURN(GraphValue all, build.ReduceAll(each));
    std::string message = Cat(where, ": amount is at least 0");
    return build.CheckTrue(all, {.message = message}).status();
  }

  StatusOr<std::optional<std::vector<GraphValue>>> Override(
      CallExpander& build, const OpCall& call, std::span<const GraphValue> inputs,
      std::vector<std::string>& declined) const override {
    if (call.op.name != "add" || inputs[0].spec != inputs[1].spec) {
      declined.push_back("bank.Money: adds amounts of one currency");
      return std::optional<std::vector<GraphValue>>();
    }
    SIGNET_ASSIGN_OR_RETURN(GraphValue sum,
                            build.Add(ChildOf(inputs[0], 0), ChildOf(inputs[1], 0)));
    const auto& spec = *inputs[0].spec.As<ExtensionSpec>();
    SIGNET_ASSIGN_OR_RETURN(GraphValue made,
                            build.MakeExtensionValue("bank.Money", spec.statics(), {&sum, 1}));
    return std::optional(std::vector<GraphValue>{std::move(made)});
  }

  // A plain amount is one of euros.
  StatusOr<std::optional<Converted>> Convert(CallExpander& build, const GraphValue& from,
                                             const TypeSpec&) const override {
    if (!from.spec.is(TypeKind::kTensor)) return std::optional<Converted>();
    NamedTypes euro = {{"currency", AttributeOf("EUR")}};
    SIGNET_ASSIGN_OR_RETURN(GraphValue made,
                            build.MakeExtensionValue("bank.Money", euro, {&from, 1}));
    return std::optional(Converted{std::move(made), "bank.Money"});
  }

 private:
  static ExtensionDeclaration Declaration() {
    ExtensionDeclaration declaration;
    declaration.name = "bank.Money";
    declaration.attributes = {"currency"};
    declaration.components = {{"amount", *ParseTypeSpec("int64[...]")}};
    return declaration;
  }
  static GraphValue Zero(OpBuilder& build) { return Int64Constant(build, 0); }
};

class ExtensionProtocolTest : public testing::Test {
 protected:
  ExtensionProtocolTest() {
    folder_.Write("money/1/model.pb", BinaryModel(R"model(
        format_version: 1
        functions {
          name: "total" signature: "(x, y, /)"
          nodes { name: "sum" op: "add" inputs: "x" inputs: "y" } result: "sum"
        }
        functions {
          name: "euros"
          signature: "(x: bank.Money<currency=\"EUR\">(amount: int64[?]), /) -> int64[?]"
          result: "x.amount"
        })model"));
  }
  StatusOr<std::shared_ptr<const LoadedModel>> Load(ExtensionProtocols types) {
    ModelOptions options;
    options.types = std::move(types);
    return LoadModel(folder_.path() / "money" / "1", "money", 1, options);
  }
  // Returns the text of the result, or the error message.
  std::string Call(std::string_view function, const std::vector<const char*>& arguments) {
    auto model = Load({std::make_shared<Money>()});
    if (!model.ok()) return std::string(MessageOf(model.status()));
    CallArguments call;
    for (const char* text : arguments) {
      auto value = ParseValue(text);
      EXPECT_TRUE(value.ok()) << value.status();
      call.positional.push_back(*value);
    }
    auto result = (*(*model)->FindFunction(function))->Call(std::move(call), RunControl());
    return result.ok() ? ToString(*result) : std::string(MessageOf(result.status()));
  }

  TemporaryFolder folder_;
};

#define EUROS "bank.Money<currency=\"EUR\">(amount: int64[2]) "
#define KRONER "bank.Money<currency=\"DKK\">(amount: int64[2]) "

TEST_F(ExtensionProtocolTest, SaysWhatAnOpMeans) {
  EXPECT_EQ(Call("total", {EUROS "{amount: [1, 2]}", EUROS "{amount: [10, 20]}"}),
            EUROS "{amount: [11, 22]}");
}

TEST_F(ExtensionProtocolTest, DeclinesWhatItDoesNotKnow) {
  EXPECT_EQ(Call("total", {EUROS "{amount: [1, 2]}", KRONER "{amount: [10, 20]}"}),
            "node `sum`: `add` of `" + std::string(EUROS).substr(0, std::string(EUROS).size() - 1) +
                "`, `" + std::string(KRONER).substr(0, std::string(KRONER).size() - 1) +
                "`; types that were tried, in this order: `bank.Money`\n  bank.Money: adds amounts "
                "of one currency");
}

TEST_F(ExtensionProtocolTest, ChecksWhatEnters) {
  EXPECT_EQ(Call("euros", {EUROS "{amount: [1, -2]}"}),
            "argument `x`: `bank.Money`: amount is at least 0");
  EXPECT_EQ(Call("euros", {EUROS "{amount: [1, 2]}"}), "int64[2] [1, 2]");
}

TEST_F(ExtensionProtocolTest, ConvertsArguments) {
  EXPECT_EQ(Call("euros", {"int64[3] [1, 2, 3]"}), "int64[3] [1, 2, 3]");
}

TEST_F(ExtensionProtocolTest, ConversionsEndWithTheirCall) {
  auto model = Load({std::make_shared<Money>()});
  ASSERT_TRUE(model.ok()) << model.status();
  const PolymorphicFunction& euros = **(*model)->FindFunction("euros");
  std::atomic<bool> cancelled = true;
  Value plain = *ParseValue("int64[3] [1, 2, 3]");
  EXPECT_EQ(euros.Prepare({{plain}, {}}, {.cancelled = &cancelled}).status().code(),
            absl::StatusCode::kCancelled);
  EXPECT_TRUE(euros.Prepare({{plain}, {}}, {}).ok());
}

TEST_F(ExtensionProtocolTest, ExplainSaysWhatConverted) {
  auto model = Load({std::make_shared<Money>()});
  ASSERT_TRUE(model.ok()) << model.status();
  const PolymorphicFunction& euros = **(*model)->FindFunction("euros");
  auto cast_by = [&](const char* text) {
    return euros.Explain({{*ParseValue(text)}, {}}).arguments.at(0).cast_by;
  };
  EXPECT_EQ(cast_by("int64[3] [1, 2, 3]"), "bank.Money");
  EXPECT_EQ(cast_by(EUROS "{amount: [1, 2]}"), "");
}

TEST_F(ExtensionProtocolTest, LoadingKnowsTheTypesOfTheProgram) {
  auto without = Load({});
  EXPECT_EQ(without.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(MessageOf(without.status()).find("no extension type `bank.Money`"), std::string::npos)
      << without.status();
  EXPECT_TRUE(Load({std::make_shared<Money>()}).ok());
  auto twice = Load({std::make_shared<Money>(), std::make_shared<Money>()});
  EXPECT_FALSE(twice.ok());
}

}  // namespace
}  // namespace signet
