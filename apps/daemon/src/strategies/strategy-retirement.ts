import { nanosNow } from '../latency/nanos';
import type { OwnedTicket } from '../state/records';
import { isWorking } from '../trading/deal-booking';
import { ticketKey } from '../trading/ticket-key';
import type { StrategyRunner } from './strategy-runner';

/** How long it may take until nothing of the strategy is on its way any more. */
const patienceMs = 10_000;
const lookAgainMs = 100;

/**
 * Takes a strategy out of service: it is told nothing more, what it has sent is followed to its end, and its pending
 * orders are cancelled, because nobody would watch what they open. Its positions stay at the broker.
 * @returns the positions that stay
 * @throws Error when something is still on its way after {@link patienceMs}: the strategy goes on
 */
export async function retire(runner: StrategyRunner): Promise<readonly OwnedTicket[]> {
  await runner.pause();
  try {
    await windUp(runner);
  } catch (error) {
    // Not waited for: its gateway may be away.
    void runner.resumeAfterPause('its removal was put off');
    throw error;
  }
  await runner.endLive();
  runner.end();
  for (const { sync } of runner.services.gateways()) sync.remove(runner.account);
  const { openTickets } = runner.book;
  const names = openTickets.map(({ broker, ticket, symbol }) => `${symbol} ${ticket} on ${broker}`);
  if (names.length === 0) runner.log.info('removed from the configuration');
  else runner.log.error('removed from the configuration; its positions stay open and unwatched', { positions: names });
  return openTickets;
}

async function windUp(runner: StrategyRunner): Promise<void> {
  const { clock } = runner.services;
  const untilMs = clock.monotonicMs() + patienceMs;
  // It has never run, and what it owns is not known.
  if (runner.trading.unreadable !== null) return;
  const asked = new Set<string>();
  await runner.trading.takeUp();
  runner.attach();
  for (;;) {
    for (const broker of runner.brokers) await runner.services.gateway(broker).sync.now();
    const problem = onItsWay(runner);
    if (problem === null) return;
    if (clock.monotonicMs() >= untilMs) throw new Error(problem);
    await cancelPending(runner, asked);
    await clock.sleep(lookAgainMs);
  }
}

async function cancelPending({ book, trading }: StrategyRunner, asked: Set<string>): Promise<void> {
  const { desk } = trading;
  for (const { broker, ticket } of book.openTickets) {
    const key = ticketKey(broker, ticket);
    if (!book.orderRow(broker, ticket) || desk.isActingOn(broker, ticket) || asked.has(key)) continue;
    asked.add(key);
    const intent = { id: `removed-${ticket}`, action: 'cancel', order: ticket, broker } as const;
    await desk.carryOut(intent, { receivedNanos: null, decidedNanos: nanosNow() });
  }
}

/** Why the strategy cannot be let go of yet; null when it can. */
function onItsWay({ trading, book, isAccountCurrent }: StrategyRunner): string | null {
  if (trading.desk.inFlight > 0) return 'the outcome of a request is not known yet';
  if (trading.persistence.lastError !== null) return 'its state could not be written';
  if (book.openTickets.length > 0 && !isAccountCurrent) return 'its account could not be read';
  const pending = book.openTickets.filter(isWorking).map(({ ticket }) => ticket);
  return pending.length === 0 ? null : `pending orders could not be cancelled: ${pending.join(', ')}`;
}
