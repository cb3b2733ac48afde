import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { yamlOf } from '@libs/settings/yaml-text';
import Ajv from 'ajv';
import { changesOf, mistakenFiles } from '../../../../test/setup/changes-of';
import { daemonFileSchema, readDaemonFile, readDaemonText } from './read-daemon-file';

const folder = mkdtempSync(join(tmpdir(), 'daemon-file-'));
const file = join(folder, 'daemon.yaml');
const read = (text: string, env: Record<string, string> = { API_KEY: 'k', PORT: '5001' }) => {
  writeFileSync(file, text);
  return readDaemonFile(file, env);
};

const good = `
gateways:
  demo: { url: "http://127.0.0.1:\${PORT}", apiKeyEnv: API_KEY, expect: { login: 100001, tradeMode: demo } }
strategies:
  - name: ema-eurusd
    module: ./strategies/ema-cross.ts
    magic: 41001
    streams: { eur: "demo:EURUSD@m1" }
    capital: 10000
    params: { fast: 12 }
    risk: { maxVolume: 1, maxDailyLoss: 500 }
portfolios:
  - name: majors
    capital: 50000
    children:
      - { alias: trend, module: ./trend.ts, weight: 0.6, magic: 41002, streams: { eur: "demo:EURUSD@H1" } }
      - { alias: swing, module: ./swing.ts, weight: 0.4, magic: 41003, streams: { eur: "demo:EURUSD@H4" } }
`;

