import fc from 'fast-check';
import { VirtualClock } from '@libs/clock';
import { SimulatedDisk } from '@libs/simulated-disk';
import { effort } from '../../../../test/setup/effort';
import { FencedGateway, type FencedAnswer, type SeenSend } from './testing/fenced-gateway';

const names = ['a', 'b'] as const;
type Name = (typeof names)[number];

type Action =
  | { readonly kind: 'raise'; readonly name: Name; readonly by: number }
  | { readonly kind: 'send'; readonly name: Name; readonly behind: number; readonly key: number | null }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'pace'; readonly syncMs: number; readonly commitMs: number; readonly sendMs: number }
  | { readonly kind: 'crash'; readonly power: boolean };

const name = fc.constantFrom(...names);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('raise' as const), name, by: fc.integer({ min: -2, max: 2 }) }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      ...{ kind: fc.constant('send' as const), name, behind: fc.integer({ min: -1, max: 2 }) },
      key: fc.option(fc.nat(3)),
    }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 400 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      ...{ kind: fc.constant('pace' as const), syncMs: fc.constantFrom(0, 20, 200) },
      ...{ commitMs: fc.constantFrom(0, 20, 200), sendMs: fc.constantFrom(0, 50, 500) },
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('crash' as const), power: fc.boolean() }) },
);

const passing = (mostMs: number) => fc.integer({ min: 1, max: mostMs }).map((ms): Action => ({ kind: 'pass', ms }));
const raising = (name: Name, by: number): Action => ({ kind: 'raise', name, by });
const sending = (name: Name, behind: number): Action => ({ kind: 'send', name, behind, key: null });

/** What a random sequence seldom does: a raise while a send is under way, and a lower raise after a crash. */
const scene: fc.Arbitrary<readonly Action[]> = fc.oneof(
  { weight: 6, arbitrary: action.map((one) => [one]) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(name, passing(300), passing(120), passing(300))
      .map(([of, first, second, last]) => [
        ...[raising(of, 1), first, sending(of, 0), second, sending(of, 0), raising(of, 1), last, sending(of, 1)],
      ]),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(name, passing(300), fc.boolean())
      .map(([of, first, power]) => [
        ...[raising(of, 1), first, { kind: 'crash', power } as const, raising(of, -1), first, sending(of, 1)],
      ]),
  },
);

/** Clients and holders that do anything at any time; every send and every answered raise is held against the rest. */
class RandomHolders {
  readonly problems: string[] = [];
  private readonly clock = new VirtualClock(Date.UTC(2026, 0, 7, 10));
  private readonly disk = new SimulatedDisk(this.clock, () => 0.5);
  readonly gateway = new FencedGateway(this.clock, this.disk, (send) => this.sent(send));
  /** The highest token whose raise was answered. */
  private readonly answered: Record<Name, number> = { a: 0, b: 0 };
  /** The highest token that a raise was requested for. */
  private readonly wanted: Record<Name, number> = { a: 1, b: 1 };
  private readonly sentKeys = new Set<string>();
  private pending: Promise<void>[] = [];
  private keys = 0;

  async take(one: Action): Promise<void> {
    const { gateway } = this;
    switch (one.kind) {
      case 'raise':
        return this.raise(one.name, Math.max(1, this.wanted[one.name] + one.by));
      case 'send':
        return this.send(one.name, Math.max(1, this.wanted[one.name] - one.behind), one.key);
      case 'pass':
        return gateway.clock.sleep(one.ms);
      case 'pace':
        gateway.disk.setPace({ syncMs: one.syncMs, commitMs: one.commitMs });
        return gateway.broker.faults.set({ kind: 'latency', ms: one.sendMs, calls: 'sends' });
      case 'crash':
        this.pending = [];
        // What left a gateway that died has no answer, and the next one knows it as unknown.
        for (const send of gateway.sends) send.isAnswered = true;
        return gateway.crash(one.power ? 'power' : 'process');
    }
  }

  /** Waits for all answers of the program that runs now. */
  async end(): Promise<void> {
    await Promise.all(this.pending);
  }

  private raise(name: Name, token: number): void {
    this.wanted[name] = Math.max(this.wanted[name], token);
    const answered = this.answered[name];
    this.follow(this.gateway.raise(name, token), ({ status }) => {
      if (status !== 200) return;
      if (token < answered) this.problems.push(`${name} was raised to ${answered}, and then to ${token}`);
      this.answered[name] = Math.max(this.answered[name], token);
      const open = this.gateway.sends.filter((send) => !send.isAnswered && this.isLower(send, name, token));
      if (open.length > 0)
        this.problems.push(`raise of ${name} to ${token} was answered with ${open.length} in flight`);
    });
  }

  /** The broker sees the name and the token in the magic number. */
  private send(name: Name, token: number, key: number | null): void {
    const own = key === null ? `own-${this.keys++}` : `${name}-${key}`;
    const magic = token * 10 + names.indexOf(name);
    // A key that is used again has the same parameters but for its fence, as a holder repeats it.
    const fields = { comment: own, ...(key === null ? { magic } : {}) };
    this.follow(this.gateway.buy(`${name};${token}`, own, fields), () => undefined);
  }

  private sent(send: SeenSend): void {
    const { comment, magic } = send.request;
    if (this.sentKeys.has(comment)) this.problems.push(`${comment} was sent twice`);
    this.sentKeys.add(comment);
    for (const name of names) {
      if (comment.startsWith('own-') && this.isLower(send, name, this.answered[name])) {
        this.problems.push(`${comment} was sent with magic ${magic} while ${name} was at ${this.answered[name]}`);
      }
    }
  }

  private isLower({ request: { comment, magic } }: SeenSend, name: Name, token: number): boolean {
    return comment.startsWith('own-') && magic % 10 === names.indexOf(name) && Math.floor(magic / 10) < token;
  }

  /** An answer counts only for the program that gave it. */
  private follow(answer: Promise<FencedAnswer>, then: (answer: FencedAnswer) => void): void {
    const { run } = this.gateway;
    this.pending.push(
      answer.then((one) => {
        if (this.gateway.run === run) then(one);
      }),
    );
  }
}

describe('the fences, at random', () => {
  it('let no send out under a token below the highest answered raise, and answer no raise before its sends', async () => {
    let sends = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(scene, { minLength: 4, maxLength: 20 }), async (scenes) => {
        const holders = new RandomHolders();
        await holders.gateway.start();
        await holders.take({ kind: 'pace', syncMs: 20, commitMs: 20, sendMs: 200 });
        try {
          for (const one of scenes.flat()) await holders.take(one);
          await holders.end();
        } finally {
          await holders.gateway.stop();
        }
        sends += holders.gateway.sends.length;
        expect(holders.problems).toEqual([]);
      }),
      { numRuns: effort(16, 300) },
    );
    expect(sends).toBeGreaterThan(10);
  });
});
