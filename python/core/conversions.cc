#include "python/core/conversions.h"

#include <cstring>

#include "core/model/language/index_text.h"
#include "core/model/native/attribute_value.h"
#include "core/types/dtype_hint.h"
#include "signet/index_key.h"
#include "signet/literal_spec.h"
#include "signet/record_spec.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

namespace py = pybind11;

std::string_view ViewOf(const py::bytes& bytes) { return std::string_view(bytes); }

TypeSpec IntegerToAttribute(const py::handle& object) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
  if (overflow == 0) return LiteralType(Literal::Int(value));
  const unsigned long long large = PyLong_AsUnsignedLongLong(object.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw StatusError{
        WithReason("OUT_OF_RANGE", InvalidArgument("expected an integer of 64 bits"))};
  }
  return LiteralType(Literal::Int(large));
}

std::vector<TypeSpec> ElementsToAttributes(const py::handle& object) {
  std::vector<TypeSpec> elements;
  for (const py::handle element : object) elements.push_back(PlainToAttribute(element));
  return elements;
}

// Sets a bound of a slice, which is None, an integer, or a tuple with the number of an input.
void SetBound(const py::object& given, std::optional<int64_t>& bound,
              std::optional<size_t>& input) {
  if (given.is_none()) return;
  if (py::isinstance<py::tuple>(given)) {
    input = given.cast<py::tuple>()[0].cast<size_t>();
  } else {
    bound = given.cast<int64_t>();
  }
}

IndexKey ToKey(const py::handle& object) {
  if (object.is_none()) return NewAxisKey{};
  if (object.is(py::ellipsis())) return EllipsisKey{};
  if (py::isinstance<py::str>(object)) return object.cast<std::string>();
  if (py::isinstance<py::tuple>(object)) {
    return InputKey{object.cast<py::tuple>()[0].cast<size_t>()};
  }
  if (PySlice_Check(object.ptr())) {
    SliceKey slice;
    SetBound(object.attr("start"), slice.start, slice.start_input);
    SetBound(object.attr("stop"), slice.stop, slice.stop_input);
    if (!object.attr("step").is_none()) slice.step = object.attr("step").cast<int64_t>();
    return slice;
  }
  return object.cast<int64_t>();
}

std::vector<IndexKey> ToKeys(const py::handle& objects) {
  std::vector<IndexKey> keys;
  for (const py::handle object : objects) keys.push_back(ToKey(object));
  return keys;
}

}  // namespace

Value ValueFromBytes(const py::bytes& bytes) {
  return OrThrow(wire::ParseValue(ViewOf(bytes), Limits()));
}

void CopyTo(char* place, const wire::Pieces& pieces) {
  for (const Buffer& piece : pieces) {
    if (piece.size() > 0) std::memcpy(place, piece.data(), piece.size());
    place += piece.size();
  }
}

py::bytes BytesOf(const wire::Pieces& pieces) {
  size_t size = 0;
  for (const Buffer& piece : pieces) size += piece.size();
  PyObject* out = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size));
  if (out == nullptr) throw py::error_already_set();
  CopyTo(PyBytes_AS_STRING(out), pieces);
  return py::reinterpret_steal<py::bytes>(out);
}

py::object TypeToBytes(const TypeSpec& type) {
  if (!type) return py::none();
  return py::bytes(wire::TypeToProto(type).SerializeAsString());
}

TypeSpec TypeFromBytes(const py::object& bytes) {
  if (bytes.is_none()) return {};
  v1::TypeSpec proto;
  const std::string_view content = ViewOf(bytes.cast<py::bytes>());
  if (!proto.ParseFromArray(content.data(), static_cast<int>(content.size()))) {
    throw StatusError{Internal("the message of a type cannot be parsed")};
  }
  return OrThrow(wire::TypeFromProto(proto, Limits()));
}

TypeSpec PlainToAttribute(const py::handle& object) {
  if (object.is_none()) return LiteralType(Literal());
  if (py::isinstance<py::bool_>(object)) return AttributeOf(object.cast<bool>());
  if (py::isinstance<py::int_>(object)) return IntegerToAttribute(object);
  if (py::isinstance<py::float_>(object)) return AttributeOf(object.cast<double>());
  if (py::isinstance<py::str>(object) || py::isinstance<py::bytes>(object)) {
    return AttributeOf(std::string_view(object.cast<std::string>()));
  }
  if (py::isinstance<py::list>(object)) return ListType(ElementsToAttributes(object));
  if (py::isinstance<py::tuple>(object)) return TupleType(ElementsToAttributes(object));
  if (py::isinstance<py::dict>(object)) {
    NamedTypes items;
    for (const auto& [key, value] : object.cast<py::dict>()) {
      items.emplace_back(key.cast<std::string>(), PlainToAttribute(value));
    }
    return OrThrow(MakeDictType(std::move(items)));
  }
  if (PyType_Check(object.ptr()) != 0) {
    const std::string name = object.attr("__name__").cast<std::string>();
    throw StatusError{InvalidArgument("expected a plain value, found the class `", name, "`",
                                      HintForDType(name))};
  }
  throw StatusError{InvalidArgument("expected a plain value, found an object of the class `",
                                    Py_TYPE(object.ptr())->tp_name, "`")};
}

TypeSpec ToAttribute(std::string_view op, std::string_view name, const py::handle& object) {
  if (op == "get_item" && name == "key") {
    const std::vector<IndexKey> keys = ToKeys(object);
    return AttributeOf(std::span<const IndexKey>(keys));
  }
  if (py::hasattr(object, "_signet_type_text")) {
    return OrThrow(TypeAttributeOf(object.attr("_signet_type_text").cast<std::string>()));
  }
  return PlainToAttribute(object);
}

std::string KeysToText(const py::list& keys, const std::vector<std::string>& references) {
  return TextOfKeys(ToKeys(keys), references);
}

}  // namespace signet
