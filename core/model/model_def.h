// ModelDef: the content of a model, as files contain it and builders make it.
//
// LoadModelDef (core/frontends/load_model.h) and ModelBuilder make it. Plain data; a LoadedModel
// does not change its ModelDef.

#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/common/limits.h"
#include "core/formats/common/mapped_file.h"
#include "core/formats/protobuf/protobuf_schema.h"
#include "core/graph/body/graph.h"
#include "core/graph/lower/declared_extension.h"
#include "core/model/model_name.h"
#include "core/types/registry/type_registry.h"

namespace signet {

// A type that a model defines.
struct ExtensionTypeDef {
  ExtensionDeclaration declaration;
  std::string doc;
  ExtensionFunctions functions = {};
};

struct ModelDef;
class SourceLines;

// The directory that a model was loaded from, whose captures.safetensors can be replaced.
struct ModelFiles {
  std::filesystem::path folder;
  // A hash of everything except captures.safetensors, also of imported models. Models with equal
  // hashes differ only in the captures of these files.
  uint64_t definition_hash = 0;
  // The content of captures.safetensors, or of the file that replaced it. Not null.
  std::shared_ptr<const MappedTensors> captures;
  // Loads the model again with other captures. `find_model` finds what it imports; if it is empty,
  // the finder of the first load does.
  std::function<StatusOr<ModelDef>(const std::filesystem::path& folder, MappedTensors captures,
                                   const Limits& limits, const ExtensionProtocols& types,
                                   const ModelFinder& find_model)>
      load = nullptr;
};

struct ModelDef {
  std::string doc;
  std::vector<FunctionDef> functions;
  std::vector<ExtensionTypeDef> extension_types;
  std::optional<ModelFiles> files = {};  // absent for ONNX models, and models of a program
  Captures captures;
  std::vector<std::shared_ptr<const MappedFile>> captures_files;  // that captures borrow
  std::map<std::string, std::string> metadata;
  // By function: the parameters that contain rows, by which calls may be joined
  // (core/serving/batching).
  std::map<std::string, std::vector<std::string>, std::less<>> batches;
  std::shared_ptr<const ProtobufSchema> messages;     // message types of rows; null for none
  std::map<std::string, std::string> message_fields;  // ProtobufOptions.names
  // Where the nodes were written (core/model/native/source_lines.h); null if that is not known.
  std::shared_ptr<const SourceLines> sources = {};
};

}  // namespace signet
