// OpName: the name of an op in a call. A literal that names no op of the catalog does not compile.
//
//   build.Call("concat", inputs, call.attributes);      // checked by the compiler
//   build.Call("concta", inputs, call.attributes);      // does not compile
//   build.Call(call.op.name, inputs, call.attributes);  // a computed name: checked when it is
//   called
//
// Refers to the characters of the name, which must outlive the call. Immutable.

#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "core/ops/build/op_names.h"

namespace signet {

class OpName {
 public:
  // Names with a dot are ops of frontends, such as `onnx.Conv`, which the catalog does not contain.
  template <size_t n>
  consteval OpName(const char (&name)[n]) : text_(name) {  // NOLINT(google-explicit-constructor)
    if (text_.find('.') == std::string_view::npos &&
        !std::binary_search(std::begin(kOpNames), std::end(kOpNames), text_)) {
      throw "not the name of an op of the catalog";
    }
  }
  OpName(const std::string& name) : text_(name) {}  // NOLINT(google-explicit-constructor)
  OpName(std::string_view name) : text_(name) {}    // NOLINT(google-explicit-constructor)

  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

}  // namespace signet
