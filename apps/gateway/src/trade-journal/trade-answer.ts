/** What a trade handler answers with: status and body, which become text exactly once. */
export interface TradeAnswer {
  readonly status: number;
  readonly body: object;
}

/** The ordinary answer. */
export function answered(body: object): TradeAnswer {
  return { status: 200, body };
}

/** 207 when part of a request that means several trades failed. */
export function answeredInParts(body: object, failed: number): TradeAnswer {
  return { status: failed > 0 ? 207 : 200, body };
}

/** A final answer as text: what is sent, kept and replayed. */
export interface StoredResponse {
  readonly status: number;
  readonly body: string;
}
