import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isWebSocketHandshake, offeredProtocols } from '@libs/http-surface';
import type { KeyRole } from '../audit/caller';
import type { GatewaySettings } from '../gateway.config';

/** The role of the key in an Authorization header; null without a valid key. */
export interface KeyRoleOf {
  (authorization: string | undefined): KeyRole | null;
  /** Whether any key can be valid. */
  readonly hasKeys: boolean;
}

/** Begins the WebSocket subprotocol that carries a key; the key follows in base64url. */
const keyProtocol = 'bearer.';

interface RequestHead {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/**
 * The Authorization header, or its equivalent from a page in a browser, which cannot set headers of a WebSocket: the offer of a
 * subprotocol `bearer.` with the key in base64url. Proxies log URLs, so a key never belongs there.
 */
export function authorizationOf({ method, headers }: RequestHead): string | undefined {
  if (headers.authorization !== undefined || headers.upgrade === undefined) return headers.authorization;
  if (!isWebSocketHandshake({ method, headers })) return undefined;
  const offer = offeredProtocols(headers).find((protocol) => protocol.startsWith(keyProtocol));
  return offer && `Bearer ${Buffer.from(offer.slice(keyProtocol.length), 'base64url').toString()}`;
}

type KeySettings = Pick<GatewaySettings, 'API_KEY'> &
  Partial<Pick<GatewaySettings, 'API_KEY_NEXT' | 'API_KEY_READONLY'>>;

/**
 * Compares a header with every key that is set, so that the duration does not reveal which one matched. Without API_KEY, no
 * header is valid.
 */
export function keyRoles(settings: KeySettings): KeyRoleOf {
  const roles = [
    ['primary', settings.API_KEY],
    ['next', settings.API_KEY_NEXT],
    ['readonly', settings.API_KEY_READONLY],
  ] as const;
  const keys = roles.flatMap(([role, key]) => (settings.API_KEY && key ? [{ role, holds: holdsKey(key) }] : []));
  const roleOf = (authorization: string | undefined): KeyRole | null => {
    if (authorization === undefined) return null;
    const sent = withScheme(authorization);
    let found: KeyRole | null = null;
    for (const { role, holds } of keys) if (holds(sent)) found = role;
    return found;
  };
  return Object.assign(roleOf, { hasKeys: keys.length > 0 });
}

/** Compares as many bytes as the key has, all of them, so that the duration reveals nothing about the key. */
function holdsKey(key: string): (sent: string) => boolean {
  const text = `Bearer ${key}`;
  const expected = Buffer.from(text);
  const given = Buffer.alloc(expected.length);
  return (sent) => {
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
