import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shells, UsageError } from '@libs/command-line';
import { version } from '../../../../package.json';
import { daemonFileSchema } from '../daemon-file/read-daemon-file';
import { argumentsOf, commands, type Command } from './commands';
import { commandNames, run } from './run';
import { commandUsage, usage } from './usage';

async function printed(line: string): Promise<string> {
  const texts: string[] = [];
  expect(await run(line.split(' '), (text) => texts.push(text))).toBe(0);
  return texts.join('');
}

describe('the help of the daemon', () => {
  it.each(['--help', '-h', 'help'])('is printed for %s', async (line) => {
    expect(await printed(line)).toBe(usage);
  });

  it.each(commandNames)('describes the command %s, and only that one when it is given', async (name) => {
    expect(usage).toMatch(new RegExp(`^ {2}daemon \\[?${name}\\b`, 'm'));
    const own = await printed(`${name} --help`);
    expect(usage).toContain(own);
    expect(await printed(`help ${name}`)).toBe(own);
    expect((await printed(`${name} -h`)).match(/^ {2}daemon /gm)).toHaveLength(1);
  });
});

describe('each flag of a command', () => {
  const table: Readonly<Record<string, Command>> = commands;
  const all = Object.entries(table).flatMap(([name, { flags, subcommands = {} }]) => [
    ...Object.keys(flags).map((flag) => [name, flag] as const),
    ...Object.values(subcommands).flatMap((one) => Object.keys(one.flags).map((flag) => [name, flag] as const)),
  ]);

  it.each(all)('of %s, --%s, is in its help', (name, flag) => {
    expect(commandUsage[name]).toMatch(new RegExp(`--${flag}\\b`));
  });

  it('is read as its value says', () => {
    const { flags, words } = argumentsOf(commands.logs, ['main', '-f', '--lines', '5', '--control-host', 'h']);
    expect([flags, words]).toEqual([{ follow: true, lines: 5, 'control-host': 'h' }, ['main']]);
    expect(() => argumentsOf(commands.halt, ['main', '--reson', 'x'])).toThrow('--reason');
    expect(() => argumentsOf(commands.move, ['unit', 'host', 'more'])).toThrow('more');
  });

  it('is described once: another command refers to it', () => {
    expect(commandUsage.report).toMatch(/--days, --from, --to, --config, --state-dir\n +as for trades$/m);
    expect(commandUsage.optimize).not.toContain('symbol of the stream main');
  });
});

describe('the version of the daemon', () => {
  it.each(['--version', '-v', 'version'])('is printed for %s', async (line) => {
    expect(await printed(line)).toBe(`${version}\n`);
  });
});

