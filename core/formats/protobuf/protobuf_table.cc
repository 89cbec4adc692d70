#include "core/formats/protobuf/protobuf_table.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <map>

#include <google/protobuf/descriptor.h>

#include "core/formats/common/needed_columns.h"
#include "core/formats/signet_wire/wire_cursor.h"

namespace signet {
namespace {

namespace pb = google::protobuf;
using wire::WireTag;
using wire::WireType;
using Kind = BuilderNode::Kind;
using Op = ProtobufOp;
using Presence = SelectedField::Presence;
using Source = SelectedField::Source;

struct OpOfType {
  WireType wire;
  Op op;
  Op packed;  // kNote: there is none
};

OpOfType OpOf(pb::FieldDescriptor::Type type) {
  switch (type) {
    case pb::FieldDescriptor::TYPE_INT32:
    case pb::FieldDescriptor::TYPE_UINT32:
    case pb::FieldDescriptor::TYPE_ENUM:
      return {WireType::kVarint, Op::kVarint32, Op::kPackedVarint32};
    case pb::FieldDescriptor::TYPE_INT64:
    case pb::FieldDescriptor::TYPE_UINT64:
      return {WireType::kVarint, Op::kVarint64, Op::kPackedVarint64};
    case pb::FieldDescriptor::TYPE_SINT32:
      return {WireType::kVarint, Op::kZigZag32, Op::kPackedZigZag32};
    case pb::FieldDescriptor::TYPE_SINT64:
      return {WireType::kVarint, Op::kZigZag64, Op::kPackedZigZag64};
    case pb::FieldDescriptor::TYPE_BOOL:
      return {WireType::kVarint, Op::kBool, Op::kPackedBool};
    case pb::FieldDescriptor::TYPE_FLOAT:
    case pb::FieldDescriptor::TYPE_FIXED32:
    case pb::FieldDescriptor::TYPE_SFIXED32:
      return {WireType::kFixed32, Op::kFixed32, Op::kPackedFixed32};
    case pb::FieldDescriptor::TYPE_DOUBLE:
    case pb::FieldDescriptor::TYPE_FIXED64:
    case pb::FieldDescriptor::TYPE_SFIXED64:
      return {WireType::kFixed64, Op::kFixed64, Op::kPackedFixed64};
    case pb::FieldDescriptor::TYPE_STRING:
    case pb::FieldDescriptor::TYPE_BYTES:
      return {WireType::kBytes, Op::kText, Op::kNote};
    case pb::FieldDescriptor::TYPE_MESSAGE:
      return {WireType::kBytes, Op::kMessage, Op::kNote};
    case pb::FieldDescriptor::TYPE_GROUP:
      return {WireType::kGroup, Op::kGroup, Op::kNote};
  }
  __builtin_unreachable();
}

bool IsSigned(const pb::FieldDescriptor& field) {
  return field.cpp_type() == pb::FieldDescriptor::CPPTYPE_INT32 ||
         field.cpp_type() == pb::FieldDescriptor::CPPTYPE_INT64;
}

// Converts `text` to a key: a decimal number in range, `0` or `1` for a bool, or the text itself.
StatusOr<ProtobufKey> KeyFromText(const pb::FieldDescriptor& key, std::string_view text) {
  auto number = [&](auto value, std::string_view what) -> StatusOr<ProtobufKey> {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
      return InvalidArgument("expected ", what, " as key, found `", Printable(text), "`");
    }
    auto wide = static_cast<uint64_t>(static_cast<int64_t>(value));
    return ProtobufKey{IsSigned(key) ? wide ^ (uint64_t{1} << 63) : static_cast<uint64_t>(value),
                       {}};
  };
  switch (key.cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_INT32:
      return number(int32_t{}, "an int32");
    case pb::FieldDescriptor::CPPTYPE_INT64:
      return number(int64_t{}, "an int64");
    case pb::FieldDescriptor::CPPTYPE_UINT32:
      return number(uint32_t{}, "a uint32");
    case pb::FieldDescriptor::CPPTYPE_UINT64:
      return number(uint64_t{}, "a uint64");
    case pb::FieldDescriptor::CPPTYPE_BOOL:
      if (text == "0" || text == "1") return ProtobufKey{text == "1" ? 1u : 0u, {}};
      return InvalidArgument("expected 0 or 1 as bool key, found `", Printable(text), "`");
    default:
      return ProtobufKey{0, text};
  }
}

}  // namespace

