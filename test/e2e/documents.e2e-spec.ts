import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { dirname, join, resolve } from 'node:path';
import { alertFields } from '../../apps/gateway/src/signals/alert-fields';
import { readSignal } from '../../apps/gateway/src/signals/read-signal';
import { readSignalsFile } from '../../apps/gateway/src/signals/read-signals-file';
import { faultForms } from '../../libs/simulator/src/session/fault-forms';
import { GatewayProgram } from './programs/gateway-program';
import { freePort, LauncherProgram } from './programs/launcher-program';
import { describeWith, requireProgram } from './programs/needs';
import { shellBlocks, textOf } from './programs/pages';
import { Scratch } from './programs/scratch';
import { bareEnvironment, repository, StartedProgram } from './programs/started-program';

const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', ...markdownUnder('docs')];

function markdownUnder(folder: string): string[] {
  return readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}

/** The headings of a page, with their level; lines of code are none. */
function headingsOf(page: string): string[] {
  const prose = textOf(page).replaceAll(/^ *```.*?^ *```$/gms, '');
  return [...prose.matchAll(/^#{1,6} .*$/gm)].map(([heading]) => heading);
}

/** The anchor of a heading, as the forges make it. */
function anchorOf(heading: string): string {
  const text = heading.replace(/^#+ /, '').toLowerCase();
  return text.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
}

/** The code of docs/signals.md in a language. */
function blocks(language: string): string[] {
  return [...textOf('docs/signals.md').matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, fence, code = '']) =>
    fence === language ? [code] : [],
  );
}

describeWith('python3', 'curl')('docs/signals.md', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.clear());

  it('its alerts are understood, and its commands deliver them to a gateway with its file', async () => {
    const secret = 'a-secret-of-the-documents';
    const file = join(scratch.folder(), 'signals.yaml');
    writeFileSync(file, blocks('yaml').join(''));
    const [source] = readSignalsFile(file, { SIGNALS_TREND_SECRET: secret });
    if (source === undefined) throw new Error('no source');
    const values: Readonly<Record<string, string>> = {
      ...{
        '{{ticker}}': 'EURUSD',
        '{{timenow}}': '2026-01-05T10:00:00Z',
        '{{strategy.market_position_size}}': '25000',
      },
      ...{ '{{strategy.market_position}}': 'short', '{{strategy.prev_market_position}}': 'flat' },
    };
    const filled = (alert: string): string => alert.replaceAll(/\{\{[\w.]+\}\}/g, (name) => values[name] ?? 'Entry');
    const [lines = '', indicator = ''] = blocks('text');
    const alerts = [...lines.trim().split('\n'), indicator, ...blocks('json')].map(filled);
    expect(alerts.map((alert) => readSignal(alertFields(Buffer.from(alert)), source))).toEqual(
      ['buy', 'close_short', 'target', 'buy', 'target'].map((verb) => ({
        ...{ ok: true, signal: expect.objectContaining({ verb, symbol: 'EURUSD' }) },
      })),
    );
    const env = { SIGNALS_FILE: file, SIGNALS_TREND_SECRET: secret };
    const gateway = await GatewayProgram.startReady(scratch, env);
    const run = (command: string, args: readonly string[]) =>
      spawnSync(command, args, {
        ...{ cwd: repository, encoding: 'utf8', timeout: 60_000 },
        env: { ...bareEnvironment(), ...env, GATEWAY_URL: gateway.url, API_KEY: gateway.key },
      });
    const here = (code: string): string => code.replaceAll('http://localhost:5001', gateway.url);
    const shells = blocks('sh');
    expect(run('python3', ['-c', here(blocks('python').join(''))])).toMatchObject({
      ...{ status: 0, stderr: '', stdout: 'alert 1 of trend is stored and will be executed\n' },
    });
    const curl = here(shells.filter((block) => block.startsWith('curl')).join('\n'));
    expect(JSON.parse(run('bash', ['-c', curl.replace('curl ', 'curl -s ')]).stdout)).toMatchObject({
      number: 2,
      repeated: false,
    });
    await gateway.until('/health', ({ body }) => JSON.stringify(body.signals).includes('"waiting":0'));
    const listed = run('bash', ['-c', shells.filter((block) => !block.startsWith('curl')).join('\n')]);
    expect(listed).toMatchObject({ status: 0, stderr: '' });
    expect(listed.stdout.match(/ done .*executed at/g)).toHaveLength(2);
  });
});

