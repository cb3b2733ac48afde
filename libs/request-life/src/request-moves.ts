import type { Effect, Refusal } from './request-event';
import type { RequestState } from './request-state';

/** The events of the table and their meaning. Their names include the effect of the sends. */
export const moveNames = {
  reserve: 'A request arrives with the parameters that the key is bound to, or the key is not bound.',
  reserve_other: 'A request arrives with parameters other than those that the key is bound to.',
  reserve_fenced: 'As `reserve`, and the fence of the request does not allow it to trade.',
  intend: 'The handler is about to send.',
  intent_durable: 'The intent is on disk.',
  intent_failed: 'The intent of a send that may add risk could not be written.',
  intent_unwritable: 'The intent of a send that only reduces risk could not be written.',
  settle: 'A send gets an outcome: from its answer, a late answer, or the look-ups.',
  answer: 'The handler has its final answer, and every outcome is definite.',
  answer_unknown: 'The handler has its final answer, and an outcome is open.',
  answer_kept: 'The final answer is on disk, or kept in memory because the disk fails.',
  release: 'The handler ends with a refusal, and nothing was done.',
  release_done: 'The handler ends with a refusal, and a send may have been carried out.',
  recover: 'All outcomes are known, and something was done.',
  find_absent: 'All outcomes are known, and nothing was done.',
  conclude_open: 'The request is to be concluded, and an outcome is open.',
  give_up: 'The answer of an undecidable request is replaced by one with the reason.',
  accept: 'An operator accepts that the outcome stays unknown.',
  void: 'A client asks to make the key void.',
  void_durable: 'The void is on disk.',
  void_failed: 'The void could not be written.',
  expire_response: 'The retention time of the response has passed.',
  forget: 'The retention time of the key has passed.',
  restart: 'The gateway starts with what is on disk.',
} as const;

/** An event of the table. */
export type MoveName = keyof typeof moveNames;

export type Move = { readonly to: RequestState; readonly effects: readonly Effect[] } | { readonly refusal: Refusal };

type Moves = Readonly<Partial<Record<MoveName, Move>>>;

function to(state: RequestState, ...effects: readonly Effect[]): Move {
  return { to: state, effects };
}

function refuse(refusal: Refusal): Move {
  return { refusal };
}

const busy = {
  reserve: refuse('in_progress'),
  reserve_fenced: refuse('in_progress'),
  reserve_other: refuse('conflict'),
};
const undecidedVoid = {
  reserve: refuse('in_progress'),
  reserve_fenced: refuse('in_progress'),
  reserve_other: refuse('in_progress'),
};
const isVoid = {
  reserve: refuse('key_void'),
  reserve_fenced: refuse('key_void'),
  reserve_other: refuse('key_void'),
};

/** A repetition of a request is answered from what is stored. */
function replayed(state: RequestState): Moves {
  return {
    reserve: to(state, 'answer'),
    reserve_fenced: to(state, 'answer'),
    reserve_other: refuse('conflict'),
  };
}

/** Nothing of it is open: first its answer expires, then its key. */
function settled(state: RequestState): Moves {
  return { expire_response: to(state, 'remove_response'), forget: to('free'), restart: to(state) };
}

/**
 * The life of a trade request: every move of every state. A missing pair is `impossible`. One rule is separate from
 * the table: `unknown` is `undecidable` while every open outcome is, and `undecidable` is `unknown` otherwise.
 */
export const requestMoves: Readonly<Record<RequestState, Moves>> = {
  free: {
    reserve: to('reserved'),
    reserve_fenced: refuse('fenced'),
    reserve_other: refuse('conflict'),
    void: to('voiding', 'write_void'),
    restart: to('free'),
  },
  reserved: {
    ...busy,
    intend: to('in_progress', 'write_intent'),
    answer: to('answering', 'write_answer'),
    answer_unknown: to('answering_unknown', 'write_answer'),
    release: to('free', 'bind_key'),
    void: to('reserved_voiding', 'write_void'),
  },
  voiding: {
    ...undecidedVoid,
    void: to('voiding', 'write_void'),
    void_durable: to('void'),
    void_failed: to('free'),
  },
  reserved_voiding: {
    ...undecidedVoid,
    intend: refuse('void_undecided'),
    answer: refuse('void_undecided'),
    answer_unknown: refuse('void_undecided'),
    release: to('voiding', 'bind_key'),
    void: to('reserved_voiding', 'write_void'),
    void_durable: to('reserved_void'),
    void_failed: to('reserved'),
  },
  void: { ...isVoid, void: to('void', 'report'), forget: to('free'), restart: to('void') },
  reserved_void: {
    ...isVoid,
    intend: refuse('key_void'),
    answer: refuse('key_void'),
    answer_unknown: refuse('key_void'),
    release: to('void'),
    void: to('reserved_void', 'report'),
    forget: to('reserved'),
  },
  in_progress: {
    ...busy,
    intend: to('in_progress', 'write_intent'),
    intent_durable: to('in_progress', 'submit'),
    intent_failed: to('in_progress'),
    intent_unwritable: to('in_progress', 'submit'),
    settle: to('in_progress', 'write_outcome'),
    answer: to('answering', 'write_answer'),
    answer_unknown: to('answering_unknown', 'write_answer'),
    release: to('free', 'remove_request', 'bind_key'),
    release_done: refuse('may_be_done'),
    void: to('in_progress', 'report'),
    restart: to('unknown', 'write_answer'),
  },
  answering: { ...busy, answer_kept: to('completed'), void: to('answering', 'report') },
  answering_unknown: {
    ...busy,
    settle: to('answering_unknown', 'write_outcome'),
    answer_kept: to('unknown'),
    void: to('answering_unknown', 'report'),
  },
  unknown: {
    ...replayed('unknown'),
    settle: to('unknown', 'write_outcome'),
    recover: to('recovered', 'write_answer'),
    find_absent: to('absent', 'write_answer'),
    conclude_open: refuse('outcome_open'),
    accept: refuse('looked_up'),
    void: to('unknown', 'report'),
    restart: to('unknown', 'write_answer'),
  },
  undecidable: {
    ...replayed('undecidable'),
    settle: to('undecidable', 'write_outcome'),
    conclude_open: refuse('outcome_open'),
    give_up: to('undecidable', 'write_answer'),
    accept: to('accepted', 'write_answer'),
    void: to('undecidable', 'report'),
    restart: to('undecidable', 'write_answer'),
  },
  completed: {
    ...replayed('completed'),
    void: to('completed', 'report'),
    ...settled('completed'),
  },
  recovered: {
    ...replayed('recovered'),
    settle: to('recovered', 'write_outcome'),
    // A ticket or a fill was found that the answer lacks.
    recover: to('recovered', 'write_answer'),
    void: to('recovered', 'report'),
    ...settled('recovered'),
  },
  absent: {
    ...replayed('absent'),
    settle: to('absent', 'write_outcome'),
    recover: to('recovered', 'write_answer'),
    void: to('absent', 'report'),
    ...settled('absent'),
  },
  accepted: {
    ...replayed('accepted'),
    settle: to('accepted', 'write_outcome'),
    recover: to('recovered', 'write_answer'),
    find_absent: to('absent', 'write_answer'),
    conclude_open: refuse('outcome_open'),
    void: to('accepted', 'report'),
    ...settled('accepted'),
  },
};
