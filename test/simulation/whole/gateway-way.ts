import type { HttpAnswer, HttpRequest } from '../asks';
import type { GatewayProcess, OpenAnswer } from '../gateway-process';
import type { HttpTrouble } from '../http-path';
import type { ProgramLife } from '../instance-clock';
import type { SeededRandom } from '../seeded-random';
import type { VirtualTime } from '../virtual-time';
import type { TroubledPath } from '../weather';

/** The run of the daemon that sends a request, and when it gives up. */
export interface Sender {
  readonly life: ProgramLife;
  readonly signal: AbortSignal | null;
}

type State = 'open' | 'refusing' | 'silent';

/** The network between the daemon and one gateway. It delays, loses and repeats, and it breaks. */
export class GatewayWay implements TroubledPath {
  private state: State = 'open';
  private readonly troubles: HttpTrouble[] = [];
  private readonly streams = new Set<OpenStream>();
  /** When an answer of the gateway last reached the daemon. */
  answeredAtMs = -Infinity;

  constructor(
    private readonly time: VirtualTime,
    private readonly random: SeededRandom,
    private readonly gateway: GatewayProcess,
  ) {}

  get isOpen(): boolean {
    return this.state === 'open';
  }

  /** A fault for the next trade request that has none yet. */
  trouble(trouble: HttpTrouble): void {
    this.troubles.push(trouble);
  }

  clear(): void {
    this.troubles.length = 0;
    this.state = 'open';
  }

  /** From now on nothing arrives. @param silent requests stay without an answer, instead of being refused */
  break(silent: boolean): void {
    this.state = silent ? 'silent' : 'refusing';
    this.cutStreams();
  }

  mend(): void {
    this.state = 'open';
  }

  cutStreams(): void {
    for (const stream of [...this.streams]) stream.cut();
  }

  /** The network between one run of a daemon and this gateway breaks. */
  cutStreamsOf(life: ProgramLife): void {
    for (const stream of this.streamsOf(life)) stream.cut();
  }

  /** Closes the connections of a run of the daemon that has ended. */
  leave(life: ProgramLife): void {
    for (const stream of this.streamsOf(life)) stream.abandon();
  }

  /** As `fetch`: rejects when there is no connection, and stays pending while there is no answer. */
  send(request: HttpRequest, { life, signal }: Sender): Promise<Response> {
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
      const fail = (code: string): void => life.reach(() => reject(new TypeError('fetch failed', { cause: { code } })));
      if (this.state === 'refusing') this.time.schedule(1, () => fail('ECONNREFUSED'));
      if (this.state !== 'open') return;
      const trouble = request.method === 'GET' ? undefined : this.troubles.shift();
      if (trouble === 'lose-request') return;
      const answered = (answer: HttpAnswer | null): void => {
        if (trouble === 'lose-answer') return;
        this.time.schedule(this.delayMs(), () => {
          if (answer === null) return fail('ECONNRESET');
          this.answeredAtMs = this.time.elapsedMs;
          life.reach(() => resolve(responseOf(answer)));
        });
      };
      const copies = trouble === 'duplicate' ? 2 : 1;
      for (let copy = 0; copy < copies; copy++) {
        const requestMs = trouble === 'slow-request' ? this.random.integer(1_000, 40_000) : this.delayMs();
        this.time.schedule(requestMs, () => void this.gateway.deliver(request).then(answered));
      }
    });
  }

  /** A request of a host that cannot reach any gateway. */
  refuse({ life, signal }: Sender, how: 'refusing' | 'silent'): Promise<Response> {
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
      const refused = new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } });
      if (how === 'refusing') this.time.schedule(1, () => life.reach(() => reject(refused)));
    });
  }

  /** Opens an event stream, as `fetch` does. */
  open(request: HttpRequest, { life, signal }: Sender): Promise<Response> {
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
      const fail = (): void =>
        life.reach(() => reject(new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } })));
      if (this.state === 'refusing') this.time.schedule(1, fail);
      if (this.state !== 'open') return;
      this.time.schedule(this.delayMs(), () => {
        void this.gateway.open(request).then((answer) => {
          if (answer === null || !this.isOpen) return fail();
          const stream = new OpenStream(answer, life, () => this.streams.delete(stream));
          this.streams.add(stream);
          if (signal?.aborted === true) return stream.abandon();
          signal?.addEventListener('abort', () => stream.abandon());
          life.reach(() => resolve(stream.response));
        });
      });
    });
  }

  private streamsOf(life: ProgramLife): readonly OpenStream[] {
    return [...this.streams].filter((stream) => stream.life === life);
  }

  private delayMs(): number {
    return this.random.delayMs(3, 50);
  }
}

/** One event stream, from the gateway to the daemon. */
class OpenStream {
  readonly response: Response;
  private isOver = false;

  constructor(
    private readonly answer: OpenAnswer,
    readonly life: ProgramLife,
    private readonly ended: () => void,
  ) {
    const { status, headers, body } = answer;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.fail = () => controller.error(new TypeError('terminated', { cause: { code: 'ECONNRESET' } }));
        body.on('data', (bytes: Buffer) =>
          this.life.reach(() => {
            if (!this.isOver) controller.enqueue(new Uint8Array(bytes));
          }),
        );
        body.on('end', () =>
          this.life.reach(() => {
            if (!this.isOver) controller.close();
            this.finish();
          }),
        );
        body.on('error', () => this.cut());
      },
      cancel: () => this.abandon(),
    });
    this.response = new Response(stream, { status, headers: headersOf(headers) });
  }

  /** The network breaks: both ends notice. */
  cut(): void {
    if (this.isOver) return;
    this.life.reach(() => this.fail());
    this.abandon();
  }

  /** The daemon has left: only the gateway notices. */
  abandon(): void {
    if (this.isOver) return;
    this.finish();
    this.answer.close();
  }

  private fail: () => void = () => undefined;

  private finish(): void {
    this.isOver = true;
    this.ended();
  }
}

function responseOf({ status, text, headers }: HttpAnswer): Response {
  return new Response(status === 204 ? null : text, { status, headers: headersOf(headers) });
}

function headersOf(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
