export { checked, type Checked, type Problem } from './checked';
export { allOf, ListOf, Mapping, Optional } from './rules';
