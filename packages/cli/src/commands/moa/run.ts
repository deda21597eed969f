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
  await follow(context, (moa, signal) => moa.run({ prompt, ...options }, signal))
}

export interface ReplayOptions {
  readonly aggregator?: string
  readonly without?: string
}

/** Runs a turn again with one thing changed. */
export const replay = (context: Context, turn: string, options: ReplayOptions): Promise<void> =>
  follow(context, (moa, signal) => moa.replay({ turn, ...options }, signal), compare)

const compare = ({ replay_of }: MoaTurn): string | undefined =>
  replay_of === null ? undefined : `What changed: panoptes moa diff ${replay_of.slice(0, 8)}`
