// The module signet._core: the engine in the process of a Python program. The package `signet` is
// its only user; docs/internals/architecture.md describes the boundary.

#include <algorithm>
#include <atomic>
#include <csignal>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "core/describe/op_text.h"
#include "core/formats/json/json.h"
#include "core/function/signature.h"
#include "core/model/tracing/function_trace.h"
#include "core/ops/def/familiar_names.h"
#include "core/types/notation/notation.h"
#include "core/values/builders/value_notation.h"
#include "python/core/conversions.h"
#include "python/core/local_model.h"
#include "signet/ops/run_op.h"

namespace signet {
namespace {

namespace py = pybind11;
using Handle = std::shared_ptr<const TracedFunction>;
using ValueId = FunctionTrace::ValueId;

// Sets the Python exception for a StatusError.
void TranslateError(std::exception_ptr thrown, const py::object& type) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const StatusError& error) {
    const Status& status = error.status;
    const py::tuple arguments =
        py::make_tuple(absl::StatusCodeToString(status.code()), py::bytes(MessageOf(status)),
                       ReasonOf(status), FieldOf(status));
    PyErr_SetObject(type.ptr(), arguments.ptr());
  }
}

// A message that borrows the memory of Python objects, one after the other.
wire::Message MessageOfParts(const std::vector<py::buffer>& parts) {
  struct Held {
    std::vector<Py_buffer> views;
    ~Held() {
      const py::gil_scoped_acquire gil;
      for (Py_buffer& view : views) PyBuffer_Release(&view);
    }
  };
  auto held = std::make_shared<Held>();
  wire::Message message;
  for (const py::buffer& part : parts) {
    Py_buffer view;
    if (PyObject_GetBuffer(part.ptr(), &view, PyBUF_SIMPLE) != 0) throw py::error_already_set();
    held->views.push_back(view);
    const auto* data = static_cast<const std::byte*>(view.buf);
    message.pieces.emplace_back(data, static_cast<size_t>(view.len));
  }
  message.owner = std::move(held);
  return message;
}

// Returns the bytes of a response. Large ones are in memory of numpy, which uses large pages, so
// that their largest piece is aligned, and arrays of the result may refer to it.
py::object ResponseOf(const wire::Pieces& pieces) {
  constexpr size_t kLarge = size_t{1} << 20;
  constexpr size_t kAlignment = 64;
  size_t size = 0;
  size_t largest = 0;
  size_t place_of_largest = 0;
  for (const Buffer& piece : pieces) {
    if (piece.size() > largest) {
      largest = piece.size();
      place_of_largest = size;
    }
    size += piece.size();
  }
  if (size < kLarge) return BytesOf(pieces);
  const py::object array =
      py::module_::import("numpy").attr("empty")(size + kAlignment, py::arg("dtype") = "uint8");
  const py::buffer_info memory = py::buffer(array).request(/*writable=*/true);
  const auto address = reinterpret_cast<uintptr_t>(memory.ptr) + place_of_largest;
  const size_t skipped = (kAlignment - address % kAlignment) % kAlignment;
  CopyTo(static_cast<char*>(memory.ptr) + skipped, pieces);
  return py::memoryview(array)[py::slice(static_cast<py::ssize_t>(skipped),
                                         static_cast<py::ssize_t>(skipped + size), 1)];
}

// While it exists, Ctrl-C also sets `cancelled`. For the main thread only, as Python handles
// signals there.
class InterruptWatch {
 public:
  explicit InterruptWatch(bool is_main_thread) : is_active_(is_main_thread) {
    cancelled = false;
    if (!is_active_) return;
    struct sigaction action = {};
    action.sa_handler = [](int signal) {
      cancelled = true;
      if (former.sa_handler != SIG_DFL && former.sa_handler != SIG_IGN) former.sa_handler(signal);
    };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &former);
  }
  ~InterruptWatch() {
    if (is_active_) sigaction(SIGINT, &former, nullptr);
  }
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  static inline std::atomic<bool> cancelled = false;

 private:
  static inline struct sigaction former = {};
  bool is_active_;
};

