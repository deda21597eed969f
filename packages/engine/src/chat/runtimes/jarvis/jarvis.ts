import type { Moa } from '@panoptes/engine/moa'
import type { Endpoint, Prices, Providers } from '@panoptes/engine/models'
import type { JarvisConfig, McpServer, Result, RuntimeHealth } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { type OwnData, ownTools } from '../../own-tools/own-tools.ts'
import { raceAbort } from '../abort-race.ts'
import type { RuntimeAdapter, RuntimeEvent } from '../port.ts'
import { PushStream } from '../push-stream.ts'
import { type AnswerContext, type AnswerDependencies, answer } from './answer.ts'
import { type Answerer, answererName, parseAnswerer, readConfiguredAnswerer } from './answerer.ts'
import { type McpServers, openMcpServers } from './mcp/servers.ts'
import { ConversationApprovals } from './tools/calls.ts'

export interface JarvisOptions {
  readonly config: JarvisConfig | null
  readonly providers: Providers
  readonly moa: Moa
  readonly prices: Prices
  /** MCP servers by name. */
  readonly mcp?: Readonly<Record<string, McpServer>> | undefined
  /** The data behind our own tools. */
  readonly data?: OwnData | undefined
  /** The folder in which MCP servers are started. */
  readonly folder?: string | undefined
}

/** The models of one provider, or why it does not list them. */
interface ProviderModels {
  readonly provider: string
  /** The user configured this provider or set its key; it was not just detected. */
  readonly isNamed: boolean
  readonly models: readonly string[]
  readonly problem: string | null
  /** Whether the provider lists a model of any kind, also with a tag. */
  readonly lists: (model: string) => boolean
}

interface ModelFinder {
  /** Finds the models of every provider, in the order in which defaults are chosen. */
  readonly all: (signal?: AbortSignal) => Promise<readonly ProviderModels[]>
  /** Returns the last result without asking again. */
  readonly cached: () => readonly ProviderModels[] | null
}

const WAIT_MS = 4_000
const FRESH_MS = 30_000
/** A failed provider is asked again sooner. */
const FAILED_MS = 5_000
const MOST_CACHED = 200

/** Models that do not answer with text. */
const NO_CHAT =
  /embed|whisper|tts|dall-e|moderation|transcri|realtime|audio|image|rerank|sora|veo|imagen|guard|babbage|davinci|similarity|aqa/i

const ORDER = ['config', 'local', 'environment'] as const

/** The built-in runtime: a tool loop on the configured models. */
export function createJarvis(options: JarvisOptions): RuntimeAdapter {
  const { config, providers, mcp = {}, data = {}, folder } = options
  const finder = createModelFinder(providers)
  const servers = openMcpServers(mcp, { folder })
  const own = readConfiguredAnswerer(config)
  const getDefaultAnswerer = (): Answerer | null => {
    if (own) return own
    const first = finder.cached()?.find(({ models }) => models.length > 0)
    const [model] = first?.models ?? []
    return first && model !== undefined ? { provider: first.provider, model } : null
  }
  const chooseAnswerer = async (model: string | null): Promise<Result<Answerer>> => {
    if (getDefaultAnswerer() === null) await finder.all()
    const found = getDefaultAnswerer()
    if (model !== null) return parseAnswerer(model, found, providers)
    return found ? success(found) : failure('not_found', NOTHING_THERE)
  }
  const answering: AnswerDependencies = {
    caller: options,
    chooseAnswerer,
    ownTools: ownTools(data).map((tool) => ({ ...tool, identity: `own:${tool.name}` })),
    servers,
    granted: new ConversationApprovals(),
    toolless: new Set(),
  }
  return {
    id: 'jarvis',
    title: 'Jarvis',
    model: () => {
      const found = getDefaultAnswerer()
      return found && answererName(found)
    },
    health: (signal) => checkJarvisHealth({ moa: options.moa, finder, getDefaultAnswerer, servers }, signal),
    run: async function* (request, context) {
      const eventQueue = new PushStream<RuntimeEvent>()
      const left = new AbortController()
      const signal = AbortSignal.any([context.signal, left.signal])
      const telling: AnswerContext = {
        signal,
        tell: (event) => eventQueue.push(event),
        // The call is shown before the approval request, so that it is visible as waiting.
        ask: async (approval) => {
          await raceAbort(eventQueue.drain(), signal)
          return context.ask(approval)
        },
      }
      void answer(answering, request, telling).finally(() => eventQueue.end())
      try {
        yield* eventQueue.read()
      } finally {
        left.abort()
      }
    },
    close: servers.close,
  }
}

interface HealthOptions {
  readonly finder: ModelFinder
  readonly moa: Moa
  readonly getDefaultAnswerer: () => Answerer | null
  readonly servers: Pick<McpServers, 'missing'>
}

type Health = Omit<RuntimeHealth, 'id' | 'title' | 'is_default'>

const MOST_MODELS = 500

const NOTHING_THERE =
  'No model is available. Start Ollama or LM Studio, set a provider key, or set a provider and model under runtimes.jarvis in config.yaml.'

