export { checked, type Problem } from './checked';
export { jsonSchemaOf } from './json-schema';
export { allOf, Integer, ListOf, Mapping, Optional, PositiveNumber, ValuesOf } from './rules';