py::object CallModel(const LocalModel& model, const std::vector<py::buffer>& request,
                     double seconds, bool is_main_thread) {
  wire::Message message = MessageOfParts(request);
  StatusOr<wire::Pieces> response = wire::Pieces();
  {
    static const std::atomic<bool> never = false;
    const py::gil_scoped_release release;
    const InterruptWatch watch(is_main_thread);
    response = model.Call(message, seconds, is_main_thread ? InterruptWatch::cancelled : never);
  }
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  return ResponseOf(OrThrow(std::move(response)));
}

std::string SignatureOf(const TracedFunction& function) {
  const FunctionDef& def = function.def;
  return FormatSignature(def.name, def.type, def.defaults, def.dimension_names);
}

NamedTypes AttributesOf(std::string_view op, const py::dict& attributes) {
  NamedTypes out;
  for (const auto& [name, value] : attributes) {
    auto key = name.cast<std::string>();
    TypeSpec type = ToAttribute(op, key, value);
    out.emplace_back(std::move(key), std::move(type));
  }
  return out;
}

// A trace, and the library that it refers to.
class Trace {
 public:
  static std::unique_ptr<Trace> Start(std::shared_ptr<TraceLibrary> library, std::string name,
                                      const std::string& signature, const py::dict& defaults) {
    Defaults values;
    for (const auto& [parameter, bytes] : defaults) {
      values.emplace(parameter.cast<std::string>(), ValueFromBytes(bytes.cast<py::bytes>()));
    }
    auto trace =
        OrThrow(FunctionTrace::Start(std::move(name), signature, std::move(values), *library));
    return std::make_unique<Trace>(std::move(library), std::move(trace));
  }

  static std::unique_ptr<Trace> StartNested(
      std::shared_ptr<TraceLibrary> library, std::string name,
      const std::vector<std::pair<std::string, py::object>>& parameters) {
    std::vector<NestedParameter> nested;
    for (const auto& [parameter, type] : parameters) {
      nested.push_back({parameter, TypeFromBytes(type)});
    }
    auto trace = OrThrow(FunctionTrace::StartNested(std::move(name), std::move(nested), *library));
    return std::make_unique<Trace>(std::move(library), std::move(trace));
  }

  Trace(std::shared_ptr<TraceLibrary> library, std::unique_ptr<FunctionTrace> trace)
      : library_(std::move(library)), trace_(std::move(trace)) {}

  std::vector<ValueId> Parameters() const { return trace_->parameters(); }
  ValueId AddParameter(const std::string& name, const py::object& type) {
    return OrThrow(trace_->AddParameter({name, TypeFromBytes(type)}));
  }
  ValueId Plain(const py::object& value) {
    return trace_->Constant(Value::Trusted(PlainToAttribute(value), {}));
  }
  ValueId Constant(const py::bytes& value) { return trace_->Constant(ValueFromBytes(value)); }
  ValueId Capture(const std::string& name, const py::bytes& value) {
    return OrThrow(trace_->Capture(name, ValueFromBytes(value)));
  }
  std::vector<ValueId> Call(const std::string& name, const std::string& op,
                            const std::vector<ValueId>& inputs, const py::dict& attributes,
                            const FunctionTrace::ComputedAttributes& computed) {
    NamedTypes plain = AttributesOf(op, attributes);
    const py::gil_scoped_release release;
    return OrThrow(trace_->Call(name, op, inputs, std::move(plain), computed));
  }
  py::object TypeOf(ValueId value) const { return TypeToBytes(trace_->TypeOf(value)); }
  py::object ElementTypeOf(ValueId value) { return TypeToBytes(trace_->ElementTypeOf(value)); }
  Handle Finish(ValueId result, std::string doc,
                const std::map<std::string, std::string>& parameter_docs,
                std::vector<std::string> examples, std::vector<std::string> batch,
                std::map<std::string, std::string> default_names) {
    FunctionTexts texts{.doc = std::move(doc),
                        .parameter_docs = {parameter_docs.begin(), parameter_docs.end()},
                        .examples = std::move(examples),
                        .batch = std::move(batch),
                        .default_names = std::move(default_names)};
    return OrThrow(std::move(*trace_).Finish(result, std::move(texts)));
  }
  Handle FinishNested(ValueId result, const std::vector<size_t>& order) {
    return OrThrow(std::move(*trace_).FinishNested(result, order));
  }

