import { type ChatMessage, createPrices, type OwnPrice, openProviders } from '@panoptes/engine/models'
import { moaPreset, providerConfig } from '@panoptes/schema'
import type { ScriptedServer } from '../models/providers/scripted.test-kit.ts'
import { resolvePreset } from './presets.ts'
import { SessionStates } from './session.ts'
import { type PrivacyFilter, runTurn, type TurnCall, type TurnPart } from './turn.ts'

export interface Asked {
  readonly messages?: readonly ChatMessage[]
  readonly rest?: Readonly<Record<string, unknown>>
  readonly stream?: boolean
  readonly signal?: AbortSignal
  readonly privacy?: PrivacyFilter
  readonly session?: string
  readonly onPart?: (part: TurnPart) => void
}

/**
 * Presets whose models answer on loopback: `local` speaks the OpenAI protocol, `claude` the
 * Anthropic one.
 */
export function turnsOn(server: ScriptedServer, own: Readonly<Record<string, OwnPrice>> = {}) {
  const provider = (fields: object) => providerConfig.parse({ retries: 0, ...fields })
  const providers = openProviders({
    providers: {
      local: provider({ kind: 'openai', base_url: `${server.url}/v1` }),
      claude: provider({ kind: 'anthropic', base_url: server.url }),
      small: provider({ kind: 'openai', base_url: `${server.url}/v1`, context_window: 9_216 }),
    },
    env: {},
  })
  const caller = { providers, prices: createPrices(own) }
  const states = new SessionStates()
  return async (preset: object, asked: Asked = {}) => {
    const read = moaPreset.parse({
      reference_models: [slot('a'), slot('b')],
      aggregator: slot('act'),
      ...preset,
    })
    const resolved = resolvePreset({ p: read }, 'p')
    if (!resolved.ok) throw new Error(resolved.message)
    const parts: TurnPart[] = []
    for await (const part of runTurn({
      caller,
      resolved: resolved.value,
      session: asked.session ?? 's',
      state: states.getOrCreate(asked.session ?? 's', 'p'),
      ask: { messages: asked.messages ?? [user('q')], rest: asked.rest ?? {}, stream: asked.stream ?? true },
      signal: asked.signal ?? new AbortController().signal,
      privacy: asked.privacy ?? '',
    })) {
      asked.onPart?.(part)
      parts.push(part)
    }
    return parts
  }
}

export const slot = (model: string, more: object = {}) => ({ provider: 'local', model, ...more })
export const user = (content: unknown): ChatMessage => ({ role: 'user', content })

/** One step of a loop: a tool call and its result. */
export const step = (n: number): readonly ChatMessage[] => [
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: `c${n}`, type: 'function', function: { name: 'run', arguments: `{"n":${n}}` } }],
  },
  { role: 'tool', tool_call_id: `c${n}`, content: `result ${n}` },
]

export function callOf(parts: readonly TurnPart[]): TurnCall {
  const last = parts.at(-1)
  if (last?.type !== 'end' && last?.type !== 'failed') throw new Error('The turn has no end.')
  return last.call
}
