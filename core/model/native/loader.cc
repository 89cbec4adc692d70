#include "core/model/native/loader.h"

#include <utility>

#include "core/base/hash.h"
#include "core/formats/signet_wire/wire.h"
#include "core/model/complete_model.h"
#include "core/model/extension_type_def.h"
#include "core/model/message_types.h"
#include "core/model/native/extension_loader.h"
#include "core/model/native/function_loader.h"
#include "core/model/native/model_files.h"
#include "core/model/native/utf8_check.h"

namespace signet {
namespace {

constexpr int kFormatVersion = 1;

Status CheckFormatVersion(int version) {
  if (version == 0)
    return InvalidArgument("missing format_version; write `format_version: ", kFormatVersion, "`");
  if (version < 0 || version > kFormatVersion) {
    return InvalidArgument("format_version: expected 1 to ", kFormatVersion, ", found ", version);
  }
  return absl::OkStatus();
}

// --- captures -----------------------------------------------------------------------------------

Status AddCaptures(const v1::Model& proto, const Limits& limits, Captures& captures) {
  for (const auto& [name, value] : proto.captures()) {
    std::string where = Cat("capture `", Printable(name), "`");
    if (name.empty()) return At(where, InvalidArgument("expected a name, found an empty text"));
    auto read = wire::ValueFromProto(value, limits);
    if (!read.ok()) return At(where, read.status());
    if (!captures.emplace(name, *std::move(read)).second) {
      return At(where, InvalidArgument("duplicate capture; it is also in ", kCapturesFile));
    }
  }
  return absl::OkStatus();
}

// --- message types ------------------------------------------------------------------------------

Status AddDescriptorFile(const std::filesystem::path& folder, v1::Model& proto) {
  SIGNET_ASSIGN_OR_RETURN(std::string bytes, ReadDescriptorFile(folder));
  if (bytes.empty()) return absl::OkStatus();
  if (!proto.descriptor_set().empty()) {
    return InvalidArgument("descriptor_set and ", kDescriptorsFile, " are mutually exclusive");
  }
  proto.set_descriptor_set(std::move(bytes));
  return absl::OkStatus();
}

// --- functions ----------------------------------------------------------------------------------

StatusOr<std::vector<FunctionDef>> ReadFunctions(const v1::Model& proto, const ModelScope& model,
                                                 const Limits& limits) {
  std::vector<std::string_view> names;
  for (const v1::Function& function : proto.functions()) names.emplace_back(function.name());
  SIGNET_RETURN_IF_ERROR(CheckFunctionNames(names));
  std::vector<FunctionDef> functions;
  for (const v1::Function& function : proto.functions()) {
    auto loaded = LoadFunction(function, model, limits);
    if (!loaded.ok())
      return At(PlaceOfFunction(function.name(), functions.size()), loaded.status());
    functions.push_back(*std::move(loaded));
  }
  return functions;
}

StatusOr<ModelDef> LoadWithCaptures(const std::filesystem::path& folder, v1::Model proto,
                                    MappedTensors mapped, const Limits& limits,
                                    const ExtensionProtocols& types) {
  SIGNET_RETURN_IF_ERROR(AddDescriptorFile(folder, proto));
  SIGNET_ASSIGN_OR_RETURN(const std::string bytes, SerializeModel(proto));
  const uint64_t hash = HashBytes(bytes);
  const auto shared = std::make_shared<const MappedTensors>(mapped);
  Captures captures(mapped.tensors.begin(), mapped.tensors.end());
  SIGNET_ASSIGN_OR_RETURN(ModelDef def,
                          ModelDefFromProto(proto, std::move(captures), limits, types));
  if (mapped.file != nullptr) def.captures_files.push_back(std::move(mapped.file));
  auto load = [](const std::filesystem::path& again, MappedTensors other, const Limits& its_limits,
                 const ExtensionProtocols& its_types, const ModelFinder& /*find_model*/) {
    return LoadNativeModel(again, std::move(other), its_limits, its_types);
  };
  def.files = ModelFiles{folder, hash, shared, load};
  return def;
}

Status ReadBatches(const v1::Model& proto, ModelDef& model) {
  for (const v1::Function& function : proto.functions()) {
    if (!function.has_batch()) continue;
    const auto& parameters = function.batch().parameters();
    if (parameters.empty()) {
      return At(Cat("function `", Printable(function.name()), "`: batch"),
                InvalidArgument("expected the names of parameters, found none"));
    }
    model.batches.emplace(function.name(),
                          std::vector<std::string>(parameters.begin(), parameters.end()));
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<ModelDef> LoadNativeModel(const std::filesystem::path& folder, const Limits& limits,
                                   const ExtensionProtocols& types) {
  SIGNET_ASSIGN_OR_RETURN(v1::Model proto, ReadModelProto(folder));
  SIGNET_RETURN_IF_ERROR(CheckFormatVersion(proto.format_version()));
  SIGNET_ASSIGN_OR_RETURN(MappedTensors mapped, MapCaptureFile(folder));
  return LoadWithCaptures(folder, std::move(proto), std::move(mapped), limits, types);
}

StatusOr<ModelDef> LoadNativeModel(const std::filesystem::path& folder, MappedTensors captures,
                                   const Limits& limits, const ExtensionProtocols& types) {
  SIGNET_ASSIGN_OR_RETURN(v1::Model proto, ReadModelProto(folder));
  return LoadWithCaptures(folder, std::move(proto), std::move(captures), limits, types);
}

StatusOr<ModelDef> ModelDefFromProto(const v1::Model& proto, Captures tensors, const Limits& limits,
                                     const ExtensionProtocols& types) {
  SIGNET_RETURN_IF_ERROR(CheckFormatVersion(proto.format_version()));
  SIGNET_RETURN_IF_ERROR(CheckUtf8(proto));
  ModelDef out;
  out.doc = proto.doc();
  out.captures = std::move(tensors);
  out.metadata.insert(proto.metadata().begin(), proto.metadata().end());
  SIGNET_RETURN_IF_ERROR(AddCaptures(proto, limits, out.captures));
  out.message_fields.insert(proto.message_fields().begin(), proto.message_fields().end());
  SIGNET_RETURN_IF_ERROR(AddMessageTypes(proto.descriptor_set(), out));
  TypeRegistry registry;
  for (const auto& type : types) SIGNET_RETURN_IF_ERROR(registry.Register(type->declaration()));
  SIGNET_ASSIGN_OR_RETURN(auto extension_types, ReadExtensionTypes(proto, limits));
  SIGNET_ASSIGN_OR_RETURN(out.extension_types, RegisterTypes(std::move(extension_types), registry));
  SIGNET_ASSIGN_OR_RETURN(out.functions, ReadFunctions(proto, {out.captures, registry}, limits));
  SIGNET_RETURN_IF_ERROR(ReadBatches(proto, out));
  SIGNET_RETURN_IF_ERROR(CompleteModel(out, registry, types));
  return out;
}

}  // namespace signet
