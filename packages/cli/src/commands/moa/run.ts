import { text } from 'node:stream/consumers'
import type { MoaRunPart, MoaTurn } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { stopped } from '../../daemon/client.ts'
import { interruptible } from '../../daemon/signals.ts'
import { CommandFailure, EXIT } from '../../failure.ts'
import { type MoaAccess, withMoa } from './access.ts'
import { spentText } from './format.ts'

export interface RunOptions {
  readonly preset?: string
  readonly system?: string
  readonly session?: string
}

/** Runs a preset. */
export async function run(context: Context, words: readonly string[], options: RunOptions): Promise<void> {
  const input = words.join(' ')
  const prompt = input === '-' ? await text(process.stdin) : input
  if (prompt.trim() === '')
    throw new CommandFailure('The question is empty', {
      code: 'usage',
      next: 'Pass it as an argument, or use - to read it from stdin.',
      exit: EXIT.usage,
    })
  await withAdvice('List presets: panoptes moa presets', () =>
    follow(context, (moa, signal) => moa.run({ prompt, ...options }, signal)),
  )
}

export interface ReplayOptions {
  readonly aggregator?: string
  readonly without?: string
}

/** Replays a turn with one change. */
export const replay = (context: Context, turn: string, options: ReplayOptions): Promise<void> =>
  withAdvice('List turns and saved traces: panoptes moa turns', () =>
    follow(context, (moa, signal) => moa.replay({ turn, ...options }, signal), compare),
  )

/** Adds a hint about the available presets or turns to a failure. */
async function withAdvice(next: string, work: () => Promise<void>): Promise<void> {
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

type Parts = Promise<AsyncIterable<MoaRunPart>>

/** Runs a turn. Progress goes to stderr, the answer streams to stdout. Ctrl-C stops every call. */
async function follow(
  context: Context,
  begin: (moa: MoaAccess, signal: AbortSignal) => Parts,
  after: (turn: MoaTurn) => string | undefined = () => undefined,
): Promise<void> {
  const { signal, done } = interruptible()
  try {
    await withMoa(context, 'write', async (moa) => show(context, await begin(moa, signal), after))
  } catch (error) {
    throw signal.aborted ? stopped() : error
  } finally {
    done()
  }
}

async function show(
  { output }: Context,
  parts: AsyncIterable<MoaRunPart>,
  after: (turn: MoaTurn) => string | undefined,
): Promise<void> {
  const references: { readonly label: string; readonly text: string }[] = []
  let isOpen = false
  const close = () => {
    if (isOpen) output.piece('\n')
    isOpen = false
  }
  for await (const part of parts) {
    if (part.type === 'progress')
      output.note(`${part.refs_done}/${part.refs_total} ${part.label}${part.error ? `: ${part.error}` : ''}`)
    else if (part.type === 'reference') references.push({ label: part.label, text: part.text })
    else if (part.type === 'aggregating') output.note(`${part.aggregator} answers`)
    else if (part.type === 'text') {
      output.piece(part.text)
      isOpen = !part.text.endsWith('\n')
    } else if (part.type === 'failed') {
      close()
      throw toFailure(part)
    } else if (part.type === 'end') {
      close()
      output.note(spentText(part.turn))
      const next = after(part.turn)
      if (next !== undefined) output.note(next)
      output.answer([], { ok: true, text: part.text, references, turn: part.turn })
    }
  }
}

function toFailure({ class: kind, message, turn }: Extract<MoaRunPart, { type: 'failed' }>): Error {
  if (kind === 'aborted') return stopped()
  const by = turn?.slots.findLast(({ role }) => role === 'aggregator')?.label
  return new CommandFailure(by === undefined ? message : `${by}: ${message}`, {
    code: kind,
    next: NEXT[kind],
  })
}

const NEXT: Readonly<Partial<Record<string, string>>> = {
  auth: 'Check the API key of the provider: panoptes moa presets',
  rate_limited: 'Wait a moment, then try again.',
  network: 'Check that the provider can be reached.',
  not_found: 'Check the name of the model.',
  invalid: 'Check the preset: panoptes moa presets',
  timeout: 'Try again, or raise timeout in config.yaml.',
}
