/** Why a read got no answer. None of these states anything about the account. */
export type ReadFailure =
  /** The gateway could not be reached, or the connection broke. */
  | 'unreachable'
  /** The gateway was silent for longer than the deadline. */
  | 'timeout'
  /** The gateway answered with an error of its envelope. */
  | 'refused'
  /** The answer does not match the gateway's contract. */
  | 'malformed';

/** A read that got no answer. It must never be treated as an empty one. */
export class GatewayReadError extends Error {
  constructor(
    readonly failure: ReadFailure,
    message: string,
    /** HTTP status, if there was one. */
    readonly status: number | null = null,
    /** `error_type` of the gateway's envelope, if there was one. */
    readonly errorType: string | null = null,
    /** `details.reason` of that envelope, if it has one. */
    readonly reason: string | null = null,
  ) {
    super(message);
    this.name = 'GatewayReadError';
  }

  /** True if the gateway does not have what was asked for. Its answer to a path without a route does not tell. */
  get isAbsence(): boolean {
    return this.errorType === 'not_found' && this.reason !== 'no_route';
  }

  /** True if the same read may succeed shortly. */
  get isTransient(): boolean {
    return this.failure !== 'refused' || this.status === null || this.status >= 500;
  }
}
