// InferData: reads and writes the elements of tensors in the JSON of the Open Inference Protocol.
//
// Whole numbers such as `3.0` are accepted for integers; NaN and infinities are the words of
// docs/reference/json.md, quoted or bare; BYTES are strings. The bytes of a request are untrusted:
// sizes are checked before memory is allocated. Stateless; thread-safe.

#pragma once

#include <string>
#include <string_view>

#include "core/formats/common/allowance.h"
#include "core/formats/json/json_tokens.h"
#include "signet/tensor.h"

namespace signet {

// Reads the next value of `tokens`, which is a nested or flat list in row-major order, or a single
// element. `text` is the text of the tokens. The shape has been checked.
StatusOr<Tensor> ReadInferData(std::string_view text, JsonTokens tokens, DType dtype, Shape shape,
                               Allowance& allowance);

// Appends the elements as a flat list. INVALID_ARGUMENT for a string that is not UTF-8.
Status AppendInferData(const Tensor& tensor, std::string& out);

// Appends `text` as a JSON string. `text` is UTF-8.
void AppendInferString(std::string_view text, std::string& out);

}  // namespace signet
