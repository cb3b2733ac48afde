import { dirname, join } from 'node:path';
import { lastBytes, type Files } from '@libs/files';
import type { DerivedOffset } from './derived-offset';

const fileName = 'server-time-offset.json';
/** Much larger than an offset. */
const mostBytes = 4_096;

/** Keeps the last derived offset over restarts, because no quote moves on a weekend but history is still requested. */
export class OffsetStore {
  private constructor(
    private readonly files: Files,
    private readonly path: string,
    /** Reads the offset; null if there is none or the file is damaged, which costs only a derivation. */
    readonly found: DerivedOffset | null,
  ) {}

  static async open(files: Files, stateDir: string): Promise<OffsetStore> {
    const path = join(stateDir, fileName);
    return new OffsetStore(files, path, await load(files, path));
  }

  /** Replaces the file atomically, so that a crash leaves the old or the new one. @throws if it cannot be written */
  async save(offset: DerivedOffset): Promise<void> {
    await this.files.mkdir(dirname(this.path), { recursive: true });
    const temporary = `${this.path}.new`;
    const file = await this.files.open(temporary, 'w', 0o600);
    try {
      await file.appendFile(`${JSON.stringify(offset)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await this.files.rename(temporary, this.path);
  }
}

async function load(files: Files, path: string): Promise<DerivedOffset | null> {
  try {
    const file = await files.open(path, 'r');
    try {
      return parse(JSON.parse((await lastBytes(file, mostBytes)).toString('utf8')));
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}

function parse(value: unknown): DerivedOffset | null {
  if (typeof value !== 'object' || value === null) return null;
  const { offsetSeconds, symbol, derivedAtMs, server } = value as Record<string, unknown>;
  if (!Number.isInteger(offsetSeconds) || !Number.isFinite(derivedAtMs)) return null;
  if (typeof symbol !== 'string' || typeof server !== 'string') return null;
  return { offsetSeconds: Number(offsetSeconds), derivedAtMs: Number(derivedAtMs), symbol, server };
}
