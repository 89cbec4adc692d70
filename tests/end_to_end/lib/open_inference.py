"""The Open Inference Protocol from the point of view of a client: messages made from the numbers of the public contract,
and not from the .proto files of the server."""

import struct

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

SERVICE = "/inference.GRPCInferenceService/"

# message: field=number type, ... `*` is a repeated field, `{}` a map from strings, `|` a field of the oneof.
CONTRACT = """
ServerLiveRequest:
ServerLiveResponse: live=1 bool
ServerReadyRequest:
ServerReadyResponse: ready=1 bool
ModelReadyRequest: name=1 string, version=2 string
ModelReadyResponse: ready=1 bool
ServerMetadataRequest:
ServerMetadataResponse: name=1 string, version=2 string, extensions=3 *string
ModelMetadataRequest: name=1 string, version=2 string
TensorMetadata: name=1 string, datatype=2 string, shape=3 *int64
ModelMetadataResponse: name=1 string, versions=2 *string, platform=3 string, inputs=4 *TensorMetadata, \
outputs=5 *TensorMetadata, properties=6 {}string
InferParameter: bool_param=1 |bool, int64_param=2 |int64, string_param=3 |string, double_param=4 |double, \
uint64_param=5 |uint64
InferTensorContents: bool_contents=1 *bool, int_contents=2 *int32, int64_contents=3 *int64, uint_contents=4 *uint32, \
uint64_contents=5 *uint64, fp32_contents=6 *float, fp64_contents=7 *double, bytes_contents=8 *bytes
InferInputTensor: name=1 string, datatype=2 string, shape=3 *int64, parameters=4 {}InferParameter, \
contents=5 InferTensorContents
InferRequestedOutputTensor: name=1 string, parameters=2 {}InferParameter
ModelInferRequest: model_name=1 string, model_version=2 string, id=3 string, parameters=4 {}InferParameter, \
inputs=5 *InferInputTensor, outputs=6 *InferRequestedOutputTensor, raw_input_contents=7 *bytes
ModelInferResponse: model_name=1 string, model_version=2 string, id=3 string, parameters=4 {}InferParameter, \
outputs=5 *InferInputTensor, raw_output_contents=6 *bytes
ModelStreamInferResponse: error_message=1 string, infer_response=2 ModelInferResponse
ModelConfigRequest: name=1 string, version=2 string
ModelInput: name=1 string, data_type=2 int32, dims=4 *int64, optional=8 bool
ModelOutput: name=1 string, data_type=2 int32, dims=3 *int64
ModelConfig: name=1 string, platform=2 string, max_batch_size=4 int32, input=5 *ModelInput, output=6 *ModelOutput, \
backend=17 string
ModelConfigResponse: config=1 ModelConfig
ModelStatisticsRequest: name=1 string, version=2 string
StatisticDuration: count=1 uint64, ns=2 uint64
InferStatistics: success=1 StatisticDuration, fail=2 StatisticDuration, queue=3 StatisticDuration, \
compute_input=4 StatisticDuration, compute_infer=5 StatisticDuration, compute_output=6 StatisticDuration
ModelStatistics: name=1 string, version=2 string, last_inference=3 uint64, inference_count=4 uint64, \
execution_count=5 uint64, inference_stats=6 InferStatistics
ModelStatisticsResponse: model_stats=1 *ModelStatistics
RepositoryIndexRequest: repository_name=1 string, ready=2 bool
ModelIndex: name=1 string, version=2 string, state=3 string, reason=4 string
RepositoryIndexResponse: models=1 *ModelIndex
RepositoryModelLoadRequest: repository_name=1 string, model_name=2 string
RepositoryModelLoadResponse:
RepositoryModelUnloadRequest: repository_name=1 string, model_name=2 string
RepositoryModelUnloadResponse:
SystemSharedMemoryStatusRequest: name=1 string
RegionStatus: name=1 string, key=2 string, offset=3 uint64, byte_size=4 uint64
SystemSharedMemoryStatusResponse: regions=1 {}RegionStatus
SystemSharedMemoryRegisterRequest: name=1 string, key=2 string, offset=3 uint64, byte_size=4 uint64
SystemSharedMemoryRegisterResponse:
SystemSharedMemoryUnregisterRequest: name=1 string
SystemSharedMemoryUnregisterResponse:
CudaSharedMemoryStatusRequest: name=1 string
CudaSharedMemoryStatusResponse:
CudaSharedMemoryRegisterRequest: name=1 string, raw_handle=2 bytes, device_id=3 int64, byte_size=4 uint64
CudaSharedMemoryRegisterResponse:
CudaSharedMemoryUnregisterRequest: name=1 string
CudaSharedMemoryUnregisterResponse:
SettingValue: value=1 *string
TraceSettingRequest: settings=1 {}SettingValue, model_name=2 string
TraceSettingResponse: settings=1 {}SettingValue
LogSettingValue: bool_param=1 |bool, uint32_param=2 |uint32, string_param=3 |string
LogSettingsRequest: settings=1 {}LogSettingValue
LogSettingsResponse: settings=1 {}LogSettingValue
"""

PACKAGE = "contract"  # the numbers are on the wire, and not the names
FORMATS = {"BOOL": "?", "INT8": "b", "INT16": "h", "INT32": "i", "INT64": "q", "UINT8": "B", "UINT16": "H",
           "UINT32": "I", "UINT64": "Q", "FP16": "e", "FP32": "f", "FP64": "d", "BF16": "H"}


