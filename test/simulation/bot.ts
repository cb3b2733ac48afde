import type { Ask, AskBook, HttpAnswer, Variant } from './asks';
import { verdictOf } from './asks';
import type { HttpPath } from './http-path';
import type { SeededRandom } from './seeded-random';
import type { VirtualTime } from './virtual-time';

/** How a client behaves when it does not get a definite answer. */
export type Temper =
  /** Repeats the request under its key until the answer is definite. */
  | 'patient'
  /** Sends the request twice at once. */
  | 'hasty'
  /** Changes the parameters under the same key after the first try. */
  | 'changing'
  /** Makes the key void when the first tries bring nothing definite. */
  | 'voiding'
  /** Makes the key void soon after the request, without waiting for its answer. */
  | 'withdrawing'
  /** Makes the key void and sends the request at almost the same time. */
  | 'crossing'
  /** Looks the key up before it repeats the request. */
  | 'asking';

const clientTimeoutMs = 60_000;
/** Refusals of the moment that a client tries to get past, under the same key. */
const patienceWithRefusals = 3;

/** What a bot needs around it. */
export interface BotWorld {
  readonly time: VirtualTime;
  readonly http: HttpPath;
  readonly book: AskBook;
  readonly trace: (line: string) => void;
  /** Hears of what the gateway says of a key when it is looked up. */
  readonly lookedUp: (ask: Ask, answer: HttpAnswer) => void;
}

/** Pursues what a client wants until the last word is said, as docs/trade-path.md advises. */
export class Bot {
  constructor(
    private readonly world: BotWorld,
    private readonly random: SeededRandom,
    private readonly ask: Ask,
    private readonly temper: Temper,
    private readonly otherVariant: Variant | null,
  ) {}

  async pursue(): Promise<void> {
    const { ask, temper } = this;
    let refusals = 0;
    let conflicts = 0;
    for (let round = 0; ask.lastWord === 'open' || ask.lastWord === 'refused'; round++) {
      if (round === 0 && temper === 'hasty') void this.send(ask.variants[0]);
      const isInTurn = conflicts === 0 || temper === 'changing';
      const variant = isInTurn ? this.variantOf(round) : ask.variants[conflicts % ask.variants.length];
      if (round === 0 && temper === 'withdrawing' && (await this.withdraw(variant))) return;
      if (round === 0 && temper === 'crossing' && (await this.cross(variant))) return;
      const answer = await this.send(variant);
      const verdict = answer === null ? 'open' : verdictOf(answer);
      if (verdict === 'done' || verdict === 'undecidable' || verdict === 'void') return;
      // The other parameters hold the key: this client gives in to them.
      if (verdict === 'conflict') conflicts += 1;
      if (verdict === 'refused' && (answer?.status !== 503 || this.random.chance(0.2))) {
        refusals += 1;
        const hasEnough = refusals >= patienceWithRefusals || this.random.chance(0.5);
        // Another copy of the request may still come to something.
        if (hasEnough && ask.lastWord === 'refused') return;
      }
      await this.sleep(this.random.integer(200, 4_000) * Math.min(1 + round, 15));
      if (round === 1 && temper === 'voiding' && (await this.makeVoid())) return;
      if (round > 0 && temper === 'asking') await this.lookUp();
    }
  }

  private variantOf(round: number): Variant | undefined {
    const [first] = this.ask.variants;
    if (this.temper !== 'changing' || this.otherVariant === null || round % 2 === 0) return first;
    this.world.book.addVariant(this.ask, this.otherVariant);
    return this.otherVariant;
  }

  private async send(variant: Variant | undefined): Promise<HttpAnswer | null> {
    if (!variant) return null;
    return this.world.http.ask(variant.request, clientTimeoutMs);
  }

  /** Sends the request, and makes its key void while it may be under way. @returns as {@link makeVoid} */
  private async withdraw(variant: Variant | undefined): Promise<boolean> {
    void this.send(variant);
    await this.sleep(this.random.delayMs(1_000, 20_000));
    return this.makeVoid();
  }

  /** Sends the request while the void of its key may be being written. @returns as {@link makeVoid} */
  private async cross(variant: Variant | undefined): Promise<boolean> {
    const isVoid = this.makeVoid();
    await this.sleep(this.random.delayMs(30, 500));
    void this.send(variant);
    return isVoid;
  }

  /** @returns whether the key is void, or settled in another way */
  private async makeVoid(): Promise<boolean> {
    for (let round = 0; round < 20; round++) {
      const answer = await this.world.http.ask(
        { method: 'PUT', url: `/trade_requests/${this.ask.key}/void` },
        clientTimeoutMs,
      );
      if (answer?.status === 200) {
        this.world.lookedUp(this.ask, answer);
        return answer.body['status'] === 'void';
      }
      await this.sleep(this.random.integer(500, 5_000));
    }
    return false;
  }

  private async lookUp(): Promise<void> {
    const answer = await this.world.http.ask(
      { method: 'GET', url: `/trade_requests/${this.ask.key}` },
      clientTimeoutMs,
    );
    if (answer?.status === 200) this.world.lookedUp(this.ask, answer);
  }

  private sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.world.time.schedule(ms, resolve));
  }
}
