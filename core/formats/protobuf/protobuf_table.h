// ProtobufTable: a message type compiled for reading: from a tag to what to do, and to the column.
//
// One table for each message of a selection, with the columns that it fills. Tables and columns
// change while rows are read. Internal to ProtobufRows; one thread.

#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/protobuf/protobuf_selection.h"
#include "core/values/builders/builder_node.h"

namespace signet {

struct ProtobufTable;

// What a field of a message fills.
struct ProtobufTarget {
  using Presence = SelectedField::Presence;

  // Elements in the columns, of all messages so far.
  int64_t count() const;
  // Whether something may be left to do for it when a message ends, beside its dimension.
  bool has_end() const {
    return presence == Presence::kDense || presence == Presence::kDefaulted ||
           presence == Presence::kImplicit;
  }

  BuilderNode* node = nullptr;       // null: the field is only noted
  BuilderAxis* axis = nullptr;       // its own dimension, if it has one
  ProtobufTable* message = nullptr;  // of messages
  int64_t seen = 0;                  // the last object that had it
  int oneof = -1;                    // index in the table's
  Presence presence = Presence::kOptional;
  bool is_singular = false;  // of several, the last counts, or all of them merged
  bool is_late = false;      // filled when the message ends: maps, lookups, casts
  bool is_text = false;
  uint8_t width_log2 = 0;  // of the bytes of an element in node->data
  std::string name;

  size_t width() const { return size_t{1} << width_log2; }
};

// What to do with a tag.
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
  kNote,  // marks it as seen, and skips it
  kAnyUrl,
  kAnyValue
};

struct ProtobufSlot {
  uint32_t tag;
  ProtobufOp op;
  uint32_t index;                    // of the target, or the map
  ProtobufTarget* target = nullptr;  // of a map, one of those that it fills
};

// A key of a map; numbers are made such that they sort as unsigned ones.
struct ProtobufKey {
  uint64_t number = 0;
  std::string_view text;
  auto operator<=>(const ProtobufKey&) const = default;
};

// The entries of a map, which are kept until the message ends.
struct ProtobufMap {
  struct Lookup {
    std::string text;  // what the key points to
    ProtobufKey key;
    ProtobufTarget* target;
    ProtobufTable* entry;  // reads the value of an entry
  };
  struct Entry {
    ProtobufKey key;
    std::string_view bytes;
  };

  ProtobufTarget* whole = nullptr;  // null: only looked up
  std::vector<Lookup> lookups;
  uint32_t key_tag = 0;
  ProtobufOp key_op{};
  bool key_is_signed = false;
  int64_t object = 0;  // that the entries belong to
  std::vector<Entry> entries;
};

// An Any, which is opened when it ends.
struct ProtobufAny {
  struct Cast {
    std::string type_name;
    ProtobufTarget* target;
  };
  std::vector<Cast> casts;
  int64_t url_object = 0;  // that the url belongs to
  int64_t value_object = 0;
  std::string_view url;
  std::string_view value;
};

struct ProtobufTable {
  struct Oneof {
    int64_t object = 0;
    ProtobufTarget* member = nullptr;  // that the object has
  };
  static constexpr uint32_t kShortTags = 1024;

  // A required field that the last object lacks.
  struct Missing {
    const ProtobufTable* table = nullptr;
    const ProtobufTarget* target = nullptr;
  };

  // Null where there is none.
  const ProtobufSlot* Lookup(uint32_t tag) const {
    if (tag < short_tags.size()) return short_tags[tag];
    return tag < kShortTags ? nullptr : LookupLong(tag);
  }
  const ProtobufSlot* LookupLong(uint32_t tag) const;
  // `steps.amount`, for messages.
  std::string PathOf(const ProtobufTarget& target) const;

  ProtobufTable* parent = nullptr;
  const ProtobufTarget* in_parent = nullptr;
  std::vector<ProtobufTarget> targets;  // those that fill columns, then those only noted
  size_t num_filled = 0;
  std::vector<ProtobufTarget*> ends;            // of those filled, which have an end
  std::vector<ProtobufTarget*> dimensions;      // and an axis
  std::vector<const ProtobufSlot*> short_tags;  // as Lookup: at least those of one byte
  std::vector<ProtobufSlot> slots;              // by tag
  std::vector<ProtobufMap> maps;
  std::vector<Oneof> oneofs;
  ProtobufAny any;
  bool can_miss = false;  // a required field is in it, or in a singular message of it

  int64_t objects = 0;  // in the columns
  int64_t object = 0;   // the one at hand; no two are the same
  Missing missing;
};

inline int64_t ProtobufTarget::count() const {
  return message != nullptr ? message->objects
                            : static_cast<int64_t>(node->data.size() >> width_log2);
}

// The tables of a selection, the root's first. Addresses stay when it is moved.
class ProtobufTables {
 public:
  // `needs`: of each component of the type (in the order of ComponentsOf), whether somebody reads
  // it; empty: all are.
  static StatusOr<ProtobufTables> Compile(const SelectedMessage& selection, BuilderTree& tree,
                                          const std::vector<bool>& needs);

  ProtobufTable& root() { return tables_.front(); }

 private:
  class Compiler;
  std::deque<ProtobufTable> tables_;
};

}  // namespace signet
