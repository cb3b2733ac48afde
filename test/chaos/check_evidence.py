"""Compares what clients of a gateway were answered with the broker's own lists and the audit log.

usage: check_evidence.py ANSWERS.jsonl BROKER.json AUDIT.jsonl

It shares no code and no language with the product, and reads only what an auditor would be given. Each problem is a line
on standard error. Exit code 0 without problems, 1 with some.
"""

import json
import sys
from collections import Counter, defaultdict
from datetime import datetime
from decimal import Decimal

# Answers that do not say what became of a request: it is asked for again under its key.
OPEN_STATUSES = {None, 409, 502, 503}
PENDING_TYPES = range(2, 8)
IN, OUT, IN_OUT = 0, 1, 2


def read_lines(path):
    """Yields (line number, record or None) of a file of JSON lines; None for a line that is not JSON."""
    with open(path, encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            try:
                record = json.loads(text)
            except ValueError:
                record = None
            if text.strip():
                yield number, record


def order_of(answer):
    """The order ticket in the answer to a trade request, or None."""
    return ((answer["body"] or {}).get("result") or {}).get("order")


def check_answers(by_key):
    """Each key has one definite outcome, repeated word for word in what matters."""
    for key, answers in by_key.items():
        definite = [answer for answer in answers if answer["status"] not in OPEN_STATUSES]
        outcomes = {(answer["status"], order_of(answer)) for answer in definite}
        if len(outcomes) > 1:
            yield f"{key}: different outcomes {sorted(outcomes, key=str)}"
        for answer in definite:
            if answer["status"] >= 500:
                yield f"{key}: status {answer['status']}"
            if answer["status"] == 200 and answer["kind"] in ("open", "pending") and not order_of(answer):
                yield f"{key}: done without an order"


def check_orders(done, broker):
    """Each acknowledged order is at the broker once, and each order at the broker was acknowledged under one key."""
    trades = Counter(deal["order"] for deal in broker["deals"] if deal["type"] in (0, 1))
    pending = Counter(order["ticket"] for order in broker["orders"] if order["type"] in PENDING_TYPES)
    for what, kinds, at_broker in (("deal", ("open", "close"), trades), ("pending order", ("pending",), pending)):
        keys = defaultdict(set)
        for key, answer in done.items():
            if answer["kind"] in kinds and not answer["body"].get("already_closed"):
                keys[order_of(answer)].add(key)
        for order, names in keys.items():
            if len(names) > 1:
                yield f"order {order} was acknowledged under {sorted(names)}"
            if order not in at_broker:
                yield f"{sorted(names)}: lost, the broker has no {what} of order {order}"
        for order, count in at_broker.items():
            if count > 1:
                yield f"order {order}: {count} entries for one {what}"
            if order not in keys:
                yield f"{what} of order {order} was never acknowledged"


def check_volumes(broker):
    """What went in and did not come out is what is open, per position."""
    held = defaultdict(Decimal)
    for deal in broker["deals"]:
        if deal["type"] in (0, 1):
            sign = {IN: 1, OUT: -1}.get(deal["entry"])
            if sign is None:
                yield f"deal {deal['ticket']}: entry {deal['entry']} on a hedging account"
                continue
            held[deal["position_id"]] += sign * Decimal(str(deal["volume"]))
    rows = {row["ticket"]: Decimal(str(row["volume"])) for row in broker["positions"]}
    for ticket in set(held) | set(rows):
        if held[ticket] != rows.get(ticket, 0):
            yield f"position {ticket}: deals leave {held[ticket]}, the broker lists {rows.get(ticket, 0)}"


def check_audit(lines, keys, trades):
    """The log has no gap, each intent an outcome, each key one acting send, and each order at the broker an intent."""
    last = None
    open_intents = {}
    orders_of_key = defaultdict(set)
    torn = []
    for number, line in lines:
        if line is None:
            torn.append(number)
            continue
        if last is not None and line["sequence"] != last["sequence"] + 1:
            yield f"audit line {number}: sequence {line['sequence']} follows {last['sequence']}"
            yield from (f"audit line {at}: is not JSON" for at in torn)
        if last is not None and line["timestamp"] < last["timestamp"]:
            yield f"audit line {number}: its time is before that of the line before"
        torn, last = [], line
        key, intent = line["client_order_id"], line["intent_id"]
        if line["event"] == "intent":
            if key not in keys:
                yield f"audit line {number}: no client sent {key}"
            open_intents[intent] = number
        elif line["event"] in ("broker_response", "recovered", "refused", "unknown_outcome", "outcome_accepted"):
            open_intents.pop(intent, None)
            # Zero: nothing came of it, or a change that has no order of its own.
            if line["event"] in ("broker_response", "recovered") and line["ticket"] and line["error_type"] is None:
                orders_of_key[key].add(line["ticket"])
    for intent, number in open_intents.items():
        yield f"audit line {number}: intent {intent} has no outcome"
    named = set()
    for key, tickets in orders_of_key.items():
        traded = tickets & trades
        if len(traded) > 1:
            yield f"{key}: the audit log has the orders {sorted(traded)} of it"
        named |= traded
    for order in sorted(trades - named):
        yield f"order {order} is at the broker, and the audit log does not have it"


def hours_of(lines):
    """How long the log lasts by its own timestamps."""
    stamps = [line["timestamp"].replace("Z", "+00:00") for _, line in lines if line is not None]
    first, last = (datetime.fromisoformat(stamps[index]) for index in (0, -1))
    return (last - first).total_seconds() / 3600


def main(answers_path, broker_path, audit_path):
    by_key = defaultdict(list)
    for number, answer in read_lines(answers_path):
        by_key[answer["key"]].append(answer)
    with open(broker_path, encoding="utf-8") as file:
        broker = json.load(file)
    last = {key: answers[-1] for key, answers in by_key.items()}
    done = {key: answer for key, answer in last.items() if answer["status"] == 200}
    trades = {deal["order"] for deal in broker["deals"] if deal["type"] in (0, 1)}
    problems = [
        *check_answers(by_key),
        *check_orders(done, broker),
        *check_volumes(broker),
        *check_audit(read_lines(audit_path), set(by_key), trades),
    ]
    replays = sum(answer["replayed"] for answers in by_key.values() for answer in answers)
    asked = sum(len(answers) for answers in by_key.values())
    print(
        f"checked: keys {len(by_key)}, answers {asked}, replays {replays}, done {len(done)}, "
        f"orders at the broker {len(trades)}, hours of the log {hours_of(read_lines(audit_path)):.1f}, "
        f"problems {len(problems)}"
    )
    for problem in problems[:50]:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
