import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { runHandlers, streamsOf } from '../../backtest/testing/written-strategy';
import { checkPrices } from '../check-prices';
import { dateFormatProblem } from './date-format';
import { importPrices, type ImportOrder } from './import-prices';

const folder = (): string => mkdtempSync(join(tmpdir(), 'foreign-'));
const written = (content: string | Uint8Array): string => {
  const path = join(folder(), 'some.csv');
  writeFileSync(path, content);
  return path;
};
const imported = (content: string | Uint8Array, changes: Partial<ImportOrder> = {}) =>
  importPrices({
    ...{ files: [written(content)], askFiles: [], symbol: 'EURUSD', zone: 'UTC', digits: 5, spreadPoints: 12 },
    ...{ folder: folder(), ...changes },
  });
const rowsOf = (path = ''): string[] => readFileSync(path, 'utf8').trim().split('\n').slice(1);

const prices = '1.09500,1.09505,1.09495,1.09501';
const minutes = ['12:00', '12:01', '12:02'];
const header = 'time,open,high,low,close,volume';
const body = minutes.map((time) => `2024-01-09 ${time},${prices},10`);
const plain = [header, ...body].join('\n');
const expected = minutes.map((time) => `2024-01-09 ${time}:00+00:00,${prices}`);

describe('a file of another program', () => {
  it.each([
    ['UTF-16, little end first', Buffer.from(`\uFEFF${plain}`, 'utf16le')],
    ['UTF-16, big end first', Buffer.from(`\uFEFF${plain}`, 'utf16le').swap16()],
    ['UTF-16 without a mark', Buffer.from(plain, 'utf16le')],
  ])('may be in %s', (_what, bytes) => {
    expect(rowsOf(imported(bytes).files[0])).toEqual(expected);
  });

  it('may have its times in an index of pandas without a name', () => {
    const named = header.replace(/^[^,]*/, '');
    expect(rowsOf(imported([named, ...body].join('\n')).files[0])).toEqual(expected);
    const numbered = body.map((row, at) => row.replace(/^[^,]*/, String(at)));
    expect(() => imported([named, ...numbered].join('\n'))).toThrow('line 2: 0 is not a time');
  });

  it('may have an index of pandas without a name', () => {
    const text = [`,${header}`, ...body.map((row, index) => `${index},${row}`)].join('\n');
    expect(rowsOf(imported(text).files[0])).toEqual(expected);
  });

  it('may have other columns, which --ignore names', () => {
    const text = [`${header},rsi,Sma 20`, ...body.map((row) => `${row},50,1`)].join('\n');
    expect(() => imported(text)).toThrow(
      'columns "rsi", "sma 20" are unknown: leave them out by --ignore "rsi,sma 20"; known are time',
    );
    expect(rowsOf(imported(text, { ignore: ['RSI', 'sma 20'] }).files[0])).toEqual(expected);
    expect(() => imported(text, { ignore: ['rsi', 'sma 20', 'macd'] })).toThrow(
      'it has no column macd, which --ignore names',
    );
  });

  it('has no header, so that --columns names its columns', () => {
    const text = minutes.map((time) => `10;2024.01.09;${time}:00;${prices.replaceAll(',', ';')}`).join('\n');
    expect(() => imported(text)).toThrow(
      'it has no header: name its columns, such as --columns date,time,open,high,low,close,volume',
    );
    const columns = ['volume', 'date', 'time', 'open', 'high', 'low', 'close'];
    expect(rowsOf(imported(text, { columns }).files[0])).toEqual(expected);
    expect(() => imported(text, { columns: columns.slice(1) })).toThrow('line 1: it has 7 cells, not 6');
  });

  it('is of NinjaTrader, not of HistData, if its rows have volumes: they differ in nothing else', () => {
    const text = minutes
      .map((time) => `20240109 ${time.replace(':', '')}00;${prices.replaceAll(',', ';')};10`)
      .join('\n');
    expect(rowsOf(imported(text).files[0])).toEqual(expected);
    expect(() => imported(text, { zone: null })).toThrow('name the zone of the file by --zone');
    const ofHistData = text.replaceAll(';10', ';0');
    expect(() => imported(ofHistData)).toThrow(
      'omit --zone, or name its columns by --columns if another program wrote it',
    );
    const columns = ['time', 'open', 'high', 'low', 'close', 'volume'];
    expect(rowsOf(imported(ofHistData, { columns }).files[0])).toEqual(expected);
  });

  it('may have times in microseconds of the Unix epoch', () => {
    const first = Date.UTC(2024, 0, 9, 12) * 1_000;
    const text = [header, ...minutes.map((_, index) => `${first + index * 60_000_000},${prices},1`)].join('\n');
    expect(rowsOf(imported(text, { zone: null }).files[0])).toEqual(expected);
  });

  it.each([
    ['web', 'Time,Ask,Bid,AskVolume,BidVolume', '09.01.2024 12:00:00.123'],
    ['dukascopy-node', 'timestamp,askPrice,bidPrice,askVolume,bidVolume', '1704801600123'],
  ])('may have ticks of Dukascopy (%s)', (_what, names, time) => {
    const { kind, files } = imported(`${names}\n${time},1.09502,1.095,1.5,2.25\n`, { spreadPoints: null });
    expect([kind, rowsOf(files[0])]).toEqual(['ticks', ['2024-01-09 12:00:00.123+00:00,1.09500,1.09502']]);
  });

  it('may have decimal commas between semicolons, which --decimal-comma states', () => {
    const text = [header.replaceAll(',', ';'), ...body.map((row) => row.replaceAll(',', ';').replaceAll('.', ','))];
    expect(() => imported(text.join('\n'))).toThrow('if its comma is a decimal one, use --decimal-comma');
    expect(rowsOf(imported(text.join('\n'), { hasDecimalComma: true }).files[0])).toEqual(expected);
  });

  it('may name its columns in other words, and lines may come before the header', () => {
    const text = ['https://www.example.com', 'Open time;O;H;L;C;V', ...body.map((row) => row.replaceAll(',', ';'))];
    expect(rowsOf(imported(text.join('\n')).files[0])).toEqual(expected);
    const separated = ['sep=;', '', ...text.slice(1)].join('\n\n');
    expect(rowsOf(imported(separated).files[0])).toEqual(expected);
  });

  it.each(['timestamp_utc', 'Time (UTC)', 'Gmt time', 'utc', 'Datetime_UTC'])('states its zone as %s', (name) => {
    const text = [header.replace('time', name), ...body].join('\n');
    expect(rowsOf(imported(text, { zone: null }).files[0])).toEqual(expected);
  });

  it('may have columns that do not matter, which a note names', () => {
    const text = [
      `index,${header},OpenInterest,RealVolume,Adj Close`,
      ...body.map((row, at) => `${at},${row},0,1,1.1`),
    ];
    const { files, notes } = imported(text.join('\n'));
    expect(rowsOf(files[0])).toEqual(expected);
    expect(notes).toEqual(['some.csv: left out the columns index, openinterest, adj close']);
  });

  it('may name the symbol in each row, but only one', () => {
    const text = [`symbol,${header}`, ...body.map((row) => `GBPUSD,${row}`)].join('\n');
    expect(() => imported(text)).toThrow(
      'line 2: it is of GBPUSD, not of EURUSD: if that is another name of it, use --ignore symbol',
    );
    expect(imported(text, { ignore: ['symbol'] }).rows).toBe(3);
    expect(rowsOf(imported(text, { symbol: 'GBPUSD.pro' }).files[0])).toEqual(expected);
    const mixed = text.replace(/GBPUSD(?!.*GBPUSD)/s, 'USDJPY');
    expect(() => imported(mixed, { symbol: 'GBPUSD' })).toThrow(
      'line 4: it is of USDJPY, and rows before are of GBPUSD',
    );
  });

  it.each<[string, readonly string[]]>([
    ['MetaTrader 4', minutes.map((time) => `2024.01.09,${time},${prices},10`)],
    ['MetaTrader 5', minutes.map((time) => `2024.01.09\t${time}:00\t${prices.replaceAll(',', '\t')}\t10\t0\t12`)],
    ['a script of MetaTrader', minutes.map((time) => `2024.01.09 ${time};${prices.replaceAll(',', ';')};10`)],
    [
      'Binance',
      minutes.map(
        (_, at) => `${Date.UTC(2024, 0, 9, 12, at)}000,${prices},9,${Date.UTC(2024, 0, 9, 12, at)},8,7,6,5,0`,
      ),
    ],
    ['Kraken', minutes.map((_, at) => `${Date.UTC(2024, 0, 9, 12, at) / 1_000},${prices},9,4`)],
  ])('may have the rows of %s without a header', (who, rows) => {
    const spreadPoints = who === 'MetaTrader 5' ? null : 12;
    expect(rowsOf(imported(rows.join('\n'), { spreadPoints }).files[0])).toEqual(expected);
  });

  it('has a header, but --columns names its columns instead', () => {
    const text = ['wann,auf,hoch,tief,zu,x', ...body].join('\n');
    const columns = ['time', 'open', 'high', 'low', 'close', '-'];
    expect(rowsOf(imported(text, { columns }).files[0])).toEqual(expected);
  });

  it('may have times in nanoseconds or in broken seconds of the Unix epoch', () => {
    const seconds = minutes.map((_, at) => Date.UTC(2024, 0, 9, 12, at) / 1_000);
    for (const end of ['000000000', '.0']) {
      const text = [header, ...seconds.map((second) => `${second}${end},${prices},1`)].join('\n');
      expect(rowsOf(imported(text, { zone: null }).files[0])).toEqual(expected);
    }
  });

  it.each([
    ['2024-01-09T12:00:00+25:00', undefined],
    ['2024-01-09T12:00:00+10:75', undefined],
    ['0024-01-09 12:00', undefined],
    ['1969-12-31 12:00', undefined],
    ['01/09/0024 12:00', 'MM/DD/YYYY HH:mm'],
  ])('has no time such as %s', (time, dateFormat) => {
    const text = `time,open,high,low,close\n${time},1.1,1.2,1,1.1\n`;
    expect(() => imported(text, dateFormat === undefined ? {} : { dateFormat })).toThrow(
      `line 2: ${time} is not a time`,
    );
  });

  it('has years of two digits from 1970 to 2069', () => {
    const text = 'time,open,high,low,close\n01/09/85 12:00,1.1,1.2,1,1.1\n01/09/85 12:01,1.1,1.2,1,1.1\n';
    const [first] = rowsOf(imported(text, { dateFormat: 'MM/DD/YY HH:mm' }).files[0]);
    expect(first).toMatch(/^1985-01-09/);
  });

  it('may have days before months, which --date-format states', () => {
    const text = [header, ...minutes.map((time) => `9/1/2024 ${time},${prices},1`)].join('\n');
    expect(() => imported(text)).toThrow(
      'line 2: 9/1/2024 12:00 is not a time such as 2024-01-09 12:00: state the form by --date-format, such as DD/MM/YYYY HH:mm',
    );
    expect(rowsOf(imported(text, { dateFormat: 'D/M/YYYY HH:mm' }).files[0])).toEqual(expected);
    expect(() => imported(text, { dateFormat: 'M/D/YYYY h:mm A' })).toThrow(
      '9/1/2024 12:00 is not a time of the form M/D/YYYY h:mm A',
    );
    const noon = [header, ...minutes.map((time) => `Jan 09 24 ${time} pm,${prices},1`)].join('\n');
    expect(rowsOf(imported(noon, { dateFormat: 'MMM DD YY h:mm A' }).files[0])).toEqual(expected);
    expect(dateFormatProblem('DD/MM/YYYY HH:mm')).toBeNull();
    expect(dateFormatProblem('DD/MM/YYYY hh:mm')).toBe(
      '--date-format has h or hh, an hour of 12, without A for AM or PM: write H or HH, or add A',
    );
    expect(dateFormatProblem('DD/MM/YYYY HH:mm A')).toBe(
      '--date-format has H or HH, an hour of 24, with A for AM or PM: write h or hh, or leave A out',
    );
    expect(dateFormatProblem('DD HH')).toMatch(
      /^--date-format needs YYYY or YY, MM and DD, and for times HH and mm, each once/,
    );
  });

  it('may have the offset of local time in each row', () => {
    const text = ['Local time,Open,High,Low,Close', ...minutes.map((t) => `09.01.2024 ${t}:00.000 GMT+0000,${prices}`)];
    expect(rowsOf(imported(text.join('\n'), { zone: null }).files[0])).toEqual(expected);
  });

  it('may have float noise, which is rounded and counted', () => {
    const text = plain.replace('1.09495', '1.0949500000000001').replace('1.09501', '1.0950100421905518');
    const { files, notes } = imported(text);
    expect(rowsOf(files[0])).toEqual(expected);
    expect(notes).toEqual(['some.csv: rounded prices with float noise to 5 decimal places in 1 row']);
  });

  it('may be unsorted, which --sort states', () => {
    const text = [header, ...[...body].reverse()].join('\n');
    expect(() => imported(text)).toThrow('line 3: its time is before that of the bar before: use --sort');
    expect(rowsOf(imported(text, { isUnsorted: true }).files[0])).toEqual(expected);
    expect(() => imported(`${text}\n${body[1]}`, { isUnsorted: true })).toThrow(
      'line 5: it has the time of the bar before',
    );
  });

  it('may have each line in quotes, or each cell', () => {
    const lines = plain.split('\n');
    expect(rowsOf(imported(lines.map((line) => `"${line}"`).join('\r\n')).files[0])).toEqual(expected);
    const doubled = lines.map((line) => `"${line.replace(/^([^,]*)/, '""$1""')}"`).join('\n');
    expect(rowsOf(imported(doubled).files[0])).toEqual(expected);
    const commas = lines.map((line) =>
      line
        .split(',')
        .map((cell) => `"${cell.replace('.', ',')}"`)
        .join(','),
    );
    expect(rowsOf(imported(commas.join('\n'), { hasDecimalComma: true }).files[0])).toEqual(expected);
  });

  it('may end its rows with an empty cell', () => {
    expect(rowsOf(imported([header, ...body.map((row) => `${row},`)].join('\n')).files[0])).toEqual(expected);
  });

  it('may have its spread in price, which --spread-in states', () => {
    const text = [header.replace('volume', 'spread'), ...body.map((row) => row.replace(/10$/, '0.00012'))].join('\n');
    const own = { spreadPoints: null };
    expect(() => imported(text, own)).toThrow(
      'line 2: a spread of 0.00012 points is less than one: if it is a price, use --spread-in price',
    );
    const { files } = imported(text, { ...own, spreadUnit: 'price' });
    expect(rowsOf(files[1])[0]).toBe('2024-01-09 12:00:00+00:00,1.09512,1.09517,1.09507,1.09513');
    expect(() => imported(text)).toThrow(
      'it has a column spread: omit --spread and --asks, or leave it out by --ignore spread',
    );
  });

  it('is refused if every spread is 0, and says how many are', () => {
    const spread = (...points: number[]): string =>
      [header.replace('volume', 'spread'), ...body.map((row, at) => row.replace(/10$/, String(points[at])))].join('\n');
    const own = { spreadPoints: null };
    expect(() => imported(spread(0, 0, 0), own)).toThrow(
      'its spread is 0 in every row: leave it out by --ignore spread, and state --spread',
    );
    expect(imported(spread(0, 0, 0), { ignore: ['spread'] }).rows).toBe(3);
    expect(imported(spread(0, 8, 0), own).notes).toEqual([
      'some.csv: 2 of 3 rows have a spread of 0: their asks are their bids',
    ]);
  });

  it('is refused with the real reason', () => {
    const rows = (...lines: string[]): string => [...lines, ...body].join('\n');
    expect(() => imported(rows('unix,date,open,high,low,close'))).toThrow(
      'it has more than one column of times: unix, date: leave out all but one by --ignore',
    );
    expect(() => imported(rows('time,bid,volume'))).toThrow('the header has no column ask');
    expect(() => imported('[{"time": 1}]')).toThrow('it is JSON, not CSV');
    expect(() => imported('<!DOCTYPE html>\n<html>')).toThrow('it is a web page, not CSV');
    expect(() => imported(Buffer.from([1, 2, 0, 0, 0, 255, 7, 0, 0]))).toThrow('it is not a text file');
  });
});

