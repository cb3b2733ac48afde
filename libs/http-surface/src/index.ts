export { earlyAnswer, type EarlyHeaders } from './early-answer';
export { answerFrameworkErrors } from './framework-errors';
export { parseStrictJson } from './strict-json';