/** Checks whether the model that would answer exists, and which others do. */
async function checkJarvisHealth(
  { finder, moa, getDefaultAnswerer, servers }: HealthOptions,
  signal?: AbortSignal,
): Promise<Health> {
  const [found, missing] = await Promise.all([finder.all(signal), servers.missing(signal)])
  const who = getDefaultAnswerer()
  const presets = Object.keys(moa.presets()).map((preset) => answererName({ preset }))
  const others = [
    ...found.flatMap(({ provider, models }) => models.map((model) => answererName({ provider, model }))),
    ...presets,
  ]
  const models = [...new Set([...(who ? [answererName(who)] : []), ...others])].slice(0, MOST_MODELS)
  const { state, detail } = answererState(who, found, moa.presets())
  const details = [
    detail,
    ...missing.map(({ server, message }) => `Without the MCP server ${server}: ${message}`),
  ]
  return {
    state,
    detail: details.filter((one) => one !== '').join(' '),
    models,
    transport: 'built in',
  }
}

/** Lists problems of configured providers only, because a missing local provider is not a problem. */
const listProblems = (found: readonly ProviderModels[]): readonly string[] =>
  found.flatMap(({ provider, isNamed, models, problem }) => {
    if (!isNamed || models.length > 0) return []
    return [`${provider}: ${problem ?? 'none of its models answers.'}`]
  })

const MOST_NAMED = 5

/** The model may work anyway, because some providers list only part of theirs. */
function describeUnlisted({ provider, models, lists }: ProviderModels, model: string): string {
  if (models.length === 0 || lists(model)) return ''
  return `${provider} does not list the model ${model}. It lists: ${models.slice(0, MOST_NAMED).join(', ')}${models.length > MOST_NAMED ? ', …' : ''}.`
}

function answererState(
  who: Answerer | null,
  found: readonly ProviderModels[],
  presets: ReturnType<Moa['presets']>,
): Pick<Health, 'state' | 'detail'> {
  if (who === null)
    return {
      state: 'not_configured',
      detail: [NOTHING_THERE, ...listProblems(found)].join(' '),
    }
  if ('preset' in who) {
    const preset = Object.hasOwn(presets, who.preset) ? presets[who.preset] : undefined
    if (preset === undefined)
      return {
        state: 'not_configured',
        detail: `Unknown preset: ${who.preset}. Add it to config.yaml under moa.presets.`,
      }
    // The aggregator writes the answer. A provider that cannot be asked for its models may still work.
    const { provider, model } = preset.aggregator
    const isListed = found.some((one) => one.provider === provider)
    return isListed ? answererState({ provider, model }, found, presets) : { state: 'untried', detail: '' }
  }
  const of = found.find(({ provider }) => provider === who.provider)
  if (of === undefined)
    return {
      state: 'not_configured',
      detail: `Unknown provider: ${who.provider}. Add it under providers in config.yaml.`,
    }
  // Some providers work but do not list their models.
  if (of.problem === null) return { state: 'ready', detail: describeUnlisted(of, who.model) }
  if (/\b40[45]\b/.test(of.problem)) return { state: 'ready', detail: '' }
  return /\b40[13]\b/.test(of.problem)
    ? { state: 'unauthorized', detail: of.problem }
    : { state: 'unreachable', detail: of.problem }
}

/** Asks every provider for its models and caches the result for a while. */
function createModelFinder({ endpoints, get }: Pick<Providers, 'endpoints' | 'get'>): ModelFinder {
  let found: { readonly until: number; readonly all: readonly ProviderModels[] } | null = null
  let asking: Promise<readonly ProviderModels[]> | null = null
  const ordered = ORDER.flatMap((from) => endpoints.filter((one) => one.from === from))
  const ask = async ({ name: provider, from }: Endpoint): Promise<ProviderModels> => {
    const isNamed = from !== 'local'
    const one = get(provider)
    const limit = AbortSignal.timeout(WAIT_MS)
    const models = one.ok ? await one.value.models(limit) : one
    const problem = limit.aborted ? `${provider} did not answer within ${WAIT_MS / 1_000} s.` : ''
    return models.ok
      ? {
          provider,
          isNamed,
          models: models.value.filter((model) => !NO_CHAT.test(model)).slice(0, MOST_CACHED),
          problem: null,
          lists: (model) => models.value.some((one) => one === model || one === `${model}:latest`),
        }
      : { provider, isNamed, models: [], problem: problem || models.message, lists: () => false }
  }
  const refresh = async () => {
    const all = await Promise.all(ordered.map(ask))
    const hasFailed = all.some(({ isNamed, problem }) => isNamed && problem !== null)
    found = { until: performance.now() + (hasFailed ? FAILED_MS : FRESH_MS), all }
    return all
  }
  return {
    cached: () => found?.all ?? null,
    all: async () => {
      if (found && performance.now() < found.until) return found.all
      asking ??= refresh().finally(() => {
        asking = null
      })
      return asking
    },
  }
}
