// Laws, on random schemas and messages: rows read straight into columns are what protobuf's own
// DynamicMessage has, also of bytes that were put together, shuffled or broken; and a column that
// is needed is the same whichever others are.

#include <algorithm>
#include <map>
#include <memory>
#include <random>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>

#include "core/formats/json/json.h"
#include "core/formats/protobuf/protobuf_rows.h"
#include "core/values/builders/value_builder.h"
#include "signet/structured_spec.h"

namespace signet {
namespace {

namespace pb = google::protobuf;
using Field = pb::FieldDescriptorProto;

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  uint64_t Bits() { return engine_(); }
  int Below(int n) { return static_cast<int>(engine_() % static_cast<uint64_t>(n)); }
  bool Chance(double p) { return std::uniform_real_distribution<>(0, 1)(engine_) < p; }

 private:
  std::mt19937_64 engine_;
};

// --- schemas ------------------------------------------------------------------------------------

constexpr int kMessages = 5;

// Messages M0 to M4; fields of one are of those behind it, so that no type contains itself.
class SchemaMaker {
 public:
  SchemaMaker(Random& random, bool is_proto3) : random_(random), is_proto3_(is_proto3) {}

  pb::FileDescriptorProto Make() {
    file_.set_name("random.proto");
    if (is_proto3_) file_.set_syntax("proto3");
    auto& color = *file_.add_enum_type();
    color.set_name("Color");
    for (int i = 0; i < 3; ++i) {
      color.add_value()->set_name("C" + std::to_string(i));
      color.mutable_value(i)->set_number(i == 2 ? -1 : i);
    }
    for (int i = 0; i < kMessages; ++i) file_.add_message_type();
    for (int i = 0; i < kMessages; ++i) FillMessage(i);
    return file_;
  }

 private:
  void FillMessage(int index) {
    auto& message = *file_.mutable_message_type(index);
    message.set_name("M" + std::to_string(index));
    int num_fields = random_.Below(8);
    std::vector<Field*> optional;
    bool has_oneof = random_.Chance(0.4);
    if (has_oneof) message.add_oneof_decl()->set_name("one");
    for (int i = 0; i < num_fields; ++i) {
      Field& field = *message.add_field();
      field.set_name("f" + std::to_string(i));
      // Numbers of one, two and three bytes, none twice.
      int number = i + 1 + (random_.Chance(0.3) ? 20 : 0) + (random_.Chance(0.1) ? 3000 : 0);
      field.set_number(number);
      if (random_.Chance(0.15)) {
        SetMap(message, index, field);
        continue;
      }
      SetType(index, field, true);
      int label = random_.Below(10);
      field.set_label(label < 4                  ? Field::LABEL_REPEATED
                      : label < 6 && !is_proto3_ ? Field::LABEL_REQUIRED
                                                 : Field::LABEL_OPTIONAL);
      bool is_scalar = !field.has_type_name() || field.type() == Field::TYPE_ENUM;
      if (is_proto3_ && is_scalar && field.label() == Field::LABEL_OPTIONAL &&
          random_.Chance(0.4)) {
        optional.push_back(&field);
      }
      bool is_text = field.type() == Field::TYPE_BYTES || field.type() == Field::TYPE_STRING;
      if (is_scalar && !is_text && field.label() == Field::LABEL_REPEATED && random_.Chance(0.5)) {
        field.mutable_options()->set_packed(random_.Chance(0.5));
      }
    }
    for (int i = 0; has_oneof && i < 3; ++i) {
      Field& field = *message.add_field();
      field.set_name("member" + std::to_string(i));
      field.set_number(13 + i * 20);
      field.set_label(Field::LABEL_OPTIONAL);
      field.set_oneof_index(0);
      SetType(index, field, true);
    }
    for (Field* field : optional) {
      field->set_proto3_optional(true);
      field->set_oneof_index(message.oneof_decl_size());
      message.add_oneof_decl()->set_name("_" + field->name());
    }
  }

