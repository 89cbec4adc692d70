#include "core/model/native/replace_captures.h"

#include <algorithm>
#include <utility>

#include "core/formats/safetensors/safetensors.h"
#include "core/model/native/loader.h"
#include "core/model/native/model_files.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

std::string PlaceOfCapture(std::string_view name) { return Cat("capture `", Printable(name), "`"); }

// Checks that `tensors` have the names and types of the captures of `old` that the message of the
// model does not contain.
Status CheckSameTypes(const ModelDef& old, const v1::Model& proto, const NamedTensors& tensors) {
  auto is_inline = [&](const std::string& name) { return proto.captures().contains(name); };
  std::vector<std::string> names;
  for (const auto& [name, value] : old.captures) {
    if (!is_inline(name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  for (const auto& [name, tensor] : tensors) {
    if (is_inline(name)) {
      return At(PlaceOfCapture(name),
                InvalidArgument("its value is in the definition of the model, so that ",
                                kCapturesFile, " cannot replace it"));
    }
    auto found = old.captures.find(name);
    if (found == old.captures.end()) {
      return NotFound(PlaceOfCapture(name),
                      " not found in the model; captures: ", ListNames(std::move(names)));
    }
    if (found->second.spec() != tensor.spec()) {
      return At(PlaceOfCapture(name), InvalidArgument("expected `", found->second.spec(),
                                                      "`, found `", tensor.spec(), "`"));
    }
  }
  if (tensors.size() == names.size()) return absl::OkStatus();
  for (const std::string& name : names) {
    const bool is_given = std::any_of(tensors.begin(), tensors.end(),
                                      [&](const auto& given) { return given.first == name; });
    if (is_given) continue;
    return At(PlaceOfCapture(name), InvalidArgument("expected `", old.captures.at(name).spec(),
                                                    "`, found no capture of this name"));
  }
  return absl::OkStatus();
}

StatusOr<ModelDef> ReadReplacement(const ModelDef& old, const NativeFiles& files,
                                   const fs::path& captures, const ModelOptions& options) {
  SIGNET_ASSIGN_OR_RETURN(v1::Model proto, ReadModelProto(files.folder));
  auto mapped = MapSafetensors(captures);
  if (!mapped.ok()) return At(kCapturesFile, InvalidArgument(MessageOf(mapped.status())));
  SIGNET_RETURN_IF_ERROR(At(kCapturesFile, CheckSameTypes(old, proto, mapped->tensors)));
  SIGNET_ASSIGN_OR_RETURN(ModelDef def, LoadNativeModel(files.folder, *std::move(mapped),
                                                        options.limits, options.types));
  if (def.files->definition_hash != files.definition_hash) {
    return FailedPrecondition(
        "the definition of the model changed after it was loaded; expected only ", kCapturesFile,
        " to change; reload the version or publish a new one");
  }
  return def;
}

StatusOr<ModelDef> ReadFor(const LoadedModel& old, const fs::path& captures) {
  if (!old.def().files) {
    return FailedPrecondition(
        "captures can be replaced only in a model that was loaded from ", kTextFile, " or ",
        kBinaryFile, "; convert other models with `signet import`, or publish a new version");
  }
  auto def = ReadReplacement(old.def(), *old.def().files, captures, old.options());
  return def.ok() ? std::move(def) : At(PlaceOf(old.def().files->folder), def.status());
}

// Returns true if both models map captures of the same bytes. A file that was overwritten in place
// is different, because the old mapping shows the new bytes, and packed weights are still the old
// ones.
bool HasSameBytes(const ModelDef& old, const ModelDef& def) {
  if (old.captures_files.size() != 1 || def.captures_files.size() != 1) return false;
  const MappedFile& before = *old.captures_files[0];
  const MappedFile& now = *def.captures_files[0];
  if (before.is_damaged()) return false;
  if (before.identity().IsSameFile(now.identity())) return before.identity() == now.identity();
  return std::ranges::equal(before.bytes(), now.bytes());
}

}  // namespace

StatusOr<ReplacedCaptures> ReplaceCaptures(const std::shared_ptr<const LoadedModel>& old,
                                           const fs::path& captures) {
  SIGNET_ASSIGN_OR_RETURN(ModelDef def, ReadFor(*old, captures));
  if (HasSameBytes(old->def(), def)) return ReplacedCaptures{old, {}, /*changed=*/false};
  const std::string place = PlaceOf(def.files->folder);
  auto model =
      std::make_shared<LoadedModel>(old->name(), old->version(), std::move(def), old->options());
  auto functions = model->AdoptFunctions(*old);
  if (!functions.ok()) return At(place, FailedPrecondition(MessageOf(functions.status())));
  return ReplacedCaptures{std::move(model), *functions};
}

StatusOr<bool> CheckCaptures(const LoadedModel& old, const fs::path& captures) {
  SIGNET_ASSIGN_OR_RETURN(ModelDef def, ReadFor(old, captures));
  return !HasSameBytes(old.def(), def);
}

}  // namespace signet
