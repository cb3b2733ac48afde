import { isRefusedLogin, problemOf, problemText, type SessionProblem } from './session-problem';
import { SessionUnavailableError } from './session-unavailable.error';

function textOf(code: number, message: string): string {
  return problemText(problemOf({ code, message }));
}

describe('why there is no session', () => {
  it('has a text of its own for each error of the terminal, with what to check', () => {
    expect(textOf(-6, 'Terminal: Authorization failed')).toBe(
      'the broker refused the login (Terminal: Authorization failed, -6): check TERMINAL_LOGIN, TERMINAL_PASSWORD and TERMINAL_SERVER',
    );
    expect(textOf(-6, 'not authorised')).toBe(
      'the bridge refused the token (not authorised, -6): check TERMINAL_BRIDGE_TOKEN',
    );
    expect(textOf(-10005, 'IPC timeout')).toBe(
      'the terminal did not answer in time (IPC timeout, -10005): check its desktop, where it may be starting or showing a dialog',
    );
    expect(textOf(-10003, 'IPC initialize failed, MetaTrader 5 x64 not found')).toBe(
      'the terminal is not running, or not installed (IPC initialize failed, MetaTrader 5 x64 not found, -10003): check that it was started',
    );
    expect(textOf(-10004, 'connect ECONNREFUSED')).toBe(
      'the terminal or its bridge cannot be reached (connect ECONNREFUSED, -10004): check that both are running and TERMINAL_BRIDGE_ADDR',
    );
    expect(textOf(-5, 'Terminal: Invalid version')).toMatch(/^the terminal and its package do not match/);
    expect(textOf(-1, 'Terminal: Call failed')).toBe('the terminal failed (Terminal: Call failed, -1)');
  });

  it('counts as a refused login only if the broker refused it', () => {
    const kinds = ['login_refused', 'wrong_account', 'token_refused', 'no_server', 'no_answer', 'logged_out'] as const;
    const lastError = { code: -6, message: 'any' };
    const refused = kinds.filter((kind) => isRefusedLogin({ kind, lastError } satisfies SessionProblem));
    expect(refused).toEqual(['login_refused', 'wrong_account']);
  });

  it('names the settings without which no login is made', () => {
    const error = new SessionUnavailableError('disconnected', null, 5, ['TERMINAL_PASSWORD']);
    expect(error.message).toBe('the terminal is not logged in; set TERMINAL_PASSWORD, or log in at the terminal');
    expect(error.settings).toEqual(['TERMINAL_PASSWORD']);
  });
});
