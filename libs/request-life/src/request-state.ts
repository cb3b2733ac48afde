/** What the journal stores as the status of a trade request. */
export const storedStatuses = ['in_progress', 'completed', 'unknown', 'recovered', 'absent', 'accepted'] as const;

export type StoredStatus = (typeof storedStatuses)[number];

/** Every state of an idempotency key, and what it means. */
export const requestStates = {
  free: 'Nothing is known under the key, or a refusal before the send bound it to its parameters.',
  reserved: 'A handler works on the request. No intent is written.',
  voiding: 'The void is being written.',
  reserved_voiding: 'A handler works on the request, and a void is being written.',
  void: 'The void is on disk. Nothing is ever sent under the key.',
  reserved_void: 'A handler works on the request. The void is on disk, so the handler cannot send.',
  in_progress: 'An intent is written or being written, and the answer is not final.',
  answering: 'The final answer is being written. Its outcome is definite.',
  answering_unknown: 'The final answer is being written. An outcome is open.',
  unknown: 'The broker may have acted. The outcome is looked up.',
  undecidable: 'The broker may have acted. The look-ups have ended without a result.',
  completed: 'Answered with a definite outcome.',
  recovered: 'The look-ups found that something was done.',
  absent: 'The look-ups found that nothing was done.',
  accepted: 'An operator accepted that the outcome stays unknown.',
} as const;

export type RequestState = keyof typeof requestStates;

/** Every state of one send of a request, and what it means. */
export const sendStates = {
  writing: 'The intent is being written.',
  unwritten: 'The intent could not be written, so it was not sent.',
  pending: 'The intent is written. It is sent or about to be sent.',
  not_sent: 'Proven not sent.',
  done: 'Proven done.',
  rejected: 'Proven rejected: nothing was done.',
  unknown: 'The broker may have acted. It is looked up.',
  undecidable: 'The broker may have acted. The look-ups have ended without a result.',
  absent: 'Looked up: no trace of it.',
} as const;

export type SendState = keyof typeof sendStates;

/** The outcomes that a send can get. */
export type SendOutcomeState = Exclude<SendState, 'writing' | 'unwritten' | 'pending'>;

/** A trade request under one key: plain data. */
export interface RequestLife {
  readonly state: RequestState;
  /** The sends of the request by intent id, in the order of their intents. */
  readonly sends: Readonly<Record<string, SendState>>;
}

/** A key without a request. */
export const freeKey: RequestLife = { state: 'free', sends: {} };

const statuses: Readonly<Record<RequestState, StoredStatus | null>> = {
  free: null,
  reserved: 'in_progress',
  voiding: null,
  reserved_voiding: 'in_progress',
  void: null,
  reserved_void: 'in_progress',
  in_progress: 'in_progress',
  answering: 'completed',
  answering_unknown: 'unknown',
  unknown: 'unknown',
  undecidable: 'unknown',
  completed: 'completed',
  recovered: 'recovered',
  absent: 'absent',
  accepted: 'accepted',
};

/** The status that is stored for a request in this state; null if there is no request. */
export function statusOf(state: RequestState): StoredStatus | null {
  return statuses[state];
}

/** A request without a final outcome. It never expires, and nothing else is sent under its key. */
export function isOpenStatus(status: StoredStatus): boolean {
  return status === 'in_progress' || status === 'unknown';
}

const handled: ReadonlySet<RequestState> = new Set([
  'reserved',
  'reserved_voiding',
  'reserved_void',
  'in_progress',
  'answering',
  'answering_unknown',
]);

/** Whether a handler works on the request. */
export function isHandled(state: RequestState): boolean {
  return handled.has(state);
}

/** Whether an outcome is pending or unknown. */
export function isOpenSend(send: SendState): boolean {
  return send === 'writing' || send === 'pending' || send === 'unknown' || send === 'undecidable';
}

/** Whether the send is proven to have done nothing at the moment of its answer. */
export function didNothing(send: SendState): boolean {
  return send === 'unwritten' || send === 'not_sent' || send === 'rejected';
}

/** Whether outcomes are open and none of them is still looked up. */
export function isUndecidable(sends: RequestLife['sends']): boolean {
  const open = Object.values(sends).filter(isOpenSend);
  return open.length > 0 && open.every((send) => send === 'undecidable');
}
