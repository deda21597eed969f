import { text } from 'node:stream/consumers'
import type { MoaTurn } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure } from '../../failure.ts'
import { follow } from './follow.ts'

export interface RunOptions {
  readonly preset?: string
  readonly system?: string
  readonly session?: string
}

/** Asks a preset. */
export async function run(context: Context, words: readonly string[], options: RunOptions): Promise<void> {
  const said = words.join(' ')
  const prompt = said === '-' ? await text(process.stdin) : said
  if (prompt.trim() === '')
    throw new CommandFailure('There is no question', {
      code: 'usage',
      next: 'Write it behind the options, or - to read it from the standard input.',
      exit: EXIT.usage,
    })
  await advising('See which presets there are with: panoptes moa presets', () =>
    follow(context, (moa, signal) => moa.run({ prompt, ...options }, signal)),
  )
}

export interface ReplayOptions {
  readonly aggregator?: string
  readonly without?: string
}

/** Runs a turn again with one thing changed. */
export const replay = (context: Context, turn: string, options: ReplayOptions): Promise<void> =>
  advising('See which turns there are, and which were written down, with: panoptes moa turns', () =>
    follow(context, (moa, signal) => moa.replay({ turn, ...options }, signal), compare),
  )

/** What cannot be done as it was asked for is asked for otherwise by what there is. */
async function advising(next: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const isTheirs = error instanceof CommandFailure && /^(?:invalid|not_found)$/.test(error.code)
    throw isTheirs && isGeneral(error.next)
      ? new CommandFailure(error.message, { code: error.code, next })
      : error
  }
}

const isGeneral = (next: string | undefined): boolean =>
  next === undefined || /^(?:Check the name|Correct)\b(?! of)/.test(next)

const compare = ({ replay_of }: MoaTurn): string | undefined =>
  replay_of === null ? undefined : `What changed: panoptes moa diff ${replay_of.slice(0, 8)}`
