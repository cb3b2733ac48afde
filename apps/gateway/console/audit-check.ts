import type { AuditVerification } from '@libs/gateway-client';
import { signal } from '@preact/signals';
import { nothingRead, type Reading } from './reading';

interface AuditCheckOptions {
  readonly read: () => Promise<AuditVerification>;
  readonly onFailure: (error: unknown) => void;
}

/** Checks the audit log when it is asked to, because a check reads the whole file. */
export class AuditCheck {
  readonly reading = signal<Reading<AuditVerification>>(nothingRead);
  readonly isRunning = signal(false);

  constructor(private readonly options: AuditCheckOptions) {}

  async run(): Promise<void> {
    if (this.isRunning.peek()) return;
    this.isRunning.value = true;
    const readAtMs = performance.now();
    try {
      this.reading.value = { value: await this.options.read(), readAtMs, error: null };
    } catch (error) {
      this.reading.value = { ...nothingRead, error: error instanceof Error ? error.message : 'the check failed' };
      this.options.onFailure(error);
    } finally {
      this.isRunning.value = false;
    }
  }
}
