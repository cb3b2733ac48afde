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
  /** Handles that another process left. */
  private readonly inherited: ReadonlySet<string>;
  private readonly handles: string;
  private readonly approvals: string;

  /**
   * Reads what is there, and removes what is too old.
   * @param nowMs null for a command, which removes nothing: only the server knows what it still needs
   * @throws HandleStoreError if a file is damaged: it may be of a request that was sent
   */
  constructor(folder: string, nowMs: number | null) {
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
    if (nowMs === null) return;
    this.removeOld(nowMs);
    for (const name of readdirSync(this.approvals)) {
      if (!this.records.has(name)) rmSync(join(this.approvals, name), { force: true });
    }
  }

  find(handle: string): HandleRecord | null {
    return this.records.get(handle) ?? null;
  }

  /** Those that wait for a decision, oldest first. */
  open(nowMs: number): readonly HandleRecord[] {
    return [...this.records.values()]
      .filter((record) => record.sent === null && !record.declined && !isExpired(record, nowMs))
      .sort((a, b) => a.createdMs - b.createdMs);
  }

  /** When requests were sent without a person. */
  sentByPolicyMs(): readonly number[] {
    return [...this.records.values()].flatMap(({ sent }) => (sent?.by === 'policy' ? [sent.atMs] : []));
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
  add(record: HandleRecord, nowMs: number): void {
    this.removeOld(nowMs);
    const open = this.open(nowMs);
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

  /** Those that were never sent go once they have expired; those that were sent stay for days. */
  private removeOld(nowMs: number): void {
    for (const record of [...this.records.values()]) {
      const { handle, sent } = record;
      if (sent === null ? isExpired(record, nowMs) : nowMs > sent.atMs + keptMs) this.remove(handle);
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
