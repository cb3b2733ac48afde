"""The queue of calls to the package process, which makes one call at a time."""

import collections
import json
import logging
import threading
import time

from package_handle import PackageGone, PackageLost

MAX_WAITING = 256
# Reads are rejected once the current call has run for this long.
BUSY_AFTER = 2.0
# A send that waited for this share of its deadline is refused, so that the refusal reaches the gateway in time.
SEND_WAIT_SHARE = 0.8
WATCH_PERIOD = 0.05
RESTART_DELAY, LONGEST_RESTART_DELAY = 1.0, 30.0
FAIL, NO_CONNECTION, NO_ANSWER = -1, -10004, -10002


class Call:
    """One call of a peer. Exactly one of answer, error and fail is called, once."""

    def __init__(self, peer, number, method, params):
        self.peer, self.number, self.method, self.is_send = peer, number, method, method == "orderSend"
        self.line = json.dumps({"method": method, "params": params}).encode("ascii")
        deadline = params[2] if self.is_send and len(params) > 2 else None
        is_number = isinstance(deadline, (int, float)) and not isinstance(deadline, bool)
        self.deadline = deadline / 1000 if is_number else None
        self.since = time.monotonic()

    def is_late(self):
        return self.deadline is not None and time.monotonic() - self.since >= self.deadline * SEND_WAIT_SHARE

    def fail(self, code, message, kind):
        self.peer.error(self.number, code, message, kind)

    def drop_late(self):
        self.fail(FAIL, "the deadline passed before the call began", "refused")

    def lose(self, reason):
        """The package process ended during this call."""
        if self.is_send:
            said = {"code": NO_ANSWER, "message": reason}
            self.peer.answer(self.number, {"kind": "unknown", "reason": reason, "lastError": said})
        else:
            self.fail(NO_ANSWER, reason, "disconnected")

    def never_begin(self):
        """The package process ended before this call began."""
        self.fail(NO_CONNECTION, "the package process ended before the call began",
                  "refused" if self.is_send else "disconnected")


class Lane:
    """Sends overtake waiting reads, both are bounded, and no call waits long behind one that hangs."""

    def __init__(self, package, hang_seconds, on_lost):
        self.package, self.hang_seconds, self.on_lost = package, hang_seconds, on_lost
        self.changed = threading.Condition()
        self.sends, self.reads = collections.deque(), collections.deque()
        self.stopping = threading.Event()
        # The current call: its name, its start, and the seconds after which it counts as hung.
        self.running, self.warned, self.lost_because = None, False, None
        self.worker = threading.Thread(target=self._work, name="lane", daemon=True)

    def start(self):
        self.worker.start()
        threading.Thread(target=self._watch, name="watch", daemon=True).start()

    def stop(self, seconds):
        """Ends after the current call, or after so many seconds; waiting calls never start."""
        with self.changed:
            self.stopping.set()
            self.changed.notify_all()
        self.worker.join(seconds)

    def push(self, call):
        with self.changed:
            waiting = self.sends if call.is_send else self.reads
            refusal = "too many calls are waiting"
            if len(waiting) < MAX_WAITING:
                refusal = None if call.is_send else self._stuck()
            if refusal is None:
                waiting.append(call)
                self.changed.notify_all()
        if refusal is not None:
            call.fail(FAIL, refusal, "busy")

    def _stuck(self):
        """The call that has run for too long, or None."""
        if self.running is None:
            return None
        name, since, _ = self.running
        age = time.monotonic() - since
        return "the terminal is busy: %s has been running for %.1f s" % (name, age) if age >= BUSY_AFTER else None

    def _work(self):
        while (call := self._next()) is not None:
            if call.is_late():
                self._idle()
                call.drop_late()
                continue
            try:
                succeeded, payload = self.package.call(call.line)
            except PackageLost as lost:
                self._replace(call, str(lost), began=not isinstance(lost, PackageGone))
            else:
                self._idle()
                call.peer.pass_on(call.number, succeeded, payload)

    def _next(self):
        with self.changed:
            while not self.stopping.is_set():
                waiting = self.sends or self.reads
                if not waiting:
                    self.changed.wait()
                    continue
                call = waiting.popleft()
                if not call.peer.gone:  # above all, a send must not be made for a gateway that left
                    self._begin(call.method, max(self.hang_seconds, call.deadline or 0))
                    return call
            return None

    def _begin(self, name, hang_seconds):
        self.running, self.warned = (name, time.monotonic(), hang_seconds), False

    def _idle(self):
        with self.changed:
            self.running = None

    def _watch(self):
        """Rejects calls that waited too long, and ends a package process that hangs."""
        while not self.stopping.wait(WATCH_PERIOD):
            with self.changed:
                stuck = self._stuck()
                busy = list(self.reads) if stuck else []
                if stuck:
                    self.reads.clear()
                late = [call for call in self.sends if call.is_late()]
                for call in late:
                    self.sends.remove(call)
                if stuck and not self.warned:
                    self.warned = True
                    logging.warning(stuck)
                if stuck and self.lost_because is None and time.monotonic() - self.running[1] >= self.running[2]:
                    self.lost_because = "%s did not return within %g s; the package process was ended" % (
                        self.running[0], self.running[2])
                    self.package.kill()
            for call in late:
                call.drop_late()
            for call in busy:
                call.fail(FAIL, stuck, "busy")

    def _replace(self, call, reason, began):
        """Answers the calls of the lost process, and starts another one."""
        with self.changed:
            reason, self.lost_because = self.lost_because or reason, None
            left = [*self.sends, *self.reads]
            self.sends.clear()
            self.reads.clear()
            self._begin("the restart of the package process", self.hang_seconds)
        logging.warning("%s %s %s; starting another one", reason, "during" if began else "before", call.method)
        if began:
            call.lose(reason)
        for waiting in left if began else [call, *left]:
            waiting.never_begin()
        self.on_lost(reason)
        self.package.bury()
        delay = RESTART_DELAY
        while not self.stopping.is_set():
            try:
                self.package.start()
                break
            except (PackageLost, OSError) as error:
                logging.warning("the package process does not start: %s", error)
                self.stopping.wait(delay)
                delay = min(delay * 2, LONGEST_RESTART_DELAY)
                with self.changed:
                    self.lost_because = None
                    self._begin("the restart of the package process", self.hang_seconds)
        self._idle()
