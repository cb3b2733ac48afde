import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@libs/envelope';

interface HostRules {
  /** Names in addition to those of loopback that a client may use for this program. */
  readonly names: readonly string[];
  /** A program bound to loopback is reachable only by loopback names, unless another name is made to resolve to it. */
  readonly isBoundToLoopback: boolean;
}

const namesOfLoopback = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Protects a program without a credential from web pages: the Host header reveals a page whose name resolves to
 * loopback (DNS rebinding), the Origin header any other page.
 */
export function hostCheck({ names, isBoundToLoopback }: HostRules) {
  const allowed = new Set([...namesOfLoopback, ...names.map((name) => name.toLowerCase())]);
  return ({ headers }: { readonly headers: IncomingHttpHeaders }): ApiError | null => {
    const host = nameIn(headers.host ?? '');
    if (isBoundToLoopback && !allowed.has(host)) return new ApiError('forbidden', 'the Host header is not allowed');
    if (headers.origin === undefined) return null;
    const origin = nameIn(headers.origin.replace(/^https?:\/\//i, ''));
    const isOwn = allowed.has(origin) || (!isBoundToLoopback && origin === host);
    return isOwn ? null : new ApiError('forbidden', 'the Origin header is not allowed');
  };
}

/** Whether a listen address is loopback. */
export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address);
}

/** The name without port and trailing dot; empty if it has another form. */
function nameIn(authority: string): string {
  return /^([a-z0-9._-]+?|\[[0-9a-f:.]+\])\.?(?::\d{1,5})?$/i.exec(authority)?.[1]?.toLowerCase() ?? '';
}
