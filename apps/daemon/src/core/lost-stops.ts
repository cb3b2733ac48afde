import { priceText } from '@libs/gateway-client/figure-text';
import type { StopRecord, OwnedTicket } from './records';
import type { OrderIntent } from './plan';
import type { Holdings } from './risk';

/** A stop-loss that differs from the one that was last set through the gateway, as the gateway reports it. */
export interface LostStop {
  /** The position's ticket at the terminal. */
  readonly ticket: number;
  /** Prices; 0 for none. */
  readonly expected: number;
  readonly actual: number;
}

/** The lost stop-losses of an account. */
export interface LostStops {
  readonly broker: string;
  readonly lost: readonly LostStop[];
  /** Of the prices of symbols, for texts; without those that are not known. */
  readonly digits: Readonly<Record<string, number>>;
}

/** What is done about a lost stop-loss without a decision of the strategy. */
export interface StopAction {
  readonly intent: Extract<OrderIntent, { action: 'close' | 'protect' }>;
  readonly reason: string;
  /** The ticket, with the note that this loss was acted on. */
  readonly noted: OwnedTicket;
}

/**
 * What to do about stop-losses that were lost or changed without a request. Both witnesses have to agree: the gateway reports the
 * loss of just the stop-loss that the books hold, and the last list shows it. A stop-loss that was never shown in place, and is not
 * gone, was set differently by the broker, such as rounded: that is no loss. Each loss is acted on once.
 */
export function stopActions({ book, inFlight }: Holdings, { broker, lost, digits }: LostStops): StopAction[] {
  const { onLostStop } = book.spec;
  if (onLostStop === undefined || lost.length === 0 || book.unexplained(broker).length > 0) return [];
  return book.held.flatMap(({ owned, position }): StopAction[] => {
    const { ticket, stop } = owned;
    const found = lost.find((row) => row.ticket === position.ticket);
    if (owned.broker !== broker || !found || !stop || !isLoss(stop, found) || position.sl !== found.actual) return [];
    if (inFlight.some((other) => other.broker === broker && other.ticket === ticket)) return [];
    const { sl } = stop;
    const { actual } = found;
    return [
      {
        intent:
          onLostStop === 'close'
            ? { id: `lost-stop-${ticket}`, action: 'close', position: ticket, broker, volume: null }
            : { id: `lost-stop-${ticket}`, action: 'protect', position: ticket, broker, sl },
        reason: reasonOf(found, digits[position.symbol]),
        noted: { ...owned, stop: { ...stop, handled: actual } },
      },
    ];
  });
}

function reasonOf({ expected, actual }: LostStop, digits: number | undefined): string {
  const was = `its stop-loss ${priceText(expected, digits)} was`;
  return actual === 0 ? `${was} lost` : `${was} changed to ${priceText(actual, digits)}`;
}

/** Tickets whose stop-loss the last list shows in place, for the first time or again. */
export function stopsInPlace({ book }: Pick<Holdings, 'book'>): readonly OwnedTicket[] {
  if (book.spec.onLostStop === undefined) return [];
  return book.held.flatMap(({ owned, position }) => {
    const { stop } = owned;
    if (!stop || position.sl !== stop.sl || (stop.isSeen && stop.handled === undefined)) return [];
    return { ...owned, stop: { sl: stop.sl, isSeen: true } };
  });
}

function isLoss({ sl, isSeen, handled }: StopRecord, { expected, actual }: LostStop): boolean {
  return sl !== 0 && sl === expected && actual !== sl && actual !== handled && (isSeen || actual === 0);
}
