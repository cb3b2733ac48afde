export { readFaultAddress } from './cli/fault-address';
export { serveFaults, type ServedFaults } from './cli/serve-faults';
export { assets } from './symbols/assets';
export { generatedBars, type GeneratedBars, type WantedBars } from './market/generated/generated-bars';
export type { LimitFill } from './quotes/quote-source';
export { barLength, isMadeOf, statedLength, timeframeName } from './market/replay/bar-length';
export { crossedTimes } from './market/replay/crossed-quotes';
export { scanPrices, type FaultyRow, type PriceScan, type RowFault } from './market/replay/price-scan';
export {
  filePieces,
  readerVersion,
  readRecording,
  readRecordingPieces,
  RecordingError,
  type Recording,
} from './market/replay/recordings';
export { recordedTimes, type PastBars, type RecordedMinute, type RecordedTimes } from './market/replay/recorded-times';
export { MissingSideError } from './market/replay/recording-error';
export { readSymbolRecordings, type ReplayFile, replayFile, type SymbolRecording } from './market/replay/replay-files';
export type { ClosedBarRow, ClosingBars } from './bars/closing-bars';
export { Conversion, type Rates } from './money/conversion';
export { commissionOf, swapShare } from './money/costs';
export { difference, sum } from './money/decimals';
export { floatingProfit, PositionProfit, roundedProfit } from './money/floating-profit';
export { marginEstimate, marginMultiplier, orderMargin } from './money/margin';
export { isReopening, roundedSwap, swapDays } from './money/swap';
export type { Trade as PricedTrade } from './money/profit';
export { profitFormula } from './symbols/profit-formula';
export { parseSymbolFile, symbolFileSchema } from './symbols/symbol-file';
export { BarPath } from './trading/bar-path';
export { slipped } from './trading/slippage';
export { isStopLimit, isUnchanged, pendingLevelsRefusal } from './trading/pending-orders';
export { fillingRefusal, isPrice, orderModeRefusal, stopsRefusal, volumeRefusal } from './trading/symbol-rules';
export {
  beyondOf,
  type Bounds,
  isCrossed,
  isReached,
  levels,
  levelTrigger,
  type Level,
  narrowToLevels,
  narrowToOrder,
  noBounds,
  type Prices,
  triggerOf,
} from './trading/triggers';
export type { TicketSequence } from './trading/ticket-sequence';
export { QuoteBlock } from './quotes/quote-source';
export { symbolTerms, valuedTerms } from './session/symbol-record';
export type { DirectTerminal, Listing } from './session/direct-terminal';
export type { Fault, FaultKind, LaggingList } from './session/fault';
export { Simulator } from './simulator';
export { simulatorOptions, simulatorSettings } from './simulator.config';
export type { AccountOptions, MarginModeName, ScriptedQuote } from './simulator-options';
export { historyFolder } from './state/history-settings';
export { ScratchFolder } from './state/scratch-folder';
export { ServerClock } from './time/server-clock';
export { catalogue } from './symbols/catalogue';
export type { SymbolSpec } from './symbols/symbol-spec';
