import type { HttpAnswer, HttpRequest } from './asks';
import type { GatewayMachine } from './machine';
import type { OperatorStep } from './steps';
import type { VirtualTime } from './virtual-time';

/** Hears of what an operator does. */
export interface OperatorJudge {
  isFlattening: boolean;
  halted(run: number | null): void;
  maybeReleased(): void;
  maybeHalted?(): void;
  releasing?(): void;
  released?(): void;
  journalAccepted(): void;
  toldComplete?(answer: HttpAnswer, askedAtMs: number): void;
}

export interface OperatorWorld {
  readonly time: VirtualTime;
  /** Straight to the gateway: an operator sits beside it. */
  readonly deliver: (request: HttpRequest) => Promise<HttpAnswer | null>;
  readonly machine: GatewayMachine;
  /** Logs in at the terminal, as a person does it. */
  readonly logIn: () => Promise<void>;
  /** Whether the broker has, or had, an order of this ticket: what a person finds in its statement. */
  readonly knowsOrder: (ticket: number) => boolean;
  /** Does something at the moment of a call of the gateway. */
  readonly meet: (port: string, skip: number, run: () => void) => void;
  readonly judge: OperatorJudge;
  readonly trace: (line: string) => void;
}

const retryMs = 5_000;
/** How often an operator looks whether the rest of the account is explained. */
const mostAcceptances = 60;
/** After so many refused logins the gateway tries again after an hour, or when an operator has logged in at the terminal. */
const refusalsToLock = 3;

/** A person at the machine, who does one thing after the other. */
export class Operator {
  private turn: Promise<void> = Promise.resolve();
  private left = 0;

  constructor(private readonly world: OperatorWorld) {}

  act(step: OperatorStep): void {
    this.then(() => this.perform(step));
  }

  /** Accepts the journal that replaces a lost one. */
  acceptJournal(): void {
    this.then(async () => void (await this.accept()));
  }

  /** Accepts an account in which rows are missing that the broker never had, as soon as nothing else is unexplained. */
  acceptAccount(triesLeft = mostAcceptances): void {
    this.then(async () => {
      if ((await this.acceptStrangeRows()) || triesLeft === 0) return;
      this.world.time.schedule(retryMs, () => this.acceptAccount(triesLeft - 1));
    });
  }

  /** Ends every halt, however often it takes, and logs in where the gateway waits for that. */
  calm(): void {
    const release = async (): Promise<void> => {
      await this.perform({ kind: 'remove switch' });
      const isAccepted = await this.accept();
      const answer = await this.release();
      const isLoggedIn = await this.logInIfLocked();
      const isExplained = await this.acceptStrangeRows();
      if (answer?.status !== 200 || !isAccepted || !isLoggedIn || !isExplained)
        this.world.time.schedule(retryMs, () => this.calm());
    };
    this.then(release);
  }

  /** Whether nothing is left that was begun: a gateway may answer a flattening late. */
  get isIdle(): boolean {
    return this.left === 0;
  }

  private then(deed: () => Promise<void>): void {
    this.left += 1;
    this.turn = this.turn.then(deed).finally(() => (this.left -= 1));
  }

  private async perform(step: OperatorStep): Promise<void> {
    const { judge, machine, trace } = this.world;
    switch (step.kind) {
      case 'halt':
        return this.halt(step.flatten);
      case 'release':
        await this.release();
        return;
      case 'touch switch':
        trace('the kill-switch file is created by hand');
        machine.createSwitchFile();
        return judge.halted(null);
      case 'touch switch at':
        return this.world.meet(step.port, step.skip, () => {
          trace(`the kill-switch file is created by hand, at ${step.port}`);
          machine.createSwitchFile();
          judge.halted(null);
        });
      case 'remove switch':
        trace('the kill-switch file is removed by hand');
        judge.maybeReleased();
        return machine.removeSwitchFile();
      case 'rotate audit log':
        trace('the audit log is rotated');
        return machine.rotateAuditLog();
    }
  }

