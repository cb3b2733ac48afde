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
    try {
      await transport.sendMail({ ...this.mail(messages), signal });
      return { kind: 'taken' };
    } catch (error) {
      return { kind: 'failed', reason: reasonOf(error), isRefused: isContentRefusal(error) };
    } finally {
      transport.close();
    }
  }

  private options() {
    const { host, port, security, user, password } = this.spec;
    return {
      host,
      port,
      secure: security === 'tls',
      requireTLS: security === 'starttls',
      ignoreTLS: security === 'none',
      ...(user === null ? {} : { auth: { user, pass: password ?? '' } }),
      connectionTimeout: connectTimeoutMs,
      greetingTimeout: connectTimeoutMs,
      socketTimeout: silenceTimeoutMs,
      // An ended attempt closes its connection at once, although the server may go on sending.
      socketCloseTimeout: 0,
      disableFileAccess: true,
      disableUrlAccess: true,
    };
  }

  private mail(messages: readonly Notification[]) {
    const { from, to, recipient } = this.spec;
    const [first] = messages;
    const subject =
      messages.length === 1 ? (first?.text ?? '') : `${messages.length} notifications of the trading gateway`;
    const ids = [first?.id, messages.at(-1)?.id].filter((id, at, all) => all.indexOf(id) === at);
    return {
      from,
      to: [...to],
      envelope: { from, to: recipient },
      subject: subject.slice(0, longestSubject),
      messageId: `<${ids.join('.')}@trading-gateway>`,
      text: `${messages.map(lineOf).join('\n')}\n`,
    };
  }
}

/** The codes of the server's answer, or that of the error; the texts of both could repeat what was sent. */
function reasonOf(error: unknown): string {
  const answer = answerIn(error);
  if (answer === null) return failureReason(error);
  return `SMTP ${answer.code}${answer.enhanced === null ? '' : ` ${answer.enhanced}`}`;
}

/**
 * Whether the server refused this message for good, so that another message could still be delivered. Some servers refuse a
 * mailbox, a sender or a full quota only after the mail; the enhanced status code (RFC 3463) distinguishes these.
 */
function isContentRefusal(error: unknown): boolean {
  const answer = answerIn(error);
  return answer !== null && answer.isToMail && answer.code >= 500 && isAboutContent(answer.enhanced);
}

/** The content or the size, or no cause is named. */
function isAboutContent(enhanced: string | null): boolean {
  return enhanced === null || /^5\.(0\.|5\.|6\.|2\.3$|3\.4$)/.test(enhanced);
}

interface SmtpAnswer {
  readonly code: number;
  /** The enhanced status code, as 5.2.2; null if the server gives none. */
  readonly enhanced: string | null;
  /** The answer to a whole mail, after its sender and recipient were accepted. */
  readonly isToMail: boolean;
}

function answerIn(error: unknown): SmtpAnswer | null {
  if (typeof error !== 'object' || error === null) return null;
  const { code, responseCode, response } = error as Record<string, unknown>;
  if (typeof responseCode !== 'number') return null;
  const [, enhanced = null] = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})(?!\S)/.exec(String(response)) ?? [];
  return { code: responseCode, enhanced, isToMail: code === 'EMESSAGE' };
}