describe('a command that fails before its report', () => {
  const folder = mkdtempSync(join(tmpdir(), 'failed-reports-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const lines = [
    ['backtest', 'backtest missing.ts --data missing.csv', ['html', 'out', 'csv']],
    ['optimize', 'optimize missing.ts --data missing.csv --grid length=1,2', ['html', 'csv']],
    ['report', 'report nothing --config missing.yaml', ['html', 'out', 'csv']],
    ['trades', 'trades nothing --config missing.yaml', ['csv']],
    ['data spec', 'data spec demo:EURUSD --config missing.yaml', ['out']],
  ] as const;

  it.each(lines)('%s, leaves no file, and an older one as it was', async (_name, line, flags) => {
    for (const flag of flags) {
      const [fresh, kept] = [join(folder, `new-${flag}`), join(folder, `old-${flag}`)];
      writeFileSync(kept, 'older report');
      for (const path of [fresh, kept])
        await expect(run([...line.split(' '), `--${flag}`, path], () => undefined)).rejects.toThrow(Error);
      expect([existsSync(fresh), readFileSync(kept, 'utf8')]).toEqual([false, 'older report']);
    }
  });
});

describe('the reports of a command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'reports-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const input = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const strategy = input(
    'idle.ts',
    `import { defineStrategy } from '@libs/strategy';
     export default defineStrategy({ version: 1, params: class {}, streams: ['main'], create: () => ({}) });`,
  );
  const row = (minute: number): string => `2024-01-09 00:0${minute}:00+00:00,1.1,1.1001,1.0999,1.1`;
  const bids = input('eurusd-bid.csv', ['timestamp,open,high,low,close', ...[0, 1, 2].map(row), ''].join('\n'));
  const config = input('daemon.yaml', 'gateways: {}\n');
  const sets = input('sets.jsonl', '{}\n');
  const given = `${strategy} --data ${bids} --spread 10`;

  it.each([
    ['backtest', `backtest ${given} --csv`, bids],
    ['backtest, by another name,', `backtest ${given} --csv`, join(folder, '.', 'link.csv')],
    ['backtest', `backtest ${given} --html`, strategy],
    ['backtest', `backtest ${given} --symbols ${sets} --out`, sets],
    ['backtest', `backtest --config ${config} --data ${bids} --out`, config],
    ['optimize', `optimize ${given} --grid length=1|2 --html`, bids],
    ['optimize', `optimize ${given} --sets ${sets} --csv`, sets],
    ['optimize', `optimize ${given} --grid length=1|2 --results`, bids],
    ['report', `report main --config ${config} --html`, config],
    ['trades', `trades main --config ${config} --csv`, config],
    ['data spec', `data spec demo:EURUSD --config ${config} --out`, config],
  ])('%s replace none of its inputs', async (_name, line, path) => {
    rmSync(join(folder, 'link.csv'), { force: true });
    symlinkSync(bids, join(folder, 'link.csv'));
    const before = readFileSync(path, 'utf8');
    await expect(run([...line.split(' '), path], () => undefined)).rejects.toThrow(
      new UsageError(`${line.split(' ').at(-1) ?? ''} ${path} is a file that this command reads: name another one`),
    );
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it('are each in a file of its own', async () => {
    const path = join(folder, 'both');
    await expect(run([...`backtest ${given} --html`.split(' '), path, '--csv', path], () => undefined)).rejects.toThrow(
      new UsageError(`--html and --csv name the same file, ${path}`),
    );
  });

  it('are named where they cannot be written after all', async () => {
    await expect(run([...`backtest ${given} --out`.split(' '), '/dev/full'], () => undefined)).rejects.toThrow(
      /^--out \/dev\/full cannot be written: .*no space left on device/,
    );
  });
});

it('names no flag of another command for a file that apply does not find', async () => {
  await expect(run(['apply', '/nowhere.yaml'], () => undefined)).rejects.toThrow(/nowhere\.yaml.*file not found$/s);
});

it('prints the JSON Schema of its configuration file', async () => {
  expect(JSON.parse(await printed('schema'))).toEqual(daemonFileSchema());
});

describe('the completion of the daemon', () => {
  it.each(shells)('names every command and every flag of the help to %s', async (shell) => {
    const script = await printed(`completion ${shell}`);
    for (const name of commandNames) expect(script).toMatch(new RegExp(`\\b${name}\\b`));
    for (const [, flag = ''] of usage.matchAll(/--([a-z][a-z-]*)/g))
      expect(script).toMatch(new RegExp(`(--|-l )${flag}\\b`));
  });

  it('knows which flags have a value, and which a file', async () => {
    const script = await printed('completion fish');
    expect(script).toContain("complete -c daemon -n '__fish_seen_subcommand_from halt' -l reason -x\n");
    expect(script).toContain("complete -c daemon -n '__fish_seen_subcommand_from trades' -l csv -r -F\n");
    expect(script).toContain("complete -c daemon -n '__fish_seen_subcommand_from check' -l online\n");
    expect(script).toContain(
      "complete -c daemon -n __fish_use_subcommand -a resume -d 'end the halt of a strategy or portfolio'",
    );
  });

  it('offers the values of flags that have a few, the words of commands, and the names of what is deployed', async () => {
    const script = await printed('completion bash');
    for (const value of ['M15', 'sharpe', 'warning', 'through']) expect(script).toMatch(new RegExp(`\\b${value}\\b`));
    for (const word of ['import', 'pull', 'dump', 'zsh']) expect(script).toMatch(new RegExp(`\\b${word}\\b`));
    expect(script).toContain('daemon list --json');
  });

  it.each(['completion', 'completion csh'])('refuses %s', async (line) => {
    await expect(printed(line)).rejects.toThrow('completion needs a shell: bash, zsh, fish');
  });
});
