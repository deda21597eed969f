import type { Moa } from '@panoptes/engine/moa'
import type { Prices, Providers } from '@panoptes/engine/models'
import type { JarvisConfig, Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import type { RunContext, RuntimeAdapter, RuntimeEvent, RuntimeRequest } from '../port.ts'
import { type Answerer, answererOf, configured, nameOf } from './answerer.ts'
import { createModelFinder } from './found-models.ts'
import { healthOf } from './health.ts'
import { messagesOf } from './messages.ts'
import { callModel } from './model-call.ts'
import { failureOf, notConfigured } from './model-errors.ts'
import { sumOf } from './spent.ts'

export interface JarvisOptions {
  readonly config: JarvisConfig | null
  readonly providers: Providers
  readonly moa: Moa
  readonly prices: Prices
}

/** The runtime that is built in: a loop of tools on the models that are there. */
export function createJarvis(options: JarvisOptions): RuntimeAdapter {
  const { config, providers } = options
  const finder = createModelFinder(providers)
  const own = configured(config)
  const usual = (): Answerer | null => {
    if (own) return own
    const first = finder.known()?.find(({ models }) => models.length > 0)
    const [model] = first?.models ?? []
    return first && model !== undefined ? { provider: first.provider, model } : null
  }
  const chosen = async (model: string | null): Promise<Result<Answerer>> => {
    if (usual() === null) await finder.all()
    const found = usual()
    if (model !== null) return answererOf(model, found, providers)
    return found
      ? success(found)
      : failure(
          'not_found',
          'No model is there to answer. Start Ollama or LM Studio, set the key of a provider, or name a provider and model under runtimes.jarvis in config.yaml.',
        )
  }
  return {
    id: 'jarvis',
    title: 'Jarvis',
    model: () => {
      const found = usual()
      return found && nameOf(found)
    },
    health: (signal) => healthOf({ ...options, finder, usual }, signal),
    run: (request, context) => answered(options, chosen, request, context),
    close: async () => {},
  }
}

async function* answered(
  options: JarvisOptions,
  chosen: (model: string | null) => Promise<Result<Answerer>>,
  request: RuntimeRequest,
  { signal }: RunContext,
): AsyncGenerator<RuntimeEvent, undefined> {
  const who = await chosen(request.model)
  if (!who.ok) {
    yield notConfigured(who.message)
    return
  }
  yield { type: 'model', model: nameOf(who.value) }
  let hasBegun = false
  const call = callModel(options, {
    answerer: who.value,
    messages: messagesOf(request),
    rest: {},
    session: request.conversation_id,
    signal,
  })
  for await (const part of call) {
    if (part.type === 'text') {
      hasBegun = true
      yield { type: 'chunk', delta: part.delta }
    } else if (part.type === 'progress') yield part.progress
    else if (part.type === 'failed') yield { ...failureOf(part.error, hasBegun), ...sumOf(part.spent) }
    else if (part.type === 'end')
      yield {
        type: 'end',
        outcome: part.reply.finish_reason === 'length' ? 'length' : 'completed',
        ...sumOf(part.spent),
      }
  }
}
