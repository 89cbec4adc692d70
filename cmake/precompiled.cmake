# The headers of other projects that are precompiled, with the time to parse them: the standard library with Abseil 0.6 s,
# gRPC 2 s, GoogleTest 1 s. Headers of Signet are not among them, so that a change of one recompiles only the files that
# include it.

set(precompiled <algorithm> <array> <cmath> <functional> <limits> <map> <memory> <mutex> <optional> <set> <span> <string>
                <string_view> <utility> <variant> <vector> <absl/container/flat_hash_map.h>
                <absl/container/inlined_vector.h> <absl/functional/function_ref.h> <absl/status/statusor.h>)

signet_precompile(signet_precompiled_core HEADERS ${precompiled} DEPS absl::status absl::statusor)
if(NOT SIGNET_CORE_ONLY)
  signet_precompile(signet_precompiled_grpc
    HEADERS ${precompiled} <google/protobuf/message.h> <grpcpp/grpcpp.h> <nlohmann/json.hpp>
    DEPS gRPC::grpc++ protobuf::libprotobuf nlohmann_json::nlohmann_json)
endif()
if(SIGNET_TESTS)
  signet_precompile(signet_precompiled_test PROGRAMS
    HEADERS ${precompiled} <fstream> <gmock/gmock.h> <gtest/gtest.h> <nlohmann/json.hpp>
    DEPS GTest::gmock nlohmann_json::nlohmann_json)
endif()
