import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DerivedOffset } from './derived-offset';

const fileName = 'server-time-offset.json';

/** Keeps the last derived offset over restarts: at a weekend no quote moves, and history is asked for all the same. */
export class OffsetStore {
  private readonly path: string;

  constructor(stateDir: string) {
    this.path = join(stateDir, fileName);
  }

  /** The offset kept last; null when there is none or the file is damaged, which costs a derivation and no more. */
  load(): DerivedOffset | null {
    try {
      return parse(JSON.parse(readFileSync(this.path, 'utf8')));
    } catch {
      return null;
    }
  }

  /** Replaces the file as a whole, so that a crash leaves the old or the new one. @throws when it can't be written */
  save(offset: DerivedOffset): void {
    mkdirSync(dirname(this.path), { recursive: true });
    const temporary = `${this.path}.new`;
    const file = openSync(temporary, 'w', 0o600);
    try {
      writeSync(file, `${JSON.stringify(offset)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, this.path);
  }
}

function parse(value: unknown): DerivedOffset | null {
  if (typeof value !== 'object' || value === null) return null;
  const { offsetSeconds, symbol, derivedAtMs, server } = value as Record<string, unknown>;
  if (!Number.isInteger(offsetSeconds) || !Number.isFinite(derivedAtMs)) return null;
  if (typeof symbol !== 'string' || typeof server !== 'string') return null;
  return { offsetSeconds: Number(offsetSeconds), derivedAtMs: Number(derivedAtMs), symbol, server };
}
