import type { Moa } from '@panoptes/engine/moa'
import type { RuntimeHealth } from '@panoptes/schema'
import { type Answerer, nameOf } from './answerer.ts'
import type { FoundModels, ModelFinder } from './found-models.ts'
import type { McpServers } from './mcp/servers.ts'

export interface HealthOptions {
  readonly finder: ModelFinder
  readonly moa: Moa
  readonly usual: () => Answerer | null
  readonly servers: Pick<McpServers, 'missing'>
}

type Health = Omit<RuntimeHealth, 'id' | 'title' | 'is_default'>

const MOST_MODELS = 500

export const NOTHING_THERE =
  'No model is there to answer. Start Ollama or LM Studio, set the key of a provider, or name a provider and model under runtimes.jarvis in config.yaml.'

/** Whether the model that would answer is there, and which others are. */
export async function healthOf(
  { finder, moa, usual, servers }: HealthOptions,
  signal?: AbortSignal,
): Promise<Health> {
  const [found, missing] = await Promise.all([finder.all(signal), servers.missing(signal)])
  const who = usual()
  const presets = Object.keys(moa.presets()).map((preset) => nameOf({ preset }))
  const others = [
    ...found.flatMap(({ provider, models }) => models.map((model) => nameOf({ provider, model }))),
    ...presets,
  ]
  const models = [...new Set([...(who ? [nameOf(who)] : []), ...others])].slice(0, MOST_MODELS)
  const { state, detail } = stateOf(who, found, Object.keys(moa.presets()))
  const told = [
    detail,
    ...missing.map(({ server, message }) => `Without the MCP server ${server}: ${message}`),
  ]
  return {
    state,
    detail: told.filter((one) => one !== '').join(' '),
    models,
    transport: 'built in',
  }
}

/** Of providers that somebody named; that none runs on this computer is no problem. */
const problemsOf = (found: readonly FoundModels[]): readonly string[] =>
  found.flatMap(({ provider, isNamed, models, problem }) => {
    if (!isNamed || models.length > 0) return []
    return [`${provider}: ${problem ?? 'it has no model that answers.'}`]
  })

const MOST_NAMED = 5

/** It may answer all the same: some list only a part. */
function notListed({ provider, models, lists }: FoundModels, model: string): string {
  if (models.length === 0 || lists(model)) return ''
  return `${provider} does not list the model ${model}. It lists: ${models.slice(0, MOST_NAMED).join(', ')}${models.length > MOST_NAMED ? ', …' : ''}.`
}

function stateOf(
  who: Answerer | null,
  found: readonly FoundModels[],
  presets: readonly string[],
): Pick<Health, 'state' | 'detail'> {
  if (who === null)
    return {
      state: 'not_configured',
      detail: [NOTHING_THERE, ...problemsOf(found)].join(' '),
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
  // Some answer, and tell nobody which models they have.
  if (of.problem === null) return { state: 'ready', detail: notListed(of, who.model) }
  if (/\b40[45]\b/.test(of.problem)) return { state: 'ready', detail: '' }
  return /\b40[13]\b/.test(of.problem)
    ? { state: 'unauthorized', detail: of.problem }
    : { state: 'unreachable', detail: of.problem }
}
