import type { Failure, Result } from '@panoptes/schema'

/** A failure on its way into a thread's answer. Its message is already a complete sentence. */
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
