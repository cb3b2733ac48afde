"""Reference for the figures against luck, with the standard library alone. Prints luck.json, the cases of the unit tests.

Deflated Sharpe ratio: Bailey and Lopez de Prado (2014), equations 1 and 2. Probability of backtest overfitting: Bailey, Borwein,
Lopez de Prado and Zhu (2017), section 3. Orders of trades: shuffles of Fisher and Yates by mulberry32.
"""

import itertools
import json
import math
import random
from statistics import NormalDist

EULER = 0.5772156649015329
normal = NormalDist()


def mean(values):
    return math.fsum(values) / len(values)


def deviation(values):
    middle = mean(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1))


def sharpe(values):
    return mean(values) / deviation(values)


def expected_maximum(trials):
    count = len(trials)
    quantiles = normal.inv_cdf(1 - 1 / count), normal.inv_cdf(1 - 1 / (count * math.e))
    return deviation(trials) * ((1 - EULER) * quantiles[0] + EULER * quantiles[1])


def deflated_sharpe(changes, trials):
    middle = mean(changes)
    second, third, fourth = (mean([(change - middle) ** power for change in changes]) for power in (2, 3, 4))
    skewness, kurtosis = third / second**1.5, fourth / second**2
    own, expected = sharpe(changes), expected_maximum(trials)
    error = math.sqrt(1 - skewness * own + (kurtosis - 1) / 4 * own**2)
    probability = normal.cdf((own - expected) * math.sqrt(len(changes) - 1) / error)
    return {"probability": probability, "sharpe": own, "expected": expected, "skewness": skewness, "kurtosis": kurtosis}


def overfitting(sets, parts):
    """The performance matrix, cut by rows into parts; every half of the parts once as the training set."""
    length = len(sets[0]) // parts
    omitted = len(sets[0]) % parts
    blocks = [[own[omitted + part * length :][:length] for part in range(parts)] for own in sets]

    def performance(own, half):
        days = [change for part in half for change in own[part]]
        return 0.0 if all(change == 0 for change in days) else sharpe(days)

    logits = []
    for half in itertools.combinations(range(parts), parts // 2):
        rest = [part for part in range(parts) if part not in half]
        trained = [performance(own, half) for own in blocks]
        tested = [performance(own, rest) for own in blocks]
        chosen = tested[trained.index(max(trained))]
        rank = sum(other < chosen for other in tested) + (sum(other == chosen for other in tested) + 1) / 2
        share = rank / (len(sets) + 1)
        logits.append(math.log(share / (1 - share)))
    failed = sum(logit <= 0 for logit in logits)
    return {"probability": failed / len(logits), "parts": parts, "splits": len(logits), "days": length * parts}


def mulberry32(seed):
    state = seed

    def following():
        nonlocal state
        state = (state + 0x6D2B79F5) & 0xFFFFFFFF
        mixed = ((state ^ (state >> 15)) * (1 | state)) & 0xFFFFFFFF
        mixed = (mixed + ((mixed ^ (mixed >> 7)) * (61 | mixed) & 0xFFFFFFFF)) & 0xFFFFFFFF ^ mixed
        return mixed ^ (mixed >> 14)

    return lambda: ((following() >> 5) * 2**26 + (following() >> 6)) / 2**53


def fall(results, capital):
    balances = [capital]
    for result in results:
        balances.append(round(balances[-1] + result, 2))
    peaks = list(itertools.accumulate(balances, max))
    falls = [peak - balance for peak, balance in zip(peaks, balances)]
    percents = [depth / peak * 100 for depth, peak in zip(falls, peaks)]
    return {"maxDrawdown": round(max(falls), 2), "maxDrawdownPct": round(max(percents), 4), "lowest": min(balances)}


def trade_orders(results, capital, runs, seed, limits):
    draw = mulberry32(seed)
    order = list(results)
    drawn = []
    for _ in range(runs):
        for at in range(len(order) - 1, 0, -1):
            other = math.floor(draw() * (at + 1))
            order[at], order[other] = order[other], order[at]
        drawn.append(fall(order, capital))

    def percentiles(name):
        ascending = sorted(one[name] for one in drawn)
        return {f"p{share}": ascending[math.ceil(share / 100 * runs) - 1] for share in (5, 50, 95, 99)}

    def chance(limit):
        return round(sum(one["maxDrawdownPct"] > limit for one in drawn) / runs * 100, 4)

    return {
        **{name: percentiles(name) for name in ("maxDrawdown", "maxDrawdownPct", "lowest")},
        "asTraded": fall(results, capital),
        "above": [{"drawdownPct": limit, "chancePct": chance(limit)} for limit in limits],
    }


def main():
    source = random.Random(20_140_917)

    def changes(count, drift, is_idle=False):
        # Mostly quiet days and a few large ones: skewed, with fat tails. An idle set trades on half of the days.
        drawn = [round(source.gauss(drift, 0.004) + (source.random() < 0.05) * source.gauss(-0.01, 0.02), 7) for _ in range(count)]
        return [0.0 if is_idle and day < count / 2 else change for day, change in enumerate(drawn)]

    deflated = []
    for count, drift, trials in ((5, 0.001, 2), (20, 0.002, 40), (250, 0.0006, 300), (1250, 0.0002, 2)):
        case = {"changes": changes(count, drift), "trials": [round(source.gauss(0, 0.06), 6) for _ in range(trials)]}
        deflated.append({**case, "expected": deflated_sharpe(**case)})
    splits = []
    for days, count, parts in ((16, 2, 8), (21, 7, 10), (25, 5, 12), (33, 3, 16)):
        own = [changes(days, 0.0004 * at, at == 1) for at in range(count)]
        sets = own if days != 21 else [*own, own[3], [0.0] * days]
        splits.append({"sets": sets, "expected": overfitting(sets, parts)})
    orders = []
    for trades, capital, runs, seed in ((2, 1_000, 20, 1), (30, 10_000, 500, 7), (120, 2_500, 300, 4_294_967_295)):
        results = [round(source.gauss(1, 40) + (source.random() < 0.05) * -150, 2) for _ in range(trades)]
        case = {"results": results, "capital": capital, "runs": runs, "seed": seed, "limits": [1, 5, 10, 30]}
        orders.append({**case, "expected": trade_orders(**case)})
    places = [-8.5, -5, -2.326, -1, -1e-9, 0, 0.3, 1.645, 4, 6.9]
    shares = [1e-9, 0.001, 0.05, 0.5, 0.9, 0.99, 1 - 1e-4, 1 - 1e-6]
    print(
        json.dumps(
            {
                "cdf": [[place, normal.cdf(place)] for place in places],
                "quantile": [[share, normal.inv_cdf(share)] for share in shares],
                "deflatedSharpe": deflated,
                "overfitting": splits,
                "tradeOrders": orders,
            }
        )
    )


main()
