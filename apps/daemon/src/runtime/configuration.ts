import type { Clock } from '@libs/clock';
import type { ReloadReport } from './reload-report';

/** Which configuration runs, as `/health` shows it. */
export class Configuration {
  private loadedAtMs: number;
  private last: ReloadReport | null = null;

  constructor(clock: Clock) {
    this.loadedAtMs = clock.nowMs();
  }

  note(report: ReloadReport): void {
    this.last = report;
    if (report.outcome !== 'refused') this.loadedAtMs = Date.parse(report.at);
  }

  /** Null before the first reload. */
  get lastReload(): ReloadReport | null {
    return this.last;
  }

  /** When the file that runs was read, in milliseconds since the epoch. */
  get loadedMs(): number {
    return this.loadedAtMs;
  }
}
