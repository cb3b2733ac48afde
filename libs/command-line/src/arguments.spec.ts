import { parseArguments, UsageError } from './arguments';
import { duration, table } from './table';

const flags = {
  config: 'text',
  'control-port': 'port',
  json: 'switch',
  follow: 'switch',
  lines: { upTo: 10_000 },
} as const;

describe('the command line', () => {
  it('takes values behind a blank or an equals sign, switches and words', () => {
    expect(parseArguments(['a', '--config', 'x.yaml', '--control-port=0', '--json', 'b'], flags, ['A', 'B'])).toEqual({
      flags: { config: 'x.yaml', 'control-port': 0, json: true },
      words: ['a', 'b'],
    });
  });

  it('takes a flag twice if it says the same', () => {
    expect(parseArguments(['--json', '--lines', '5', '--json', '--lines=05'], flags).flags).toEqual({
      json: true,
      lines: 5,
    });
  });

  it('takes everything after -- as words', () => {
    expect(parseArguments(['--json', '--', '--1st'], flags, ['NAME'])).toEqual({
      flags: { json: true },
      words: ['--1st'],
    });
  });

  it.each([[''], [' ']])('refuses the word "%s", which a variable that is not set leaves', (word) => {
    expect(() => parseArguments([word], flags, ['KEY'])).toThrow('KEY is empty');
    expect(() => parseArguments(['a', word], flags, ['UNIT', '[HOST]'])).toThrow('HOST is empty');
    expect(() => parseArguments([word], flags, null)).toThrow('argument 1 is empty');
  });

  it.each([
    [['--confg', 'x'], 'unknown flag --confg; did you mean --config?'],
    [['-x'], 'unknown flag -x; known are --config, --control-port, --json, --follow, --lines'],
    [['-follow'], 'unknown flag -follow; did you mean --follow?'],
    [['-1'], 'unknown flag -1'],
    [['extra'], 'unexpected argument extra: the command takes flags only'],
    [['jsno'], 'unexpected argument jsno: the command takes flags only; did you mean --json?'],
    [['--lines', '10001'], '--lines must be an integer, 0 to 10000, not 10001'],
    [['--config', '--json'], '--config needs a value'],
    [['--config'], '--config needs a value'],
    [['--config', ''], '--config needs a value, and it is empty'],
    [['--config= '], '--config needs a value, and it is empty'],
    [['--control-port', ''], '--control-port needs a value, and it is empty'],
    [['--control-port', 'http'], '--control-port must be an integer, 0 to 65535, not http'],
    [['--control-port=65536'], '--control-port must be an integer'],
    [['--json=yes'], '--json takes no value'],
    [['--lines', '5', '--lines=6'], '--lines is given twice, as 5 and 6'],
    [['--config', 'a', '--json', '--config', 'b'], '--config is given twice, as a and b'],
    [['--__proto__', '1'], 'unknown flag --__proto__'],
    [['--toString', '1'], 'unknown flag --toString'],
  ])('refuses %j', (args, problem) => {
    expect(() => parseArguments(args, flags)).toThrow(UsageError);
    expect(() => parseArguments(args, flags)).toThrow(problem);
  });
});

describe('a command without flags', () => {
  it('refuses one without the advice of another', () => {
    const refused = (): unknown => parseArguments(['--json'], {}, ['UNIT']);
    expect(refused).toThrow(/^unknown flag --json: the command takes no flags$/);
    expect(() => parseArguments(['json', 'more'], {}, ['UNIT'])).toThrow(
      /^unexpected argument more: the command takes UNIT$/,
    );
  });
});

describe('a short flag', () => {
  it('stands for its long one', () => {
    expect(parseArguments(['-f', 'ema'], flags, ['NAME'], { f: 'follow' })).toEqual({
      flags: { follow: true },
      words: ['ema'],
    });
  });
});

describe('an argument too many', () => {
  it('is named with those that the command takes', () => {
    expect(() => parseArguments(['ema', 'extra'], flags, ['NAME'])).toThrow(
      'unexpected argument extra: the command takes NAME',
    );
  });
});

describe('a table', () => {
  it('is as wide as its cells', () => {
    expect(
      table(
        ['NAME', 'P'],
        [
          ['ema', 1.5],
          ['long-name', null],
        ],
      ),
    ).toBe('NAME       P\nema        1.50\nlong-name  -');
    expect(table(['A', 'B'], [['of two\n    lines', 'b']])).toBe('A             B\nof two lines  b');
    expect([duration(12_000), duration(185_000), duration(11_100_000)]).toEqual(['12s', '3m 05s', '3h 05m']);
  });
});
