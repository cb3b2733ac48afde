import { applyDecorators, SetMetadata } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBearerAuth, ApiExtension, ApiOperation } from '@nestjs/swagger';
import { TradeAction } from '@libs/terminal-client';

/** The declaration of a route. A route without one is denied by default. */
export interface RouteFacts {
  /** `public` needs no credential; `bearer` requires a key; `secret` checks a secret of its own. */
  readonly access: 'public' | 'bearer' | 'secret';
  /** Changes something; denied with 403 to the read-only key. */
  readonly changes: boolean;
  /** Needs the terminal session; answers 503 without it. */
  readonly terminal: boolean;
  /** Reads or changes an account; rejected with 412 if `X-Expect-Login` names another one. */
  readonly ofAccount: boolean;
  /** Without a session, that account is the one that was logged in last. */
  readonly worksWithoutSession?: true;
  /** Denied with 423 while the kill switch is active. */
  readonly killGated: boolean;
  /** Can add risk, so it is denied with 503 while the trade journal counts as lost. */
  readonly addsRisk: boolean;
  /** Accepts an idempotency key. */
  readonly idempotent: boolean;
  /** Its body is a request in the terminal's form: its action decides `killGated` and `addsRisk`, which are then the most. */
  readonly byAction?: true;
  /** The handler itself reports unknown and repeated query parameters. */
  readonly readsOwnQuery?: boolean;
}

const routeFactsKey = Symbol('route facts');
const cache = new WeakMap<object, RouteFacts | null>();

/** States in the document that a route needs no credential. */
const withoutSecurity: MethodDecorator = ApiOperation({ security: [] }, { overrideExisting: false });

/** Declares a route's facts, for the guards and the documentation. */
export function declareRoute(facts: RouteFacts): MethodDecorator {
  return applyDecorators(
    SetMetadata(routeFactsKey, facts),
    RouteConfig({ access: facts.access, changes: facts.changes, idempotent: facts.idempotent }),
    ApiExtension('x-route-facts', facts),
    facts.access === 'public' ? withoutSecurity : ApiBearerAuth(),
  );
}

/** The facts of one request of a handler. */
export function requestFactsOf(handler: object, body: unknown): RouteFacts | null {
  const facts = routeFactsOf(handler);
  if (facts?.byAction === undefined) return facts;
  const { killGated, addsRisk } = factsOfAction(body);
  return { ...facts, killGated, addsRisk };
}

/** As the routes that do the same have them: of a cancellation, a close, and anything else. */
function factsOfAction(body: unknown): Pick<RouteFacts, 'killGated' | 'addsRisk'> {
  const { action, position }: Readonly<Record<string, unknown>> = { ...(typeof body === 'object' ? body : null) };
  if (action === TradeAction.REMOVE) return { killGated: false, addsRisk: false };
  const isClose = action === TradeAction.DEAL && typeof position === 'number' && position > 0;
  return { killGated: true, addsRisk: !isClose && action !== TradeAction.CLOSE_BY };
}

/** The facts that a handler declares, or null; cached, because guards read them on every request. */
export function routeFactsOf(handler: object): RouteFacts | null {
  let facts = cache.get(handler);
  if (facts === undefined) {
    facts = (Reflect.getMetadata(routeFactsKey, handler) as RouteFacts | undefined) ?? null;
    cache.set(handler, facts);
  }
  return facts;
}
