import type { OtlpSpan } from '@panoptes/engine/otlp'
import type { SessionRecord } from '@panoptes/engine/sources'
import type { Session } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { createLog, request } from '../../capture/otlp/otlp.test-kit.ts'
import { agent, call, calls, ended, prompt, reply, result } from '../make/make.test-kit.ts'
import { generateSpans } from './spans.ts'

async function spansFrom(records: readonly SessionRecord[], content = false) {
  const spans: OtlpSpan[] = []
  const told = generateSpans({ source: 'hermes', session: 's', records: stream(records), content })
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

describe('span of a call', () => {
  it('lasts from its message to its result and reports a failure', async () => {
    const { spans } = await spansFrom([calls(1, call('t', 'Bash')), ended(4, result('t', false, 'no'))])
    const span = named(spans, 'execute_tool Bash')
    const took = BigInt(span?.endTimeUnixNano ?? 0) - BigInt(span?.startTimeUnixNano ?? 0)
    expect(took).toBe(3_000_000_000n)
    expect(span?.status).toEqual({ code: 2, message: 'the call failed' })
  })

  it('has no status and says so after a denial, which is neither success nor failure', async () => {
    const { spans } = await spansFrom([
      calls(1, call('t', 'Bash'), call('u', 'Read')),
      ended(4, result('t', null, 'denied'), result('u', true, 'x')),
    ])
    const span = named(spans, 'execute_tool Bash')
    expect(span?.status).toBeUndefined()
    expect(attribute(span, 'panoptes.undecided')).toBe(true)
    expect(attribute(named(spans, 'execute_tool Read'), 'panoptes.undecided')).toBeUndefined()
  })

  it('is included without a result, even among very many', async () => {
    const { spans } = await spansFrom([
      calls(1, ...Array.from({ length: 12_000 }, (_, n) => call(`t${n}`, 'Bash'))),
      ended(2, result('nobody’s')),
    ])
    const left = spans.filter((span) => attribute(span, 'panoptes.unfinished') === true)
    expect(left).toHaveLength(12_000)
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(12_002)
  })
})

describe('span of an agent', () => {
  it('is inside the call that started it, or inside its parent if that call is missing', async () => {
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

describe('spans of a session', () => {
  it('keep the total if tokens are reported for the whole session', async () => {
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

  it('are included for a session without times', async () => {
    const { spans } = await spansFrom([prompt(0, 'a', { ts: null }), reply(1, 'b', { ts: null })])
    expect(spans.map(({ name }) => name)).toEqual(['chat claude-opus-4-8', 'invoke_agent hermes'])
    for (const span of spans) expect(span.startTimeUnixNano).toBe('1000000')
  })

  it('are empty for a deleted session, and report an unreadable one', async () => {
    expect(await spansFrom([])).toEqual({ spans: [], failed: undefined })
    const failure = { ok: false, code: 'io', message: 'gone' } as const
    expect((await spansFrom([prompt(0), { kind: 'failed', failure }])).failed).toEqual(failure)
  })

  it('reveal no secret of a message', async () => {
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
