import fc from 'fast-check'
import { EVENT_KINDS, EVENT_VERSION, type EventInput, outcome, type StoredEvent } from './index.ts'

const LAST_MOMENT = 8_640_000_000_000_000

const name = fc
  .string({ minLength: 1, maxLength: 40, unit: 'binary' })
  .filter((text) => !text.includes('\0') && !text.includes('\u001f'))
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const count = fc.nat()

/** The known fields of all kinds; each may be absent or null. */
const known = fc.record(
  {
    id: maybe(name),
    agent_id: maybe(name),
    parent_id: maybe(name),
    tool: maybe(name),
    skill: maybe(name),
    model: maybe(name),
    prompt_preview: maybe(fc.string({ unit: 'binary' })),
    ok: maybe(fc.boolean()),
    success: maybe(fc.boolean()),
    outcome: maybe(fc.constantFrom(...outcome.options)),
    stubs: maybe(count),
    duration_ms: maybe(count),
    input: maybe(count),
    output: maybe(count),
    cost_usd: maybe(fc.double({ min: 0, max: 1_000, noNaN: true, noDefaultInfinity: true })),
  },
  { requiredKeys: [] },
)

/** Future fields: any JSON under any name that is not ours. */
export const unknownFields = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 12 }).map((key) => `x-${key}`),
  fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown),
  { maxKeys: 4 },
)

export const kind = fc.oneof(
  fc.constantFrom(...EVENT_KINDS),
  fc.string({ minLength: 1, maxLength: 20 }).map((text) => `new_${text}`),
)

const moment = fc.integer({ min: 0, max: LAST_MOMENT })
const source = fc.constantFrom(
  'claude-code',
  'hermes',
  'panoptes',
  'custom',
  'a',
  '0.9_x-y',
  'Claude Code',
  'mein: Agent',
  '観察',
)

export const inputEvent: fc.Arbitrary<EventInput> = fc
  .tuple(
    known,
    unknownFields,
    fc.record({ event: kind }),
    fc.record(
      { v: fc.constant(EVENT_VERSION), key: name, ts: moment, source, host: name, session_id: name },
      { requiredKeys: [] },
    ),
  )
  .map((parts) => Object.assign({}, ...parts) as EventInput)

export const storedEvent: fc.Arbitrary<StoredEvent> = fc
  .tuple(
    known,
    unknownFields,
    fc.record({
      v: fc.constant(EVENT_VERSION),
      key: name,
      seq: fc.integer({ min: 1 }),
      ts: moment,
      event: kind,
      source,
      host: name,
      session_id: name,
    }),
  )
  .map((parts) => Object.assign({}, ...parts) as StoredEvent)
