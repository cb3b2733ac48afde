import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings, SettingRefused, SettingsError } from '@libs/settings';
import type { SimulatorOptions } from './simulator-options';
import { simulatorOptions, simulatorSettings } from './simulator.config';
import { historyFolder } from './state/history-settings';

const options = (env: Record<string, string> = {}): SimulatorOptions =>
  simulatorOptions(readSettings(simulatorSettings, env));

describe('the settings of the simulator', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'simulator-settings-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };

  it('make a demonstration account of an empty environment', () => {
    expect(options()).toMatchObject({
      feed: { kind: 'generated', seed: 1 },
      speed: 1,
      hours: 'always',
      serverTimeZone: 'Europe/Athens',
      account: { login: 100_001, balance: 10_000, currency: 'USD', leverage: 100, marginMode: 'hedging' },
    });
    expect(options().symbols.map(({ name }) => name)).toContain('XAUUSD');
  });

  it('take every value', () => {
    const env = {
      SIM_SEED: '7',
      SIM_SPEED: '60',
      SIM_HOURS: 'market',
      SIM_LOGIN: '5',
      SIM_PASSWORD: 'secret',
      SIM_SERVER: 'Other',
      SIM_BALANCE: '500.5',
      SIM_CURRENCY: 'EUR',
      SIM_LEVERAGE: '30',
      SIM_MARGIN_MODE: 'netting',
      SIM_MARGIN_CALL: '100',
      SIM_STOP_OUT: '50',
      SIM_SERVER_TIME_ZONE: 'UTC',
      SIM_STATE_FILE: '/tmp/state',
    };
    expect(options(env)).toMatchObject({
      feed: { seed: 7 },
      speed: 60,
      hours: 'market',
      serverTimeZone: 'UTC',
      stateFile: '/tmp/state',
      account: {
        login: 5,
        password: 'secret',
        server: 'Other',
        balance: 500.5,
        currency: 'EUR',
        leverage: 30,
        marginMode: 'netting',
        marginCall: 100,
        stopOut: 50,
      },
    });
  });

  it('take habits as the commands write them', () => {
    const of = (SIM_HABITS: string) => options({ SIM_HABITS, SIM_SEED: '7' }).habits;
    expect(of('rows-twice; trade-clock -3;lists-not-loaded half --lists orders,deals')).toMatchObject({
      kind: 'fixed',
      habits: [
        { kind: 'rows-twice' },
        { kind: 'trade-clock', seconds: -3 },
        { kind: 'lists-not-loaded', shows: 'half', lists: ['orders', 'deals'] },
      ],
    });
    expect(of('random')).toEqual({ kind: 'drawn', seed: 7 });
    expect(of('')).toBeUndefined();
  });

  it.each([
    ['gremlins', 'SIM_HABITS must be random, or habits: gremlins: unknown command "gremlins"'],
    ['rows-twice; trade-clock', 'trade-clock: trade-clock needs SECONDS'],
    ['trade-clock soon', 'trade-clock soon: SECONDS must be a number, not "soon"'],
    ['rows-twice --port 1', "Unknown option '--port'"],
    ['rows-twice;', 'must be random, or habits'],
    ['disconnected', 'must name habits, and disconnected is none: choose from lists-not-loaded'],
  ])('refuse the habits %j, and name the problem', (SIM_HABITS, problem) => {
    expect(() => options({ SIM_HABITS })).toThrow(problem);
  });

  it('take a replay, and keep to the symbols of its files', () => {
    const ticks = file('eurjpy-ticks.csv', 'timestamp,bid,ask\n2024-01-01 00:00:00,150.1,150.2\n');
    const other = file('x.csv', 'timestamp,bid,ask\n2024-01-01 00:00:00,1.1,1.2\n');
    const replay = options({ SIM_FEED: `replay:${ticks}, EURUSD.m=${other}`, SIM_REPLAY_START: '2024-01-01' });
    expect(replay.feed).toMatchObject({ kind: 'replay', startMs: Date.UTC(2024, 0, 1), warmupBars: 500 });
    expect(replay.symbols.map(({ name }) => name)).toEqual(['EURJPY', 'EURUSD.m']);
  });

  it.each([
    ['SIM_FEED', 'random', 'must be generated or replay:'],
    ['SIM_FEED', 'replay:/no/such/file.csv', 'cannot be used: file.csv: cannot be read'],
    ['SIM_SPEED', '-1', 'must be a number, 0'],
    ['SIM_REPLAY_START', 'soon', 'must be an ISO-8601 time'],
    ['SIM_CURRENCY', 'dollars', 'must be a currency code'],
    ['SIM_MARGIN_MODE', 'both', 'must be one of hedging, netting, exchange'],
    ['SIM_SERVER_TIME_ZONE', 'Mars/Olympus', 'must be an IANA time zone'],
    ['SIM_SYMBOLS', '/no/such/symbols.json', 'must name a file that can be read'],
    ['SIM_SYMBOLS', '/dev/zero', 'must name a file that can be read'],
  ])('refuse %s=%s', (name, value, problem) => {
    expect(() => options({ [name]: value })).toThrow(SettingsError);
    expect(() => options({ [name]: value })).toThrow(`${name} ${problem}`);
  });

  it('refuse what contradicts itself', () => {
    expect(() => options({ SIM_STOP_OUT: '60' })).toThrow(SettingRefused);
    const ticks = file('abcdef-ticks.csv', 'timestamp,bid,ask\n2024-01-01 00:00:00,1,2\n');
    expect(() => options({ SIM_FEED: `replay:${ticks}` })).toThrow('SIM_FEED replays ABCDEF');
    expect(() => options({ SIM_SPEED: '0' })).toThrow('SIM_SPEED');
    const bid = file('eurusd-bid.csv', 'timestamp,open,high,low,close\n2024-01-01 00:00:00,1,2,1,2\n');
    expect(() => options({ SIM_FEED: `replay:${bid}` })).toThrow('a file of bids and a file of asks');
  });

  it.each([
    ['USD', 2],
    ['JPY', 0],
    ['CHF', 2],
  ])('give an account in %s %d digits', (SIM_CURRENCY, digits) => {
    expect(options({ SIM_CURRENCY }).account.currencyDigits).toBe(digits);
  });

  it('take a currency that a pair of their symbols converts to, with its digits', () => {
    const symbols = [{ name: 'EURUSD' }, { name: 'USDBHD', trade_contract_size: 100_000 }];
    const dinar = { BHD: { value: 2.65, dailyVolatility: 0.0001 } };
    const SIM_SYMBOLS = file('dinar.json', JSON.stringify({ assets: dinar, symbols }));
    expect(options({ SIM_CURRENCY: 'BHD', SIM_SYMBOLS }).account).toMatchObject({ currency: 'BHD', currencyDigits: 3 });
  });

  it('refuse a currency that no symbol can be converted to, and name the pair that is missing', () => {
    expect(() => options({ SIM_CURRENCY: 'BHD' })).toThrow(
      'SIM_CURRENCY=BHD: every order would be refused, because no pair converts to BHD. Use another currency, or add a pair such as USDBHD to SIM_SYMBOLS',
    );
    const ticks = file('gbpusd-ticks.csv', 'timestamp,bid,ask\n2024-01-01 00:00:00,1.25,1.26\n');
    const replay = { SIM_FEED: `replay:${ticks}`, SIM_CURRENCY: 'EUR' };
    expect(() => options(replay)).toThrow('because no pair converts to EUR');
    expect(() => options(replay)).toThrow('or add prices of a pair such as EURUSD to SIM_FEED');
    expect(options({ SIM_FEED: `replay:${ticks}`, SIM_CURRENCY: 'GBP' }).account.currency).toBe('GBP');
  });

  it('take symbols from a file, each like one of the catalogue but for what it names', () => {
    const symbols = [
      { name: 'EURSEK', trade_contract_size: 100_000, market: { spread: 90, quote: 'SEK' } },
      { name: 'GOLD', like: 'XAUUSD', trade_stops_level: 50, market: { depth: 3, commission: { perLot: 7 } } },
      { name: 'EURJPY', digits: 2, market: { schedule: { sessions: [{ day: 1, from: 0, to: 1440 }] } } },
    ];
    const path = file(
      'symbols.json',
      JSON.stringify({ assets: { SEK: { value: 0.095, dailyVolatility: 0.005 } }, symbols }),
    );
    expect(options({ SIM_SYMBOLS: path }).symbols).toMatchObject([
      {
        name: 'EURSEK',
        currency_base: 'EUR',
        currency_profit: 'SEK',
        digits: 5,
        market: { base: 'EUR', quote: 'SEK' },
      },
      {
        name: 'GOLD',
        trade_contract_size: 100,
        trade_stops_level: 50,
        market: { base: 'XAU', depth: 3, spread: 22, commission: { perLot: 7, charged: 'both' } },
      },
      {
        name: 'EURJPY',
        digits: 2,
        trade_tick_size: 0.01,
        market: { schedule: { sessions: [{ day: 1 }], holidays: [] } },
      },
    ]);
  });

  it('take a zone with a shift, as the gateway does', () => {
    const { serverTimeZone } = options({ SIM_SERVER_TIME_ZONE: 'America/New_York+7' });
    expect(serverTimeZone).toBe('America/New_York+7');
  });

  it('take the terms of a symbol of the catalogue by its name', () => {
    const path = file('named.json', '{"symbols":[{"name":"XAUUSD"},{"name":"US500","volume_max":7}]}');
    expect(options({ SIM_SYMBOLS: path }).symbols).toMatchObject([
      { name: 'XAUUSD', trade_contract_size: 100, digits: 2, currency_margin: 'USD' },
      { name: 'US500', trade_contract_size: 10, volume_max: 7, trade_tick_size: 0.1 },
    ]);
  });

  it.each(['__proto__', 'constructor', 'toString'])('refuse the field %s of a symbol as unknown', (field) => {
    const content = `{"symbols":[{"name":"EURUSD","${field}":{"digits":1},"market":{"${field}":{"spread":1}}}]}`;
    const [own, market] = ['', 'market.'].map((at) => `symbol EURUSD: ${at}${field} is not a known setting`);
    expect(() => options({ SIM_SYMBOLS: file('bad.json', content) })).toThrow(`${market}; ${own}`);
  });

  it.each([
    ['no JSON', '{', 'it is not JSON'],
    ['no symbols', '{}', 'it needs a list of symbols'],
    ['no name', '{"symbols":[{}]}', 'symbol 1 needs a name'],
    ['a blank name', '{"symbols":[{"name":"  "}]}', 'symbol 1 needs a name'],
    [
      'a name with a space at its end',
      '{"symbols":[{"name":"EURUSD "}]}',
      'symbol 1 has a name that begins or ends with a space: "EURUSD "',
    ],
    ['a member twice', '{"symbols":[{"name":"EURUSD"}],"symbols":[]}', 'symbols is given more than once'],
    [
      'members of a symbol twice',
      '{"symbols":[{"name":"EURUSD","digits":5,"name":"GBPUSD","market":{"spread":1,"spread":2}}]}',
      'symbols.0.name, symbols.0.market.spread is given more than once',
    ],
    [
      'an unknown field',
      '{"symbols":[{"name":"EURUSD","leverage":3}]}',
      'symbol EURUSD: leverage is not a known setting',
    ],
    [
      'a wrong type',
      '{"symbols":[{"name":"EURUSD","digits":"5"}]}',
      'symbol EURUSD: digits must be an integer, 0 to 8',
    ],
    [
      'an unknown model',
      '{"symbols":[{"name":"X","like":"Y"}]}',
      'symbol X is like a symbol that is not in the catalogue',
    ],
    [
      'no contract size of a symbol that is not in the catalogue',
      '{"symbols":[{"name":"NAS100"},{"name":"XAUEUR"}]}',
      'symbol NAS100 needs trade_contract_size and currency_profit, or like with the name of a symbol of the catalogue; symbol XAUEUR needs trade_contract_size, or like',
    ],
    [
      'no currency of the profit of a symbol whose name does not state it',
      '{"symbols":[{"name":"NK225","trade_contract_size":10}]}',
      'symbol NK225 needs currency_profit, or like with the name of a symbol of the catalogue',
    ],
    [
      'an unknown asset',
      '{"symbols":[{"name":"EURSEK","like":"EURUSD"}]}',
      'symbol EURSEK is made of SEK, which is not an asset',
    ],
    ['a name twice', '{"symbols":[{"name":"EURUSD"},{"name":"EURUSD"}]}', 'two symbols have the same name'],
    [
      'a worthless asset',
      '{"assets":{"SEK":{"value":0}},"symbols":[{"name":"EURUSD"}]}',
      'asset SEK: value must be a number above 0',
    ],
    [
      'several problems',
      '{"symbols":[{"name":"EURUSD","volume_step":0,"margin_hedged_use_leg":1},{},{"name":"GBPUSD","path":5}]}',
      'symbol EURUSD: volume_step must be a number above 0; symbol EURUSD: margin_hedged_use_leg must be true or false; ' +
        'symbol 2 needs a name; symbol GBPUSD: path must be a text',
    ],
    ['an asset that is none', '{"assets":{"SEK":5},"symbols":[{"name":"EURUSD"}]}', 'asset SEK: must be a mapping'],
    [
      'an asset that every object has',
      '{"symbols":[{"name":"EURUSD","market":{"base":"toString"}}]}',
      'symbol EURUSD is made of toString, which is not an asset',
    ],
    [
      'volumes that contradict each other',
      '{"symbols":[{"name":"EURUSD","volume_min":2,"volume_max":1,"market":{"depth":0.001}}]}',
      'symbol EURUSD: volume_max must be volume_min or more; symbol EURUSD: market has a depth that must be null',
    ],
    [
      'a mode that is not simulated',
      '{"symbols":[{"name":"EURUSD","trade_calc_mode":99}]}',
      'symbol EURUSD: trade_calc_mode is not simulated',
    ],
    [
      'no market',
      '{"symbols":[{"name":"EURUSD","market":null}]}',
      'symbol EURUSD: market has no value: it must be a mapping of names',
    ],
    [
      'a market that cannot be',
      '{"symbols":[{"name":"EURUSD","market":{"spread":-1,"commission":{"charged":"out"},"marginRates":[],"depth":"1"}}]}',
      'symbol EURUSD: market.spread must be a number, 0 or more; symbol EURUSD: market.marginRates must be a mapping of names ' +
        'to values; symbol EURUSD: market.commission.charged must be both or in; symbol EURUSD: market.depth must be null or',
    ],
    [
      'a schedule that cannot be',
      '{"symbols":[{"name":"EURUSD","market":{"schedule":{"zone":"Mars","holidays":["25.12."],"sessions":[{"day":7,"from":9,"to":9}]}}}]}',
      'symbol EURUSD: market.schedule.zone must be an IANA time zone; symbol EURUSD: market.schedule.sessions[0].day must be ' +
        'an integer, 0 to 6; symbol EURUSD: market.schedule.sessions[0].to must be after from; ' +
        'symbol EURUSD: market.schedule.holidays must be a list of dates',
    ],
    [
      'a schedule without sessions',
      '{"symbols":[{"name":"EURUSD","market":{"schedule":{"zone":null}}}]}',
      'symbol EURUSD: market.schedule.zone has no value: it must be an IANA time zone, or be left out; symbol EURUSD: market.schedule.sessions must be a list',
    ],
  ])('refuse a symbol file with %s', (_, content, problem) => {
    expect(() => options({ SIM_SYMBOLS: file('bad.json', content) })).toThrow(`SIM_SYMBOLS cannot be used: ${problem}`);
  });

  it('keep the history beyond the limit beside the state file, unless they name a folder', () => {
    const folderOf = (env: Record<string, string>): string => historyFolder(readSettings(simulatorSettings, env));
    expect(folderOf({})).toBe(tmpdir());
    expect(folderOf({ SIM_STATE_FILE: '/tmp/broker/state' })).toBe('/tmp/broker');
    expect(folderOf({ SIM_STATE_FILE: '/tmp/broker/state', SIM_HISTORY_DIR: folder })).toBe(folder);
    expect(options({ SIM_HISTORY_ROWS: '300' }).historyRows).toBe(300);
    expect(options().historyRows).toBe(50_000);
  });

  it('refuse a folder of the history that is missing, or is a file', () => {
    const refusal = 'SIM_HISTORY_DIR must name a folder that can be written';
    expect(() => options({ SIM_HISTORY_DIR: join(folder, 'missing') })).toThrow(refusal);
    expect(() => options({ SIM_HISTORY_DIR: file('history', '') })).toThrow(refusal);
  });
});
