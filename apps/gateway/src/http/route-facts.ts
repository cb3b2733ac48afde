import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension, ApiOperation } from '@nestjs/swagger';

/** What a route declares about itself. A route that declares nothing is refused: deny by default. */
export interface RouteFacts {
  /** `public` answers anybody; `bearer` wants the API key. */
  readonly access: 'public' | 'bearer';
  /** Needs the terminal session; answers 503 without it. */
  readonly terminal: boolean;
  /** Tells or changes something of one account: refused with 412 when `X-Expect-Login` names another one. */
  readonly ofAccount: boolean;
  /** Refused with 423 while the kill switch is active. */
  readonly killGated: boolean;
  /** Takes an idempotency key. */
  readonly idempotent: boolean;
}

const routeFactsKey = Symbol('route facts');
const cache = new WeakMap<object, RouteFacts | null>();

/** Says in the document that a route needs no credential, rather than saying nothing. */
const withoutSecurity: MethodDecorator = ApiOperation({ security: [] }, { overrideExisting: false });

/** Declares a route's facts, for the guards and for the documentation alike. */
export function declareRoute(facts: RouteFacts): MethodDecorator {
  return applyDecorators(
    SetMetadata(routeFactsKey, facts),
    ApiExtension('x-route-facts', facts),
    facts.access === 'bearer' ? ApiBearerAuth() : withoutSecurity,
  );
}

/** The facts a handler declares, or null. Remembered by handler: guards ask on every request. */
export function routeFactsOf(handler: object): RouteFacts | null {
  let facts = cache.get(handler);
  if (facts === undefined) {
    facts = (Reflect.getMetadata(routeFactsKey, handler) as RouteFacts | undefined) ?? null;
    cache.set(handler, facts);
  }
  return facts;
}
