import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Work shared by requests: requests for the same thing in one turn of the event loop get one result, read after the
 * last of them arrived, so that no request gets data from before its arrival. The busier the gateway, the more requests
 * share.
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
