import type { Crash } from '@libs/simulated-disk';
import type { Ask, HttpAnswer } from '../asks';
import { refusedThoughReleased, sentAfterRelease, sentThoughHalted } from '../invariants/halted';
import type { SendRecord } from '../sends';
import type { LastPause } from './last-pause';
import { noticedWithinMs, type JudgeWorld } from './world';

/** The switch is read right before the send that it lets pass, in one call to a disk; a call that began on a slow one may end later. */
const marginMs = 1;

/** A time for which trading was certainly halted, in virtual milliseconds. */
interface HaltedTime {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Since when trading is certainly halted, or certainly on. */
export class Halts {
  private since: { readonly ms: number; readonly run: number | null } | null = null;
  private onSinceMs: number | null = null;
  /** How often trading may have been halted so far, and how often when the release that is under way began. */
  private begun = 0;
  private begunAtRelease = 0;
  /** A loss of power may bring the file of the last halt back: a disk may not have taken its removal. */
  private mayReappear = false;
  private readonly past: HaltedTime[] = [];
  /** When the requests of each key came. */
  private readonly came = new Map<Ask, number[]>();

  constructor(
    private readonly world: JudgeWorld,
    private readonly pause: LastPause,
  ) {}

  /** Virtual milliseconds; null while trading may be on. */
  get sinceMs(): number | null {
    return this.since?.ms ?? null;
  }

  /** @param run the run that holds the halt in memory; null when the file is there */
  begin(run: number | null): void {
    this.maybeBegin();
    this.since ??= { ms: this.world.time.elapsedMs, run };
  }

  /** Trading may be halted from now on. */
  maybeBegin(): void {
    this.begun += 1;
    this.onSinceMs = null;
  }

  /** Trading may be on from now on. */
  maybeReleased(): void {
    if (this.since) this.past.push({ fromMs: this.since.ms, toMs: this.world.time.elapsedMs });
    this.since = null;
  }

  /** An operator is about to release. */
  releasing(): void {
    this.begunAtRelease = this.begun;
  }

  /** The release has succeeded: trading is on, unless it was halted since the release began. */
  released(): void {
    if (this.begun === this.begunAtRelease) this.onSinceMs = this.world.time.elapsedMs;
    this.mayReappear = this.world.unwritableSince() !== null;
  }

  /** A halt that the run held in memory may be forgotten. */
  runEnded(run: number, crash: Crash): void {
    if (this.since?.run === run) this.maybeReleased();
    // Neither file can be read on a broken disk, and a start is halted then.
    if (this.world.unwritableSince() !== null || (crash === 'power' && this.mayReappear)) this.onSinceMs = null;
  }

  /** A request comes. */
  delivered(ask: Ask): void {
    this.came.set(ask, [...(this.came.get(ask) ?? []), this.world.time.elapsedMs]);
  }

  problems(send: SendRecord): string[] {
    const { sinceMs } = this;
    const pausedMs = sinceMs === null ? 0 : this.pause.nearMs(sinceMs);
    return sentThoughHalted(send, sinceMs, marginMs + 2 * this.world.diskCallMs() + pausedMs);
  }

  /** @param asked who asked for the send */
  problemsOfWaiting(send: SendRecord, asked: readonly Ask[]): string[] {
    const cameMs = asked.flatMap((ask) => this.came.get(ask) ?? []).map((atMs) => this.haltedAfterMs(atMs));
    const pausedMs = this.pause.nearMs(send.atMs);
    return sentAfterRelease(send, cameMs, noticedWithinMs + 2 * this.world.diskCallMs() + pausedMs);
  }

  /** @param askedAtMs when the request reached the gateway */
  problemsOfAnswer(answer: HttpAnswer, askedAtMs: number): string[] {
    if (this.world.unwritableSince() !== null) return [];
    return refusedThoughReleased(answer, this.onSinceMs, askedAtMs);
  }

  /** For how long trading stayed halted after an instant; 0 if it was not certainly halted then. */
  private haltedAfterMs(atMs: number): number {
    const halted = this.past.find(({ fromMs, toMs }) => fromMs < atMs && atMs < toMs);
    return halted ? halted.toMs - atMs : 0;
  }
}