const ProtobufSlot* ProtobufTable::LookupLong(uint32_t tag) const {
  auto found = std::lower_bound(slots.begin(), slots.end(), tag,
                                [](const ProtobufSlot& slot, uint32_t t) { return slot.tag < t; });
  return found == slots.end() || found->tag != tag ? nullptr : &*found;
}

std::string ProtobufTable::PathOf(const ProtobufTarget& target) const {
  std::string path = target.name;
  for (const ProtobufTable* table = this; table->parent != nullptr; table = table->parent) {
    path = Cat(table->in_parent->name, ".", path);
  }
  return path;
}

class ProtobufTables::Compiler {
 public:
  explicit Compiler(std::deque<ProtobufTable>& tables) : tables_(tables) {}

  StatusOr<ProtobufTable*> Compile(const SelectedMessage& selection, BuilderNode& node,
                                   ProtobufTable* parent) {
    ProtobufTable& table = tables_.emplace_back();
    table.parent = parent;
    // Pointers to targets must stay valid.
    size_t most = selection.fields.size() + 2;
    std::map<const pb::OneofDescriptor*, int> oneofs;
    for (const SelectedField& field : selection.fields) {
      if (const auto* oneof = OneofOf(field)) oneofs.emplace(oneof, -1);
    }
    for (const auto& [oneof, index] : oneofs) most += static_cast<size_t>(oneof->field_count());
    table.targets.reserve(most);
    table.maps.reserve(selection.fields.size());

    std::vector<const SelectedField*> noted;
    for (const SelectedField& field : selection.fields) {
      BuilderNode& child = ChildOf(node, field.name);
      SIGNET_CHECK(child.axes.size() == (field.has_axis() ? 1u : 0u));
      if (!child.is_needed) {
        if (field.presence == Presence::kRequired) noted.push_back(&field);
        continue;
      }
      SIGNET_RETURN_IF_ERROR(WithField(field.name, AddFilled(table, field, child, oneofs)));
    }
    table.num_filled = table.targets.size();
    for (const SelectedField* field : noted) AddNoted(table, *field->field, field->presence, -1);
    if (!table.any.casts.empty()) AddAnyFields(table, *selection.type);
    AddOtherMembers(table, oneofs);
    for (ProtobufTarget& target : table.targets) {
      table.can_miss |= target.presence == Presence::kRequired;
      if (target.message == nullptr) continue;
      target.message->parent = &table;
      target.message->in_parent = &target;
      table.can_miss |= target.is_singular && target.message->can_miss;
    }
    Complete(table);
    return &table;
  }

 private:
  using Oneofs = std::map<const pb::OneofDescriptor*, int>;

  static const pb::OneofDescriptor* OneofOf(const SelectedField& field) {
    return field.source == Source::kField ? field.field->real_containing_oneof() : nullptr;
  }

  static BuilderNode& ChildOf(BuilderNode& node, const std::string& name) {
    auto found = std::lower_bound(node.names.begin(), node.names.end(), name);
    SIGNET_CHECK(found != node.names.end() && *found == name);
    return *node.children[static_cast<size_t>(found - node.names.begin())];
  }

  static void AddSlot(ProtobufTable& table, int number, WireType wire, Op op, size_t target) {
    table.slots.push_back({WireTag(number, wire), op, static_cast<uint32_t>(target)});
  }

