import type { MoaRunPart, MoaTurn, Result } from '@panoptes/schema'
import type { Moa, TurnRequest } from '../open.ts'
import type { TurnPart } from '../turn.ts'

/**
 * Runs a turn for a client that watches it: yields its parts as they arrive and then the stored
 * turn.
 */
export function runParts(
  moa: Pick<Moa, 'run'>,
  request: Omit<TurnRequest, 'onStored'>,
): Result<AsyncIterable<MoaRunPart>> {
  let turn: MoaTurn | undefined
  const running = moa.run({
    ...request,
    onStored: (storedTurn) => {
      turn = storedTurn
    },
  })
  return running.ok ? { ok: true, value: toRunParts(running.value, () => turn) } : running
}

async function* toRunParts(
  parts: AsyncIterable<TurnPart>,
  getTurn: () => MoaTurn | undefined,
): AsyncGenerator<MoaRunPart, undefined> {
  let last: Extract<TurnPart, { type: 'end' | 'failed' }> | undefined
  for await (const part of parts) {
    // The turn is stored when its parts have ended.
    if (part.type === 'end' || part.type === 'failed') last = part
    else if (part.type !== 'chunk') yield { ...part }
    else {
      const text = part.chunk.choices[0]?.delta.content
      if (typeof text === 'string' && text !== '') yield { type: 'text', text }
    }
  }
  const turn = getTurn()
  if (last?.type === 'end' && turn) yield { type: 'end', turn, text: last.reply.text }
  else if (last?.type === 'failed')
    yield { type: 'failed', turn: turn ?? null, class: last.error.class, message: last.error.message }
}
