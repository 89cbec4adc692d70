"""The client for asyncio."""

import asyncio

import numpy as np
import pytest

import signet
import signet.aio

ACCOUNTS = [{"name": "Ann", "balances": [800, 400]}, {"name": "Bo", "balances": []}]
FEES = [{"name": "Ann", "fee": 12.0}, {"name": "Bo", "fee": 0.0}]


def test_asyncio(server):
    async def main():
        async with signet.aio.connect(server.address) as client:
            one = await client.savings.fees(ACCOUNTS)
            many = await asyncio.gather(*(client.half_plus_two.predict([float(i)]) for i in range(50)))
            mapped = [each async for each in client.half_plus_two.predict.map([[float(i)] for i in range(20)])]
            with pytest.raises(signet.BindingError):
                await client.savings.fees()
            return one.to_py(), [float(each[0]) for each in many], [float(each[0]) for each in mapped]

    for _ in range(2):  # each with an event loop of its own
        fees, many, mapped = asyncio.run(main())
        assert fees == FEES and many == [i / 2 + 2 for i in range(50)] and mapped == many[:20]


def test_errors(server):
    async def main():
        async with signet.aio.connect("127.0.0.1:1", timeout=1) as nobody:
            with pytest.raises(signet.Error):
                await nobody.savings.fees(ACCOUNTS)
        async with signet.aio.connect(server.address) as client:
            outcomes = [each async for each in client.half_plus_two.predict.map([[1.0], "wrong"], errors="return")]
            assert outcomes[0].tolist() == [2.5] and isinstance(outcomes[1], signet.TypeMismatch)
            with pytest.raises(signet.NotFound) as caught:
                await client.nothing.fees(1)
            assert (caught.value.model, caught.value.function, caught.value.address) == ("nothing", "", server.address)
            predict = client.half_plus_two.predict
            for call in (lambda: predict("x"), lambda: predict(1, 2), lambda: predict(np.array([True])),
                         lambda: predict.with_options(timeout=1e-6)([1.0])):
                with pytest.raises(signet.Error) as caught:
                    await call()
                assert (caught.value.model, caught.value.function, caught.value.address) == ("half_plus_two", "predict", server.address)
            assert "half_plus_two.predict" in repr(predict)

    asyncio.run(main())


def test_a_cancelled_task_cancels_its_call(server):
    async def main():
        async with signet.aio.connect(server.address) as client:
            await client.half_plus_two.predict([1.0])
            task = asyncio.ensure_future(client.half_plus_two.predict([1.0]))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await client.half_plus_two.predict([1.0])).tolist() == [2.5]

    asyncio.run(main())
