/** Why a read gave no answer. None of these says anything about the account. */
export type ReadFailure =
  /** The gateway could not be reached, or the connection broke. */
  | 'unreachable'
  /** The gateway was silent for longer than the deadline. */
  | 'timeout'
  /** The gateway answered with an error of its envelope. */
  | 'refused'
  /** The gateway answered something that is no answer of its contract. */
  | 'malformed';

/** A read that gave no answer. Never to be taken for an empty one. */
export class GatewayReadError extends Error {
  constructor(
    readonly failure: ReadFailure,
    message: string,
    /** HTTP status, when there was one. */
    readonly status: number | null = null,
    /** `error_type` of the gateway's envelope, when there was one. */
    readonly errorType: string | null = null,
  ) {
    super(message);
    this.name = 'GatewayReadError';
  }

  /** True when the same read may well succeed in a moment. */
  get isTransient(): boolean {
    return this.failure !== 'refused' || this.status === null || this.status >= 500;
  }
}
