// Law: a model that is read can be described, twice alike, and its functions' bodies can be
// checked, as loading does; nothing crashes, and nothing takes long.
//
// An input is a letter, which is skipped, the bytes of model.pb, a zero byte, and the bytes of
// captures.safetensors.

#include <cstring>
#include <memory>
#include <string>

#include "core/formats/safetensors/safetensors.h"
#include "core/frontends/inspect_model.h"
#include "core/model/loaded_model.h"
#include "core/model/native/loader.h"
#include "core/model/native/model_files.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace signet;  // NOLINT(google-build-using-namespace): a program of one function
  if (size == 0) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  // In binary models zero bytes are common: the last one divides.
  size_t end = std::min(bytes.rfind('\0'), bytes.size());
  auto proto = ParseModelBinary(bytes.substr(0, end));
  if (!proto.ok()) return 0;
  Captures captures;
  if (end < bytes.size()) {
    auto owner = std::make_shared<std::string>(bytes.substr(end + 1));
    auto tensors = ParseSafetensors(std::as_bytes(std::span(*owner)), owner);
    if (tensors.ok()) {
      for (auto& [name, tensor] : *tensors) captures.emplace(name, tensor);
    }
  }
  auto def = ModelDefFromProto(*proto, std::move(captures), Limits());
  if (!def.ok()) return 0;
  SIGNET_CHECK(DescribeModel(*def, "m") == DescribeModel(*def, "m"));
  LoadedModel model("m", 1, *std::move(def), ModelOptions());
  for (const auto& function : model.functions()) (void)function->CheckBody();
  return 0;
}
