// Calls of one version while its captures are replaced; what ThreadSanitizer looks at.

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/formats/safetensors/safetensors.h"
#include "core/serving/repository/repository.h"
#include "tests/core/serving/repository/model_texts.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

constexpr char kModel[] = R"(
def f(x: float32[?, 2]):
    return x @ weights + bias + (bias + bias)


def g(x: float32[?, 2]):
    return x @ weights
)";

void Save(const std::filesystem::path& path, float value) {
  Status saved =
      WriteSafetensors(path, {{"bias", Tensor::Of<float>({2}, {value, value})},
                              {"weights", Tensor::Of<float>({2, 2}, {value, 0, 0, value})}});
  ASSERT_TRUE(saved.ok()) << saved;
}

// f of [1, 1] is the weight plus three times the bias, and g is the weight; both are one number.
TEST(RepositoryCapturesConcurrencyTest, CallsUseOldOrNewCaptures) {
  constexpr int kReplacements = 30;
  TemporaryFolder root;
  root.Write("m/1/model.signet", kModel);
  Save(root.path() / "m/1/captures.safetensors", 1);
  Repository repository{ModelOptions()};
  ASSERT_TRUE(repository.LoadAll(root.path()).ok());
  std::atomic<int> published{1};
  std::atomic<bool> is_done{false};
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&, i] {
      const int factor = i == 0 ? 1 : 4;
      for (int64_t rows = 1; !is_done.load(); rows = rows % 12 + 1) {
        const int least = published.load();
        auto model = repository.Find("m");
        ASSERT_TRUE(model.ok()) << model.status();
        auto function = (*model)->FindFunction(i == 0 ? "g" : "f");
        ASSERT_TRUE(function.ok()) << function.status();
        const std::vector<float> ones(static_cast<size_t>(2 * rows), 1);
        auto y = (*function)->Call(
            {{Tensor::Of<float>({rows, 2}, std::span<const float>(ones))}, {}}, {});
        ASSERT_TRUE(y.ok()) << y.status();
        const float first = y->tensor().elements<float>()[0];
        for (float element : y->tensor().elements<float>()) ASSERT_EQ(element, first);
        const int used = static_cast<int>(first) / factor;
        ASSERT_GE(used, least);
        ASSERT_LE(used, published.load() + 1);
      }
    });
  }
  for (int i = 2; i <= kReplacements; ++i) {
    Save(root.path() / "new.safetensors", static_cast<float>(i));
    auto replaced =
        ReplaceCapturesOf(repository, *repository.Find("m"), root.path() / "new.safetensors");
    ASSERT_TRUE(replaced.ok()) << replaced.status();
    published.store(i);
  }
  is_done.store(true);
  for (std::thread& caller : callers) caller.join();
}

// The old captures stay in memory until the calls that use them have ended.
TEST(RepositoryCapturesConcurrencyTest, RejectsCapturesForWhichThereIsNoMemory) {
  TemporaryFolder root;
  root.Write("m/1/model.signet", kModel);
  Save(root.path() / "m/1/captures.safetensors", 1);
  Save(root.path() / "new.safetensors", 2);
  int64_t needed = 0;
  for (const bool has_room : {true, false}) {
    const auto size =
        static_cast<int64_t>(std::filesystem::file_size(root.path() / "new.safetensors"));
    RepositoryOptions options;
    // The second time, half of the new captures fit.
    if (!has_room) options.memory_bytes = needed + size / 2;
    Repository repository{options};
    ASSERT_TRUE(repository.LoadAll(root.path()).ok());
    needed = repository.memory_bytes();
    auto replaced =
        ReplaceCapturesOf(repository, *repository.Find("m"), root.path() / "new.safetensors");
    if (has_room) {
      EXPECT_TRUE(replaced.ok()) << replaced.status();
    } else {
      EXPECT_EQ(replaced.status().code(), absl::StatusCode::kResourceExhausted);
      EXPECT_EQ(ReasonOf(replaced.status()), "MODEL_MEMORY_EXCEEDED");
      EXPECT_EQ(repository.memory_bytes(), needed);
    }
  }
}

TEST(RepositoryCapturesConcurrencyTest, WatchesCapturesAndKeepsFunctions) {
  TemporaryFolder root;
  root.Write("m/1/model.signet", kModel);
  Save(root.path() / "m/1/captures.safetensors", 1);
  Repository repository{ModelOptions()};
  ASSERT_TRUE(repository.Open({{.folder = root.path()}}).ok());
  repository.Watch(std::chrono::milliseconds(10));
  auto call = [&] {
    auto model = repository.Find("m");
    auto y = (*(*model)->FindFunction("g"))->Call({{Tensor::Of<float>({1, 2}, {1, 1})}, {}}, {});
    return y.ok() ? y->tensor().elements<float>()[0] : -1;
  };
  auto wait_for = [&](float value) {
    constexpr std::chrono::seconds kLong(60);
    const auto end = std::chrono::steady_clock::now() + kLong;
    while (call() != value && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return call() == value;
  };
  EXPECT_EQ(call(), 1);
  const auto stats = [&] { return (*(*repository.Find("m"))->FindFunction("g"))->cache_stats(); };
  EXPECT_EQ(stats().specializations, 1U);
  for (int i = 2; i < 5; ++i) {
    Save(root.path() / "m/1/captures.safetensors", static_cast<float>(i));
    ASSERT_TRUE(wait_for(static_cast<float>(i)));
  }
  EXPECT_EQ(stats().specializations, 1U);
  // Other names make another version of the functions.
  ASSERT_TRUE(WriteSafetensors(root.path() / "m/1/captures.safetensors",
                               {{"bias", Tensor::Of<float>({2}, {7, 7})},
                                {"more", Tensor::Of<float>({2}, {7, 7})},
                                {"weights", Tensor::Of<float>({2, 2}, {7, 0, 0, 7})}})
                  .ok());
  ASSERT_TRUE(wait_for(7));
  EXPECT_EQ((*repository.Find("m"))->captures().size(), 3U);
}

}  // namespace
}  // namespace signet