  static void AddSlots(ProtobufTable& table, const pb::FieldDescriptor& field, size_t target) {
    OpOfType ops = OpOf(field.type());
    AddSlot(table, field.number(), ops.wire, ops.op, target);
    if (field.is_repeated() && ops.packed != Op::kNote) {
      AddSlot(table, field.number(), WireType::kBytes, ops.packed, target);
    }
  }

  // Returns a target for `child`, which may be a column.
  static ProtobufTarget TargetOf(const SelectedField& field, BuilderNode& child) {
    ProtobufTarget target;
    target.name = field.name;
    target.presence = field.presence;
    target.node = &child;
    target.axis = child.axes.empty() ? nullptr : child.axes.data();
    target.is_singular = field.presence != Presence::kRepeated;
    if (child.kind == Kind::kColumn) {
      target.is_text = child.dtype == DType::kString;
      size_t width = target.is_text ? sizeof(int64_t) : SizeOf(child.dtype);
      target.width_log2 = static_cast<uint8_t>(std::countr_zero(width));
    }
    return target;
  }

  Status AddFilled(ProtobufTable& table, const SelectedField& field, BuilderNode& child,
                   Oneofs& oneofs) {
    ProtobufTarget& target = table.targets.emplace_back(TargetOf(field, child));
    size_t index = table.targets.size() - 1;
    if (field.message != nullptr) {
      SIGNET_ASSIGN_OR_RETURN(target.message, Compile(*field.message, child, &table));
    }
    switch (field.source) {
      case Source::kField:
        if (const auto* oneof = OneofOf(field)) {
          int& known = oneofs.at(oneof);
          if (known < 0) {
            known = static_cast<int>(table.oneofs.size());
            table.oneofs.emplace_back();
          }
          target.oneof = known;
        }
        if (field.field->is_map()) {
          target.is_late = true;
          MapOf(table, *field.field).whole = &target;
        } else {
          AddSlots(table, *field.field, index);
        }
        break;
      case Source::kMapLookup:
        return AddLookup(table, field, child, target);
      case Source::kAnyCast:
        target.is_late = true;
        table.any.casts.push_back({field.key, &target});
        break;
    }
    return absl::OkStatus();
  }

  // Returns the object that stores the entries of a map. Creates it on the first call.
  ProtobufMap& MapOf(ProtobufTable& table, const pb::FieldDescriptor& map) {
    for (const ProtobufSlot& slot : table.slots) {
      if (slot.op == Op::kMapEntry && slot.tag == WireTag(map.number(), WireType::kBytes)) {
        return table.maps[slot.index];
      }
    }
    const pb::FieldDescriptor& key = *map.message_type()->map_key();
    OpOfType ops = OpOf(key.type());
    ProtobufMap& out = table.maps.emplace_back();
    out.key_tag = WireTag(key.number(), ops.wire);
    out.key_op = ops.op;
    out.key_is_signed = IsSigned(key);
    AddSlot(table, map.number(), WireType::kBytes, Op::kMapEntry, table.maps.size() - 1);
    return out;
  }

  Status AddLookup(ProtobufTable& table, const SelectedField& field, BuilderNode& child,
                   ProtobufTarget& target) {
    const pb::Descriptor& entry_type = *field.field->message_type();
    target.is_late = true;
    ProtobufTable& entry = tables_.emplace_back();
    entry.parent = &table;
    entry.in_parent = &target;
    ProtobufTarget& value = entry.targets.emplace_back(TargetOf(field, child));
    value.presence = Presence::kDense;
    value.axis = nullptr;  // belongs to the target of the field
    value.message = target.message;
    entry.num_filled = 1;
    entry.can_miss = value.message != nullptr && value.message->can_miss;
    AddSlots(entry, *entry_type.map_value(), 0);
    Complete(entry);
    ProtobufMap::Lookup lookup = {field.key, {}, &target, &entry};
    ProtobufMap& map = MapOf(table, *field.field);
    map.lookups.push_back(std::move(lookup));
    // The text may have moved, and keys point into it.
    for (auto& each : map.lookups) {
      SIGNET_ASSIGN_OR_RETURN(each.key, KeyFromText(*entry_type.map_key(), each.text));
    }
    return absl::OkStatus();
  }

