import { readFileSync } from 'node:fs';
import { parseTraceparent, Spans, traceNamed, type FinishedSpan } from '@libs/tracing';
import { undisturbed } from '../core/risk';
import { ContractGateway } from '../testing/contract-gateway';
import { deskLogFile, DeskRig } from '../testing/desk-rig';

const byItself = { receivedNanos: null, decidedNanos: null };
const intent = { id: 'i1', action: 'enter', side: 'buy', stream: 'eur', options: { volume: 0.1 } } as const;

class GatheredSpans extends Spans {
  readonly isEnabled = true;
  readonly all: FinishedSpan[] = [];

  record(span: FinishedSpan): void {
    this.all.push(span);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

describe('a request of a strategy', () => {
  let gateway: ContractGateway;
  beforeEach(async () => {
    gateway = await ContractGateway.start();
  });
  afterEach(() => gateway.stop());

  it('has one trace in the log of the strategy and in what the gateway receives', async () => {
    const spans = new GatheredSpans();
    const rig = await DeskRig.start(gateway, { spans });
    await rig.desk.carryOut(intent, byItself, undisturbed);
    expect(rig.fills).toMatchObject([{ intentId: 'i1' }]);
    await rig.stop();
    const key = gateway.sends[0]?.key ?? '';
    const header = parseTraceparent(gateway.traceparents[0]);
    const [decision, send] = spans.all;
    expect(spans.all).toHaveLength(2);
    expect(decision).toMatchObject({ name: 'strategy request', context: traceNamed(key), parentSpanId: null });
    expect(send).toMatchObject({ name: 'POST /order', context: header, parentSpanId: decision?.context.spanId });
    expect(send?.attributes).toEqual({ gateway: 'demo', client_order_id: key, outcome: 'done' });
    const traces = new Set(gateway.traceparents.map((header) => parseTraceparent(header)?.traceId));
    expect([...traces]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
    const lines = readFileSync(deskLogFile, 'utf8')
      .split('\n')
      .filter((line) => line.includes(key));
    expect(lines.filter((line) => line.includes([...traces].join()))).toEqual(lines);
    expect(lines.map((line) => / (request|done) /.exec(line)?.[1])).toEqual(
      expect.arrayContaining(['request', 'done']),
    );
  });
});
