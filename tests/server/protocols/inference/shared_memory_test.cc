#include "server/protocols/inference/shared_memory.h"

#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace signet {
namespace {

using testing::HasSubstr;

// A memory object of 4096 bytes, as a client makes it.
class SharedMemoryTest : public testing::Test {
 protected:
  SharedMemoryTest() : file_(shm_open(key_.c_str(), O_CREAT | O_EXCL | O_RDWR, 0600)) {
    EXPECT_GE(file_, 0);
    EXPECT_EQ(ftruncate(file_, 4096), 0);
  }
  ~SharedMemoryTest() override {
    shm_unlink(key_.c_str());
    close(file_);
  }

  Status Register(std::string name, uint64_t offset, uint64_t size) {
    return regions_.Register(
        {.name = std::move(name), .key = key_, .offset = offset, .size = size});
  }

  const std::string key_ = Cat("/signet-test-", getpid());
  const int file_;
  SharedMemoryRegions regions_;
};

TEST_F(SharedMemoryTest, ReadsAndWritesParts) {
  ASSERT_TRUE(Register("a", 100, 50).ok());
  ASSERT_EQ(pwrite(file_, "hello", 5, 110), 5);
  auto read = regions_.Read({.region = "a", .offset = 10, .size = 5});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->text(), "hello");
  ASSERT_TRUE(regions_.Write({.region = "a", .offset = 45, .size = 5}, Buffer::Copy("12345")).ok());
  std::string found(5, '\0');
  ASSERT_EQ(pread(file_, found.data(), 5, 145), 5);
  EXPECT_EQ(found, "12345");
  // An unregistered region can be registered again.
  regions_.Unregister("a");
  EXPECT_TRUE(regions_.empty());
  EXPECT_TRUE(Register("a", 0, 4096).ok());
}

TEST_F(SharedMemoryTest, ChecksBounds) {
  for (auto [offset, size] : {std::pair<uint64_t, uint64_t>{0, 4097},
                              {4096, 1},
                              {4097, 1},
                              {UINT64_MAX, 2},
                              {2, UINT64_MAX},
                              {0, 0}}) {
    EXPECT_THAT(std::string(MessageOf(Register("a", offset, size))), HasSubstr("invalid args"));
  }
  ASSERT_TRUE(Register("a", 0, 100).ok());
  struct Case {
    uint64_t offset, size;
    const char* error;
  };
  for (const auto& [offset, size, error] :
       {Case{0, 101, "Invalid offset + byte size for shared memory region: 'a'"},
        {99, 2, "Invalid offset + byte size for shared memory region: 'a'"},
        {100, 1, "Invalid offset for shared memory region: 'a'"},
        {101, 0, "Invalid offset for shared memory region: 'a'"},
        {UINT64_MAX, 2, "Invalid offset for shared memory region: 'a'"},
        {2, UINT64_MAX, "Integer overflow detected: byte_size "}}) {
    auto read = regions_.Read({.region = "a", .offset = offset, .size = size});
    EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument) << offset << " " << size;
    EXPECT_THAT(std::string(MessageOf(read.status())), HasSubstr(error));
  }
  EXPECT_EQ(regions_.Read({.region = "b", .size = 1}).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(SharedMemoryTest, RejectsNamesAndKeys) {
  ASSERT_TRUE(Register("a", 0, 100).ok());
  EXPECT_EQ(Register("a", 0, 100).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_FALSE(Register("", 0, 100).ok());
  for (std::string key : {"", "/", ".", "..", "../tmp", "/a/b", "/etc/passwd", "/nothing-there"}) {
    EXPECT_EQ(regions_.Register({.name = "b", .key = key, .offset = 0, .size = 1}).code(),
              absl::StatusCode::kInvalidArgument)
        << key;
  }
  EXPECT_EQ(regions_.Find("b").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(regions_.Find("a")->size(), 1u);
  EXPECT_EQ(regions_.Find("")->size(), 1u);
}

TEST_F(SharedMemoryTest, SurvivesObjectsThatBecomeSmaller) {
  ASSERT_TRUE(Register("a", 0, 4096).ok());
  ASSERT_EQ(ftruncate(file_, 10), 0);
  const SharedMemoryPart part{.region = "a", .offset = 0, .size = 4096};
  EXPECT_THAT(std::string(MessageOf(regions_.Read(part).status())), HasSubstr("truncated"));
  EXPECT_THAT(std::string(MessageOf(regions_.Write(part, Buffer::Copy(std::string(11, 'x'))))),
              HasSubstr("truncated"));
  struct stat facts = {};
  ASSERT_EQ(fstat(file_, &facts), 0);
  EXPECT_EQ(facts.st_size, 10);  // a write does not make it larger
  EXPECT_TRUE(regions_.Read({.region = "a", .offset = 0, .size = 10}).ok());
}

TEST_F(SharedMemoryTest, LimitsTheNumberOfRegions) {
  Status status;
  for (int i = 0; i < 1024; ++i) status.Update(Register(Cat("r", i), 0, 1));
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(Register("one more", 0, 1).code(), absl::StatusCode::kResourceExhausted);
  regions_.Unregister("");
  EXPECT_TRUE(Register("one more", 0, 1).ok());
}

}  // namespace
}  // namespace signet