  void SetType(int index, Field& field, bool may_be_group) {
    constexpr Field::Type kScalars[] = {
        Field::TYPE_DOUBLE,   Field::TYPE_FLOAT,  Field::TYPE_INT64,    Field::TYPE_UINT64,
        Field::TYPE_INT32,    Field::TYPE_UINT32, Field::TYPE_FIXED64,  Field::TYPE_FIXED32,
        Field::TYPE_SFIXED64, Field::TYPE_SINT32, Field::TYPE_SFIXED32, Field::TYPE_SINT64,
        Field::TYPE_BOOL,     Field::TYPE_BYTES,  Field::TYPE_BYTES,    Field::TYPE_ENUM};
    if (index + 1 < kMessages && random_.Chance(0.4)) {
      bool is_group = may_be_group && !is_proto3_ && random_.Chance(0.3);
      field.set_type(is_group ? Field::TYPE_GROUP : Field::TYPE_MESSAGE);
      int other = index + 1 + random_.Below(kMessages - index - 1);
      field.set_type_name(".M" + std::to_string(other));
      return;
    }
    field.set_type(kScalars[random_.Below(std::size(kScalars))]);
    if (field.type() == Field::TYPE_ENUM) field.set_type_name(".Color");
  }

  void SetMap(pb::DescriptorProto& message, int index, Field& field) {
    constexpr Field::Type kKeys[] = {Field::TYPE_INT32,    Field::TYPE_SINT64, Field::TYPE_FIXED32,
                                     Field::TYPE_SFIXED32, Field::TYPE_BOOL,   Field::TYPE_STRING,
                                     Field::TYPE_SFIXED64, Field::TYPE_UINT64, Field::TYPE_SINT32};
    auto& entry = *message.add_nested_type();
    entry.set_name("F" + field.name().substr(1) + "Entry");
    entry.mutable_options()->set_map_entry(true);
    for (int number : {1, 2}) {
      Field& part = *entry.add_field();
      part.set_name(number == 1 ? "key" : "value");
      part.set_number(number);
      part.set_label(Field::LABEL_OPTIONAL);
    }
    entry.mutable_field(0)->set_type(kKeys[random_.Below(std::size(kKeys))]);
    SetType(index, *entry.mutable_field(1), false);
    field.set_type(Field::TYPE_MESSAGE);
    field.set_type_name("." + message.name() + "." + entry.name());
    field.set_label(Field::LABEL_REPEATED);
  }

  Random& random_;
  const bool is_proto3_;
  pb::FileDescriptorProto file_;
};

// --- messages -----------------------------------------------------------------------------------

class MessageMaker {
 public:
  MessageMaker(Random& random, double required) : random_(random), required_(required) {}

  void Fill(pb::Message& message, int depth) {
    const pb::Descriptor& type = *message.GetDescriptor();
    bool is_entry = type.options().map_entry();
    for (int i = 0; i < type.field_count(); ++i) {
      const pb::FieldDescriptor& field = *type.field(i);
      if (field.is_repeated()) {
        int count = random_.Below(field.message_type() != nullptr && depth > 2 ? 2 : 4);
        for (int k = 0; k < count; ++k) Set(message, field, depth);
      } else if (random_.Chance(field.is_required() ? required_ : is_entry ? 0.8 : 0.5)) {
        Set(message, field, depth);
      }
    }
  }

 private:
  // Small and large numbers, of either sign.
  uint64_t Number() {
    uint64_t bits = random_.Bits() >> random_.Below(64);
    return random_.Chance(0.3) ? ~bits : random_.Chance(0.2) ? 0 : bits;
  }

  std::string Text(bool is_ascii) {
    std::string out(static_cast<size_t>(random_.Below(random_.Chance(0.2) ? 40 : 6)), 'a');
    for (char& c : out)
      c = static_cast<char>(is_ascii ? 'a' + random_.Below(3) : random_.Below(256));
    return out;
  }

  void Set(pb::Message& message, const pb::FieldDescriptor& field, int depth) {
    using R = pb::Reflection;
    const R& reflection = *message.GetReflection();
    auto put = [&](auto set, auto add, auto value) {
      field.is_repeated() ? (reflection.*add)(&message, &field, value)
                          : (reflection.*set)(&message, &field, value);
    };
    switch (field.cpp_type()) {
      case pb::FieldDescriptor::CPPTYPE_INT32:
        return put(&R::SetInt32, &R::AddInt32, static_cast<int32_t>(Number()));
      case pb::FieldDescriptor::CPPTYPE_INT64:
        return put(&R::SetInt64, &R::AddInt64, static_cast<int64_t>(Number()));
      case pb::FieldDescriptor::CPPTYPE_UINT32:
        return put(&R::SetUInt32, &R::AddUInt32, static_cast<uint32_t>(Number()));
      case pb::FieldDescriptor::CPPTYPE_UINT64:
        return put(&R::SetUInt64, &R::AddUInt64, Number());
      case pb::FieldDescriptor::CPPTYPE_FLOAT:
        return put(&R::SetFloat, &R::AddFloat, static_cast<float>(random_.Below(9) - 4) / 2);
      case pb::FieldDescriptor::CPPTYPE_DOUBLE:
        return put(&R::SetDouble, &R::AddDouble, static_cast<double>(random_.Below(9) - 4) / 2);
      case pb::FieldDescriptor::CPPTYPE_BOOL:
        return put(&R::SetBool, &R::AddBool, random_.Chance(0.5));
      case pb::FieldDescriptor::CPPTYPE_ENUM:
        return put(&R::SetEnumValue, &R::AddEnumValue, random_.Below(3) - 1);
      case pb::FieldDescriptor::CPPTYPE_STRING:
        return put(&R::SetString, &R::AddString,
                   Text(field.type() == pb::FieldDescriptor::TYPE_STRING));
      case pb::FieldDescriptor::CPPTYPE_MESSAGE:
        return Fill(*(field.is_repeated() ? reflection.AddMessage(&message, &field)
                                          : reflection.MutableMessage(&message, &field)),
                    depth + 1);
    }
  }

