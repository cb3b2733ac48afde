/** The answer of a trade handler: status and body, serialized exactly once. */
export interface TradeAnswer<Body extends object = object> {
  readonly status: number;
  readonly body: Body;
}

/** A 200. */
export function answered<Body extends object>(body: Body): TradeAnswer<Body> {
  return { status: 200, body };
}

/** A 207, for a request of several trades of which some failed. */
export function answeredInParts(body: object, failed: number): TradeAnswer {
  return { status: failed > 0 ? 207 : 200, body };
}
