// Many threads call functions that join their calls. Every call must have the result, or the error,
// that it has alone.

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "core/serving/batching/batching.h"
#include "core/serving/batching/verify_batches.h"
#include "core/values/builders/value_notation.h"
#include "tests/core/serving/batching/batched_calls.h"

namespace signet {
namespace {

unsigned SeedOfTest() {
  const char* text = std::getenv("SIGNET_SEED");
  const auto seed = text != nullptr ? std::strtoul(text, nullptr, 10) : 20240817UL;
  std::cout << "SIGNET_SEED=" << seed << "\n";
  return static_cast<unsigned>(seed);
}

// Functions of each kind of value. `slow` makes a run long enough that other calls wait.
std::shared_ptr<const LoadedModel> TestModel() {
  ModelBuilder builder;
  std::vector<float> weights(256 * 256);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 7) / 8 - 0.375f;
  builder.AddCapture("weights", Tensor::Of<float>({256, 256}, weights));
  auto& dense = builder.AddFunction("dense", "(x: float32[?, 256], scale: float32[] = 1.0)")
                    .Node("a", "matmul", {"x", "weights"})
                    .Node("b", "matmul", {"a", "weights"})
                    .Node("c", "matmul", {"b", "weights"})
                    .Node("y", "mul", {"c", "scale"})
                    .Result("y");
  dense.Batch({"x"});
  builder
      .AddFunction(
          "lists",
          "(rows: [{ids: int64[(?)], words: string[(?)], w: float32[3]}], by: int64[] = 2)")
      .Node("scaled", "mul", {"rows.ids", "by"})
      .Node("sums", "reduce_sum", {"scaled"}, {{"axes", 1}})
      .Node("best", "reduce_max", {"rows.w"}, {{"axes", 1}})
      .Node("y", "struct_make", {"sums", "rows.words", "best", "scaled"},
            {{"names", Strings{"sum", "words", "best", "scaled"}}})
      .Result("y")
      .Batch({"rows"});
  // Fails for a negative number.
  builder.AddFunction("checked", "(x: int64[?], y: int64[?])")
      .Node("each", "greater_equal", {"x", "0"})
      .Node("ok", "reduce_all", {"each"})
      .Node("check", "check_true", {"ok"}, {{"message", std::string("negative")}})
      .Node("sum", "add", {"x", "y"})
      .Node("out", "make_dict", {"sum", "y"}, {{"names", Strings{"sum", "y"}}})
      .Result("out")
      .Batch({"x", "y"});
  return ModelOf(builder);
}

class RandomCalls {
 public:
  explicit RandomCalls(unsigned seed) : random_(seed) {}

  int Below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  std::string function() {
    return std::vector<std::string>{"dense", "lists", "checked"}[static_cast<size_t>(Below(3))];
  }

  CallArguments Arguments(const std::string& function) {
    const int rows = Below(4);
    CallArguments out;
    if (function == "dense") {
      std::vector<float> numbers(static_cast<size_t>(rows) * 256);
      for (float& number : numbers) number = static_cast<float>(Below(9)) / 8;
      out.positional.push_back(Tensor::Of<float>({rows, 256}, numbers));
      if (Below(3) == 0) out.positional.push_back(Tensor::Scalar(static_cast<float>(Below(2))));
    } else if (function == "lists") {
      std::vector<std::string> records;
      for (int i = 0; i < rows; ++i) {
        std::vector<std::string> ids;
        std::vector<std::string> words;
        for (int k = Below(4); k > 0; --k) ids.push_back(Cat(Below(100)));
        for (int k = Below(3); k > 0; --k) words.push_back(Cat("\"w", Below(100), "\""));
        records.push_back(Cat("{ids: [", Join(ids, ", "), "], words: [", Join(words, ", "),
                              "], w: [", Below(5), ".0, ", Below(5), ".0, 1.0]}"));
      }
      auto value = ParseValue(Cat("{ids: int64[(?)], words: string[(?)], w: float32[3]}[", rows,
                                  "] [", Join(records, ", "), "]"));
      EXPECT_TRUE(value.ok()) << value.status();
      out.positional.push_back(*value);
      if (Below(3) == 0)
        out.keyword.emplace_back("by", Tensor::Scalar(static_cast<int64_t>(Below(3))));
    } else {
      std::vector<int64_t> x;
      std::vector<int64_t> y;
      for (int i = 0; i < rows; ++i) x.push_back(Below(12) - 1);
      // Some calls have arguments with different numbers of rows.
      for (int i = Below(20) == 0 ? rows + 1 : rows; i > 0; --i) y.push_back(Below(100));
      out.positional.push_back(Tensor::Of<int64_t>({rows}, x));
      out.positional.push_back(Tensor::Of<int64_t>({static_cast<int64_t>(y.size())}, y));
    }
    return out;
  }

 private:
  std::mt19937 random_;
};

class BatchingConcurrencyTest : public testing::Test {
 protected:
  BatchingConcurrencyTest()
      : batching_(
            {.schedule = [this](auto task) { pool_.Schedule(std::move(task)); }, .num_threads = 2}),
        pool_(2) {}

  const std::shared_ptr<const LoadedModel> model_ = TestModel();
  Batching batching_;
  ThreadPool pool_;
};

TEST_F(BatchingConcurrencyTest, EveryCallHasItsOwnResult) {
  const unsigned seed = SeedOfTest();
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 12; ++t) {
    threads.emplace_back([&, t] {
      RandomCalls random(seed + t);
      for (int i = 0; i < 150; ++i) {
        const std::string name = random.function();
        const CalledFunction called = FunctionOf(model_, name);
        const CallArguments arguments = random.Arguments(name);
        auto alone = called.function->Call(arguments, {});
        auto found =
            CallBatched(batching_, called, arguments, {.parallel = &pool_}, random.Below(2) == 0);
        if (!alone.ok()) {
          ASSERT_FALSE(found.ok());
          ASSERT_EQ(found.status().code(), alone.status().code());
          ASSERT_EQ(std::string(MessageOf(found.status())),
                    Cat("m/1.", name, ": ", MessageOf(alone.status())));
          continue;
        }
        ASSERT_TRUE(found.ok()) << found.status();
        auto difference = FirstDifference(*alone, *found);
        ASSERT_FALSE(difference) << name << ": " << *difference;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const BatchCounts counts = batching_.counts();
  EXPECT_GT(counts.single_calls + counts.joined_calls, 0u);
}

// Deadlines, cancellation, and results at the same time.
TEST_F(BatchingConcurrencyTest, CallsEndAtTheirDeadlines) {
  const CalledFunction called = FunctionOf(model_, "dense");
  std::atomic<int> answers = 0;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      RandomCalls random(t);
      for (int i = 0; i < 60; ++i) {
        std::atomic<bool> cancelled = random.Below(6) == 0;
        RunControl control{.cancelled = &cancelled, .parallel = &pool_};
        if (random.Below(2) == 0) {
          control.deadline = BatchClock::now() + std::chrono::microseconds(random.Below(500));
        }
        auto result = CallBatched(batching_, called, random.Arguments("dense"), control);
        const bool is_expected = result.ok() || absl::IsDeadlineExceeded(result.status()) ||
                                 absl::IsCancelled(result.status());
        EXPECT_TRUE(is_expected) << result.status();
        ++answers;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(answers, 8 * 60);
}

}  // namespace
}  // namespace signet
