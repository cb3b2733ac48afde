import type { SeededRandom } from './seeded-random';

/** How one send travels. */
export interface SendWay {
  readonly requestMs: number;
  readonly answerMs: number;
  readonly requestLost: boolean;
  readonly answerLost: boolean;
  /** Nothing is wrong with it. */
  readonly plain: boolean;
  readonly words: string;
}

/** What can happen to the next send. */
export const sendTroubles = ['lose-request', 'lose-answer', 'late-answer', 'slow-request'] as const;

export type SendTrouble = (typeof sendTroubles)[number];

/** No request is on the wire for longer than this; after it, what did not arrive never does. */
export const longestTransitMs = 30_000;

const usualMeanMs = 2;

/** The state of the link between gateway and terminal: how long its messages take, and which of them get lost. */
export class LinkWeather {
  /** Virtual milliseconds; null while the far side can be reached. */
  unreachableSinceMs: number | null = null;
  private meanMs = usualMeanMs;
  private readonly troubles: SendTrouble[] = [];

  constructor(
    private readonly random: SeededRandom,
    private readonly sendDeadlineMs: number,
  ) {}

  get isReachable(): boolean {
    return this.unreachableSinceMs === null;
  }

  /** From now on messages take so long on average; null: as usual. */
  slowDown(meanMs: number | null): void {
    this.meanMs = meanMs ?? usualMeanMs;
  }

  /** A fault for the next send that has none yet. */
  trouble(trouble: SendTrouble): void {
    this.troubles.push(trouble);
  }

  /** All is well again. */
  clear(): void {
    this.unreachableSinceMs = null;
    this.meanMs = usualMeanMs;
    this.troubles.length = 0;
  }

  nextRead(): { readonly requestMs: number; readonly answerMs: number } {
    return { requestMs: this.delayMs(), answerMs: this.delayMs() };
  }

  nextSend(): SendWay {
    const trouble = this.troubles.shift();
    const requestMs =
      trouble === 'slow-request'
        ? this.random.integer(1_000, longestTransitMs)
        : Math.min(this.delayMs(), longestTransitMs);
    const answerMs = trouble === 'late-answer' ? this.sendDeadlineMs + this.random.integer(1, 60_000) : this.delayMs();
    return {
      requestMs,
      answerMs,
      requestLost: trouble === 'lose-request',
      answerLost: trouble === 'lose-answer',
      plain: trouble === undefined,
      words: trouble ?? 'plain',
    };
  }

  /** Whether a request that was on the wire when its connection broke reaches the terminal all the same. */
  arrivesThoughBroken(): boolean {
    return this.random.chance(0.5);
  }

  private delayMs(): number {
    return this.random.delayMs(this.meanMs, 20 * this.meanMs);
  }
}
