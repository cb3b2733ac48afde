import type { RequestEvent } from '../request-event';
import { step, type Step } from '../request-life';
import { freeKey, type RequestLife, type SendOutcomeState } from '../request-state';
import { ModelDisk } from './model-disk';

/** The real outcome of a send, independent of the state in the gateway. */
type Truth = 'in flight' | 'executed' | 'not executed';

type Asked = 'reserve' | 'reserve_other' | 'reserve_fenced';
type Wish = Asked | 'answer' | 'answer_unknown' | 'release' | 'conclude' | 'give_up' | 'accept';

export type Action =
  | { readonly kind: Wish | 'void' | 'expire_response' | 'forget' | 'rewrite' }
  | { readonly kind: 'intend'; readonly reducesRisk: boolean }
  | { readonly kind: 'settle'; readonly which: number; readonly outcome: SendOutcomeState }
  | { readonly kind: 'broker'; readonly which: number; readonly executes: boolean }
  | { readonly kind: 'disk'; readonly succeeds: boolean }
  | { readonly kind: 'crash'; readonly kept: number };

const settled = new Set(['not_sent', 'done', 'rejected']);
const unknown = new Set(['unknown', 'undecidable']);
const ends: Readonly<Record<string, readonly string[]>> = {
  completed: ['completed'],
  recovered: ['recovered'],
  absent: ['absent', 'recovered'],
  accepted: ['accepted', 'recovered', 'absent'],
};

/** One key of a gateway that carries out what the table says, with its disk and its broker. Checks each step. */
export class ModelGateway {
  life: RequestLife = freeKey;
  readonly disk = new ModelDisk();
  /** The sends since the key was last free of everything, by intent id. */
  private readonly truths = new Map<string, Truth>();
  private readonly submitted = new Set<string>();
  private readonly exits = new Set<string>();
  private unwritten = false;
  private ids = 0;

  /** @param decide the table under test */
  constructor(private readonly decide: typeof step = step) {}

  take(action: Action): void {
    switch (action.kind) {
      case 'reserve':
      case 'reserve_other':
      case 'reserve_fenced':
        return this.reserve(action.kind);
      case 'answer':
      case 'answer_unknown':
        this.happen({ kind: 'answer', unknown: action.kind === 'answer_unknown' });
        return;
      case 'intend':
        return this.intend(action.reducesRisk);
      case 'settle':
        return this.settle(this.sendAt(action.which), action.outcome);
      case 'broker':
        return this.execute(this.sendAt(action.which), action.executes);
      case 'disk':
        return this.endWrite(action.succeeds);
      case 'rewrite':
        return this.rewrite();
      case 'forget':
        return this.forget();
      case 'crash':
        return this.crash(action.kept);
      default:
        this.happen({ kind: action.kind });
    }
  }

  private reserve(kind: Asked): void {
    const wasFree = this.life.state === 'free';
    const isFenced = kind === 'reserve_fenced';
    this.happen({ kind: 'reserve', sameRequest: kind !== 'reserve_other', isFenced });
    demand(!isFenced || !wasFree || this.life.state === 'free', 'a fenced request reserves the key');
  }

  private intend(reducesRisk: boolean): void {
    const send = `id/${this.ids++}`;
    if (reducesRisk) this.exits.add(send);
    this.happen({ kind: 'intend', send });
  }

  /** Evidence is true, but for one thing: the broker's books may show an order late. */
  private settle(send: string | undefined, outcome: SendOutcomeState): void {
    const truth = send && this.truths.get(send);
    if (send === undefined || truth === undefined) return;
    const isFalse = outcome === 'done' ? truth !== 'executed' : isRefusal(outcome) && truth === 'executed';
    if (isFalse) return;
    const result = this.happen({ kind: 'settle', send, outcome });
    if (result.kind === 'moved' && isRefusal(outcome)) this.truths.set(send, 'not executed');
  }

  private execute(send: string | undefined, executes: boolean): void {
    if (send === undefined || this.truths.get(send) !== 'in flight') return;
    this.truths.set(send, executes ? 'executed' : 'not executed');
  }

  private endWrite(succeeds: boolean): void {
    const write = this.disk.endWrite(succeeds);
    if (!write) return;
    const { kind, send } = write;
    if (kind === 'intent' && send !== null) {
      const reducesRisk = this.exits.has(send);
      if (!succeeds && reducesRisk) this.unwritten = true;
      this.happen(succeeds ? { kind: 'intent_durable', send } : { kind: 'intent_failed', send, reducesRisk });
    }
    if (kind === 'outcome' || kind === 'answer') this.unwritten ||= !succeeds;
    if (kind === 'answer' && this.life.state.startsWith('answering')) this.happen({ kind: 'answer_kept' });
    if (kind === 'void') this.happen({ kind: succeeds ? 'void_durable' : 'void_failed' });
  }

