import type { HostReport, HostReports } from '@libs/postgres';
import type { Logger } from 'pino';

/** How often a host publishes what it shows. */
export const publishMs = 5_000;

/** What this host publishes to the others, and what they have published. No tick and no order waits for it. */
export class PublishedReports {
  private publishing: Promise<void> | null = null;
  private reading: Promise<readonly HostReport[]> | null = null;
  private hasFailed = false;

  constructor(
    private readonly reports: HostReports,
    /** Id of this host. */
    readonly id: string,
    private readonly logger: Logger,
  ) {}

  /** Publishes the report of this host, unless the one before is still on its way. Never rejects. */
  publish(report: () => string): Promise<void> {
    return (this.publishing ??= this.attempt(report).finally(() => (this.publishing = null)));
  }

  /** Reads all reports. Readers at the same time share a read, so that they take one connection. @throws Error */
  read(): Promise<readonly HostReport[]> {
    return (this.reading ??= this.reports.read().finally(() => (this.reading = null)));
  }

  private async attempt(report: () => string): Promise<void> {
    try {
      await this.reports.publish(this.id, report());
      this.hasFailed = false;
    } catch (error) {
      // Others show the report before as old.
      if (!this.hasFailed) this.logger.error({ problem: String(error) }, 'the report of this host was not published');
      this.hasFailed = true;
    }
  }
}
