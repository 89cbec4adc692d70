// Requests of one Repository while versions come and labels move; what ThreadSanitizer looks at.

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/model/native/build_model_def.h"
#include "core/serving/repository/repository.h"
#include "tests/core/serving/repository/model_texts.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

constexpr int64_t kVersions = 50;
constexpr char kModel[] = "def f(x):\n    return x + x\n";

std::shared_ptr<const LoadedModel> MakeModel(int64_t version) {
  ModelBuilder builder;
  builder.AddFunction("f", "(x)").Node("y", "add", {"x", "x"}).Result("y");
  auto def = BuildModelDef(builder);
  SIGNET_CHECK(def.ok());
  return std::make_shared<const LoadedModel>("m", version, *std::move(def), ModelOptions());
}

TEST(RepositoryConcurrencyTest, ServesRequestsWhileVersionsAreAddedAndLabelsMove) {
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

TEST(RepositoryConcurrencyTest, ServesRequestsWhileADirectoryIsReloaded) {
  TemporaryFolder root;
  root.Write("m/1/model.signet", kModel);
  root.Write("m/2/model.signet", kModel);
  Repository repository{ModelOptions()};
  ASSERT_TRUE(repository.LoadAll(root.path()).ok());
  ASSERT_TRUE(repository.SetLabel("m", "stable", 1).ok());
  std::atomic<int> changes{0};
  repository.OnChange([&](const std::string& name) {
    if (repository.Find(name).ok()) ++changes;
  });

  std::atomic<bool> is_over{false};
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&, i] {
      while (!is_over.load()) {
        auto model = i == 0 ? repository.Find("m", std::nullopt, "stable") : repository.Find("m");
        ASSERT_TRUE(model.ok()) << model.status();
        auto function = (*model)->FindFunction("f");
        ASSERT_TRUE(function.ok());
        auto y = (*function)->Call({{Value::OfLiteral(Literal::Int(i))}, {}}, {});
        ASSERT_TRUE(y.ok()) << y.status();
        ASSERT_EQ(repository.List().size(), 1u);
      }
    });
  }
  std::thread loader([&] {
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(repository.LoadAll(root.path()).ok());
  });
  std::thread labeller([&] {
    for (int i = 0; i < 200; ++i) ASSERT_TRUE(repository.SetLabel("m", "stable", 1 + i % 2).ok());
  });
  loader.join();
  labeller.join();
  is_over.store(true);
  for (std::thread& caller : callers) caller.join();
  EXPECT_GE(changes.load(), 200);
}

// Fault 53, and a short form of fault 52.
TEST(RepositoryConcurrencyTest, ServesWhileVersionsAreReplacedUnloadedAndLoadedAgain) {
  TemporaryFolder root;
  root.Write("m/1/model.signet", ModelThatAdds(1));
  root.Write("m/2/model.signet", ModelThatAdds(2));
  root.Write("d/1/model.signet", ModelThatAdds(3));
  root.Write("d/settings.textproto", "load: ON_DEMAND");
  Repository repository{RepositoryOptions()};
  ASSERT_TRUE(repository.Open({{.folder = root.path()}}).ok());
  repository.OnEvent([&](const RepositoryEvent&) { repository.memory_bytes(); });
  repository.Watch(std::chrono::milliseconds(5));

  std::atomic<bool> is_done{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!is_done.load()) {
        auto model = repository.Find("m");  // version 1 is always available
        ASSERT_TRUE(model.ok()) << model.status();
        ASSERT_TRUE(CallF(**model).ok());
      }
    });
  }
  threads.emplace_back([&] {
    while (!is_done.load()) {
      if (!repository.Find("d").ok()) repository.LoadOnDemand("d", std::nullopt, "", nullptr);
      for (const ModelStatus& model : repository.List()) ASSERT_FALSE(model.name.empty());
    }
  });
  std::vector<std::thread> administrators;
  for (int i = 0; i < 4; ++i) {
    administrators.emplace_back([&, i] {
      for (int k = 0; k < 40; ++k) {
        switch ((i + k) % 4) {
          case 0:
            repository.Unload("m", 2).IgnoreError();
            break;
          case 1:
            repository.Load("m", 2, nullptr);
            break;
          case 2:
            repository.Reload("m", 1, nullptr);
            break;
          default:
            repository.SetLabel("m", "stable", 1 + k % 2).IgnoreError();
            repository.Unload("d", std::nullopt).IgnoreError();
            repository.Load("d", std::nullopt, nullptr);
        }
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    root.Write("m/1/model.signet", ModelThatAdds(10 + i));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  for (std::thread& administrator : administrators) administrator.join();
  is_done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(WaitFor([&] {
    auto model = repository.Find("m", 1);
    return model.ok() && CallF(**model).value_or(-1) == 29;
  }));
  repository.Load("m", 2, nullptr);
  EXPECT_TRUE(WaitFor([&] { return repository.Find("m", 2).ok(); }));
}

}  // namespace
}  // namespace signet
