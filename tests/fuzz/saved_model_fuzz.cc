// A saved_model.pb without variables: see load_file.h.

#include "core/frontends/savedmodel/import/saved_model_file.h"
#include "tests/fuzz/load_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return signet::LoadFile(signet::kSavedModelFile, data, size);
}
