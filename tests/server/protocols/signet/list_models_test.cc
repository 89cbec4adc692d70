#include "server/protocols/signet/list_models.h"

#include "tests/server/test_server.h"

namespace signet {
namespace {

TEST(ListModelsTest, ListsVersionsAndTheirStates) {
  TestServer test;
  test.server().repository().Add(MathModel(4));
  auto list = test.MakeClient().ListModels();
  ASSERT_TRUE(list.ok()) << list.status();
  ASSERT_EQ(list->models_size(), 1);
  EXPECT_EQ(list->models(0).name(), "math");
  ASSERT_EQ(list->models(0).versions_size(), 2);
  EXPECT_EQ(list->models(0).versions(1).version(), 4);
  EXPECT_EQ(list->models(0).versions(1).state(), v1::VersionInfo::AVAILABLE);
  EXPECT_EQ(list->limits().message_bytes(), Limits().message_bytes);
  EXPECT_EQ(list->limits().call_bytes(), FunctionOptions().max_call_bytes);
  EXPECT_EQ(list->limits().loop_steps(), FunctionOptions().max_loop_steps);
}

}  // namespace
}  // namespace signet
