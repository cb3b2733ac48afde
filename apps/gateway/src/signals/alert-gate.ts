import { createHash, timingSafeEqual } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '@libs/envelope';
import { quoted, type AlertFields } from './alert-fields';
import { addressList, senderAddress } from './sender-address';
import type { SignalMetrics } from './signals.metrics';
import type { SignalSource } from './signal-source';
import type { Signals } from './signals';

const minuteMs = 60_000;
/** Wrong secrets of one address in a minute that are answered 401; more are answered 429. A right one is always taken. */
const mostWrong = 10;
/** More addresses than this are not told apart within a minute. */
const mostAddresses = 1_000;

/** Decides whether a delivery may speak for a source: its secret, its sender, and how often it comes. */
export class AlertGate {
  private readonly permits = new Map<string, (request: FastifyRequest) => string | null>();
  /** When the alerts of the last minute came, by source. */
  private readonly arrivals = new Map<string, number[]>();
  /** Wrong secrets of this minute, by the address of the connection. */
  private readonly wrong = new Map<string, number>();
  private wrongFromMs = Number.NEGATIVE_INFINITY;
  private wrongSinceLine = 0;
  private readonly log = new Logger('signals');

  constructor(
    private readonly signals: Signals | null,
    private readonly metrics: SignalMetrics,
  ) {}

  /** @throws ApiError authentication_error, also for an unknown source; forbidden; too_many_requests */
  admit(name: string, given: string | undefined, request: FastifyRequest, alert: AlertFields): SignalSource {
    const source = this.signals?.source(name);
    const secret = given ?? alert.fields.get('secret')?.value ?? bearerOf(request);
    // An unknown source takes as long as a wrong secret.
    const isRight = isSame(secret, source?.secret ?? '');
    if (source === undefined || !isRight) {
      if (source) this.metrics.received(name, 'wrong_secret');
      if (this.signals) this.countWrong(request.socket.remoteAddress ?? '', this.signals.clock.monotonicMs());
      throw new ApiError(
        'authentication_error',
        'no source of this name has this secret: give it in the path, as ?secret=, as a field of the alert or as a bearer token',
        { headers: { 'www-authenticate': 'Bearer' } },
      );
    }
    const stranger = this.strangerOf(source)(request);
    if (stranger !== null) {
      this.metrics.received(name, 'wrong_sender');
      this.signals?.notTaken(source, `${quoted(stranger)} is not in the senders of the source`);
      throw new ApiError('forbidden', `${name}: this address is not in the senders of the source`);
    }
    this.count(source, this.signals?.clock.monotonicMs() ?? 0);
    return source;
  }

  /** Logs at most one line a minute, never with the secret. @throws ApiError too_many_requests */
  private countWrong(address: string, nowMs: number): void {
    this.wrongSinceLine += 1;
    if (nowMs - this.wrongFromMs >= minuteMs) {
      this.wrong.clear();
      this.wrongFromMs = nowMs;
      this.log.warn({ requests: this.wrongSinceLine, address }, 'an alert with a wrong secret was refused');
      this.wrongSinceLine = 0;
    }
    const times = (this.wrong.get(address) ?? 0) + 1;
    if (times > 1 || this.wrong.size < mostAddresses) this.wrong.set(address, times);
    if (times <= mostWrong) return;
    const waitS = Math.max(1, Math.ceil((this.wrongFromMs + minuteMs - nowMs) / 1_000));
    throw new ApiError('too_many_requests', `more than ${mostWrong} wrong secrets from this address in a minute`, {
      headers: { 'retry-after': String(waitS) },
    });
  }

  /** The address of a request that may not send; null if it may. */
  private strangerOf(source: SignalSource): (request: FastifyRequest) => string | null {
    const known = this.permits.get(source.name);
    if (known) return known;
    const isProxy = addressList(source.proxies);
    const isSender = source.senders === null ? () => true : addressList(source.senders);
    const permit = ({ socket, headers }: FastifyRequest): string | null => {
      const forwarded = headers['x-forwarded-for'];
      const path = Array.isArray(forwarded) ? forwarded.join(',') : forwarded;
      const address = senderAddress(socket.remoteAddress ?? '', path, isProxy);
      return isSender(address) ? null : address;
    };
    this.permits.set(source.name, permit);
    return permit;
  }

  private count(source: SignalSource, nowMs: number): void {
    const { name, maxPerMinute } = source;
    const recent = (this.arrivals.get(name) ?? []).filter((atMs) => nowMs - atMs < minuteMs);
    this.arrivals.set(name, recent);
    if (recent.length >= maxPerMinute) {
      this.metrics.received(name, 'too_many');
      const waitS = Math.max(1, Math.ceil(((recent[0] ?? nowMs) + minuteMs - nowMs) / 1_000));
      const text = `more than ${maxPerMinute} alerts in a minute; nothing was stored`;
      this.signals?.notTaken(source, text);
      throw new ApiError('too_many_requests', `${name}: ${text}`, { headers: { 'retry-after': String(waitS) } });
    }
    recent.push(nowMs);
  }
}

function bearerOf({ headers }: FastifyRequest): string {
  return /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
}

/** Compares digests, so that neither the length nor a common begin shows in the duration. An empty secret is never right. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected)) && expected !== '';
}
