import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { Scratch } from '../e2e/programs/scratch';
import { bareEnvironment, repository, StartedProgram } from '../e2e/programs/started-program';
import { waitUntil } from '../e2e/programs/waits';
import { earlierVersions, git, sourcesOf, type EarlierVersion } from './earlier-versions';

/** The program of a version, built from its commit with the packages of its own lock file. */
function builtFrom(tag: EarlierVersion, folder: string): string {
  const source = join(folder, tag);
  mkdirSync(source);
  const steps = [
    spawnSync('tar', ['-x', '-C', source], { input: sourcesOf(tag, repository) }),
    spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], { cwd: source }),
    spawnSync('npm', ['run', '--silent', 'build'], { cwd: source }),
  ];
  const failed = steps.find(({ status }) => status !== 0);
  if (failed) throw new Error(`${tag}: ${String(failed.stdout)}${String(failed.stderr)}`);
  return join(source, 'dist/apps/gateway/src/main.js');
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A question whose answer has to stay the same over an upgrade. */
interface Question {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const order = { symbol: 'EURUSD', volume: 0.01, type: 'BUY', magic: 7 };
const isDefinite = (status: number): boolean => status === 200 || status === 422;

/** A client that repeats each request under its key until it has a definite answer, across the versions. */
class Client {
  readonly answers = new Map<string, string>();
  private isStopped = false;

  constructor(private readonly url: string) {}

  async trade(): Promise<void> {
    for (let number = 0; !this.isStopped; number += 1) {
      const key = `upgrade-${number}`;
      this.answers.set(key, await this.send(key));
    }
  }

  stop(): void {
    this.isStopped = true;
  }

  /** How many of its orders were executed. An order that a kill kept from the broker is answered as refused. */
  get executed(): number {
    return [...this.answers.values()].filter((text) => text.startsWith('{"ok":true')).length;
  }

  send(key: string): Promise<string> {
    const once = async (): Promise<string> => {
      const { status, text } = await this.call(orderUnder(key));
      return isDefinite(status) ? text : '';
    };
    return waitUntil(`an answer to ${key}`, once, (text) => text !== '');
  }

  /** What an answer promises: its status, the type of its error, and the token of a fence. */
  async ask(question: Question): Promise<object> {
    const { status, text } = await this.call(question);
    const { error_type = null, token = null } = JSON.parse(text) as { error_type?: string; token?: number };
    return { status, error_type, token };
  }

  async read<Answer>(path: string): Promise<Answer> {
    const body: Answer = JSON.parse((await this.call({ method: 'GET', path })).text);
    return body;
  }

  /** A connection that broke is an answer of status 0. */
  private async call({ method, path, body, headers = {} }: Question): Promise<{ status: number; text: string }> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const all = { authorization: 'Bearer upgrade', ...type, ...headers };
    const answer = await fetch(`${this.url}${path}`, { method, headers: all, ...sent }).catch(() => null);
    const text = (await answer?.text().catch(() => null)) ?? null;
    return answer === null || text === null ? { status: 0, text: '' } : { status: answer.status, text };
  }
}

function orderUnder(key: string, more: { readonly fence?: string; readonly magic?: number } = {}): Question {
  const { fence, magic = order.magic } = more;
  const headers = { 'idempotency-key': key, ...(fence === undefined ? {} : { 'x-fence': fence }) };
  return { method: 'POST', path: '/order', body: { ...order, magic }, headers };
}

const raise = (token: number): Question => ({
  ...{ method: 'PUT', path: '/fences/trend', body: { token, magics: [7001] } },
});

/** Fences out a holder and makes a key void. Returns what has to be refused from then on, and what has to be stated. */
async function leaveFencesAndVoids(client: Client): Promise<readonly Question[]> {
  const makeVoid: Question = { method: 'PUT', path: '/trade_requests/void-1/void' };
  for (const question of [raise(7), raise(8), makeVoid]) {
    expect(await client.ask(question)).toMatchObject({ status: 200 });
  }
  return [
    ...[{ method: 'GET', path: '/fences/trend' } as const, raise(7), makeVoid, orderUnder('void-1')],
    ...[orderUnder('fenced-out', { fence: 'trend;7', magic: 7001 }), orderUnder('no-holder', { magic: 7001 })],
  ];
}

