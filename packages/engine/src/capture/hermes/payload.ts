import { isName } from '@panoptes/schema'
import { z } from 'zod'

const text = z.string()
const name = text.refine(isName, 'is missing or cannot be a name')
const maybe = text.nullish().catch(undefined)
const maybeName = name.nullish().catch(undefined)
const fields = z.record(text, z.unknown()).nullish().catch(undefined)

/**
 * What a shell hook or a webhook of Hermes sends. Field sets differ by version: only the event's name is sure. The session is
 * the parent's where the event is about a sub-agent.
 */
export const hermesPayload = z.looseObject({
  hook_event_name: name,
  session_id: name.nullish(),
  tool_name: maybeName,
  tool_input: fields,
  cwd: text.max(4_096).nullish().catch(undefined),
  profile: maybeName,
  extra: fields,
  /** Webhooks only. */
  delivery_id: maybeName,
  timestamp: maybe,
})
export type HermesPayload = z.infer<typeof hermesPayload>

/** What `extra` holds, read without trusting any of it. */
export interface Extra {
  readonly text: (key: string) => string | undefined
  /** Text that is short enough for a name. */
  readonly name: (...keys: readonly string[]) => string | undefined
  readonly number: (...keys: readonly string[]) => number | undefined
  readonly flag: (key: string) => boolean | undefined
  readonly fields: (key: string) => Extra
  readonly count: (key: string) => number | undefined
}

export function extraOf(value: unknown): Extra {
  const all: Readonly<Record<string, unknown>> =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  const own = (key: string): unknown => (Object.hasOwn(all, key) ? all[key] : undefined)
  const textAt = (key: string) => {
    const found = own(key)
    return typeof found === 'string' && found !== '' ? found : undefined
  }
  const numberAt = (key: string) => {
    const found = own(key)
    return typeof found === 'number' && Number.isFinite(found) && found >= 0 ? found : undefined
  }
  return {
    text: textAt,
    name: (...keys) => keys.map(textAt).find(isName),
    number: (...keys) => keys.map(numberAt).find((found) => found !== undefined),
    flag: (key) => (typeof own(key) === 'boolean' ? (own(key) as boolean) : undefined),
    fields: (key) => extraOf(own(key)),
    count: (key) => (Array.isArray(own(key)) ? (own(key) as unknown[]).length : undefined),
  }
}