  /** What could not be written is written later, while no handler works on the request. */
  private rewrite(): void {
    const { state } = this.life;
    if (!this.unwritten || !(unknown.has(state) || state in ends)) return;
    this.unwritten = false;
    this.disk.writeAnswer(this.life);
  }

  /** Only when the key was kept for its time: long after the last write. */
  private forget(): void {
    if (!this.disk.isIdle) return;
    const result = this.happen({ kind: 'forget' });
    if (result.kind !== 'moved') return;
    this.disk.forget();
    this.truths.clear();
  }

  private crash(kept: number): void {
    const found = this.disk.crash(kept);
    this.unwritten = false;
    for (const [send, truth] of this.truths) {
      if (this.disk.has(send)) continue;
      if (truth === 'executed') demand(this.exits.has(send), 'a crash loses an entry that was executed');
      this.truths.delete(send);
    }
    this.life = found;
    const result = this.happen({ kind: 'restart' });
    demand(result.kind === 'moved', `a restart finds ${found.state}`);
  }

  private happen(event: RequestEvent): Step {
    const before = this.life;
    const result = this.decide(before, event);
    this.checkAnswers(before, event, result);
    if (result.kind === 'refused') return result;
    this.life = result.life;
    this.checkMove(before, event);
    for (const effect of result.effects) {
      if (effect === 'write_intent' && event.kind === 'intend') this.disk.writeIntent(event.send);
      if (effect === 'write_outcome' && event.kind === 'settle') this.disk.writeOutcome(event.send, event.outcome);
      if (effect === 'write_answer') this.disk.writeAnswer(this.life);
      if (effect === 'write_void') this.disk.writeVoid();
      if (effect === 'remove_request') this.disk.removeRequest();
      if (effect === 'submit') this.submit(event);
    }
    return result;
  }

  private submit(event: RequestEvent): void {
    if (event.kind !== 'intent_durable' && event.kind !== 'intent_failed') throw new Error(`${event.kind} submits`);
    const { send } = event;
    demand(!this.submitted.has(send), 'a send is submitted twice');
    demand(this.disk.has(send) || this.exits.has(send), 'an entry is submitted before its intent is durable');
    this.submitted.add(send);
    this.truths.set(send, 'in flight');
  }

  /** Every statement about the key is true. */
  private checkAnswers(before: RequestLife, event: RequestEvent, result: Step): void {
    const mayBeDone = [...this.truths.values()].some((truth) => truth !== 'not executed');
    if (result.kind === 'refused') {
      if (result.refusal === 'key_void') demand(!mayBeDone, 'a key is called void that something was sent under');
      return;
    }
    const { state } = result.life;
    if (event.kind === 'reserve' && state === 'reserved') demand(!mayBeDone, 'a key is sent again');
    if (event.kind === 'release') demand(!mayBeDone, 'a request is forgotten that may be done');
    if (event.kind === 'void' && state.includes('void')) demand(!mayBeDone, 'a key becomes void after a send');
    if (state === 'answering') {
      const isOpen = Object.values(before.sends).some((send) => unknown.has(send) || send === 'pending');
      demand(!isOpen, `${before.state} is answered with an open outcome`);
    }
  }

  private checkMove(before: RequestLife, event: RequestEvent): void {
    const { state, sends } = this.life;
    if (event.kind === 'forget') return;
    for (const [send, outcome] of Object.entries(before.sends)) {
      if (state === 'free') continue;
      const after = sends[send];
      if (settled.has(outcome)) demand(after === outcome, `${outcome} becomes ${after}`);
      if (outcome === 'absent') demand(after === 'absent' || after === 'done', `absent becomes ${after}`);
      if (unknown.has(outcome) && after !== outcome) demand(event.kind === 'settle', `${event.kind} ends ${outcome}`);
    }
    const allowed = ends[before.state];
    if (allowed) demand(allowed.includes(state), `${before.state} becomes ${state}`);
    if (before.state === 'void') demand(state === 'void', `void becomes ${state}`);
    if (before.state === 'reserved_void')
      demand(state === 'void' || state === 'reserved_void', `void becomes ${state}`);
    if (unknown.has(before.state) && !unknown.has(state) && event.kind !== 'accept') {
      const isOpen = Object.values(sends).some((send) => unknown.has(send) || send === 'pending');
      demand(!isOpen, `${before.state} becomes ${state} without evidence`);
    }
  }

  private sendAt(which: number): string | undefined {
    const known = Object.keys(this.life.sends);
    return known[which % Math.max(1, known.length)];
  }
}

function isRefusal(outcome: SendOutcomeState): boolean {
  return outcome === 'not_sent' || outcome === 'rejected';
}

function demand(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}
