import { Terminal } from './terminal.mjs';

/** What a program prints when it is ready, by the command that starts it. */
const ready = [
  { command: /^npm start$/m, line: /Ctrl-C ends both/ },
  { command: /apps\/daemon\/src\/main\.js start /, line: /"state":"running","msg":"strategy deployed"/ },
];
/**
 * A refused request ends the shell: curl alone reports it in its answer only. An answer ends its line.
 */
const prelude = `set -euo pipefail
shopt -s inherit_errexit
curl() { command curl --fail-with-body -w '\\n' "$@"; }
`;

/**
 * Runs the commands as a reader does: programs in terminals of their own, everything else one after the other in one shell.
 * Ends every program by Ctrl-C. `report` is called for each milestone, with the seconds since the first command.
 * @throws Error naming the page and the command that failed, or the milestone that no command reached
 */
export async function follow(commands, milestones, { user, folder, env, report }) {
  const surroundings = { prefix: user.prefix, cwd: folder, env: { ...user.env, ...env } };
  const startedMs = performance.now();
  const shell = new Terminal('bash --norc', surroundings);
  const programs = [];
  const waiting = [...milestones];
  try {
    await shell.run(prelude);
    for (const { page, text, isServer } of commands) {
      const output = await outcomeOf(page, text, () =>
        isServer ? startProgram(text, surroundings, programs) : shell.run(text),
      );
      if (!waiting[0]?.command.test(text)) continue;
      const { name, prints } = waiting.shift();
      if (!prints.test(output))
        throw new Error(`${page}: "${name}" does not show in the output of\n${text}\n${output}`);
      report(name, (performance.now() - startedMs) / 1_000);
    }
    for (const program of programs.splice(0).reverse()) await endByCtrlC(program);
  } finally {
    await Promise.all([shell, ...programs].map((terminal) => terminal.kill()));
  }
  if (waiting.length > 0) throw new Error(`no command of the pages leads to "${waiting[0].name}"`);
}

async function startProgram(text, surroundings, programs) {
  const { line } = ready.find(({ command }) => command.test(text)) ?? {};
  if (!line) throw new Error('it is not known what this program prints when it is ready');
  const program = new Terminal(text.trim(), surroundings);
  programs.push(program);
  return program.prints(line);
}

async function endByCtrlC(program) {
  const code = await program.interrupt();
  if (code !== 0) throw new Error(`ended with ${code} after Ctrl-C:\n${program.command}\n${program.output}`);
}

async function outcomeOf(page, text, run) {
  try {
    return await run();
  } catch (error) {
    throw new Error(`${page}: this failed\n${text}\n${error.message}`);
  }
}
