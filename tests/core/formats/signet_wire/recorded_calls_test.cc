#include "core/formats/signet_wire/recorded_calls.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

using ::testing::HasSubstr;

v1::RecordedCall CallOf(const std::string& function) {
  v1::RecordedCall call;
  call.set_arrival_unix_nano(7);
  call.mutable_request()->set_function(function);
  return call;
}

class RecordedCallsTest : public testing::Test {
 protected:
  // Writes a file with these bytes and opens it.
  StatusOr<RecordedCallReader> Open(const std::string& bytes) {
    const auto path = folder_.path() / "calls.rec";
    std::ofstream(path, std::ios::binary) << bytes;
    return RecordedCallReader::Open(path);
  }

  TemporaryFolder folder_;
};

TEST_F(RecordedCallsTest, ReadsWhatWasWritten) {
  const std::string long_name(300, 'f');
  auto reader = Open(RecordOf(CallOf("short")) + RecordOf(CallOf(long_name)));
  ASSERT_TRUE(reader.ok()) << reader.status();
  for (const std::string& name : {std::string("short"), long_name}) {
    auto call = reader->Next();
    ASSERT_TRUE(call.ok() && call->has_value()) << call.status();
    EXPECT_EQ((*call)->request().function(), name);
    EXPECT_FALSE((*call)->has_response_hash());
  }
  auto end = reader->Next();
  ASSERT_TRUE(end.ok()) << end.status();
  EXPECT_FALSE(end->has_value());
}

TEST_F(RecordedCallsTest, RejectsEveryTruncation) {
  const std::string first = RecordOf(CallOf("first"));
  const std::string both = first + RecordOf(CallOf("second"));
  for (size_t size = first.size() + 1; size < both.size(); ++size) {
    auto reader = Open(both.substr(0, size));
    ASSERT_TRUE(reader.ok()) << reader.status();
    EXPECT_TRUE(reader->Next().ok());
    auto second = reader->Next();
    EXPECT_EQ(second.status().code(), absl::StatusCode::kDataLoss) << size;
    EXPECT_THAT(std::string(MessageOf(second.status())), HasSubstr(Cat("byte ", first.size())));
  }
}

TEST_F(RecordedCallsTest, RejectsFilesOfZeros) {
  auto reader = Open(std::string(10, '\0'));
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_THAT(MessageOf(reader->Next().status()),
              HasSubstr("expected a recorded call with a request"));
}

TEST_F(RecordedCallsTest, RejectsSizesThatExceedTheFile) {
  for (const std::string& bytes : {std::string("\xff\xff\xff\xff\x7f", 5), std::string(11, '\xff'),
                                   std::string("\x02zz", 3)}) {
    auto reader = Open(bytes);
    ASSERT_TRUE(reader.ok()) << reader.status();
    EXPECT_EQ(reader->Next().status().code(), absl::StatusCode::kDataLoss);
    EXPECT_TRUE(reader->Next().ok());  // the end
  }
  EXPECT_EQ(RecordedCallReader::Open(folder_.path() / "none").status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(RecordedCallsTest, HashesTheResultWithoutTheVersion) {
  v1::CallResponse response;
  response.mutable_result()->mutable_tensor()->set_data("abcd");
  response.set_model_version(3);
  const uint64_t hash = HashOfResponse(response);
  response.set_model_version(4);
  EXPECT_EQ(HashOfResponse(response), hash);
  response.mutable_result()->mutable_tensor()->set_data("abce");
  EXPECT_NE(HashOfResponse(response), hash);
}

}  // namespace
}  // namespace signet
