// A model.onnx: see load_file.h.

#include "tests/fuzz/load_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return signet::LoadFile(signet::kOnnxFile, data, size);
}
