#include "server/protocols/grpc/reflection.h"

#include <algorithm>
#include <set>
#include <utility>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include "grpc/reflection/v1/reflection.grpc.pb.h"
#include "grpc/reflection/v1alpha/reflection.grpc.pb.h"
#include "signet/status.h"

namespace signet {
namespace {

namespace pb = google::protobuf;

const pb::DescriptorPool& Pool() { return *pb::DescriptorPool::generated_pool(); }

void AddWithImports(const pb::FileDescriptor* file, std::set<const pb::FileDescriptor*>& seen,
                    std::vector<std::string>& out) {
  if (!seen.insert(file).second) return;
  pb::FileDescriptorProto proto;
  file->CopyTo(&proto);
  out.push_back(proto.SerializeAsString());
  for (int i = 0; i < file->dependency_count(); ++i) AddWithImports(file->dependency(i), seen, out);
}

// Returns the serialized `file` and every file that it imports, or NOT_FOUND if `file` is null.
StatusOr<std::vector<std::string>> FilesOf(const pb::FileDescriptor* file, std::string_view what) {
  if (file == nullptr) return NotFound(what, " not found");
  std::set<const pb::FileDescriptor*> seen;
  std::vector<std::string> out;
  AddWithImports(file, seen, out);
  return out;
}

StatusOr<std::vector<int>> ExtensionNumbersOf(const std::string& type) {
  const pb::Descriptor* message = Pool().FindMessageTypeByName(type);
  if (message == nullptr) return NotFound("message `", Printable(type), "` not found");
  std::vector<const pb::FieldDescriptor*> extensions;
  Pool().FindAllExtensions(message, &extensions);
  std::vector<int> numbers;
  for (const pb::FieldDescriptor* extension : extensions) numbers.push_back(extension->number());
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

const pb::FileDescriptor* FileOfExtension(const std::string& type, int number) {
  const pb::Descriptor* message = Pool().FindMessageTypeByName(type);
  if (message == nullptr) return nullptr;
  const pb::FieldDescriptor* extension = Pool().FindExtensionByNumber(message, number);
  return extension == nullptr ? nullptr : extension->file();
}

// Implements one version of the service. The versions have the same messages in different packages.
template <class Service, class Request, class Response>
class Version final : public Service::CallbackService {
 public:
  Version(Listener& listener, const AccessControl& access, std::vector<std::string> services)
      : listener_(listener), access_(access), services_(std::move(services)) {}

  grpc::ServerBidiReactor<Request, Response>* ServerReflectionInfo(
      grpc::CallbackServerContext* context) override {
    return new Stream(*this, *context);
  }

 private:
  class Stream final : public grpc::ServerBidiReactor<Request, Response> {
   public:
    Stream(const Version& version, grpc::CallbackServerContext& context)
        : version_(version), context_(context) {
      Status permitted = version.access_.Authorize(context, Rpc::kReflection);
      if (!permitted.ok()) {
        this->Finish(grpc::Status(static_cast<grpc::StatusCode>(permitted.code()),
                                  std::string(MessageOf(permitted))));
        return;
      }
      this->StartRead(&request_);
    }

   private:
    void OnReadDone(bool ok) override {
      if (!ok) return this->Finish(grpc::Status::OK);
      version_.listener_.NoteCall(context_);
      response_ = version_.Answer(request_);
      this->StartWrite(&response_);
    }
    void OnWriteDone(bool ok) override {
      if (!ok)
        return this->Finish(
            grpc::Status(grpc::StatusCode::CANCELLED, "the client has ended the stream"));
      this->StartRead(&request_);
    }
    void OnDone() override { delete this; }

    const Version& version_;
    grpc::CallbackServerContext& context_;
    Request request_;
    Response response_;
  };

  Response Answer(const Request& request) const {
    Response response;
    response.set_valid_host(request.host());
    *response.mutable_original_request() = request;
    if (Status status = Fill(request, response); !status.ok()) {
      auto* error = response.mutable_error_response();
      error->set_error_code(static_cast<int>(status.code()));
      error->set_error_message(std::string(MessageOf(status)));
    }
    return response;
  }

  Status Fill(const Request& request, Response& response) const {
    switch (request.message_request_case()) {
      case Request::kFileByFilename:
        return FillFiles(Pool().FindFileByName(request.file_by_filename()),
                         Cat("file `", Printable(request.file_by_filename()), "`"), response);
      case Request::kFileContainingSymbol:
        return FillFiles(Pool().FindFileContainingSymbol(request.file_containing_symbol()),
                         Cat("symbol `", Printable(request.file_containing_symbol()), "`"),
                         response);
      case Request::kFileContainingExtension: {
        const auto& wanted = request.file_containing_extension();
        return FillFiles(FileOfExtension(wanted.containing_type(), wanted.extension_number()),
                         Cat("extension ", wanted.extension_number(), " of `",
                             Printable(wanted.containing_type()), "`"),
                         response);
      }
      case Request::kAllExtensionNumbersOfType: {
        const std::string& type = request.all_extension_numbers_of_type();
        SIGNET_ASSIGN_OR_RETURN(std::vector<int> numbers, ExtensionNumbersOf(type));
        auto* out = response.mutable_all_extension_numbers_response();
        out->set_base_type_name(type);
        for (int number : numbers) out->add_extension_number(number);
        return absl::OkStatus();
      }
      case Request::kListServices: {
        auto* out = response.mutable_list_services_response();
        for (const std::string& name : services_) out->add_service()->set_name(name);
        return absl::OkStatus();
      }
      case Request::MESSAGE_REQUEST_NOT_SET:
        break;
    }
    return InvalidArgument(
        "expected one field of `message_request`, found none that this server supports");
  }

  static Status FillFiles(const pb::FileDescriptor* file, std::string_view what,
                          Response& response) {
    SIGNET_ASSIGN_OR_RETURN(std::vector<std::string> files, FilesOf(file, what));
    auto* out = response.mutable_file_descriptor_response();
    for (std::string& bytes : files) out->add_file_descriptor_proto(std::move(bytes));
    return absl::OkStatus();
  }

  Listener& listener_;
  const AccessControl& access_;
  const std::vector<std::string> services_;
};

namespace reflection_v1 = grpc::reflection::v1;
namespace v1alpha = grpc::reflection::v1alpha;

using VersionOne = Version<reflection_v1::ServerReflection, reflection_v1::ServerReflectionRequest,
                           reflection_v1::ServerReflectionResponse>;
using VersionOneAlpha = Version<v1alpha::ServerReflection, v1alpha::ServerReflectionRequest,
                                v1alpha::ServerReflectionResponse>;

}  // namespace

Reflection::Reflection(Listener& listener, const AccessControl& access,
                       std::vector<std::string> services) {
  services.emplace_back(reflection_v1::ServerReflection::service_full_name());
  services.emplace_back(v1alpha::ServerReflection::service_full_name());
  std::sort(services.begin(), services.end());
  versions_.push_back(std::make_unique<VersionOne>(listener, access, services));
  versions_.push_back(std::make_unique<VersionOneAlpha>(listener, access, services));
}

Reflection::~Reflection() = default;

void Reflection::RegisterWith(grpc::ServerBuilder& builder) {
  for (auto& version : versions_) builder.RegisterService(version.get());
}

}  // namespace signet
