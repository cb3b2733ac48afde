import { spawnSync } from 'node:child_process';
import { completionScript, shells, type CompletedProgram, type Shell } from './completion';

const program: CompletedProgram = {
  names: ['tool', 'my-tool'],
  commands: [
    {
      ...{ name: 'halt', purpose: "stop a strategy's entries" },
      flags: [
        { name: 'reason', value: 'text' },
        { name: 'state-dir', value: 'file' },
        { name: 'json', value: 'none' },
      ],
    },
    { name: 'hold', purpose: 'wait', flags: [] },
  ],
  words: ['completion', 'help'],
};
const hasProgram = (name: string): boolean => spawnSync(name, ['-c', 'exit 0']).status === 0;
const installed = shells.filter(hasProgram);

/** Runs the script in its shell, and what follows it. */
function ran(shell: Shell, after: string): string {
  const script = completionScript(shell, program);
  const { stdout, stderr, status } = spawnSync(shell, ['-c', `${script}\n${after}`], { encoding: 'utf8' });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return stdout;
}

/** What a shell offers for the last word of a line. */
const offers: Readonly<Record<Shell, (line: string) => string[]>> = {
  bash: (line) => {
    const words = line.split(' ');
    const quoted = words.map((word) => `'${word}'`).join(' ');
    const ask = `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _tool; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return ran('bash', ask).trim().split('\n');
  },
  // zsh completes only at a prompt: the functions of bash are loaded, and asked as bashcompinit asks them.
  zsh: (line) => {
    const words = line.split(' ');
    const quoted = words.map((word) => `'${word}'`).join(' ');
    const ask = `emulate sh; setopt kshglob; COMP_WORDS=(${quoted}); setopt ksharrays; COMP_CWORD=${words.length - 1}`;
    return ran('zsh', `${ask}; _tool; printf '%s\\n' "\${COMPREPLY[@]}"`).trim().split('\n');
  },
  fish: (line) =>
    ran('fish', `complete -C '${line}'`)
      .trim()
      .split('\n')
      .map((offer) => offer.split('\t', 1)[0] ?? ''),
};

describe('the completion of a program', () => {
  it('is tried in each shell that this machine has, bash among them', () => {
    expect(installed).toContain('bash');
  });

  it.each(installed)('offers commands and flags in %s', (shell) => {
    expect(offers[shell]('tool h').sort()).toEqual(['halt', 'help', 'hold']);
    expect(offers[shell]('my-tool hal'.replace('my-', ''))).toEqual(['halt']);
    expect(offers[shell]('tool halt --').sort()).toEqual(['--json', '--reason', '--state-dir']);
    expect(offers[shell]('tool completion ').sort()).toEqual(['bash', 'fish', 'zsh']);
  });

  it.each(shells)('is for every name of the program in %s', (shell) => {
    expect(completionScript(shell, program)).toMatch(/complete .*my-tool/);
  });
});
