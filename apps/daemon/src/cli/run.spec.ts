import { commandNames, run } from './run';
import { usage } from './usage';

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
    expect(usage).toContain(await printed(`${name} --help`));
    expect((await printed(`${name} -h`)).match(/^ {2}daemon /gm)).toHaveLength(1);
  });
});
