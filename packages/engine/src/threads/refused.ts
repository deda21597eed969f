import type { Failure, Result } from '@panoptes/schema'

/** A failure on its way to a thread's answer; it carries the whole sentence already. */
export class Refused extends Error {
  readonly failure: Failure
  constructor(refused: Failure) {
    super(refused.message)
    this.failure = refused
  }
}

export function orThrow<T>(result: Result<T>): T {
  if (!result.ok) throw new Refused(result)
  return result.value
}
