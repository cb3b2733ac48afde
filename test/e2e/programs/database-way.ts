import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Scratch } from './scratch';

/** The name that PostgreSQL and its clients give to a socket in a folder. */
const socketName = '.s.PGSQL.5432';

/** The way of one program to a PostgreSQL server: a socket of its own. While it is cut, nothing arrives and nothing fails. */
export class DatabaseWay {
  private readonly server: Server;
  private isCut = false;
  /** The statement from which on the way is cut. */
  private last: { readonly isIt: (text: string) => boolean; readonly then: () => void } | null = null;
  /** What arrives when the way is mended, in its order. */
  private readonly held: (() => void)[] = [];

  private constructor(
    /** The folder of the socket, for the URL of the program. */
    readonly folder: string,
    to: string,
  ) {
    this.server = createServer((near) => {
      const far = connect(join(to, socketName));
      near.on('data', (bytes) => this.watch(bytes.toString('latin1')));
      this.forward(near, far);
      this.forward(far, near);
    });
  }

  /** @param to folder of the server's socket */
  static async open(scratch: Scratch, to: string): Promise<DatabaseWay> {
    const way = new DatabaseWay(scratch.folder(), to);
    await new Promise<void>((resolve) => way.server.listen(join(way.folder, socketName), resolve));
    scratch.undo(() => void way.server.close());
    return way;
  }

  cut(): void {
    this.isCut = true;
  }

  /**
   * Cuts the way at the next such statement, which does not arrive either.
   * @param isIt of its text, in which bytes are hexadecimal digits
   */
  cutAt(isIt: (text: string) => boolean): Promise<void> {
    return new Promise((then) => (this.last = { isIt, then }));
  }

  /** Statements that were on their way arrive late. */
  mend(): void {
    this.isCut = false;
    for (const deliver of this.held.splice(0)) deliver();
  }

  private watch(statement: string): void {
    const { last } = this;
    if (!last?.isIt(statement)) return;
    this.last = null;
    this.cut();
    last.then();
  }

  private forward(from: Socket, to: Socket): void {
    from.on('data', (bytes) => this.deliver(() => void to.write(bytes)));
    from.on('close', () => this.deliver(() => void to.end()));
    from.on('error', () => undefined);
  }

  private deliver(act: () => void): void {
    if (this.isCut) this.held.push(act);
    else act();
  }
}
