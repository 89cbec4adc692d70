// ProtobufSelection: what of a message type is read, and the structure that it becomes.
//
//   message Recipe {                          [{
//     required int64 id = 1;                    id: int64[],
//     optional string title = 2;                title: string[(?)],      // rows of 0 or 1
//     repeated Step steps = 3;                  steps: [{..}],
//     map<string, float> scores = 4;            scores: [{key: string[], value: float32[]}],
//   }                                         }]
//
// A selection is a finite tree: all fields of a type, those on some paths, or those that a given
// structure has. Message types that contain themselves take one of the last two. Rules:
// docs/reference/protobuf.md. A selection points into its schema, which must outlive it. Plain
// data; functions are stateless and thread-safe.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/formats/common/limits.h"
#include "core/formats/protobuf/protobuf_path.h"
#include "core/formats/protobuf/protobuf_schema.h"
#include "signet/dtype.h"
#include "signet/type_spec.h"

namespace signet {

struct ProtobufOptions {
  // What to read; a path that ends at a message reads all of it. Empty: everything.
  std::vector<ProtobufPath> paths;
  // Scalars of proto3 without presence have one value in every message, their default if need be.
  bool honor_proto3_optional_semantics = false;
  // The field that a step becomes whose text cannot be one: `(pkg.extension)`, `(host/pkg.Type)`,
  // `labels[color]`, `_name`. An extension named here is read with everything, too.
  std::map<std::string, std::string> names;
};

struct SelectedMessage;

// One field of a message being read, or a part of one.
struct SelectedField {
  enum class Source : uint8_t {
    kField,      // the field
    kMapLookup,  // of a map, the value under `key`
    kAnyCast     // of an Any, the message that it holds, if `key` is its type
  };
  // How often it is there, and so whether it has a dimension of its own.
  enum class Presence : uint8_t {
    kRequired,   // once, or the row is refused                     no dimension
    kDense,      // once, as the default value if need be           no dimension
    kOptional,   // at most once                                    rows of 0 or 1
    kImplicit,   // at most once; the default value is as good as none
    kDefaulted,  // once, as the default value if need be           rows of 1
    kRepeated    // any number of times; a map is too
  };

  std::string name;  // in the structure
  Source source;
  Presence presence;
  const google::protobuf::FieldDescriptor* field;  // null for kAnyCast; the map for kMapLookup
  std::string key;                                 // of a lookup, as written; the type's full name
  DType dtype{};                                   // of scalars
  std::unique_ptr<SelectedMessage> message;        // null: a scalar

  bool has_axis() const { return presence != Presence::kRequired && presence != Presence::kDense; }
};

struct SelectedMessage {
  const google::protobuf::Descriptor* type;  // null for an Any cast to a type that nobody knows
  std::vector<SelectedField> fields;
};

// NOT_FOUND: no such field; INVALID_ARGUMENT: a path twice, a type that contains itself, a name
// that a structure's field cannot have or that is taken.
StatusOr<SelectedMessage> SelectFields(const ProtobufSchema& schema,
                                       const google::protobuf::Descriptor& type,
                                       const ProtobufOptions& options, const Limits& limits);

// The fields that the structure `spec` has; refuses those that `type` lacks, unless they are
// optional or have a default, or has otherwise. Scalars of proto3 without presence may have a
// dimension or none.
StatusOr<SelectedMessage> SelectFieldsOf(const TypeSpec& spec, const ProtobufSchema& schema,
                                         const google::protobuf::Descriptor& type,
                                         const ProtobufOptions& options, const Limits& limits);

// `spec`, a structure that `message` was selected for, as the rows bring it: without the fields
// that the message type lacks, and with rows of 0 or 1 for what a message may leave out, and `spec`
// has a default for. Equal to `spec` if there is nothing to fill in.
StatusOr<TypeSpec> PresentType(const TypeSpec& spec, const SelectedMessage& message);

// The type of a batch of messages: `[{..}]`.
StatusOr<TypeSpec> TypeOf(const SelectedMessage& message);

// Every `*` made the leaves below it. Refuses a path twice.
StatusOr<std::vector<ProtobufPath>> ExpandPaths(const ProtobufSchema& schema,
                                                const google::protobuf::Descriptor& type,
                                                const std::vector<ProtobufPath>& paths);

}  // namespace signet
