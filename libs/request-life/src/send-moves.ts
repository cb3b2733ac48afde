import type { SendOutcomeState, SendState } from './request-state';

/** `unwritable`: the intent could not be written, and the send passes because it only reduces risk. */
export type SendEvent = 'durable' | 'failed' | 'unwritable' | SendOutcomeState;

type Moves = Readonly<Partial<Record<SendEvent, SendState>>>;

const outcomes: Moves = {
  not_sent: 'not_sent',
  done: 'done',
  rejected: 'rejected',
  unknown: 'unknown',
  undecidable: 'undecidable',
  absent: 'absent',
};

/**
 * Every move of a send. Only a late answer changes a result of the look-ups, and only to done. A repeated `done` adds
 * facts, such as a ticket that the answer did not contain.
 */
export const sendMoves: Readonly<Record<SendState, Moves>> = {
  writing: { durable: 'pending', failed: 'unwritten', unwritable: 'pending' },
  unwritten: {},
  pending: outcomes,
  not_sent: {},
  done: { done: 'done' },
  rejected: {},
  unknown: { done: 'done', rejected: 'rejected', absent: 'absent', undecidable: 'undecidable' },
  undecidable: { done: 'done', rejected: 'rejected' },
  absent: { done: 'done' },
};
