import { Injectable } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import { TerminalUnavailableError, type TerminalClient } from '@libs/terminal-client';
import { SessionUnavailableError } from '../terminal-session/session-unavailable.error';
import { TerminalSession } from '../terminal-session/terminal-session';

/** The way from a request to the terminal: a verified session, and every failure as an answer of the API. */
@Injectable()
export class TerminalAccess {
  constructor(private readonly session: TerminalSession) {}

  /**
   * The terminal of a verified session.
   * @throws ApiError reconnect_cooldown or terminal_unavailable, at once
   */
  async connected(): Promise<TerminalClient> {
    try {
      return await this.session.requireConnected();
    } catch (error) {
      throw unavailable(error);
    }
  }

  /**
   * The terminal, when this account is logged in; null is any.
   * @throws ApiError account_mismatch, reconnect_cooldown or terminal_unavailable
   */
  async connectedTo(login: number | null): Promise<TerminalClient> {
    const terminal = await this.connected();
    this.refuseOther(login);
    return terminal;
  }

  /**
   * The terminal, seen this very moment to be logged in to the right account: for what is about to be sent.
   * @param login the account it is meant for; null is whichever the gateway is for
   * @throws ApiError account_mismatch, reconnect_cooldown or terminal_unavailable; nothing was sent
   */
  async confirmed(login: number | null = null): Promise<TerminalClient> {
    try {
      const terminal = await this.session.confirm();
      this.refuseOther(login);
      return terminal;
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** Tells the session of a failure that the caller handles itself. */
  reportFailure(error: unknown): void {
    this.session.reportFailure(error);
  }

  /**
   * Runs one read. A read that failed is an error, never an empty answer.
   * @throws ApiError reconnect_cooldown or terminal_unavailable
   */
  async read<T>(call: (terminal: TerminalClient) => Promise<T>): Promise<T> {
    try {
      return await call(await this.session.requireConnected());
    } catch (error) {
      this.session.reportFailure(error);
      throw unavailable(error);
    }
  }

  private refuseOther(login: number | null): void {
    const { account } = this.session.status();
    if (login === null || login === account) return;
    throw new ApiError('account_mismatch', `the account is ${account ?? 'not known'}, the request is for ${login}`, {
      details: { expected: login, actual: account },
    });
  }
}

function unavailable(error: unknown): unknown {
  if (error instanceof SessionUnavailableError) {
    return new ApiError(error.reason === 'cooldown' ? 'reconnect_cooldown' : 'terminal_unavailable', error.message, {
      details: { reason: error.reason },
      ...(error.retryAfterSeconds === undefined ? {} : { headers: { 'retry-after': String(error.retryAfterSeconds) } }),
    });
  }
  if (error instanceof TerminalUnavailableError) {
    return new ApiError('terminal_unavailable', 'the terminal did not answer the read', {
      details: { reason: error.failure },
      terminalError: error.lastError,
    });
  }
  return error;
}
