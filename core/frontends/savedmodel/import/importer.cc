#include "core/frontends/savedmodel/import/importer.h"

#include <map>

#include "core/base/utf8.h"
#include "core/frontends/savedmodel/import/frozen_graph.h"
#include "core/frontends/savedmodel/import/model_functions.h"
#include "core/frontends/savedmodel/import/saved_model_file.h"
#include "core/model/complete_model.h"
#include "core/model/extension_type_def.h"

namespace signet {
namespace {

// Returns why no function can be served: the reason for each function that the file has.
std::string ReasonsIn(const ModelDef& model) {
  constexpr std::string_view kPrefix = "unavailable.";
  std::vector<std::string> reasons;
  for (const auto& [key, reason] : model.metadata) {
    if (!key.starts_with(kPrefix)) continue;
    reasons.push_back(Cat(std::string_view(key).substr(kPrefix.size()), ": ", reason));
  }
  if (!reasons.empty()) return Join(reasons, "\n  ");
  return "it has no signature, and no traced function except those that fill its tables; call the "
         "model before it is saved, or pass `signatures` to `tf.saved_model.save`";
}

// Finds the extension types in the signatures of all functions. Which fields are components, and
// which of two classes with one name is declared, depends on all functions.
void AddExtensionClasses(ModelImport& model, const std::vector<SignatureName>& signatures,
                         const std::vector<ObjectFunctionName>& functions) {
  ExtensionClasses& classes = model.extension_classes;
  const auto& graph = model.library.model();
  for (const SignatureName& signature : signatures) {
    const auto& def = graph.signature_def().at(signature.key);
    for (const auto* infos : {&def.inputs(), &def.outputs()}) {
      std::map<std::string_view, const tensorflow::TensorInfo*> sorted;
      for (const auto& [key, info] : *infos) sorted.emplace(key, &info);
      for (const auto& [key, info] : sorted) classes.Add(info->composite_tensor().type_spec());
    }
  }
  const auto& objects = graph.object_graph_def();
  auto add_trace = [&](const std::string& name) {
    auto trace = objects.concrete_functions().find(name);
    if (trace == objects.concrete_functions().end()) return;
    classes.Add(trace->second.canonicalized_input_signature());
    classes.Add(trace->second.output_signature());
  };
  for (const ObjectFunctionName& name : functions) {
    const auto& object = objects.nodes(name.object);
    for (const std::string& trace : object.function().concrete_functions()) add_trace(trace);
    classes.Add(object.function().function_spec().input_signature());
    const auto& bare = object.bare_concrete_function();
    if (object.has_bare_concrete_function()) add_trace(bare.concrete_function_name());
    classes.Add(bare.function_spec().input_signature());
  }
}

// Adds the functions of a graph. `name` is the file that contains it, in `folder`, and `source`
// describes it for people.
Status AddGraph(const SavedModelFile& file, const std::string& name, std::string_view source,
                const std::filesystem::path& folder, TensorBundle& bundle, ModelDef& out) {
  auto library = GraphLibrary::Make(file.graph);
  if (!library.ok()) return At(name, library.status());
  Initialization initialization(**library, bundle, folder);
  SIGNET_RETURN_IF_ERROR(initialization.Run());
  ModelImport model{**library, initialization, out};
  model.source = source;
  // Functions are named first, so that no node has the name of a function.
  SIGNET_ASSIGN_OR_RETURN(auto signatures, NameSignatures(model));
  const auto functions = NameObjectFunctions(model, !signatures.empty());
  AddExtensionClasses(model, signatures, functions);
  SIGNET_RETURN_IF_ERROR(AddSignatures(model, signatures));
  SIGNET_RETURN_IF_ERROR(AddObjectFunctions(model, functions));
  out.extension_types = model.extension_classes.DeclarationsFor(out.functions);
  if (!out.functions.empty()) return absl::OkStatus();
  const bool lacks_values =
      name == kSavedModelFile && bundle.files().empty() && !initialization.variables().empty();
  return Unimplemented(name, ": no function can be served: ",
                       lacks_values ? "variables/variables.index not found; " : "", ReasonsIn(out));
}

Status Complete(ModelDef& out, const ExtensionProtocols& types) {
  TypeRegistry registry;
  for (const auto& type : types) SIGNET_RETURN_IF_ERROR(registry.Register(type->declaration()));
  SIGNET_ASSIGN_OR_RETURN(out.extension_types,
                          RegisterTypes(std::move(out.extension_types), registry));
  return CompleteModel(out, registry, types);
}

}  // namespace

StatusOr<ModelDef> ImportSavedModel(const std::filesystem::path& folder,
                                    const ExtensionProtocols& types) {
  ModelDef out;
  {
    SIGNET_ASSIGN_OR_RETURN(auto file, ReadSavedModelFile(folder));
    auto bundle = TensorBundle::Open(folder / "variables");
    if (absl::IsNotFound(bundle.status())) bundle = TensorBundle();
    if (!bundle.ok()) return At("variables/variables.index", bundle.status());
    const auto& info = file->graph.meta_info_def();
    out.doc = Cat("SavedModel of TensorFlow ", AsUtf8(Printable(info.tensorflow_version())));
    out.metadata["savedmodel.tags"] = AsUtf8(file->tags);
    out.metadata["savedmodel.tensorflow_version"] = AsUtf8(info.tensorflow_version());
    if (!file->fingerprint_note.empty()) {
      out.metadata["savedmodel.fingerprint"] = file->fingerprint_note;
    }
    SIGNET_RETURN_IF_ERROR(
        AddGraph(*file, kSavedModelFile, "the SavedModel", folder, *bundle, out));
    out.captures_files = bundle->files();
  }
  for (const auto& mapped : out.captures_files) mapped->Release();
  SIGNET_RETURN_IF_ERROR(Complete(out, types));
  return out;
}

StatusOr<ModelDef> ImportFrozenGraph(const std::filesystem::path& file,
                                     const ExtensionProtocols& types) {
  ModelDef out;
  const std::string name = Printable(file.filename().native());
  {
    auto graph = ReadFrozenGraph(file);
    if (!graph.ok()) return At(name, graph.status());
    out.doc = "Frozen graph of TensorFlow";
    TensorBundle bundle;
    SIGNET_RETURN_IF_ERROR(
        AddGraph(**graph, name, "the frozen graph", file.parent_path(), bundle, out));
  }
  SIGNET_RETURN_IF_ERROR(Complete(out, types));
  return out;
}

}  // namespace signet
