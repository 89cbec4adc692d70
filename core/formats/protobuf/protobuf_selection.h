// ProtobufSelection: the fields of a message type to read, and the structure that they form.
//
//   message Recipe {                          [{
//     required int64 id = 1;                    id: int64[],
//     optional string title = 2;                title: string[(?)],      // rows of 0 or 1
//     repeated Step steps = 3;                  steps: [{..}],
//     map<string, float> scores = 4;            scores: [{key: string[], value: float32[]}],
//   }                                         }]
//
// A selection is a finite tree: all fields of a type, the fields on some paths, or the fields of a
// given structure. Message types that contain themselves require one of the last two. Rules:
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
  // The fields to read. A path that ends at a message includes all its fields. Empty: all fields.
  std::vector<ProtobufPath> paths;
  // If true, proto3 scalars without presence have exactly one value in every message, possibly the
  // default.
  bool honor_proto3_optional_semantics = false;
  // Field names for steps whose text is not a field name: `(pkg.extension)`, `(host/pkg.Type)`,
  // `labels[color]`, `_name`. An extension with a name here is read even if all fields are
  // selected.
  std::map<std::string, std::string> names;
};

struct SelectedMessage;

// A field of a message to read, or a part of one.
struct SelectedField {
  enum class Source : uint8_t {
    kField,      // the field
    kMapLookup,  // the value under `key` of a map
    kAnyCast     // the message in an Any, if its type is `key`
  };
  // How often the value occurs, which determines whether it has a dimension of its own.
  enum class Presence : uint8_t {
    kRequired,   // once; its absence is an error                   no dimension
    kDense,      // once, possibly the default value                no dimension
    kOptional,   // at most once                                    rows of 0 or 1
    kImplicit,   // at most once; the default value means absent
    kDefaulted,  // once, possibly the default value                rows of 1
    kRepeated    // any number of times, including maps
  };

  std::string name;  // of the field in the structure
  Source source;
  Presence presence;
  const google::protobuf::FieldDescriptor* field;  // null for kAnyCast; the map for kMapLookup
  // of a lookup, as written; for a cast, the full name of the type
  std::string key;
  DType dtype{};                             // for scalars
  std::unique_ptr<SelectedMessage> message;  // null: a scalar

  bool has_axis() const { return presence != Presence::kRequired && presence != Presence::kDense; }
};

struct SelectedMessage {
  const google::protobuf::Descriptor* type;  // null for an Any cast to an unknown type
  std::vector<SelectedField> fields;
};

// Returns NOT_FOUND if a field does not exist. Returns INVALID_ARGUMENT for a repeated path, a type
// that contains itself, and a name that is not a field name or is used twice.
StatusOr<SelectedMessage> SelectFields(const ProtobufSchema& schema,
                                       const google::protobuf::Descriptor& type,
                                       const ProtobufOptions& options, const Limits& limits);

// Selects the fields of the structure `spec`. Returns an error for fields of another type, and for
// fields that `type` does not have unless they are optional or have a default. Proto3 scalars
// without presence may have a dimension of their own or not.
StatusOr<SelectedMessage> SelectFieldsOf(const TypeSpec& spec, const ProtobufSchema& schema,
                                         const google::protobuf::Descriptor& type,
                                         const ProtobufOptions& options, const Limits& limits);

// Returns the type of `spec`, a structure that `message` was selected for, as the rows provide it:
// without the fields that the message type lacks, and with rows of 0 or 1 for fields that a message
// may omit and that have a default in `spec`. Equal to `spec` if there is nothing to fill in.
StatusOr<TypeSpec> PresentType(const TypeSpec& spec, const SelectedMessage& message);

// Returns the type of a batch of messages: `[{..}]`.
StatusOr<TypeSpec> TypeOf(const SelectedMessage& message);

// Replaces every `*` by the leaves below it. Returns an error for a repeated path.
StatusOr<std::vector<ProtobufPath>> ExpandPaths(const ProtobufSchema& schema,
                                                const google::protobuf::Descriptor& type,
                                                const std::vector<ProtobufPath>& paths);

}  // namespace signet
