// A frozen_graph.pb without settings: see load_file.h.

#include "core/frontends/savedmodel/import/frozen_graph.h"
#include "tests/fuzz/load_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return signet::LoadFile(signet::kFrozenGraphFile, data, size);
}
