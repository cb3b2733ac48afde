"""What a run cost, printed for the bench: processor time of the process from its start on, its memory and its trades."""

import json
import resource


def report(trades: int, bars: int) -> None:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    cpu = usage.ru_utime + usage.ru_stime
    print(json.dumps({"cpuSeconds": cpu, "residentMib": usage.ru_maxrss / 1024, "trades": trades, "bars": bars}))
