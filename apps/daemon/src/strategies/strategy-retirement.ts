import { nanosNow } from '../latency/nanos';
import type { OwnedTicket } from '../core/records';
import { isWorking } from '../core/deal-booking';
import { cancellable } from '../core/pending-sweep';
import { ticketKey } from '../core/ledger';
import { gatewayOf } from '../live/surroundings';
import type { StrategyRunner } from './strategy-runner';

/** Maximum time until no request of the strategy is in flight. */
const longestMs = 10_000;
const lookAgainMs = 100;

/**
 * Retires a strategy: it receives no more events, its requests are followed to their end, and its pending orders are
 * cancelled, because what they open would not be managed. Its positions stay at the broker.
 * @returns the positions that stay
 * @throws Error when something is still in flight after {@link longestMs}: the strategy continues
 */
export async function retire(runner: StrategyRunner): Promise<readonly OwnedTicket[]> {
  await runner.pause();
  try {
    await windUp(runner);
  } catch (error) {
    // Not awaited: its gateway may be unreachable.
    void runner.resumeAfterPause('its removal was postponed');
    throw error;
  }
  await runner.endLive();
  runner.end();
  for (const { sync } of runner.services.gateways.values()) sync.remove(runner.account);
  const { openTickets } = runner.book;
  const names = openTickets.map(({ broker, ticket, symbol }) => `${symbol} ${ticket} on ${broker}`);
  if (names.length === 0) runner.log.info('removed from the configuration');
  else
    runner.log.error('removed from the configuration; its positions stay open and are no longer managed', {
      positions: names,
    });
  return openTickets;
}

/** Whether a strategy whose removal was postponed has what it waited for. It is looked up while the strategy runs. */
export function mayRetire(runner: StrategyRunner): boolean {
  return runner.trading.unreadable !== null || requestProblem(runner) === null;
}

async function windUp(runner: StrategyRunner): Promise<void> {
  const { clock } = runner.services;
  const untilMs = clock.monotonicMs() + longestMs;
  // It has never run, and its positions are unknown.
  if (runner.trading.unreadable !== null) return;
  const asked = new Set<string>();
  await runner.trading.takeUp();
  runner.accounts.subscribe();
  for (;;) {
    for (const broker of runner.accounts.brokers) await gatewayOf(runner.services.gateways, broker).sync.now();
    const problem = inFlightProblem(runner);
    if (problem === null) return;
    if (clock.monotonicMs() >= untilMs) throw new Error(problem);
    await cancelPending(runner, asked);
    await clock.sleep(lookAgainMs);
  }
}

async function cancelPending({ trading: { desk } }: StrategyRunner, asked: Set<string>): Promise<void> {
  const isNew = ({ broker, ticket }: OwnedTicket): boolean => !asked.has(ticketKey(broker, ticket));
  // Checked again for each order: a halt may have cancelled the next one in the meantime.
  for (let next = cancellable(desk.holdings).find(isNew); next; next = cancellable(desk.holdings).find(isNew)) {
    const { broker, ticket } = next;
    asked.add(ticketKey(broker, ticket));
    const intent = { id: `removed-${ticket}`, action: 'cancel', order: ticket, broker } as const;
    await desk.carryOut(intent, { receivedNanos: null, decidedNanos: nanosNow() });
  }
}

/** Why the strategy cannot be retired yet; null if it can. */
function inFlightProblem(runner: StrategyRunner): string | null {
  const problem = requestProblem(runner);
  if (problem !== null) return problem;
  const pending = runner.book.openTickets.filter(isWorking).map(({ ticket }) => ticket);
  return pending.length === 0 ? null : `pending orders could not be cancelled: ${pending.join(', ')}`;
}

/** The same without its pending orders, which a retirement cancels. */
function requestProblem({ trading, book, accounts }: StrategyRunner): string | null {
  if (trading.desk.inFlight > 0) return 'the outcome of a request is not known yet';
  if (trading.persistence.lastError !== null) return 'its state could not be written';
  if (book.openTickets.length > 0 && !accounts.areCurrent) return 'its account could not be read';
  return null;
}

/**
 * Stops a strategy on this host after its lease has ended. Its orders and positions stay as they are. This host no
 * longer looks up its requests in flight: the next holder of the lease reads the state and goes on.
 * @param host name of this host, for the log
 */
export async function handOver(runner: StrategyRunner, host: string): Promise<void> {
  await runner.stop();
  for (const { sync } of runner.services.gateways.values()) sync.remove(runner.account);
  runner.log.info('handed over to another host', { host });
}