 private:
  std::shared_ptr<TraceLibrary> library_;
  std::unique_ptr<FunctionTrace> trace_;
};

ExtensionType TypeFromDict(const py::dict& type) {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  using Texts = std::vector<std::string>;
  ExtensionType out{.name = type["name"].cast<std::string>(),
                    .doc = type["doc"].cast<std::string>(),
                    .statics = type["statics"].cast<Texts>(),
                    .components = type["components"].cast<Pairs>(),
                    .parent = type["parent"].cast<std::string>(),
                    .batches = type["batches"].cast<bool>(),
                    .invariants = type["invariants"].cast<Texts>()};
  for (const py::handle item : type["overrides"]) {
    const auto [op, family, function, inputs] =
        item.cast<std::tuple<std::string, std::string, std::string, Texts>>();
    out.overrides.push_back({op, family, function, inputs});
  }
  for (const auto& [from, function] : type["conversions"].cast<Pairs>()) {
    out.conversions.push_back({from, function});
  }
  out.older = type["older"].cast<Texts>();
  return out;
}

// Runs an op at once. Values of the extension types of `library` may be among the inputs.
std::vector<py::bytes> RunOpOnBytes(const TraceLibrary& library, const std::string& op,
                                    const std::vector<py::bytes>& inputs,
                                    const py::dict& attributes) {
  std::vector<Value> values;
  for (const py::bytes& input : inputs) values.push_back(ValueFromBytes(input));
  const Attributes plain(AttributesOf(op, attributes));
  StatusOr<std::vector<Value>> results = std::vector<Value>();
  {
    const py::gil_scoped_release release;
    results = RunOp(op, values, plain, &library);
  }
  std::vector<py::bytes> out;
  for (const Value& result : OrThrow(std::move(results))) {
    out.push_back(BytesOf(wire::WriteValue(result)));
  }
  return out;
}