/** Version 0.1.0 has neither. */
const leaveNothing = (): Promise<readonly Question[]> => Promise.resolve([]);

/** Moments of a start, in milliseconds: before and while the state is opened, the requests are recovered, and the session begins. */
const momentsOfAStart = [80, 250, 450, 700, 1_000, 1_400, 2_000, 3_000];

describe('an upgrade from 0.1.0 over 0.2.0 to this version, on the same state', () => {
  const scratch = new Scratch();
  const programs = { this: join(repository, 'dist/apps/gateway/src/main.js'), 'v0.1.0': '', 'v0.2.0': '' };
  beforeAll(() => {
    const folder = scratch.folder();
    for (const version of earlierVersions) programs[version] = builtFrom(version, folder);
  });
  afterAll(() => scratch.clear());

  /** A state of its own, with a client, and the programs that are started on it. */
  async function newState() {
    const port = await freePort();
    const client = new Client(`http://127.0.0.1:${port}`);
    const folder = scratch.folder();
    const state = join(folder, 'state');
    mkdirSync(state);
    const account = { TERMINAL_LOGIN: '100001', TERMINAL_PASSWORD: 'simulator', TERMINAL_SERVER: 'Simulator-Demo' };
    const files = { ORDER_AUDIT_FILE: join(state, 'audit.jsonl'), KILL_SWITCH_FILE: join(state, 'kill') };
    const env = {
      ...{ ...bareEnvironment(), ...account, ...files, API_KEY: 'upgrade', TERMINAL_API_PORT: String(port) },
      ...{ STATE_DIR: state, SIM_STATE_FILE: join(state, 'account'), SIM_BALANCE: '1000000' },
    };
    const start = (version: keyof typeof programs): StartedProgram => {
      const args = [programs[version]];
      const gateway = new StartedProgram({ command: process.execPath, args, cwd: folder, env });
      scratch.undo(() => gateway.stop());
      return gateway;
    };
    /** Until so many more orders have an answer. */
    const moreAnswers = async (count: number): Promise<void> => {
      const before = client.answers.size;
      await waitUntil(
        `${count} orders`,
        () => Promise.resolve(client.answers.size),
        (size) => size >= before + count,
      );
    };
    return { client, state, start, moreAnswers };
  }

  const expectSound = async (client: Client): Promise<void> => {
    const count = async () => (await client.read<{ data: readonly object[] }>('/get_positions')).data.length;
    expect(await count()).toBe(client.executed);
    for (const [key, text] of client.answers) expect([key, await client.send(key)]).toEqual([key, text]);
    expect(await count()).toBe(client.executed);
    expect(await client.read('/reconcile')).toMatchObject({ unresolved: [], differences: [] });
  };

  it('under load sends no order twice, loses none, and answers each key as before', async () => {
    const { client, start, moreAnswers } = await newState();
    const trading = client.trade();
    for (const version of earlierVersions) {
      const gateway = start(version);
      await moreAnswers(20);
      // In the middle of its requests.
      expect(await gateway.stop()).toBe(0);
    }
    start('this');
    await moreAnswers(20);
    client.stop();
    await trading;
    await expectSound(client);
  });

  it.each([
    { way: '0.1.0 to this version', first: 'v0.1.0', later: ['this'], prepare: leaveNothing },
    {
      way: '0.2.0 to this version, back and again',
      first: 'v0.2.0',
      later: ['this', 'v0.2.0', 'this'],
      prepare: leaveFencesAndVoids,
    },
  ] as const)(
    'from $way keeps its answers, fences and void keys over kills in requests and in starts',
    async ({ first, later, prepare }) => {
      const { client, state, start, moreAnswers } = await newState();
      const trading = client.trade();
      let gateway = start(first);
      await moreAnswers(20);
      const promised = await prepare(client);
      const answers = () => Promise.all(promised.map(async (question) => [question, await client.ask(question)]));
      const before = await answers();
      for (const version of later) {
        // In the middle of its requests.
        gateway.signal('SIGKILL');
        await gateway.exitCode();
        for (const ms of momentsOfAStart) {
          gateway = start(version);
          await new Promise((moment) => setTimeout(moment, ms));
          gateway.signal('SIGKILL');
          expect([ms, await gateway.exitCode()]).toEqual([ms, null]);
        }
        gateway = start(version);
        await moreAnswers(20);
        expect(await answers()).toEqual(before);
      }
      client.stop();
      await trading;
      await expectSound(client);
      const lines = readFileSync(join(state, 'audit.jsonl'), 'utf8').trimEnd().split('\n');
      const sequences = lines.map((line) => (JSON.parse(line) as { readonly sequence: number }).sequence);
      expect(sequences).toEqual(lines.map((_, index) => index + 1));
    },
  );

  it('from 0.2.0 goes back to 0.1.0 as docs/questions/upgrade.md says, and on to this version', async () => {
    const { client, state, start, moreAnswers } = await newState();
    const trading = client.trade();
    for (const version of ['v0.2.0', 'v0.1.0', 'this'] as const) {
      const gateway = start(version);
      await moreAnswers(20);
      if (version === 'this') break;
      expect(await gateway.stop()).toBe(0);
      rmSync(join(state, 'trade-events'), { recursive: true, force: true });
    }
    client.stop();
    await trading;
    await expectSound(client);
  });

  it('is refused on the journal of a newer version, of which nothing is changed', async () => {
    const { client, state, start, moreAnswers } = await newState();
    const trading = client.trade();
    const gateway = start('this');
    await moreAnswers(5);
    client.stop();
    await trading;
    expect(await gateway.stop()).toBe(0);
    const journal = open({ path: join(state, 'trade-journal'), encoding: 'json' });
    await journal.openDB<number, string>({ name: 'meta', encoding: 'json' }).put('format', 2);
    await journal.close();
    const files = (): object =>
      readdirSync(state, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name !== 'lock.mdb')
        .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'base64')]);
    const before = files();
    const refused = start('this');
    expect(await refused.exitCode()).toBe(1);
    expect(refused.output).toMatch(/the trade journal in .* is that of a newer version of the gateway \(format 2;/);
    expect(files()).toEqual(before);
  });
});