describeWith('caddy')('docs/signals.md, behind its Caddyfile (needs caddy)', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.clear());

  it('delivers alerts over TLS from their senders only, and shows nothing else of the gateway', async () => {
    const secret = 'a-secret-of-the-documents';
    const folder = scratch.folder();
    const file = join(folder, 'signals.yaml');
    writeFileSync(file, blocks('yaml').join(''));
    const gateway = await GatewayProgram.startReady(scratch, { SIGNALS_FILE: file, SIGNALS_TREND_SECRET: secret });
    const port = await freePort();
    // A name of this machine, so that Caddy signs the certificate itself; nothing else of the page is changed.
    const page = blocks('caddyfile').join('');
    const site = page
      .replace('trade.example.com', `localhost:${port}`)
      .replace(':5001', `:${new URL(gateway.url).port}`);
    expect([site.includes('example.com'), site.includes('5001')]).toEqual([false, false]);
    const config = join(folder, 'Caddyfile');
    writeFileSync(config, `{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n${site}`);
    const front = new StartedProgram({
      ...{ command: requireProgram('caddy'), args: ['run', '--config', config], cwd: folder },
      env: { ...bareEnvironment(), XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder },
    });
    scratch.undo(() => front.stop());
    await front.line(/serving initial configuration/);
    await front.line(/certificate obtained successfully/);
    const ca = readFileSync(join(folder, 'caddy/pki/authorities/local/root.crt'));
    const ask = (method: string, path: string, alert = '', from = '127.0.0.1'): Promise<[number | undefined, string]> =>
      new Promise((resolve, reject) => {
        // The first of the senders of the page: who writes it is not that sender.
        const headers = { 'content-type': 'text/plain', 'x-forwarded-for': '52.89.214.238' };
        const to = { host: '127.0.0.1', servername: 'localhost', port, path, method, localAddress: from };
        const sent = request(
          { ...to, ca, agent: false, headers: { ...headers, host: `localhost:${port}` } },
          (answer) => {
            let text = '';
            answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
            answer.on('end', () => resolve([answer.statusCode, text]));
          },
        );
        sent.on('error', reject).end(alert);
      });
    const address = `/signals/trend?secret=${secret}`;
    expect(await ask('POST', address, 'close EURUSD id=1')).toEqual([202, expect.stringContaining('"number":1')]);
    expect(await ask('POST', `/signals/trend/${secret}`, 'close EURUSD id=1')).toEqual([
      202,
      expect.stringContaining('"repeated":true'),
    ]);
    expect(await ask('POST', address, 'close EURUSD id=2', '127.0.0.2')).toEqual([
      403,
      expect.stringContaining('not in the senders'),
    ]);
    expect(await ask('POST', '/signals/trend?secret=wrong', 'close EURUSD id=2')).toEqual([401, expect.anything()]);
    // An answer of the front itself has no text.
    for (const [method, path] of [
      ...[
        ['GET', '/signals'],
        ['GET', '/health'],
        ['GET', '/metrics'],
        ['GET', '/'],
        ['POST', '/order'],
        ['POST', '/kill'],
      ],
      ...[
        ['POST', '/signals'],
        ['POST', '/signals/../order'],
        ['POST', '/signals/%2e%2e/kill'],
        ['GET', address],
      ],
    ] as const) {
      expect([method, path, ...(await ask(method, path))]).toEqual([method, path, 404, '']);
    }
    await gateway.stop();
    // A sender that repeats an alert after a 5xx repeats this one.
    expect(await ask('POST', address, 'close EURUSD id=3')).toEqual([502, '']);
  });
});

