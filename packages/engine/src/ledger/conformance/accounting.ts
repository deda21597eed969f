import type { AgentAccount } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { account, agentOf, cell, claimOf, HOUR, NOON, useOf } from './accounts-kit.ts'
import { event } from './kit.ts'
import { type LedgerLab, useLab, value } from './lab.ts'

const DAY = 24 * HOUR
const PAGE = { limit: 100 }
const status = {
  shipped: 'functional',
  stubs: 0,
  checks: [],
  behaviour_verified: null,
  follow_ups: [],
} as const

export function describeAccounting(lab: LedgerLab): void {
  describe('the accounts of sessions', () => {
    const bench = useLab(lab)
    const open = async () => (await bench.open()).ledger

    const plain = account('one')
    const evidence = {
      source: 'codex',
      session_id: 'one',
      agent_id: 'a',
      n: 7,
      tool_use_id: null,
      quote: 'done',
    }
    const flagged: Partial<AgentAccount> = {
      agent_id: 'a',
      subagent_type: 'builder',
      outcome: 'functional',
      stubs: 0,
      status: { ...status, checks: [], follow_ups: ['write the test', 'tell the others'] },
      said_at: evidence,
      flags: [{ kind: 'failing_tests', says: 'A test failed after it.', evidence }],
    }
    const whole = account('one', {
      agents: [agentOf(plain), agentOf(plain, flagged)],
      claims: [claimOf(plain, 0), claimOf(plain, 1, { ts: NOON + 1 })],
      skills: [useOf(plain, 't1')],
      cells: [cell('2026-09-14'), cell('2026-09-15', { agent_id: 'a', skill: 'tidy' })],
    })

    it('is given back as it was put, the last one of each session, and known by its fingerprint', async () => {
      const { accounts } = await open()
      const other = account('one', { source: 'hermes', from: 'log', last_at: null, project: null })
      value(await accounts.put([account('one'), other, account('two')]))
      value(await accounts.put([whole]))
      expect(value(await accounts.get({ source: 'codex', id: 'one' }))).toEqual(whole)
      expect(value(await accounts.get({ source: 'hermes', id: 'one' }))).toEqual(other)
      expect(value(await accounts.get({ source: 'hermes', id: 'two' }))).toBeNull()
      const known = value(await accounts.known('codex'))
      expect([...known]).toEqual([
        ['one', { id: 'one', fingerprint: '1', from: 'session' }],
        ['two', { id: 'two', fingerprint: '1', from: 'session' }],
      ])
      expect(value(await accounts.known('nobody')).size).toBe(0)
    })

    it('knows every account of a long history', async () => {
      const { accounts } = await open()
      const many = Array.from({ length: 2_500 }, (_, n) => account(`s${n}`, { fingerprint: `${n}` }))
      value(await accounts.put(many))
      const known = value(await accounts.known('codex'))
      expect(known.size).toBe(2_500)
      expect(known.get('s2499')?.fingerprint).toBe('2499')
    })

    it('comes with marks that are read like all others', async () => {
      const ledger = await open()
      value(await ledger.accounts.put([], { 'review: log': '7' }))
      value(await ledger.append([], { other: '1' }))
      value(await ledger.accounts.put([plain], { 'review: log': '9' }))
      expect(value(await ledger.marks(['review: log', 'other']))).toEqual({ 'review: log': '9', other: '1' })
    })

    it('lists agents, the newest first, those at work only when all are asked for', async () => {
      const { accounts } = await open()
      const late = account('late', { project: 'shop' })
      const rows = [
        agentOf(late, { agent_id: 'b', last_at: NOON + 2, outcome: 'partial', model: 'sonnet' }),
        agentOf(late, { agent_id: 'c', last_at: NOON + 5 * DAY, finished: false }),
        agentOf(late, { agent_id: 'd', last_at: null, subagent_type: 'builder' }),
      ]
      value(await accounts.put([whole, { ...late, agents: rows }]))
      const ids = async (query: object) => {
        const found = value(await accounts.agents({ ...PAGE, ...query }))
        expect(found.total).toBe(found.rows.length)
        return found.rows.map(({ agent_id }) => agent_id)
      }
      expect(await ids({})).toEqual(['b', 'a', 'main', 'd'])
      expect(await ids({ all: true })).toEqual(['c', 'b', 'a', 'main', 'd'])
      expect(await ids({ since: 0 })).toEqual(['b', 'a', 'main'])
      expect(await ids({ since: NOON + 1 })).toEqual(['b'])
      expect(await ids({ until: NOON + 2 })).toEqual(['a', 'main'])
      expect(await ids({ since: NOON, until: NOON })).toEqual([])
      expect(await ids({ type: 'builder' })).toEqual(['a', 'd'])
      expect(await ids({ type: 'main' })).toEqual(['main'])
      expect(await ids({ type: '–' })).toEqual(['b'])
      expect(await ids({ model: 'sonnet' })).toEqual(['b'])
      expect(await ids({ outcome: 'none' })).toEqual(['main', 'd'])
      expect(await ids({ outcome: 'functional' })).toEqual(['a'])
      expect(await ids({ flagged: true })).toEqual(['a'])
      expect(await ids({ flagged: false, project: 'notes' })).toEqual(['main'])
      expect(await ids({ project: 'shop', source: 'codex' })).toEqual(['b', 'd'])
      expect(await ids({ source: 'hermes' })).toEqual([])
      expect(await ids({ session: 'late' })).toEqual(['b', 'd'])
      expect(await ids({ session: 'late', since: 0 })).toEqual(['b'])
      expect(await ids({ session: 'nobody' })).toEqual([])
      expect(await ids({ agent: 'd' })).toEqual(['d'])
      expect(await ids({ agent: 'main', session: 'one' })).toEqual(['main'])
      expect(await ids({ agent: 'd', session: 'one' })).toEqual([])
    })

    it('gives pages of a list that together are the list, each with the whole number', async () => {
      const { accounts } = await open()
      const at = (n: number) => (n % 9 === 0 ? null : NOON - (n % 5) * 7 * DAY - n)
      const agents = Array.from({ length: 100 }, (_, n) =>
        agentOf(plain, { agent_id: `a${n}`, last_at: at(n) }),
      )
      value(await accounts.put([{ ...plain, agents }]))
      const everyone = value(await accounts.agents({ limit: 1_000 })).rows
      expect(everyone).toHaveLength(100)
      for (const span of [{}, { since: NOON - 15 * DAY, until: NOON - 20 }]) {
        const all = value(await accounts.agents({ limit: 1_000, ...span }))
        const pages: AgentAccount[] = []
        for (let offset = 0; offset < all.total + 7; offset += 7) {
          const page = value(await accounts.agents({ limit: 7, offset, ...span }))
          expect(page.total).toBe(all.total)
          pages.push(...page.rows)
        }
        expect(pages).toEqual(all.rows)
        const times = all.rows.map(({ last_at }) => last_at ?? -1)
        expect(times).toEqual(times.toSorted((a, b) => b - a))
      }
    })

    it('collects follow-ups and what is flagged, of agents that are through', async () => {
      const { accounts } = await open()
      const working = agentOf(plain, { ...flagged, agent_id: 'w', finished: false })
      value(await accounts.put([{ ...whole, agents: [...whole.agents, working] }]))
      const followUps = value(await accounts.followUps(PAGE))
      const { source, session_id, project } = plain
      const about = {
        source,
        session_id,
        project,
        agent_id: 'a',
        subagent_type: 'builder',
        ts: NOON,
        evidence,
      }
      expect(followUps).toEqual({
        total: 2,
        rows: [
          { ...about, text: 'tell the others' },
          { ...about, text: 'write the test' },
        ],
      })
      const found = value(await accounts.flagged(PAGE))
      expect(found).toMatchObject({ total: 1, rows: [{ agent_id: 'a', flags: flagged.flags }] })
      expect(found.rows[0]).not.toHaveProperty('tool_stats')
      expect(value(await accounts.flagged({ ...PAGE, since: NOON + 1 }))).toEqual({ total: 0, rows: [] })
    })

    it('finds claims by tier, check, model and whether they were measured', async () => {
      const { accounts } = await open()
      const estimate = { quantity: 'duration', said: 1, took: null, evidence: null } as const
      const failed = { verdict: 'fails', says: 'It says 11.', evidence: null } as const
      const holding = { ...failed, verdict: 'holds' } as const
      const claims = [
        claimOf(plain, 0, { check: failed }),
        claimOf(plain, 1, { ts: NOON + 1, evidence_tier: 'ESTIMATE-HTC', estimate }),
        claimOf(plain, 2, {
          ts: NOON + 2,
          evidence_tier: 'ESTIMATE-HTC',
          estimate: { ...estimate, took: 3 },
          check: failed,
        }),
        claimOf(plain, 3, { ts: NOON + 2, model: null, evidence_tier: 'FROM-JOURNAL', check: holding }),
      ]
      value(await accounts.put([{ ...plain, claims }]))
      const places = async (query: object) =>
        value(await accounts.claims({ ...PAGE, ...query })).rows.map(({ place }) => place)
      expect(await places({})).toEqual([3, 2, 1, 0])
      expect(await places({ tier: 'ESTIMATE-HTC' })).toEqual([2, 1])
      expect(await places({ check: 'fails' })).toEqual([2, 0])
      expect(await places({ model: '–' })).toEqual([3])
      expect(await places({ measured: true })).toEqual([2])
      expect(await places({ measured: false })).toEqual([1])
      expect(await places({ measured: true, tier: 'REAL' })).toEqual([])
      expect(value(await accounts.claims({ limit: 1, offset: 1 }))).toEqual({ total: 4, rows: [claims[2]] })
      expect(value(await accounts.totals({}))).toMatchObject({
        claims: 4,
        claims_checked: 2,
        claims_failed: 1,
      })
    })

    it('adds up the uses of each skill in a span, and knows those of before', async () => {
      const { accounts } = await open()
      const skills = [
        useOf(plain, '1', { duration_ms: 100 }),
        useOf(plain, '2', { ts: NOON + 1, duration_ms: 100, success: false, reason: 'a test failed' }),
        useOf(plain, '3', { ts: NOON + 2, duration_ms: 10_000, success: null }),
        useOf(plain, '4', { ts: NOON - 40 * DAY, skill: 'old', duration_ms: null }),
      ]
      value(await accounts.put([{ ...plain, skills }]))
      const none = { uses: 0, judged: 0, successes: 0, p50_ms: null, p95_ms: null }
      const old = { skill: 'old', all_uses: 1, last_used: NOON - 40 * DAY }
      const tidy = { skill: 'tidy', uses: 3, judged: 2, successes: 1, all_uses: 3, last_used: NOON + 2 }
      const [found, unused] = value(await accounts.skills({ since: NOON - 30 * DAY }))
      expect(found).toMatchObject(tidy)
      expect(found).toMatchObject({ p50_ms: 100, p95_ms: 10_000 })
      expect(unused).toEqual({ ...none, ...old })
      expect(value(await accounts.skills({}))).toMatchObject([
        tidy,
        { ...old, uses: 1, judged: 1, successes: 1 },
      ])
      expect(value(await accounts.skills({ project: 'shop' }))).toEqual([])
      expect(value(await accounts.skills({ until: NOON }))).toMatchObject([
        { skill: 'old', uses: 1 },
        { skill: 'tidy', uses: 0, last_used: NOON + 2 },
      ])
      expect(value(await accounts.skillUses({ ...PAGE, skill: 'tidy', success: false })).rows).toEqual([
        skills[1],
      ])
      value(await accounts.put([{ ...plain, skills: skills.slice(0, 1) }]))
      expect(value(await accounts.skills({}))).toMatchObject([{ skill: 'tidy', last_used: NOON }])
    })

    it('adds up costs by whatever they are asked by, a session once in each row', async () => {
      const { accounts } = await open()
      const agents = [agentOf(plain), agentOf(plain, flagged)]
      const cells = [
        cell('2026-09-13'),
        cell('2026-09-14', { model: 'sonnet', cost_micro_usd: 50, skill: 'tidy' }),
        cell('2026-09-15', { agent_id: 'a', cost_unknown: 2, cost_micro_usd: 0 }),
        cell('2026-09-15', { agent_id: 'gone', model: null, cost_micro_usd: 10 }),
      ]
      const second = account('two', {
        source: 'hermes',
        project: null,
        cells: [cell('2026-09-15', { cost_micro_usd: 30 })],
      })
      value(await accounts.put([{ ...plain, agents, cells }, second]))
      const rows = async (query: object) =>
        value(await accounts.costs({ by: 'day', ...query })).map(
          ({ name, model, sessions, cost_micro_usd }) =>
            [name, ...(model === null ? [] : [model]), sessions, cost_micro_usd].join(' '),
        )
      expect(await rows({})).toEqual(['2026-09-13 1 100', '2026-09-14 1 50', '2026-09-15 2 40'])
      expect(await rows({ limit: 1 })).toEqual(['2026-09-15 2 40'])
      expect(await rows({ limit: 2, splitByModel: true, source: 'codex' })).toEqual([
        '2026-09-14 sonnet 1 50',
        '2026-09-15 – 1 10',
        '2026-09-15 opus 1 0',
      ])
      expect(await rows({ limit: 1, until: new Date(2026, 8, 14, 1).getTime() })).toEqual(['2026-09-14 1 50'])
      expect(await rows({ limit: 9, model: 'nobody' })).toEqual([])
      expect(await rows({ splitByModel: true, since: new Date(2026, 8, 15).getTime() })).toEqual([
        '2026-09-15 opus 2 30',
        '2026-09-15 – 1 10',
      ])
      expect(await rows({ by: 'model' })).toEqual(['opus 2 130', 'sonnet 1 50', '– 1 10'])
      expect(await rows({ by: 'source' })).toEqual(['codex 1 160', 'hermes 1 30'])
      expect(await rows({ by: 'source', project: '–' })).toEqual(['hermes 1 30'])
      expect(await rows({ by: 'source', source: 'codex' })).toEqual(['codex 1 160'])
      expect(await rows({ by: 'project' })).toEqual(['notes 1 160', '– 1 30'])
      expect(await rows({ by: 'agent' })).toEqual(['main 2 180', '– 1 10', 'builder 1 0'])
      expect(await rows({ by: 'skill' })).toEqual(['– 2 140', 'tidy 1 50'])
      expect(await rows({ by: 'session' })).toEqual(['codex/one 1 160', 'hermes/two 1 30'])
      expect(await rows({ by: 'session', limit: 1, splitByModel: true })).toEqual([
        'codex/one opus 1 100',
        'codex/one sonnet 1 50',
        'codex/one – 1 10',
      ])
      expect(await rows({ by: 'session', model: 'sonnet' })).toEqual(['codex/one 1 50'])
      expect(await rows({ by: 'agent', session: 'one' })).toEqual(['main 1 150', '– 1 10', 'builder 1 0'])
      expect(await rows({ by: 'model', session: 'two', source: 'codex' })).toEqual([])
      // A day that begins before the span is not in it.
      const span = { since: new Date(2026, 8, 13, 1).getTime(), until: new Date(2026, 8, 15, 1).getTime() }
      expect(await rows({ ...span })).toEqual(['2026-09-14 1 50', '2026-09-15 2 40'])
      expect(await rows({ ...span, by: 'source' })).toEqual(['codex 1 60', 'hermes 1 30'])
      expect(await rows({ ...span, by: 'session' })).toEqual(['codex/one 1 60', 'hermes/two 1 30'])
      expect(await rows({ by: 'day', model: 'nobody' })).toEqual([])
      expect(value(await accounts.totals(span))).toMatchObject({
        sessions: 2,
        sessions_without_price: 1,
        cost_micro_usd: 90,
      })
      expect(value(await accounts.totals({ until: span.since }))).toMatchObject({
        sessions: 1,
        sessions_without_price: 0,
      })
    })

    it('counts how agents ended by their kind, and what all of it is together', async () => {
      const { accounts } = await open()
      const agents = [
        agentOf(plain),
        agentOf(plain, flagged),
        agentOf(plain, { agent_id: 'b', subagent_type: 'builder', outcome: 'fail' }),
        agentOf(plain, { agent_id: 'w', subagent_type: 'builder', outcome: 'partial', finished: false }),
      ]
      value(await accounts.put([{ ...whole, agents }, account('empty', { last_at: null })]))
      const none = { functional: 0, partial: 0, scaffolding: 0, fail: 0, none: 0, flagged: 0 }
      const kinds = [
        { ...none, type: 'builder', agents: 2, functional: 1, fail: 1, flagged: 1 },
        { ...none, type: 'main', agents: 1, none: 1 },
      ]
      expect(value(await accounts.outcomes({}))).toEqual(kinds)
      expect(value(await accounts.outcomes({ session: 'one', since: NOON }))).toEqual(kinds)
      expect(value(await accounts.outcomes({ since: NOON + 1 }))).toEqual([])
      const totals = {
        sessions: 1,
        sessions_without_price: 0,
        cost_micro_usd: 200,
        cost_unknown: 0,
        saved_micro_usd: 14,
        agents: 3,
        marked: 2,
        functional: 1,
        claims: 2,
        claims_checked: 0,
        claims_failed: 0,
        followups: 2,
      }
      expect(value(await accounts.totals({}))).toEqual({ ...totals, sessions: 2 })
      expect(value(await accounts.totals({ since: 0 }))).toEqual(totals)
      expect(value(await accounts.totals({ session: 'one' }))).toEqual(totals)
      expect(value(await accounts.totals({ project: 'shop' }))).toMatchObject({ sessions: 0, agents: 0 })
    })

    it('keeps what was written into journals, the last word on each line', async () => {
      const { accounts } = await open()
      const line = { journal: 'agents', source: 'codex', session_id: 'one', line: 'a', mark: '1' } as const
      value(await accounts.journal([line, { ...line, line: 'b' }, { ...line, session_id: 'two' }]))
      value(
        await accounts.journal([
          { ...line, mark: '2' },
          { ...line, journal: 'claims' },
        ]),
      )
      expect(value(await accounts.journaled([{ source: 'codex', id: 'one' }]))).toEqual([
        { ...line, mark: '2' },
        { ...line, line: 'b' },
        { ...line, journal: 'claims' },
      ])
    })

    it('stays when the ledger is opened again or cut, is no part of the log, and goes into a backup', async () => {
      const opened = await bench.open()
      value(await opened.ledger.append([event(1)]))
      value(await opened.ledger.accounts.put([whole]))
      value(await opened.ledger.rebuild({ check: false }))
      value(await opened.ledger.retain({ before: Number.MAX_SAFE_INTEGER }))
      const again = await bench.reopen(opened)
      const file = bench.backupFile(again)
      value(await again.ledger.backup(file))
      for (const { accounts } of [again.ledger, await bench.restore(file)]) {
        expect(value(await accounts.get({ source: 'codex', id: 'one' }))).toEqual(whole)
        expect(value(await accounts.totals({}))).toMatchObject({ sessions: 1, agents: 2 })
      }
    })

    it('goes whole with a session that is forgotten, and does not come back', async () => {
      const { accounts, forgetting } = await open()
      const namesake = account('one', { source: 'hermes', cells: [cell('2026-09-15')] })
      const line = { journal: 'agents', source: 'codex', session_id: 'one', line: 'a', mark: '1' } as const
      value(await accounts.put([whole, namesake]))
      value(await accounts.journal([line, { ...line, line: 'b' }]))
      const one = { source: 'codex', id: 'one' }
      value(await forgetting.begin([one]))
      expect(value(await forgetting.remove([one]))).toContainEqual({
        from: 'ledger',
        what: 'accounts',
        count: 3,
      })
      value(await forgetting.end([one]))
      value(await accounts.put([whole]))
      value(await accounts.journal([line]))
      expect(value(await accounts.get(one))).toBeNull()
      expect(value(await accounts.journaled([one]))).toEqual([])
      expect(value(await accounts.totals({}))).toMatchObject({
        sessions: 1,
        agents: 0,
        claims: 0,
        cost_micro_usd: 100,
      })
      expect(value(await accounts.skills({}))).toEqual([])
      expect(value(await accounts.costs({ by: 'source' })).map(({ name }) => name)).toEqual(['hermes'])
    })
  })
}
