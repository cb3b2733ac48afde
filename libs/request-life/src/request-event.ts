import type { SendOutcomeState } from './request-state';

/** An event of a key or its request. */
export type RequestEvent =
  /**
   * A request comes in. `sameRequest`: its parameters are those that the key is bound to, or the key is bound to none.
   * `isFenced`: its fence does not allow it to trade; false by default.
   */
  | { readonly kind: 'reserve'; readonly sameRequest: boolean; readonly isFenced?: boolean }
  /** The handler is about to send. `send` is the id of a new intent. */
  | { readonly kind: 'intend'; readonly send: string }
  | { readonly kind: 'intent_durable'; readonly send: string }
  /** `reducesRisk`: the send passes although its intent is not on disk. */
  | { readonly kind: 'intent_failed'; readonly send: string; readonly reducesRisk: boolean }
  /** The outcome of one send: from its answer, from a late answer, or from the look-ups. */
  | { readonly kind: 'settle'; readonly send: string; readonly outcome: SendOutcomeState }
  /** The handler has its final answer. `unknown`: it answers with an unknown outcome. */
  | { readonly kind: 'answer'; readonly unknown: boolean }
  /** The final answer is on disk, or kept in memory because the disk fails. */
  | { readonly kind: 'answer_kept' }
  /** The handler ends with a refusal, and nothing was done. */
  | { readonly kind: 'release' }
  /** The outcomes of all sends were found out. */
  | { readonly kind: 'conclude' }
  /** The answer of an undecidable request is replaced by one with the reason. */
  | { readonly kind: 'give_up' }
  /** An operator accepts that the outcome stays unknown. */
  | { readonly kind: 'accept' }
  /** A client or operator asks to make the key void. */
  | { readonly kind: 'void' }
  | { readonly kind: 'void_durable' }
  | { readonly kind: 'void_failed' }
  /** The retention time of the response has passed. */
  | { readonly kind: 'expire_response' }
  /** The retention time of the key has passed. */
  | { readonly kind: 'forget' }
  /** The gateway starts with what is on disk. */
  | { readonly kind: 'restart' };

/** What the gateway must do after a step, in this order. */
export const effects = {
  write_intent: 'Write the intent.',
  submit: 'Send the request to the broker, once.',
  write_outcome: 'Write the outcome of the send.',
  write_answer: 'Write the status, the answer, and all sends.',
  write_void: 'Write the void; while one is being written, wait for it.',
  remove_request: 'Remove the request. Its intents stay.',
  remove_response: 'Remove the stored answer. The status of the key stays.',
  bind_key: 'Bind the key to the parameters of the refused request.',
  answer: 'Answer with the stored response, or with what is left of it once it has expired.',
  report: 'Report the state as it is.',
} as const;

export type Effect = keyof typeof effects;

/** Why a step is refused. The life is unchanged. */
export const refusals = {
  in_progress: 'A request with this key is in progress.',
  conflict: 'The key is bound to other parameters.',
  fenced: 'The fence of the request does not allow it to trade.',
  key_void: 'The key is void.',
  void_undecided: 'A void is being written: wait for it, then try again.',
  may_be_done: 'A send may have been carried out.',
  outcome_open: 'The outcome of a send is open.',
  looked_up: 'The outcome is still being looked up.',
  settled: 'The outcome of the send is settled.',
  impossible: 'The event cannot happen in this state.',
} as const;

export type Refusal = keyof typeof refusals;
