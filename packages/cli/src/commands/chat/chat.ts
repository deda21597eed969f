import { text } from 'node:stream/consumers'
import type { ConversationHead } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { stopped } from '../../daemon/client.ts'
import { running } from '../../daemon/running.ts'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure } from '../../failure.ts'
import { canAsk } from '../../terminal/ask.ts'
import { filesAt } from './files.ts'
import { inputOf } from './input.ts'
import { prompting } from './prompting.ts'
import { resumed } from './resume.ts'
import { saidIn } from './say.ts'
import { asFailure, type Ended, show } from './show.ts'
import { type Talk, talkOf } from './talk.ts'

export interface ChatOptions {
  readonly runtime?: string
  readonly model?: string
  readonly resume?: string
  readonly file?: readonly string[]
  readonly template?: string
}

/** One message and its answer, or a prompt for as many as are wanted. */
export async function chat(context: Context, words: readonly string[], options: ChatOptions): Promise<void> {
  const message = await messageOf(words)
  const isPrompt = message === null
  const files = await filesAt(options.file ?? [])
  if (message?.trim() === '' && options.resume === undefined) throw nothingSaid()
  const talk = talkOf(await running(context))
  const there = options.resume === undefined ? null : await resumed(talk, options.resume)
  const first = { files, template: options.template }
  const asked = { runtime: options.runtime, model: options.model }
  if (isPrompt) return prompting(context, talk, there, { ...asked, ...first })
  if (message.trim() === '') return attach(context, talk, there)
  const input = inputOf(message, { ...asked, ...first })
  const { id, events } = await saidIn(talk, there?.id ?? null, input)
  tell(context, await show(context, talk, id, events), id)
}

/** Null opens a prompt. */
async function messageOf(words: readonly string[]): Promise<string | null> {
  if (words.length === 0) return canAsk() ? null : text(process.stdin)
  if (words.at(-1) !== '-') return words.join(' ')
  return [words.slice(0, -1).join(' '), await text(process.stdin)].filter((part) => part !== '').join('\n\n')
}

/** Follows what is being answered. */
async function attach(context: Context, talk: Talk, there: ConversationHead | null): Promise<void> {
  if (there === null || there.run_id === null) throw nothingSaid()
  tell(context, await show(context, talk, there.id, await talk.follow(there.id, null)), there.id)
}

function tell({ output }: Context, ended: Ended, id: string): void {
  const next = `Go on with: panoptes chat --resume ${id}`
  if (ended.how === 'failed') {
    // Its event is the last line already.
    if (output.json) process.exitCode = EXIT.failed
    else throw asFailure(ended.error)
  } else if (ended.done.outcome === 'cancelled') {
    if (output.json) process.exitCode = EXIT.interrupted
    else throw stopped(`What was said so far is kept. ${next}`)
  } else {
    if (ended.done.outcome === 'length') output.note('The answer was cut: it is as long as it may be.')
    output.aside(next)
  }
}

const nothingSaid = (): CommandFailure =>
  new CommandFailure('There is nothing to say', {
    code: 'usage',
    next: 'Write it behind the options, or - to read it from the standard input.',
    exit: EXIT.usage,
  })
