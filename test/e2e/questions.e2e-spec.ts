import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { terminalPicture } from './console/console-browser';
import { LauncherProgram } from './programs/launcher-program';
import { shellBlocks, textOf } from './programs/pages';
import { Scratch } from './programs/scratch';
import { bareEnvironment, repository } from './programs/started-program';
import { waitUntil } from './programs/waits';

const folder = 'docs/questions';
/** A refused request fails the shell; an answer ends its line. */
const prelude = `curl() { command curl --fail-with-body -w '\\n' "$@"; }`;
/** What the commands of each page print, in this order. */
const printed: Readonly<Record<string, readonly RegExp[]>> = {
  'network-dies.md': [/"key":"my-lost-order",.*"status":"void"/, /"status":"void"/],
  'gateway-killed.md': [/^outcomes +ok/m, /no differences from the journal/],
  'unknown-outcome.md': [/EURUSD/, /"magic":7,.*"unresolved":\[\]/],
  'believe-the-account.md': [
    /^account data +explained/m,
    /"account_evidence":\{"state":"explained"/,
    /nothing to accept/,
  ],
  'not-ready.md': [/^status +ready/m, /"status":"ready"/],
  'two-on-one-account.md': [/"data":\[\{"ticket":.*"total":\d/, /"data":\[\],"total":0/, /"magic":7,"positions":\[\{/],
  'change-the-key.md': [/^[\w+/]{32}$/m, /"client_order_id":"my-first-order".*"api_key":"primary"/, /"api_key":"full"/],
  'upgrade.md': [/^status +ready/m, /^books +ok/m],
  'stop-everything.md': [/"kill_switch_active":true/, /"flatten":\{.*"failed":\[\]/, /trading resumes/],
};

/** The pages are followed by somebody who ran `npm start` and the commands of the README, and set nothing. */
describe('the commands of the pages that answer a question, in the shell of the README', () => {
  const scratch = new Scratch();
  let home: string;
  let launcher: LauncherProgram;
  let firstAnswer: string;
  const start = async (): Promise<LauncherProgram> => {
    const args = ['--data-dir', join(home, '.data')];
    return (await LauncherProgram.start(scratch, { args, env: { SIM_HOURS: 'always' } })).started();
  };
  beforeAll(async () => {
    home = scratch.folder();
    for (const name of ['dist', 'node_modules', 'package.json', 'strategies'])
      symlinkSync(join(repository, name), join(home, name));
    mkdirSync(join(home, 'backups'));
    launcher = await start();
    firstAnswer = outputOf([withHeaders(firstOrder())]);
  });
  afterAll(() => scratch.clear());

  const withHeaders = (block: string): string => block.replace('curl -s', 'curl -si');
  const firstOrder = (): string => shellBlocks('README.md').find((block) => block.includes('my-first-order')) ?? '';

  /** What the commands print. They run as they are, but for the port. */
  function outputOf(blocks: readonly string[]): string {
    const script = [prelude, ...blocks].join('\n').replaceAll('127.0.0.1:5001', `127.0.0.1:${launcher.port}`);
    const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
      ...{ cwd: home, encoding: 'utf8', timeout: 60_000, env: bareEnvironment() },
    });
    if (status !== 0 || stderr !== '') throw new Error(`${script}\nended with ${status}:\n${stdout}\n${stderr}`);
    return stdout;
  }

  it('sends the order of the README again: one answer and one position, as its picture shows', async () => {
    const again = outputOf([withHeaders(firstOrder())]);
    const [address = '', sent = ''] = firstOrder().split(/\n\n(?=curl)/);
    const count = 'curl -s "$GATEWAY/get_positions?magic=7" -H "$AUTH"';
    const positions = outputOf([address, count]);
    expect(positions).toMatch(/"total":1\b/);
    expect(firstAnswer).not.toMatch(/^idempotent-replayed/im);
    expect(again).toMatch(/^idempotent-replayed: true/im);
    const bodyOf = (answer: string): string => answer.slice(answer.indexOf('{'));
    expect(bodyOf(again)).toBe(bodyOf(firstAnswer));
    const shown = withHeaders(sent);
    await terminalPicture('one-order', [
      [shown, firstAnswer],
      [shown, again],
      [`${count} | grep -o '"total":[0-9]*'`, /"total":\d+/.exec(positions)?.[0] ?? ''],
    ]);
  });

  it.each(Object.entries(printed))(`${folder}/%s`, (page, lines) => {
    let rest = outputOf(shellBlocks(join(folder, page)));
    for (const line of lines) {
      expect(rest).toMatch(line);
      rest = rest.slice(rest.search(line) + 1);
    }
  });

  it(`${folder}/stop-everything.md: the file alone halts trading, at the path that the product prints`, async () => {
    const touch = shellBlocks(join(folder, 'stop-everything.md')).find((block) => block.startsWith('touch')) ?? '';
    expect(outputOf([touch])).toBe('');
    const health =
      shellBlocks(join(folder, 'change-the-key.md'))
        .at(-1)
        ?.replace(/ \| grep.*/, '') ?? '';
    const halted = await waitUntil(
      'the halt',
      async () => Promise.resolve(outputOf([health])),
      (text) => text.includes('"kill_switch_active":true'),
    );
    expect(halted).toContain('"kill_switch_active":true');
    expect(launcher.shown('Halt')).toBe(join(home, '.data/gateway/kill-switch'));
    const release = shellBlocks(join(folder, 'stop-everything.md')).at(-1) ?? '';
    outputOf([shellBlocks(join(folder, 'not-ready.md'))[0]?.split('\n')[0] ?? '', release]);
  });

  it(`${folder}/backup-and-restore.md`, async () => {
    const [create = '', restore = '', accept = ''] = shellBlocks(join(folder, 'backup-and-restore.md'));
    expect(outputOf([create])).toContain('2 files');
    await launcher.program.stop();
    const settings = create.split('\n').slice(0, 4).join('\n');
    expect(outputOf([settings, restore])).toContain('restored the backup');
    launcher = await start();
    const order = firstOrder().replace('my-first-order', 'after-the-restore');
    expect(outputOf([`(${order}) || true`])).toContain('journal_lost');
    expect(outputOf([settings, accept])).toContain('"ok":true');
    expect(outputOf([firstOrder().replace('my-first-order', 'accepted')])).toContain('"ok":true');
  });

  it('leave files that only their owner can read, as SECURITY.md says', () => {
    const files = readdirSync(home, { recursive: true, encoding: 'utf8' });
    expect(files).toEqual(
      expect.arrayContaining(['.data/gateway/order-audit.jsonl', '.data/gateway/state/trade-journal/data.mdb']),
    );
    const own = files.filter((file) => /^(\.data\/gateway|backups)\//.test(file));
    expect(own.filter((file) => (statSync(join(home, file)).mode & 0o077) !== 0)).toEqual([]);
  });

  it('are tested on every page, and none is left out but the one with a KEY to fill in', () => {
    const tested = [...Object.keys(printed), 'backup-and-restore.md'];
    expect(readdirSync(join(repository, folder)).sort()).toEqual(tested.sort());
    const fences = /^ *```(\w*)\n(.*?)^ *```$/gms;
    const unmarked = tested.flatMap((page) =>
      [...textOf(join(folder, page)).matchAll(fences)]
        .filter(([, language]) => language === '')
        .map(([, , code]) => code),
    );
    const commands = unmarked.filter((code = '') => /^ *(curl|gateway|touch|node|npm) -?\w/.test(code));
    expect(commands).toEqual([expect.stringContaining('/KEY/accept')]);
  });
});
