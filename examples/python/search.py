"""Searches for parameters with Optuna: it chooses the sets, `daemon optimize --sets -` runs them, each in a backtest.

    pip install optuna
    python3 examples/python/search.py strategies/ema-cross.ts --data bid.csv,ask.csv

All arguments go to `daemon optimize`. TRIALS (40) sets are run, JOBS (2) at the same time.
"""

import json
import os
import subprocess
import sys

import optuna

DAEMON = ["node", "dist/apps/daemon/src/main.js"]
TRIALS = int(os.environ.get("TRIALS", "40"))
JOBS = int(os.environ.get("JOBS", "2"))


def suggested(trial):
    """The parameters of a set: change this for a strategy of your own."""
    fast = trial.suggest_int("fast", 5, 30)
    return {"fast": fast, "slow": fast + trial.suggest_int("gap", 5, 60)}


class Backtests:
    """One process for the whole search: it keeps the prices and the compiled strategy from one set to the next."""

    def __init__(self, arguments):
        command = [*DAEMON, "optimize", *arguments, "--sets", "-", "--jobs", str(JOBS)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines = 0

    def run(self, sets):
        """The result of each set, in the order of the sets. They are answered in the order in which they end."""
        first = self.lines
        self.lines += len(sets)
        try:
            self.process.stdin.write("".join(json.dumps(each) + "\n" for each in sets))
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # It has ended, and says why on stderr.
        results = [self.answer() for _ in sets]
        return sorted(results, key=lambda result: result["set"] - first)

    def end(self):
        """The report of the search: what all sets together say."""
        self.process.stdin.close()
        report = self.answer()["report"]
        self.process.wait()
        return report

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"daemon optimize ended with code {self.process.wait()}")
        return json.loads(line)


def main():
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    backtests = Backtests(sys.argv[1:])
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=1))
    sets = {}
    while len(sets) < TRIALS:
        trials = [study.ask() for _ in range(min(JOBS, TRIALS - len(sets)))]
        sets.update({trial.number: suggested(trial) for trial in trials})
        for trial, result in zip(trials, backtests.run([sets[trial.number] for trial in trials])):
            if result["metric"] is None:
                # The set failed, or has no value, as a Sharpe ratio without trades.
                study.tell(trial, state=optuna.trial.TrialState.FAIL)
            else:
                study.tell(trial, result["metric"])

    report = backtests.end()
    print(f"{len(study.trials)} sets, {report['failed']} failed")
    if any(trial.state == optuna.trial.TrialState.COMPLETE for trial in study.trials):
        best = study.best_trial
        print(f"best {report['search']['metric']}: {best.value} with {json.dumps(sets[best.number])}")
    for name, figure in report["overfitting"].items():
        print(f"{name}: {figure['undefinedBecause'] or figure['probability']}")


main()
