/** There is no usable offset for the expiration of an order; the order must be denied. */
export class ServerTimeUnavailableError extends Error {
  constructor(
    readonly reason: 'unknown' | 'stale',
    /** Age of an offset that is too old. */
    readonly ageSeconds?: number,
  ) {
    super(
      reason === 'unknown'
        ? 'the offset between UTC and the server is unknown'
        : `the offset between UTC and the server was last confirmed ${ageSeconds ?? 0} s ago, which is too long`,
    );
    this.name = 'ServerTimeUnavailableError';
  }
}
