import {
  mkdirSync,
  openSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isExpired, type HandleRecord } from './handle-record';
import { isSameBoot, markOf, sinceMs, type Mark, type Moment } from './moment';

const handleForm = /^mcp-[0-9a-f]{32}$/;
/** Longer than the gateway's longest memory of a key is of use; a sent handle is kept for the rate, too. */
const keptMs = 7 * 86_400_000;
/** Of those that wait for a decision: an agent that only previews must not fill the disk. */
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
/** Version 0.3.0 and those before wrote none: nothing is known to have passed since. */
const noMark: Mark = { boot: '', upMs: 0, beforeMs: 0 };
const markSchema = z.object({ boot: z.string(), upMs: z.number(), beforeMs: z.number() }).default(noMark);
const recordSchema = z.object({
  handle: z.string().regex(handleForm),
  plan: planSchema,
  createdMs: z.number(),
  expiresMs: z.number(),
  createdAt: markSchema,
  sent: z.object({ atMs: z.number(), at: markSchema, by: z.enum(['policy', 'elicitation', 'terminal']) }).nullable(),
  outcome: z.object({ status: z.enum(['done', 'rejected', 'blocked', 'unknown']), answer: z.unknown() }).nullable(),
  declined: z.boolean(),
});

/**
 * The handles, one file each in the state folder. An approval of the terminal is a file beside them: the command is another process,
 * and writes no handle.
 */
export class HandleStore {
  private readonly records = new Map<string, HandleRecord>();
  /** Handles that another process left. */
  private readonly inherited: ReadonlySet<string>;
  private readonly handles: string;
  private readonly approvals: string;

  /**
   * Reads what is there, and removes what is too old.
   * @param now null for a command, which removes nothing: only the server knows what it still needs
   * @throws HandleStoreError if a file is damaged: it may be of a request that was sent
   */
  constructor(folder: string, now: Moment | null) {
    this.handles = join(folder, 'handles');
    this.approvals = join(folder, 'approvals');
    mkdirSync(this.handles, { recursive: true, mode: 0o700 });
    mkdirSync(this.approvals, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(this.handles)) {
      if (!name.endsWith('.json')) continue;
      const record = recordIn(join(this.handles, name));
      if (record !== null) this.records.set(record.handle, record);
    }
    this.inherited = new Set(this.records.keys());
    if (now === null) return;
    this.markAgain(now);
    this.removeOld(now);
    for (const name of readdirSync(this.approvals)) {
      if (!this.records.has(name)) rmSync(join(this.approvals, name), { force: true });
    }
  }

  find(handle: string): HandleRecord | null {
    return this.records.get(handle) ?? null;
  }

  /** Those that wait for a decision, oldest first. */
  open(now: Moment): readonly HandleRecord[] {
    return [...this.records.values()]
      .filter((record) => record.sent === null && !record.declined && !isExpired(record, now))
      .sort((a, b) => a.createdMs - b.createdMs);
  }

  /** How long ago requests were sent without a person, in milliseconds; longer ago, if the machine was off meanwhile. */
  sentByPolicyAgoMs(now: Moment): readonly number[] {
    return [...this.records.values()].flatMap(({ sent }) => (sent?.by === 'policy' ? [sinceMs(sent.at, now)] : []));
  }

  /** Orders that were sent to an account and may take effect, or have, without the server knowing it. */
  unsettledOrders(login: number): readonly HandleRecord[] {
    return [...this.records.values()].filter(
      ({ plan, sent, outcome }) =>
        sent !== null && plan.login === login && plan.action === 'open' && (outcome?.status ?? 'unknown') === 'unknown',
    );
  }

  /**
   * Those that a process before this one left make room for new ones: the agent that asked for them may have forgotten them. One that a
   * person approved stays.
   * @throws HandleStoreError if too many wait for a decision
   */
  add(record: HandleRecord, now: Moment): void {
    this.removeOld(now);
    const open = this.open(now);
    if (open.length >= mostOpen) {
      const left = open.find((one) => this.inherited.has(one.handle) && this.approvalOf(one) === null);
      if (left === undefined) {
        throw new HandleStoreError(`${mostOpen} previews wait for a decision: execute one, or wait until they expire`);
      }
      this.remove(left.handle);
    }
    this.write(record);
  }

  /** On disk when it returns. @throws HandleStoreError; then the record is as it was */
  write(record: HandleRecord): void {
    const path = join(this.handles, `${record.handle}.json`);
    writeDurably(path, JSON.stringify(record), this.handles, 0o600);
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

  /** What the command left as the approval of a handle; null: nothing. Whoever can write to the folder may have left it. */
  approvalOf({ handle }: HandleRecord): string | null {
    try {
      return readFileSync(join(this.approvals, handle), 'utf8');
    } catch {
      return null;
    }
  }

  /** For the command, whose account may be another than that of the server. @throws HandleStoreError */
  approve({ handle }: HandleRecord, signature: string): void {
    writeDurably(join(this.approvals, handle), signature, this.approvals, 0o644);
  }

  /** After a restart of the machine, what was sent before is measured on by the clock that began with it. @throws HandleStoreError */
  private markAgain(now: Moment): void {
    for (const record of this.records.values()) {
      const { sent } = record;
      if (sent === null || isSameBoot(sent.at, now)) continue;
      this.write({ ...record, sent: { ...sent, at: markOf(now, sent.at.beforeMs) } });
    }
  }

  /** Those that were never sent go once they have expired; those that were sent stay for days. */
  private removeOld(now: Moment): void {
    for (const record of [...this.records.values()]) {
      const { handle, sent } = record;
      if (sent === null ? isExpired(record, now) : sinceMs(sent.at, now) > keptMs) this.remove(handle);
    }
  }

  private remove(handle: string): void {
    rmSync(join(this.handles, `${handle}.json`), { force: true });
    rmSync(join(this.approvals, handle), { force: true });
    this.records.delete(handle);
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

function writeDurably(path: string, text: string, folder: string, mode: number): void {
  const fresh = `${path}.tmp`;
  try {
    const file = openSync(fresh, 'w', mode);
    try {
      // Whatever the mask of the process is.
      fchmodSync(file, mode);
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