describe('a file of bars that are longer than a minute', () => {
  const days = ['2024-01-08', '2024-01-09', '2024-01-10'];
  const tabbed = (rows: readonly string[]): string => rows.join('\n').replaceAll(',', '\t');
  const mt5 = '<OPEN>,<HIGH>,<LOW>,<CLOSE>,<TICKVOL>,<VOL>,<SPREAD>';
  const ohlc = '1.095,1.0951,1.0949,1.095';
  const yahoo = ['Date,Open,High,Low,Close,Adj Close,Volume', ...days.map((day) => `${day},${ohlc},1.095,0`)].join(
    '\n',
  );
  const iso = (zone: string, day: string, hour = '00:00'): string => `${day} ${hour}:00${zone}`;
  const klines = (ms: number): string =>
    days.map((day) => `${Date.parse(day)},${ohlc},9,${Date.parse(day) + ms - 1},9,4,9,9,0`).join('\n');

  it.each<[what: string, content: string, changes: Partial<ImportOrder>, timeframe: string, first: string]>([
    [
      'MetaTrader 5, H1',
      tabbed([`<DATE>,<TIME>,${mt5}`, ...['09', '10', '11'].map((h) => `2024.01.09,${h}:00:00,${ohlc},9,0,7`)]),
      { zone: 'Europe/Athens', spreadPoints: null },
      ...(['H1', '2024-01-09 07:00'] as const),
    ],
    [
      'MetaTrader 5, D1, without a time',
      tabbed([`<DATE>,${mt5}`, ...days.map((day) => `${day.replaceAll('-', '.')},${ohlc},9,0,7`)]),
      { zone: 'Europe/Athens', spreadPoints: null },
      ...(['D1', '2024-01-07 22:00'] as const),
    ],
    [
      'MetaTrader 5, MN1',
      tabbed([`<DATE>,${mt5}`, ...['01', '02', '03'].map((month) => `2024.${month}.01,${ohlc},9,0,7`)]),
      { spreadPoints: null },
      ...(['MN1', '2024-01-01 00:00'] as const),
    ],
    [
      'MetaTrader 4, H4, without a header',
      ['00', '04', '08'].map((hour) => `2024.01.09,${hour}:00,${ohlc},9`).join('\n'),
      {},
      ...(['H4', '2024-01-09 00:00'] as const),
    ],
    ['Yahoo, D1', yahoo, {}, 'D1', '2024-01-08 00:00'],
    [
      'pandas, M5',
      [
        'Datetime,Open,High,Low,Close',
        ...['30', '35', '40'].map((m) => `${iso('-05:00', '2024-01-09', `09:${m}`)},${ohlc}`),
      ].join('\n'),
      { zone: null },
      ...(['M5', '2024-01-09 14:30'] as const),
    ],
    [
      'Stooq, D1',
      ['Date,Open,High,Low,Close', ...days.map((day) => `${day},${ohlc}`)].join('\n'),
      {},
      'D1',
      '2024-01-08 00:00',
    ],
    [
      'TradingView, W1',
      ['time,open,high,low,close', ...[0, 7, 14].map((day) => `${Date.UTC(2024, 0, 8 + day) / 1_000},${ohlc}`)].join(
        '\n',
      ),
      { zone: null },
      ...(['W1', '2024-01-08 00:00'] as const),
    ],
    ['Binance, 1d', klines(86_400_000), { zone: null }, 'D1', '2024-01-08 00:00'],
    [
      'Excel in the USA, D1',
      ['Date,Open,High,Low,Close', ...days.map((day) => `${day.slice(5, 7)}/${day.slice(8)}/2024,${ohlc}`)].join('\n'),
      { dateFormat: 'MM/DD/YYYY' },
      ...(['D1', '2024-01-08 00:00'] as const),
    ],
  ])('becomes price files with the length in their names: %s', (_what, content, changes, timeframe, first) => {
    const { files, rows, ...result } = imported(content, changes);
    const length = timeframe.toLowerCase();
    expect({ rows, timeframe: result.timeframe, names: files.map((file) => basename(file)) }).toEqual({
      ...{ rows: 3, timeframe },
      names: [`eurusd-${length}-bid.csv`, `eurusd-${length}-ask-from-spread.csv`],
    });
    expect(rowsOf(files[0])[0]).toBe(`${first}:00+00:00,${ohlc}`);
    expect(checkPrices(files)).toMatchObject([
      { timeframe, isSound: true },
      { timeframe, isSound: true },
    ]);
  });

  it('may have prices between those of the symbol, which --round rounds', () => {
    const text = [
      'Date,Open,High,Low,Close',
      ...days.map((day) => `${day},1.0949307680130005,1.0951,1.0949,1.09504`),
    ].join('\n');
    expect(() => imported(text)).toThrow(
      'line 2: 1.0949307680130005 has more than 5 decimal places: see --digits and --round',
    );
    const { files, notes } = imported(text, { isRounding: true });
    expect(rowsOf(files[0])[0]).toBe('2024-01-08 00:00:00+00:00,1.09493,1.0951,1.0949,1.09504');
    expect(notes).toEqual(['some.csv: rounded prices to 5 decimal places in 3 rows']);
  });

  it('is read by a backtest as it is', async () => {
    const { files } = imported(yahoo);
    const { logs } = await runHandlers(
      `onBar(bar, trade) { trade.log([bar.timeMs, bar.open, bar.high, bar.low, bar.close].join()); }`,
      { files, broker: { SIM_SERVER_TIME_ZONE: 'UTC' } },
      { streams: streamsOf({ main: 'EURUSD@D1' }) },
    );
    expect(logs.map(({ message }) => message)).toEqual(days.slice(0, 2).map((day) => `${Date.parse(day)},${ohlc}`));
  });

  it('has a place beside the minutes of the same symbol', () => {
    const target = folder();
    expect(imported(plain, { folder: target }).files.map((file) => basename(file))).toContain('eurusd-m1-bid.csv');
    imported(yahoo, { folder: target });
    expect(() => imported(yahoo, { folder: target })).toThrow('eurusd-d1-bid.csv exists');
  });

  it('is refused if its bars have the length of no timeframe', () => {
    const rows = Array.from({ length: 12 }, (_, at) => `${Date.UTC(2024, 0, 9) + at * 5_400_000},${ohlc}`);
    expect(() => imported(['time,open,high,low,close', ...rows].join('\n'))).toThrow('its bars are 90 minutes apart');
  });
});

