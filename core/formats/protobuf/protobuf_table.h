// ProtobufTable: a message type compiled for reading: maps each tag to an operation and a column.
//
// There is one table per message of a selection, with the columns that it fills. Tables and columns
// change while rows are read. Internal to ProtobufRows; not thread-safe.

#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/protobuf/protobuf_selection.h"
#include "core/values/builders/builder_node.h"

namespace signet {

struct ProtobufTable;

// The column or message that a field fills.
struct ProtobufTarget {
  using Presence = SelectedField::Presence;

  // Returns the number of elements in the columns, of all messages so far.
  int64_t count() const;
  // Returns true if the target may need work at the end of a message, in addition to its dimension.
  bool has_end() const {
    return presence == Presence::kDense || presence == Presence::kDefaulted ||
           presence == Presence::kImplicit;
  }

  BuilderNode* node = nullptr;       // null: the field is only recorded as present
  BuilderAxis* axis = nullptr;       // its own dimension, or null
  ProtobufTable* message = nullptr;  // for messages
  int64_t seen = 0;                  // number of the last object that had it
  int oneof = -1;                    // index among the oneofs of the table
  Presence presence = Presence::kOptional;
  bool is_singular = false;  // several values: the last one is used, or messages are merged
  bool is_late = false;      // filled at the end of the message: maps, lookups, casts
  bool is_text = false;
  uint8_t width_log2 = 0;  // log2 of the bytes per element in node->data
  std::string name;

  size_t width() const { return size_t{1} << width_log2; }
};

// The operation for a tag.
enum class ProtobufOp : uint8_t {
  kVarint32,
  kVarint64,
  kZigZag32,
  kZigZag64,
  kBool,
  kFixed32,
  kFixed64,
  kText,
  kMessage,
  kGroup,
  kPackedVarint32,
  kPackedVarint64,
  kPackedZigZag32,
  kPackedZigZag64,
  kPackedBool,
  kPackedFixed32,
  kPackedFixed64,
  kMapEntry,
  kNote,  // records the field as present, and skips it
  kAnyUrl,
  kAnyValue
};

struct ProtobufSlot {
  uint32_t tag;
  ProtobufOp op;
  uint32_t index;                    // index of the target or the map
  ProtobufTarget* target = nullptr;  // for a map, one of its targets
};

// A key of a map. Numbers are converted so that they sort as unsigned integers.
struct ProtobufKey {
  uint64_t number = 0;
  std::string_view text;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 reports the defaulted body.
  auto operator<=>(const ProtobufKey&) const = default;
};

// The entries of a map, which are stored until the message ends.
struct ProtobufMap {
  struct Lookup {
    std::string text;  // the text that the key points to
    ProtobufKey key;
    ProtobufTarget* target;
    ProtobufTable* entry;  // reads the value of an entry
  };
  struct Entry {
    ProtobufKey key;
    std::string_view bytes;
  };

  ProtobufTarget* whole = nullptr;  // null: only used for lookups
  std::vector<Lookup> lookups;
  uint32_t key_tag = 0;
  ProtobufOp key_op{};
  bool key_is_signed = false;
  int64_t object = 0;  // number of the object that has the entries
  std::vector<Entry> entries;
};

// An Any, which is parsed at its end.
struct ProtobufAny {
  struct Cast {
    std::string type_name;
    ProtobufTarget* target;
  };
  std::vector<Cast> casts;
  int64_t url_object = 0;  // number of the object that has the url
  int64_t value_object = 0;
  std::string_view url;
  std::string_view value;
};

struct ProtobufTable {
  struct Oneof {
    int64_t object = 0;
    ProtobufTarget* member = nullptr;  // the member that the object has
  };
  static constexpr uint32_t kShortTags = 1024;

  // A required field that the last object lacks.
  struct Missing {
    const ProtobufTable* table = nullptr;
    const ProtobufTarget* target = nullptr;
  };

  // Returns null if there is none.
  const ProtobufSlot* Lookup(uint32_t tag) const {
    if (tag < short_tags.size()) return short_tags[tag];
    return tag < kShortTags ? nullptr : LookupLong(tag);
  }
  const ProtobufSlot* LookupLong(uint32_t tag) const;
  // Returns the path of a message: `steps.amount`.
  std::string PathOf(const ProtobufTarget& target) const;

  ProtobufTable* parent = nullptr;
  const ProtobufTarget* in_parent = nullptr;
  // those that fill columns, then those that are only recorded
  std::vector<ProtobufTarget> targets;
  size_t num_filled = 0;
  std::vector<ProtobufTarget*> ends;            // targets with columns that have an end
  std::vector<ProtobufTarget*> dimensions;      // targets with columns that have an axis
  std::vector<const ProtobufSlot*> short_tags;  // for Lookup: at least all tags of one byte
  std::vector<ProtobufSlot> slots;              // sorted by tag
  std::vector<ProtobufMap> maps;
  std::vector<Oneof> oneofs;
  ProtobufAny any;
  bool can_miss = false;  // it, or a singular message in it, has a required field

  int64_t objects = 0;  // in the columns
  int64_t object = 0;   // number of the current object, which is unique
  Missing missing;
};

inline int64_t ProtobufTarget::count() const {
  return message != nullptr ? message->objects
                            : static_cast<int64_t>(node->data.size() >> width_log2);
}

// The tables of a selection, that of the root first. Addresses do not change when it is moved.
class ProtobufTables {
 public:
  // `needs` states for each component of the type (in the order of ComponentsOf) whether it is
  // needed. If it is empty, all are needed.
  static StatusOr<ProtobufTables> Compile(const SelectedMessage& selection, BuilderTree& tree,
                                          const std::vector<bool>& needs);

  ProtobufTable& root() { return tables_.front(); }

 private:
  class Compiler;
  std::deque<ProtobufTable> tables_;
};

}  // namespace signet
