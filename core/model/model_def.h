// ModelDef: a model's content before it can be called: what files hold and builders make.
//
// Made by LoadModelDef (core/model/native/loader.h) and ModelBuilder. Plain data; once a
// LoadedModel has it, it does not change.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/formats/common/mapped_file.h"
#include "core/formats/protobuf/protobuf_schema.h"
#include "core/graph/body/graph.h"
#include "core/graph/lower/declared_extension.h"
#include "core/types/registry/type_registry.h"

namespace signet {

// A type that a model defines.
struct ExtensionTypeDef {
  ExtensionDeclaration declaration;  // its class is its name
  std::string doc;
  ExtensionFunctions functions = {};
};

struct ModelDef {
  std::string doc;
  std::vector<FunctionDef> functions;
  std::vector<ExtensionTypeDef> extension_types;
  Captures captures;
  std::vector<std::shared_ptr<const MappedFile>> captures_files;  // that some of them borrow
  std::map<std::string, std::string> metadata;
  std::shared_ptr<const ProtobufSchema> messages;     // types of rows; null: none
  std::map<std::string, std::string> message_fields;  // ProtobufOptions.names
};

}  // namespace signet
