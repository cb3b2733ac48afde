/** What a fault makes of one call: a link that breaks before it is taken up, or after; an answer that is never given. */
export type Interruption = 'close-before' | 'close-after' | 'no-answer';

export interface LinkServerOptions {
  readonly token: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Loopback unless told otherwise. */
  readonly host?: string;
  /** What `hello` names. */
  readonly driver: string;
  readonly build: number;
  /** Who is logged in, as far as that is known without asking the terminal. */
  readonly login?: () => number | null;
  /** Calls of each kind that may wait in one connection; 256 without it. */
  readonly maxWaiting?: number;
  /** Longest answer in bytes; the protocol's own limit without it. */
  readonly maxAnswerBytes?: number;
  /** Methods beside the port's own, by name. */
  readonly extensions?: Readonly<Record<string, (params: readonly unknown[]) => Promise<unknown>>>;
  /** Asked before each call of the port, for tests of what a broken link does. */
  readonly interrupt?: (method: string) => Interruption | null;
}
