#include "client/cli/json_type.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/types/identifier.h"
#include "signet/cat.h"

namespace signet {
namespace {

using JsonValue = nlohmann::ordered_json;

constexpr int kMaxDepth = 32;

// What is known of the values at one place in the records.
struct Place {
  enum class Kind : uint8_t { kUnknown, kBool, kInt32, kInt64, kFloat, kText, kList, kRecord };
  struct Field;

  Kind kind = Kind::kUnknown;
  bool has_null = false;
  size_t records = 0;
  std::vector<Field> fields = {};         // of records, in the order of their first appearance
  std::unique_ptr<Place> item = nullptr;  // of lists
};

struct Place::Field {
  std::string name;
  size_t count = 0;  // records that have it
  Place place = {};
};

std::string_view NameOf(Place::Kind kind) {
  switch (kind) {
    case Place::Kind::kUnknown:
      return "nothing";
    case Place::Kind::kBool:
      return "a bool";
    case Place::Kind::kInt32:
    case Place::Kind::kInt64:
    case Place::Kind::kFloat:
      return "a number";
    case Place::Kind::kText:
      return "text";
    case Place::Kind::kList:
      return "a list";
    case Place::Kind::kRecord:
      return "an object";
  }
  return {};
}

Place::Kind KindOf(const JsonValue& json) {
  using Kind = Place::Kind;
  if (json.is_boolean()) return Kind::kBool;
  if (json.is_string()) return Kind::kText;
  if (json.is_array()) return Kind::kList;
  if (json.is_object()) return Kind::kRecord;
  if (json.is_number_unsigned()) {
    const auto value = json.get<uint64_t>();
    if (value <= uint64_t{std::numeric_limits<int32_t>::max()}) return Kind::kInt32;
    return value <= uint64_t{std::numeric_limits<int64_t>::max()} ? Kind::kInt64 : Kind::kFloat;
  }
  if (json.is_number_integer()) {
    return json.get<int64_t>() >= std::numeric_limits<int32_t>::min() ? Kind::kInt32 : Kind::kInt64;
  }
  return Kind::kFloat;
}

bool IsNumber(Place::Kind kind) {
  return kind == Place::Kind::kInt32 || kind == Place::Kind::kInt64 || kind == Place::Kind::kFloat;
}

// Adds a value to what is known of its place. `path` is where it is, such as `[3].items[0].price`.
Status Add(const JsonValue& json, const std::string& path, int depth, Place& out) {
  if (depth > kMaxDepth) return InvalidArgument("`", path, "`: more than ", kMaxDepth, " levels");
  if (json.is_null()) {
    out.has_null = true;
    return absl::OkStatus();
  }
  const Place::Kind kind = KindOf(json);
  if (out.kind == Place::Kind::kUnknown) {
    out.kind = kind;
  } else if (IsNumber(out.kind) && IsNumber(kind)) {
    out.kind = std::max(out.kind, kind);
  } else if (out.kind != kind) {
    return InvalidArgument("`", path, "`: expected ", NameOf(out.kind),
                           ", as in the values before it, found ", NameOf(kind));
  }
  if (kind == Place::Kind::kList) {
    if (out.item == nullptr) out.item = std::make_unique<Place>();
    for (size_t i = 0; i < json.size(); ++i) {
      SIGNET_RETURN_IF_ERROR(Add(json[i], Cat(path, "[", i, "]"), depth + 1, *out.item));
      if (json[i].is_null()) {
        return InvalidArgument("`", path, "[", i, "]`: expected a value, found null in a list");
      }
    }
  }
  if (kind != Place::Kind::kRecord) return absl::OkStatus();
  ++out.records;
  for (const auto& [name, value] : json.items()) {
    if (!IsIdentifier(name)) {
      return InvalidArgument("`", path, "`: expected keys of letters, digits, and `_`, found `",
                             Printable(name), "`; records have no other names of fields");
    }
    auto field = std::find_if(out.fields.begin(), out.fields.end(),
                              [&name = name](const auto& each) { return each.name == name; });
    if (field == out.fields.end()) {
      field = out.fields.insert(out.fields.end(), Place::Field{.name = name});
    }
    ++field->count;
    SIGNET_RETURN_IF_ERROR(
        Add(value, path.empty() ? name : Cat(path, ".", name), depth + 1, field->place));
  }
  return absl::OkStatus();
}

class Writer {
 public:
  explicit Writer(std::vector<std::string>& notes) : notes_(notes) {}

  // Returns the type of `place`, which is in `lists` lists within a record.
  std::string Write(const Place& place, const std::string& path, size_t lists) {
    const char* dtype = "float32";
    switch (place.kind) {
      case Place::Kind::kList:
        return Write(*place.item, Cat(path, "[]"), lists + 1);
      case Place::Kind::kRecord: {
        std::string record = WriteRecord(place, path);
        for (size_t i = 0; i < lists; ++i) record = Cat("[", record, "]");
        return record;
      }
      case Place::Kind::kUnknown:
        notes_.push_back(Cat("`", path, "` is an empty list everywhere; float32 is a guess"));
        break;
      case Place::Kind::kBool:
        dtype = "bool";
        break;
      case Place::Kind::kInt32:
        dtype = "int32";
        integers_.push_back(path);
        break;
      case Place::Kind::kInt64:
        dtype = "int64";
        integers_.push_back(path);
        break;
      case Place::Kind::kFloat:
        break;
      case Place::Kind::kText:
        dtype = "string";
        break;
    }
    std::string dims;
    for (size_t i = 0; i < lists; ++i) dims += i == 0 ? "(?)" : ", (?)";
    return Cat(dtype, "[", dims, "]");
  }

  // Adds a note about the numbers that are integers in all records.
  void NoteIntegers() {
    if (integers_.empty()) return;
    notes_.push_back(Cat("all numbers here are integers: ", ListNames(std::move(integers_)),
                         "; write float32 for a field that may also have fractions"));
  }

 private:
  std::string WriteRecord(const Place& record, const std::string& path) {
    std::string out = "{";
    for (const Place::Field& field : record.fields) {
      const std::string name = path.empty() ? field.name : Cat(path, ".", field.name);
      if (field.place.kind == Place::Kind::kUnknown) {
        notes_.push_back(Cat("`", name,
                             "` is null everywhere, so its type is not known; it is left "
                             "out"));
        continue;
      }
      const bool is_optional = field.place.has_null || field.count < record.records;
      out += Cat(out.size() > 1 ? ", " : "", field.name, is_optional ? "?" : "", ": ",
                 Write(field.place, name, 0));
    }
    return out + "}";
  }

  std::vector<std::string>& notes_;
  std::vector<std::string> integers_;  // paths
};

}  // namespace

bool IsListOfRecords(const JsonValue& json) {
  if (!json.is_array()) return false;
  return std::any_of(json.begin(), json.end(),
                     [](const JsonValue& each) { return each.is_object(); });
}

StatusOr<std::string> TypeOfRecords(const JsonValue& records, std::vector<std::string>& notes) {
  Place place{.kind = Place::Kind::kRecord};
  for (size_t i = 0; i < records.size(); ++i) {
    if (!records[i].is_object()) {
      return InvalidArgument("`[", i, "]`: expected a record, found ",
                             records[i].is_null() ? "null" : NameOf(KindOf(records[i])));
    }
    Status status = Add(records[i], "", 0, place);
    if (!status.ok()) return At(Cat("`[", i, "]`"), std::move(status));
  }
  Writer writer(notes);
  std::string type = Cat("[", writer.Write(place, "", 0), "]");
  writer.NoteIntegers();
  return type;
}

}  // namespace signet
