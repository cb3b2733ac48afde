import { parseArgs } from 'node:util';
import { asCommand } from './as-command';
import type { FuzzRequest } from './fuzz-request';
import { FuzzedDaemon } from './fuzzed-daemon';
import { FuzzedGateway } from './fuzzed-gateway';
import { run, type Failure, type Start } from './run';
import { shrunk } from './shrink-failure';

const usage = `usage: npm run fuzz -- [--seed N] [--requests M] [--program gateway|daemon|strategy-port]
  --seed N         the first seed; each seed is a program that is started afresh (default: by the clock)
  --requests M     requests to the gateway (20000), and a tenth to each port of the daemon; at most 2500 to each seed
  --program NAME   one program alone
  --no-shrink      leave a failure as it is`;

/** Requests to one start of a program: a failure is replayed by sending those before it again. */
export const mostOfSeed = 2_500;

/** Of the requests to the gateway: the daemon's ports have few routes, and all of them read. */
const portShare = 0.1;

/** How a seed of each program starts. */
export const programs = {
  gateway: (seed) => FuzzedGateway.start(seed),
  daemon: (seed) => FuzzedDaemon.start(seed, 'control port'),
  'strategy-port': (seed) => FuzzedDaemon.start(seed, 'strategy port'),
} as const satisfies Record<string, Start>;

export type ProgramName = keyof typeof programs;

const mostShown = 1_500;

/** What is to be run. */
export interface Wanted {
  readonly program: ProgramName;
  readonly seed: number;
  readonly requests: number;
  readonly shrinks: boolean;
}

/** The command. @returns its exit code: 1 when a rule was broken */
export async function fuzz(given: readonly string[]): Promise<number> {
  if (given.includes('--help')) {
    say(usage);
    return 0;
  }
  let wanted: readonly Wanted[];
  try {
    wanted = read(given);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}\n`);
    return 2;
  }
  let isSound = true;
  for (const each of wanted) isSound = (await fuzzProgram(each, say)) && isSound;
  return isSound ? 0 : 1;
}

/** Sends so many requests to a program, seed after seed. @returns whether every rule was kept */
export async function fuzzProgram(
  { program, seed, requests, shrinks }: Wanted,
  tell: (line: string) => void,
): Promise<boolean> {
  const start = programs[program];
  const statuses = new Map<number, number>();
  const startMs = performance.now();
  for (let sent = 0, at = seed; sent < requests; sent += mostOfSeed, at++) {
    const result = await run(start, at, Math.min(mostOfSeed, requests - sent));
    for (const [status, count] of result.statuses) statuses.set(status, (statuses.get(status) ?? 0) + count);
    if (result.failure === null) continue;
    tell(report(program, result.failure, `seed ${at}, request ${result.requests}`));
    if (shrinks) tell(report(program, await shrunk(start, result.failure), 'the shortest that was found'));
    return false;
  }
  const answers = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  const seconds = Math.round((performance.now() - startMs) / 1_000);
  tell(`${program}: ${requests} requests from seed ${seed} on, ${seconds} s; answers ${answers.join(', ')}`);
  return true;
}

/** A failure with how to replay it. */
export function report(program: ProgramName, { seed, request, faults, sent }: Failure, title: string): string {
  const before = sent.slice(0, -1).slice(-5);
  return [
    `${program}: ${title}`,
    ...faults.slice(0, 8).map(({ rule, what }) => `  BROKEN: ${rule}: ${what}`),
    ...(sent.length > 1 ? [`  after ${sent.length - 1} requests, the last of them:`] : []),
    ...before.map((each) => `    ${shown(each)}`),
    ...(request ? [`  ${request.copies > 1 ? `${request.copies} times at once: ` : ''}${shown(request)}`] : []),
    `  to run it again: npm run fuzz -- --program ${program} --seed ${seed} --requests ${sent.at(-1)?.number ?? 1}`,
  ].join('\n');
}

/** A command; of a long one only the beginning, as it can be run again by its seed. */
function shown(request: FuzzRequest): string {
  const command = asCommand(request);
  const { method, url, way } = request;
  const plain = way === 'socket' ? ` # ${method} ${url.slice(0, 100)}` : '';
  return command.length > mostShown ? `${command.slice(0, mostShown)}...${plain}` : `${command}${plain}`;
}

/** @throws Error naming the mistake */
function read(given: readonly string[]): readonly Wanted[] {
  const { values } = parseArgs({
    args: [...given],
    options: {
      seed: { type: 'string', default: String(Math.floor(Date.now() / 1_000)) },
      requests: { type: 'string', default: '20000' },
      program: { type: 'string' },
      'no-shrink': { type: 'boolean', default: false },
    },
  });
  const seed = Number(values.seed);
  const requests = Number(values.requests);
  const names = (Object.keys(programs) as ProgramName[]).filter(
    (name) => values.program === undefined || values.program === name,
  );
  if (!Number.isInteger(seed)) throw new Error(`--seed must be an integer, not ${values.seed}`);
  if (!(requests > 0)) throw new Error(`--requests must be above 0, not ${values.requests}`);
  if (names.length === 0) throw new Error(`--program must be one of ${Object.keys(programs).join(', ')}`);
  return names.map((program) => {
    const share = program === 'gateway' || values.program !== undefined ? 1 : portShare;
    return { program, seed, requests: Math.ceil(requests * share), shrinks: !values['no-shrink'] };
  });
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
