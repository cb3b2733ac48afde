import {
  accountFields,
  auditVerificationFields,
  barRowFields,
  bookFields,
  checkRowFields,
  daemonStrategiesFields,
  differenceFields,
  equityPageFields,
  equityReadingFields,
  eventsPageFields,
  fenceFields,
  keyedAuditFields,
  lastErrorFields,
  listedSymbolFields,
  positionSummaryFields,
  readinessFields,
  requiredSymbolFields,
  setAsideNotificationFields,
  recentRequestFields,
  recentRequestsFields,
  signalFields,
  terminalInfoFields,
  tickRowFields,
  tradeEventFields,
  unresolvedRequestFields,
  without,
} from '@libs/records';
import type { OrderCheck } from './calculator-records';
import type { FenceRecord } from './fence-records';
import type {
  DaemonStrategies,
  HealthReport,
  ReadinessReport,
  SetAsideNotification,
  StrategyLog,
  StrategyResults,
} from './health-records';
import type { SignalRecord } from './signal-records';
import type { EquityPage, EquityReading, EventsPage, LastError, PositionSummary } from './history-records';
import { dealMembers, historyOrderMembers, orderMembers, positionMembers } from './members';
import type {
  AuditVerification,
  Difference,
  KeyedAudit,
  RecentRequest,
  RecentRequests,
  Reconciliation,
  TradeRequestReport,
  UnresolvedRequest,
} from './reconciliation-records';
import { always, RecordShape } from './record-shape';
import type {
  AccountRecord,
  BookRecord,
  DealRecord,
  FullBarRecord,
  HistoryOrderRecord,
  OrderRecord,
  PositionRecord,
  TickRecord,
} from './records';
import type { DifferenceNotice, SignalEventRecord, TickEventRecord, TradeEventRecord } from './stream-records';
import type { ServerTimeRecord, SymbolListRecord, SymbolRecord, TerminalRecord } from './symbol-records';

/** What the client reads from the gateway, with the members that it checks. */
export const shapes = {
  account: new RecordShape<AccountRecord>('account', always(accountFields)),
  equity: new RecordShape<EquityReading>('reading of the equity', always(equityReadingFields)),
  equityPage: new RecordShape<Pick<EquityPage, 'next_since' | 'problem'>>('page of readings', always(equityPageFields)),
  symbol: new RecordShape<SymbolRecord>('symbol', always(requiredSymbolFields)),
  symbolRow: new RecordShape<SymbolListRecord>('symbol', always(listedSymbolFields)),
  bookRow: new RecordShape<BookRecord>('book row', always(bookFields)),
  tick: new RecordShape<TickRecord>('tick', always(tickRowFields)),
  bar: new RecordShape<FullBarRecord>('bar', always(barRowFields)),
  position: new RecordShape<PositionRecord>('position', always(positionMembers)),
  order: new RecordShape<OrderRecord>('order', always(orderMembers)),
  pastOrder: new RecordShape<HistoryOrderRecord>('order', always(historyOrderMembers)),
  deal: new RecordShape<DealRecord>('deal', always(dealMembers)),
  // Version 0.1.0 sent no comment.
  summary: new RecordShape<PositionSummary>('position summary', always(without(positionSummaryFields, 'comment'))),
  orderCheck: new RecordShape<OrderCheck>('order check', always(checkRowFields)),
  differenceNotice: new RecordShape<DifferenceNotice>('difference', always(differenceFields)),
  event: new RecordShape<TradeEventRecord>('trade event', always(tradeEventFields)),
  tickEvent: new RecordShape<TickEventRecord>('tick', { ...always(tickRowFields), seq: 'number', symbol: 'string' }),
  signalEvent: new RecordShape<SignalEventRecord>('signal event', { ...always(tradeEventFields), signal: 'object' }),
  eventsPage: new RecordShape<EventsPage>('page of events', always(eventsPageFields)),
  difference: new RecordShape<Difference>('difference', always(differenceFields)),
  fence: new RecordShape<FenceRecord>('fence', { ...always(fenceFields), magics: 'object' }),
  readiness: new RecordShape<ReadinessReport>('readiness report', always(readinessFields)),
  health: new RecordShape<HealthReport>('health report', {
    status: 'string',
    terminal_status: 'string',
    kill_switch_active: 'boolean',
    journal: 'object',
  }),
  tradeRequest: new RecordShape<TradeRequestReport>('trade request', { status: 'string' }),
  recentRequest: new RecordShape<RecentRequest>('trade request', always(recentRequestFields)),
  recentRequests: new RecordShape<Omit<RecentRequests, 'requests'>>('list of requests', always(recentRequestsFields)),
  keyedAudit: new RecordShape<KeyedAudit>('audit of a key', { ...always(keyedAuditFields), lines: 'object' }),
  auditVerification: new RecordShape<AuditVerification>('audit verification', {
    ...always(auditVerificationFields),
    problems: 'object',
  }),
  daemonStrategies: new RecordShape<DaemonStrategies>('list of strategies', always(daemonStrategiesFields)),
  strategyLog: new RecordShape<StrategyLog>('log of a strategy', always(daemonStrategiesFields)),
  strategyResults: new RecordShape<StrategyResults>('results of a strategy', always(daemonStrategiesFields)),
  setAside: new RecordShape<SetAsideNotification>('notification', always(setAsideNotificationFields)),
  signal: new RecordShape<SignalRecord>('signal', { ...always(signalFields), requests: 'object' }),
  liveness: new RecordShape<{ readonly status: string }>('liveness report', { status: 'string' }),
  serverTime: new RecordShape<ServerTimeRecord>('server time', {
    utc: 'string',
    server_epoch: 'number',
    offset_seconds: 'number',
  }),
  terminal: new RecordShape<TerminalRecord>('terminal', always(terminalInfoFields)),
  count: new RecordShape<{ readonly total: number }>('count', { total: 'number' }),
  margin: new RecordShape<{ readonly margin: number }>('margin', { margin: 'number' }),
  profit: new RecordShape<{ readonly profit: number }>('profit', { profit: 'number' }),
  lastError: new RecordShape<LastError>('last error', always(lastErrorFields)),
  lastErrorText: new RecordShape<{ readonly message: string }>('last error', { message: 'string' }),
  reconciliation: new RecordShape<Pick<Reconciliation, 'as_of'>>('reconciliation', { as_of: 'string' }),
  // Version 0.1.0 sent no id.
  unresolved: new RecordShape<UnresolvedRequest>('trade request', {
    ...always(without(unresolvedRequestFields, 'id')),
    sends: 'object',
  }),
};
