"""Ops on records: programs give each record the answer that it gets alone, and ranking, slices, and dates follow Python."""

import datetime
import os
import random

import numpy as np
import pytest

import signet
from signet import ops

EPOCH = datetime.date(1970, 1, 1).toordinal()


def load(folder, text):
    """The model of `text` in the model language."""
    path = os.path.join(folder, "m", "1")
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "model.signet"), "w", encoding="utf-8") as file:
        file.write(text)
    return signet.load(path)


def plain(value):
    """A result as lists, numbers, and texts."""
    if hasattr(value, "to_py"):
        return value.to_py()
    return value.tolist() if hasattr(value, "tolist") else value


# Every size is 3, the number of records, so that a wrong alignment has an answer.
FIELDS = {"r": "float32[]", "id": "int64[]", "one": "float32[1]", "w": "float32[3]", "o": "float32[?]", "m": "float32[3, 3]",
          "tags": "float32[(?)]", "items": "[{q: float32[], p: float32[3]}]"}
COLUMNS = ["s.r", "s.one", "s.w", "s.o", "s.m", "s.tags", "s.items.q", "s.items.p"]
RANKS = dict(zip(COLUMNS, (1, 2, 2, 2, 3, 2, 2, 3)))


def record(rng):
    def vector(*shape):
        return (rng.integers(-8, 9, shape) / 4).tolist()
    return {"r": float(rng.integers(-8, 9)), "id": int(rng.integers(0, 3)), "one": vector(1), "w": vector(3), "o": vector(3),
            "m": vector(3, 3), "tags": vector(3), "items": [{"q": float(rng.integers(0, 9)), "p": vector(3)} for _ in range(3)]}


def is_close(a, b):
    if isinstance(a, list) or isinstance(b, list):
        return isinstance(a, list) and isinstance(b, list) and len(a) == len(b) and all(map(is_close, a, b))
    return a == pytest.approx(b, rel=1e-4, abs=1e-5, nan_ok=True)


def random_program(rng):
    """Lines of a body that compute each record by itself, except for a wrong alignment. Each line is a new value."""
    lines, ranks = [], dict(RANKS)

    def add(text, rank):
        name = f"x{len(lines)}"
        lines.append(f"    {name} = {text}")
        ranks[name] = rank

    for _ in range(rng.randint(1, 4)):
        a, b = rng.choice(list(ranks)), rng.choice(list(ranks))
        rank_a, rank_b = ranks[a], ranks[b]
        kind = rng.randrange(12)
        if kind < 4:
            add(f"{a} {rng.choice('+-*')} {b}", max(rank_a, rank_b))
        elif kind == 4 and rank_a > rank_b:
            add(f"{a} * {b}[:, None]", max(rank_a, rank_b + 1))
        elif kind == 5 and rank_a > 1:
            add(f"reduce_sum({a}, axes={rank_a - 1})", rank_a - 1)
        elif kind == 6 and rank_a == rank_b and rank_a > 1:
            add(f"concat({a}, {b}, axis=1)", rank_a)
        elif kind == 7 and rank_a == rank_b:
            add(f"stack({a}, {b}, axis=1)", rank_a + 1)
        elif kind == 8:
            add("gather(float32[3, 3] [[1, 2, 3], [4, 5, 6], [7, 8, 9]], s.id)", 2)
        elif kind == 9:
            add(f"select({a} > 0.0, {a}, {b})", max(rank_a, rank_b))
        elif kind == 10 and rank_a > 1:
            add(f"{a}[:, :2]", rank_a)
        elif kind == 11 and rank_a > 1:
            add(f"softmax({a} * float32[3] [1, 2, 3], axis=-1)", rank_a)
    lines.append(f"    return x{len(lines) - 1}" if lines else f"    return {a}")
    return lines


def test_accepted_programs_compute_each_record_by_itself(tmp_path):
    seed = random.SystemRandom().randrange(1 << 32)
    print("seed", seed)
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    types = ", ".join(f"{name}: {type_}" for name, type_ in FIELDS.items())
    batch = [record(numbers) for _ in range(3)]
    accepted = rejected = 0
    for number in range(250):
        body = "\n".join(random_program(rng))
        text = f"def f(s: [{{{types}}}]):\n{body}\n"
        try:
            function = load(tmp_path / str(number), text).f
            together = plain(function(batch))
            alone = [plain(function([each]))[0] for each in batch]
        except signet.Error:
            rejected += 1
            continue
        accepted += 1
        assert len(together) == 3, text
        for own, expected in zip(together, alone):
            assert is_close(own, expected), text
    assert accepted > 40 and rejected > 20


