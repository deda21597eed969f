import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Payload, play, type Recording, recording, type Shown, truth } from './recordings.test-kit.ts'

const names = Object.keys(truth) as readonly Recording[]
const parallel = ['parallel', 'parallel-background'] as const

describe('a recording of a real client', () => {
  it.each(names)('%s gives the tree, the counts and the outcomes that were', (name) => {
    expect(play(recording(name))).toEqual(truth[name])
  })

  it.each(names)('%s cut anywhere gives exactly what its beginning shows', (name) => {
    const payloads = recording(name)
    for (let end = 0; end <= payloads.length; end += 1) {
      const part = payloads.slice(0, end)
      const { states, tools, errors } = told(part)
      const agents = play(part)
      const pick = <T>(of: (agent: Shown[string]) => T) =>
        Object.fromEntries(Object.entries(agents).map(([id, agent]) => [id, of(agent)]))
      expect(
        pick((agent) => agent.state),
        `after ${end}`,
      ).toEqual(states)
      expect(
        pick((agent) => agent.tools),
        `after ${end}`,
      ).toEqual(tools)
      expect(
        pick((agent) => agent.errors),
        `after ${end}`,
      ).toEqual(errors)
    }
  })

  it.each(parallel)('%s is the same in any interleaving that keeps the order of each agent', (name) => {
    fc.assert(
      fc.property(interleavings(recording(name)), (payloads) => {
        expect(play(payloads)).toEqual(truth[name])
      }),
      { numRuns: 300 },
    )
  })

  it.each(names)('%s is the same when every payload comes twice', (name) => {
    const payloads = recording(name)
    expect(play(payloads.flatMap((payload) => [payload, payload]))).toEqual(truth[name])
    expect(play([...payloads, ...payloads])).toEqual(truth[name])
  })

  describe.each(parallel)('%s without one kind of hook', (name) => {
    const kinds = [...new Set(recording(name).map((payload) => payload.hook_event_name))]

    it.each(kinds)('%s', (kind) => {
      const expected = structuredClone(truth[name]) as Record<string, Record<string, unknown>>
      for (const agent of Object.values(expected)) {
        // Only these two tell what no other hook does.
        if (kind === 'PostToolUse') agent.model = null
        if (kind === 'PostToolUseFailure') agent.errors = 0
      }
      expect(play(recording(name).filter((payload) => payload.hook_event_name !== kind))).toEqual(expected)
    })
  })
})

const ownerOf = (payload: Payload): string => payload.agent_id ?? 'main'

/** Agents deliver on their own: any order but within one agent. */
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

/** What a person would say after reading this far: by hand, with no code of the projection. */
function told(payloads: readonly Payload[]) {
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
