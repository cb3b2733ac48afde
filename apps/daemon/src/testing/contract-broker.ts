import { DealEntry, OrderState, PositionType, TradeReason } from '@libs/trade-constants';
import type { Row } from './contract-answer';

/** Result of each close on request, in money. */
const closeProfit = 12.34;

/** As much of a broker as the daemon's own tests need: market orders at one price, closes at another. */
export class ContractBroker {
  readonly positions: Row[] = [];
  readonly deals: Row[] = [];
  /** Orders that came into the market, done. */
  readonly pastOrders: Row[] = [];
  private tickets = 1_000;
  private fillLast: () => void = () => undefined;

  position(ticket: number): Row | undefined {
    return this.positions.find((row) => row['ticket'] === ticket);
  }

  /** Opens a position at the market. @returns its ticket, which is that of its order */
  open(body: Row, key: string | null, reason: number): number {
    const ticket = ++this.tickets;
    const position: Row = {
      ...{
        ticket,
        identifier: ticket,
        magic: body['magic'],
        symbol: body['symbol'],
        volume: body['volume'],
        sl: body['sl'] ?? 0,
        tp: body['tp'] ?? 0,
      },
      ...{
        type: body['type'] === 'SELL' ? PositionType.SELL : PositionType.BUY,
        price_open: 1.1,
        price_current: 1.1,
        swap: 0,
        profit: 0.5,
        time_msc: 0,
      },
      ...{ time_utc: '2024-01-01T00:00:00Z', comment: '', client_order_id: key },
    };
    this.positions.push(position);
    this.book(position, DealEntry.IN, Number(body['volume']), 0, { reason, key, order: ticket });
    return ticket;
  }

  /** Closes a position, or a part of it. @returns the ticket of the order */
  close(position: Row, volume: number, key: string, order = ++this.tickets): number {
    this.book(position, DealEntry.OUT, volume, closeProfit, { reason: TradeReason.EXPERT, key, order });
    position['volume'] = Number((Number(position['volume']) - volume).toFixed(2));
    if (position['volume'] === 0) this.positions.splice(this.positions.indexOf(position), 1);
    return order;
  }

  /** Accepts a close, to be filled by {@link fillAccepted}. @returns the ticket of the order */
  accept(position: Row, volume: number, key: string): number {
    const order = ++this.tickets;
    this.fillLast = () => void this.close(position, volume, key, order);
    return order;
  }

  /** Fills the close that was accepted last. */
  fillAccepted(): void {
    this.fillLast();
  }

  /** Closes a position without a request: by stop-loss, or manually. */
  closeUnasked(ticket: number, reason: number, profit: number): void {
    const index = this.positions.findIndex((row) => row['ticket'] === ticket);
    const [position] = this.positions.splice(index, 1);
    if (position) this.book(position, DealEntry.OUT, Number(position['volume']), profit, { reason, key: null });
  }

  /** Removes the keys of requests from all rows. */
  forgetKeys(): void {
    for (const row of [...this.positions, ...this.pastOrders, ...this.deals]) row['client_order_id'] = null;
  }

  private book(
    position: Row,
    entry: number,
    volume: number,
    profit: number,
    { reason, key, order = ++this.tickets }: { reason: number; key: string | null; order?: number },
  ): number {
    const type = entry === DealEntry.IN ? position['type'] : 1 - Number(position['type']);
    this.pastOrders.push({
      ...{
        ticket: order,
        position_id: position['ticket'],
        state: OrderState.FILLED,
        type,
        volume_initial: volume,
        volume_current: 0,
      },
      ...{ symbol: position['symbol'], magic: position['magic'], reason, client_order_id: key },
      ...{ time_setup_utc: '2024-01-01T00:00:00Z' },
    });
    this.deals.push({
      ...{ ticket: ++this.tickets, order, type, entry },
      ...{
        magic: position['magic'],
        position_id: position['ticket'],
        reason,
        volume,
        price: entry === DealEntry.IN ? 1.1 : 1.2,
      },
      ...{ commission: -0.35, swap: entry === DealEntry.IN ? 0 : -0.01, profit, fee: 0, symbol: position['symbol'] },
      ...{ time_msc: this.deals.length, time_utc: '2024-01-01T00:00:00Z', comment: '', client_order_id: key },
    });
    return order;
  }
}
