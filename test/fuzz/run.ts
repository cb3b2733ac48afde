import { NoAnswerError } from './answered';
import type { FuzzRequest } from './fuzz-request';
import { Judge, type Fault } from './judge';
import { RequestMaker } from './request-maker';
import type { Subject } from './subject';

/** Starts a program afresh, the same for the same seed. */
export type Start = (seed: number) => Promise<Subject>;

/** What a run found. */
export interface Failure {
  readonly seed: number;
  /** Null for what is wrong after all requests. */
  readonly request: FuzzRequest | null;
  readonly faults: readonly { readonly rule: string; readonly what: string }[];
  /** The requests up to the one that failed. */
  readonly sent: readonly FuzzRequest[];
}

export interface RunResult {
  readonly requests: number;
  /** How many answers had each status. */
  readonly statuses: ReadonlyMap<number, number>;
  readonly failure: Failure | null;
}

/** Sends the requests of a seed until one breaks a rule. */
export async function run(start: Start, seed: number, requests: number): Promise<RunResult> {
  const subject = await start(seed);
  const maker = new RequestMaker(seed, subject);
  return judged(subject, seed, requests, (number) => maker.make(number));
}

/** Sends the same requests again, to a program that is started afresh. */
export async function replay(start: Start, seed: number, sent: readonly FuzzRequest[]): Promise<RunResult> {
  return judged(await start(seed), seed, sent.length, (number) => sent[number - 1]);
}

async function judged(
  subject: Subject,
  seed: number,
  requests: number,
  make: (number: number) => FuzzRequest | undefined,
): Promise<RunResult> {
  const judge = new Judge(subject);
  const sent: FuzzRequest[] = [];
  const statuses = new Map<number, number>();
  const failed = (request: FuzzRequest | null, faults: Failure['faults']): RunResult => ({
    requests: sent.length,
    statuses,
    failure: { seed, request, faults, sent },
  });
  try {
    for (let number = 1; number <= requests; number++) {
      const request = make(number);
      if (!request) break;
      sent.push(request);
      const { answers, faults } = await judgedOne(subject, judge, request);
      for (const status of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (faults.length > 0) return failed(request, faults);
    }
    const atEnd = await subject.problemsAtEnd();
    if (atEnd.length > 0)
      return failed(
        null,
        atEnd.map((what) => ({ rule: 'the program is sound at the end', what })),
      );
    return { requests: sent.length, statuses, failure: null };
  } finally {
    await subject.stop();
  }
}

async function judgedOne(
  subject: Subject,
  judge: Judge,
  request: FuzzRequest,
): Promise<{ readonly answers: readonly number[]; readonly faults: readonly (Fault | Failure['faults'][number])[] }> {
  try {
    const seen = await subject.observe(request);
    return { answers: seen.answers.map((answer) => answer?.status ?? 0), faults: judge.faults(seen) };
  } catch (error) {
    const rule = error instanceof NoAnswerError ? 'every request is answered' : 'every answer can be read';
    return { answers: [], faults: [{ rule, what: error instanceof Error ? error.message : String(error) }] };
  }
}
