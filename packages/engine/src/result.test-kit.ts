import type { Result } from '@panoptes/schema'

/** Returns the value of a result and fails the test when it is a failure. */
export function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.message)
  return result.value
}
