import type { Endpoint, Providers } from '@panoptes/engine/models'

/** The models of one provider, or why it does not list them. */
export interface FoundModels {
  readonly provider: string
  /** The user configured this provider or set its key; it was not just detected. */
  readonly isNamed: boolean
  readonly models: readonly string[]
  readonly problem: string | null
  /** Whether the provider lists a model of any kind, also with a tag. */
  readonly lists: (model: string) => boolean
}

export interface ModelFinder {
  /** Finds the models of every provider, in the order in which defaults are chosen. */
  readonly all: (signal?: AbortSignal) => Promise<readonly FoundModels[]>
  /** Returns the last result without asking again. */
  readonly cached: () => readonly FoundModels[] | null
}

const WAIT_MS = 4_000
const FRESH_MS = 30_000
/** A failed provider is asked again sooner. */
const FAILED_MS = 5_000
const MOST_MODELS = 200

/** Models that do not answer with text. */
const NO_CHAT =
  /embed|whisper|tts|dall-e|moderation|transcri|realtime|audio|image|rerank|sora|veo|imagen|guard|babbage|davinci|similarity|aqa/i

const ORDER = ['config', 'local', 'environment'] as const

/** Asks every provider for its models and caches the result for a while. */
export function createModelFinder({ endpoints, get }: Pick<Providers, 'endpoints' | 'get'>): ModelFinder {
  let found: { readonly until: number; readonly all: readonly FoundModels[] } | null = null
  let asking: Promise<readonly FoundModels[]> | null = null
  const ordered = ORDER.flatMap((from) => endpoints.filter((one) => one.from === from))
  const ask = async ({ name: provider, from }: Endpoint): Promise<FoundModels> => {
    const isNamed = from !== 'local'
    const one = get(provider)
    const limit = AbortSignal.timeout(WAIT_MS)
    const models = one.ok ? await one.value.models(limit) : one
    const problem = limit.aborted ? `${provider} did not answer within ${WAIT_MS / 1_000} s.` : ''
    return models.ok
      ? {
          provider,
          isNamed,
          models: models.value.filter((model) => !NO_CHAT.test(model)).slice(0, MOST_MODELS),
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
