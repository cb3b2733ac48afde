import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { machineFiles, type Files } from '@libs/files';
import { eurusd, TradingGateway } from '../trade-journal/testing/trading-gateway';

const order = { ...eurusd, type: 'BUY' };

/** Files whose flushes wait while a test holds them. */
class HeldFlushes {
  readonly files: Files;
  private gate: Promise<void> = Promise.resolve();
  private open: () => void = () => undefined;

  constructor() {
    const files = Object.create(machineFiles) as { open: Files['open'] } & Omit<Files, 'open'>;
    files.open = async (path, flags, mode) => {
      const file = await machineFiles.open(path, flags, mode);
      const datasync = file.datasync.bind(file);
      return Object.assign(file, {
        datasync: async () => {
          await this.gate;
          await datasync();
        },
      });
    };
    this.files = files;
  }

  hold(): void {
    this.gate = new Promise((resolve) => (this.open = resolve));
  }

  release(): void {
    this.open();
  }
}

describe('a late answer', () => {
  const flushes = new HeldFlushes();
  let gateway: TradingGateway;
  beforeEach(async () => {
    gateway = await TradingGateway.start({ FILL_CONFIRM_TIMEOUT_MS: '60000' }, flushes.files);
    // The lists show nothing of what the broker did for so long that look-ups find it absent.
    gateway.simulator.faults.set({ kind: 'lag', ms: 600_000 });
  });
  afterEach(async () => {
    flushes.release();
    await gateway.stop();
  });

  const audited = (event: string): boolean => gateway.audit().some((line) => line.event === event);

  it('counts although it arrives while the gateway writes that nothing was done', async () => {
    gateway.simulator.faults.set({ kind: 'lose-answer', lateMs: 200_000, times: 1 });
    expect(await gateway.waitFor(gateway.post('/order', order, 'k'))).toMatchObject({ status: 502 });
    flushes.hold();
    await gateway.until(() => audited('refused'));
    expect(await gateway.statusOf('k')).toBe('unknown');
    await gateway.clock.advance(200_000);
    flushes.release();
    await gateway.until(async () => (await gateway.statusOf('k')) !== 'unknown');
    await gateway.until(async () => (await gateway.statusOf('k')) === 'recovered');
    expect(await gateway.post('/order', order, 'k')).toMatchObject({ status: 200, body: { recovered: true } });
  });

  it('ends the answer that nothing was done at once, before its ticket is found', async () => {
    gateway.simulator.faults.set({ kind: 'zero-ack', bare: true, times: 1 });
    gateway.simulator.faults.set({ kind: 'lose-answer', lateMs: 200_000, times: 1 });
    expect(await gateway.waitFor(gateway.post('/order', order, 'k'))).toMatchObject({ status: 502 });
    await gateway.until(async () => (await gateway.statusOf('k')) === 'absent');
    await gateway.until(async () => (await gateway.statusOf('k')) !== 'absent');
    expect(await gateway.post('/order', order, 'k')).toMatchObject({ status: 200, body: { result: { order: null } } });
    gateway.simulator.faults.clear('lag');
    const named = async (): Promise<unknown> => (await gateway.rows('/get_positions'))[0]?.client_order_id;
    await gateway.until(async () => (await named()) === 'k');
  });
});

describe('an acknowledgement without a ticket', () => {
  it('is named by a start when the gateway ended before it had found the ticket', async () => {
    const [broker, copy] = [mkdtempSync(join(tmpdir(), 'broker-')), mkdtempSync(join(tmpdir(), 'gateway-copy-'))];
    const account = join(broker, 'account');
    const gateway = await TradingGateway.start({ FILL_CONFIRM_TIMEOUT_MS: '60000', SIM_STATE_FILE: account });
    gateway.simulator.faults.set({ kind: 'zero-ack', bare: true, times: 1 });
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['ordersGet'] });
    const posted = gateway.post('/order', order, 'k');
    await gateway.until(() => gateway.audit().some(({ event }) => event === 'broker_response'));
    // What is on disk at this instant is all that the next one finds.
    cpSync(gateway.folder, copy, { recursive: true });
    await gateway.waitFor(posted);
    await gateway.restart(() => {
      rmSync(gateway.folder, { recursive: true });
      cpSync(copy, gateway.folder, { recursive: true });
    });
    await gateway.until(async () => (await gateway.statusOf('k')) === 'recovered');
    const [position] = await gateway.rows('/get_positions');
    expect(position).toMatchObject({ client_order_id: 'k' });
    expect(await gateway.post('/order', order, 'k')).toMatchObject({ body: { result: { order: position?.ticket } } });
    await gateway.stop();
    for (const folder of [broker, copy]) rmSync(folder, { recursive: true });
  });
});
