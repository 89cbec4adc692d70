// Law: a model whose captures were replaced returns what a model returns that was loaded with the
// new captures, bit for bit. Random models are called with random arguments, then get other values
// of their captures several times, with calls in between.
//
// The seed is SIGNET_SEED or a fixed one. SIGNET_ROUNDS sets the number of models.

#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "core/model/loaded_model.h"
#include "core/model/native/loader.h"
#include "core/model/native/model_files.h"
#include "tests/support/native_model.h"

namespace signet {
namespace {

constexpr std::string_view kHelpers = R"model(
  functions {
    name: "_shifted"
    signature: "(x)"
    nodes { name: "y" op: "add" inputs: "x" inputs: "scalar" }
    result: "y"
  }
  functions {
    name: "_biased"
    signature: "(x)"
    nodes { name: "y" op: "mul" inputs: "x" inputs: "bias" }
    result: "y"
  }
)model";

class RandomModel {
 public:
  explicit RandomModel(uint32_t seed) : random_(seed) {
    std::vector<std::string> values = {"x", "y"};
    const int count = 2 + Below(7);
    for (int i = 0; i < count; ++i) {
      AddNode(Cat("n", i), values);
      values.push_back(Cat("n", i));
    }
    text_ = Cat("format_version: 1 ", kHelpers,
                "functions { name: \"f\" signature: \"(x, y, k = 2.0)\" ", nodes_, " result: \"",
                values.back(), "\" }");
  }

  const std::string& text() const { return text_; }
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }

  Tensor Floats(Shape shape) {
    std::vector<float> elements(static_cast<size_t>(shape.num_elements()));
    for (float& element : elements) element = static_cast<float>(Below(17) - 8) / 4;
    return Tensor::Of<float>(shape, std::span<const float>(elements));
  }

  Captures RandomCaptures() {
    Captures out;
    out.emplace("weights", Floats({4, 4}));
    out.emplace("more", Floats({4, 4}));
    out.emplace("bias", Floats({4}));
    out.emplace("row", Floats({1, 4}));
    out.emplace("scalar", Floats({}));
    out.emplace("low", Floats({}));
    out.emplace("index", Tensor::Of<int64_t>({3}, {Below(4), Below(4), Below(4)}));
    out.emplace("axis", Tensor::Of<int64_t>({1}, {Below(2)}));
    out.emplace("flag", Tensor::Scalar(Below(2) == 0));
    return out;
  }

  CallArguments RandomArguments() {
    const int64_t rows = 1 + Below(5);
    CallArguments out{{Floats({rows, 4}), Floats({Below(3) == 0 ? 1 : rows, 4})}, {}};
    if (Below(3) == 0) out.keyword = {{"k", Floats({})}};
    return out;
  }

  StatusOr<ModelDef> Load(Captures captures) const {
    auto proto = ParseModelText(text_);
    if (!proto.ok()) return proto.status();
    return ModelDefFromProto(*proto, std::move(captures), Limits());
  }

 private:
  void Node(std::string_view name, std::string_view op, const std::vector<std::string>& inputs,
            std::string_view rest = "") {
    nodes_ += Cat("\n nodes { name: \"", name, "\" op: \"", op, "\"");
    for (const std::string& input : inputs) nodes_ += Cat(" inputs: \"", input, "\"");
    nodes_ += Cat(" ", rest, " }");
  }

  static std::string Function(std::string_view attribute, std::string_view name) {
    return Cat("attributes { key: \"", attribute, "\" value { function: \"", name, "\" } }");
  }

  void AddNode(const std::string& name, const std::vector<std::string>& values) {
    auto value = [&] {
      return values[static_cast<size_t>(Below(static_cast<int>(values.size())))];
    };
    constexpr const char* kRows[] = {"bias", "row", "scalar", "k", "low"};
    constexpr const char* kMatrices[] = {"weights", "more"};
    constexpr const char* kBinary[] = {"add", "mul", "sub", "maximum", "minimum"};
    auto row = [&] { return std::string(kRows[Below(5)]); };
    auto matrix = [&] { return std::string(kMatrices[Below(2)]); };
    switch (Below(12)) {
      case 0:
      case 1:
        return Node(name, kBinary[Below(5)], {value(), row()});
      case 2:
        return Node(name, "matmul", {value(), matrix()});
      case 3:  // a product, a scale, a bias, and an activation, which are merged
        Node(name + "p", "matmul", {value(), matrix()});
        Node(name + "s", "mul", {name + "p", row()});
        Node(name + "b", "add", {name + "s", row()});
        return Node(name, "relu", {name + "b"});
      case 4:  // folded
        Node(name + "w", kBinary[Below(5)], {matrix(), Below(2) == 0 ? matrix() : row()});
        return Node(name, "matmul", {value(), name + "w"});
      case 5:
        Node(name + "t", "transpose", {matrix()});
        return Node(name, "matmul", {value(), name + "t"});
      case 6:
        return Node(name, "clip", {value(), "low", "scalar"});
      case 7:  // the value selects the branch or an attribute
        Node(name + "c", "greater", {"scalar", Below(2) == 0 ? "low" : "0.0"});
        return Node(name, "cond", {Below(2) == 0 ? "flag" : name + "c", value()},
                    Function("then", "_shifted") + Function("else", "_biased"));
      case 8:
        Node(name + "g", "gather", {matrix(), "index"});
        Node(name + "r", "reduce_sum", {name + "g"},
             Below(2) == 0 ? "attributes { key: \"axes\" value { from: \"axis\" } }" : "");
        return Node(name, "add", {value(), name + "r"});
      case 9:
        return Node(name, "map", {value()},
                    Function("function", Below(2) == 0 ? "_biased" : "_shifted"));
      case 10:
        Node(name + "s", "mul", {matrix(), "scalar"});
        return Node(name, "matmul", {value(), name + "s"});
      default:
        Node(name + "a", "mul", {value(), row()});
        Node(name + "b", "add", {name + "a", row()});
        return Node(name, "mul", {name + "b", row()});
    }
  }

