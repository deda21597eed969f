import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inputEvent, kind, storedEvent, unknownFields } from './arbitrary.test-kit.ts'
import {
  check,
  EVENT_KINDS,
  eventInputSchema,
  isKind,
  readAgentId,
  SEED_KINDS,
  storedEventSchema,
} from './index.ts'

const overWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('event validator', () => {
  it('returns a valid input event unchanged', () => {
    fc.assert(
      fc.property(inputEvent, (event) => {
        expect(check(eventInputSchema(event.event), overWire(event))).toEqual({
          ok: true,
          value: overWire(event),
        })
      }),
    )
  })

  it('returns a valid stored event unchanged', () => {
    fc.assert(
      fc.property(storedEvent, (event) => {
        expect(check(storedEventSchema(event.event), overWire(event))).toEqual({
          ok: true,
          value: overWire(event),
        })
      }),
    )
  })

  it('keeps unknown fields and kinds', () => {
    fc.assert(
      fc.property(storedEvent, unknownFields, (event, extra) => {
        const parsed = check(storedEventSchema(event.event), { ...event, ...extra })
        expect(parsed.ok && parsed.value).toMatchObject(extra)
      }),
    )
  })

  it('requires no field of a kind and accepts null as absent', () => {
    fc.assert(
      fc.property(
        kind,
        fc.constantFrom('id', 'agent_id', 'tool', 'outcome', 'cost_usd', 'ok'),
        (event, field) => {
          expect(check(eventInputSchema(event), { event }).ok).toBe(true)
          expect(check(eventInputSchema(event), { event, [field]: null }).ok).toBe(true)
        },
      ),
    )
  })

  it('rejects a wrong field with its path and a reason', () => {
    const wrong: readonly (readonly [object, string])[] = [
      [{}, 'event'],
      [{ event: '' }, 'event'],
      [{ event: 7 }, 'event'],
      [{ event: 'x'.repeat(65) }, 'event'],
      [{ event: 'prompt', v: 2 }, 'v'],
      [{ event: 'prompt', key: '' }, 'key'],
      [{ event: 'prompt', key: 'a\0b' }, 'key'],
      [{ event: 'prompt', key: 'a\u001fb' }, 'key'],
      [{ event: 'prompt', session_id: 'a\ud800' }, 'session_id'],
      [{ event: 'tool_use', tool: '\udc00a' }, 'tool'],
      [{ event: 'agent_spawn', id: 'a\ud801' }, 'id'],
      [{ event: 'prompt', ts: 'soon' }, 'ts'],
      [{ event: 'prompt', ts: -1 }, 'ts'],
      [{ event: 'prompt', ts: 1.5 }, 'ts'],
      [{ event: 'prompt', source: 'two\nlines' }, 'source'],
      [{ event: 'prompt', session_id: '' }, 'session_id'],
      [{ event: 'tool_use', tool: 7 }, 'tool'],
      [{ event: 'tool_done', ok: 'yes' }, 'ok'],
      [{ event: 'usage', input: -1 }, 'input'],
      [{ event: 'usage', input: 1e12 + 1 }, 'input'],
      [{ event: 'usage', cost_usd: 1e308 }, 'cost_usd'],
      [{ event: 'agent_done', cost_usd: 1_000_000.01 }, 'cost_usd'],
      [{ event: 'tool_done', duration_ms: 1e13 }, 'duration_ms'],
      [{ event: 'usage', cost_status: 'guessed' }, 'cost_status'],
      [{ event: 'agent_done', outcome: 'great' }, 'outcome'],
      [{ event: 'agent_spawn', prompt_preview: 'x'.repeat(4_097) }, 'prompt_preview'],
      [{ event: 'agent_spawn', background: 1 }, 'background'],
    ]
    for (const [input, path] of wrong) {
      const checked = check(eventInputSchema((input as { event?: unknown }).event), input)
      expect(checked, JSON.stringify(input)).toMatchObject({ ok: false, problems: [{ path }] })
      if (!checked.ok) expect(checked.problems[0]?.reason).toMatch(/\w/)
    }
  })

  it('accepts cost and duration up to the limits, and any text where no name is required', () => {
    for (const input of [
      { event: 'usage', input: 1e12, cost_usd: 1_000_000 },
      { event: 'tool_done', duration_ms: 1e12, error_preview: 'half \ud800 and \u001f' },
    ])
      expect(check(eventInputSchema(input.event), input)).toEqual({ ok: true, value: input })
  })

  it('rejects any other value without crashing', () => {
    fc.assert(
      fc.property(fc.anything(), (input) => {
        const checked = check(eventInputSchema(undefined), input)
        if (!checked.ok) for (const problem of checked.problems) expect(problem.reason).not.toBe('')
        else expect(typeof checked.value.event).toBe('string')
      }),
    )
  })

  it('rejects a stored event without the full envelope', () => {
    fc.assert(
      fc.property(
        storedEvent,
        fc.constantFrom('v', 'key', 'seq', 'ts', 'source', 'host', 'session_id'),
        (event, field) => {
          const { [field]: _, ...rest } = event
          expect(check(storedEventSchema(event.event), rest)).toMatchObject({
            ok: false,
            problems: [{ path: field }],
          })
        },
      ),
    )
  })
})

describe('agent of an event', () => {
  it("is the event's own id for spawns, links and ends, and agent_id for all others", () => {
    for (const event of EVENT_KINDS) {
      const own = ['agent_spawn', 'agent_done', 'agent_link'].includes(event)
      expect(readAgentId({ event, id: 'own', agent_id: 'other' })).toBe(own ? 'own' : 'other')
      expect(readAgentId({ event, id: 7, agent_id: null })).toBeUndefined()
    }
  })
})

describe('event kinds', () => {
  it('include the four kinds of the first vocabulary', () => {
    for (const seed of SEED_KINDS) expect(EVENT_KINDS).toContain(seed)
  })

  it('are narrowed by isKind', () => {
    fc.assert(
      fc.property(storedEvent, (event) => {
        for (const each of EVENT_KINDS) expect(isKind(event, each)).toBe(event.event === each)
      }),
    )
  })

  it('do not include names of object methods', () => {
    for (const event of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      expect(check(eventInputSchema(event), { event })).toEqual({ ok: true, value: { event } })
    }
  })
})
