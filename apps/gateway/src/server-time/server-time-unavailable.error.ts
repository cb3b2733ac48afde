/** No offset that an order could be timed by (spec GTD 6 and 8); the order must be refused. */
export class ServerTimeUnavailableError extends Error {
  constructor(
    readonly reason: 'unknown' | 'stale',
    /** Age of the offset that is too old. */
    readonly ageSeconds?: number,
  ) {
    super(
      reason === 'unknown'
        ? 'the offset between UTC and the server is not known'
        : `the offset between UTC and the server was last confirmed ${ageSeconds ?? 0} s ago, which is too long`,
    );
    this.name = 'ServerTimeUnavailableError';
  }
}
