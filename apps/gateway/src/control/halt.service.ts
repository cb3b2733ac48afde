import { Injectable, Logger } from '@nestjs/common';
import { ApiError, systemErrorText, type FieldProblem } from '@libs/envelope';
import { AuditTrail } from '../audit/audit-trail';
import type { Caller } from '../audit/caller';
import { KillSwitch } from '../kill-switch/kill-switch';
import type { FlattenReport } from '../positions/flatten.response';
import { FlattenService } from '../positions/flatten.service';
import type { KillResponse, ReleaseResponse } from './control.response';
import type { FlattenWish } from './flatten-wish';

/** Result of a halt: trading is halted in any case; the fields report what failed. */
export interface Halt {
  /** Why the kill-switch file could not be created; null if it was created. */
  readonly fileError: string | null;
  /** Whether the action was written to the audit log. */
  readonly audited: boolean;
}

/** Result of flattening: a report, or the error that prevented it. */
type Flattened = { readonly report: FlattenReport | null; readonly error: ApiError | null };

const halted = { kill_switch_active: true } as const;
const notFlattened: Flattened = { report: null, error: null };

/** Halts and resumes trading. The switch comes first, so that no later failure lets in new risk. */
@Injectable()
export class HaltService {
  private readonly logger = new Logger('kill-switch');

  constructor(
    private readonly killSwitch: KillSwitch,
    private readonly audit: AuditTrail,
    private readonly flattening: FlattenService,
  ) {}

  /** Halts trading, in memory before anything is awaited. Never throws: reports a failed file or audit line. */
  async halt(caller: Caller): Promise<Halt> {
    const fileError = await this.killSwitch.engage();
    this.logger.warn({ ...caller }, 'kill switch engaged');
    const audited = await this.audit.note({
      event: 'kill_engaged',
      ...caller,
      route: 'POST /kill',
      error_type: fileError === null ? null : 'kill_switch_file_error',
    });
    return { fileError, audited };
  }

  /**
   * Flattens if requested, and builds the response of the halt.
   * @throws ApiError kill_switch_file_error, validation_error or an error of the flattening; each states that trading
   * is halted
   */
  async answer(caller: Caller, halt: Halt, wish: FlattenWish): Promise<KillResponse> {
    const { report, error } = wish.kind === 'yes' ? await this.flatten(caller) : notFlattened;
    if (halt.fileError !== null) throw fileMissing(halt.fileError, wish, report, error);
    if (wish.kind === 'unclear') throw notUnderstood(wish.problem);
    if (error !== null) throw haltedButNotFlattened(error);
    return { ok: true, message: 'trading is halted', ...halted, flatten: report, audited: halt.audited };
  }

  /**
   * Writes the audit line after the removal, because it records a release that happened. If the line cannot be written,
   * trading resumes all the same, and the response states that the line is missing.
   * @throws ApiError kill_switch_file_error when the file or its marker cannot be removed; states whether trading is halted,
   * which it is unless the file was removed by hand
   */
  async release(caller: Caller): Promise<ReleaseResponse> {
    const wasActive = await this.killSwitch.isActive();
    try {
      await this.killSwitch.release();
    } catch (cause) {
      this.logger.error({ err: cause, ...caller }, 'the kill switch cannot be released');
      throw notReleased(systemErrorText(cause), await this.killSwitch.isActive(), cause);
    }
    this.logger.warn({ ...caller }, 'kill switch released');
    const audited = await this.audit.note({
      event: 'kill_released',
      ...caller,
      route: 'POST /kill/release',
    });
    const effect = wasActive ? 'trading resumes' : 'trading was not halted: nothing changed';
    const message = audited ? effect : `${effect}; the audit log cannot be written and does not record this release`;
    return { ok: true, message, kill_switch_active: false, audited };
  }

  private async flatten(caller: Caller): Promise<Flattened> {
    try {
      return { report: await this.flattening.flatten(caller), error: null };
    } catch (error) {
      if (error instanceof ApiError) return { report: null, error };
      throw error;
    }
  }
}

function notReleased(reason: string, isActive: boolean, cause: unknown): ApiError {
  const effect = isActive ? 'trading stays halted' : 'trading is not halted, and will be after the next start';
  const message = `the kill-switch file or its marker in STATE_DIR cannot be removed: ${reason}; ${effect}`;
  return new ApiError('kill_switch_file_error', message, { fields: { kill_switch_active: isActive }, cause });
}

function fileMissing(
  fileError: string,
  wish: FlattenWish,
  report: FlattenReport | null,
  error: ApiError | null,
): ApiError {
  const parts = [`trading is halted, but the kill-switch file could not be created: ${fileError}`];
  if (wish.kind === 'unclear') parts.push(`nothing was flattened: ${wish.problem.field} ${wish.problem.problem}`);
  if (error !== null) parts.push(`flattening failed: ${error.message}`);
  return new ApiError('kill_switch_file_error', parts.join('; '), {
    fields: { ...halted, flatten: report },
    terminalError: error?.terminalError,
  });
}

function notUnderstood(problem: FieldProblem): ApiError {
  const message = `trading is halted; nothing was flattened: ${problem.field} ${problem.problem}`;
  return new ApiError('validation_error', message, { details: [problem], fields: { ...halted, flatten: null } });
}

function haltedButNotFlattened(error: ApiError): ApiError {
  return new ApiError(error.errorType, `trading is halted, but flattening failed: ${error.message}`, {
    details: error.details,
    terminalError: error.terminalError,
    headers: error.headers,
    fields: { ...halted, flatten: null },
    cause: error,
  });
}
