import { Turns } from './turns';

/** Requests without the credential that start in one turn of the event loop. */
const mostBegunAtOnce = 1;
/** Connections over the limit that are closed in one turn. */
const mostClosedAtOnce = 4;

/** Work for clients without the credential, which yields the event loop to clients with one. */
export class Crowd {
  readonly requests = new Turns(mostBegunAtOnce);
  readonly closings = new Turns(mostClosedAtOnce);

  /** Leaves a number of turns of the event loop to other work. */
  makeWay(turns: number): void {
    this.requests.pass(turns);
    this.closings.pass(turns);
  }
}