def _messages():
    file = descriptor_pb2.FileDescriptorProto(name="contract.proto", package=PACKAGE, syntax="proto3")
    scalars = descriptor_pb2.FieldDescriptorProto
    for line in CONTRACT.strip().split("\n"):
        name, _, fields = line.partition(":")
        message = file.message_type.add(name=name)
        for field in filter(None, (part.strip() for part in fields.split(","))):
            field_name, _, rest = field.partition("=")
            number, kind = rest.split(" ")
            made = message.field.add(name=field_name, number=int(number), label=scalars.LABEL_OPTIONAL)

            def set_type(target, word):
                scalar = f"TYPE_{word.upper()}"
                if scalar in scalars.Type.keys():
                    target.type = scalars.Type.Value(scalar)
                else:
                    target.type, target.type_name = scalars.TYPE_MESSAGE, f".{PACKAGE}.{word}"

            if kind.startswith("{}"):
                entry_name = field_name.title().replace("_", "") + "Entry"
                entry = message.nested_type.add(name=entry_name)
                entry.options.map_entry = True
                entry.field.add(name="key", number=1, label=scalars.LABEL_OPTIONAL, type=scalars.TYPE_STRING)
                set_type(entry.field.add(name="value", number=2, label=scalars.LABEL_OPTIONAL), kind[2:])
                made.label = scalars.LABEL_REPEATED
                made.type, made.type_name = scalars.TYPE_MESSAGE, f".{PACKAGE}.{name}.{entry_name}"
                continue
            if kind.startswith("*"):
                made.label = scalars.LABEL_REPEATED
            if kind.startswith("|"):
                if not message.oneof_decl:
                    message.oneof_decl.add(name="choice")
                made.oneof_index = 0
            set_type(made, kind.lstrip("*|"))
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    descriptors = {message.name: pool.FindMessageTypeByName(f"{PACKAGE}.{message.name}") for message in file.message_type}
    if hasattr(message_factory, "GetMessageClass"):
        return {name: message_factory.GetMessageClass(found) for name, found in descriptors.items()}
    factory = message_factory.MessageFactory(pool)
    return {name: factory.GetPrototype(found) for name, found in descriptors.items()}


MESSAGES = _messages()


def raw(datatype, elements):
    """The raw form of a tensor."""
    if datatype == "BYTES":
        texts = [text.encode() if isinstance(text, str) else text for text in elements]
        return b"".join(struct.pack("<I", len(text)) + text for text in texts)
    return struct.pack(f"<{len(elements)}{FORMATS[datatype]}", *elements)


def elements_of(datatype, data):
    """The elements of a raw form."""
    if datatype != "BYTES":
        kind = FORMATS[datatype]
        return list(struct.unpack(f"<{len(data) // struct.calcsize(kind)}{kind}", data))
    out, at = [], 0
    while at < len(data):
        length = struct.unpack_from("<I", data, at)[0]
        out.append(data[at + 4:at + 4 + length])
        at += 4 + length
    return out


class Client:
    def __init__(self, channel):
        self.channel = channel

    def call(self, method, metadata=None, timeout=60, **fields):
        request = MESSAGES[f"{method}Request"](**fields)
        stub = self.channel.unary_unary(SERVICE + method, request_serializer=type(request).SerializeToString,
                                        response_deserializer=MESSAGES[f"{method}Response"].FromString)
        return stub(request, metadata=metadata, timeout=timeout)

    @staticmethod
    def request(model, inputs, outputs=(), version="", **parameters):
        """A request with raw contents. `inputs` are (name, datatype, shape, elements)."""
        out = MESSAGES["ModelInferRequest"](model_name=model, model_version=version, id="7")
        for name, datatype, shape, elements in inputs:
            out.inputs.add(name=name, datatype=datatype, shape=shape)
            out.raw_input_contents.append(raw(datatype, elements))
        for name in outputs:
            out.outputs.add(name=name)
        for name, value in parameters.items():
            kind = {bool: "bool_param", int: "int64_param", str: "string_param"}[type(value)]
            setattr(out.parameters[name], kind, value)
        return out

    def send(self, request, timeout=60, compression=None):
        """The response to a ModelInferRequest."""
        data = request if isinstance(request, bytes) else request.SerializeToString()
        stub = self.channel.unary_unary(SERVICE + "ModelInfer", request_serializer=None,
                                        response_deserializer=MESSAGES["ModelInferResponse"].FromString)
        return stub(data, timeout=timeout, compression=compression)

    def infer(self, model, inputs, outputs=(), **parameters):
        """The outputs by name, each as (datatype, shape, elements)."""
        return tensors_of(self.send(self.request(model, inputs, outputs, **parameters)))

    def rejection(self, *args, **kwargs):
        """The status code and the sentence of a call that fails."""
        try:
            self.send(*args, **kwargs) if isinstance(args[0], (bytes, MESSAGES["ModelInferRequest"])) else \
                self.call(*args, **kwargs)
        except grpc.RpcError as error:
            return error.code(), error.details()
        return None, "the call succeeded"


def tensors_of(response):
    return {output.name: (output.datatype, list(output.shape), elements_of(output.datatype, data))
            for output, data in zip(response.outputs, response.raw_output_contents)}
