import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Payload, play, type Recording, recording, truth } from './recordings.test-kit.ts'

const names = Object.keys(truth) as readonly Recording[]

/** Two steps are longer than the time within which an identical payload is a duplicate. */
const STEPS = [1, 7_000, 90_000] as const

/**
 * Every recording ends with SessionEnd, which ends every agent; variants without it show that each ends on
 * its own.
 */
const VARIANTS = names.flatMap((name) =>
  [true, false].flatMap((ends) =>
    STEPS.map((step) => ({
      name,
      step,
      payloads: recording(name).filter(({ hook_event_name: kind }) => ends || kind !== 'SessionEnd'),
      of: `${name}${ends ? '' : ' without its end'}, ${step} ms apart,`,
    })),
  ),
)
const PARALLEL = VARIANTS.filter(({ name }) => name.startsWith('parallel'))

describe('a recording of a real client', () => {
  it.each(VARIANTS)('$of has the true tree, counts and outcomes', ({ name, step, payloads }) => {
    expect(play(payloads, step)).toEqual(truth[name])
  })

  it.each(VARIANTS)('$of cut anywhere shows exactly what its beginning contains', ({ step, payloads }) => {
    for (let end = 0; end <= payloads.length; end += 1) {
      const part = payloads.slice(0, end)
      const agents = Object.entries(play(part, step))
      const shown = {
        states: Object.fromEntries(agents.map(([id, { state }]) => [id, state])),
        tools: Object.fromEntries(agents.map(([id, { tools }]) => [id, tools])),
        errors: Object.fromEntries(agents.map(([id, { errors }]) => [id, errors])),
      }
      expect(shown, `after ${end}`).toEqual(expectedStates(part))
    }
  })

  it.each(PARALLEL)(
    "$of has the same result in any interleaving that keeps each agent's order",
    ({ name, step, payloads }) => {
      fc.assert(
        fc.property(interleavings(payloads), (order) => {
          expect(play(order, step)).toEqual(truth[name])
        }),
        { numRuns: 150 },
      )
    },
  )

  it.each(VARIANTS)(
    '$of has the same result when every payload arrives twice',
    ({ name, step, payloads }) => {
      expect(
        play(
          payloads.flatMap((payload) => [payload, payload]),
          step,
        ),
      ).toEqual(truth[name])
      expect(play([...payloads, ...payloads], step)).toEqual(truth[name])
    },
  )

  describe.each(VARIANTS)('$of without one kind of hook', ({ name, step, payloads }) => {
    const kinds = [...new Set(payloads.map((payload) => payload.hook_event_name))]
    const ends = kinds.includes('SessionEnd')

    it.each(kinds)('loses only what %s reports', (kind) => {
      const expected = structuredClone(truth[name]) as Record<string, Record<string, unknown>>
      for (const agent of Object.values(expected)) {
        // Only these hooks carry this information.
        if (kind === 'PostToolUse') agent.model = null
        if (kind === 'PostToolUseFailure') agent.errors = 0
      }
      // Without the end of its turn, main was at work when its session ended.
      if (kind === 'Stop' && expected.main) {
        if (ends) expected.main.outcome = 'stopped'
        else expected.main.state = 'working'
      }
      expect(
        play(
          payloads.filter((payload) => payload.hook_event_name !== kind),
          step,
        ),
      ).toEqual(expected)
    })
  })
})

const ownerOf = (payload: Payload): string => payload.agent_id ?? 'main'

/** Agents deliver independently, so any order is possible except within one agent. */
const interleavings = (payloads: readonly Payload[]): fc.Arbitrary<readonly Payload[]> =>
  fc.array(fc.nat({ max: 1_000 }), { minLength: payloads.length, maxLength: payloads.length }).map((dice) => {
    const queues = new Map<string, Payload[]>()
    for (const payload of payloads) {
      queues.set(ownerOf(payload), [...(queues.get(ownerOf(payload)) ?? []), payload])
    }
    return dice.flatMap((roll) => {
      const waiting = [...queues.values()].filter((queue) => queue.length > 0)
      return waiting[roll % waiting.length]?.shift() ?? []
    })
  })

/** Returns what a person would conclude after reading this far, computed without code of the projection. */
function expectedStates(payloads: readonly Payload[]) {
  const states: Record<string, string> = {}
  const calls: Record<string, Record<string, Set<string>>> = {}
  const errors: Record<string, number> = {}
  const meet = (id: string) => {
    states[id] ??= 'working'
    calls[id] ??= {}
    errors[id] ??= 0
  }
  for (const payload of payloads) {
    const id = ownerOf(payload)
    const kind = payload.hook_event_name
    meet(id)
    // The session has not received a prompt yet.
    if (kind === 'SessionStart') states.main = 'done'
    const response = (payload.tool_response ?? {}) as { agentId?: string; status?: string }
    if (response.agentId) meet(response.agentId)
    if (payload.tool_name && payload.tool_use_id) {
      const used = calls[id] ?? {}
      used[payload.tool_name] ??= new Set()
      used[payload.tool_name]?.add(payload.tool_use_id)
    }
    if (kind === 'PostToolUseFailure') errors[id] = (errors[id] ?? 0) + 1
    if (kind === 'UserPromptSubmit') states.main = 'working'
    if (kind === 'SubagentStop') states[id] = 'done'
    if (response.agentId && response.status === 'completed') states[response.agentId] = 'done'
    const left = (payload.background_tasks ?? []) as readonly { status: string }[]
    if (kind === 'Stop' && !left.some((task) => task.status === 'running')) states.main = 'done'
    if (kind === 'SessionEnd') for (const each of Object.keys(states)) states[each] = 'done'
  }
  const tools = Object.fromEntries(
    Object.entries(calls).map(([id, used]) => [
      id,
      Object.fromEntries(Object.entries(used).map(([tool, ids]) => [tool, ids.size])),
    ]),
  )
  return { states, tools, errors }
}
