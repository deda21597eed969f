import type { MoaRunPart, MoaTurn } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { stopped } from '../../daemon/client.ts'
import { interruptible } from '../../daemon/signals.ts'
import { CommandFailure } from '../../failure.ts'
import { type MoaAccess, withMoa } from './access.ts'
import { spentText } from './words.ts'

type Parts = Promise<AsyncIterable<MoaRunPart>>

/** Runs a turn: who is through on stderr, the answer as it comes on stdout. Ctrl-C stops every call. */
export async function follow(
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
      throw failed(part)
    } else if (part.type === 'end') {
      close()
      output.note(spentText(part.turn))
      const next = after(part.turn)
      if (next !== undefined) output.note(next)
      output.answer([], { ok: true, text: part.text, references, turn: part.turn })
    }
  }
}

function failed({ class: kind, message, turn }: Extract<MoaRunPart, { type: 'failed' }>): Error {
  if (kind === 'aborted') return stopped()
  const by = turn?.slots.findLast(({ role }) => role === 'aggregator')?.label
  return new CommandFailure(by === undefined ? message : `${by}: ${message}`, {
    code: kind,
    next: NEXT[kind],
  })
}

const NEXT: Readonly<Partial<Record<string, string>>> = {
  auth: 'Check the key of that provider: panoptes moa presets',
  rate_limited: 'Wait a while, then try again.',
  network: 'Check that the provider can be reached.',
  not_found: 'Check the name of the model.',
  invalid: 'Check the preset: panoptes moa presets',
  timeout: 'Try again, or give it more time with timeout in config.yaml.',
}
