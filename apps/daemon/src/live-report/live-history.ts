import { SystemClock, type Clock } from '@libs/clock';
import type { AccountRecord } from '@libs/gateway-client';
import { readApiKey } from '../daemon-file/api-key';
import { GatewaySession } from '../gateways/gateway-session';
import type { IntentRecord, OwnedTicket, StrategyRecord } from '../core/records';
import type { StrategyRecords } from '../state/state-store';
import { lackingPositions, readHistory } from './account-history';
import { spanOf, type LivePeriod } from './live-period';
import type { LivePosition } from './live-position';
import type { LiveSubject } from './live-subject';
import { withinSpan, type Span } from './live-trade';

/** The clock of a broker may be ahead of the quotes that were read. */
const aheadMs = 86_400_000;

/**
 * Where the daemon's own records come from; `none`: the state directory has no state, so only the magic shows which strategy
 * a position belongs to.
 */
export type RecordsFrom = 'daemon' | 'state directory' | 'none';

/** The daemon's own records of the strategies. */
export interface StoredRecords {
  readonly from: RecordsFrom;
  readonly records: readonly StrategyRecord[];
  readonly tickets: readonly OwnedTicket[];
  readonly intents: readonly IntentRecord[];
}

export const noRecords: StoredRecords = { from: 'none', records: [], tickets: [], intents: [] };

/** Joins what is stored of each strategy. */
export function joinedRecords(from: RecordsFrom, all: readonly StrategyRecords[]): StoredRecords {
  return {
    from,
    records: all.flatMap(({ record }) => record ?? []),
    tickets: all.flatMap(({ tickets }) => tickets),
    intents: all.flatMap(({ intents }) => intents),
  };
}

/** An account that was read, and the session that reads more of it. */
export interface ReadAccount {
  readonly session: GatewaySession;
  readonly account: Pick<AccountRecord, 'login' | 'server' | 'currency' | 'leverage' | 'trade_mode' | 'margin_mode'>;
}

/** What a strategy or portfolio traded in a period, and where that is known from. */
export interface LiveHistory {
  readonly subject: LiveSubject;
  readonly stored: StoredRecords;
  readonly span: Span;
  readonly accounts: readonly ReadAccount[];
  readonly positions: readonly LivePosition[];
  /** Gateways of the records that are no longer configured: what was traded there cannot be read. */
  readonly lostGateways: readonly string[];
  /** Positions of the records that an account lacks although no deal has closed them. */
  readonly lacking: readonly Pick<OwnedTicket, 'broker' | 'ticket'>[];
}

/**
 * Reads what the accounts show of a subject in a period.
 * @throws GatewayReadError, AccountMismatchError, UnknownZoneError, Error for a key that cannot be read
 */
export async function readLiveHistory(
  subject: LiveSubject,
  stored: StoredRecords,
  period: LivePeriod,
  env: Readonly<Record<string, string | undefined>>,
  clock: Clock = new SystemClock(),
): Promise<LiveHistory> {
  const used = usedGateways(subject, stored);
  const accounts: ReadAccount[] = [];
  for (const spec of subject.gateways.filter(({ name }) => used.includes(name))) {
    const session = new GatewaySession(spec, readApiKey(spec.apiKeyEnv, env));
    accounts.push({ session, account: await session.verify() });
  }
  const span = spanOf(period, await newestQuoteMs(subject, accounts), clock.nowMs());
  const untilMs = Math.max(span.toMs, clock.nowMs()) + aheadMs;
  const positions: LivePosition[] = [];
  const lacking: OwnedTicket[] = [];
  for (const { session } of accounts) {
    const { name: gateway, client } = session;
    // The magic of a strategy counts only where it trades.
    const strategies = subject.strategies.filter((spec) => spec.streams.some(({ broker }) => broker === gateway));
    const of = {
      gateway,
      reads: client.reads,
      strategies,
      tickets: stored.tickets,
      fromMs: span.fromMs,
      untilMs,
    };
    positions.push(...(await readHistory(of)));
    lacking.push(...lackingPositions(of, positions));
  }
  const lostGateways = used.filter((name) => !subject.gateways.some((spec) => spec.name === name));
  return { subject, stored, span, accounts, positions: withinSpan(positions, span), lostGateways, lacking };
}

/** Time of the newest quote of the streams, in UTC milliseconds; null if none has a time in UTC. */
async function newestQuoteMs({ strategies }: LiveSubject, accounts: readonly ReadAccount[]): Promise<number | null> {
  const times: number[] = [];
  for (const { session } of accounts) {
    const streams = strategies.flatMap((spec) => spec.streams).filter(({ broker }) => broker === session.name);
    for (const symbol of new Set(streams.map((stream) => stream.symbol))) {
      const { time_utc: time } = await session.client.reads.symbolInfoTick(symbol);
      if (time !== null) times.push(Date.parse(time));
    }
  }
  return times.length === 0 ? null : Math.max(...times);
}

/** The gateways where strategies trade, and where they have traded as far as the records know. */
function usedGateways({ strategies }: LiveSubject, { tickets }: StoredRecords): readonly string[] {
  const brokers = strategies.flatMap(({ streams }) => streams.map(({ broker }) => broker));
  return [...new Set([...brokers, ...tickets.map(({ broker }) => broker)])];
}
