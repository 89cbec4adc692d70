// Conversions between Python objects and the values of the engine, and errors.
//
// Values cross as serialized signet.v1.Value messages, and types as serialized signet.v1.TypeSpec
// messages, so that the package reads and writes them with the code that also serves remote calls.
// All functions need the GIL.

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <pybind11/pybind11.h>

#include "core/formats/signet_wire/wire.h"
#include "signet/attributes.h"
#include "signet/status.h"
#include "signet/value.h"

namespace signet {

// Becomes the exception signet._core.StatusError with (code, message, reason, field).
struct StatusError {
  Status status;
};

template <class T>
T OrThrow(StatusOr<T> result) {
  if (!result.ok()) throw StatusError{std::move(result).status()};
  return *std::move(result);
}
inline void OrThrow(Status status) {
  if (!status.ok()) throw StatusError{std::move(status)};
}

// Copies what it keeps.
Value ValueFromBytes(const pybind11::bytes& bytes);
// Copies the pieces one after the other. `place` has room for all.
void CopyTo(char* place, const wire::Pieces& pieces);
pybind11::bytes BytesOf(const wire::Pieces& pieces);
// Returns None for a null type.
pybind11::object TypeToBytes(const TypeSpec& type);
TypeSpec TypeFromBytes(const pybind11::object& bytes);

// Returns the plain value `object` as an attribute: None, bool, int, float, str, bytes, and lists,
// tuples, and dicts of these.
TypeSpec PlainToAttribute(const pybind11::handle& object);
// Returns the attribute `name` of `op`. Keys of get_item are integers, names, slices, `...`, None,
// and tuples with the number of an input.
TypeSpec ToAttribute(std::string_view op, std::string_view name, const pybind11::handle& object);
// Returns the text that names an index in the name of its node (TextOfKeys).
std::string KeysToText(const pybind11::list& keys, const std::vector<std::string>& references);

}  // namespace signet
