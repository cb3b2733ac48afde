/** A fault of one call: the link breaks before or after it is accepted, or the answer is never sent. */
export type Interruption = 'close-before' | 'close-after' | 'no-answer';

export interface LinkServerOptions {
  readonly token: string;
  /** 0 selects a free one. */
  readonly port: number;
  /** Loopback by default. */
  readonly host?: string;
  /** The driver named in `hello`. */
  readonly driver: string;
  readonly build: number;
  /** The logged-in account, as far as it is known without a call to the terminal. */
  readonly login?: () => number | null;
  /** Calls of each kind that may wait in one connection; 256 by default. */
  readonly maxWaiting?: number;
  /** Longest answer in bytes; the protocol's limit by default. */
  readonly maxAnswerBytes?: number;
  /** Methods in addition to the port's own, by name. */
  readonly extensions?: Readonly<Record<string, (params: readonly unknown[]) => Promise<unknown>>>;
  /** Rejects the methods of the port, so that only extensions are served. */
  readonly extensionsOnly?: boolean;
  /** Called before each call of the port, for tests of a broken link. */
  readonly interrupt?: (method: string) => Interruption | null;
}
