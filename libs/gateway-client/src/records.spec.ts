import type { AccountResponse } from '../../../apps/gateway/src/account/account.response';
import type { KillResponse, ReleaseResponse } from '../../../apps/gateway/src/control/control.response';
import type { HealthResponse } from '../../../apps/gateway/src/health/health.response';
import type { KeyedDealRow } from '../../../apps/gateway/src/history/deals.response';
import type { KeyedOrderRow } from '../../../apps/gateway/src/history/history-orders.response';
import type { PositionSummaryResponse } from '../../../apps/gateway/src/history/position-summary.response';
import type { BarRow } from '../../../apps/gateway/src/market-data/bars.response';
import type {
  CalcMarginRequest as MarginBody,
  CalcProfitRequest as ProfitBody,
} from '../../../apps/gateway/src/orders/calculator.request';
import type { OrderSendRequest as OrderSendBody } from '../../../apps/gateway/src/order-send/order-send.request';
import type { OrderSendResponse } from '../../../apps/gateway/src/order-send/order-send.response';
import type { OrderCheckResponse } from '../../../apps/gateway/src/orders/calculator.response';
import type { ModifyOrderRequest as ModifyOrderBody } from '../../../apps/gateway/src/orders/modify-order.request';
import type {
  OrderCancelledResponse,
  OrderModifiedResponse,
} from '../../../apps/gateway/src/orders/order-change.response';
import type { OrderRequest as OrderBody } from '../../../apps/gateway/src/orders/order.request';
import type { OrderResponse } from '../../../apps/gateway/src/orders/order.response';
import type { CloseAllResponse } from '../../../apps/gateway/src/positions/close-all.response';
import type {
  CloseAllRequest as CloseAllBody,
  ClosePartialRequest as ClosePartialBody,
  ClosePositionRequest as CloseBody,
} from '../../../apps/gateway/src/positions/close-position.request';
import type { PositionClosedResponse } from '../../../apps/gateway/src/positions/close-position.response';
import type { ModifyLevelsRequest } from '../../../apps/gateway/src/positions/modify-levels.request';
import type { ModifyLevelsResponse } from '../../../apps/gateway/src/positions/modify-levels.response';
import type { PositionRow } from '../../../apps/gateway/src/positions/positions.response';
import type { ReconcileResponse } from '../../../apps/gateway/src/reconciliation/reconcile.response';
import type { TradeRequestResponse } from '../../../apps/gateway/src/reconciliation/trade-request.response';
import type {
  BookRow,
  SymbolInfoResponse,
  SymbolRow,
  TickResponse,
} from '../../../apps/gateway/src/symbols/symbols.response';
import type { RaiseFenceRequest as RaiseFenceBody } from '../../../apps/gateway/src/control/fence.request';
import type { FenceResponse } from '../../../apps/gateway/src/control/fence.response';
import type { AccountAcceptedResponse } from '../../../apps/gateway/src/account/account.response';
import type { JournalAcceptedResponse } from '../../../apps/gateway/src/control/journal.response';
import type * as client from './index';

/** The gateway's records assigned to the client's: a missing or different member does not compile. */
type Fits<Gateway extends Client, Client> = readonly [Gateway, Client];
/** The members of the gateway's answer that the client's type does not have. */
type Unnamed<Gateway, Client> = Exclude<keyof Gateway, keyof Client | 'ok'>;

/**
 * Members that the gateway repeats under a second name for clients of other gateways; this client has one name each.
 */
type SecondName = 'volume' | 'open_price' | 'close_price' | 'open_time' | 'close_time';

interface Pairs {
  account: Fits<AccountResponse, client.AccountRecord>;
  symbol: Fits<SymbolInfoResponse, client.SymbolRecord>;
  symbolRow: Fits<SymbolRow, client.SymbolListRecord>;
  bookRow: Fits<BookRow, client.BookRecord>;
  tick: Fits<TickResponse, client.TickRecord>;
  bar: Fits<BarRow, client.FullBarRecord>;
  position: Fits<PositionRow, client.PositionRecord>;
  order: Fits<KeyedOrderRow, client.OrderRecord>;
  pastOrder: Fits<KeyedOrderRow, client.HistoryOrderRecord>;
  deal: Fits<KeyedDealRow, client.DealRecord>;
  summary: Fits<Omit<PositionSummaryResponse, SecondName>, client.PositionSummary>;
  health: Fits<HealthResponse, client.HealthReport>;
  reconciliation: Fits<ReconcileResponse, client.Reconciliation>;
  tradeRequest: Fits<TradeRequestResponse, client.TradeRequestReport>;
  orderCheck: Fits<OrderCheckResponse, client.OrderCheck>;
  placed: Fits<OrderResponse, client.OrderAnswer>;
  sent: Fits<OrderSendResponse, client.OrderSendAnswer>;
  modifiedOrder: Fits<OrderModifiedResponse, client.ModifyOrderAnswer>;
  cancelled: Fits<OrderCancelledResponse, client.CancelOrderAnswer>;
  modifiedLevels: Fits<ModifyLevelsResponse, client.ModifySlTpAnswer>;
  closed: Fits<PositionClosedResponse, client.ClosePositionAnswer>;
  allClosed: Fits<CloseAllResponse, client.CloseAllAnswer>;
  killed: Fits<KillResponse, client.KillAnswer>;
  journalAccepted: Fits<JournalAcceptedResponse, client.JournalAcceptedAnswer>;
  accountAccepted: Fits<AccountAcceptedResponse, client.AccountAcceptedAnswer>;
  fence: Fits<FenceResponse, client.FenceRecord>;
  released: Fits<ReleaseResponse, client.ReleaseAnswer>;
  raiseBody: Fits<client.RaiseFenceRequest, RaiseFenceBody>;
  orderSendBody: Fits<client.OrderSendRequest, OrderSendBody>;
  orderBody: Fits<client.OrderRequest, OrderBody>;
  modifyOrderBody: Fits<client.ModifyOrderRequest, ModifyOrderBody>;
  modifySlTpBody: Fits<client.ModifySlTpRequest, ModifyLevelsRequest>;
  closeBody: Fits<client.ClosePositionRequest, CloseBody>;
  closePartialBody: Fits<client.ClosePartialRequest, ClosePartialBody>;
  closeAllBody: Fits<client.CloseAllRequest, CloseAllBody>;
  marginBody: Fits<client.CalcMarginRequest, MarginBody>;
  profitBody: Fits<client.CalcProfitRequest, ProfitBody>;
}

/** Names of the terminal's numbers, and other members that the client's records omit on purpose. */
type LeftOut = 'type_str' | 'state_str' | 'entry_str' | 'time_setup_utc' | 'time_done_utc' | 'time_expiration_utc';
type Answers = Omit<Pairs, 'reconciliation' | `${string}Body`>;
type Missing = {
  [Name in keyof Answers]: Exclude<Unnamed<Answers[Name][0], Answers[Name][1]>, LeftOut>;
}[keyof Answers];

describe('the types of the client', () => {
  it('match the gateway’s answers, with every member except the names of numbers', () => {
    // The compiler is the test: this assignment fails as soon as the gateway returns something that has no type here.
    const missing: [Missing] extends [never] ? 'nothing' : Missing = 'nothing';
    expect(missing).toBe('nothing');
  });
});
