import type { OtlpSpan } from '@panoptes/engine/otlp'
import type { Account } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLog, type Log, type Made, request, span } from '../../capture/otlp/otlp.test-kit.ts'
import { accountOfEvents } from './index.ts'
import { MAKING } from './make.test-kit.ts'

interface Plan {
  readonly kind: 'agent' | 'tool' | 'reply' | 'step'
  /** The index of an earlier span. */
  readonly above: number
  readonly counts: boolean
  readonly says: boolean
}

const plan = fc.record<Plan>({
  kind: fc.constantFrom('agent', 'tool', 'reply', 'step'),
  above: fc.nat(),
  counts: fc.boolean(),
  says: fc.boolean(),
})

const OPERATION = { agent: 'invoke_agent', tool: 'execute_tool', reply: 'chat' } as const

/** The first span is the root, and always an agent. */
function spansOf(plans: readonly Plan[]): readonly Made[] {
  return plans.map(({ kind, above, counts, says }, n) => ({
    id: n + 1,
    parent: n === 0 ? undefined : (above % n) + 1,
    from: n * 10,
    to: 10_000 - n * 10,
    attributes: {
      'session.id': 's',
      ...(n > 0 && kind === 'step' ? {} : { 'gen_ai.operation.name': operation(n, kind) }),
      ...(kind === 'tool' ? { 'gen_ai.tool.name': 'Read' } : {}),
      ...(counts && (n === 0 || kind !== 'step')
        ? { 'gen_ai.usage.input_tokens': 100 + n, 'gen_ai.usage.output_tokens': 1 + n }
        : {}),
      ...(says ? { 'output.value': `took ${n} s [REAL: t1]` } : {}),
      'gen_ai.request.model': `model-${n % 3}`,
    },
  }))
}

const operation = (n: number, kind: Plan['kind']): string =>
  n === 0 || kind === 'step' ? 'invoke_agent' : OPERATION[kind]

/**
 * The expected result, computed plainly: usage of a reply counts unless a nested reply reports it,
 * and likewise for claims of an agent.
 */
function expected(spans: readonly Made[]): { readonly input: number; readonly claims: readonly string[] } {
  const isReply = ({ attributes }: Made) => attributes?.['gen_ai.operation.name'] === 'chat'
  const inside = (outer: Made, has: (span: Made) => boolean): boolean =>
    spans.some((each) => each.parent === outer.id && ((isReply(each) && has(each)) || inside(each, has)))
  const speaks = (each: Made) =>
    isReply(each) || each.attributes?.['gen_ai.operation.name'] === 'invoke_agent'
  const counted = (each: Made) => each.attributes?.['gen_ai.usage.input_tokens'] !== undefined
  const said = (each: Made) => each.attributes?.['output.value'] !== undefined
  return {
    input: spans
      .filter((each) => speaks(each) && counted(each) && !inside(each, counted))
      .reduce((sum, { attributes }) => sum + Number(attributes?.['gen_ai.usage.input_tokens']), 0),
    claims: spans
      .filter((each) => speaks(each) && said(each) && !inside(each, said))
      .map(({ id }) => `took ${id - 1} s`)
      .sort(),
  }
}

const accountOf = (log: Log): Account =>
  accountOfEvents({
    source: 'app',
    session_id: 's',
    events: log.events(),
    fingerprint: '',
    making: { ...MAKING, source: 'app' },
  })

const sorted = <T>(rows: readonly T[]): readonly T[] =>
  rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

const face = ({ agents, claims, skills, cells, ...rest }: Account) => ({
  ...rest,
  agents: sorted(agents),
  claims: sorted(claims),
  skills: sorted(skills),
  cells: sorted(cells),
})

async function sent(spans: readonly OtlpSpan[], sizes: () => number, restarts: number): Promise<Log> {
  const log = createLog()
  for (let at = 0; at < spans.length; ) {
    const size = 1 + (sizes() % 3)
    if (sizes() < restarts) log.restart()
    log.failing = sizes() < 10 ? 1 : 0
    if (log.failing > 0) await log.send(request(spans.slice(at, at + size)))
    log.failing = 0
    await log.send(request(spans.slice(at, at + size)))
    at += size
  }
  return log
}

