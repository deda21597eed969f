import { type ChatMessage, type ChatReply, type ModelError, says } from '@panoptes/engine/models'
import { mayWantAlternation } from './alternation.ts'
import { costOf, parametersOf, refused } from './call.ts'
import { withGuidance, withMergedGuidance } from './guidance.ts'
import { labelOf } from './presets.ts'
import type { Acted, TurnCall, TurnOptions, TurnPart } from './turn.ts'

type About = Omit<TurnCall, 'acted' | 'status' | 'endedAt'>

/** Asks the acting model, with the guidance where there is some. */
export async function* act(
  { caller, resolved, session, state, ask, signal }: TurnOptions,
  guidance: string | null,
  about: About,
): AsyncGenerator<TurnPart, undefined> {
  const { now = Date.now } = caller
  const { aggregator: slot, aggregator_temperature: own } = resolved.preset
  const label = labelOf(slot)
  const temperature = own ?? (typeof ask.rest.temperature === 'number' ? ask.rest.temperature : null)
  const provider = caller.providers.get(slot.provider)
  const merged = guidance === null ? undefined : withMergedGuidance(ask.messages, guidance)
  let input = state.alternating.has(label) && merged ? merged : withGuidance(ask.messages, guidance)
  const rest = { ...ask.rest, ...parametersOf(slot, own) }
  const startedAt = now()
  let firstTokenAt: number | null = null
  const acted = (reply: ChatReply | null, error: ModelError | null): Acted => {
    const usage = reply?.usage ?? error?.usage ?? null
    const costMicroUsd = costOf(caller, slot, usage, startedAt)
    return {
      slot,
      label,
      startedAt,
      firstTokenAt,
      endedAt: now(),
      reply,
      error,
      usage,
      costMicroUsd,
      input,
      wasAsked: provider.ok,
      guidance,
      temperature,
      parameters: rest,
    }
  }
  const failed = (error: ModelError): TurnPart => ({
    type: 'failed',
    error,
    call: {
      ...about,
      acted: acted(null, error),
      status: error.class === 'aborted' ? 'aborted' : 'failed',
      endedAt: now(),
    },
  })
  if (!provider.ok) {
    yield failed(refused(provider.message))
    return
  }
  const attempt = (messages: readonly ChatMessage[]) =>
    provider.value.chat({ model: slot.model, messages, rest }, { stream: ask.stream, signal, session })
  let isBegun = false
  for (let tries = 0; ; tries += 1) {
    let isAgain = false
    for await (const part of attempt(input)) {
      if (part.type === 'chunk') {
        if (firstTokenAt === null && says(part.chunk)) firstTokenAt = now()
        isBegun = true
        yield part
      } else if (part.type === 'end') {
        // Once it took the two messages as one and not otherwise, it is sent no others.
        if (tries > 0) state.alternating.add(label)
        if (!Array.isArray(part.reply.message.tool_calls)) state.answered(about.turnId)
        yield {
          type: 'end',
          reply: part.reply,
          call: { ...about, acted: acted(part.reply, null), status: 'done', endedAt: now() },
        }
      } else if (!isBegun && tries === 0 && merged && input !== merged && mayWantAlternation(part.error))
        isAgain = true
      else yield failed(part.error)
    }
    if (!isAgain || merged === undefined) return
    input = merged
  }
}
