import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Work that requests share: those that come in one turn of the event loop and want the same thing get one result, made
 * after the last of them came, so nobody is answered with what was read before he asked. The busier the gateway, the
 * more of them there are.
 */
export class SharedWork<Result> {
  private readonly waiting = new Map<string, Promise<Result>>();

  once(key: string, work: () => Promise<Result>): Promise<Result> {
    let result = this.waiting.get(key);
    if (!result) {
      result = nextTurn().then(() => {
        this.waiting.delete(key);
        return work();
      });
      this.waiting.set(key, result);
    }
    return result;
  }
}
