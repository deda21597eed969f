import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Story, tellStory } from './agents.test-kit.ts'

type Step = (story: Story) => void

const createStep =
  (event: string, fields: object = {}): Step =>
  (story) =>
    story.tell(event, fields)

/** The courses that each call of an agent can take between the agent's beginning and end. */
const ways = ['plain', 'fails', 'asks', 'never ends', 'end only'] as const

function createCall(agent: string, n: number, way: (typeof ways)[number]): readonly Step[] {
  const call = { id: `${agent}-${n}`, agent_id: agent, tool: `Tool${n % 2}`, input_preview: `${agent} ${n}` }
  const begins = createStep('tool_use', call)
  const ends = createStep('tool_done', { ...call, ok: way !== 'fails' })
  if (way === 'never ends') return [begins]
  if (way === 'end only') return [ends]
  const asks = createStep('agent_wait', {
    ...call,
    id: undefined,
    wait: 'permission_request',
    reason: 'allow?',
  })
  return way === 'asks' ? [begins, asks, ends] : [begins, ends]
}

interface Plan {
  readonly calls: readonly (typeof ways)[number][]
  /** Selects which signs of its beginning and end are delivered, and whether it is resumed once. */
  readonly spawn: boolean
  readonly stop: boolean
  readonly link: 'completed' | 'failed' | 'none'
  readonly again: boolean
}

const plan = fc.record<Plan>({
  calls: fc.array(fc.constantFrom(...ways), { maxLength: 4 }),
  spawn: fc.boolean(),
  stop: fc.boolean(),
  link: fc.constantFrom('completed', 'failed', 'none'),
  again: fc.boolean(),
})

/** Makes one queue per agent: its own order is kept, whatever comes in between. */
function createQueues(plans: readonly Plan[]): Step[][] {
  const main: Step[] = [createStep('session_start'), createStep('prompt', { agent_id: 'main' })]
  const others = plans.map((each, n) => {
    const id = `a${n}`
    // A resume can be distinguished from a late delivery only when the agent itself reports both its
    // beginning and its end.
    const again = each.again && each.spawn && each.stop
    const run = (from: number): Step[] => [
      ...(each.spawn ? [createStep('agent_spawn', { id, subagent_type: 'X' })] : []),
      ...each.calls.flatMap((way, at) => createCall(id, from + at, way)),
      ...(each.stop ? [createStep('agent_done', { id, outcome: 'partial' })] : []),
    ]
    for (const time of again ? ['1', '2'] : ['1']) {
      const call = `T${n}-${time}`
      main.push(createStep('tool_use', { id: call, agent_id: 'main', tool: 'Agent' }))
      if (each.link === 'none') continue
      main.push(
        createStep('tool_done', { id: call, agent_id: 'main', tool: 'Agent', ok: each.link === 'completed' }),
      )
      main.push(createStep('agent_link', { id, tool_use_id: call, parent_id: 'main', status: each.link }))
    }
    return again ? [...run(0), ...run(10)] : run(0)
  })
  return [[...main, createStep('agent_done', { id: 'main', outcome: 'functional' })], ...others]
}

function tellAll(queues: Step[][], dice: readonly number[]): Story {
  const story = tellStory()
  const left = queues.map((queue) => [...queue])
  for (const roll of dice) {
    const waiting = left.filter((queue) => queue.length > 0)
    waiting[roll % waiting.length]?.shift()?.(story)
  }
  for (const queue of left) for (const step of queue) step(story)
  return story
}

const face = (story: Story) =>
  Object.fromEntries(
    Object.keys(story.states()).map((id) => {
      const { state, outcome, tool_counts, errors, wait_reason, parent_id } = story.agent(id) ?? {}
      return [id, { state, outcome, tool_counts, errors, wait_reason, parent_id }]
    }),
  )

const dice = fc.array(fc.nat({ max: 1_000 }), { minLength: 60, maxLength: 120 })

describe('agents that report independently', () => {
  it("end up the same in any order that keeps each agent's own order", () => {
    fc.assert(
      fc.property(fc.array(plan, { minLength: 1, maxLength: 4 }), dice, (plans, rolls) => {
        const queues = createQueues(plans)
        expect(face(tellAll(queues, rolls))).toEqual(face(tellAll(queues, [])))
      }),
      { numRuns: 500 },
    )
  })

  it('all end with their session, and count each call once', () => {
    fc.assert(
      fc.property(fc.array(plan, { minLength: 1, maxLength: 4 }), dice, (plans, rolls) => {
        const story = tellAll(createQueues(plans), rolls)
        story.tell('session_end')
        plans.forEach(({ calls, spawn, stop, again }, n) => {
          const times = again && spawn && stop ? 2 : 1
          const agent = story.agent(`a${n}`)
          if (agent === undefined) return
          expect(['done', 'failed']).toContain(agent.state)
          const counted = Object.values(agent.tool_counts).reduce((sum, count) => sum + count, 0)
          expect(counted).toBe(times * calls.length)
          expect(agent.doing).toBeNull()
          expect(agent.wait_reason).toBeNull()
        })
      }),
      { numRuns: 300 },
    )
  })
})