describe('the documents', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('docs/trade-path.md: its command makes a key void', async () => {
    const gateway = await GatewayProgram.startReady(scratch);
    const command = shellBlocks('docs/trade-path.md').find((block) => block.includes('/void'));
    const script = command?.replaceAll('localhost:5001', new URL(gateway.url).host) ?? '';
    const { stdout } = spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
      encoding: 'utf8',
      env: { ...process.env, API_KEY: gateway.key },
    });
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, key: 'my-lost-order', status: 'void' });
  });

  it('docs/operation.md and docs/alerts.md: their commands ask a gateway, and a shell completes them', async () => {
    const gateway = await GatewayProgram.startReady(scratch);
    const body = { symbol: 'EURUSD', volume: 0.1, type: 'BUY' };
    await gateway.call('/order', { method: 'POST', body, headers: { 'idempotency-key': 'my-first-order' } });
    const completed = 'COMP_WORDS=(gateway reconcile --h) COMP_CWORD=2; _gateway; echo "completed ${COMPREPLY[*]}"';
    const script = [...shellBlocks('docs/alerts.md'), ...shellBlocks('docs/operation.md'), completed].join('\n');
    const run = (text: string, env: Record<string, string>) =>
      spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', text], {
        ...{ cwd: repository, encoding: 'utf8', timeout: 60_000 },
        env: { ...bareEnvironment(), GATEWAY_URL: gateway.url, ...env },
      });
    const log = join(gateway.folder, 'order-audit.jsonl');
    const { status, stdout, stderr } = run(script, { API_KEY: gateway.key, ORDER_AUDIT_FILE: log });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const part of [
      /^status +ready$/m,
      /^trading is halted\ntrading resumes$/m,
      /"client_order_id": "my-first-order"/,
    ]) {
      expect(stdout).toMatch(part);
    }
    expect(stdout).toMatch(/^no notifications are set aside$/m);
    expect(stdout).toMatch(/^no differences from the journal$/m);
    expect(stdout).toMatch(/ intent +primary [^]* broker_response +primary .* DONE$/m);
    expect(stdout).toMatch(/^books +ok[^]*^completed --hours$/m);
    const program = 'node dist/apps/gateway/src/main.js';
    expect(run(`${program} status`, { API_KEY: 'wrong' })).toMatchObject({ status: 4, stdout: '' });
    expect(run(`${program} statsu`, {}).status).toBe(2);
    const { first_seq: first } = (await gateway.call('/events?limit=1')).body;
    // It follows until a signal; `| head -1` would leave it running until the next event.
    const watching = `exec 3< <(exec ${program} watch --since ${Number(first)})`;
    const followed = run(`${watching}; read -r line <&3; kill $!; wait $!; echo "$line"`, { API_KEY: gateway.key });
    expect(followed.status).toBe(0);
    expect(followed.stdout).toMatch(/^\S+Z {2}#\d+ {2}\w+ \w+ {2}EURUSD/);
  });

  it('docs/simulator.md: its commands set and clear faults of a product that was started as it says', async () => {
    const folder = scratch.folder();
    const stateDir = join(folder, 'gateway/state');
    const [start, ...commands] = shellBlocks('docs/simulator.md').filter((block) => !block.includes('--habits'));
    const [, name = '', value = ''] = /^([A-Z_]+)=(\S+) npm start$/m.exec(start ?? '') ?? [];
    const launcher = await LauncherProgram.start(scratch, { args: ['--data-dir', folder], env: { [name]: value } });
    await launcher.started();
    const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', commands.join('\n')], {
      cwd: repository,
      encoding: 'utf8',
      env: { ...process.env, STATE_DIR: stateDir, npm_config_loglevel: 'silent' },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const answers = stdout.split('\n').filter((line) => /^(in force|no fault|changed| {2}\{)/.test(line));
    expect(answers.slice(-2)).toEqual([
      'no fault is in force',
      'changed EURUSD: {"volume_min":0.1,"trade_stops_level":50}',
    ]);
    const faults = answers.filter((line) => line.startsWith('  ')).map((line) => JSON.parse(line) as { kind: string });
    expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(['retcode', 'latency', 'slippage', 'lag']));
  });

  it('docs/simulator.md: its commands start brokers with habits', async () => {
    const commands = shellBlocks('docs/simulator.md').filter((block) => block.includes('--habits'));
    const lines = commands.flatMap((block) => block.trim().split('\n'));
    const given = lines.map((line) => /^npm (start|run simulator) -- --habits (?:'([^']+)'|(\S+))$/.exec(line));
    const habits = given.map((match) => match?.[2] ?? match?.[3] ?? '');
    const folder = scratch.folder();
    const env = { SIM_FAULTS: '1' };
    const launcher = await LauncherProgram.start(scratch, {
      args: ['--data-dir', folder, '--habits', habits[1] ?? ''],
      env,
    });
    await launcher.started();
    const { stdout } = spawnSync(
      process.execPath,
      [join(repository, 'scripts/simulator-fault.mjs'), 'list', '--state-dir', join(folder, 'gateway/state')],
      { encoding: 'utf8' },
    );
    expect(stdout.match(/"kind":"[\w-]+"/g)).toEqual([
      '"kind":"comments"',
      '"kind":"late-lists"',
      '"kind":"replaced-orders"',
    ]);
    const served = new StartedProgram({
      command: process.execPath,
      args: [join(repository, 'scripts/simulator.mjs'), '--port', '0', '--token', 't', '--habits', habits[2] ?? ''],
      env: { ...bareEnvironment(), SIM_HISTORY_DAYS: '2' },
    });
    scratch.undo(() => served.stop());
    await served.line(/^listening on \d+$/);
    expect(habits).toEqual(['random', expect.any(String), 'random']);
  });

  it('docs/simulator.md names every fault', () => {
    const missing = Object.keys(faultForms).filter((kind) => !textOf('docs/simulator.md').includes(`\`${kind}`));
    expect(missing).toEqual([]);
  });

  it('docs/real-terminal.md: its checklist verifies a gateway, and refuses to trade on another account', async () => {
    const gateway = await GatewayProgram.startReady(scratch);
    const commands = shellBlocks('docs/real-terminal.md').filter((block) => block.includes('verify:terminal'));
    const [reading, trading] = commands.map((block) => {
      const script = block.replace(/http:\/\/127\.0\.0\.1:\d+/, gateway.url).replace(/--relay \d+/, '');
      const { status, stdout, stderr } = spawnSync(
        'bash',
        ['--norc', '-euo', 'pipefail', '-c', `${script.trim()} --out ${gateway.folder}`],
        {
          cwd: repository,
          encoding: 'utf8',
          env: { ...process.env, API_KEY: gateway.key, npm_config_loglevel: 'silent' },
        },
      );
      return { status, stdout, stderr };
    });
    expect(reading).toMatchObject({ status: 0, stdout: expect.stringMatching(/\d+ passed, 0 failed/) });
    expect(trading).toMatchObject({ status: 2, stderr: expect.stringContaining('No order was sent') });
    expect(readFileSync(join(gateway.folder, 'report.md'), 'utf8')).toContain('# Terminal verification');
  });

  it.each([
    ['docs/configuration.md is what the settings tables say', 'configuration'],
    ['.build/messages.md has the texts of the sources', 'messages'],
    ['docs/metrics.md has every metric of both programs', 'metrics'],
  ])('%s', (_what, pages) => {
    const { status, stdout } = spawnSync(process.execPath, ['scripts/docs.mjs', pages, '--check'], {
      cwd: repository,
      encoding: 'utf8',
    });
    expect({ status, stdout }).toMatchObject({ status: 0 });
  });

  it.each(pages)('%s: its npm commands and the files it links to exist, and no merge is left half done', (page) => {
    const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { scripts: object };
    const text = textOf(page);
    const named = [...text.matchAll(/npm run ([a-z:-]+)/g)].map(([, name]) => name ?? '');
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    expect(text).not.toMatch(/^(<{7}|>{7}) /m);
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target]) => target ?? '');
    const isBroken = (target: string): boolean => !existsSync(resolve(repository, dirname(page), target));
    expect(links.filter(isBroken)).toEqual([]);
  });

  it.each(pages)('%s: no heading occurs twice, so that no section was merged in twice', (page) => {
    const twice = headingsOf(page).filter((heading, place, all) => all.indexOf(heading) !== place);
    // Each version of the changelog has the same sections.
    expect(twice.filter((heading) => page !== 'CHANGELOG.md' || !/^#{3} /.test(heading))).toEqual([]);
  });

  it.each(pages)('%s: the sections that it links to exist', (page) => {
    const links = [...textOf(page).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)];
    const broken = links.filter(([, file = '', anchor = '']) => {
      const target = file === '' ? page : join(dirname(page), file);
      return target.endsWith('.md') && !headingsOf(target).map(anchorOf).includes(anchor);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});
