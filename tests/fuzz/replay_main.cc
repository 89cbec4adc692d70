// replay_main: runs a fuzz target over saved inputs, without a fuzzer.
//
// Each argument is a file or a folder of files; a folder that is not there counts as empty, so that
// a parser without regressions passes. The empty input is always tried.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void Replay(const std::string& input) {
  // A copy of exactly this size, so that the address sanitizer sees a read past its end.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

void ReplayFile(const std::filesystem::path& path) {
  std::printf("replay: %s\n", path.c_str());
  std::fflush(stdout);  // so that the name is seen when the input crashes
  std::ifstream file(path, std::ios::binary);
  Replay(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  int count = 1;
  Replay("");
  for (int i = 1; i < argc; ++i) {
    if (fs::is_regular_file(argv[i])) {
      ReplayFile(argv[i]);
      ++count;
    } else if (fs::is_directory(argv[i])) {
      for (const auto& entry : fs::recursive_directory_iterator(argv[i])) {
        if (entry.is_regular_file()) {
          ReplayFile(entry.path());
          ++count;
        }
      }
    }
  }
  std::printf("replayed %d inputs\n", count);
  return 0;
}