describe('the configuration file', () => {
  it('is read with its defaults, its paths relative to it and its environment filled in', () => {
    const { gateways, strategies, portfolios } = read(good);
    expect(gateways).toEqual([
      {
        name: 'demo',
        url: 'http://127.0.0.1:5001',
        apiKeyEnv: 'API_KEY',
        maxClockSkewMs: 60_000,
        expect: { login: 100001, tradeMode: 'demo' },
      },
    ]);
    expect(strategies[0]).toEqual({
      name: 'ema-eurusd',
      module: join(folder, 'strategies/ema-cross.ts'),
      magic: 41001,
      streams: [{ alias: 'eur', broker: 'demo', symbol: 'EURUSD', timeframe: 'M1' }],
      capital: 10000,
      params: { fast: 12 },
      risk: { maxVolume: 1, maxOpenPositions: null, maxDailyLoss: 500, maxDrawdownPct: null },
      onMismatch: 'halt',
      workerGroup: null,
      portfolio: null,
    });
    expect(portfolios).toMatchObject([{ name: 'majors', children: ['majors/trend', 'majors/swing'] }]);
    expect(strategies[1]).toMatchObject({ name: 'majors/trend', capital: 30000, portfolio: 'majors' });
  });

  it('is the same however it lists the streams of a strategy', () => {
    const listed = (streams: string) => read(good.replace('{ eur: "demo:EURUSD@m1" }', streams)).strategies[0];
    const first = listed('{ fast: "demo:EURUSD@M5", slow: "demo:EURUSD@H1" }');
    expect(first?.streams.map(({ alias }) => alias)).toEqual(['slow', 'fast']);
    expect(listed('{ slow: "demo:EURUSD@H1", fast: "demo:EURUSD@M5" }')).toEqual(first);
  });

  it('names the nearest known key for each unknown one, and every problem at once', () => {
    const bad = good
      .replace('capital: 10000', 'captial: 10000')
      .replace('maxVolume: 1', 'maxVolumes: 1')
      .replace('demo:EURUSD@m1', 'live:EURUSD@m1')
      .replace('magic: 41001', 'magic: -1');
    expect(() => read(bad)).toThrow(/captial is not a known setting; did you mean capital\?/);
    expect(() => read(bad)).toThrow(/maxVolumes is not a known setting; did you mean maxVolume\?/);
    expect(() => read(bad)).toThrow(/streams.eur names the gateway live, which is not configured/);
    // Explained once: the member that is misspelt is not reported as missing as well.
    expect(() => read(bad)).not.toThrow(/strategies\[0\].capital must be/);
    expect(() => read(bad)).toThrow(/strategies\[0\].magic must be an integer/);
  });

  it.each([
    ['http://user:pa55@127.0.0.1:5001', 'must not contain a user name or password'],
    ['http://user@127.0.0.1:5001', 'must not contain a user name or password'],
    ['file:///etc/passwd', 'must be an http or https URL'],
    ['ftp://127.0.0.1', 'must be an http or https URL'],
    ['127.0.0.1', 'must be an http or https URL'],
  ])('refuses the address %s of a gateway, and does not repeat it', (url, problem) => {
    const bad = good.replace('http://127.0.0.1:${PORT}', url);
    expect(() => read(bad)).toThrow(`gateways.demo.url ${problem}`);
    expect(() => read(bad)).not.toThrow('pa55');
  });

  it.each(['__proto__', 'constructor', 'toString'])('refuses %s as unknown wherever it stands', (name) => {
    const bad = good
      .replace('fast: 12', `${name}: 12`)
      .replace('maxVolume: 1', `maxVolume: 1, ${name}: { maxVolume: 100 }`)
      .replace('capital: 50000', `capital: 50000\n    ${name}: 1`);
    expect(() => read(bad)).toThrow(`line 10: strategies[0].params.${name} is not a known setting`);
    expect(() => read(bad)).toThrow(`line 11: strategies[0].risk.${name} is not a known setting`);
    expect(() => read(bad)).toThrow(`portfolios[0].${name} is not a known setting`);
  });

  it('converts nothing, and takes no list for a mapping: a limit that cannot be read is not dropped', () => {
    const text = good.replace('maxVolume: 1', 'maxVolume: "1"').replace('capital: 10000', 'capital: "10000"');
    expect(() => read(text)).toThrow(/strategies\[0\]\.risk\.maxVolume must be a number above 0/);
    expect(() => read(text)).toThrow(/strategies\[0\]\.capital must be a number above 0/);
    const list = good.replace('risk: { maxVolume: 1, maxDailyLoss: 500 }', 'risk: [{ maxVolume: 1 }]');
    expect(() => read(list)).toThrow(/strategies\[0\]\.risk must be a mapping of names to values/);
    expect(() => read(good.replace('{ fast: 12 }', '12'))).toThrow(/strategies\[0\]\.params must be a mapping/);
  });

  it('says of names and magic numbers that were refused only that, not that they are used twice', () => {
    const bad = good.replace('41001', '0').replace('41002', '0').replace('ema-eurusd', 'a b').replace('majors', 'c d');
    expect(() => read(bad)).toThrow(/strategies\[0\]\.name must have 1 to 64 letters/);
    expect(() => read(bad)).not.toThrow(/more than once/);
  });

  it('refuses the magic of orders made by hand, and a drawdown that cannot be reached', () => {
    expect(() => read(good.replace('magic: 41001', 'magic: 0'))).toThrow(
      /strategies\[0\].magic must be an integer, 1 to 9007199254740991/,
    );
    const risk = (maxDrawdownPct: number): string => good.replace('maxVolume: 1', `maxDrawdownPct: ${maxDrawdownPct}`);
    expect(() => read(risk(150))).toThrow(/risk.maxDrawdownPct must be a number above 0, at most 100/);
    expect(() => read(risk(100))).not.toThrow();
  });

  it('reads the labels of the hosts that may run a strategy or a portfolio, for all its children', () => {
    const placed = good
      .replace('name: ema-eurusd', 'name: ema-eurusd\n    runsOn: [fast, london]')
      .replace('name: majors', 'name: majors\n    runsOn: [near]');
    expect(read(placed).strategies.map(({ runsOn }) => runsOn)).toEqual([['fast', 'london'], ['near'], ['near']]);
    expect(read(good).strategies.map(({ runsOn }) => runsOn)).toEqual([undefined, undefined, undefined]);
    expect(() => read(placed.replace('[near]', '[near, 7]'))).toThrow(
      /portfolios\[0\]\.runsOn must list labels of 1 to 63/,
    );
    expect(() => read(placed.replace('[fast, london]', 'fast'))).toThrow(/strategies\[0\]\.runsOn must be a list/);
    expect(() => read(good.replace('weight: 0.4', 'weight: 0.4, runsOn: [x]'))).toThrow(
      /runsOn is not a known setting/,
    );
  });

  it('refuses what would mix two strategies up: the same name, or the same magic on one gateway', () => {
    expect(() => read(good.replace('name: majors', 'name: ema-eurusd'))).toThrow(
      'name ema-eurusd is used more than once',
    );
    expect(() => read(good.replace('41002', '41001'))).toThrow('magic 41001 on demo is used more than once');
  });

  it('refuses to start without the variables it names', () => {
    expect(() => read(good, { PORT: '1' })).toThrow('gateways.demo.apiKeyEnv names API_KEY, which is not set');
    expect(() => read(good, { API_KEY: 'k' })).toThrow('needs the environment variable PORT, which is not set');
    expect(read(good.replace('${PORT}', '${PORT:-5009}'), { API_KEY: 'k' }).gateways[0]?.url).toBe(
      'http://127.0.0.1:5009',
    );
  });

  it('has what follows from a lost stop-loss, which is only reported by default', () => {
    const text = (word: string): string => good.replace('fast: 12 }', `fast: 12 }\n    onLostStop: ${word}`);
    expect(read(text('restore')).strategies[0]).toMatchObject({ onLostStop: 'restore' });
    expect(read(text('report')).strategies[0]).toEqual(read(good).strategies[0]);
    expect(() => read(text('panic'))).toThrow(/onLostStop must be one of report, restore, close/);
  });

  it('names the report of a backtest of a strategy, a portfolio and its child, by paths relative to it', () => {
    const named = good
      .replace('name: ema-eurusd', 'name: ema-eurusd\n    backtest: reports/ema.json')
      .replace('name: majors', 'name: majors\n    backtest: /reports/majors.json')
      .replace('weight: 0.4', 'weight: 0.4, backtest: swing.json');
    const { strategies, portfolios } = read(named);
    const paths = [join(folder, 'reports/ema.json'), undefined, join(folder, 'swing.json')];
    expect(strategies.map(({ backtest }) => backtest)).toEqual(paths);
    expect(portfolios.map(({ backtest }) => backtest)).toEqual(['/reports/majors.json']);
    expect(() => read(named.replace('swing.json', '7'))).toThrow(/children\[1\]\.backtest must be/);
  });

  it('refuses weights of more than the whole', () => {
    expect(() => read(good.replace('weight: 0.6', 'weight: 0.7'))).toThrow(/weights of 1.1 in total/);
  });

  it('names the line of each problem, or of its parent, and a missing file', () => {
    const bad = good
      .replace('capital: 10000', 'money: 10000')
      .replace('fast: 12 }', 'fast: 12 }\n    onMismatch: ask')
      .replace('weight: 0.4', 'weight: -1');
    expect(() => read(bad)).toThrow(/line 9: strategies\[0\]\.money is not a known setting/);
    expect(() => read(bad)).toThrow(/line 5: strategies\[0\]\.capital must be a number above 0/);
    expect(() => read(bad)).toThrow(/line 11: strategies\[0\]\.onMismatch must be one of/);
    expect(() => read(bad)).toThrow(/line 18: portfolios\[0\]\.children\[1\]\.weight must be/);
    expect(() => readDaemonFile(join(folder, 'gone.yaml'), {})).toThrow(/gone\.yaml:\n.*file not found; use --config/);
  });

  it('names the line at which a file is not YAML', () => {
    expect(() => read('gateways: [')).toThrow(/line 1/);
  });

  it('is not read without an end', () => {
    expect(() => readDaemonFile('/dev/zero', {})).toThrow('the file is larger than 1024 KiB');
  });

  it.each([
    ['brackets within brackets', '['.repeat(20_000), 'brackets or lists are nested too deeply'],
    ['a number that other readers take as octal', good.replace('41001', '041001'), '041001 at line 7 begins with 0'],
    ['a key that occurs twice', good.replace('maxVolume: 1', 'maxVolume: 1, maxVolume: 9'), 'Map keys must be unique'],
    ['an unknown tag', `name: !money 5\n${good}`, 'Unresolved tag: !money at line 1, column 7'],
    [
      'more than any configuration has',
      `# ${'x'.repeat(1_100_000)}\n${good}`,
      'the file has 2 MiB, and at most 1 MiB is taken',
    ],
  ])('is refused for %s, with that reason', (_what, text, problem) => {
    const warn = jest.spyOn(process, 'emitWarning');
    expect(() => read(text)).toThrow(problem);
    expect(warn).not.toHaveBeenCalled();
  });

  it('lists the known settings where none is like the unknown one', () => {
    const bad = good.replace('    magic: 41001', '    gateway: demo\n    magic: 41001');
    expect(() => read(bad)).toThrow(
      /strategies\[0\]\.gateway is not a known setting; known are .*module, magic, streams/,
    );
  });
});

