export { checked, type Problem } from './checked';
export { allOf, Integer, ListOf, Mapping, Optional, PositiveNumber } from './rules';
