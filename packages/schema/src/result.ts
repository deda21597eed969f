/** Why something could not be done: a closed set, so that the edges can say what to do next. */
export type FailureCode =
  | 'invalid'
  | 'not_found'
  | 'busy'
  | 'stopped'
  | 'closed'
  | 'locked'
  /** Whoever is asked refuses this process itself: its user, its rights, its settings. Nothing is wrong with what it brought. */
  | 'denied'
  | 'disk_full'
  | 'read_only'
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
