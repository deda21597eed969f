/** Why something could not be done: a closed set, so that callers can say what to do next. */
export type FailureCode =
  | 'invalid'
  | 'not_found'
  | 'busy'
  | 'stopped'
  | 'closed'
  | 'locked'
  /**
   * The other side rejects this process itself: its user, its permissions or its settings. Nothing
   * is wrong with the request.
   */
  | 'denied'
  | 'disk_full'
  | 'read_only'
  /** The files that a process works with were deleted, moved or replaced meanwhile. */
  | 'gone'
  | 'corrupt'
  | 'newer_version'
  | 'io'

export interface Failure {
  readonly ok: false
  readonly code: FailureCode
  readonly message: string
}

export interface Success<T> {
  readonly ok: true
  readonly value: T
}

export type Result<T> = Success<T> | Failure

export const success = <T>(value: T): Success<T> => ({ ok: true, value })

export const failure = (code: FailureCode, message: string): Failure => ({ ok: false, code, message })
