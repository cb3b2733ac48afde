import {
  appendFileSync,
  createWriteStream,
  existsSync,
  mkdtempSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { replay } from '../replay/run-replay';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from '../testing/gateway-under-test';
import { report } from './run-report';

const planted = {
  key: 'planted-key',
  nextKey: 'planted-next',
  password: 'planted password',
  channel: 'https://hooks.example/planted-channel',
  signal: 'planted-signal-secret',
  comment: 'planted comment',
  inPath: 'planted-in-path',
  /** A line is cut in the middle of the password. */
  cutPassword: 'planted passw',
  ofTerminal: 'planted-unknown',
};
const login = '70707077';

describe('a report of a defect', () => {
  let gateway: GatewayUnderTest;
  let env: Record<string, string>;
  let log: string;
  beforeAll(async () => {
    gateway = await started();
    await gateway.app.listen(0, '127.0.0.1');
    env['GATEWAY_URL'] = await gateway.app.getUrl();
    const order = { symbol: 'EURUSD', volume: 0.1, type: 'BUY', magic: 7, comment: planted.comment };
    for (const key of ['first', 'first', `of-${login}`]) await send('/order', key, order);
    await send('/order', 'refused', { ...order, volume: 1e6 });
    await send('/close_all_positions', 'all', {});
    appendFileSync(log, `gateway-1 | {"msg":"to ${planted.channel}","err":{"stack":"Error: ${planted.password}"}}\n`);
    appendFileSync(log, `panic of ${login} with ${planted.comment} and ${planted.key}\nlast line\n`);
    const terminal = { argv: ['wine', '/password', planted.ofTerminal], env: { BROKER_KEY: planted.ofTerminal } };
    appendFileSync(log, `wrong ${planted.cutPassword}\n${JSON.stringify(terminal)}\nlast line\n`);
  });
  afterAll(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  async function started(): Promise<GatewayUnderTest> {
    const folder = mkdtempSync(join(tmpdir(), 'report-'));
    log = join(folder, 'gateway.log');
    writeFileSync(join(folder, 'alerts.yml'), 'channels:\n  ops: { type: discord, url_env: OPS_URL }\n');
    env = {
      ...{ API_KEY: planted.key, API_KEY_NEXT: planted.nextKey, TERMINAL_PASSWORD: planted.password, SIM_LOGIN: login },
      ...{
        TERMINAL_LOGIN: login,
        TERMINAL_SERVER: 'Simulator-Demo',
        OPS_URL: planted.channel,
        SIGNALS_SECRET: planted.signal,
        TRADE_RECORDING: '1',
        SIM_HOURS: 'always',
      },
      ...{ TERMINAL_SETUP_URL: `https://host.example/${planted.inPath}/setup.exe`, STATE_DIR: join(folder, 'state') },
      ...{ ORDER_AUDIT_FILE: join(folder, 'order-audit.jsonl'), SIM_PASSWORD: planted.password, LOG_LEVEL: 'INFO' },
    };
    const running = await gatewayUnderTest({ folder, env, logged: createWriteStream(log, { flags: 'a' }) });
    // The alerts themselves are not sent here.
    env['NOTIFIER_FILE'] = join(folder, 'alerts.yml');
    return running;
  }
  const send = (url: string, key: string, payload: object) =>
    gateway.app.inject({
      ...{ method: 'POST', url, payload },
      headers: { 'idempotency-key': key, authorization: `Bearer ${planted.key}` },
    });
  async function printed(args: readonly string[], more = env): Promise<{ code: number; text: string }> {
    const lines: string[] = [];
    const print = (line: string): void => void lines.push(line);
    const code = await report(args, { out: print, err: print, env: more, signal: new AbortController().signal });
    return { code, text: lines.join('\n') };
  }
  const expectNothingPrivate = (text: string): void => {
    for (const value of [...Object.values(planted), login]) expect(text).not.toContain(value);
  };

  it('is shown before it is written, without anything private', async () => {
    const { code, text } = await printed(['--log', log]);
    expect(code).toBe(0);
    expectNothingPrivate(text);
    for (const part of ['"API_KEY": "set"', '"LOG_LEVEL": "INFO"', '"terminal_status": "connected"'])
      expect(text).toContain(part);
    expect(text).toMatch(/^ready +ok /m);
    expect(text).toContain('"read_from": "the environment of this command: a gateway that runs elsewhere has its own"');
    expect(text).toMatch(
      /^log\.txt +the last \d+ lines[^]*^trade-recording\.jsonl +each event[^]*Nothing was written/m,
    );
  });

  it('is written to one file of its owner, and its recording still leads to the same decisions', async () => {
    const file = join(gateway.folder, 'report.zip');
    const { code, text } = await printed(['--log', log, '--lines', '500', '--output', file]);
    expect({ code, text }).toMatchObject({
      code: 0,
      text: expect.stringMatching(/ events, which lead to the same decisions/),
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const parts = Object.entries(unzipSync(readFileSync(file)));
    expect(parts.map(([name]) => name).sort()).toEqual([
      'check.txt',
      'log.txt',
      'settings.json',
      'trade-recording.jsonl',
      'versions.json',
    ]);
    for (const [, bytes] of parts) expectNothingPrivate(strFromU8(bytes));
    // What is missing in the report was there.
    const recorded = readFileSync(join(gateway.folder, 'state/trade-recording.jsonl'), 'utf8');
    for (const value of [planted.comment, login]) expect(recorded).toContain(value);
    const recording = join(gateway.folder, 'recording');
    writeFileSync(recording, Object.fromEntries(parts)['trade-recording.jsonl'] ?? '');
    expect(await replay(recording)).toMatchObject({ other: null });
    expect(strFromU8(Object.fromEntries(parts)['log.txt'] ?? new Uint8Array())).toMatch(/order_send[^]*\nlast line\n/);
    expect((await printed(['--output', file])).text).toContain(
      `no report was written: --output ${file}: file already exists (EEXIST)`,
    );
  });

  it('is written as well while the gateway does not answer or its settings are not valid', async () => {
    const { code, text } = await printed([], {
      ...env,
      GATEWAY_URL: 'http://127.0.0.1:9',
      MAX_NUM_BARS: planted.password,
    });
    expect(code).toBe(0);
    expectNothingPrivate(text);
    expect(text).toMatch(/"MAX_NUM_BARS": "set, not valid"[^]*check.txt\nno answer/);
    const elsewhere = { ...env, STATE_DIR: gateway.folder };
    expect((await printed([], elsewhere)).text).toMatch(/^trade-recording\.jsonl +not included: none is in STATE_DIR/m);
    expect(await printed(['--output'])).toMatchObject({ code: 2 });
    const missing = join(gateway.folder, 'none.zip');
    const absent = join(gateway.folder, 'none');
    expect(await printed(['--log', absent, '--output', missing])).toMatchObject({
      code: 1,
      text: `no report was written: --log ${absent}: no such file or directory (ENOENT)`,
    });
    expect(existsSync(missing)).toBe(false);
  });
});
