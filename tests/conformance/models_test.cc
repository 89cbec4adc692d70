// Real models that other people made, in SIGNET_MODELS_DIR/<format>/<model>. No format is imported
// yet, so this says how many are left out.

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

namespace signet {
namespace {

namespace fs = std::filesystem;

TEST(ModelsTest, SaysWhatIsLeftOut) {
  const char* dir = std::getenv("SIGNET_MODELS_DIR");
  if (dir == nullptr) GTEST_SKIP() << "SIGNET_MODELS_DIR is not set";
  ASSERT_TRUE(fs::is_directory(dir)) << dir;
  for (const auto& format : fs::directory_iterator(dir)) {
    if (!format.is_directory()) continue;
    int models = 0;
    for (const auto& model : fs::directory_iterator(format)) models += model.is_directory();
    std::printf("models: %s ran 0 passed 0 failed 0 skipped %d (not imported yet)\n",
                format.path().filename().c_str(), models);
  }
}

}  // namespace
}  // namespace signet
