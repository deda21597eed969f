import type { Failure, Result } from '@panoptes/schema'
import { type Refusal, refusalOf } from '../problem.ts'
import { json, type Reply } from '../route.ts'

export const answer = <T>(result: Result<T>): Reply => (result.ok ? json(result.value) : refusal(result))

/** Who asks while an answer is being given is told so, and may stop it. */
export const refusal = (failed: Failure): Refusal =>
  failed.code === 'busy'
    ? {
        status: 409,
        code: 'busy',
        title: 'Being answered',
        detail: failed.message,
        next: 'Wait for its end, or stop it with POST …/cancel.',
      }
    : refusalOf(failed)
