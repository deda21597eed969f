import type { MoaRunPart, MoaTurn, Result } from '@panoptes/schema'
import type { Moa, TurnRequest } from '../open.ts'
import type { TurnPart } from '../turn.ts'

/** Runs a turn for somebody who looks on: what happens as it happens, and at the end the turn as it is kept. */
export function runParts(
  moa: Pick<Moa, 'run'>,
  request: Omit<TurnRequest, 'onKept'>,
): Result<AsyncIterable<MoaRunPart>> {
  let turn: MoaTurn | undefined
  const running = moa.run({
    ...request,
    onKept: (kept) => {
      turn = kept
    },
  })
  return running.ok ? { ok: true, value: shown(running.value, () => turn) } : running
}

async function* shown(
  parts: AsyncIterable<TurnPart>,
  kept: () => MoaTurn | undefined,
): AsyncGenerator<MoaRunPart, undefined> {
  let last: Extract<TurnPart, { type: 'end' | 'failed' }> | undefined
  for await (const part of parts) {
    // The turn is kept when its parts are over.
    if (part.type === 'end' || part.type === 'failed') last = part
    else if (part.type !== 'chunk') yield { ...part }
    else {
      const text = part.chunk.choices[0]?.delta.content
      if (typeof text === 'string' && text !== '') yield { type: 'text', text }
    }
  }
  const turn = kept()
  if (last?.type === 'end' && turn) yield { type: 'end', turn, text: last.reply.text }
  else if (last?.type === 'failed')
    yield { type: 'failed', turn: turn ?? null, class: last.error.class, message: last.error.message }
}
