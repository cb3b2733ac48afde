/** A record of the API, by member. */
export type Row = Record<string, unknown>;

/** What a route answers. */
export interface Answer {
  readonly status: number;
  readonly body: object;
}

/** A successful answer with these members. */
export function success(body: object): Answer {
  return { status: 200, body: { ok: true, ...body } };
}

export function refusal(status: number, error_type: string, retcode?: number): Answer {
  const terminal_error =
    retcode === undefined ? {} : { terminal_error: { retcode, retcode_name: 'NAME', comment: '' } };
  return { status, body: { ok: false, error: error_type, error_type, request_id: 'r', ...terminal_error } };
}
