import { timingSafeEqual } from 'node:crypto';

/** Whether an Authorization header carries the API key. */
export type HoldsKey = (authorization: string | undefined) => boolean;

/**
 * Compares as many bytes as the key has, all of them, so that the duration reveals nothing about the key. Without API_KEY, no
 * header is valid.
 */
export function holdsApiKey(apiKey: string | undefined): HoldsKey {
  if (!apiKey) return () => false;
  const text = `Bearer ${apiKey}`;
  const expected = Buffer.from(text);
  const given = Buffer.alloc(expected.length);
  return (authorization) => {
    if (authorization === undefined) return false;
    const sent = withScheme(authorization);
    given.fill(0);
    // What does not fit is cut off, so the length is compared too.
    given.write(sent);
    return timingSafeEqual(given, expected) && sent.length === text.length;
  };
}

/** The name of the scheme is case-insensitive (RFC 9110 §11.1); the key is not. */
function withScheme(authorization: string): string {
  return authorization.startsWith('Bearer ') ? authorization : authorization.replace(/^bearer /i, 'Bearer ');
}
