// Errors of calls: one class for each status code, with the reason and the argument that caused the error.

/** An error of a call. `code` is a status code, `reason` a word such as MISSING_REQUIRED, and `field` the path of an argument. */
export class SignetError extends Error {
  constructor(message, { code = 'UNKNOWN', reason = '', field = '', constraint = '', cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.reason = reason;
    this.field = field;
    this.constraint = constraint;
  }
}

export class CancelledError extends SignetError {}
export class InvalidArgumentError extends SignetError {}
export class DeadlineExceededError extends SignetError {}
export class NotFoundError extends SignetError {}
export class PermissionDeniedError extends SignetError {}
export class ResourceExhaustedError extends SignetError {}
export class FailedPreconditionError extends SignetError {}
export class OutOfRangeError extends SignetError {}
export class UnimplementedError extends SignetError {}
export class InternalError extends SignetError {}
export class UnavailableError extends SignetError {}
export class DataLossError extends SignetError {}
export class UnauthenticatedError extends SignetError {}

// By number of google.rpc.Code.
const CODES = [
  'OK', 'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND', 'ALREADY_EXISTS', 'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION', 'ABORTED', 'OUT_OF_RANGE', 'UNIMPLEMENTED', 'INTERNAL', 'UNAVAILABLE', 'DATA_LOSS',
  'UNAUTHENTICATED'];

const CLASSES = {
  CANCELLED: CancelledError, INVALID_ARGUMENT: InvalidArgumentError, DEADLINE_EXCEEDED: DeadlineExceededError,
  NOT_FOUND: NotFoundError, PERMISSION_DENIED: PermissionDeniedError, RESOURCE_EXHAUSTED: ResourceExhaustedError,
  FAILED_PRECONDITION: FailedPreconditionError, OUT_OF_RANGE: OutOfRangeError, UNIMPLEMENTED: UnimplementedError,
  INTERNAL: InternalError, UNAVAILABLE: UnavailableError, DATA_LOSS: DataLossError, UNAUTHENTICATED: UnauthenticatedError,
};

/** Makes the error of a status code, which is a name or a number of google.rpc.Code. */
export function makeError(code, message, details = {}) {
  const name = typeof code === 'number' ? (code > 0 && CODES[code]) || 'UNKNOWN' : code;
  return new (CLASSES[name] ?? SignetError)(message, { ...details, code: name });
}

/** Makes the error of a response that the client cannot read. */
export const badResponse = (message, cause) =>
  makeError('INTERNAL', `the response of the server: ${message}`, { reason: 'BAD_RESPONSE', ...(cause && { cause }) });

/** Returns what `read` returns for a response. All of its errors are SignetErrors. */
export function readResponse(read) {
  try {
    return read();
  } catch (error) {
    throw error instanceof SignetError ? error : badResponse(`expected one that can be read: ${error.message}`, error);
  }
}
