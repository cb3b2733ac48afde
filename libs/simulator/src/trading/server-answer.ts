import type { LiveQuote } from '../quotes/live-quote';

/** The trade server's answer to a request, before the terminal numbers it. */
export interface ServerAnswer {
  readonly retcode: number;
  readonly comment: string;
  readonly deal: number;
  readonly order: number;
  readonly volume: number;
  readonly price: number;
  readonly bid: number;
  readonly ask: number;
}

type Outcome = Pick<ServerAnswer, 'retcode' | 'comment'>;

/** An answer with the prices of the moment, and what was done if anything was. */
export function answer(
  { retcode, comment }: Outcome,
  quote: LiveQuote | null,
  done: Partial<Pick<ServerAnswer, 'deal' | 'order' | 'volume' | 'price'>> = {},
): ServerAnswer {
  const { deal = 0, order = 0, volume = 0, price = 0 } = done;
  return { retcode, comment, deal, order, volume, price, bid: quote?.bid ?? 0, ask: quote?.ask ?? 0 };
}
