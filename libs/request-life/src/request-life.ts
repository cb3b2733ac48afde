import type { Effect, Refusal, RequestEvent } from './request-event';
import { requestMoves, type MoveName } from './request-moves';
import {
  didNothing,
  freeKey,
  isOpenSend,
  isUndecidable,
  type RequestLife,
  type SendState,
  type StoredStatus,
} from './request-state';
import { sendMoves, type SendEvent } from './send-moves';

/** The result of an event. A refusal leaves the life unchanged. */
export type Step =
  | { readonly kind: 'moved'; readonly life: RequestLife; readonly effects: readonly Effect[] }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

type Sends = RequestLife['sends'];

/** Decides on one event; the only place that does. Pure. */
export function step(life: RequestLife, event: RequestEvent): Step {
  const move = requestMoves[life.state][moveName(life.sends, event)];
  if (!move) return refused('impossible');
  if ('refusal' in move) return refused(move.refusal);
  const sends = sendsAfter(life.sends, event);
  if (sends === null) return refused(event.kind === 'settle' ? 'settled' : 'impossible');
  const next = move.to === 'free' ? freeKey : followed({ state: move.to, sends });
  return { kind: 'moved', life: next, effects: move.effects };
}

/** `unknown` is `undecidable` while every open outcome is, and only then. */
function followed(life: RequestLife): RequestLife {
  if (life.state !== 'unknown' && life.state !== 'undecidable') return life;
  return { ...life, state: isUndecidable(life.sends) ? 'undecidable' : 'unknown' };
}

function refused(refusal: Refusal): Step {
  return { kind: 'refused', refusal };
}

/** The event in the form of the table. */
export function moveName(sends: Sends, event: RequestEvent): MoveName {
  const all = Object.values(sends);
  switch (event.kind) {
    case 'reserve':
      if (!event.sameRequest) return 'reserve_other';
      return event.isFenced ? 'reserve_fenced' : 'reserve';
    case 'intent_failed':
      return event.reducesRisk ? 'intent_unwritable' : 'intent_failed';
    case 'answer':
      return event.unknown || all.some(isOpenSend) ? 'answer_unknown' : 'answer';
    case 'release':
      return all.every(didNothing) ? 'release' : 'release_done';
    case 'conclude':
      if (all.some(isOpenSend)) return 'conclude_open';
      return all.includes('done') ? 'recover' : 'find_absent';
    default:
      return event.kind;
  }
}

/** The sends after an event; null if its send cannot make this move. */
function sendsAfter(sends: Sends, event: RequestEvent): Sends | null {
  switch (event.kind) {
    case 'intend':
      return event.send in sends ? null : { ...sends, [event.send]: 'writing' };
    case 'intent_durable':
      return moved(sends, event.send, 'durable');
    case 'intent_failed':
      return moved(sends, event.send, event.reducesRisk ? 'unwritable' : 'failed');
    case 'settle':
      return moved(sends, event.send, event.outcome);
    case 'restart':
      return Object.fromEntries(Object.entries(sends).map(([id, send]) => [id, afterRestart(send)]));
    default:
      return sends;
  }
}

function moved(sends: Sends, id: string, event: SendEvent): Sends | null {
  const before = sends[id];
  const after = before && sendMoves[before][event];
  return after === undefined ? null : { ...sends, [id]: after };
}

/** A send without an outcome from an earlier process may have been executed. */
function afterRestart(send: SendState): SendState {
  return send === 'pending' || send === 'writing' ? 'unknown' : send;
}

/** The life of a request as stored on disk, before the restart is applied. */
export function storedLife(status: StoredStatus, sends: Sends): RequestLife {
  return followed({ state: status, sends });
}