const repository = join(__dirname, '../../../..');
/** Every variable is set, keys by their value. */
const anyEnvironment = new Proxy<Record<string, string>>(
  {},
  {
    get: (_env, name) => {
      if (String(name).endsWith('_FILE')) return undefined;
      return String(name).endsWith('_PORT') ? '5001' : 'http://one:5001';
    },
  },
);

/** Configurations of the daemon that the product ships: those of `deploy` are named like a manifest, which states its kind. */
function shippedFiles(): readonly string[] {
  const under = (folder: string): string[] =>
    readdirSync(join(repository, folder), { encoding: 'utf8', recursive: true })
      .filter((name) => name.endsWith('.yaml'))
      .map((name) => join(folder, name));
  const isManifest = (name: string): boolean => /^kind:/m.test(readFileSync(join(repository, name), 'utf8'));
  const deployed = under('deploy').filter((name) => basename(name) === 'daemon.yaml' && !isManifest(name));
  return [...under('strategies'), ...deployed];
}

describe('the schema of the configuration file', () => {
  /** Of several members, or of the environment. */
  const beyond = /url must be an http|, which is not set|the sum must be at most 1/;

  const accepts = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(daemonFileSchema());
  const problemsOf = (text: string): string[] => {
    accepts(yamlOf(text));
    return (accepts.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };

  it('accepts what the daemon reads, also the files that ship', () => {
    expect(problemsOf(good)).toEqual([]);
    const shipped = shippedFiles();
    expect(shipped).toEqual(expect.arrayContaining(['deploy/daemon/daemon.yaml', 'strategies/demo.yaml']));
    for (const name of shipped) {
      const text = readFileSync(join(repository, name), 'utf8');
      expect([name, problemsOf(text)]).toEqual([name, []]);
      // In an image, the strategies are in a folder of their own.
      const here = { name, text: text.replaceAll('/app/', `${repository}/`), folder: join(repository, dirname(name)) };
      const { strategies } = readDaemonText(here, anyEnvironment);
      expect(strategies.map(({ module }) => module).filter((file) => !existsSync(file))).toEqual([]);
    }
  });

  it('says what each member is for', () => {
    const unsaid = (schema: unknown, path: string): string[] => {
      if (typeof schema !== 'object' || schema === null) return [];
      const of = (name: string): unknown => Reflect.get(schema, name);
      const members = Object.entries(of('properties') ?? {}).flatMap(([name, member]) => [
        ...(typeof Reflect.get(member, 'description') === 'string' ? [] : [`${path}.${name}`]),
        ...unsaid(member, `${path}.${name}`),
      ]);
      return [...members, ...unsaid(of('items'), `${path}[]`), ...unsaid(of('additionalProperties'), `${path}.*`)];
    };
    expect(unsaid(daemonFileSchema(), '')).toEqual([]);
  });

  it('refuses what the daemon refuses in one member, and nothing else', () => {
    const folderOf = { name: 'daemon.yaml', folder };
    const disagreements = [...changesOf(yamlOf(good))].flatMap(([change, value]) => {
      const text = JSON.stringify(value) ?? 'null';
      const isAccepted = accepts(yamlOf(text));
      try {
        readDaemonText({ ...folderOf, text }, { API_KEY: 'k', PORT: '5001' });
        return isAccepted ? [] : [`only the schema refuses ${change}`];
      } catch (error) {
        return isAccepted && !beyond.test(String(error)) ? [`${change}: ${String(error)}`] : [];
      }
    });
    expect(disagreements).toEqual([]);
  });

  it('refuses each member without a value or of another type: an empty limit would be no limit', () => {
    const untold = [...mistakenFiles(daemonFileSchema() as Record<string, unknown>, yamlOf(good))].flatMap(
      ({ place, mistake, text }) => {
        try {
          readDaemonText({ name: 'daemon.yaml', text, folder }, { API_KEY: 'k', PORT: '5001' });
        } catch (error) {
          if (String(error).includes(String(place.at(-1)))) return [];
        }
        return [`${place.join('.')}: ${mistake === null ? 'null' : JSON.stringify(mistake)} is taken`];
      },
    );
    expect(untold).toEqual([]);
    expect(() => read(good.replace('maxDailyLoss: 500', 'maxDailyLoss:'))).toThrow(
      'strategies[0].risk.maxDailyLoss has no value: it must be a number above 0, or be left out',
    );
  });

  it.each([
    ['magic: 41001', 'magic: 0', '/strategies/0/magic must be >= 1'],
    ['capital: 10000', 'kapital: 10000', "/strategies/0 must have required property 'capital'"],
    [
      'tradeMode: demo',
      'tradeMode: game',
      '/gateways/demo/expect/tradeMode must be equal to one of the allowed values',
    ],
    ['maxVolume: 1', 'maxVolume: -1', '/strategies/0/risk/maxVolume must be > 0'],
    ['weight: 0.6', 'weight: much', '/portfolios/0/children/0/weight must be number'],
    [
      '"demo:EURUSD@m1"',
      '"EURUSD"',
      '/strategies/0/streams/eur must match pattern "^([^:]+):([^@]+)@([A-Za-z0-9]+)$|\\$\\{"',
    ],
  ])('refuses %s as %s, as the daemon does', (from, to, problem) => {
    expect(problemsOf(good.replace(from, to))).toContain(problem);
    expect(() => read(good.replace(from, to))).toThrow();
  });
});