def top_k_models(tmp_path):
    return load(tmp_path, '''
def parameter(x: float32[?, (?)], k: int64[]):
    values, order = top_k(x, k=k)
    return values, order

def default(x: float32[?, (?)], k = 2):
    values, order = top_k(x, k=k)
    return values, order

def known(x: float32[?, (?)], k = 2):
    values, order = top_k(x, k=static(k))
    return values, order

def sliced(x: float32[?, (?)], k: int64[]):
    _, order = sort(x, descending=True)
    best = order[:, :k]
    return gather(x, best, batch_dims=1), best

def by_segment(x: float32[?, (?)], k: int64[]):
    best = segment_top_k(x, k=k)
    return gather(x, best, batch_dims=1), best

def records(users: [{films: [{title: string[], score: float32[]}]}], k: int64[]):
    _, best = top_k(users.films.score, k=k)
    return gather(users.films, best, batch_dims=1).title

def flat(x: float32[?, (?)], k: int64[]):
    best = segment_top_k(x, k=k)
    return gather(ragged_values(x), flat_positions(best, x)), best
''')


@pytest.mark.parametrize("name", ["parameter", "default", "known", "sliced", "by_segment", "flat"])
def test_all_ways_to_rank_agree(tmp_path, name):
    function = getattr(top_k_models(tmp_path), name)
    rows = [[3, 1], [], [5, 9, 7, 8], [2]]
    for k in range(5):
        values, positions = function(rows, k=k)
        order = [sorted(range(len(row)), key=lambda i, row=row: -row[i])[:k] for row in rows]
        assert plain(positions) == order
        assert plain(values) == [[row[i] for i in best] for row, best in zip(rows, order)]


def test_a_setting_without_a_type_is_a_literal_or_a_value():
    rows = [[3, 1], [], [5, 9, 7, 8]]
    ragged, dense = signet.Ragged.from_rows([np.float32(row) for row in rows]), np.float32([[3, 1, 2], [5, 9, 7]])

    @signet.function
    def best(x, k):
        return ops.top_k(x, k=k).values

    @signet.function
    def total(x, axes):
        return ops.reduce_sum(x, axes=axes)

    for k in (2, np.int64(2), np.int32(1), 0, np.int64(3)):
        assert plain(best(ragged, k)) == [sorted(row, reverse=True)[:int(k)] for row in rows]
        assert plain(best(dense, k)) == [sorted(row, reverse=True)[:int(k)] for row in dense.tolist()]
    for axes in (1, np.int64(1), [1], np.int64([1])):
        assert plain(total(dense, axes)) == [6, 21]
    assert plain(total(ragged, 1)) == [4, 0, 29]
    assert "k=k" in signet.Model("", best).to_text() or "top_k(x, k)" in signet.Model("", best).to_text()


def test_the_best_children_do_not_depend_on_other_parents(tmp_path):
    function = top_k_models(tmp_path).records
    users = [{"films": [{"title": "x", "score": 1}]},
             {"films": [{"title": "p", "score": 5}, {"title": "q", "score": 1}, {"title": "r", "score": 0}]}]
    assert plain(function(users, k=1)) == [["x"], ["p"]]
    assert plain(function(users[1:], k=1)) == [["p"]]


def test_slices_of_rows_follow_python(tmp_path):
    text = "\n".join(f"""
def f{i}(x: [{{items: [{{p: int64[]}}]}}], a: int64[], b: int64[]):
    return x.items.p[:, {keys}]""" for i, keys in enumerate(["a:b", "a:", ":b", "a:b:2", "a:b:-1"])) + """

def bound_per_row(x: [{n: int64[], items: [{p: int64[]}]}]):
    return x.items.p[:, :x.n]

def op(x: [{items: [{p: int64[]}]}], a: int64[], b: int64[]):
    return slice(x.items.p, stack(0, a), stack(9, b))
"""
    model = load(tmp_path, text)
    rows = [[1, 2, 3], [], [4], [5, 6, 7, 8, 9]]
    records = [{"items": [{"p": p} for p in row]} for row in rows]
    for a in range(-6, 7):
        for b in range(-6, 7):
            expected = [[row[a:b] for row in rows], [row[a:] for row in rows], [row[:b] for row in rows],
                        [row[a:b:2] for row in rows], [row[a:b:-1] for row in rows]]
            found = [plain(getattr(model, f"f{i}")(records, a, b)) for i in range(5)]
            assert found == expected
            assert plain(model.op(records, a, b)) == expected[0]
    counts = [2, 1, -1, -2]
    given = [{"n": n, **each} for n, each in zip(counts, records)]
    assert plain(model.bound_per_row(given)) == [row[:n] for row, n in zip(rows, counts)]


def test_the_text_of_a_model_keeps_computed_slices(tmp_path):
    text = "def f(x: int64[?, (?)], k: int64[]):\n    return x[k + 1:, :k:2]\n"
    model = load(tmp_path, text)
    again = load(tmp_path / "again", model.to_text())
    assert "x[k + 1:, :k:2]" in model.to_text() or ":k:2]" in again.to_text()
    assert plain(again.f([[1, 2, 3], [4, 5, 6], [7, 8, 9]], 1)) == plain(model.f([[1, 2, 3], [4, 5, 6], [7, 8, 9]], 1))


