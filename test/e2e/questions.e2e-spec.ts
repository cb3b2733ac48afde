import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram } from './programs/gateway-program';
import { shellBlocks } from './programs/pages';
import { Scratch } from './programs/scratch';
import { bareEnvironment, repository } from './programs/started-program';

jest.setTimeout(120_000);

const folder = 'docs/questions';
/** A refused request fails the shell; an answer ends its line. */
const prelude = `curl() { command curl --fail-with-body -w '\\n' "$@"; }`;
/** What the commands of each page print, in this order. */
const printed: Readonly<Record<string, readonly RegExp[]>> = {
  'network-dies.md': [/"key":"my-lost-order",.*"status":"void"/, /"status":"void"/],
  'gateway-killed.md': [/^outcomes +ok/m, /no differences from the journal/],
  'unknown-outcome.md': [/EURUSD/, /"magic":7,.*"unresolved":\[\]/],
  'not-ready.md': [/^status +ready/m, /"status":"ready"/],
  'two-on-one-account.md': [/"data":\[\{"ticket":.*"total":1/, /"data":\[\],"total":0/, /"magic":7,"positions":\[\{/],
  'change-the-key.md': [/^[\w+/]{32}$/m, /"client_order_id":"asked".*"api_key":"primary"/, /"api_key":"full"/],
  'upgrade.md': [/^status +ready/m, /^books +ok/m],
  'stop-everything.md': [/"kill_switch_active":true/, /"flatten":\{.*"failed":\[\]/, /trading resumes/],
};

describe('the commands of the pages that answer a question', () => {
  const scratch = new Scratch();
  let home: string;
  let settings: Record<string, string>;
  let gateway: GatewayProgram;
  beforeAll(async () => {
    home = scratch.folder();
    settings = {
      STATE_DIR: join(home, 'state'),
      ORDER_AUDIT_FILE: join(home, 'order-audit.jsonl'),
      KILL_SWITCH_FILE: join(home, 'kill-switch'),
      SIM_STATE_FILE: join(home, 'broker.json'),
    };
    gateway = await GatewayProgram.startReady(scratch, settings);
    const body = { symbol: 'EURUSD', volume: 0.1, type: 'BUY', magic: 7 };
    const sent = await gateway.call('/order', { method: 'POST', body, headers: { 'idempotency-key': 'asked' } });
    if (sent.status !== 200) throw new Error(sent.text);
  });
  afterAll(() => scratch.clear());

  /** What the commands print. They run as they are, but for the address of the gateway and the folder of the backup. */
  function outputOf(blocks: readonly string[]): string {
    const { host, port } = new URL(gateway.url);
    const script = [prelude, ...blocks].join('\n');
    const { status, stdout, stderr } = spawnSync(
      'bash',
      [
        ...['--norc', '-euo', 'pipefail', '-c'],
        script.replaceAll('localhost:5001', host).replaceAll('/backup/2026-01-05', join(home, 'backup')),
      ],
      {
        ...{ cwd: repository, encoding: 'utf8', timeout: 60_000 },
        env: { ...bareEnvironment(), ...settings, API_KEY: gateway.key, TERMINAL_API_PORT: port },
      },
    );
    expect({ status, stderr, stdout }).toMatchObject({ status: 0, stderr: '' });
    return stdout;
  }

  it.each(Object.entries(printed))(`${folder}/%s`, (page, lines) => {
    let rest = outputOf(shellBlocks(join(folder, page)));
    for (const line of lines) {
      expect(rest).toMatch(line);
      rest = rest.slice(rest.search(line) + 1);
    }
  });

  it(`${folder}/backup-and-restore.md`, async () => {
    const [create = '', restore = '', accept = ''] = shellBlocks(join(folder, 'backup-and-restore.md'));
    expect(outputOf([create])).toContain('2 files');
    await gateway.stop();
    outputOf([restore]);
    gateway = await GatewayProgram.startReady(scratch, settings);
    const refused = await gateway.trade('/order', { symbol: 'EURUSD', volume: 0.1, type: 'BUY' });
    expect(refused.body['error_type']).toBe('journal_lost');
    expect(outputOf([accept])).toContain('"ok":true');
    expect((await gateway.trade('/order', { symbol: 'EURUSD', volume: 0.1, type: 'BUY' })).status).toBe(200);
  });

  it('leave files that only their owner can read, as SECURITY.md says', () => {
    const files = readdirSync(home, { recursive: true, encoding: 'utf8' });
    expect(files).toEqual(expect.arrayContaining(['order-audit.jsonl', 'state/trade-journal/data.mdb', 'backup']));
    expect(files.filter((file) => (statSync(join(home, file)).mode & 0o077) !== 0)).toEqual([]);
  });

  it('are tested on every page', () => {
    const tested = [...Object.keys(printed), 'backup-and-restore.md'];
    expect(readdirSync(join(repository, folder)).sort()).toEqual(tested.sort());
  });
});
