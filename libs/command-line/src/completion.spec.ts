import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
    {
      ...{ name: 'hold', purpose: 'wait', wordsFrom: 'echo trend mean' },
      flags: [{ name: 'level', value: ['debug', 'info'] }],
    },
  ],
  words: { completion: shells, help: [], data: ['check', 'pull'] },
};
const isInstalled = (shell: Shell): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;

/** Runs the script in its shell, and what follows it. */
function ran(shell: Shell, after: string): string {
  const script = completionScript(shell, program);
  const { stdout, stderr, status } = spawnSync(shell, ['-c', `${script}\n${after}`], { encoding: 'utf8' });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return stdout;
}

/** What a shell offers for the last word of a line. zsh states that only at a prompt. */
const offers: Readonly<Record<Exclude<Shell, 'zsh'>, (line: string) => string[]>> = {
  bash: (line) => {
    const words = line.split(' ');
    const quoted = words.map((word) => `'${word}'`).join(' ');
    const ask = `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _tool; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return ran('bash', ask).trim().split('\n');
  },
  fish: (line) =>
    ran('fish', `complete -C '${line}'`)
      .trim()
      .split('\n')
      .map((offer) => offer.split('\t', 1)[0] ?? ''),
};

/** Types lines at a prompt of zsh, each followed by the tabulator key. @returns the arguments that the program receives */
function typedInZsh(lines: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'completion-'));
  try {
    const echo = '() { print -r -- "[typed" "$*]" }';
    const script = `${completionScript('zsh', program)}\ntool${echo}\nmy-tool${echo}\n`;
    writeFileSync(join(folder, 'script'), script);
    const type = lines.map(
      (line) => `zpty -w -n shell '${line}'$'\\t\\n'
        zpty -r shell out '*\\[typed *\\]*' && print -r -- "\${\${out##*\\[typed }%%\\]*}"`,
    );
    const drive = ['zmodload zsh/zpty', 'zpty shell zsh -f -i', 'zpty -w shell "source ./script"', ...type].join('\n');
    const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', drive], {
      encoding: 'utf8',
      cwd: folder,
      timeout: 20_000,
    });
    expect(stderr).toBe('');
    return stdout.trim().split('\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const offered = {
  lines: ['tool h', 'tool hal', 'tool halt --', 'tool completion ', 'tool data ', 'tool hold t', 'tool hold --level '],
  completed: [
    'halt help hold',
    'halt',
    '--json --reason --state-dir',
    'bash fish zsh',
    'check pull',
    'trend',
    'debug info',
  ],
};
const typed = {
  lines: ['tool hal', 'tool halt --js', 'tool halt --r', 'my-tool comp', 'tool completion z'],
  completed: ['halt', 'halt --json', 'halt --reason', 'completion', 'completion zsh'],
};

describe('the completion of a program', () => {
  it('is tried in bash on every machine', () => {
    expect(isInstalled('bash')).toBe(true);
  });

  for (const shell of shells) {
    // CI installs all of them; elsewhere, a shell that is missing is listed as not run.
    const describeInShell = isInstalled(shell) || process.env.CI ? describe : describe.skip;
    describeInShell(`in ${shell}`, () => {
      it('completes commands and flags', () => {
        const { lines, completed } = shell === 'zsh' ? typed : offered;
        expect(shell === 'zsh' ? typedInZsh(lines) : lines.map((line) => offers[shell](line).sort().join(' '))).toEqual(
          completed,
        );
      });
    });
  }

  it.each(shells)('is for every name of the program in %s', (shell) => {
    expect(completionScript(shell, program)).toMatch(/complete .*my-tool/);
  });
});
