import { integer, only, text } from './field';

/** What the terminal's last call left behind, under the names of the API. */
export const lastErrorRowFields = {
  code: integer(1, "The terminal's code; 1 is success."),
  message: text('Success'),
  error_code: integer(1, 'The same as `code`.'),
  error_message: text('Success', 'The same as `message`.'),
};

/** The result of `last_error()`. */
export const lastErrorFields = only(lastErrorRowFields, 'code', 'message');
