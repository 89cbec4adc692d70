"""Arguments in data formats, and files of tables."""

import json
import os

import numpy as np
import pytest

import signet
from conftest import Server

pytest.importorskip("signet._core")

ORDERS = [{"unit_price": 1.5, "big_number": 2**53 + 1, "tags": ["a", "b"], "raw": b"\xff"}, {"unit_price": 0.0, "big_number": -1, "tags": [], "raw": b""}]


@pytest.fixture(scope="module")
def order_class():
    """The class of a message type that no generated module has."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    fields = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="formats_test.proto", package="formats_test", syntax="proto3")
    message = file.message_type.add(name="Order")
    for number, (name, kind) in enumerate((("unit_price", fields.TYPE_FLOAT), ("big_number", fields.TYPE_INT64), ("tags", fields.TYPE_STRING),
                                           ("raw", fields.TYPE_BYTES)), 1):
        label = fields.LABEL_REPEATED if name == "tags" else fields.LABEL_OPTIONAL
        message.field.add(name=name, number=number, type=kind, label=label)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    cls = message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName("formats_test.Order"))
    cls.file_of_test = file
    return cls


@pytest.fixture(scope="module")
def orders(order_class, tmp_path_factory):
    """A served function that returns its orders."""
    from google.protobuf import descriptor_pb2

    folder = tmp_path_factory.mktemp("models") / "orders" / "1"
    folder.mkdir(parents=True)
    (folder / "descriptors.pb").write_bytes(descriptor_pb2.FileDescriptorSet(file=[order_class.file_of_test]).SerializeToString())
    (folder / "model.signet").write_text("def same(x: [{unit_price: float32[], big_number: int64[], tags: string[(?)], raw: string[]}]):\n    return x\n")
    server = Server(models=str(folder.parent.parent))
    with signet.connect(server.address, wait=30) as client:
        yield client.orders.same.with_options(text="bytes")
    server.stop()


def in_bytes(records):
    return [{**each, "tags": [tag.encode() for tag in each["tags"]]} for each in records]


def test_protobuf_messages(orders, order_class):
    messages = [order_class(**each) for each in ORDERS]
    for given in (messages, [each.SerializeToString() for each in messages]):
        for name in ("formats_test.Order", order_class):
            assert orders(signet.rows(name, given)).to_py() == in_bytes(ORDERS)


def test_protobuf_messages_in_json(orders, order_class):
    """As protobuf writes them: names in camel case, int64 as texts, bytes in base64, and no fields with default values."""
    from google.protobuf import json_format

    messages = [order_class(**each) for each in ORDERS]
    texts = [json_format.MessageToJson(each) for each in messages]
    assert '"unitPrice"' in texts[0] and '"9007199254740993"' in texts[0] and "unitPrice" not in texts[1]
    for given in (texts, [json.loads(each) for each in texts], [json_format.MessageToJson(each, preserving_proto_field_name=True) for each in messages],
                  [messages[0], texts[1]]):
        assert orders(signet.rows(order_class, given)).to_py() == in_bytes(ORDERS)


def test_errors_of_messages_in_json(order_class):
    with pytest.raises(signet.InvalidArgument, match="row 1: expected `formats_test.Order` in protobuf's JSON: .*unitPrise"):
        signet.rows(order_class, ["{}", '{"unitPrise": 1}'])
    with pytest.raises(TypeError, match="row 0: expected a message, found a text; .*write the class instead of the name, as in `signet.rows.Order, ....`"):
        signet.rows("formats_test.Order", ["{}"])


# --- tables in files --------------------------------------------------------------------------------------

@signet.function
def doubled(rows: "[{unit_price: float32[], name: string[]}]") -> "[{unit_price: float32[], name: string[]}]":
    return signet.ops.struct_make(unit_price=rows.unit_price * 2, name=rows.name)


def table():
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame({"unit price": [1.5, 2.0, 3.0], "name": ["a", "b", "ä"], "other": [1, 2, 3]}, index=["x", "y", "z"])


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_files_that_pandas_reads_with_pyarrow(tmp_path, ending):
    pytest.importorskip("pyarrow")
    pandas = pytest.importorskip("pandas")
    frame = table()
    getattr(frame.reset_index(drop=ending == "feather"), f"to_{ending}")(tmp_path / f"in.{ending}")
    found = doubled.bulk(tmp_path / f"in.{ending}", rows_per_call=2)
    assert found.unit_price.tolist() == [3, 4, 6] and found.name.tolist() == ["a", "b", "ä"]
    doubled.bulk(frame, rows_per_call=2, out=tmp_path / f"out.{ending}")
    read = getattr(pandas, f"read_{ending}")(tmp_path / f"out.{ending}")
    assert read.unit_price.tolist() == [3, 4, 6] and read.unit_price.dtype == np.float32
    assert list(read.index) == (["x", "y", "z"] if ending == "parquet" else [0, 1, 2])


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_files_that_pandas_reads_are_passed_to_it(tmp_path, monkeypatch, ending):
    """Without pyarrow: the readers and writers of pandas are replaced by those for pickles."""
    pandas = pytest.importorskip("pandas")
    written = []

    def write(frame, path, *args, **options):
        written.append(str(path))
        frame.to_pickle(path, compression=None)

    monkeypatch.setattr(pandas, f"read_{ending}", lambda path, *args, **options: pandas.read_pickle(path, compression=None))
    monkeypatch.setattr(pandas.DataFrame, f"to_{ending}", write)
    table().to_pickle(tmp_path / f"in.{ending}", compression=None)
    found = doubled.bulk(tmp_path / f"in.{ending}", rows_per_call=2)
    assert found.unit_price.tolist() == [3, 4, 6] and list(found.index) == ["x", "y", "z"]
    doubled.bulk(table(), rows_per_call=2, out=tmp_path / f"out.{ending}")
    read = pandas.read_pickle(tmp_path / f"out.{ending}", compression=None)
    assert read.name.tolist() == ["a", "b", "ä"] and list(read.index) == (["x", "y", "z"] if ending == "parquet" else [0, 1, 2])
    assert written != [str(tmp_path / f"out.{ending}")] and sorted(os.listdir(tmp_path)) == [f"in.{ending}", f"out.{ending}"]


def test_a_missing_pyarrow_is_named(tmp_path):
    pytest.importorskip("pandas")
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        for ending in ("parquet", "feather"):
            (tmp_path / f"in.{ending}").write_bytes(b"PAR1")
            for call in (lambda: doubled.bulk(tmp_path / f"in.{ending}"), lambda: doubled.bulk(table(), out=tmp_path / f"out.{ending}")):
                with pytest.raises(ImportError, match="pyarrow"):
                    call()
            assert not list(tmp_path.glob("out*"))


def test_a_csv_file_of_columns_with_spaces_keeps_its_index(tmp_path):
    pandas = pytest.importorskip("pandas")
    table().to_csv(tmp_path / "in.csv", index=False)
    found = doubled.bulk(tmp_path / "in.csv", rows_per_call=2)
    assert found.unit_price.tolist() == [3, 4, 6]
    kept = doubled.bulk(table(), rows_per_call=2)
    assert list(kept.index) == ["x", "y", "z"] and kept.unit_price.tolist() == [3, 4, 6]
    doubled.bulk(table(), out=tmp_path / "out.csv")
    assert pandas.read_csv(tmp_path / "out.csv").unit_price.tolist() == [3, 4, 6]


def test_wrong_arguments_of_formats():
    for make in (signet.json, signet.json_lines):
        with pytest.raises(TypeError, match="expected a text or bytes, found a value of the class `list`; lists, dicts, and numbers are arguments"):
            make([{"a": 1}])
    with pytest.raises(TypeError, match="signet.rows: expected a list of messages, found one"):
        signet.rows("shop.Order", b"")
