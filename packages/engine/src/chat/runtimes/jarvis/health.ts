import type { Moa } from '@panoptes/engine/moa'
import type { RuntimeHealth } from '@panoptes/schema'
import { type Answerer, nameOf } from './answerer.ts'
import type { FoundModels, ModelFinder } from './found-models.ts'

export interface HealthOptions {
  readonly finder: ModelFinder
  readonly moa: Moa
  readonly usual: () => Answerer | null
}

type Health = Omit<RuntimeHealth, 'id' | 'title' | 'is_default'>

const MOST_MODELS = 500

/** Whether the model that would answer is there, and which others are. */
export async function healthOf({ finder, moa, usual }: HealthOptions, signal?: AbortSignal): Promise<Health> {
  const found = await finder.all(signal)
  const who = usual()
  const presets = Object.keys(moa.presets()).map((preset) => nameOf({ preset }))
  const others = [
    ...found.flatMap(({ provider, models }) => models.map((model) => nameOf({ provider, model }))),
    ...presets,
  ]
  const models = [...new Set([...(who ? [nameOf(who)] : []), ...others])].slice(0, MOST_MODELS)
  return { ...stateOf(who, found, Object.keys(moa.presets())), models, transport: 'built in' }
}

function stateOf(
  who: Answerer | null,
  found: readonly FoundModels[],
  presets: readonly string[],
): Pick<Health, 'state' | 'detail'> {
  if (who === null)
    return {
      state: 'not_configured',
      detail:
        'No model is there to answer. Start Ollama or LM Studio, set the key of a provider, or name a provider and model under runtimes.jarvis in config.yaml.',
    }
  if ('preset' in who)
    return presets.includes(who.preset)
      ? { state: 'ready', detail: '' }
      : {
          state: 'not_configured',
          detail: `There is no preset ${who.preset}. Write it into config.yaml under moa.presets.`,
        }
  const of = found.find(({ provider }) => provider === who.provider)
  if (of === undefined)
    return {
      state: 'not_configured',
      detail: `There is no provider ${who.provider}. Name it under providers in config.yaml.`,
    }
  if (of.problem === null) return { state: 'ready', detail: '' }
  return /\b40[13]\b/.test(of.problem)
    ? { state: 'unauthorized', detail: of.problem }
    : { state: 'unreachable', detail: of.problem }
}
