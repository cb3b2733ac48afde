import { hash, timingSafeEqual } from 'node:crypto';

/** Whether an Authorization header carries the API key. */
export type HoldsKey = (authorization: string | undefined) => boolean;

/** Compares digests, so that the duration reveals nothing about the key. Without API_KEY, no header is valid. */
export function holdsApiKey(apiKey: string | undefined): HoldsKey {
  const expected = apiKey ? digest(`Bearer ${apiKey}`) : null;
  return (authorization) =>
    expected !== null && authorization !== undefined && timingSafeEqual(digest(withScheme(authorization)), expected);
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** The name of the scheme is case-insensitive (RFC 9110 §11.1); the key is not. */
function withScheme(authorization: string): string {
  return authorization.replace(/^bearer /i, 'Bearer ');
}
