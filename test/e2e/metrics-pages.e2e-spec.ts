import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { DaemonProgram } from './daemon/daemon-program';
import { GatewayProgram } from './programs/gateway-program';
import { describeWith, requireProgram } from './programs/needs';
import { Scratch } from './programs/scratch';
import { repository } from './programs/started-program';

/** What `promtool check metrics` says of a page: nothing, when all is well. */
function promtoolOn(page: string): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(requireProgram('promtool'), ['check', 'metrics'], {
    input: page,
    encoding: 'utf8',
  });
  return { status, said: `${stdout}${stderr}` };
}

interface Rules {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
}
interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
}
interface Tests {
  readonly tests: readonly {
    readonly alert_rule_test?: readonly { readonly alertname: string; readonly exp_alerts: readonly object[] }[];
  }[];
}
interface Dashboard {
  readonly templating: { readonly list: readonly object[] };
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

function deployed<T>(file: string): T {
  const content: T = parse(readFileSync(join(repository, 'deploy', file), 'utf8'));
  return content;
}
/** The rules and the dashboard of each program. */
const programs = ['gateway', 'daemon'] as const;
type Program = (typeof programs)[number];
const rules = (of: Program): readonly Rule[] =>
  deployed<Rules>(`prometheus/${of}.rules.yml`).groups.flatMap((group) => group.rules);
const dashboard = (of: Program): Dashboard => deployed<Dashboard>(`grafana/dashboards/${of}.json`);
const panelExpressions = (of: Program): string[] =>
  dashboard(of).panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

/** Rules and panels over names that do not exist would never say anything. */
function requireKnown(of: Program, page: string): void {
  const recorded = rules(of).flatMap(({ record }) => (record === undefined ? [] : [record]));
  const known = new Set([...namesOn(page), ...recorded, 'up']);
  for (const expression of [...rules(of).map(({ expr }) => expr), ...panelExpressions(of)]) {
    const used = namesIn(expression);
    expect([expression, used.length > 0]).toEqual([expression, true]);
    expect([expression, used.filter((name) => !known.has(name))]).toEqual([expression, []]);
  }
}

/** The names of the samples that a metrics page declares. */
function namesOn(page: string): string[] {
  return [...page.matchAll(/^# TYPE (\S+) (\w+)$/gm)].flatMap(([, name = '', kind]) =>
    kind === 'histogram' ? ['_bucket', '_sum', '_count'].map((part) => name + part) : [name],
  );
}

/** The names of metrics in an expression: all names but those of labels, functions and keywords. */
function namesIn(expression: string): string[] {
  const bare = expression
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replaceAll(/ (and|or|unless) /g, ' + ')
    .replaceAll(/\b(by|on|ignoring|without|group_left|group_right) *\([^)]*\)/g, ' ');
  return [...bare.matchAll(/[a-z_][\w:]*(?! *\(|[\w:])/g)].map(([name]) => name);
}

describeWith('promtool')('the metrics pages, by promtool', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('accepts the gateway’s, with trades and refusals counted', async () => {
    const gateway = await GatewayProgram.startReady(scratch, { MAX_OPEN_VOLUME: '5' });
    await gateway.trade('/order', { symbol: 'EURUSD', volume: 0.1, type: 'BUY' });
    await gateway.trade('/order', { symbol: 'EURUSD', volume: 1_000_000, type: 'BUY' });
    const { text, headers } = await gateway.call('/metrics');
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(text).toMatch(/^orders_submitted_total\{.*symbol="EURUSD".*\} 1$/m);
    expect(promtoolOn(text)).toEqual({ status: 0, said: '' });
    requireKnown('gateway', text);
  });

  it('accepts the configuration and the rules, and every alert fires when it should', () => {
    const check = (...args: readonly string[]) =>
      spawnSync(requireProgram('promtool'), args, { cwd: join(repository, 'deploy/prometheus'), encoding: 'utf8' });
    for (const file of ['prometheus.yml', 'kubernetes.yml'])
      expect(check('check', 'config', '--syntax-only', file)).toMatchObject({ status: 0 });
    for (const program of programs) {
      const { status, stdout, stderr } = check('test', 'rules', `${program}.rules.test.yml`);
      expect({ status, output: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, output: '' });
      for (const file of ['prometheus.yml', 'kubernetes.yml'])
        expect(deployed<{ rule_files: string[] }>(`prometheus/${file}`).rule_files).toContain(`${program}.rules.yml`);
    }
  });

  it.each(programs)('tests for each alert of the %s what fires it, and what does not', (program) => {
    const { tests } = deployed<Tests>(`prometheus/${program}.rules.test.yml`);
    const cases = tests.flatMap(({ alert_rule_test: checks = [] }) =>
      checks.map(({ alertname, exp_alerts: alerts }) => `${alertname}${alerts.length > 0 ? '' : ' not'}`),
    );
    const alerts = rules(program).flatMap(({ alert }) => (alert === undefined ? [] : [alert]));
    expect([...new Set(cases)].sort()).toEqual(alerts.flatMap((alert) => [alert, `${alert} not`]).sort());
    const page = readFileSync(join(repository, 'docs/operation.md'), 'utf8');
    expect(alerts.filter((alert) => !page.includes(`\`${alert}\``))).toEqual([]);
  });

  it.each(programs)('a dashboard of the %s shows data in any Grafana: the data source is a choice', (program) => {
    const { templating, ...rest } = dashboard(program);
    expect(templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' });
    const sources = [...JSON.stringify([rest, templating.list.slice(1)]).matchAll(/"uid":"([^"]*)"/g)];
    const fixed = sources.map(([, uid]) => uid).filter((uid) => !uid?.startsWith('trading-'));
    expect(new Set(fixed)).toEqual(new Set(['${datasource}']));
  });

  it('accepts the daemon’s, with a strategy running', async () => {
    const gateway = await GatewayProgram.startReady(scratch);
    const daemon = await DaemonProgram.start(scratch, {
      config: join(repository, 'strategies/demo.yaml'),
      stateDir: scratch.folder(),
      env: { API_KEY: gateway.key, TERMINAL_API_PORT: new URL(gateway.url).port },
    });
    await daemon.untilStatus('ema-eurusd', ({ state }) => state === 'running');
    const { text } = await daemon.call('/metrics');
    expect(text).toMatch(/^daemon_strategies\{.*state="running".*\} 1$/m);
    expect(promtoolOn(text)).toEqual({ status: 0, said: '' });
    requireKnown('daemon', text);
  });
});
