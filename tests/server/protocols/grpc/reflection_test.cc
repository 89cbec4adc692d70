#include "server/protocols/grpc/reflection.h"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include "grpc/reflection/v1/reflection.grpc.pb.h"
#include "grpc/reflection/v1alpha/reflection.grpc.pb.h"
#include "tests/server/test_server.h"

namespace signet {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

// One version of the protocol; the tests run for each.
struct VersionOne {
  using Service = grpc::reflection::v1::ServerReflection;
  using Request = grpc::reflection::v1::ServerReflectionRequest;
  using Response = grpc::reflection::v1::ServerReflectionResponse;
};
struct VersionOneAlpha {
  using Service = grpc::reflection::v1alpha::ServerReflection;
  using Request = grpc::reflection::v1alpha::ServerReflectionRequest;
  using Response = grpc::reflection::v1alpha::ServerReflectionResponse;
};

template <class Version>
class ReflectionTest : public testing::Test {
 protected:
  using Request = typename Version::Request;
  using Response = typename Version::Response;

  Response Ask(const Request& request) {
    grpc::ClientContext context;
    auto stub = Version::Service::NewStub(test_.MakeChannel());
    auto stream = stub->ServerReflectionInfo(&context);
    Response response;
    EXPECT_TRUE(stream->Write(request));
    EXPECT_TRUE(stream->Read(&response));
    stream->WritesDone();
    EXPECT_TRUE(stream->Finish().ok());
    return response;
  }

  // Checks that the files of `response` can be built, as a client does.
  std::set<std::string> FilesIn(const Response& response) {
    google::protobuf::DescriptorPool pool;
    std::map<std::string, google::protobuf::FileDescriptorProto> files;
    for (const std::string& bytes : response.file_descriptor_response().file_descriptor_proto()) {
      google::protobuf::FileDescriptorProto file;
      EXPECT_TRUE(file.ParseFromString(bytes));
      files[file.name()] = file;
    }
    std::set<std::string> built;
    while (built.size() < files.size()) {
      size_t before = built.size();
      for (const auto& [name, file] : files) {
        bool is_ready = !built.contains(name);
        for (const std::string& needed : file.dependency()) is_ready &= built.contains(needed);
        if (is_ready && pool.BuildFile(file) != nullptr) built.insert(name);
      }
      if (built.size() == before) break;
    }
    EXPECT_EQ(built.size(), files.size());
    return built;
  }

  TestServer test_;
};

using Versions = testing::Types<VersionOne, VersionOneAlpha>;
TYPED_TEST_SUITE(ReflectionTest, Versions);

TYPED_TEST(ReflectionTest, ListsEveryServiceAndDescribesIt) {
  typename TypeParam::Request request;
  request.set_list_services("");
  auto response = this->Ask(request);
  std::vector<std::string> names;
  for (const auto& service : response.list_services_response().service()) {
    names.push_back(service.name());
  }
  EXPECT_THAT(names, UnorderedElementsAre("signet.v1.TensorService", "grpc.health.v1.Health",
                                          "tensorflow.serving.PredictionService",
                                          "tensorflow.serving.ModelService",
                                          "grpc.reflection.v1.ServerReflection",
                                          "grpc.reflection.v1alpha.ServerReflection"));
  for (const std::string& name : names) {
    request.set_file_containing_symbol(name);
    EXPECT_FALSE(this->FilesIn(this->Ask(request)).empty()) << name;
  }
}

TYPED_TEST(ReflectionTest, SendsFilesWithTheirImports) {
  typename TypeParam::Request request;
  request.set_file_by_filename("signet/v1/service.proto");
  EXPECT_THAT(this->FilesIn(this->Ask(request)), Contains("signet/v1/values.proto"));
  request.set_file_containing_symbol("signet.v1.TensorService.Call");
  EXPECT_THAT(this->FilesIn(this->Ask(request)), Contains("signet/v1/service.proto"));
}

TYPED_TEST(ReflectionTest, RejectsWhatItDoesNotKnow) {
  typename TypeParam::Request request;
  auto error_of = [&] { return this->Ask(request).error_response(); };
  EXPECT_EQ(error_of().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  request.set_file_containing_symbol("no.such.Symbol");
  EXPECT_EQ(error_of().error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(error_of().error_message(), HasSubstr("`no.such.Symbol` not found"));
  request.set_file_by_filename("none.proto");
  EXPECT_EQ(error_of().error_code(), grpc::StatusCode::NOT_FOUND);
  request.set_all_extension_numbers_of_type("no.such.Type");
  EXPECT_EQ(error_of().error_code(), grpc::StatusCode::NOT_FOUND);
  request.mutable_file_containing_extension()->set_containing_type("signet.v1.CallRequest");
  EXPECT_EQ(error_of().error_code(), grpc::StatusCode::NOT_FOUND);
  request.set_all_extension_numbers_of_type("signet.v1.CallRequest");
  EXPECT_EQ(this->Ask(request).all_extension_numbers_response().extension_number_size(), 0);
}

}  // namespace
}  // namespace signet
