import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CoreEffect } from '../core/core-effect';
import { CoreReplay, type CoreRecordings } from '../core/core-recording';
import { undisturbed } from '../core/risk';
import type { StackIntent } from '../core/stacks';
import { ContractGateway } from '../testing/contract-gateway';
import { DeskRig } from '../testing/desk-rig';

/** Recordings in memory, a list of lines for each core. */
class Lines implements CoreRecordings {
  readonly all: string[][] = [];

  of(): { write(line: string): void } {
    const lines: string[] = [];
    this.all.push(lines);
    return { write: (line) => void lines.push(line) };
  }
}

interface Recorded {
  readonly event: { readonly type: string; readonly n?: number; readonly isDurable?: boolean };
  readonly effects: readonly CoreEffect[];
}

const origin = { receivedNanos: null, decidedNanos: 0 };
const options = { direction: 'buy', layers: 3, spacing: 0.001, volume: 0.1 } as const;
const stack: StackIntent = { id: 's1', action: 'stack', stream: 'eur', options };
const quote = (ask: number) => ({ timeMs: 0, bid: ask - 0.0001, ask });
const moment = (ask: number) => ({ quote: quote(ask), marketMs: Date.UTC(2024, 0, 1), circumstances: undisturbed });

describe('a recording of the core of a strategy', () => {
  let gateway: ContractGateway;
  let recordings: Lines;

  beforeEach(async () => {
    gateway = await ContractGateway.start();
    recordings = new Lines();
  });
  afterEach(() => gateway.stop());

  /** Orders, a lost answer, a stack, a refused exit and a halt, over two starts of the daemon. */
  async function live(): Promise<void> {
    const stateDir = mkdtempSync(join(tmpdir(), 'recording-'));
    let rig = await DeskRig.start(gateway, { stateDir, recordings });
    await rig.buy();
    gateway.faults.push({ path: '/order', fault: 'lost-after' });
    await rig.buy(0.2, 'i2');
    await rig.settled();
    await rig.desk.openStack(stack, origin, null, moment(1.1));
    for (const layer of rig.reachedBy('eur', quote(1.1011))) await rig.desk.enterLayer(layer, origin, moment(1.1011));
    await rig.close(Number(gateway.positions[0]?.['ticket']), 0.04);
    await rig.close(1, null, 'c2');
    await rig.stop();
    rig = await DeskRig.start(gateway, { stateDir, recordings });
    await rig.trading.takeUp();
    await rig.account.halt('persistent', 'by hand');
    await rig.account.resume();
    await rig.stop();
  }

  const parsed = (lines: readonly string[]) => lines.slice(1).map((line) => JSON.parse(line) as Recorded);

  it('gives the same effects, to the byte, when it is replayed', async () => {
    await live();
    expect(recordings.all).toHaveLength(2);
    for (const [beginning = '', ...lines] of recordings.all) {
      const replay = new CoreReplay(beginning);
      expect(lines.map((line) => replay.next(line))).toEqual(lines);
    }
    const types = new Set(
      recordings.all.flatMap((lines) => parsed(lines).flatMap(({ effects }) => effects)).map(({ type }) => type),
    );
    expect([...types].sort()).toEqual([
      ...['ask', 'denied', 'filled', 'find order', 'halted', 'notice', 'persist', 'queue'],
      ...['resumed', 'stack ended', 'submit'],
    ]);
  });

  it('gives different effects for a different event', async () => {
    await live();
    const [[beginning = '', ...lines] = []] = recordings.all;
    const replay = new CoreReplay(beginning);
    const failed = lines.map((line) => line.replace('"isDurable":true', '"isDurable":false'));
    expect(failed.map((line) => replay.next(line))).not.toEqual(failed);
  });

  it('numbers persists and submits in one sequence, and each submit follows its own persist', async () => {
    await live();
    for (const lines of recordings.all) {
      const durable = new Set<number | undefined>();
      const numbers: number[] = [];
      const early: number[] = [];
      for (const { event, effects } of parsed(lines)) {
        if (event.type === 'persisted' && event.isDurable === true) durable.add(event.n);
        for (const effect of effects) {
          if (effect.type === 'persist' || effect.type === 'submit') numbers.push(effect.n);
          if (effect.type === 'submit' && !durable.has(effect.persist)) early.push(effect.n);
        }
      }
      expect(numbers).toEqual(numbers.map((_, index) => index + 1));
      expect(early).toEqual([]);
    }
  });
});
