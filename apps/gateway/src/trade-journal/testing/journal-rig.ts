import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lmdbStores } from '@libs/store';
import { Retcode, TradeAction, tradeRequest, type OrderSendResult } from '@libs/terminal-client';
import type { CoreRecording } from '../../trade-core/core-recording';
import { JournalStore } from '../journal.store';
import type { TradeAttempt } from '../trade-attempt';
import type { NewIntent } from '../../trade-core/journal-records';
import type { Reservation } from '../reservation';
import { TradeJournal } from '../trade-journal';
import { JumpingClock } from './jumping-clock';

export const responseTtlMs = 3_600_000;
export const dayMs = 86_400_000;

export const marketOrder: NewIntent = {
  purpose: 'open',
  request: tradeRequest({ action: TradeAction.DEAL, symbol: 'EURUSD', volume: 0.1 }),
  serverTimeMsc: 1,
  positionId: 0,
  positionVolume: 0,
};

const done: OrderSendResult = {
  ...{ retcode: Retcode.DONE, deal: 7, order: 9, volume: 0.1, price: 1.1, bid: 1, ask: 1.1, comment: '' },
  ...{ request_id: 1, retcode_external: 0 },
};

/** A disk that rejects writes while `full` is set. */
export class FillingDisk extends JournalStore {
  full = false;
  override async write(change: Parameters<JournalStore['write']>[0]): Promise<void> {
    if (this.full) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    await super.write(change);
  }
}

/** A trade journal on a folder of its own, with restarts and a wall clock that jumps. */
export class JournalRig {
  readonly clock = new JumpingClock(Date.UTC(2026, 0, 7));
  readonly folder = mkdtempSync(join(tmpdir(), 'journal-'));
  disk: FillingDisk;
  journal: TradeJournal;
  private ids = 0;
  private crashes = 0;
  private directory = join(this.folder, 'journal');

  /** @param recording of the core of the first process */
  constructor(private recording: CoreRecording | null = null) {
    [this.disk, this.journal] = this.open();
  }

  /** A request under a key; `parameters` represents everything in its fingerprint, `login` is that of its account. */
  reserve(key: string, parameters = 'f', login: number | null = null): Reservation {
    const account = login === null ? {} : { login };
    const identity = { requestId: 'r', ...account, method: 'POST', path: '/order', route: 'POST /order' };
    const fingerprint = Buffer.from(parameters.padEnd(32)).toString('hex');
    return this.journal.reserve({ ...identity, clientOrderId: key, fingerprint }, true);
  }

  /** The same, which must be accepted. */
  begin(key: string, parameters = 'f', login: number | null = null): TradeAttempt {
    const reservation = this.reserve(key, parameters, login);
    if (reservation.kind !== 'reserved') throw new Error(reservation.kind);
    return reservation.attempt;
  }

  /** An order that was executed and answered. */
  async execute(key: string, order = 9, parameters = 'f', login: number | null = null, status = 200): Promise<void> {
    const attempt = this.begin(key, parameters, login);
    const { intentId } = await this.journal.record(attempt, marketOrder);
    await this.journal.settle(attempt, intentId, { kind: 'done', result: { ...done, order }, source: 'answer' });
    await this.journal.complete(attempt, { status, body: `{"order":${order}}` });
  }

  /** An order that the broker rejected. */
  async reject(key: string): Promise<void> {
    const attempt = this.begin(key);
    const { intentId } = await this.journal.record(attempt, marketOrder);
    await this.journal.settle(attempt, intentId, { kind: 'rejected', result: null, lastError: null });
    await this.journal.complete(attempt, { status: 422, body: '{"ok":false}' });
  }

  /** Stops the process in an orderly way and starts it again; the time in between is downtime. */
  async restart(downtimeMs = 0): Promise<void> {
    await this.journal.close();
    await this.clock.advance(downtimeMs);
    [this.disk, this.journal] = this.open();
    await this.journal.recover();
  }

  /** Ends the process like a kill: the next one finds only what is on disk at this instant. */
  async crash(): Promise<void> {
    await this.disk.write(() => undefined);
    const found = join(this.folder, `journal-${++this.crashes}`);
    cpSync(this.directory, found, { recursive: true });
    await this.journal.close();
    this.directory = found;
    [this.disk, this.journal] = this.open();
    await this.journal.recover();
  }

  async stop(): Promise<void> {
    await this.journal.close();
    rmSync(this.folder, { recursive: true });
  }

  private open(): [FillingDisk, TradeJournal] {
    const disk = new FillingDisk(lmdbStores, this.directory, () => 'journal-id');
    const newId = () => `id${++this.ids}`;
    const log = { error: () => undefined };
    const journal = new TradeJournal(disk, this.clock, responseTtlMs, newId, log, this.recording);
    this.recording = null;
    // Applies at once: the specs of this rig test a journal that is in use already.
    void disk.judge('proven', null);
    return [disk, journal];
  }
}
