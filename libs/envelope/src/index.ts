export { ApiError, validationError, type FieldProblem } from './api-error';
export { collection, errorBody, mutation, single, type CollectionBody, type ErrorBody } from './envelope';
export { EnvelopeFilter } from './envelope.filter';
export { errorMeanings } from './error-meanings';
export { errorTypes, statusOfErrorType, type ErrorType } from './error-types';
export { requestIdOf, requestIds, stampRequestIds } from './request-id';
export { RouteMethods } from './route-methods';
export { systemErrorText } from './system-error';
