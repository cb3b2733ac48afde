import type { EntryOptions, OrderChange, Side, StackOptions, Trail } from '@libs/strategy';

/** An intent of a strategy. Its id is unique within one start of the daemon. */
export type Intent = { readonly id: string } & IntentAction;
export type IntentAction =
  | {
      readonly action: 'enter';
      readonly side: Side;
      readonly stream: string;
      readonly options: EntryOptions;
      /** The group of orders that it is in: the fill of one cancels the others. */
      readonly oco?: string;
    }
  | ({ readonly action: 'close'; readonly volume: number | null } & PositionRef)
  | ({
      readonly action: 'protect';
      readonly sl?: number | null;
      readonly tp?: number | null;
      /** Whether it is a move of the daemon's trailing stop. */
      readonly isTrailing?: true;
    } & PositionRef)
  | ({ readonly action: 'trail'; readonly trail: Trail | null } & PositionRef)
  | ({ readonly action: 'modify'; readonly change: OrderChange } & OrderRef)
  | ({ readonly action: 'cancel' } & OrderRef)
  | { readonly action: 'stack'; readonly stream: string; readonly options: Omit<StackOptions, 'stream'> };

interface OrderRef {
  readonly order: number;
  /** The gateway that numbered it; null when the strategy named a bare number. */
  readonly broker: string | null;
}

interface PositionRef {
  readonly position: number;
  /** The gateway that numbered it; null when the strategy named a bare number. */
  readonly broker: string | null;
}
