#include "core/types/type_bytes.h"

#include <string>

#include <gtest/gtest.h>

#include "signet/extension_spec.h"
#include "signet/literal_spec.h"
#include "signet/record_spec.h"
#include "signet/sequence_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

constexpr size_t kMany = 1'000'000;
constexpr size_t kFew = 10'000;

size_t BytesOf(const TypeSpec& spec) {
  TypeBytes bytes;
  bytes.Add(spec);
  return bytes.total();
}

TypeSpec Text(char c) { return LiteralType(Literal::String(std::string(kMany, c))); }

TEST(TypeBytesTest, CountsTextWhereverItIs) {
  TypeSpec number = TensorType(DType::kFloat32, {3});
  EXPECT_LT(BytesOf(number), kFew);
  EXPECT_GE(BytesOf(Text('a')), kMany);
  EXPECT_GE(BytesOf(ListType({Text('a'), Text('b')})), 2 * kMany);
  EXPECT_GE(BytesOf(*MakeDictType({{std::string(kMany, 'k'), number}})), kMany);
  EXPECT_GE(BytesOf(*MakeExtensionType("a.B", {{"s", Text('a')}}, {{"x", number}})), kMany);
}

TEST(TypeBytesTest, CountsATypeOnce) {
  EXPECT_LT(BytesOf(ListType({Text('a'), Text('a'), ListType({Text('a')})})), kMany + kFew);
}

}  // namespace
}  // namespace signet
