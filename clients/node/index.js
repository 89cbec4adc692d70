// signet-client: calls functions of a Signet server.
export { Client, connect } from './lib/client.js';
export {
  CancelledError, DataLossError, DeadlineExceededError, FailedPreconditionError, InternalError, InvalidArgumentError, NotFoundError,
  OutOfRangeError, PermissionDeniedError, ResourceExhaustedError, SignetError, UnauthenticatedError, UnavailableError,
  UnimplementedError,
} from './lib/errors.js';
export { Columns, Extension, Ragged, Sparse, Tensor, tensor } from './lib/values.js';
