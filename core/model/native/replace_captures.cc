#include "core/model/native/replace_captures.h"

#include <algorithm>
#include <utility>

#include "core/formats/safetensors/safetensors.h"
#include "core/model/native/model_files.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

std::string PlaceOfCapture(std::string_view name) { return Cat("capture `", Printable(name), "`"); }

// Checks that `tensors` have the names and types of the captures in captures.safetensors of `old`.
Status CheckSameTypes(const ModelDef& old, const NamedTensors& tensors) {
  const std::vector<std::string> names = NamesOf(old.files->captures->tensors);
  for (const auto& [name, tensor] : tensors) {
    if (!std::ranges::binary_search(names, name)) {
      return NotFound(PlaceOfCapture(name),
                      " not found in the model; captures: ", ListNames(names));
    }
    const TypeSpec& expected = old.captures.at(name).spec();
    if (expected != tensor.spec()) {
      return At(PlaceOfCapture(name),
                InvalidArgument("expected `", expected, "`, found `", tensor.spec(), "`"));
    }
  }
  for (const std::string& name : names) {
    const bool is_given =
        std::ranges::any_of(tensors, [&](const auto& given) { return given.first == name; });
    if (is_given) continue;
    return At(PlaceOfCapture(name), InvalidArgument("expected `", old.captures.at(name).spec(),
                                                    "`, found no capture of this name"));
  }
  return absl::OkStatus();
}

// Checks that the captures that `old` imports still have the same types.
Status CheckSameImports(const ModelDef& old, const ModelDef& def) {
  for (const auto& [name, value] : old.captures) {
    auto found = def.captures.find(name);
    if (found == def.captures.end() || found->second.spec() != value.spec()) {
      return FailedPrecondition(PlaceOfCapture(name), ": expected `", value.spec(),
                                "`, found another type in the imported model");
    }
  }
  return absl::OkStatus();
}

// Reads `old` again with other values of its own captures, or of the imported ones.
StatusOr<ModelDef> ReadAgain(const ModelDef& old, MappedTensors captures,
                             const ModelOptions& options, const ModelFinder& find_model) {
  SIGNET_ASSIGN_OR_RETURN(ModelDef def, old.files->load(old.files->folder, std::move(captures),
                                                        options.limits, options.types, find_model));
  if (def.files->definition_hash != old.files->definition_hash) {
    return FailedPrecondition(
        "the definition of the model changed after it was loaded; expected only ", kCapturesFile,
        " to change; reload the version or publish a new one");
  }
  SIGNET_RETURN_IF_ERROR(CheckSameImports(old, def));
  def.sources = old.sources;
  def.batches = old.batches;  // also the settings of batches in settings.textproto
  return def;
}

StatusOr<ModelDef> ReadReplacement(const ModelDef& old, const fs::path& captures,
                                   const ModelOptions& options) {
  auto mapped = MapSafetensors(captures);
  if (!mapped.ok()) return At(kCapturesFile, InvalidArgument(MessageOf(mapped.status())));
  SIGNET_RETURN_IF_ERROR(At(kCapturesFile, CheckSameTypes(old, mapped->tensors)));
  return ReadAgain(old, *std::move(mapped), options, options.find_model);
}

StatusOr<ModelDef> ReadFor(const LoadedModel& old, const fs::path& captures) {
  if (!old.def().files) {
    return FailedPrecondition(
        "the captures of ONNX models cannot be replaced; convert the model with `signet import`, "
        "or publish a new version");
  }
  auto def = ReadReplacement(old.def(), captures, old.options());
  return def.ok() ? std::move(def) : At(PlaceOf(old.def().files->folder), def.status());
}

// Returns true if both models map captures of the same bytes. A file that was overwritten in place
// is different, because the old mapping shows the new bytes, and packed weights are still the old
// ones.
bool HasSameBytes(const ModelDef& old, const ModelDef& def) {
  if (old.captures_files.empty() || old.captures_files.size() != def.captures_files.size()) {
    return false;
  }
  for (size_t i = 0; i < old.captures_files.size(); ++i) {
    const MappedFile& before = *old.captures_files[i];
    const MappedFile& now = *def.captures_files[i];
    if (before.is_damaged()) return false;
    if (&before == &now) continue;  // the captures of an imported model, which is served
    const bool is_same_file = before.identity().IsSameFile(now.identity());
    const bool is_same = is_same_file ? before.identity() == now.identity()
                                      : std::ranges::equal(before.bytes(), now.bytes());
    if (!is_same) return false;
  }
  return true;
}

// Makes a model of `def`, which differs from `old` in captures, with the concrete functions of
// `old`.
StatusOr<ReplacedCaptures> MakeReplacement(const LoadedModel& old, ModelDef def) {
  const std::string place = PlaceOf(def.files->folder);
  auto model =
      std::make_shared<LoadedModel>(old.name(), old.version(), std::move(def), old.options());
  auto functions = model->AdoptFunctions(old);
  if (!functions.ok()) return At(place, FailedPrecondition(MessageOf(functions.status())));
  return ReplacedCaptures{std::move(model), *functions};
}

}  // namespace

StatusOr<ReplacedCaptures> ReplaceCaptures(const std::shared_ptr<const LoadedModel>& old,
                                           const fs::path& captures) {
  SIGNET_ASSIGN_OR_RETURN(ModelDef def, ReadFor(*old, captures));
  if (HasSameBytes(old->def(), def)) return ReplacedCaptures{old, {}, /*changed=*/false};
  return MakeReplacement(*old, std::move(def));
}

StatusOr<ReplacedCaptures> ReplaceImportedCaptures(const std::shared_ptr<const LoadedModel>& old,
                                                   const ModelFinder& find_model) {
  SIGNET_CHECK(old->def().files.has_value());  // only models with files import others
  const ModelFiles& files = *old->def().files;
  auto def = ReadAgain(old->def(), *files.captures, old->options(), find_model);
  if (!def.ok()) return At(PlaceOf(files.folder), def.status());
  return MakeReplacement(*old, *std::move(def));
}

StatusOr<bool> CheckCaptures(const LoadedModel& old, const fs::path& captures) {
  SIGNET_ASSIGN_OR_RETURN(ModelDef def, ReadFor(old, captures));
  return !HasSameBytes(old.def(), def);
}

}  // namespace signet
