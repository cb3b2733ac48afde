import { spawnSync, type SpawnSyncReturns } from 'node:child_process';

/** The earlier versions, with the commit of each where a clone lacks its tag. */
const commits = {
  'v0.1.0': '9d3872e40a1e8da4919ac200059b079539e7c58d',
  'v0.2.0': 'b45c9ca4cda86ba974ba3658e05fa4dd4b8d2050',
} as const;

export type EarlierVersion = keyof typeof commits;
export const earlierVersions = ['v0.1.0', 'v0.2.0'] as const satisfies readonly EarlierVersion[];

/** Runs git in a clone that may belong to somebody else. */
export function git(clone: string, ...args: readonly string[]): SpawnSyncReturns<Buffer> {
  return spawnSync('git', ['-c', 'safe.directory=*', ...args], { cwd: clone, maxBuffer: 1 << 30 });
}

/**
 * The sources of an earlier version as a tar archive. A clone that lacks its commit, such as a shallow one, asks its origin for that
 * commit alone.
 * @throws Error naming the cause and the remedy if neither has it
 */
export function sourcesOf(version: EarlierVersion, clone: string): Buffer {
  const commit = [`refs/tags/${version}`, commits[version]].find((name) => has(clone, name)) ?? fetched(version, clone);
  const { status, stdout, stderr } = git(clone, 'archive', commit);
  if (status !== 0) throw new Error(`git archive ${commit}: ${String(stderr)}`);
  return stdout;
}

function has(clone: string, name: string): boolean {
  return git(clone, 'cat-file', '-e', `${name}^{commit}`).status === 0;
}

function fetched(version: EarlierVersion, clone: string): string {
  const commit = commits[version];
  const { status, stderr } = git(clone, 'fetch', '--quiet', '--depth', '1', 'origin', commit);
  if (status === 0) return commit;
  const isShallow = git(clone, 'rev-parse', '--is-shallow-repository').stdout.toString().trim() === 'true';
  const hasOrigin = git(clone, 'remote', 'get-url', 'origin').status === 0;
  const origin = hasOrigin ? `origin did not give it (${String(stderr).trim()})` : 'it has no origin';
  const remedy = `git fetch ${isShallow ? '--unshallow ' : ''}--tags REMOTE`;
  const where = `${version} (${commit.slice(0, 12)}) is not in this clone${isShallow ? ', which is shallow' : ''}`;
  throw new Error(`${where}, and ${origin}: ${remedy}`);
}
