import type { Failure, FailureCode, Result } from '@panoptes/schema'
import { EXIT, type ExitCode } from './exit-codes.ts'

interface Details {
  readonly code: string
  readonly next?: string | undefined
  readonly exit?: ExitCode | undefined
  /** What the command answers all the same, as its first line of output. */
  readonly says?: string | undefined
}

/** Something went wrong that a person can do something about: shown as words, never as a stack. */
export class CommandFailure extends Error {
  readonly code: string
  readonly next: string | undefined
  readonly exit: ExitCode
  readonly says: string | undefined

  constructor(message: string, details: Details) {
    super(message)
    this.code = details.code
    this.next = details.next
    this.exit = details.exit ?? EXIT.failed
    this.says = details.says
  }
}

/** What to do where nobody nearer to the failure knows better; most messages of the ledger say it themselves. */
const NEXT: Readonly<Record<FailureCode, string | undefined>> = {
  invalid: 'Correct it, then try again.',
  not_found: 'Check the name, then try again.',
  busy: 'Try again in a moment.',
  stopped: undefined,
  closed: 'Start Panoptes with: panoptes up',
  locked: 'See who has it with: panoptes doctor',
  denied: 'Correct it, then try again.',
  disk_full: 'Free some space, then try again.',
  read_only: 'Choose a folder that you may write to; PANOPTES_HOME names the one Panoptes uses.',
  corrupt: 'See more with: panoptes doctor',
  newer_version: 'Install the newest Panoptes.',
  io: 'See what is wrong with: panoptes doctor',
}

/** The value of a result, or its failure as one of the command. */
export function orFail<T>(result: Result<T>, next?: string): T {
  if (result.ok) return result.value
  throw asCommandFailure(result, next)
}

export function asCommandFailure(refused: Failure, next?: string): CommandFailure {
  const exit =
    refused.code === 'locked' ? EXIT.inUse : refused.code === 'stopped' ? EXIT.interrupted : undefined
  return new CommandFailure(refused.message, { code: refused.code, next: next ?? NEXT[refused.code], exit })
}
