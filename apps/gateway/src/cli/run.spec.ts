import { version } from '../../../../package.json';
import { shells, UsageError } from '@libs/command-line';
import { commands, flagsOf } from './commands';
import { run } from './run';
import { usage } from './usage';

async function printed(line: string): Promise<string> {
  const texts: string[] = [];
  const edge = { out: (text: string) => void texts.push(text), err: () => undefined, env: {} };
  expect(await run(line.split(' '), { ...edge, signal: new AbortController().signal })).toBe(0);
  return texts.join('\n');
}

describe('the command line of the gateway', () => {
  it.each(['--help', '-h', 'help', 'help me'])('prints its help for %s', async (line) => {
    expect(await printed(line)).toBe(usage.trimEnd());
  });

  it.each(Object.keys(commands))('explains the command %s, and each of its flags', async (name) => {
    const own = await printed(`${name} --help`);
    expect(await printed(`help ${name}`)).toBe(own);
    expect(usage).toContain(own.split('\n')[0]);
    for (const flag of ['url', 'key-file', 'json']) expect(own).toContain(`--${flag} `);
    expect(own).toMatch(new RegExp(`^ {2}gateway ${name}\\b`));
    for (const flag of Object.keys(commands[name]?.flags ?? {})) expect(own).toContain(`--${flag} `);
  });

  it.each(['--version', '-v', 'version'])('prints its version for %s', async (line) => {
    expect(await printed(line)).toBe(version);
  });

  it('separates each command from its purpose', () => {
    for (const { purpose } of Object.values(commands)) expect(usage).toMatch(new RegExp(`\\s${purpose}`));
  });

  it.each([
    ['nosuch', 'unknown command nosuch; known are status, account, equity'],
    ['statsu', 'unknown command statsu; did you mean status?'],
    ['--url http://x', 'flags follow a command'],
    ['status now', 'unexpected argument now'],
    ['status --magic 7', 'unknown flag --magic'],
    ['positions --magic x', '--magic must be an integer'],
    ['reconcile --hours 745', '--hours must be an integer, 0 to 744'],
    ['completion', 'completion needs a shell: bash, zsh, fish'],
    ['completion csh', 'completion needs a shell'],
    ['constructor', 'unknown command constructor'],
  ])('refuses %s', async (line, problem) => {
    await expect(printed(line)).rejects.toThrow(UsageError);
    await expect(printed(line)).rejects.toThrow(problem);
  });

  it('offers the words of commands to a shell', async () => {
    const script = await printed('completion bash');
    for (const word of ['retry', 'drop', 'verify', 'restore', 'fish', 'signals'])
      expect(script).toMatch(new RegExp(`\\b${word}\\b`));
  });

  it.each(shells)('names every command and flag to %s', async (shell) => {
    const script = await printed(`completion ${shell}`);
    for (const [name, command] of Object.entries(commands)) {
      expect(script).toContain(name);
      for (const flag of flagsOf(command)) expect(script).toMatch(new RegExp(`(--|-l )${flag}\\b`));
    }
  });
});
