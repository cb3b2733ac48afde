import type { Ask, HttpAnswer } from '../asks';
import type { SimulatedBroker } from '../broker';
import type { FenceClaim, Raise } from '../fenced-strategies';
import {
  forgottenRaise,
  raisedBack,
  raisedWhileSending,
  sentThoughFenced,
  whyFenced,
  type KnownFences,
  type ShownFence,
} from '../invariants/fences';
import type { SendRecord } from '../sends';
import { MagicOwners } from './magic-owners';
import { RaisedTokens, tokenName } from './raised-tokens';
import type { JudgeWorld, Report } from './world';

/** What of the world the fences concern. */
interface FencedWorld extends Pick<JudgeWorld, 'sends' | 'book'> {
  readonly broker: Pick<SimulatedBroker, 'magicsOf'>;
}

/** A raise that has reached the gateway. */
export interface DeliveredRaise extends Raise {
  /** The highest token of its fence that was answered before. */
  readonly answeredBefore: number;
  /** The gateway may have judged its journal as lost when it came. */
  readonly cameInLoss: boolean;
}

interface AnsweredRaise extends FenceClaim {
  /** The journal may have been lost since. */
  maybeHeld: boolean;
  /** A lost journal may have taken it, because the audit log does not have it. */
  maybeForgotten: boolean;
}

/** The fences as the answers to their raises tell, held against what is sent and what the gateway shows. */
export class FenceUse implements KnownFences {
  /** The highest raise of each fence that was answered with success. */
  private readonly highest = new Map<string, AnsweredRaise>();
  private readonly owners = new MagicOwners();
  private readonly raised = new RaisedTokens();
  private isLossOpen = false;

  /** @param isOfOperator a send that an operator's flattening may have made: fences do not concern it */
  constructor(
    private readonly world: FencedWorld,
    private readonly isOfOperator: (send: SendRecord) => boolean,
    private readonly report: Report,
  ) {}

  answered(name: string): number {
    return this.highest.get(name)?.token ?? 0;
  }

  maybeRaised(claim: FenceClaim): boolean {
    return this.raised.has(claim);
  }

  ownersOf(magic: number): readonly string[] | null {
    return this.owners.of(magic);
  }

  sending(send: SendRecord, asked: readonly Ask[]): void {
    const { broker } = this.world;
    const claims = asked.map(({ fence }) => fence);
    const problems = broker.magicsOf(send.request).map((magic) => sentThoughFenced(send, magic, claims, this));
    const isAllowed = problems.some(({ length }) => length === 0);
    this.report('nothing is sent past a fence', isAllowed ? [] : (problems[0] ?? []));
  }

  delivered(raise: Raise): DeliveredRaise {
    const delivered = { ...raise, answeredBefore: this.answered(raise.name), cameInLoss: this.isLossOpen };
    this.raised.delivered(delivered);
    this.owners.delivered(delivered);
    return delivered;
  }

  /** @param answer null when the gateway ended before it answered */
  raiseAnswered(raise: DeliveredRaise, answer: HttpAnswer | null): void {
    const isPending = answer?.body['error_type'] === 'fence_pending';
    const isRefused = answer !== null && answer.status !== 200 && !isPending;
    this.raised.ended(raise, !isRefused);
    this.owners.ended(raise, answer?.status === 200 ? 'raised' : isRefused ? 'refused' : 'unknown');
    if (answer?.status !== 200) return;
    const { name, token, answeredBefore, cameInLoss } = raise;
    this.report('a fence is not raised back', raisedBack(raise, answeredBefore));
    if (token >= this.answered(name)) {
      this.highest.set(name, { name, token, maybeHeld: cameInLoss, maybeForgotten: false });
    }
    this.report(
      'a raise waits for the sends that it fences out',
      raisedWhileSending(raise, this.fencedOut(raise, answer.run)),
    );
  }

  /** The highest raises that were answered so far. */
  get known(): readonly string[] {
    return [...this.highest.values()].map(tokenName);
  }

  /** The gateway has listed its fences. @param known what was answered before it was asked */
  shown({ status, body }: HttpAnswer, known: readonly string[]): void {
    if (status !== 200) return;
    const shown = body['data'] as readonly ShownFence[];
    for (const { maybeForgotten, ...raise } of this.highest.values()) {
      if (maybeForgotten || !known.includes(tokenName(raise))) continue;
      const magics = this.owners.belongingTo(raise.name);
      this.report('a raise that was answered is kept', forgottenRaise({ ...raise, magics }, shown));
    }
  }

  /** The journal is gone, and what was raised in it has to be raised again. Names and magic numbers come from the audit log. */
  journalLost(auditLogs: readonly string[]): void {
    this.raised.lost();
    this.isLossOpen = true;
    for (const raise of this.highest.values()) {
      raise.maybeHeld = true;
      if (isAudited(raise, auditLogs)) continue;
      raise.maybeForgotten = true;
      this.owners.forget(raise.name);
    }
  }

  /** From now on the gateway does not judge its journal as lost. */
  lossSettled(): void {
    this.isLossOpen = false;
  }

  /** Sends of a run that a raise does not allow. */
  private fencedOut({ name, token, magics }: Raise, run: number): SendRecord[] {
    const fences: KnownFences = {
      answered: (other) => (other === name ? token : 0),
      maybeRaised: () => true,
      ownersOf: (magic) => (magics.includes(magic) ? [name] : null),
    };
    const { sends, book, broker } = this.world;
    return sends.filter((send) => {
      const asked = send.run === run && !this.isOfOperator(send) ? book.askedFor(send) : [];
      const isFenced = (fence: FenceClaim | null): boolean =>
        broker.magicsOf(send.request).every((magic) => whyFenced(magic, fence, fences) !== null);
      return asked.length > 0 && asked.every(({ fence }) => isFenced(fence));
    });
  }
}

function isAudited({ name, token }: FenceClaim, auditLogs: readonly string[]): boolean {
  const isLine = (line: string): boolean =>
    line.includes('"fence_raised"') && line.includes(`"fence":"${name}"`) && line.includes(`"fence_token":${token},`);
  return auditLogs.some((text) => text.split('\n').some(isLine));
}
