import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
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

  send(key: string): Promise<string> {
    const body = JSON.stringify({ symbol: 'EURUSD', volume: 0.01, type: 'BUY', magic: 7 });
    const headers = { authorization: 'Bearer upgrade', 'content-type': 'application/json', 'idempotency-key': key };
    const once = async (): Promise<string> => {
      const answer = await fetch(`${this.url}/order`, { method: 'POST', headers, body }).catch(() => null);
      return answer?.status === 200 ? await answer.text().catch(() => '') : '';
    };
    return waitUntil(`an answer to ${key}`, once, (text) => text !== '');
  }

  async read<Answer>(path: string): Promise<Answer> {
    const answer = await fetch(`${this.url}${path}`, { headers: { authorization: 'Bearer upgrade' } });
    const body: Answer = JSON.parse(await answer.text());
    return body;
  }
}

describe('an upgrade from 0.1.0 over 0.2.0 to this version, on the same state', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.clear());

  it('under load sends no order twice, loses none, and answers each key as before', async () => {
    const folder = scratch.folder();
    const programs = [
      ...earlierVersions.map((tag) => builtFrom(tag, folder)),
      join(repository, 'dist/apps/gateway/src/main.js'),
    ];
    const port = await freePort();
    const client = new Client(`http://127.0.0.1:${port}`);
    const state = join(folder, 'state');
    mkdirSync(state);
    const account = { TERMINAL_LOGIN: '100001', TERMINAL_PASSWORD: 'simulator', TERMINAL_SERVER: 'Simulator-Demo' };
    const files = { ORDER_AUDIT_FILE: join(state, 'audit.jsonl'), KILL_SWITCH_FILE: join(state, 'kill') };
    const env = {
      ...{ ...bareEnvironment(), ...account, ...files, API_KEY: 'upgrade', TERMINAL_API_PORT: String(port) },
      ...{ STATE_DIR: state, SIM_STATE_FILE: join(state, 'account'), SIM_BALANCE: '1000000' },
    };
    const trading = client.trade();
    for (const program of programs) {
      const gateway = new StartedProgram({ command: process.execPath, args: [program], cwd: folder, env });
      scratch.undo(() => gateway.stop());
      const before = client.answers.size;
      await waitUntil(
        `orders of ${program}`,
        () => Promise.resolve(client.answers.size),
        (size) => size >= before + 20,
      );
      if (program === programs.at(-1)) break;
      // In the middle of its requests.
      expect(await gateway.stop()).toBe(0);
    }
    client.stop();
    await trading;

    const { data } = await client.read<{ data: readonly object[] }>('/get_positions');
    expect(data).toHaveLength(client.answers.size);
    for (const [key, text] of client.answers) expect([key, await client.send(key)]).toEqual([key, text]);
    expect((await client.read<{ data: readonly object[] }>('/get_positions')).data).toHaveLength(client.answers.size);
    expect(await client.read('/reconcile')).toMatchObject({ unresolved: [], differences: [] });
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