const trees = fc.array(plan, { minLength: 1, maxLength: 10 })
const dice = fc.infiniteStream(fc.nat({ max: 99 }))

describe('account of a trace', () => {
  it('does not depend on the order and batches of its spans', async () => {
    await fc.assert(
      fc.asyncProperty(
        trees.chain((plans) =>
          fc.record({
            plans: fc.constant(plans),
            order: fc.shuffledSubarray([...plans.keys()], { minLength: plans.length }),
          }),
        ),
        dice,
        async ({ plans, order }, rolls) => {
          const made = spansOf(plans)
          const spans = made.map(span)
          const whole = accountOf(await sent(spans.toReversed(), () => 99, 0))
          const any = order.map((n) => spans[n] as OtlpSpan)
          const log = await sent(any, () => rolls.next().value as number, 0)
          const account = accountOf(log)
          expect(face(account)).toEqual(face(whole))
          const { input, claims } = expected(made)
          expect(account.cells.reduce((sum, { tokens_in }) => sum + tokens_in, 0)).toBe(input)
          expect(account.claims.map(({ value }) => value).sort()).toEqual(claims)
          const live = Object.values(log.agents())
          expect(live.reduce((sum, { usage }) => sum + (usage?.input ?? 0), 0)).toBe(input)
          expect(live.reduce((sum, each) => sum + (each.claims?.count ?? 0), 0)).toBe(claims.length)
        },
      ),
      { numRuns: 150 },
    )
  })

  it('survives restarts if nested spans come first', async () => {
    await fc.assert(
      fc.asyncProperty(trees, dice, async (plans, rolls) => {
        const made = spansOf(plans)
        const log = await sent(made.map(span).toReversed(), () => rolls.next().value as number, 30)
        const { input, claims } = expected(made)
        const account = accountOf(log)
        expect(account.cells.reduce((sum, { tokens_in }) => sum + tokens_in, 0)).toBe(input)
        expect(account.claims.map(({ value }) => value).sort()).toEqual(claims)
      }),
      { numRuns: 150 },
    )
  })

  it('takes back after a restart what was reported before it', async () => {
    const counts = {
      'session.id': 's',
      'gen_ai.usage.input_tokens': 100,
      'output.value': 'took 3 s [REAL: t1]',
    }
    const log = createLog()
    const outer = { id: 1, attributes: { ...counts, 'gen_ai.operation.name': 'invoke_agent' } }
    const inner = { id: 2, parent: 1, attributes: { ...counts, 'gen_ai.operation.name': 'chat' } }
    for (const each of [outer, inner, outer, inner]) {
      log.restart()
      await log.send(request([span(each)]))
    }
    expect(accountOf(log).agents).toMatchObject([{ agent_id: 'main', tokens_in: 100 }])
    expect(accountOf(log).claims).toHaveLength(1)
    expect(log.agents().main).toMatchObject({ usage: { input: 100 }, claims: { count: 1 } })
  })

  it('separates two traces whose spans have the same ids', async () => {
    const log = createLog()
    for (const trace of [1, 2]) {
      const attributes = {
        'session.id': 's',
        'gen_ai.usage.input_tokens': 100,
        'output.value': 'took 3 s [REAL: t1]',
      }
      await log.send(
        request([
          span({ trace, id: 1, attributes: { ...attributes, 'gen_ai.operation.name': 'chat' } }),
          span({
            trace,
            id: 2,
            attributes: {
              'session.id': 's',
              'gen_ai.operation.name': 'execute_tool',
              'gen_ai.tool.name': 'Read',
            },
          }),
        ]),
      )
    }
    const { agents, claims } = accountOf(log)
    expect(agents).toMatchObject([{ tokens_in: 200, tool_use_count: 2 }])
    expect(claims).toHaveLength(2)
  })
})
