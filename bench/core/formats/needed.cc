// Needed: compares decoding 2 of the 20 fields of records with decoding all fields.
//
//   JSON          a list of 100,000 records of about 1 KiB: numbers, texts, and short lists
//   protobuf      the same records as serialized messages, one per row
//   Arrow         the same records as an Arrow stream, with columns that are borrowed
//
// Times are for one thread. The other fields are skipped; in JSON, token by token.

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>

#include "bench/subjects.h"
#include "core/formats/arrow/arrow.h"
#include "core/formats/json/json.h"
#include "core/formats/protobuf/protobuf_rows.h"
#include "core/types/notation/notation.h"

namespace signet {
namespace {

namespace pb = google::protobuf;

constexpr double kMostOfAll = 1.0 / 3;
constexpr int kFields = 20;

// Fields f00 to f19 are, in turn, a text, a float, an integer, and a list of floats.
constexpr const char* kTypes[] = {"string[]", "float32[]", "int64[]", "float32[(?)]"};
std::string NameOf(int field) { return Cat("f", field / 10, field % 10); }

StatusOr<TypeSpec> TypeOfRecords() {
  std::vector<std::string> fields;
  for (int i = 0; i < kFields; ++i) fields.push_back(Cat(NameOf(i), ": ", kTypes[i % 4]));
  return ParseTypeSpec(Cat("[{", Join(fields, ", "), "}]"));
}

// Returns for each component whether it is decoded: the float f05 and the integer f10.
std::vector<bool> TwoNeeds(const TypeSpec& type) {
  std::vector<bool> needs;
  for (const ComponentSpec& component : ComponentsOf(type)) {
    bool is_read = component.name.find("f05") != std::string::npos ||
                   component.name.find("f10") != std::string::npos;
    needs.push_back(is_read);
  }
  return needs;
}

StatusOr<std::shared_ptr<const ProtobufSchema>> RecordsSchema() {
  pb::FileDescriptorSet set;
  auto& file = *set.add_file();
  file.set_name("record.proto");
  file.set_syntax("proto3");
  auto& message = *file.add_message_type();
  message.set_name("Record");
  constexpr pb::FieldDescriptorProto::Type kKinds[] = {
      pb::FieldDescriptorProto::TYPE_STRING, pb::FieldDescriptorProto::TYPE_FLOAT,
      pb::FieldDescriptorProto::TYPE_INT64, pb::FieldDescriptorProto::TYPE_FLOAT};
  for (int i = 0; i < kFields; ++i) {
    auto& field = *message.add_field();
    field.set_name(NameOf(i));
    field.set_number(i + 1);
    field.set_type(kKinds[i % 4]);
    field.set_label(i % 4 == 3 ? pb::FieldDescriptorProto::LABEL_REPEATED
                               : pb::FieldDescriptorProto::LABEL_OPTIONAL);
  }
  return ProtobufSchema::Parse(set.SerializeAsString());
}

constexpr std::string_view kText =
    "as much as people write of a thing in a line or two of a form, more or less";

struct Records {
  std::string json;
  std::vector<std::string> rows;
};

Records MakeRecords(const pb::Descriptor& type, int count) {
  Records out;
  pb::DynamicMessageFactory factory;
  std::unique_ptr<pb::Message> message(factory.GetPrototype(&type)->New());
  const pb::Reflection& set = *message->GetReflection();
  out.json = "[";
  for (int row = 0; row < count; ++row) {
    message->Clear();
    out.json += row == 0 ? "{" : ", {";
    for (int i = 0; i < kFields; ++i) {
      const pb::FieldDescriptor* field = type.field(i);
      int number = row * 31 + i * 7;
      float fraction = static_cast<float>(number % 1000) + 0.25f;
      out.json += Cat(i == 0 ? "\"" : ", \"", NameOf(i), "\": ");
      switch (i % 4) {
        case 0: {
          std::string text = Cat("field ", i, " of record ", row, ": ",
                                 kText.substr(static_cast<size_t>(row % 32)));
          out.json += Cat("\"", text, "\"");
          set.SetString(message.get(), field, text);
          break;
        }
        case 1:
          out.json += Cat(fraction);
          set.SetFloat(message.get(), field, fraction);
          break;
        case 2:
          out.json += Cat(number);
          set.SetInt64(message.get(), field, number);
          break;
        default:
          for (int k = 0; k < 5; ++k) {
            out.json += Cat(k == 0 ? "[" : ", ", fraction);
            set.AddFloat(message.get(), field, fraction);
          }
          out.json += "]";
      }
    }
    out.json += "}";
    out.rows.push_back(message->SerializeAsString());
  }
  out.json += "]";
  return out;
}

// Returns the records as one Arrow stream.
StatusOr<Buffer> ArrowOf(const std::string& json, const TypeSpec& type) {
  SIGNET_ASSIGN_OR_RETURN(Value value, ValueFromJson(json, type, Limits()));
  SIGNET_ASSIGN_OR_RETURN(std::vector<Buffer> pieces, ArrowFromValue(value));
  std::string stream;
  for (const Buffer& piece : pieces) stream += piece.text();
  return Buffer::Copy(stream);
}

template <class Read>
Status Measure(std::string_view name, const BenchOptions& options, Report& report,
               const std::vector<bool>& needs, Read read) {
  SIGNET_RETURN_IF_ERROR(read(needs).status());
  Pair pair = MedianPair(
      options, [&] { return TimeOf(options, [&] { Keep(read(needs)); }) / 1000; },
      [&] { return TimeOf(options, [&] { Keep(read(std::vector<bool>())); }) / 1000; });
  report.Add(Compared(Cat("needed: ", name, ", 2 fields of 20"), "us", "all fields", pair,
                      Better::kLower, kMostOfAll));
  return absl::OkStatus();
}

Status BenchAll(const BenchOptions& options, Report& report) {
  SIGNET_ASSIGN_OR_RETURN(TypeSpec type, TypeOfRecords());
  SIGNET_ASSIGN_OR_RETURN(auto schema, RecordsSchema());
  SIGNET_ASSIGN_OR_RETURN(const auto* message, schema->FindMessage("Record"));
  Records records = MakeRecords(*message, options.quick ? 1000 : 100000);
  std::vector<bool> needs = TwoNeeds(type);
  SIGNET_RETURN_IF_ERROR(Measure("JSON", options, report, needs, [&](const auto& what) {
    return ValueFromJson(records.json, type, Limits(), what);
  }));
  std::vector<std::string_view> views(records.rows.begin(), records.rows.end());
  SIGNET_RETURN_IF_ERROR(Measure("protobuf", options, report, needs, [&](const auto& what) {
    return ValueFromProtobufRows(views, *schema, "Record", type, Limits(), {}, what);
  }));
  SIGNET_ASSIGN_OR_RETURN(Buffer stream, ArrowOf(records.json, type));
  return Measure("Arrow", options, report, needs,
                 [&](const auto& what) { return ValueFromArrow(stream, type, Limits(), what); });
}

}  // namespace

void BenchNeeded(const BenchOptions& options, Report& report) {
  if (Status status = BenchAll(options, report); !status.ok()) {
    report.Skip("needed", MessageOf(status));
  }
}

}  // namespace signet
