import { isName } from '@panoptes/schema'
import { z } from 'zod'

const text = z.string()
const name = text.refine(isName, 'is missing or cannot be a name')
const maybe = text.nullish().catch(undefined)
const maybeName = name.nullish().catch(undefined)
const fields = z.record(text, z.unknown()).nullish().catch(undefined)

/**
 * A payload of a Hermes shell hook or webhook. Fields differ by version, and only the event name is
 * guaranteed. For events about a sub-agent, the session is the parent's.
 */
export const hermesPayload = z.looseObject({
  hook_event_name: name,
  /** This is empty when Hermes does not know it, as in `pre_approval_request`. */
  session_id: z.union([z.literal(''), name]).nullish(),
  tool_name: maybeName,
  tool_input: fields,
  cwd: text.max(4_096).nullish().catch(undefined),
  profile: maybeName,
  extra: fields,
  /** Only webhooks have this id. */
  delivery_id: maybeName,
  timestamp: maybe,
})
export type HermesPayload = z.infer<typeof hermesPayload>

/** Reads the fields of `extra` without trusting their types. */
export interface Extra {
  readonly text: (key: string) => string | undefined
  /** Returns text unchanged and anything else as JSON. */
  readonly json: (key: string) => string | undefined
  /** Returns text that is short enough for a name. */
  readonly name: (...keys: readonly string[]) => string | undefined
  readonly number: (...keys: readonly string[]) => number | undefined
  readonly flag: (key: string) => boolean | undefined
  readonly fields: (key: string) => Extra
  readonly count: (key: string) => number | undefined
}

export function readExtra(value: unknown): Extra {
  const all: Readonly<Record<string, unknown>> = isObject(value) && !Array.isArray(value) ? { ...value } : {}
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
    json: (key) => textAt(key) ?? (isObject(own(key)) ? JSON.stringify(own(key)) : undefined),
    name: (...keys) => keys.map(textAt).find(isName),
    number: (...keys) => keys.map(numberAt).find((found) => found !== undefined),
    flag: (key) => (typeof own(key) === 'boolean' ? (own(key) as boolean) : undefined),
    fields: (key) => readExtra(own(key)),
    count: (key) => (Array.isArray(own(key)) ? (own(key) as unknown[]).length : undefined),
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
