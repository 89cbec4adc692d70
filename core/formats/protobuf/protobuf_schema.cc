#include "core/formats/protobuf/protobuf_schema.h"

#include <algorithm>
#include <map>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

namespace signet {
namespace {

namespace pb = google::protobuf;

// Stores the first fault of a file.
class FirstError : public pb::DescriptorPool::ErrorCollector {
 public:
  void AddError(const std::string& /*file*/, const std::string& element, const pb::Message* /*at*/,
                ErrorLocation /*place*/, const std::string& message) override {
    if (!status_.ok()) return;
    // Messages of protobuf are sentences that end with a period.
    std::string_view fact = message;
    while (!fact.empty() && fact.back() == '.') fact.remove_suffix(1);
    status_ = InvalidArgument("`", Printable(element), "`: ", Printable(fact));
  }
  const Status& status() const { return status_; }

 private:
  Status status_;
};

// Adds files to a pool, each after its imports.
class FileBuilder {
 public:
  FileBuilder(const pb::FileDescriptorSet& set, pb::DescriptorPool& pool) : pool_(pool) {
    for (const auto& file : set.file()) files_.emplace(file.name(), File{&file});
  }

  size_t num_files() const { return files_.size(); }

  // Recursion is limited by the number of files; a cycle of imports is an error.
  Status Build(const std::string& name) {
    File& file = files_.at(name);
    if (file.state == State::kBuilt) return absl::OkStatus();
    if (file.state == State::kBegun) return InvalidArgument("the file imports itself");
    file.state = State::kBegun;
    for (const std::string& import : file.proto->dependency()) {
      if (files_.count(import) == 0) {
        return InvalidArgument("imported file `", Printable(import),
                               "` not found; protoc --include_imports adds it");
      }
      SIGNET_RETURN_IF_ERROR(Build(import));
    }
    FirstError errors;
    if (pool_.BuildFileCollectingErrors(*file.proto, &errors) == nullptr) {
      return errors.status().ok() ? InvalidArgument("the descriptors do not describe a .proto file")
                                  : errors.status();
    }
    file.state = State::kBuilt;
    return absl::OkStatus();
  }

 private:
  enum class State : uint8_t { kNew, kBegun, kBuilt };
  struct File {
    const pb::FileDescriptorProto* proto;
    State state = State::kNew;
  };

  pb::DescriptorPool& pool_;
  std::map<std::string, File> files_;
};

void AppendNames(const pb::Descriptor& type, std::vector<std::string>& out) {
  if (type.options().map_entry()) return;
  out.push_back(type.full_name());
  for (int i = 0; i < type.nested_type_count(); ++i) AppendNames(*type.nested_type(i), out);
}

// The maximum number of files, and therefore the maximum length of a chain of imports.
constexpr int kMaxFiles = 1000;

}  // namespace

class ProtobufSchema::Pool {
 public:
  pb::DescriptorPool pool;
};

ProtobufSchema::ProtobufSchema() : pool_(std::make_unique<Pool>()) {}
ProtobufSchema::~ProtobufSchema() = default;

StatusOr<std::shared_ptr<const ProtobufSchema>> ProtobufSchema::Parse(
    std::string_view descriptor_set) {
  pb::FileDescriptorSet set;
  if (descriptor_set.size() > INT32_MAX ||
      !set.ParseFromArray(descriptor_set.data(), static_cast<int>(descriptor_set.size()))) {
    return InvalidArgument(
        "expected a serialized google.protobuf.FileDescriptorSet, found bytes that do not parse; "
        "it may be truncated");
  }
  if (set.file_size() > kMaxFiles) {
    return InvalidArgument(set.file_size(), " files; the limit is ", kMaxFiles);
  }
  std::shared_ptr<ProtobufSchema> schema(new ProtobufSchema);
  pb::DescriptorPool& pool = schema->pool_->pool;
  FileBuilder builder(set, pool);
  if (builder.num_files() != static_cast<size_t>(set.file_size())) {
    return InvalidArgument("duplicate file name");
  }
  for (const auto& proto : set.file()) {
    SIGNET_RETURN_IF_ERROR(
        At(Cat("file `", Printable(proto.name()), "`"), builder.Build(proto.name())));
    const pb::FileDescriptor* file = pool.FindFileByName(proto.name());
    for (int i = 0; i < file->message_type_count(); ++i) {
      AppendNames(*file->message_type(i), schema->message_names_);
    }
  }
  std::sort(schema->message_names_.begin(), schema->message_names_.end());
  return schema;
}

StatusOr<const pb::Descriptor*> ProtobufSchema::FindMessage(std::string_view name) const {
  if (const pb::Descriptor* type = LookupMessage(name)) return type;
  return NotFound("no message type `", Printable(name),
                  "`; message types: ", ListNames(message_names_));
}

const pb::Descriptor* ProtobufSchema::LookupMessage(std::string_view name) const {
  return pool_->pool.FindMessageTypeByName(std::string(name));
}

const pb::FieldDescriptor* ProtobufSchema::LookupExtension(std::string_view name) const {
  return pool_->pool.FindExtensionByName(std::string(name));
}

}  // namespace signet
