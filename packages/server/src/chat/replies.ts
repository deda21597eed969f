import type { Failure, Result } from '@panoptes/schema'
import { type Refusal, toRefusal } from '../problem.ts'
import { json, type Reply } from '../route.ts'

export const answer = <T>(result: Result<T>): Reply => (result.ok ? json(result.value) : refusal(result))

/** A message that arrives during an answer is refused with a hint that the answer can be stopped. */
export const refusal = (failed: Failure): Refusal =>
  failed.code === 'busy'
    ? {
        status: 409,
        code: 'busy',
        title: 'Being answered',
        detail: failed.message,
        next: 'Wait for the answer to finish, or stop it with POST …/cancel.',
      }
    : toRefusal(failed)
