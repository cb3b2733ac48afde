import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { yamlOf } from '@libs/settings/yaml-text';
import { parseSymbolFile } from '@libs/simulator';
import Ajv from 'ajv';
import { changesOf, mistakenFiles } from '../../../../test/setup/changes-of';
import { readNotifierFile } from '../notifier/read-notifier-file';
import { readSignalsFile } from '../signals/read-signals-file';
import { runSchema, schemas } from './run-schema';

const folder = mkdtempSync(join(tmpdir(), 'schemas-'));
afterAll(() => rmSync(folder, { recursive: true }));
/** Every variable is set. */
const env = new Proxy(
  {},
  { get: (_env, name) => (/URL$/.test(String(name)) ? 'https://example.com' : 'a-secret-of-a-test') },
);

/** The problems that a program has with a file; none if it takes it. */
function problemsOf(read: (file: string) => unknown, value: unknown): readonly string[] {
  return problemsOfText(read, JSON.stringify(value));
}

function problemsOfText(read: (file: string) => unknown, text: string): readonly string[] {
  const file = join(folder, 'file');
  writeFileSync(file, text);
  try {
    read(file);
    return [];
  } catch (error) {
    const [first = '', ...others] = String(error).split(/\n *|; (?=symbol |asset )/);
    return first.endsWith(':') ? others : [first, ...others];
  }
}

/** The first block of YAML of a page: its example of the file. */
function exampleOn(page: string): unknown {
  const text = readFileSync(join(__dirname, '../../../../docs', page), 'utf8');
  return yamlOf(/^```yaml\n(.*?)^```$/ms.exec(text)?.[1] ?? '');
}

const symbols = {
  assets: { SEK: { value: 0.095, dailyVolatility: 0.005, continuous: false } },
  symbols: [
    { name: 'EURSEK', trade_contract_size: 100_000, digits: 5, market: { quote: 'SEK', spread: 90, depth: null } },
    {
      ...{ name: 'US', like: 'EURUSD' },
      market: {
        ...{ marginRates: { buy: 1 }, commission: { perLot: 3, charged: 'in' }, visible: true },
        schedule: { zone: 'UTC', sessions: [{ day: 1, from: 0, to: 60 }] },
      },
    },
  ],
};

describe.each([
  {
    ...{
      name: 'notifier' as const,
      example: exampleOn('alerts.md'),
      read: (file: string) => readNotifierFile(file, env),
    },
    // Of another part of the file, or of a text.
    beyond: /which is not a channel|must be one e-mail address|must be a bot token|must be an http or https URL/,
  },
  {
    ...{
      name: 'signals' as const,
      example: exampleOn('signals.md'),
      read: (file: string) => readSignalsFile(file, env),
    },
    beyond: /is neither an address nor a network/,
  },
  {
    ...{
      name: 'symbols' as const,
      example: symbols,
      read: (file: string) => parseSymbolFile(readFileSync(file, 'utf8')),
    },
    beyond:
      /not in the catalogue|is not an asset|not simulated|the same name|must be after from|or like with|time zone|volume_min or more|volume_step or more/,
  },
])('the schema $name', ({ name, example, read, beyond }) => {
  const accepts = new Ajv({ allErrors: true, allowUnionTypes: true, strictRequired: false }).compile(schemas[name]());

  it('accepts the example of the documentation, as the gateway does', () => {
    expect(accepts(example) ? [] : accepts.errors).toEqual([]);
    expect(problemsOf(read, example)).toEqual([]);
  });

  it('refuses what the gateway refuses in one member, and nothing else', () => {
    const changes = [...changesOf(example)].map(([change, text]) => {
      // As the file has it: without members that are absent.
      const value: unknown = JSON.parse(JSON.stringify(text));
      return { change, problems: problemsOf(read, value), isAccepted: accepts(value) };
    });
    expect(changes.length).toBeGreaterThan(200);
    const tooStrict = changes.filter(({ problems, isAccepted }) => problems.length === 0 && !isAccepted);
    expect(tooStrict.map(({ change }) => change)).toEqual([]);
    const tooLax = changes.filter(
      ({ problems, isAccepted }) => isAccepted && problems.some((problem) => !beyond.test(problem)),
    );
    expect(tooLax.map(({ change, problems }) => `${change}: ${problems.join('; ')}`)).toEqual([]);
  });
});

/** The program does not read the one; of the other, `null` means that it has no end. */
const isFree = (member: string, mistake: unknown): boolean =>
  member === '$schema' || (member === 'depth' && mistake === null);

describe.each([
  {
    name: 'notifier' as const,
    example: {
      channels: {
        hook: { type: 'webhook', url: 'https://example.com', secret_env: 'SECRET' },
        phone: { type: 'telegram', chat_id: 5, token_env: 'SECRET' },
        desk: { type: 'discord', url_env: 'DESK_URL' },
        mail: { type: 'email', host: 'h', from: 'a@example.com', to: ['a@example.com'] },
        login: { type: 'email', host: 'h', from: 'a', to: ['a@example.com'], user: 'me', password_env: 'SECRET' },
      },
      rules: [
        { on: 'trades', channels: ['hook'], magics: [7], symbols: ['EURUSD'], events: ['deal'] },
        ...['halt', 'difference'].map((on) => ({ on, channels: ['phone'] })),
        { on: 'drawdown', channels: ['desk'], percent: 5 },
        { on: 'daily_report', channels: ['mail'], at: '23:55' },
      ],
    },
    read: (file: string) => readNotifierFile(file, env),
  },
  {
    name: 'signals' as const,
    example: { sources: { tv: { secret_env: 'SECRET', magic: 7, symbols: { EUR: 'EURUSD' }, max_lots: 1 } } },
    read: (file: string) => readSignalsFile(file, env),
  },
  {
    name: 'symbols' as const,
    example: { ...symbols, symbols: symbols.symbols.slice(1) },
    read: (file: string) => parseSymbolFile(readFileSync(file, 'utf8')),
  },
])('a file of $name', ({ name, example, read }) => {
  it('has no member that may be without a value or of another type: a limit of nothing would be no limit', () => {
    expect(problemsOf(read, example)).toEqual([]);
    const files = [...mistakenFiles(schemas[name]() as Record<string, unknown>, example)];
    expect(files.length).toBeGreaterThan(200);
    const untold = files.filter(({ place, mistake, text }) => {
      const member = String(place.findLast((name) => typeof name === 'string'));
      if (isFree(member, mistake)) return false;
      const named = [member.replace(/s$/, ''), 'is not JSON'];
      return !problemsOfText(read, text).some((problem) => named.some((name) => problem.includes(name)));
    });
    expect(untold.map(({ place, mistake }) => `${place.join('.')} = ${String(JSON.stringify(mistake))}`)).toEqual([]);
  });
});

describe('gateway schema', () => {
  afterEach(() => jest.restoreAllMocks());

  it('prints the schema of a file, and names the files if it gets none of them', () => {
    const out = jest.spyOn(console, 'log').mockImplementation(() => undefined);
    const err = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    expect(runSchema(['signals'])).toBe(0);
    expect(JSON.parse(String(out.mock.lastCall?.[0]))).toEqual(schemas.signals());
    for (const args of [[], ['daemon'], ['signals', 'more']]) expect(runSchema(args)).toBe(2);
    expect(err.mock.lastCall?.[0]).toContain('schema needs the name of a file: notifier, signals, symbols');
  });
});
