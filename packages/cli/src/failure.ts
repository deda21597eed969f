import type { Failure, FailureCode, Result } from '@panoptes/schema'

interface Details {
  readonly code: string
  readonly next?: string | undefined
  readonly exit?: ExitCode | undefined
  /** The first line on stdout, which the command prints despite the failure. */
  readonly says?: string | undefined
}

/** A failure that the user can fix. It is printed as a message, never as a stack trace. */
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

/** Creates a failure for a mistyped command. `next` shows the correct form. */
export const usageFailure = (message: string, next: string): CommandFailure =>
  new CommandFailure(message, { code: 'usage', next, exit: EXIT.usage })

/** The default advice per failure. Most messages of the store already contain their own. */
const NEXT: Readonly<Record<FailureCode, string | undefined>> = {
  invalid: 'Correct it, then try again.',
  not_found: 'Check the name, then try again.',
  busy: 'Try again in a moment.',
  stopped: undefined,
  closed: 'Start Panoptes with: panoptes up',
  locked: 'See which process uses it with: panoptes doctor',
  denied: 'Correct it, then try again.',
  disk_full: 'Free some space, then try again.',
  read_only: 'Set PANOPTES_HOME to a folder that you can write to.',
  gone: 'Find out why with: panoptes doctor',
  corrupt: 'Get details with: panoptes doctor',
  newer_version: 'Install the newest Panoptes.',
  io: 'Find out why with: panoptes doctor',
}

/** Returns the value of a result, or throws its failure as a command failure. */
export function orFail<T>(result: Result<T>, next?: string): T {
  if (result.ok) return result.value
  throw toCommandFailure(result, next)
}

export function toCommandFailure(refused: Failure, next?: string): CommandFailure {
  const exit =
    refused.code === 'locked' ? EXIT.inUse : refused.code === 'stopped' ? EXIT.interrupted : undefined
  return new CommandFailure(refused.message, { code: refused.code, next: next ?? NEXT[refused.code], exit })
}

/** The exit codes for scripts. `docs/commands.md` lists them for users. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notRunning: 3,
  inUse: 4,
  config: 5,
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
