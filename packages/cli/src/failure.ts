import type { Failure, Result } from '@panoptes/schema'
import { EXIT, type ExitCode } from './exit-codes.ts'

interface Details {
  readonly code: string
  readonly next?: string | undefined
  readonly exit?: ExitCode | undefined
}

/** Something went wrong that a person can do something about: shown as words, never as a stack. */
export class CommandFailure extends Error {
  readonly code: string
  readonly next: string | undefined
  readonly exit: ExitCode

  constructor(message: string, details: Details) {
    super(message)
    this.code = details.code
    this.next = details.next
    this.exit = details.exit ?? EXIT.failed
  }
}

/** The value of a result, or its failure as one of the command. */
export function orFail<T>(result: Result<T>, next?: string): T {
  if (result.ok) return result.value
  throw asCommandFailure(result, next)
}

export function asCommandFailure(refused: Failure, next?: string): CommandFailure {
  const exit =
    refused.code === 'locked' ? EXIT.inUse : refused.code === 'stopped' ? EXIT.interrupted : undefined
  return new CommandFailure(refused.message, { code: refused.code, next, exit })
}
