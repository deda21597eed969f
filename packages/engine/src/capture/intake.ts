import type { Appended, Marks } from '@panoptes/engine/ledger'
import type { NewEvent, RejectedLine, Result } from '@panoptes/schema'
import type { Capture } from './capture.ts'
import type { HookReader } from './hook.ts'

/** Where every input of the daemon puts its events, so that all of them are counted in one place. */
export interface Intake {
  readonly capture: Capture
  /** How the payloads of each source's hooks are read. */
  readonly readers: readonly HookReader[]
  readonly append: (events: readonly NewEvent[], marks?: Marks) => Promise<Result<Appended>>
  readonly rejected: (count: number, last: RejectedLine | undefined) => void
}
