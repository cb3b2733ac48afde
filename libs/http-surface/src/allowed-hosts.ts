import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@libs/envelope';

interface HostRules {
  /** Names beside those of loopback that a client may use for this program. */
  readonly names: readonly string[];
  /** Bound to loopback, a program cannot be reached by any other name, unless somebody points that name here. */
  readonly isBoundToLoopback: boolean;
}

const namesOfLoopback = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Protects a program without a credential from web pages: a page whose name is pointed at loopback (DNS rebinding) is
 * known by its Host header, any other page by its Origin.
 */
export function hostCheck({ names, isBoundToLoopback }: HostRules) {
  const allowed = new Set([...namesOfLoopback, ...names.map((name) => name.toLowerCase())]);
  return ({ headers }: { readonly headers: IncomingHttpHeaders }): ApiError | null => {
    const host = nameIn(headers.host ?? '');
    if (isBoundToLoopback && !allowed.has(host)) return new ApiError('forbidden', 'this Host is not allowed');
    if (headers.origin === undefined) return null;
    const origin = nameIn(headers.origin.replace(/^https?:\/\//i, ''));
    const isOwn = allowed.has(origin) || (!isBoundToLoopback && origin === host);
    return isOwn ? null : new ApiError('forbidden', 'pages of this Origin are not allowed');
  };
}

/** Whether an address to listen on is this machine's own. */
export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address);
}

/**
 * The address to listen on. `localhost` is taken as 127.0.0.1: what it resolves to first differs from system to system.
 */
export function listenAddress(host: string): string {
  return host === 'localhost' ? '127.0.0.1' : host;
}

/** The name without port and trailing dot; empty when it has another form. */
function nameIn(authority: string): string {
  return /^([a-z0-9._-]+?|\[[0-9a-f:.]+\])\.?(?::\d{1,5})?$/i.exec(authority)?.[1]?.toLowerCase() ?? '';
}
