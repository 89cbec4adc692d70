#include "core/model/native/loader.h"

#include <algorithm>
#include <map>
#include <utility>

#include <absl/container/flat_hash_set.h>

#include "core/formats/protobuf/protobuf_path.h"
#include "core/formats/safetensors/safetensors.h"
#include "core/formats/signet_wire/wire.h"
#include "core/model/native/default_values.h"
#include "core/model/native/extension_loader.h"
#include "core/model/native/function_loader.h"
#include "core/model/native/limits.h"
#include "core/model/native/model_files.h"
#include "core/model/native/utf8_check.h"
#include "core/model/verify_functions.h"
#include "core/types/identifier.h"

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

StatusOr<MappedTensors> MapCaptureFile(const std::filesystem::path& folder) {
  SIGNET_ASSIGN_OR_RETURN(bool has_file, HasPlainFile(folder / kCapturesFile));
  if (!has_file) return MappedTensors();
  return MapSafetensors(folder / kCapturesFile);
}

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

Status ReadMessageTypes(const v1::Model& proto, ModelDef& out) {
  if (!proto.descriptor_set().empty()) {
    auto schema = ProtobufSchema::Parse(proto.descriptor_set());
    if (!schema.ok()) return At("descriptor_set", schema.status());
    out.messages = *std::move(schema);
  }
  for (const auto& [step, name] : proto.message_fields()) {
    std::string where = Cat("message_fields: `", Printable(step), "`");
    SIGNET_RETURN_IF_ERROR(At(where, ParseProtobufStep(step).status()));
    if (!IsFieldName(name)) {
      return At(where, InvalidArgument("expected a name of a letter, then letters, digits, or `_`, "
                                       "found `",
                                       Printable(name), "`"));
    }
    if (!out.message_fields.emplace(step, name).second) continue;
    if (out.messages == nullptr) {
      return At(where, InvalidArgument("missing descriptor_set, which message_fields requires"));
    }
  }
  return absl::OkStatus();
}

// --- functions ----------------------------------------------------------------------------------

std::string WhereIsFunction(const std::string& name, int i) {
  return name.empty() ? Cat("function ", i) : Cat("function `", Printable(name), "`");
}

Status CheckFunctionName(const std::string& name) {
  if (name.size() <= kMaxNameLength && IsIdentifier(name)) return absl::OkStatus();
  return InvalidArgument(
      "expected a name of a letter or `_`, then letters, digits, or `_`, at most ", kMaxNameLength,
      " characters, found `", Printable(name), "`");
}

StatusOr<std::vector<FunctionDef>> ReadFunctions(const v1::Model& proto, const Captures& captures,
                                                 const TypeRegistry& types, const Limits& limits) {
  if (proto.functions_size() == 0)
    return InvalidArgument("expected at least one function, found none");
  if (proto.functions_size() > kMaxFunctions) {
    return InvalidArgument(proto.functions_size(), " functions exceed the limit of ",
                           kMaxFunctions);
  }
  absl::flat_hash_set<std::string> names;
  for (int i = 0; i < proto.functions_size(); ++i) {
    const std::string& name = proto.functions(i).name();
    SIGNET_RETURN_IF_ERROR(At(WhereIsFunction(name, i), CheckFunctionName(name)));
    if (!names.insert(name).second) {
      return At(WhereIsFunction(name, i), InvalidArgument("duplicate name of a function"));
    }
  }
  std::vector<FunctionDef> functions;
  for (int i = 0; i < proto.functions_size(); ++i) {
    const v1::Function& function = proto.functions(i);
    auto loaded = LoadFunction(function, {captures, types, limits});
    if (!loaded.ok()) return At(WhereIsFunction(function.name(), i), loaded.status());
    functions.push_back(*std::move(loaded));
  }
  SIGNET_RETURN_IF_ERROR(VerifyFunctions(functions, captures, !types.Names().empty()));
  return functions;
}

}  // namespace

StatusOr<ModelDef> LoadNativeModel(const std::filesystem::path& folder, const Limits& limits,
                                   const ExtensionProtocols& types) {
  SIGNET_ASSIGN_OR_RETURN(v1::Model proto, ReadModelProto(folder));
  SIGNET_RETURN_IF_ERROR(CheckFormatVersion(proto.format_version()));
  SIGNET_ASSIGN_OR_RETURN(MappedTensors mapped, MapCaptureFile(folder));
  SIGNET_RETURN_IF_ERROR(AddDescriptorFile(folder, proto));
  Captures captures(mapped.tensors.begin(), mapped.tensors.end());
  SIGNET_ASSIGN_OR_RETURN(ModelDef def,
                          ModelDefFromProto(proto, std::move(captures), limits, types));
  if (mapped.file != nullptr) def.captures_files.push_back(std::move(mapped.file));
  return def;
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
  SIGNET_RETURN_IF_ERROR(ReadMessageTypes(proto, out));
  TypeRegistry registry;
  for (const auto& type : types) SIGNET_RETURN_IF_ERROR(registry.Register(type->declaration()));
  SIGNET_ASSIGN_OR_RETURN(out.extension_types, ReadExtensionTypes(proto, limits, registry));
  SIGNET_ASSIGN_OR_RETURN(out.functions, ReadFunctions(proto, out.captures, registry, limits));
  SIGNET_RETURN_IF_ERROR(CheckExtensionFunctions(out.extension_types, out.functions, registry));
  SIGNET_RETURN_IF_ERROR(CastDefaults(out, types));
  return out;
}

}  // namespace signet
