import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram, type Answer } from '../e2e/programs/gateway-program';
import { Scratch } from '../e2e/programs/scratch';
import { describeOnTinyDisk, TinyDisk } from '../e2e/programs/tiny-disk';

describeOnTinyDisk()('a gateway whose journal is on a full disk (needs root to mount one)', () => {
  const scratch = new Scratch();
  let disk: TinyDisk;
  let gateway: GatewayProgram;
  let environment: Record<string, string>;

  beforeEach(async () => {
    disk = TinyDisk.mount(scratch, 4_096);
    const folder = scratch.folder();
    mkdirSync(join(disk.path, 'state'));
    environment = {
      STATE_DIR: join(disk.path, 'state'),
      ORDER_AUDIT_FILE: join(folder, 'order-audit.jsonl'),
      KILL_SWITCH_FILE: join(folder, 'kill-switch'),
      SIM_STATE_FILE: join(folder, 'account'),
      SIM_HOURS: 'always',
    };
    await start();
  });
  afterEach(() => scratch.clear());

  const start = async (): Promise<void> => {
    gateway = await GatewayProgram.startReady(scratch, environment);
  };
  const send = (path: string, key: string, body: object): Promise<Answer> =>
    gateway.call(path, { method: 'POST', body, headers: { 'idempotency-key': key } });
  const buy = async (key: string, volume: number): Promise<number> => {
    const { status, text, body } = await send('/order', key, { symbol: 'EURUSD', type: 'BUY', volume });
    if (status !== 200) throw new Error(text);
    return Number((body.result as { order: number }).order);
  };
  const volumes = async (): Promise<number[]> => {
    const { body } = await gateway.call('/get_positions');
    return (body.data as { volume: number }[]).map(({ volume }) => volume).sort();
  };
  const journalState = ({ body }: Answer): string => (body.journal as { state: string }).state;

  it('closes, is killed, starts again on it and knows what it closed; with space again it takes orders without a restart', async () => {
    const [first, second] = [await buy('a', 0.09), await buy('b', 0.05)];
    disk.fill();
    const health = await gateway.until('/health', (answer) => journalState(answer) === 'unavailable');
    expect(health.body).toMatchObject({ status: 'degraded' });
    expect(await gateway.call('/health/ready')).toMatchObject({
      status: 503,
      body: { error_type: 'not_ready', checks: { journal: { status: 'down' } } },
    });
    expect(await send('/order', 'c', { symbol: 'EURUSD', type: 'BUY', volume: 0.01 })).toMatchObject({
      status: 503,
      body: { error_type: 'journal_unavailable' },
    });
    const partial = { ticket: first, volume: 0.01 };
    expect(await send('/position_close_partial', 'd', partial)).toMatchObject({ status: 200 });
    expect(await send('/close_position', 'e', { position: second })).toMatchObject({ status: 200 });
    // The events of both closes cannot be written, and that ends nothing.
    await gateway.logLine(/trade events: .*(space|ENOSPC)/i);
    expect(await volumes()).toEqual([0.08]);

    for (const restart of ['on the full disk', 'with space'] as const) {
      await gateway.kill();
      if (restart === 'with space') disk.makeSpace();
      await start();
      for (const [path, key, body] of [
        ['/position_close_partial', 'd', partial],
        ['/close_position', 'e', { position: second }],
      ] as const) {
        const again = await send(path, key, body);
        expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
      }
      expect(await volumes()).toEqual([0.08]);
    }
    await gateway.until('/health', (answer) => journalState(answer) === 'ok');
    expect(await buy('f', 0.02)).toBeGreaterThan(0);
  });

  it('recovers without a restart, and loses none of the closes that it made', async () => {
    const ticket = await buy('a', 0.09);
    disk.fill();
    await gateway.until('/health', (answer) => journalState(answer) === 'unavailable');
    for (let round = 0; round < 5; round++) {
      expect(await send('/position_close_partial', `p${round}`, { ticket, volume: 0.01 })).toMatchObject({
        status: 200,
      });
    }
    disk.makeSpace();
    await gateway.until('/health/ready', ({ status }) => status === 200);
    expect(await buy('b', 0.01)).toBeGreaterThan(0);
    await gateway.kill();
    await start();
    const again = await send('/position_close_partial', 'p4', { ticket, volume: 0.01 });
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(await volumes()).toEqual([0.01, 0.04]);
  });

  it('starts on a disk that became read-only, knows its keys, closes, and takes no new risk', async () => {
    const ticket = await buy('a', 0.09);
    await gateway.stop();
    disk.remount('ro');
    await start();
    expect(await gateway.call('/trade_requests/a')).toMatchObject({ status: 200, body: { status: 'completed' } });
    expect(await send('/order', 'b', { symbol: 'EURUSD', type: 'BUY', volume: 0.01 })).toMatchObject({
      status: 503,
      body: { error_type: 'journal_unavailable' },
    });
    expect(await send('/close_position', 'c', { position: ticket })).toMatchObject({ status: 200 });
    disk.remount('rw');
    await gateway.until('/health/ready', ({ status }) => status === 200);
    expect(await buy('d', 0.01)).toBeGreaterThan(0);
    await gateway.stop();
    await start();
    expect(await gateway.call('/trade_requests/c')).toMatchObject({ status: 200, body: { status: 'completed' } });
  });

  it('knows the closes of a read-only disk by the audit log after kills, and does not repeat them', async () => {
    const [first, second] = [await buy('a', 0.09), await buy('b', 0.05)];
    await gateway.stop();
    disk.remount('ro');
    await start();
    const partial = { ticket: first, volume: 0.01 };
    expect(await send('/position_close_partial', 'd', partial)).toMatchObject({ status: 200 });
    expect(await send('/close_position', 'e', { position: second })).toMatchObject({ status: 200 });
    for (const restart of ['on the read-only disk', 'with a disk that can be written', 'once more'] as const) {
      await gateway.kill();
      if (restart === 'with a disk that can be written') disk.remount('rw');
      await start();
      for (const [path, key, body] of [
        ['/position_close_partial', 'd', partial],
        ['/close_position', 'e', { position: second }],
      ] as const) {
        await gateway.until(`/trade_requests/${key}`, (answer) => answer.body.status === 'recovered');
        expect(await send(path, key, body)).toMatchObject({ status: 200, body: { recovered: true } });
      }
      expect(await volumes()).toEqual([0.08]);
    }
  });
});

