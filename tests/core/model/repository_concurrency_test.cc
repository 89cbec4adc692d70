// Loading, finding, labelling and calling at once.

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/model/model_builder.h"
#include "core/model/repository.h"
#include "tests/core/model/temporary_folder.h"

namespace signet {
namespace {

constexpr char kModel[] = R"pb(format_version: 1
                               functions {
                                 name: "f"
                                 signature: "(x)"
                                 nodes {
                                   name: "y"
                                   op: "add"
                                   inputs: [ "x", "x" ]
                                 }
                                 result: "y"
                               })pb";

TEST(RepositoryConcurrencyTest, CallsGoOnWhileVersionsAreLoadedAndLabelsMove) {
  TemporaryFolder root;
  root.Write("m/1/model.textproto", kModel);
  root.Write("m/2/model.textproto", kModel);
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

}  // namespace
}  // namespace signet
