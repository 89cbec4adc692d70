// Tests files of ONNX models: written in the native form, and damaged.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "core/frontends/import_model.h"
#include "core/frontends/load_model.h"
#include "core/model/loaded_model.h"
#include "signet/structured.h"
#include "tests/conformance/onnx/onnx_cases.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Returns the directories of models. Prints a message and returns none if their place is not set.
std::set<fs::path> ModelFolders() {
  const char* dir = std::getenv("SIGNET_MODELS_DIR");
  const char* only = std::getenv("SIGNET_ONNX_CASES");  // part of a name
  std::set<fs::path> out;
  if (dir == nullptr || !fs::is_directory(fs::path(dir) / "onnx")) {
    std::printf("skipped: files of real ONNX models need SIGNET_MODELS_DIR\n");
    return out;
  }
  for (const auto& entry : fs::directory_iterator(fs::path(dir) / "onnx")) {
    bool is_wanted =
        only == nullptr || entry.path().filename().string().find(only) != std::string::npos;
    if (is_wanted && fs::exists(entry.path() / "model.onnx")) out.insert(entry.path());
  }
  return out;
}

// Returns the first set of recorded inputs.
StatusOr<std::vector<Value>> InputsOf(const fs::path& folder) {
  std::set<fs::path> sets;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) sets.insert(entry.path());
  }
  if (sets.empty()) return NotFound("no set of inputs");
  return ReadOnnxInputs(folder / "model.onnx", *sets.begin());
}

StatusOr<Value> CallMain(const LoadedModel& model, const std::vector<Value>& inputs,
                         const RunControl& control = {}) {
  SIGNET_ASSIGN_OR_RETURN(const PolymorphicFunction* function, model.FindFunction(""));
  return function->Call({inputs, {}}, control);
}

TEST(OnnxImportTest, NativeFormReturnsTheSameResults) {
  int same = 0;
  int rejected = 0;
  for (const fs::path& folder : ModelFolders()) {
    SCOPED_TRACE(folder.filename());
    TemporaryFolder out;
    auto direct = LoadModel(folder, "m", 1, {});
    Status imported = ImportModel(folder / "model.onnx", out.path() / "1");
    ASSERT_EQ(direct.ok(), imported.ok()) << imported;
    if (!direct.ok()) {
      ++rejected;
      continue;
    }
    auto native = LoadModel(out.path() / "1", "m", 1, {});
    ASSERT_TRUE(native.ok()) << native.status();
    auto inputs = InputsOf(folder);
    ASSERT_TRUE(inputs.ok()) << inputs.status();
    auto wanted = CallMain(**direct, *inputs);
    auto found = CallMain(**native, *inputs);
    ASSERT_EQ(wanted.status(), found.status());
    EXPECT_TRUE(!wanted.ok() || SameValue(*found, *wanted));
    ++same;
  }
  std::printf("models: onnx import ran %d same %d refused %d\n", same + rejected, same, rejected);
}

// A directory of a model that can be damaged and repaired.
class Patient {
 public:
  explicit Patient(const fs::path& folder)
      : bytes_(ReadWholeFile(folder / "model.onnx")), inputs_(InputsOf(folder)) {
    for (const auto& entry : fs::directory_iterator(folder)) {  // external data
      if (entry.is_regular_file()) fs::copy(entry.path(), copy_.path());
    }
  }

  size_t size() const { return bytes_.size(); }

  // Loads and calls the damaged model. Returns true if it returned a result. A crash ends the
  // program.
  bool Try(size_t size, size_t at = 0, char flip = 0) {
    std::string damaged = bytes_.substr(0, size);
    if (flip != 0) damaged[at] = static_cast<char>(damaged[at] ^ flip);
    fs::path path = copy_.path() / "model.onnx";
    fs::remove(path);
    std::ofstream(path, std::ios::binary) << damaged;
    auto start = Clock::now();
    ModelOptions options;
    options.function.max_call_bytes = int64_t{256} << 20;
    options.function.max_loop_steps = 100'000;
    auto model = LoadModel(copy_.path(), "m", 1, options);
    bool answered = false;
    if (model.ok() && inputs_.ok()) {
      RunControl control{.deadline = Clock::now() + std::chrono::seconds(2)};
      answered = CallMain(**model, *inputs_, control).ok();
    }
    std::chrono::duration<double> taken = Clock::now() - start;
    EXPECT_LT(taken.count(), 30) << "cut to " << size << ", byte " << at << " ^ " << int{flip};
    slowest_ = std::max(slowest_, taken.count());
    return answered;
  }
  double slowest() const { return slowest_; }  // seconds

 private:
  const std::string bytes_;
  const StatusOr<std::vector<Value>> inputs_;
  TemporaryFolder copy_;
  double slowest_ = 0;
};

int64_t MostResidentBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::atoll(line.c_str() + 6) << 10;
  }
  return 0;
}

// Each damaged model is rejected or runs, in bounded time and memory. A crash keeps the file in the
// temporary directory.
// SIGNET_ONNX_DAMAGE=all: 200 cuts and 1,000 bytes for each model.
TEST(OnnxDamageTest, RejectsOrRunsDamagedModels) {
  bool is_whole = std::getenv("SIGNET_ONNX_DAMAGE") != nullptr;
  const int kCuts = is_whole ? 200 : 5;
  const int kFlips = is_whole ? 1000 : 25;
  constexpr size_t kHead = 16384;  // contains the nodes; the rest is mostly weights
  int64_t tried = 0;
  int64_t answered = 0;
  double slowest = 0;
  for (const fs::path& folder : ModelFolders()) {
    std::string name = folder.filename().string();
    Patient patient(folder);
    std::mt19937_64 random(std::hash<std::string>{}(name));
    for (int i = 0; i < kCuts; ++i, ++tried) {
      answered += patient.Try(patient.size() * static_cast<size_t>(i) / static_cast<size_t>(kCuts));
    }
    for (int i = 0; i < kFlips; ++i, ++tried) {
      size_t range = i % 2 == 0 ? patient.size() : std::min(patient.size(), kHead);
      size_t at = random() % range;
      answered += patient.Try(patient.size(), at, static_cast<char>(1 + random() % 255));
    }
    if (is_whole) std::printf("%s: slowest %.3f s\n", name.c_str(), patient.slowest());
    std::fflush(stdout);
    slowest = std::max(slowest, patient.slowest());
  }
  std::printf("models: onnx damaged %ld answered %ld slowest %.3f s\n", static_cast<long>(tried),
              static_cast<long>(answered), slowest);
  EXPECT_LT(MostResidentBytes(), int64_t{6} << 30);
}

}  // namespace
}  // namespace signet