  Random& random_;
  const double required_;
};

// --- what protobuf has --------------------------------------------------------------------------

// Puts a message into a builder, by the rules of docs/reference/protobuf.md.
class Teller {
 public:
  Teller(ValueBuilder& builder, bool honor) : builder_(builder), honor_(honor) {}

  Status Tell(const pb::Message& message) {
    const pb::Descriptor& type = *message.GetDescriptor();
    const pb::Reflection& reflection = *message.GetReflection();
    SIGNET_RETURN_IF_ERROR(builder_.BeginObject());
    for (int i = 0; i < type.field_count(); ++i) {
      const pb::FieldDescriptor& field = *type.field(i);
      SIGNET_RETURN_IF_ERROR(builder_.Key(field.name()));
      if (field.is_map()) {
        SIGNET_RETURN_IF_ERROR(TellMap(message, field));
      } else if (field.is_repeated()) {
        SIGNET_RETURN_IF_ERROR(builder_.BeginList());
        for (int k = 0; k < reflection.FieldSize(message, &field); ++k) {
          SIGNET_RETURN_IF_ERROR(TellOne(message, field, k));
        }
        SIGNET_RETURN_IF_ERROR(builder_.EndList());
      } else if (field.is_required() || type.options().map_entry()) {
        SIGNET_RETURN_IF_ERROR(TellOne(message, field, -1));
      } else {
        bool is_there = reflection.HasField(message, &field) || (honor_ && !field.has_presence());
        SIGNET_RETURN_IF_ERROR(builder_.BeginList());
        if (is_there) SIGNET_RETURN_IF_ERROR(TellOne(message, field, -1));
        SIGNET_RETURN_IF_ERROR(builder_.EndList());
      }
    }
    return builder_.EndObject();
  }

 private:
  struct Before {
    const pb::FieldDescriptor* key;
    bool operator()(const pb::Message* a, const pb::Message* b) const {
      const pb::Reflection& reflection = *a->GetReflection();
      switch (key->cpp_type()) {
        case pb::FieldDescriptor::CPPTYPE_INT32:
          return reflection.GetInt32(*a, key) < reflection.GetInt32(*b, key);
        case pb::FieldDescriptor::CPPTYPE_INT64:
          return reflection.GetInt64(*a, key) < reflection.GetInt64(*b, key);
        case pb::FieldDescriptor::CPPTYPE_UINT32:
          return reflection.GetUInt32(*a, key) < reflection.GetUInt32(*b, key);
        case pb::FieldDescriptor::CPPTYPE_UINT64:
          return reflection.GetUInt64(*a, key) < reflection.GetUInt64(*b, key);
        case pb::FieldDescriptor::CPPTYPE_BOOL:
          return reflection.GetBool(*a, key) < reflection.GetBool(*b, key);
        default:
          return reflection.GetString(*a, key) < reflection.GetString(*b, key);
      }
    }
  };

  Status TellMap(const pb::Message& message, const pb::FieldDescriptor& field) {
    const pb::Reflection& reflection = *message.GetReflection();
    std::map<const pb::Message*, const pb::Message*, Before> entries(
        Before{field.message_type()->map_key()});
    for (int k = 0; k < reflection.FieldSize(message, &field); ++k) {
      const pb::Message* entry = &reflection.GetRepeatedMessage(message, &field, k);
      entries[entry] = entry;
    }
    SIGNET_RETURN_IF_ERROR(builder_.BeginList());
    for (const auto& [first, last] : entries) SIGNET_RETURN_IF_ERROR(Tell(*last));
    return builder_.EndList();
  }

