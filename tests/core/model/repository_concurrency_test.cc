// Requests of one Repository while versions come and labels move; what ThreadSanitizer looks at.

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/model/model_builder.h"
#include "core/model/repository.h"

namespace signet {
namespace {

constexpr int64_t kVersions = 50;

std::shared_ptr<const Model> MakeModel(int64_t version) {
  ModelBuilder builder;
  builder.AddFunction("f", "(x)").Node("y", "add", {"x", "x"}).Result("y");
  auto def = builder.Build();
  SIGNET_CHECK(def.ok());
  return std::make_shared<const Model>("m", version, *std::move(def), ModelOptions());
}

TEST(RepositoryConcurrencyTest, RequestsAreServedWhileVersionsComeAndLabelsMove) {
  Repository repository{ModelOptions()};
  std::atomic<int> changes{0};
  repository.OnChange([&](const std::string&) { changes.fetch_add(1); });
  repository.Add(MakeModel(1));
  ASSERT_TRUE(repository.SetLabel("m", "stable", 1).ok());

  std::atomic<bool> is_done = false;
  std::vector<std::thread> readers;
  for (int i = 0; i < 6; ++i) {
    readers.emplace_back([&, by_label = i % 2 == 0] {
      int64_t seen = 0;
      while (!is_done.load()) {
        auto model = by_label ? repository.Find("m", std::nullopt, "stable") : repository.Find("m");
        ASSERT_TRUE(model.ok()) << model.status();
        ASSERT_GE((*model)->version(), seen);  // neither the newest nor the label goes back
        seen = (*model)->version();
        auto function = (*model)->FindFunction("f");
        ASSERT_TRUE(function.ok()) << function.status();
        auto sum = (*function)->Call({{Tensor::Scalar(1.0f)}, {}}, {});
        ASSERT_TRUE(sum.ok()) << sum.status();
        ASSERT_EQ(sum->tensor().elements<float>()[0], 2.0f);
        ASSERT_EQ(repository.List().size(), 1U);
      }
    });
  }
  for (int64_t version = 2; version <= kVersions; ++version) {
    repository.Add(MakeModel(version));
    ASSERT_TRUE(repository.SetLabel("m", "stable", version).ok());
  }
  is_done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_GE(changes.load(), kVersions);
}

}  // namespace
}  // namespace signet
