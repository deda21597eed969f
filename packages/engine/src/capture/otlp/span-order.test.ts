import type { OtlpSpan } from '@panoptes/engine/otlp'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLog, idOf, type Log, type Made, request, span } from './otlp.test-kit.ts'

/** The kind of a span in the tree. Its index is its id, and `above` names an earlier one. */
interface Plan {
  readonly kind: 'agent' | 'tool' | 'reply' | 'step'
  readonly above: number
  readonly failed: boolean
}

const plans = fc.array(
  fc.record<Plan>({
    kind: fc.constantFrom('agent', 'tool', 'reply', 'step'),
    above: fc.nat(),
    failed: fc.boolean(),
  }),
  { minLength: 1, maxLength: 16 },
)

const OPERATION = { agent: 'invoke_agent', tool: 'execute_tool', reply: 'chat' } as const

interface Expected {
  readonly parent: string | null
  readonly tools: number
  readonly errors: number
  readonly output: number
}

/** Returns the spans of a plan, with the expected result computed independently. */
function made(top: 'agent' | 'step', below: readonly Plan[]) {
  const spans: Made[] = []
  const workers: string[] = []
  const agents: Record<string, Expected> = { main: { parent: null, tools: 0, errors: 0, output: 0 } }
  const count = (agent: string, more: Partial<Record<keyof Expected, number>>) => {
    const own = agents[agent] as Expected
    agents[agent] = {
      parent: own.parent,
      tools: own.tools + (more.tools ?? 0),
      errors: own.errors + (more.errors ?? 0),
      output: own.output + (more.output ?? 0),
    }
  }
  const length = below.length + 1
  const all: readonly Plan[] = [{ kind: top, above: 0, failed: false }, ...below]
  all.forEach(({ kind, above, failed }, n) => {
    const id = n + 1
    const holders = spans.map((each) => each.id).filter((each) => all[each - 1]?.kind !== 'reply')
    const parent = n === 0 ? undefined : holders[above % holders.length]
    const maker = parent === undefined ? 'main' : (workers[parent - 1] ?? 'main')
    const own = kind === 'agent' && n > 0 ? idOf(id) : maker
    workers.push(own)
    if (own !== maker) agents[own] = { parent: maker, tools: 0, errors: 0, output: 0 }
    if (kind === 'tool') count(own, { tools: 1, errors: failed ? 1 : 0 })
    if (kind === 'reply') count(own, { output: id })
    spans.push({
      id,
      parent,
      from: id * 10,
      to: 10_000 + (length - n) * 10,
      status: kind === 'tool' && failed ? { code: 2 } : undefined,
      attributes: {
        'session.id': 's',
        ...(kind === 'step' ? {} : { 'gen_ai.operation.name': OPERATION[kind] }),
        ...(kind === 'tool' ? { 'gen_ai.tool.name': 'Read' } : {}),
        ...(kind === 'reply' ? { 'gen_ai.usage.input_tokens': 1, 'gen_ai.usage.output_tokens': id } : {}),
      },
    } as Made)
  })
  return { spans: spans.map(span), agents, ours: all.some(({ kind }) => kind !== 'step') }
}

const face = (log: Log) =>
  Object.fromEntries(
    Object.values(log.agents()).map((agent) => [
      agent.id,
      {
        parent: agent.parent_id,
        tools: Object.values(agent.tool_counts).reduce((sum, each) => sum + each, 0),
        errors: agent.errors,
        output: agent.usage?.output ?? 0,
        state: agent.state,
      },
    ]),
  )

interface Way {
  /** This is true for any order, and false for parts before the whole, as SDKs send them. */
  readonly inAnyOrder: boolean
  readonly restarts: number
}

async function sent(spans: readonly OtlpSpan[], { inAnyOrder, restarts }: Way, roll: () => number) {
  const log = createLog()
  const left: OtlpSpan[] = [...spans.toReversed(), ...spans.filter(() => roll() < 20)]
  while (left.length > 0) {
    const batch: OtlpSpan[] = []
    do batch.push(...left.splice(inAnyOrder ? roll() % left.length : 0, 1))
    while (left.length > 0 && roll() < 50)
    if (roll() < restarts) log.restart()
    log.failing = roll() < 10 ? 1 : 0
    if (log.failing > 0) await log.send(request(batch))
    log.failing = 0
    await log.send(request(batch))
  }
  return log
}

describe('spans of one trace', () => {
  it.each([
    ['in any order', { inAnyOrder: true, restarts: 0 }],
    ['over restarts', { inAnyOrder: false, restarts: 30 }],
  ])('give the same %s in any batches, also when repeated', async (_, way) => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('agent' as const, 'step' as const),
        plans,
        fc.infiniteStream(fc.nat({ max: 99 })),
        async (top, below, dice) => {
          const { spans, agents, ours } = made(top, below)
          const log = await sent(spans, way, () => dice.next().value as number)
          const expected = Object.fromEntries(
            Object.entries(agents).map(([id, each]) => [id, { ...each, state: 'done' }]),
          )
          expect(face(log)).toEqual(ours ? expected : {})
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('the session of a trace', () => {
  const named = span({
    id: 2,
    parent: 1,
    attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.conversation.id': 'c1' },
  })
  const unnamed = span({
    id: 3,
    parent: 1,
    attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'Bash' },
  })
  const sessions = (log: Log) => new Set(log.events().map(({ session_id }) => session_id))

  it('is the one that any span names, even if a span without a name arrived first', async () => {
    const log = createLog(undefined, 60_000)
    await Promise.all([unnamed, named].map((one) => log.send(request([one]))))
    expect(log.events().some(({ event }) => event === 'tool_use')).toBe(true)
    expect(sessions(log)).toEqual(new Set(['c1']))
  })

  it('is the trace id when no span names one in time', async () => {
    const log = createLog(undefined, 10)
    await log.send(request([unnamed]))
    await log.send(request([named]))
    expect(sessions(log)).toEqual(new Set([unnamed.traceId]))
  })
})