  // Element `k`, or -1 for a value that is not a list.
  Status TellOne(const pb::Message& message, const pb::FieldDescriptor& field, int k) {
    const pb::Reflection& r = *message.GetReflection();
    const pb::FieldDescriptor* f = &field;
    bool is_element = k >= 0;
    switch (field.cpp_type()) {
      case pb::FieldDescriptor::CPPTYPE_INT32:
        return builder_.Int(is_element ? r.GetRepeatedInt32(message, f, k)
                                       : r.GetInt32(message, f));
      case pb::FieldDescriptor::CPPTYPE_INT64:
        return builder_.Int(is_element ? r.GetRepeatedInt64(message, f, k)
                                       : r.GetInt64(message, f));
      case pb::FieldDescriptor::CPPTYPE_UINT32:
        return builder_.Int(is_element ? r.GetRepeatedUInt32(message, f, k)
                                       : r.GetUInt32(message, f));
      case pb::FieldDescriptor::CPPTYPE_UINT64:
        return builder_.Int(is_element ? r.GetRepeatedUInt64(message, f, k)
                                       : r.GetUInt64(message, f));
      case pb::FieldDescriptor::CPPTYPE_ENUM:
        return builder_.Int(is_element ? r.GetRepeatedEnumValue(message, f, k)
                                       : r.GetEnumValue(message, f));
      case pb::FieldDescriptor::CPPTYPE_FLOAT:
        return builder_.Float(static_cast<double>(is_element ? r.GetRepeatedFloat(message, f, k)
                                                             : r.GetFloat(message, f)));
      case pb::FieldDescriptor::CPPTYPE_DOUBLE:
        return builder_.Float(is_element ? r.GetRepeatedDouble(message, f, k)
                                         : r.GetDouble(message, f));
      case pb::FieldDescriptor::CPPTYPE_BOOL:
        return builder_.Bool(is_element ? r.GetRepeatedBool(message, f, k) : r.GetBool(message, f));
      case pb::FieldDescriptor::CPPTYPE_STRING:
        return builder_.String(is_element ? r.GetRepeatedString(message, f, k)
                                          : r.GetString(message, f));
      case pb::FieldDescriptor::CPPTYPE_MESSAGE:
        return Tell(is_element ? r.GetRepeatedMessage(message, f, k) : r.GetMessage(message, f));
    }
    return Internal("no such type");
  }

  ValueBuilder& builder_;
  const bool honor_;
};

// --- the laws -----------------------------------------------------------------------------------

struct Schema {
  std::shared_ptr<const ProtobufSchema> schema;
  const pb::Descriptor* type;
  pb::DynamicMessageFactory factory;
};

std::unique_ptr<Schema> MakeSchema(Random& random, bool is_proto3) {
  pb::FileDescriptorSet set;
  *set.add_file() = SchemaMaker(random, is_proto3).Make();
  auto parsed = ProtobufSchema::Parse(set.SerializeAsString());
  if (!parsed.ok()) ADD_FAILURE() << parsed.status();
  auto schema = std::make_unique<Schema>();
  schema->schema = *parsed;
  schema->type = schema->schema->LookupMessage("M0");
  return schema;
}

std::string RandomRow(Random& random, Schema& schema, double required) {
  MessageMaker maker(random, required);
  auto serialized = [&] {
    std::unique_ptr<pb::Message> message(schema.factory.GetPrototype(schema.type)->New());
    maker.Fill(*message, 0);
    return message->SerializePartialAsString();
  };
  std::string row = serialized();
  if (random.Chance(0.4)) row += serialized();                                        // merged
  if (random.Chance(0.2)) row = "\xfa\x3f\x02zz" + row + "\xf3\x3f\x08\x01\xf4\x3f";  // unknown
  return row;
}

// Null: protobuf rejects it.
std::unique_ptr<pb::Message> Parse(Schema& schema, const std::string& row) {
  std::unique_ptr<pb::Message> message(schema.factory.GetPrototype(schema.type)->New());
  if (!message->ParsePartialFromString(row) || !message->IsInitialized()) return nullptr;
  return message;
}

StatusOr<Value> Told(Schema& schema, const TypeSpec& spec, const std::vector<std::string>& rows,
                     bool honor) {
  SIGNET_ASSIGN_OR_RETURN(ValueBuilder builder, ValueBuilder::Make(spec));
  SIGNET_RETURN_IF_ERROR(builder.BeginList());
  for (const std::string& row : rows) {
    SIGNET_RETURN_IF_ERROR(Teller(builder, honor).Tell(*Parse(schema, row)));
  }
  SIGNET_RETURN_IF_ERROR(builder.EndList());
  return builder.Finish();
}

StatusOr<Value> ReadRows(Schema& schema, const TypeSpec& spec, const std::vector<std::string>& rows,
                         const ProtobufOptions& options, const std::vector<bool>& needs = {}) {
  std::vector<std::string_view> views(rows.begin(), rows.end());
  return ValueFromProtobufRows(views, *schema.schema, "M0", spec, Limits(), options, needs);
}

TEST(ProtobufPropertyTest, ColumnsAreWhatMessagesHave) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    auto schema = MakeSchema(random, seed % 2 == 1);
    ProtobufOptions options;
    options.honor_proto3_optional_semantics = seed % 4 == 1;
    auto selected = SelectFields(*schema->schema, *schema->type, options, Limits());
    ASSERT_TRUE(selected.ok()) << selected.status();
    TypeSpec spec = *TypeOf(*selected);

