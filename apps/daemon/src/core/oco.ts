import type { IntentRecord, OwnedTicket, StrategyRecord } from './records';
import type { Holdings } from './risk';

/** A group of orders of which one has filled. */
export type FilledOco = NonNullable<StrategyRecord['filledOco']>[number];

/** Groups without an order or a request that are remembered: an intent for one of them may still be carried out. */
const mostIdle = 20;

/** The first order of a group that filled; undefined while none has, and for an order without a group. */
export function filledFirst(
  { filledOco }: Pick<StrategyRecord, 'filledOco'>,
  group: string | undefined,
): FilledOco | undefined {
  return group === undefined ? undefined : filledOco?.find((filled) => filled.group === group);
}

/** Whether an order is to be cancelled because another one of its group has filled. */
export function isSuperseded(record: Pick<StrategyRecord, 'filledOco'>, { oco, broker, ticket }: OwnedTicket): boolean {
  const first = filledFirst(record, oco);
  return first !== undefined && !(first.broker === broker && first.ticket === ticket);
}

/** The filled groups after executions of orders; those that no order can belong to are forgotten. */
export function withExecuted({ book, inFlight }: Holdings, executed: readonly OwnedTicket[]): readonly FilledOco[] {
  const known = book.record.filledOco ?? [];
  const fresh: FilledOco[] = [];
  for (const { oco: group, broker, ticket } of executed) {
    if (group === undefined || [...known, ...fresh].some((filled) => filled.group === group)) continue;
    fresh.push({ group, broker, ticket });
  }
  const open = new Set([...book.openTickets, ...inFlight].map(({ oco }: OwnedTicket | IntentRecord) => oco));
  const idle = known.filter(({ group }) => !open.has(group)).slice(-mostIdle);
  return [...known.filter((filled) => open.has(filled.group) || idle.includes(filled)), ...fresh];
}
