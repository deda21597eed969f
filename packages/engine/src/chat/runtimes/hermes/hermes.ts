import type { HermesConfig } from '@panoptes/schema'
import { createAcpAdapter } from '../acp/adapter.ts'
import { programIn } from '../acp/program.ts'
import { failedWith } from '../failed.ts'
import type { RuntimeAdapter } from '../port.ts'
import { hermesApi, type Spoken, UNTOLD } from './api.ts'
import { hermesVariables, keyFor } from './key.ts'
import type { HermesLimits } from './server.ts'
import { HOW_TO_START, type Place } from './wire.ts'

export interface HermesOptions {
  /** Null where nothing is configured: then what is found on this computer answers. */
  readonly config: HermesConfig | null
  readonly env: Readonly<Record<string, string | undefined>>
  readonly limits?: Partial<HermesLimits> | undefined
}

const HERE = 'http://127.0.0.1'
const PORT = '8642'

const NOT_HERE = `Hermes was not found on this computer. Install it (\`pip install hermes-agent\`), or where it runs: ${HOW_TO_START} Another address goes into config.yaml as runtimes.hermes.url.`

/** Hermes, by its API server or by ACP. */
export function createHermes(options: HermesOptions): RuntimeAdapter {
  const spoken = chooser(options)
  return {
    id: 'hermes',
    title: 'Hermes',
    model: () => spoken.current()?.model() ?? null,
    health: async (signal) => {
      const by = await spoken.choose(signal)
      if (by === null) return { state: 'not_installed', detail: NOT_HERE, models: [], transport: null }
      return by.health(signal)
    },
    run: async function* (request, context) {
      // What was found may be gone, or another one, by now.
      const known = options.config === null ? null : spoken.current()
      const by = known ?? (await spoken.choose(context.signal))
      if (by === null) yield failedWith('not_installed', NOT_HERE)
      else yield* by.run(request, context)
    },
    close: spoken.close,
  }
}

/** Which of its ways it is spoken to by. */
function chooser({ config, env, limits }: HermesOptions) {
  const apis = new Map<string, Spoken>()
  let acp: Spoken | null = null
  let current: Spoken | null = null
  const byAcp = (command: readonly string[], more: Readonly<Record<string, string>> = {}): Spoken => {
    acp ??= createAcpAdapter({
      id: 'hermes',
      title: 'Hermes',
      command,
      env: { ...env, ...more },
      quirks: QUIRKS,
    })
    return acp
  }
  const byApi = (place: Place): Spoken => {
    const name = `${place.url} ${place.key ?? ''}`
    const known = apis.get(name) ?? hermesApi(place, limits)
    apis.set(name, known)
    return known
  }
  const found = async (signal?: AbortSignal): Promise<Spoken | null> => {
    const { API_SERVER_PORT: port = PORT } = { ...(await hermesVariables(env)), ...env }
    const url = `${HERE}:${/^\d{1,5}$/.test(port) ? port : PORT}`
    const key = await keyFor(url, {}, env)
    const api = key === null ? null : byApi({ url, key })
    const health = await api?.health(signal)
    if (api !== null && health?.state === 'ready' && health.detail !== UNTOLD) return api
    if (programIn('hermes', env) !== null) return byAcp(['hermes', 'acp'])
    return api
  }
  const choose = async (signal?: AbortSignal): Promise<Spoken | null> => {
    if (config?.command !== undefined) current = byAcp(config.command, config.env)
    else if (config?.url !== undefined) {
      const url = config.url.replace(/\/+$/, '').replace(/\/v1$/, '')
      current = byApi({ url, key: await keyFor(url, config, env) })
    } else current = await found(signal)
    return current
  }
  return {
    choose,
    current: () => current,
    close: async () => {
      await Promise.all([...apis.values(), ...(acp ? [acp] : [])].map((one) => one.close()))
    },
  }
}

/** A failure of its model is told as an answer that used nothing; what was used is told for a session as a whole. */
const QUIRKS = {
  doubtful:
    /^(?:Error: |⚠|❌|HTTP \d{3}\b|API call failed|Invalid API response|Billing or credits|Context length exceeded|Request payload too large|Malformed provider)/,
  sumsUsage: true,
}