    std::vector<std::string> rows(static_cast<size_t>(random.Below(8)));
    for (auto& row : rows) row = RandomRow(random, *schema, 0.95);
    bool is_taken = std::all_of(rows.begin(), rows.end(), [&](const std::string& row) {
      return Parse(*schema, row) != nullptr;
    });
    auto value = ReadRows(*schema, TypeSpec(), rows, options);
    ASSERT_EQ(value.ok(), is_taken) << value.status();
    if (!is_taken) {
      EXPECT_EQ(ReasonOf(value.status()), "MISSING_REQUIRED") << value.status();
      continue;
    }
    auto told = Told(*schema, spec, rows, options.honor_proto3_optional_semantics);
    ASSERT_TRUE(told.ok()) << told.status();
    ASSERT_EQ(value->spec(), told->spec());
    ASSERT_TRUE(SameValue(*value, *told));

    // The same under its own type, and only in part.
    if (!options.honor_proto3_optional_semantics) {
      auto again = ReadRows(*schema, spec, rows, {});
      ASSERT_TRUE(again.ok()) << again.status();
      EXPECT_TRUE(SameValue(*value, *again));
    }
    std::vector<bool> needs(spec.num_components());
    for (size_t i = 0; i < needs.size(); ++i) needs[i] = random.Chance(0.3);
    auto part = ReadRows(*schema, TypeSpec(), rows, options, needs);
    ASSERT_TRUE(part.ok()) << part.status();
    ASSERT_TRUE(
        MakeValue(part->spec(), {part->components().begin(), part->components().end()}).ok());
    for (size_t i = 0; i < needs.size(); ++i) {
      if (!needs[i]) continue;
      EXPECT_TRUE(SameValue(Value(part->components()[i]), Value(value->components()[i]))) << i;
    }
  }
}

TEST(ProtobufPropertyTest, MalformedBytesAreRejectedOrReadTheSame) {
  pb::LogSilencer silence;  // of keys that are not UTF-8
  int both = 0;
  int either = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    auto schema = MakeSchema(random, true);  // whose enums are open
    auto selected = SelectFields(*schema->schema, *schema->type, {}, Limits());
    TypeSpec spec = *TypeOf(*selected);
    for (int i = 0; i < 20; ++i) {
      std::string row = RandomRow(random, *schema, 1);
      for (int flips = random.Below(3); flips >= 0 && !row.empty(); --flips) {
        row[random.Bits() % row.size()] = static_cast<char>(random.Below(256));
      }
      auto value = ReadRows(*schema, TypeSpec(), {row}, {});
      bool is_parsed = Parse(*schema, row) != nullptr;
      ++either;
      if (value.ok() == is_parsed) ++both;
      if (!value.ok() || !is_parsed) continue;
      auto told = Told(*schema, spec, {row}, false);
      ASSERT_TRUE(told.ok()) << told.status();
      // The payload of a NaN may change on its way through a double.
      ASSERT_TRUE(SameValue(*value, *told) || ValueToJson(*value) == ValueToJson(*told));
    }
  }
  // Protobuf takes numbers and tags that are too large, checks text keys for UTF-8, and parses map
  // entries that a later one replaces.
  EXPECT_GT(both, either * 95 / 100);
}

}  // namespace
}  // namespace signet