describe('the hour that a clock shows twice', () => {
  const rows = (hours: readonly string[]): string =>
    ['time,open,high,low,close', ...hours.map((time) => `2024-10-27 ${time},1,1,1,1`)].join('\n');
  const both = rows(['02:59', '03:00', '03:01', '03:59', '03:00', '03:01', '03:59', '04:00']);
  const once = rows(['02:59', '03:00', '03:01', '04:00', '04:01']);
  const athens = (content: string, repeatedHour?: ImportOrder['repeatedHour']) =>
    imported(content, { zone: 'Europe/Athens', ...(repeatedHour && { repeatedHour }) });
  const timesOf = ({ files }: ReturnType<typeof athens>): string[] => rowsOf(files[0]).map((row) => row.slice(11, 16));

  it('is refused unless --repeated-hour states what it is', () => {
    expect(() => athens(both)).toThrow(
      'line 3: 2024-10-27 03:00 occurs twice in Europe/Athens: the clock was set back: see --repeated-hour',
    );
    expect(timesOf(athens(both, 'by-order'))).toEqual([
      ...['23:59', '00:00', '00:01', '00:59', '01:00', '01:01', '01:59', '02:00'],
    ]);
    expect(timesOf(athens(once, 'first'))).toEqual(['23:59', '00:00', '00:01', '02:00', '02:01']);
    expect(timesOf(athens(once, 'second'))).toEqual(['23:59', '01:00', '01:01', '02:00', '02:01']);
    const skipped = athens(both.replace('04:00', '04:00,1,1,1,1\n2024-10-27 04:01'), 'skip');
    expect(timesOf(skipped)).toEqual(['23:59', '02:00', '02:01']);
    expect(skipped.notes).toEqual(['some.csv: left out 6 rows in an hour that Europe/Athens repeats or skips']);
    expect(() => athens(both, 'first')).toThrow('line 6: its time is before that of the bar before');
  });

  it('is the same for an hour that the clock leaves out', () => {
    const spring = ['time,open,high,low,close', '2024-03-31 02:59,1,1,1,1', '2024-03-31 03:00,1,1,1,1'];
    const text = [...spring, '2024-03-31 05:00,1,1,1,1', '2024-03-31 05:01,1,1,1,1'].join('\n');
    expect(() => athens(text)).toThrow(
      'line 3: 2024-03-31 03:00 does not exist in Europe/Athens: the clock was set forward: see --repeated-hour',
    );
    expect(timesOf(athens(text, 'first'))).toEqual(['00:59', '01:00', '02:00', '02:01']);
    expect(timesOf(athens(text, 'by-order'))).toEqual(['00:59', '01:00', '02:00', '02:01']);
    expect(timesOf(athens(text, 'skip'))).toEqual(['00:59', '02:00', '02:01']);
  });

  it('cannot be told by the order of rows that --sort puts into another one', () => {
    expect(() => imported(both, { zone: 'Europe/Athens', repeatedHour: 'by-order', isUnsorted: true })).toThrow(
      '--repeated-hour by-order needs the rows in their order: omit --sort',
    );
  });
});