def test_parts_of_unknown_rank_are_left_to_the_call(tmp_path):
    helpers = '''
def _f(r):
    return r

def _g(total, r):
    return total + reduce_sum(r.v)

class t.W:
    v: float32[...]

def map_of_class(x: t.W):
    return map(x, function=_f).v

def map_of_stack(x: t.W):
    return map(stack(x, x), function=_f).v

def total(x: t.W):
    return reduce(0.0, x, function=_g)

def of_list(x: list(float32[...])):
    return map(x, function=_f)

def first(x: t.W):
    a, b = unstack(x, num=2)
    return a.v
'''
    model = load(tmp_path, helpers)
    value = signet.Extension("t.W", {}, {"v": np.float32([1, 2])})
    assert plain(model.map_of_class(value)) == [1, 2]
    assert plain(model.map_of_stack(value)) == [[1, 2], [1, 2]]
    assert plain(model.total(value)) == 3
    assert [plain(each) for each in model.of_list([np.float32([1, 2])])] == [[1, 2]]
    assert plain(model.first(value)) == 1
    # A mistake for every rank is found when the model is loaded.
    with pytest.raises(signet.Error, match="dtype string"):
        load(tmp_path / "wrong", "class t.W:\n    v: float32[...]\n\ndef f(x: t.W):\n    return string_lower(x.v)\n")


def test_a_call_of_a_class_makes_an_older_version(tmp_path):
    model = load(tmp_path, """
class t.Rows:
    version: static
    row_splits: int64[?]
    older(t.Rows<version=1>(lengths: int64[?]))

def first(lengths: int64[?]):
    return t.Rows(lengths, version=1)

def named(lengths: int64[?]):
    return t.Rows(version=1, lengths=lengths)

def second(splits: int64[?]):
    return t.Rows(splits, version=2)
""")
    for function in (model.first, model.named):
        assert plain(function([2, 1])["lengths"]) == [2, 1]
    assert plain(model.second([0, 2])["row_splits"]) == [0, 2]


def test_dates_follow_the_datetime_of_python():
    rng = random.Random(7)
    days = [datetime.date.min.toordinal(), datetime.date.max.toordinal(), EPOCH, EPOCH - 1]
    days += [rng.randint(datetime.date.min.toordinal(), datetime.date.max.toordinal()) for _ in range(3000)]
    for year in (1, 4, 100, 400, 1600, 1900, 1970, 2000, 2024, 9999):
        for month in range(1, 13):
            days.append(datetime.date(year, month, 1).toordinal())
            days.append(datetime.date(year, month, 1).toordinal() - (year > 1))
    dates = [datetime.date.fromordinal(day) for day in days]
    numbers = np.int64(days) - EPOCH
    texts = [date.isoformat() for date in dates]
    assert plain(ops.parse_date(texts)) == numbers.tolist()
    assert [each.decode() if isinstance(each, bytes) else each for each in plain(ops.format_date(numbers))] == texts
    for part, of in {"year": lambda d: d.year, "month": lambda d: d.month, "day": lambda d: d.day,
                     "weekday": lambda d: d.weekday(), "year_day": lambda d: d.timetuple().tm_yday,
                     "week": lambda d: d.isocalendar()[1]}.items():
        assert plain(ops.date_part(numbers, part=part)) == [of(date) for date in dates], part
    for form in ("%d %b %Y", "%B %d, %Y", "%Y/%j", "%A %d.%m.%Y", "%m/%d/%y"):
        own = [date for date in dates if date.year > 999 and ("%y" not in form or 1969 <= date.year <= 2068)]
        wanted = [datetime.datetime.strptime(date.strftime(form), form).date().toordinal() - EPOCH for date in own]
        assert plain(ops.parse_date([date.strftime(form) for date in own], format=form)) == wanted, form


def test_times_follow_the_datetime_of_python():
    rng = random.Random(8)
    moments = [datetime.datetime(rng.randint(1000, 9999), rng.randint(1, 12), rng.randint(1, 28), rng.randint(0, 23),
                                 rng.randint(0, 59), rng.randint(0, 59), rng.randint(0, 999999)) for _ in range(2000)]
    epoch = datetime.datetime(1970, 1, 1)
    micros = [(each - epoch) // datetime.timedelta(microseconds=1) for each in moments]
    form = "%Y-%m-%d %I:%M:%S.%f %p"
    texts = [each.strftime(form) for each in moments]
    assert plain(ops.parse_time(texts, format=form, unit="microseconds")) == micros
    found = plain(ops.format_time(np.int64(micros), format=form, unit="microseconds"))
    assert [each.decode() if isinstance(each, bytes) else each for each in found] == texts
    for part in ("hour", "minute", "second"):
        assert plain(ops.time_part(np.int64(micros), part=part, unit="microseconds")) == [getattr(m, part) for m in moments]
    assert plain(ops.parse_date(["2023-02-29", "0000-01-01", "2024-1-1x", ""], default=-5)) == [-5] * 4
    with pytest.raises(signet.Error, match="element 0"):
        ops.parse_date(["2023-02-29"])
