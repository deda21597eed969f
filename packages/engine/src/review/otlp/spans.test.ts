import type { OtlpSpan } from '@panoptes/engine/otlp'
import type { SessionRecord } from '@panoptes/engine/sources'
import type { Session } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { createLog, request } from '../../capture/otlp/otlp.test-kit.ts'
import { agent, call, calls, ended, prompt, reply, result } from '../make/make.test-kit.ts'
import { spansOf } from './spans.ts'

async function spansFrom(records: readonly SessionRecord[], content = false) {
  const spans: OtlpSpan[] = []
  const told = spansOf({ source: 'hermes', session: 's', records: stream(records), content })
  for (;;) {
    const next = await told.next()
    if (next.done) return { spans, failed: next.value }
    spans.push(next.value)
  }
}

async function* stream(records: readonly SessionRecord[]) {
  yield* records
}

const attribute = (span: OtlpSpan | undefined, key: string) =>
  Object.values(span?.attributes?.find((each) => each.key === key)?.value ?? {})[0]
const named = (spans: readonly OtlpSpan[], name: string) => spans.find((span) => span.name === name)

describe('a call', () => {
  it('takes from its message to its result, and says that it failed', async () => {
    const { spans } = await spansFrom([calls(1, call('t', 'Bash')), ended(4, result('t', false, 'no'))])
    const span = named(spans, 'execute_tool Bash')
    const took = BigInt(span?.endTimeUnixNano ?? 0) - BigInt(span?.startTimeUnixNano ?? 0)
    expect(took).toBe(3_000_000_000n)
    expect(span?.status).toEqual({ code: 2, message: 'the call failed' })
  })

  it('without a result is told all the same, and so is each of very many', async () => {
    const { spans } = await spansFrom([
      calls(1, ...Array.from({ length: 12_000 }, (_, n) => call(`t${n}`, 'Bash'))),
      ended(2, result('nobody’s')),
    ])
    const left = spans.filter((span) => attribute(span, 'panoptes.unfinished') === true)
    expect(left).toHaveLength(12_000)
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(12_002)
  })
})

describe('an agent', () => {
  it('is inside the call that made it, or inside its maker where that is not there', async () => {
    const { spans } = await spansFrom([
      agent('main'),
      agent('a', { parent_id: 'main', tool_use_id: 't', subagent_type: 'Explore' }),
      agent('b', { parent_id: 'a', tool_use_id: 'gone' }),
      calls(1, call('t', 'Agent')),
      reply(2, 'x', { agent_id: 'a' }),
      reply(3, 'y', { agent_id: 'b' }),
      ended(4, result('t')),
    ])
    const main = named(spans, 'invoke_agent hermes')
    expect(main?.parentSpanId).toBeUndefined()
    expect(named(spans, 'invoke_agent Explore')?.parentSpanId).toBe(
      named(spans, 'execute_tool Agent')?.spanId,
    )
    expect(named(spans, 'invoke_agent')?.parentSpanId).toBe(named(spans, 'invoke_agent Explore')?.spanId)
  })
})

describe('a session', () => {
  it('that tells its tokens as a whole keeps them', async () => {
    const usage = {
      input: 10,
      output: 5,
      cache_read: 3,
      cache_write: 2,
      cache_write_1h: null,
      reasoning: null,
    }
    const session = {
      kind: 'session',
      session: { project: 'p', usage, cost_micro_usd: 70 } as Session,
    } as const
    const { spans } = await spansFrom([prompt(0), reply(1), session])
    const log = createLog()
    await log.send(request(spans))
    expect(log.agents().main?.usage).toMatchObject({ input: 10, output: 5, cache_read: 3, cache_write: 2 })
    expect(log.agents().main?.usage?.cost_micro_usd).toBe(70)
  })

  it('without times is told as one', async () => {
    const { spans } = await spansFrom([prompt(0, 'a', { ts: null }), reply(1, 'b', { ts: null })])
    expect(spans.map(({ name }) => name)).toEqual(['chat claude-opus-4-8', 'invoke_agent hermes'])
    for (const span of spans) expect(span.startTimeUnixNano).toBe('1000000')
  })

  it('of which nothing is left has no spans, and one that cannot be read says so', async () => {
    expect(await spansFrom([])).toEqual({ spans: [], failed: undefined })
    const failure = { ok: false, code: 'io', message: 'gone' } as const
    expect((await spansFrom([prompt(0), { kind: 'failed', failure }])).failed).toEqual(failure)
  })

  it('gives no secret away with what was said', async () => {
    const secret =
      'sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-AbCdEfGhIjKl'
    const { spans } = await spansFrom(
      [
        prompt(0, `use ${secret}`),
        reply(1, `I used ${secret}`),
        calls(2, call('t', 'Bash', { command: `export KEY=${secret}` })),
        ended(3, result('t', false, `refused: ${secret}`)),
      ],
      true,
    )
    const text = JSON.stringify(spans)
    expect(text).toContain('I used')
    expect(text).toContain('export KEY=')
    expect(text).not.toContain(secret.slice(14, 60))
  })
})
