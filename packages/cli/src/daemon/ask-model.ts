import type { AskModel } from '@panoptes/engine/chat'
import type { Moa } from '@panoptes/engine/moa'
import type { Providers } from '@panoptes/engine/models'
import type { JarvisConfig } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'

const SILENT_MS = 60_000

/**
 * Asks the configured model for a complete answer. A preset answers with its aggregator. Returns null if no
 * model is configured.
 */
export function askModelOf(
  config: JarvisConfig | null,
  providers: Pick<Providers, 'get'>,
  moa: Pick<Moa, 'presets'>,
): AskModel | null {
  if (config === null) return null
  return async (prompt, signal) => {
    const slot = config.preset === undefined ? config : moa.presets()[config.preset]?.aggregator
    const { provider: name, model } = slot ?? {}
    if (name === undefined || model === undefined)
      return failure('not_found', `Unknown preset: ${config.preset}.`)
    const provider = providers.get(name)
    if (!provider.ok) return provider
    const ask = { model, messages: [{ role: 'user', content: prompt }] }
    for await (const part of provider.value.chat(ask, {
      stream: true,
      brief: true,
      signal,
      timeoutMs: SILENT_MS,
    })) {
      if (part.type === 'end') return success(part.reply.text)
      if (part.type === 'failed') return failure('io', part.error.message)
    }
    return failure('io', 'It ended without an answer.')
  }
}