describe('the sources of an earlier version, for a clone without its history', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.clear());

  /** A clone of the newest commit alone. */
  const shallowClone = (): string => {
    const clone = join(scratch.folder(), 'clone');
    done(git(scratch.folder(), 'clone', '--quiet', '--depth', '1', `file://${repository}`, clone));
    return clone;
  };
  const done = ({ status, stderr }: ReturnType<typeof git>): void => {
    if (status !== 0) throw new Error(String(stderr));
  };

  it('are fetched from its origin', () => {
    const clone = shallowClone();
    const archive = sourcesOf('v0.1.0', clone);
    const listed = spawnSync('tar', ['-t'], { input: archive, encoding: 'utf8' });
    expect(listed.stdout).toMatch(/^apps\/gateway\/src\/main\.ts$/m);
  });

  it('are missed with the cause and the remedy where no origin has them', () => {
    const clone = shallowClone();
    done(git(clone, 'remote', 'set-url', 'origin', join(clone, 'gone')));
    expect(() => sourcesOf('v0.1.0', clone)).toThrow(
      /^v0\.1\.0 \(9d3872e40a1e\) is not in this clone, which is shallow, and origin did not give it \([^]*gone[^]*\): git fetch --unshallow --tags REMOTE$/,
    );
    done(git(clone, 'remote', 'remove', 'origin'));
    expect(() => sourcesOf('v0.1.0', clone)).toThrow(/is shallow, and it has no origin: git fetch/);
  });
});
