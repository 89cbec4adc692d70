// Law: a TensorProto that is read, written, and read again is the same tensor; and it is the same
// wherever the message is cut in two, and if protobuf parses it. The first byte says where it is
// cut.

#include "core/formats/tensorflow/tensor_proto.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace signet;  // NOLINT(google-build-using-namespace): a program of one function
  if (size == 0) return 0;
  Limits limits;
  limits.expanded_bytes = 1 << 20;
  auto owner = std::make_shared<Buffer>(Buffer::Copy(std::as_bytes(std::span(data + 1, size - 1))));
  auto read = [&](const wire::Message& message) {
    wire::WireSource source(message, limits);
    return tf::ReadTensorProto(source, wire::WireCursor(source));
  };
  const size_t cut = data[0] % size;
  auto tensor = read({{owner->bytes()}, owner});
  auto same = read({{owner->bytes().first(cut), owner->bytes().subspan(cut)}, owner});
  SIGNET_CHECK(tensor.ok() == same.ok());
  if (!tensor.ok()) return 0;
  SIGNET_CHECK(SameTensor(*tensor, *same));
  Allowance allowance(limits);
  auto again = tf::TensorFromProto(tf::TensorToProto(*tensor), allowance);
  SIGNET_CHECK(again.ok() && SameTensor(*again, *tensor));
  return 0;
}
