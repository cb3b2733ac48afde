import type { Notification } from '../notification';
import type { EmailSpec } from '../notifier-file';
import { lineOf } from '../notification';
import type { Channel, Delivery } from './channel';
import { failureReason } from './http-post';

const mostAtOnce = 200;
const longestSubject = 120;
const connectTimeoutMs = 10_000;
const silenceTimeoutMs = 20_000;

/** A plain-text e-mail over SMTP to one recipient. Its Message-ID is made from the ids of its messages. */
export class EmailChannel implements Channel {
  readonly type = 'email';

  constructor(private readonly spec: EmailSpec) {}

  get name(): string {
    return this.spec.name;
  }

  fitting(messages: readonly Notification[]): number {
    return Math.min(mostAtOnce, messages.length);
  }

  async deliver(messages: readonly Notification[], signal: AbortSignal): Promise<Delivery> {
    // Loaded with the first message: a gateway without e-mail does not need it.
    const { createTransport } = await import('nodemailer');
    const transport = createTransport(this.options());
    const abort = (): void => transport.close();
    signal.addEventListener('abort', abort, { once: true });
    try {
      await transport.sendMail(this.mail(messages));
      return { kind: 'taken' };
    } catch (error) {
      return { kind: 'failed', reason: reasonOf(error), isRefused: isContentRefusal(error) };
    } finally {
      signal.removeEventListener('abort', abort);
      transport.close();
    }
  }

  private options() {
    const { host, port, security, user, password } = this.spec;
    return {
      ...{ host, port, secure: security === 'tls', requireTLS: security === 'starttls' },
      ignoreTLS: security === 'none',
      ...(user === null ? {} : { auth: { user, pass: password ?? '' } }),
      ...{ connectionTimeout: connectTimeoutMs, greetingTimeout: connectTimeoutMs, socketTimeout: silenceTimeoutMs },
      ...{ disableFileAccess: true, disableUrlAccess: true },
    };
  }

  private mail(messages: readonly Notification[]) {
    const { from, to, recipient } = this.spec;
    const [first] = messages;
    const subject =
      messages.length === 1 ? (first?.text ?? '') : `${messages.length} notifications of the trading gateway`;
    const ids = [first?.id, messages.at(-1)?.id].filter((id, at, all) => all.indexOf(id) === at);
    return {
      ...{ from, to: [...to], envelope: { from, to: recipient }, subject: subject.slice(0, longestSubject) },
      ...{ messageId: `<${ids.join('.')}@trading-gateway>`, text: `${messages.map(lineOf).join('\n')}\n` },
    };
  }
}

/** The code of the error and of the server's answer; the texts of both could repeat what was sent. */
function reasonOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'responseCode' in error ? error.responseCode : undefined;
  return typeof code === 'number' ? `SMTP ${code}` : failureReason(error);
}

/** Whether the server refused the message for good. A refused sender, recipient or login is not the fault of one message. */
function isContentRefusal(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('code' in error) || !('responseCode' in error)) return false;
  return error.code === 'EMESSAGE' && Number(error.responseCode) >= 500;
}
