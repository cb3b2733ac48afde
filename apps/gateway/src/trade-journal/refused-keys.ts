import type { RefusedKey, TradeIdentity } from './journal-records';
import type { JournalWriter } from './journal-writer';
import type { JournalStore } from './journal.store';
import { hashOfKey, shortFingerprint } from './remembered-key';
import type { RunningTime } from './running-time';

/** More refusals than this within IDEMPOTENCY_TTL_SECONDS free the oldest keys early. */
const mostKeys = 100_000;

/**
 * Keys whose request was refused before its send. They are kept in memory and written in the background, so no refusal
 * waits for the disk. A crash may lose a binding, which is safe because nothing was sent under the key.
 */
export class RefusedKeys {
  /** By hash of the key, oldest refusal first. */
  private readonly keys: Map<string, RefusedKey>;
  private readonly unwritten = new Map<string, RefusedKey | null>();
  private writing: Promise<void> | null = null;

  /** @param ttlMs how long a key stays bound, in running time */
  constructor(
    store: JournalStore,
    private readonly writer: JournalWriter,
    private readonly running: RunningTime,
    private readonly ttlMs: number,
  ) {
    this.keys = new Map(store.keys.refusedKeys().sort(([, a], [, b]) => a.atRunningMs - b.atRunningMs));
  }

  /** The binding of a key; undefined if it is free. */
  find(key: string): RefusedKey | undefined {
    const bound = this.keys.get(idOf(key));
    return bound && this.running.nowMs() < bound.atRunningMs + this.ttlMs ? bound : undefined;
  }

  /** Binds a key to the refused parameters, unless it is bound to others. */
  bind(key: string, { fingerprint, route }: TradeIdentity, nowMs: number): void {
    const bound = this.find(key);
    const short = shortFingerprint(fingerprint);
    if (bound && bound.fingerprint !== short) return;
    const id = idOf(key);
    const binding = {
      fingerprint: short,
      route: bound?.route ?? route,
      createdAtMs: bound?.createdAtMs ?? nowMs,
      atRunningMs: this.running.nowMs(),
    };
    this.keys.delete(id);
    this.keys.set(id, binding);
    this.unwritten.set(id, binding);
    this.freeOldest();
    this.startWriting();
  }

  /** Resolves once the current write has succeeded or failed. */
  async written(): Promise<void> {
    while (this.writing) await this.writing;
  }

  private freeOldest(): void {
    const endedMs = this.running.nowMs() - this.ttlMs;
    for (const [id, { atRunningMs }] of this.keys) {
      if (this.keys.size <= mostKeys && atRunningMs > endedMs) return;
      this.keys.delete(id);
      this.unwritten.set(id, null);
    }
  }

  private startWriting(): void {
    this.writing ??= this.write().finally(() => (this.writing = null));
  }

  private async write(): Promise<void> {
    // Simultaneous refusals share a write.
    await Promise.resolve();
    while (this.unwritten.size > 0) {
      const changes = [...this.unwritten];
      this.unwritten.clear();
      // On a full disk the binding ends with the process. That is harmless, and writes that matter log the failure.
      await this.writer
        .write((tables) => {
          for (const [id, binding] of changes) {
            if (binding) tables.keys.putRefused(id, binding);
            else tables.keys.removeRefused(id);
          }
        })
        .catch(() => undefined);
    }
  }
}

function idOf(key: string): string {
  return hashOfKey(key).toString('hex');
}
