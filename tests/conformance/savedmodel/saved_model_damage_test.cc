// Damages the files of SavedModels: each model is rejected, or loaded and called with the recorded
// inputs, in bounded time and memory.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <sys/resource.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/frontends/inspect_model.h"
#include "core/frontends/load_model.h"
#include "tests/conformance/savedmodel/saved_model_cases.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int64_t kMaxKilobytes = int64_t{4} << 20;  // of the program, at its peak

std::set<fs::path> FoldersOfSavedModels() {
  const char* dir = std::getenv("SIGNET_MODELS_DIR");
  const char* only = std::getenv("SIGNET_SAVEDMODEL_CASES");  // part of a name
  std::set<fs::path> out;
  if (dir == nullptr || !fs::is_directory(fs::path(dir) / "savedmodel")) {
    std::printf("skipped: damaged copies of real SavedModels need SIGNET_MODELS_DIR\n");
    return out;
  }
  for (const auto& entry : fs::directory_iterator(fs::path(dir) / "savedmodel")) {
    if (only == nullptr || entry.path().filename().string().find(only) != std::string::npos) {
      out.insert(entry.path());
    }
  }
  return out;
}

// A copy of a version directory, of which one file is damaged at a time.
class DamagedCopy {
 public:
  explicit DamagedCopy(const fs::path& version) {
    for (const auto& entry : fs::recursive_directory_iterator(version)) {
      const fs::path relative = fs::relative(entry.path(), version);
      if (entry.is_directory()) {
        fs::create_directories(copy_.path() / relative);
        continue;
      }
      fs::create_directories((copy_.path() / relative).parent_path());
      files_.insert(relative);
      std::ofstream(copy_.path() / relative, std::ios::binary) << ReadWholeFile(entry.path());
    }
  }

  const std::set<fs::path>& files() const { return files_; }
  std::string Read(const fs::path& file) const { return ReadWholeFile(copy_.path() / file); }
  void Write(const fs::path& file, const std::string& bytes) const {
    fs::remove(copy_.path() / file);
    std::ofstream(copy_.path() / file, std::ios::binary) << bytes;
  }

  // Returns true if the model loads. Calls its functions as the cases in `folder`. A crash ends
  // the program.
  bool Loads(const fs::path& folder) const {
    const auto start = Clock::now();
    auto model = LoadModel(copy_.path(), "m", 1, {});
    if (model.ok()) {
      (void)DescribeModel((*model)->def(), "m");
      for (const RecordedCall& call : ReadRecordedCalls(folder, **model)) {
        auto function = (*model)->FindFunction(call.function);
        // A damaged loop may never end. The deadline of a call ends it.
        RunControl control{.deadline = Clock::now() + std::chrono::seconds(2)};
        if (function.ok()) (void)(*function)->Call(call.arguments, control);
      }
    }
    const std::chrono::duration<double> taken = Clock::now() - start;
    EXPECT_LT(taken.count(), 30);
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    EXPECT_LT(usage.ru_maxrss, kMaxKilobytes);
    return model.ok();
  }

 private:
  TemporaryFolder copy_;
  std::set<fs::path> files_;
};

// SIGNET_SAVEDMODEL_DAMAGE=all: 200 cuts and 1,000 bytes for each file.
TEST(SavedModelDamageTest, RejectsOrLoadsDamagedModels) {
  const bool is_whole = std::getenv("SIGNET_SAVEDMODEL_DAMAGE") != nullptr;
  const size_t cuts = is_whole ? 200 : 3;
  const size_t flips = is_whole ? 1000 : 8;
  int tried = 0;
  int loaded = 0;
  for (const fs::path& folder : FoldersOfSavedModels()) {
    SCOPED_TRACE(folder.filename());
    std::ifstream file(folder / "cases.json");
    const auto cases = nlohmann::json::parse(file, nullptr, false);
    ASSERT_FALSE(cases.is_discarded());
    DamagedCopy copy(folder / std::string(cases.at("model")));
    std::mt19937_64 random(std::hash<std::string>{}(folder.filename().string()));
    for (const fs::path& damaged : copy.files()) {
      SCOPED_TRACE(damaged);
      const std::string bytes = copy.Read(damaged);
      for (size_t i = 0; i < cuts; ++i, ++tried) {
        copy.Write(damaged, bytes.substr(0, bytes.size() * i / cuts));
        loaded += copy.Loads(folder) ? 1 : 0;
      }
      for (size_t i = 0; i < flips && !bytes.empty(); ++i, ++tried) {
        std::string flipped = bytes;
        const size_t at = random() % flipped.size();
        flipped[at] = static_cast<char>(flipped[at] ^ static_cast<char>(1 + random() % 255));
        copy.Write(damaged, flipped);
        loaded += copy.Loads(folder) ? 1 : 0;
      }
      copy.Write(damaged, bytes);
    }
  }
  std::printf("models: savedmodel damaged %d loaded %d\n", tried, loaded);
}

}  // namespace
}  // namespace signet
