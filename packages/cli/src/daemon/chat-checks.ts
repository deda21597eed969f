import type { Chat } from '@panoptes/engine/chat'
import { type Config, type HealthCheck, type RuntimeHealth, runtimeNamed } from '@panoptes/schema'

const RUNTIMES = { id: 'runtimes', title: 'Who answers in chat' }
const WAIT_MS = 3_000

/** Whether those who are to answer can. */
export async function chatChecks(
  chat: Pick<Chat, 'runtimes'>,
  { runtimes }: Pick<Config, 'runtimes'>,
): Promise<readonly HealthCheck[]> {
  const all = await chat.runtimes(AbortSignal.timeout(WAIT_MS))
  const ready = all.filter(isReady)
  const wanted = new Set([
    ...(runtimes.default === null ? [] : [runtimeNamed(runtimes.default)]),
    ...(runtimes.jarvis === null ? [] : ['jarvis']),
    ...(runtimes.hermes === null ? [] : ['hermes']),
    ...Object.keys(runtimes.acp).map((name) => `acp:${name}`),
  ])
  const missing = [...wanted].filter((id) => !ready.some((one) => one.id === id))
  if (missing.length === 0) {
    const detail =
      ready.length === 0
        ? 'Nobody yet: no model, no Hermes and no agent of ACP was found'
        : ready.map(titled).join(', ')
    return [{ ...RUNTIMES, state: 'ok', detail, cause: null, next: null }]
  }
  const why = missing.map((id) => all.find((one) => one.id === id)?.detail ?? `There is no runtime ${id}.`)
  return [
    {
      ...RUNTIMES,
      state: 'warning',
      detail: `${missing.join(', ')} cannot answer now`,
      cause: why.join(' '),
      next: 'Correct it under runtimes in config.yaml, or start what is missing.',
    },
  ]
}

const isReady = ({ state }: RuntimeHealth): boolean => state === 'ready' || state === 'busy'

const titled = ({ title, models: [model] }: RuntimeHealth): string =>
  model === undefined ? title : `${title} with ${model}`