  std::mt19937 random_;
  std::string nodes_;
  std::string text_;
};

std::string Describe(const StatusOr<Value>& answer) {
  return answer.ok() ? answer->spec().ToString() : answer.status().ToString();
}

int FromEnvironment(const char* name, int usual) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : usual;
}

TEST(CapturesPropertyTest, ReplacedModelsAnswerLikeFreshOnes) {
  const auto seed = static_cast<uint32_t>(FromEnvironment("SIGNET_SEED", 20261123));
  const int rounds = FromEnvironment("SIGNET_ROUNDS", 300);
  constexpr int kReplacements = 3;
  int answered = 0, rejected = 0, not_loaded = 0;
  AdoptedFunctions total;
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(Cat("SIGNET_SEED=", seed + static_cast<uint32_t>(round), " SIGNET_ROUNDS=1"));
    RandomModel random(seed + static_cast<uint32_t>(round));
    auto first = random.Load(random.RandomCaptures());
    ASSERT_TRUE(first.ok()) << first.status() << "\n" << random.text();
    auto model = std::make_shared<LoadedModel>("m", 1, *std::move(first), ModelOptions());
    if (!model->CheckBodies().ok()) {
      ++not_loaded;
      continue;
    }
    for (int replacement = 0; replacement < kReplacements; ++replacement) {
      for (int call = random.Below(12); call > 0; --call) {
        (void)(*model->FindFunction("f"))->Call(random.RandomArguments(), {});
      }
      const Captures captures = random.RandomCaptures();
      auto replaced = std::make_shared<LoadedModel>("m", 1, *random.Load(captures), ModelOptions());
      auto adopted = replaced->AdoptFunctions(*model);
      LoadedModel fresh("m", 1, *random.Load(captures), ModelOptions());
      const Status checked = fresh.CheckBodies();
      ASSERT_EQ(adopted.ok(), checked.ok()) << adopted.status() << checked << random.text();
      if (!checked.ok()) break;
      const PolymorphicFunction& old = **model->FindFunction("f");
      const PolymorphicFunction& f = **replaced->FindFunction("f");
      EXPECT_LE(f.cache_stats().specializations,
                old.cache_stats().specializations + adopted->specialized);
      EXPECT_EQ(f.output(), (*fresh.FindFunction("f"))->output());
      total.kept += adopted->kept;
      total.rebuilt += adopted->rebuilt;
      total.specialized += adopted->specialized;
      total.dropped += adopted->dropped;
      for (int call = 0; call < 12; ++call) {
        const CallArguments arguments = random.RandomArguments();
        auto expected = (*fresh.FindFunction("f"))->Call(arguments, {});
        auto found = f.Call(arguments, {});
        expected.ok() ? ++answered : ++rejected;
        const bool is_same =
            expected.ok() == found.ok() &&
            (expected.ok() ? SameValue(*expected, *found) : expected.status() == found.status());
        ASSERT_TRUE(is_same) << "replacement " << replacement << ", call " << call << " of\n"
                             << random.text() << "\nfresh: " << Describe(expected)
                             << "\nreplaced: " << Describe(found);
      }
      model = std::move(replaced);
    }
  }
  std::printf(
      "captures_property: seed %u, %d calls answered, %d rejected, %d models not loaded; "
      "functions: "
      "%zu kept, %zu rebuilt, %zu specialized, %zu dropped\n",
      seed, answered, rejected, not_loaded, total.kept, total.rebuilt, total.specialized,
      total.dropped);
  if (rounds >= 300) {
    EXPECT_GT(answered, 2000);
    EXPECT_GT(total.rebuilt, 100U);
    EXPECT_GT(total.specialized, 100U);
  }
}

}  // namespace
}  // namespace signet
