import type { Appended, Marks } from '@panoptes/engine/store'
import type { NewEvent, RejectedLine, Result } from '@panoptes/schema'
import type { Capture } from './capture.ts'
import type { HookReader } from './hook.ts'

/** Every input of the daemon appends its events here, so that they are counted in one place. */
export interface Intake {
  readonly capture: Capture
  /** The readers for the payloads of each source's hooks. */
  readonly readers: readonly HookReader[]
  readonly append: (events: readonly NewEvent[], marks?: Marks) => Promise<Result<Appended>>
  readonly rejected: (count: number, last: RejectedLine | undefined) => void
}
