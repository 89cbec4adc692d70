// LoadFile: writes an input of a fuzz target as the only file of a model version, and loads the
// version as a server does. Law: the file is rejected or read; a model that is read can be
// described, and its functions' bodies can be checked; nothing crashes, and nothing takes long.

#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

#include "core/frontends/inspect_model.h"
#include "core/frontends/load_model.h"
#include "core/model/loaded_model.h"

namespace signet {

inline int LoadFile(std::string_view name, const uint8_t* data, size_t size) {
  namespace fs = std::filesystem;
  // The folder that each input is put into, as files are mapped.
  static const auto* const folder =
      new fs::path(fs::temp_directory_path() / ("signet-fuzz-" + std::to_string(getpid())));
  if (fs::create_directories(*folder)) std::atexit([] { fs::remove_all(*folder); });
  std::ofstream(*folder / name, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  auto def = LoadModelDef(*folder, Limits());
  if (!def.ok()) return 0;
  (void)DescribeModel(*def, "m");
  (void)LoadedModel("m", 1, *std::move(def), ModelOptions()).CheckBodies();
  return 0;
}

}  // namespace signet
