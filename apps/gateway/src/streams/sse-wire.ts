import type { ServerResponse } from 'node:http';
import { sseComment, sseRetry } from '@libs/http-surface';
import type { StreamWire } from './stream-connection';
import type { StreamBatch } from './stream-frame';

const retryMs = 2_000;
const retry = sseRetry(retryMs);
const comment = sseComment('heartbeat');

/** Server-sent events (WHATWG HTML §9.2). Its heartbeat is a comment. */
export class SseWire implements StreamWire {
  readonly isOpen = true;
  readonly silentMs = 0;

  constructor(readonly carrier: ServerResponse) {}

  /** Sets how long the client waits before it reconnects. */
  begin(): void {
    this.carrier.write(retry);
  }

  write({ sseBytes }: StreamBatch): void {
    this.carrier.write(sseBytes);
  }

  heartbeat(): void {
    this.carrier.write(comment);
  }

  end(): void {
    this.carrier.end();
  }
}
