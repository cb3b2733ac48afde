export { effects, refusals, type Effect, type Refusal, type RequestEvent } from './request-event';
export { step, storedLife, type Step } from './request-life';
export { moveNames, requestMoves, type Move, type MoveName } from './request-moves';
export {
  freeKey,
  isHandled,
  isOpenStatus,
  requestStates,
  sendStates,
  statusOf,
  storedStatuses,
  type RequestLife,
  type RequestState,
  type SendOutcomeState,
  type SendState,
  type StoredStatus,
} from './request-state';
export { sendMoves, type SendEvent } from './send-moves';
