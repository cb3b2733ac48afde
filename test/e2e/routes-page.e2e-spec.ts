import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { GatewayProgram } from './programs/gateway-program';
import { describeWith } from './programs/needs';
import { textOf } from './programs/pages';
import { Scratch } from './programs/scratch';
import { bareEnvironment, repository } from './programs/started-program';

const page = 'docs/routes.md';
const headings = [...textOf(page).matchAll(/^## ((?:GET|POST|PUT|DELETE) \S+?)(?::|$)/gm)].map(
  ([, route = '']) => route,
);

describeWith('python3', 'curl')('docs/routes.md', () => {
  const scratch = new Scratch();
  let gateway: GatewayProgram;
  let folder: string;
  beforeAll(async () => {
    folder = scratch.folder();
    // The price of the pending order in the page is far from any market.
    // The source of the example, with the secret that the page has.
    writeFileSync(join(folder, 'secret'), 'k3J9vQ2xW7pLr5Tn');
    const source = { secret_file: join(folder, 'secret'), magic: 7001, max_lots: 1, symbols: { EURUSD: 'EURUSD' } };
    writeFileSync(join(folder, 'signals.yaml'), JSON.stringify({ sources: { trend: source } }));
    const settings = { MAX_PRICE_DEVIATION_PCT: '90', SIGNALS_FILE: join(folder, 'signals.yaml') };
    gateway = await GatewayProgram.startReady(scratch, settings);
    // The offset of the server's clock comes from the first quotes.
    await gateway.until('/server_time?date=2026-01-05T10:00:00Z', ({ status }) => status === 200);
  });
  afterAll(() => scratch.clear());

  /** All blocks of a language as one program. */
  const programIn = (fence: string): string =>
    [...textOf(page).matchAll(/^```(\w+)\n(.*?)^```$/gms)]
      .filter(([, language]) => language === fence)
      .map(([, , code = '']) => code)
      .join('\n')
      .replace('http://127.0.0.1:5001', gateway.url);

  function run(command: string, args: readonly string[]): string {
    const env = { ...bareEnvironment(), API_KEY: gateway.key };
    const { status, stdout, stderr } = spawnSync(command, args, {
      cwd: folder,
      encoding: 'utf8',
      env,
      timeout: 90_000,
    });
    expect({ status, stderr, stdout }).toMatchObject({ status: 0, stderr: '' });
    return stdout;
  }

  /** How many successful answers each route has had. */
  async function successes(): Promise<Map<string, number>> {
    const { text } = await gateway.call('/metrics');
    const counts = new Map<string, number>();
    const line = /^http_request_duration_seconds_count\{method="(\w+)",route="([^"]+)",status="2\d\d"\} (\d+)$/gm;
    for (const [, method = '', route = '', count] of text.matchAll(line)) {
      counts.set(`${method} ${route.replace(/:(\w+)/g, '{$1}')}`, Number(count));
    }
    return counts;
  }

  const inPython = () => {
    writeFileSync(join(folder, 'routes.py'), programIn('python'));
    return run('python3', ['routes.py']);
  };
  const inTypeScript = () => {
    const { outputFiles } = buildSync({
      stdin: { contents: programIn('ts'), loader: 'ts' },
      ...{ bundle: true, write: false, format: 'esm', platform: 'node' },
    });
    writeFileSync(join(folder, 'routes.mjs'), outputFiles[0]?.text ?? '');
    return run(process.execPath, ['routes.mjs']);
  };
  const inCurl = () => {
    // A refused request ends the script; the streams end by a time limit, which does not count as a failure.
    const checked = `curl() { command curl --fail-with-body "$@"; }\n${programIn('sh')}`;
    return run('bash', ['--norc', '-euc', checked]);
  };

  it.each([
    ['curl', inCurl],
    ['TypeScript', inTypeScript],
    ['Python', inPython],
  ])('its examples in %s call every route, and each is answered with success', async (_language, runAll) => {
    const before = await successes();
    const output = runAll();
    const after = await successes();
    const called = (route: string): boolean => (after.get(route) ?? 0) > (before.get(route) ?? 0);
    expect(headings.length).toBeGreaterThan(40);
    // The histogram leaves streams out. Each begins with the time after which a client reconnects.
    const streams = ['GET /stream/ticks', 'GET /stream/trades'];
    expect(headings.filter((route) => !called(route))).toEqual(streams);
    expect(output.match(/retry: 2000$/gm)).toHaveLength(streams.length);
  });

  it('and docs/errors.md are what the OpenAPI document says', async () => {
    const { text } = await gateway.call('/apidocs/openapi.json');
    writeFileSync(join(folder, 'openapi.json'), text);
    const { status, stdout } = spawnSync(
      process.execPath,
      ['scripts/docs.mjs', 'routes', '--check', '--document', join(folder, 'openapi.json')],
      { cwd: repository, encoding: 'utf8' },
    );
    expect({ status, stdout }).toMatchObject({ status: 0 });
  });
});
