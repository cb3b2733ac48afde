import { type EventFields, type HostEvent, HostLog } from '../../apps/gateway/src/terminal-host/host-events';
import { loginPollMs } from '../../apps/gateway/src/terminal-host/login-loop';
import { type HurriedClock } from './hurried-clock';

/** The host's log as a list, with what a test wants to know of it. */
export class ListLog extends HostLog {
  readonly lines: { level: string; event: HostEvent; fields: EventFields; pollsBefore: number }[] = [];

  constructor(private readonly clock: HurriedClock) {
    super();
  }

  write(level: string, event: HostEvent, fields: EventFields): void {
    const pollsBefore = this.clock.delays.filter((delayMs) => delayMs === loginPollMs).length;
    this.lines.push({ level, event, fields, pollsBefore });
  }

  events(event: HostEvent): EventFields[] {
    return this.lines.filter((line) => line.event === event).map(({ fields }) => fields);
  }

  /** The facts of an event's nth line, once it is there. */
  async logged(event: HostEvent, times = 1): Promise<EventFields> {
    await this.until(`"${event}" ${times} times`, () => this.events(event).length >= times);
    return this.events(event)[times - 1] ?? {};
  }

  /** How many polls of five seconds were slept between the nth lines of two events. */
  pollsBetween(first: HostEvent, last: HostEvent, times: number): number {
    const before = (event: HostEvent): number =>
      this.lines.filter((line) => line.event === event)[times - 1]?.pollsBefore ?? Number.NaN;
    return before(last) - before(first);
  }

  /** Waits in real time; fails with what was logged, so that a hang explains itself. */
  async until(what: string, holds: () => boolean, limitMs = 60_000): Promise<void> {
    const end = performance.now() + limitMs;
    while (!holds()) {
      if (performance.now() > end) throw new Error(`never came: ${what}\n${JSON.stringify(this.lines, null, 1)}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