void DefineModule(py::module_& module) {
  static py::object& error = *new py::object(py::reinterpret_steal<py::object>(
      PyErr_NewException("signet._core.StatusError", nullptr, nullptr)));
  module.attr("StatusError") = error;
  py::register_exception_translator(
      [](std::exception_ptr thrown) { TranslateError(std::move(thrown), error); });

  module.def("ops", &OpListJson);
  module.def("find_op", [](const std::string& name) { OrThrow(FindDocumentedOp(name).status()); });
  // Return the op, or the expression of ops, for a function of another library; empty if unknown.
  module.def("familiar_op", [](const std::string& name, size_t num_values) {
    return std::string(LookupFamiliarName(name, num_values));
  });
  module.def("familiar_expression",
             [](const std::string& name) { return std::string(LookupFamiliarExpression(name)); });
  module.def("keys_text", &KeysToText);
  module.def("run_op", &RunOpOnBytes);
  module.def("type_of_value",
             [](const py::bytes& value) { return TypeToBytes(ValueFromBytes(value).spec()); });
  module.def("read_json", [](const py::bytes& json, const std::string& type) {
    NotationReader in(type);
    const TypeSpec spec = OrThrow(in.ReadType());
    OrThrow(in.ExpectEnd());
    return BytesOf(
        wire::WriteValue(OrThrow(ValueFromJson(std::string_view(json), spec, Limits()))));
  });
  // Read the value, or the static value, at the start of a text, and return its message and its
  // end.
  module.def("read_value", [](const std::string& text) {
    NotationReader in(text);
    const Value value = OrThrow(ReadValue(in));
    return py::make_tuple(BytesOf(wire::WriteValue(value)), in.position());
  });
  module.def("read_type", [](const std::string& text) {
    NotationReader in(text);
    const TypeSpec type = OrThrow(in.ReadType());
    return py::make_tuple(TypeToBytes(type), in.position());
  });
  module.def("infer", [](const py::bytes& json) {
    return BytesOf(wire::WriteValue(OrThrow(InferFromJson(std::string_view(json), Limits()))));
  });

  py::class_<TracedFunction, std::shared_ptr<TracedFunction>>(module, "TracedFunction")
      .def_property_readonly("name", [](const TracedFunction& f) { return f.def.name; })
      .def_property_readonly("captures",
                             [](const TracedFunction& f) { return f.def.graph.captures; })
      .def_property_readonly("num_nodes",
                             [](const TracedFunction& f) { return f.def.graph.nodes.size(); })
      .def_property_readonly("signature", &SignatureOf);
  py::class_<TraceLibrary, std::shared_ptr<TraceLibrary>>(module, "Library")
      .def(py::init<>())
      .def("add_function",
           [](TraceLibrary& library, const std::shared_ptr<TracedFunction>& function) {
             OrThrow(library.AddFunction(function));
           })
      .def("add_type", [](TraceLibrary& library,
                          const py::dict& type) { OrThrow(library.AddType(TypeFromDict(type))); })
      .def("has_type", &TraceLibrary::HasType)
      .def("has_function", [](const TraceLibrary& library, const std::string& name) {
        return library.Lookup(name) != nullptr;
      });
  py::class_<Trace>(module, "Trace")
      .def_static("start", &Trace::Start)
      .def_static("start_nested", &Trace::StartNested)
      .def("parameters", &Trace::Parameters)
      .def("add_parameter", &Trace::AddParameter)
      .def("plain", &Trace::Plain)
      .def("constant", &Trace::Constant)
      .def("capture", &Trace::Capture)
      .def("call", &Trace::Call)
      .def("type_of", &Trace::TypeOf)
      .def("element_type_of", &Trace::ElementTypeOf)
      .def("finish_nested",
           [](Trace& trace, ValueId result, const std::vector<size_t>& order) {
             return std::const_pointer_cast<TracedFunction>(trace.FinishNested(result, order));
           })
      .def("finish", [](Trace& trace, ValueId result, std::string doc,
                        const std::map<std::string, std::string>& parameter_docs,
                        std::vector<std::string> examples, std::vector<std::string> batch,
                        std::map<std::string, std::string> default_names) {
        return std::const_pointer_cast<TracedFunction>(
            trace.Finish(result, std::move(doc), parameter_docs, std::move(examples),
                         std::move(batch), std::move(default_names)));
      });
  py::class_<LocalModel, std::shared_ptr<LocalModel>>(module, "Model")
      .def_static(
          "load",
          [](const std::filesystem::path& path, std::string name) {
            const py::gil_scoped_release release;
            return std::make_shared<LocalModel>(OrThrow(LocalModel::Load(path, std::move(name))));
          })
      .def_static("make",
                  [](const TraceLibrary& library, std::string doc,
                     std::map<std::string, std::string> metadata, std::string name) {
                    return std::make_shared<LocalModel>(OrThrow(LocalModel::Make(
                        library, {std::move(doc), std::move(metadata)}, std::move(name))));
                  })
      .def("call", &CallModel)
      .def("describe",
           [](const LocalModel& model) { return py::bytes(model.Describe().SerializeAsString()); })
      .def("explain",
           [](const LocalModel& model, const std::vector<py::buffer>& request) {
             return py::bytes(OrThrow(model.Explain(MessageOfParts(request))).SerializeAsString());
           })
      .def("captures",
           [](const LocalModel& model) {
             std::vector<std::tuple<std::string, std::string, size_t>> out;
             for (const auto& [name, value] : model.captures()) {
               out.emplace_back(name, value.spec().ToString(), value.num_bytes());
             }
             std::sort(out.begin(), out.end());
             return out;
           })
      .def("functions",
           [](const LocalModel& model, const std::string& prefix) {
             std::vector<std::shared_ptr<TracedFunction>> out;
             for (auto& function : OrThrow(model.Functions(prefix))) {
               out.push_back(std::const_pointer_cast<TracedFunction>(std::move(function)));
             }
             return out;
           })
      .def("text", [](const LocalModel& model) { return OrThrow(model.Text()); })
      .def("save", [](const LocalModel& model, const std::filesystem::path& folder, bool binary) {
        OrThrow(model.Save(folder, binary));
      });
}

}  // namespace
}  // namespace signet

PYBIND11_MODULE(_core, module) { signet::DefineModule(module); }
