"""The growth of savings: the model examples/models/savings, with branches and loops, written in Python."""

import numpy as np
import signet
from signet import ops


@signet.function
def year(balance: "float32[]", rate: "float32[]"):
    """Returns the balance after a year, which `scan` carries on, and the interest, which `scan` stacks."""
    interest = balance * rate
    return balance + interest, interest


@signet.function
def course(balance: "float32[]", rates: "float32[?]"):
    """Returns the balance at the end, and the interest of each year. `rates` has one rate per year.

    Example: 1000 '[0.01, 0.02, 0.015]'
    """
    last, interest = signet.scan(year, balance, rates)
    return {"balance": last, "interest": interest}


@signet.function
def years_until(balance: "float32[]", rate: "float32[]", target: "float32[]", /, most=100) -> "int64[]":
    """Returns the number of years until the balance reaches the target, at most `most`.

    Example: 1000 0.05 2000
    """
    def falls_short(years, balance):
        return balance < target

    def one_year_more(years, balance):
        return years + 1, year(balance, rate)[0]

    years, _ = signet.while_loop(falls_short, one_year_more, np.int64(0), balance, max_steps=most)
    return years


@signet.function
def fees(accounts: "[{name: string[], balances: float32[(?)]}]") -> "[{name: string[], fee: float32[]}]":
    """Returns the fee of each account: 1 percent of the sum of its balances, or 0 if the sum is less than 1000."""
    def fee_of(account):
        total = ops.reduce_sum(account.balances)
        fee = signet.cond(total >= 1000.0, lambda: total / 100.0, lambda: 0.0)
        return ops.struct_make(name=account.name, fee=fee)

    return signet.map(fee_of, accounts)


model = signet.Model("The growth of savings", course, years_until, fees, year)

if __name__ == "__main__":
    import sys

    if len(sys.argv) != 2:
        sys.exit("usage: savings.py FOLDER; saves the model as FOLDER/savings/1")
    model.save(f"{sys.argv[1]}/savings/1")
