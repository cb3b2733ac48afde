import {
  mkdirSync,
  openSync,
  closeSync,
  fsyncSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { digestOf, type HandleRecord } from './handle-record';

const handleForm = /^mcp-[0-9a-f]{32}$/;
/** Longer than the gateway's longest memory of a key is of use; a sent handle is kept for the rate, too. */
const keptMs = 7 * 86_400_000;
/** Of those that were never sent: an agent that only previews must not fill the disk. */
const mostOpen = 100;

/** Handles cannot be read or written. Nothing was sent. */
export class HandleStoreError extends Error {}

const planSchema = z.object({
  action: z.enum(['open', 'close', 'change', 'cancel']),
  call: z.object({ method: z.enum(['POST', 'PUT', 'DELETE']), path: z.string(), body: z.unknown().optional() }),
  login: z.number(),
  ticket: z.number().nullable(),
  symbol: z.string(),
  lots: z.number(),
  magic: z.number(),
  words: z.string(),
  margin: z.number().nullable(),
  atRisk: z.number().nullable(),
  currency: z.string(),
  tradeMode: z.number(),
});
const recordSchema = z.object({
  handle: z.string().regex(handleForm),
  plan: planSchema,
  createdMs: z.number(),
  expiresMs: z.number(),
  sent: z.object({ atMs: z.number(), by: z.enum(['policy', 'elicitation', 'terminal']) }).nullable(),
  outcome: z.object({ status: z.enum(['done', 'rejected', 'blocked', 'unknown']), answer: z.unknown() }).nullable(),
  declined: z.boolean(),
});

/**
 * The handles, one file each in the state folder. An approval of the terminal is a file beside them: the command is another process,
 * and writes no handle.
 */
export class HandleStore {
  private readonly records = new Map<string, HandleRecord>();
  private readonly handles: string;
  private readonly approvals: string;

  /** Reads what is there. @throws HandleStoreError if a file is damaged: it may be of a request that was sent */
  constructor(folder: string, nowMs: number) {
    this.handles = join(folder, 'handles');
    this.approvals = join(folder, 'approvals');
    mkdirSync(this.handles, { recursive: true, mode: 0o700 });
    mkdirSync(this.approvals, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(this.handles)) {
      if (!name.endsWith('.json')) continue;
      const record = recordIn(join(this.handles, name));
      if (record !== null) this.records.set(record.handle, record);
    }
    this.removeOld(nowMs);
  }

  find(handle: string): HandleRecord | null {
    return this.records.get(handle) ?? null;
  }

  /** Those that wait for a decision, oldest first. */
  open(nowMs: number): readonly HandleRecord[] {
    return [...this.records.values()]
      .filter(({ sent, declined, expiresMs }) => sent === null && !declined && expiresMs > nowMs)
      .sort((a, b) => a.createdMs - b.createdMs);
  }

  /** When requests were sent without a person. */
  sentByPolicyMs(): readonly number[] {
    return [...this.records.values()].flatMap(({ sent }) => (sent?.by === 'policy' ? [sent.atMs] : []));
  }

  /** @throws HandleStoreError if too many wait for a decision */
  add(record: HandleRecord, nowMs: number): void {
    this.removeOld(nowMs);
    if (this.open(nowMs).length >= mostOpen) {
      throw new HandleStoreError(`${mostOpen} previews wait for a decision: execute one, or wait until they expire`);
    }
    this.write(record);
  }

  /** On disk when it returns. @throws HandleStoreError; then the record is as it was */
  write(record: HandleRecord): void {
    const path = join(this.handles, `${record.handle}.json`);
    writeDurably(path, JSON.stringify(record), this.handles);
    this.records.set(record.handle, record);
  }

  /** The outcome of a request that was sent: it is kept in memory even if the disk refuses it; a restart asks under the key again. */
  note(record: HandleRecord): void {
    this.records.set(record.handle, record);
    try {
      this.write(record);
    } catch (error) {
      if (!(error instanceof HandleStoreError)) throw error;
    }
  }

  /** Whether a person approved this exact request with the command. */
  isApproved(record: HandleRecord): boolean {
    try {
      return readFileSync(join(this.approvals, record.handle), 'utf8') === digestOf(record);
    } catch {
      return false;
    }
  }

  /** For the command: approves the exact request that the person saw. */
  approve(record: HandleRecord): void {
    writeDurably(join(this.approvals, record.handle), digestOf(record), this.approvals);
  }

  /** Those that were never sent go once they have expired; those that were sent stay for days. */
  private removeOld(nowMs: number): void {
    for (const { handle, expiresMs, sent } of [...this.records.values()]) {
      if (nowMs <= (sent === null ? expiresMs : sent.atMs + keptMs)) continue;
      rmSync(join(this.handles, `${handle}.json`), { force: true });
      rmSync(join(this.approvals, handle), { force: true });
      this.records.delete(handle);
    }
  }
}

/** Null: the running server has just removed it. */
function recordIn(path: string): HandleRecord | null {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const { plan, ...record } = recordSchema.parse(parsed);
    const { method, path: route, body } = plan.call;
    return { ...record, plan: { ...plan, call: body === undefined ? { method, path: route } : plan.call } };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    const cause = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
    throw new HandleStoreError(`${path} is damaged (${cause}): move it away once you know whether it was sent`);
  }
}

function writeDurably(path: string, text: string, folder: string): void {
  const fresh = `${path}.tmp`;
  try {
    const file = openSync(fresh, 'w', 0o600);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(fresh, path);
    const parent = openSync(folder, 'r');
    try {
      fsyncSync(parent);
    } finally {
      closeSync(parent);
    }
  } catch (error) {
    throw new HandleStoreError(`handles cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}
