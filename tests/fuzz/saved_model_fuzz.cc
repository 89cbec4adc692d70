// Law: a saved_model.pb is rejected or read; one that is read can be described, and its functions'
// bodies can be checked, as loading does; nothing crashes, and nothing takes long.

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "core/frontends/inspect_model.h"
#include "core/frontends/load_model.h"
#include "core/frontends/savedmodel/import/saved_model_file.h"
#include "core/model/loaded_model.h"

namespace {

// The folder that each input is put into, as files are mapped.
const std::filesystem::path& Folder() {
  static const auto* folder = [] {
    auto* made = new std::filesystem::path(std::filesystem::temp_directory_path() /
                                           ("signet-saved-model-fuzz-" + std::to_string(getpid())));
    std::filesystem::create_directories(*made);
    std::atexit([] { std::filesystem::remove_all(Folder()); });
    return made;
  }();
  return *folder;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace signet;  // NOLINT(google-build-using-namespace): a program of one function
  std::ofstream(Folder() / kSavedModelFile, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  auto def = LoadModelDef(Folder(), Limits());
  if (!def.ok()) return 0;
  (void)DescribeModel(*def, "m");
  (void)LoadedModel("m", 1, *std::move(def), ModelOptions()).CheckBodies();
  return 0;
}
