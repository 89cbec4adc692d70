#include "core/types/type_mismatch.h"

#include <gtest/gtest.h>

#include "signet/tensor_spec.h"

namespace signet {
namespace {

TEST(TypeMismatchTest, AttachesTypesOfTensors) {
  const TypeSpec expected = TensorType(DType::kInt32, PartialShape{kUnknownDim, 2});
  const TypeSpec found = TensorType(DType::kFloat32, PartialShape{3});
  const Status status = At("argument `x`", WithTypes(expected, found, InvalidArgument("text")));
  EXPECT_EQ(MessageOf(status), "argument `x`: text");
  const auto types = TypesOf(status);
  ASSERT_TRUE(types.has_value());
  EXPECT_EQ(types->expected, "int32[?, 2]");
  EXPECT_EQ(types->found, "float32[3]");
}

TEST(TypeMismatchTest, AttachesNothingElse) {
  const TypeSpec tensor = TensorType(DType::kInt32, PartialShape{2});
  EXPECT_FALSE(TypesOf(InvalidArgument("text")).has_value());
  EXPECT_FALSE(TypesOf(WithTypes(tensor, TypeSpec(), InvalidArgument("text"))).has_value());
  EXPECT_TRUE(WithTypes(tensor, tensor, absl::OkStatus()).ok());
}

}  // namespace
}  // namespace signet