  /** @returns whether the gateway goes on with the journal that it has */
  private async accept(): Promise<boolean> {
    const { deliver, judge, trace } = this.world;
    const health = await deliver({ method: 'GET', url: '/health' });
    const { id, state } = journalIn(health);
    if (state === null || state === 'unproven') return false;
    if (state !== 'lost') return true;
    const answer = await deliver({ method: 'POST', url: '/journal/accept', body: { journal_id: id } });
    if (answer?.status === 200) judge.journalAccepted();
    trace(`POST /journal/accept: ${answer?.status ?? 'no answer'}`);
    return answer?.status === 200;
  }

  /** @returns whether the account is explained */
  private async acceptStrangeRows(): Promise<boolean> {
    const { deliver, knowsOrder, trace } = this.world;
    const { since, state, unexplained } = evidenceIn(await deliver({ method: 'GET', url: '/health' }));
    if (state === 'explained') return true;
    const isStrange = ({ kind, ticket }: ToldRow): boolean => kindsOfRows.has(kind) && !knowsOrder(Number(ticket));
    if (unexplained.length === 0 || !unexplained.every(isStrange)) return false;
    const answer = await deliver({ method: 'POST', url: '/account/accept', body: { since } });
    const tickets = unexplained.map(({ ticket }) => ticket);
    trace(`POST /account/accept without ${tickets.join(', ')}: ${answer?.status ?? 'no answer'}`);
    return answer?.status === 200;
  }

  /** @returns whether the gateway is connected */
  private async logInIfLocked(): Promise<boolean> {
    const health = await this.world.deliver({ method: 'GET', url: '/health' });
    if (health?.body['terminal_status'] === 'connected') return true;
    if (refusalsIn(health) >= refusalsToLock) {
      this.world.trace('an operator logs in at the terminal');
      await this.world.logIn();
    }
    return false;
  }

  private async halt(flatten: boolean): Promise<void> {
    const { judge, deliver, trace } = this.world;
    if (flatten) judge.isFlattening = true;
    judge.maybeHalted?.();
    const askedAtMs = this.world.time.elapsedMs;
    const answer = await deliver({ method: 'POST', url: flatten ? '/kill?flatten=true' : '/kill' });
    judge.isFlattening = false;
    if (answer && flatten) judge.toldComplete?.(answer, askedAtMs);
    trace(`POST /kill${flatten ? ' with flatten' : ''}: ${answer?.status ?? 'no answer'}`);
    if (answer === null) return;
    // Any answer says that trading is halted; without success the process alone may know it.
    judge.halted(answer.status === 200 ? null : answer.run);
  }

  private async release(): Promise<HttpAnswer | null> {
    this.world.judge.maybeReleased();
    this.world.judge.releasing?.();
    const answer = await this.world.deliver({ method: 'POST', url: '/kill/release' });
    // It may also have removed a file that was created by hand in the meantime.
    this.world.judge.maybeReleased();
    // An error that says so means that nothing was released; the process alone may know it.
    if (answer?.body['kill_switch_active'] === true) this.world.judge.halted(answer.run);
    else if (answer?.status === 200) this.world.judge.released?.();
    this.world.trace(`POST /kill/release: ${answer?.status ?? 'no answer'}`);
    return answer;
  }
}

function refusalsIn(health: HttpAnswer | null): number {
  const connection = health?.body['connection'];
  return typeof connection === 'object' && connection !== null && 'login_refusals' in connection
    ? Number(connection.login_refusals)
    : 0;
}

function journalIn(health: HttpAnswer | null): { readonly id: unknown; readonly state: unknown } {
  const journal = health?.body['journal'];
  if (typeof journal !== 'object' || journal === null || !('state' in journal) || !('id' in journal)) {
    return { id: null, state: null };
  }
  return { id: journal.id, state: journal.state };
}

/** Kinds of unexplained things whose ticket is that of a position or of an order. */
const kindsOfRows: ReadonlySet<unknown> = new Set([
  ...['position_missing', 'position_without_deals', 'order_missing', 'fill_without_deals'],
]);

interface ToldRow {
  readonly kind: unknown;
  readonly ticket: unknown;
}

interface ToldEvidence {
  readonly since: unknown;
  readonly state: unknown;
  readonly unexplained: readonly ToldRow[];
}

function evidenceIn(health: HttpAnswer | null): ToldEvidence {
  const evidence = health?.body['account_evidence'] as ToldEvidence | undefined;
  return evidence ?? { since: null, state: null, unexplained: [] };
}