describeOnTinyDisk()('a gateway with all its files on one disk (needs root to mount one)', () => {
  const scratch = new Scratch();
  let disk: TinyDisk;
  let gateway: GatewayProgram;
  afterEach(() => scratch.clear());

  const start = async (): Promise<void> => {
    gateway = await GatewayProgram.startReady(scratch, {
      STATE_DIR: join(disk.path, 'state'),
      ORDER_AUDIT_FILE: join(disk.path, 'order-audit.jsonl'),
      KILL_SWITCH_FILE: killSwitch,
      SIM_STATE_FILE: account,
      SIM_HOURS: 'always',
    });
  };
  let account: string;
  let killSwitch: string;
  beforeEach(async () => {
    account = join(scratch.folder(), 'account');
    disk = TinyDisk.mount(scratch, 4_096);
    killSwitch = join(disk.path, 'kill-switch');
    await start();
  });
  const send = (path: string, key: string, body: object): Promise<Answer> =>
    gateway.call(path, { method: 'POST', body, headers: { 'idempotency-key': key } });
  const buy = async (key: string): Promise<number> => {
    const { status, text, body } = await send('/order', key, { symbol: 'EURUSD', type: 'BUY', volume: 0.1 });
    if (status !== 200) throw new Error(text);
    return Number((body.result as { order: number }).order);
  };
  const positions = async (): Promise<number> =>
    ((await gateway.call('/get_positions')).body.data as readonly unknown[]).length;
  /** Fills the disk, and the last block of the audit log with refused requests, until both files are reported. */
  const unavailable = async (): Promise<Answer> => {
    for (let rounds = 0; ;) {
      // Again and again: a probe of the gateway may hold space while the disk is filled.
      disk.fill();
      expect(await gateway.trade('/close_position', { position: 1 })).toMatchObject({ status: 404 });
      const health = await gateway.call('/health');
      const states = [health.body.journal, health.body.audit].map((file) => (file as { state: string }).state);
      rounds = states.every((state) => state === 'unavailable') ? rounds + 1 : 0;
      if (rounds === 3) return health;
    }
  };

  it('closes, halts, resumes, restarts and reports it while the disk is full, and takes orders again with space', async () => {
    const [first, second] = [await buy('a'), await buy('b')];
    await buy('c');
    const { body: health } = await unavailable();
    expect(health).toMatchObject({ status: 'degraded' });
    const { id } = health.journal as { id: string };
    expect(await gateway.call('/journal/accept', { method: 'POST', body: { journal_id: id } })).toMatchObject({
      status: 503,
      body: { error_type: 'journal_unavailable' },
    });
    expect(await gateway.call('/health/ready')).toMatchObject({ status: 503, body: { error_type: 'not_ready' } });
    const closed = await send('/close_position', 'e', { position: first });
    expect(closed).toMatchObject({ status: 200 });
    // The journal's reserve of disk space has it.
    expect(closed.body).not.toHaveProperty('remembered');
    for (const restart of [true, false]) {
      expect(await gateway.call('/kill', { method: 'POST' })).toMatchObject({ body: { kill_switch_active: true } });
      expect(await send('/close_position', 'f', { position: second })).toMatchObject({ status: 423 });
      expect(await gateway.call('/kill/release', { method: 'POST' })).toMatchObject({
        status: 200,
        body: { kill_switch_active: false, audited: false },
      });
      if (!restart) break;
      await gateway.kill();
      await start();
      await unavailable();
      const again = await send('/close_position', 'e', { position: first });
      expect([again.status, again.headers.get('idempotent-replayed'), again.text]).toEqual([200, 'true', closed.text]);
    }
    expect(await send('/close_position', 'f', { position: second })).toMatchObject({ status: 200 });
    expect(await positions()).toBe(1);
    expect(await gateway.call('/kill?flatten=true', { method: 'POST' })).toMatchObject({
      body: { kill_switch_active: true, flatten: { complete: true } },
    });
    expect(await positions()).toBe(0);
    await gateway.call('/kill/release', { method: 'POST' });
    disk.makeSpace();
    await gateway.until('/health/ready', ({ status }) => status === 200);
    expect(await buy('g')).toBeGreaterThan(0);
  });

  it('says of a close that nothing on the disk remembers it', async () => {
    const first = await buy('a');
    await buy('b');
    await gateway.stop();
    disk.remount('ro');
    // A start that cannot write the kill switch anywhere is halted.
    killSwitch = join(scratch.folder(), 'kill-switch');
    await start();
    const closed = await send('/close_position', 'c', { position: first });
    expect(closed).toMatchObject({ status: 200, body: { remembered: false } });
    expect(await send('/close_position', 'c', { position: first })).toMatchObject({ status: 200, text: closed.text });
    expect(await send('/close_all_positions', 'd', {})).toMatchObject({ status: 200, body: { remembered: false } });
    disk.remount('rw');
    await gateway.until('/health/ready', ({ status }) => status === 200);
    expect((await send('/close_position', 'e', { position: await buy('f') })).body).not.toHaveProperty('remembered');
    await gateway.kill();
    await start();
    // Written as soon as the disk took writes.
    expect(await send('/close_position', 'c', { position: first })).toMatchObject({ status: 200, text: closed.text });
  });
});