  static void AddNoted(ProtobufTable& table, const pb::FieldDescriptor& field, Presence presence,
                       int oneof) {
    ProtobufTarget& target = table.targets.emplace_back();
    target.name = field.name();
    target.presence = presence;
    target.is_singular = true;
    target.oneof = oneof;
    AddSlot(table, field.number(), OpOf(field.type()).wire, Op::kNote, table.targets.size() - 1);
  }

  // Adds the fields of an Any that casts require.
  static void AddAnyFields(ProtobufTable& table, const pb::Descriptor& type) {
    for (int number : {1, 2}) {
      Op op = number == 1 ? Op::kAnyUrl : Op::kAnyValue;
      uint32_t tag = WireTag(number, WireType::kBytes);
      auto known = std::find_if(table.slots.begin(), table.slots.end(),
                                [&](const ProtobufSlot& slot) { return slot.tag == tag; });
      if (known != table.slots.end()) {
        known->op = op;
        continue;
      }
      AddNoted(table, *type.FindFieldByNumber(number), Presence::kOptional, -1);
      table.slots.back().op = op;
    }
  }

  // A member that is not read still replaces the members that are.
  static void AddOtherMembers(ProtobufTable& table, const Oneofs& oneofs) {
    for (const auto& [oneof, index] : oneofs) {
      if (index < 0) continue;
      for (int i = 0; i < oneof->field_count(); ++i) {
        const pb::FieldDescriptor& member = *oneof->field(i);
        uint32_t tag = WireTag(member.number(), OpOf(member.type()).wire);
        bool is_known = std::any_of(table.slots.begin(), table.slots.end(),
                                    [&](const ProtobufSlot& slot) { return slot.tag == tag; });
        if (!is_known) AddNoted(table, member, Presence::kOptional, index);
      }
    }
  }

  // Called when all targets and slots exist.
  static void Complete(ProtobufTable& table) {
    for (size_t i = 0; i < table.num_filled; ++i) {
      ProtobufTarget& target = table.targets[i];
      if (target.has_end()) table.ends.push_back(&target);
      if (target.axis != nullptr) table.dimensions.push_back(&target);
    }
    std::sort(table.slots.begin(), table.slots.end(),
              [](const ProtobufSlot& a, const ProtobufSlot& b) { return a.tag < b.tag; });
    table.short_tags.resize(0x80);
    for (ProtobufSlot& slot : table.slots) {
      if (slot.op == Op::kMapEntry) {
        const ProtobufMap& map = table.maps[slot.index];
        slot.target = map.whole != nullptr ? map.whole : map.lookups.front().target;
      } else {
        slot.target = &table.targets[slot.index];
      }
      if (slot.tag >= ProtobufTable::kShortTags) continue;
      if (slot.tag >= table.short_tags.size()) table.short_tags.resize(slot.tag + 1);
      table.short_tags[slot.tag] = &slot;
    }
  }

  std::deque<ProtobufTable>& tables_;
};

StatusOr<ProtobufTables> ProtobufTables::Compile(const SelectedMessage& selection,
                                                 BuilderTree& tree,
                                                 const std::vector<bool>& needs) {
  ProtobufTables out;
  SIGNET_RETURN_IF_ERROR(MarkNeeded(*tree.root(), needs));
  Status status = Compiler(out.tables_).Compile(selection, *tree.root(), nullptr).status();
  if (status.ok()) return out;
  std::string where = Cat("`", Printable(FieldOf(status)), "`");
  return At(where, std::move(status));
}

}  // namespace signet
