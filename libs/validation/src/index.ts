export { checked, type Problem } from './checked';
export { jsonSchemaOf, type JsonSchema } from './json-schema';
export { allOf, Integer, ListOf, Mapping, Optional, PositiveNumber, Says, Shape, ValuesOf } from './rules';
