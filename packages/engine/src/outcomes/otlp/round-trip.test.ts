import { fromProtobuf, type OtlpSpan, toProtobuf } from '@panoptes/engine/otlp'
import type { SessionSource } from '@panoptes/engine/sources'
import type { Account } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { createLog, request } from '../../capture/otlp/otlp.test-kit.ts'
import { accountOfEvents } from '../make/index.ts'
import { accountsOf, claudeCode, fixture, MAKING, recordedSource } from '../make/make.test-kit.ts'
import { generateSpans } from './spans.ts'

async function exported(
  source: SessionSource,
  content = false,
): Promise<ReadonlyMap<string, readonly OtlpSpan[]>> {
  const sessions = new Map<string, readonly OtlpSpan[]>()
  for await (const listed of source.list()) {
    if (listed.kind === 'failed') throw new Error(listed.failure.message)
    const spans: OtlpSpan[] = []
    const of = { source: source.name, session: listed.id, content, prices: MAKING.prices }
    for await (const span of generateSpans({ ...of, records: source.read(listed) })) spans.push(span)
    sessions.set(listed.id, spans)
  }
  return sessions
}

/** The comparable part of both accounts, without differences of reporting. */
const face = ({ agents }: Account) =>
  Object.fromEntries(
    agents.map((agent) => [
      agent.agent_id,
      {
        parent: agent.parent_id,
        tools: agent.tool_stats,
        errors: agent.errors,
        tokens: [agent.tokens_in, agent.tokens_out, agent.cache_read, agent.cache_write],
        cost: agent.cost_micro_usd,
        outcome: agent.outcome,
        type: agent.subagent_type,
        finished: true,
      },
    ]),
  )

const skills = ({ skills: uses }: Account) =>
  uses.map(({ agent_id, skill, success }) => [agent_id, skill, success])

const SOURCES: readonly (readonly [string, () => SessionSource])[] = [
  ['claude-code', claudeCode],
  [
    'codex',
    () => recordedSource('codex', { HOME: fixture('codex'), CODEX_HOME: fixture('codex/0.166.0-agents-v2') }),
  ],
]

describe.each(SOURCES)('sessions of %s', (_, open) => {
  it.each(['all at once', 'the other way round, each by itself'])('round-trip when sent %s', async (how) => {
    const source = open()
    const accounts = await accountsOf(source)
    const spans = await exported(source)
    expect(accounts.length).toBeGreaterThan(0)
    for (const account of accounts) {
      const log = createLog()
      const all = spans.get(account.session_id) ?? []
      const parts = how === 'all at once' ? [all] : all.toReversed().map((span) => [span])
      for (const part of parts) {
        const bytes = toProtobuf('TracesRequest', request(part, source.name))
        const read = fromProtobuf('TracesRequest', bytes)
        await log.send(read.ok && read.value)
      }
      const made = accountOfEvents({
        source: `${source.name}-otlp`,
        session_id: account.session_id,
        events: log.events(),
        fingerprint: '',
        making: MAKING,
      })
      expect(face(made)).toEqual(face(account))
      expect(made.agents.every(({ finished }) => finished)).toBe(true)
      expect(skills(made)).toEqual(skills(account))
    }
  })

  it('produce the same trace each time, with distinct spans', async () => {
    const source = open()
    const spans = await exported(source)
    const again = await exported(source)
    expect([...again]).toEqual([...spans])
    for (const all of spans.values()) {
      expect(new Set(all.map(({ spanId }) => spanId)).size).toBe(all.length)
      const ids = new Set(all.map(({ spanId }) => spanId))
      const tops = all.filter(({ parentSpanId }) => parentSpanId === undefined)
      expect(tops).toHaveLength(all.length > 0 ? 1 : 0)
      for (const { parentSpanId } of all)
        expect(parentSpanId === undefined || ids.has(parentSpanId)).toBe(true)
    }
  })
})

describe('message texts', () => {
  it('are omitted by default and redacted if requested', async () => {
    const source = claudeCode()
    const without = JSON.stringify([...(await exported(source)).values()])
    expect(without).not.toMatch(
      /RUN:parallel|gen_ai\.(input|output)\.messages|tool\.call\.(arguments|result)/,
    )
    const withContent = JSON.stringify([...(await exported(source, true)).values()])
    expect(withContent).toContain('RUN:parallel')
    expect(withContent).toContain('gen_ai.tool.call.result')
  })

  it('restore the claims if included', async () => {
    const source = claudeCode()
    const accounts = (await accountsOf(source)).filter(({ claims }) => claims.length > 0)
    const spans = await exported(source, true)
    expect(accounts.length).toBeGreaterThan(0)
    for (const account of accounts) {
      const log = createLog()
      await log.send(request(spans.get(account.session_id) ?? []))
      const told = log.events().filter(({ event }) => event === 'claim')
      expect(told.map(({ value, tier, pointer }) => [value, tier, pointer]).sort()).toEqual(
        account.claims.map(({ value, evidence_tier, pointer }) => [value, evidence_tier, pointer]).sort(),
      )
    }
  })
})
