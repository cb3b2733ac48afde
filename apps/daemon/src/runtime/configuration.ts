import type { Clock } from '@libs/clock';
import type { ReloadReport } from './reload-report';

/** Which configuration runs, as `/health` shows it. */
export class Configuration {
  private loadedAtMs: number;
  private last: ReloadReport | null = null;
  /** Whether a later version was applied to the fleet. */
  isOutdated = false;

  /** @param currentVersion of a configuration that is in a database */
  constructor(
    clock: Clock,
    private currentVersion?: number,
  ) {
    this.loadedAtMs = clock.nowMs();
  }

  note(report: ReloadReport, version?: number): void {
    this.last = report;
    if (report.outcome === 'refused') return;
    this.loadedAtMs = Date.parse(report.at);
    this.currentVersion = version;
    this.isOutdated = false;
  }

  /** The reload that {@link lastReload} reports has come further since. */
  completed(report: ReloadReport): void {
    if (this.last?.at === report.at) this.last = report;
  }

  /** A later version that this host has refused; it is tried again. */
  get hasRefused(): boolean {
    return this.isOutdated && this.last?.outcome === 'refused';
  }

  /** Of the configuration that runs; null for that of a file. */
  get version(): number | null {
    return this.currentVersion ?? null;
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
