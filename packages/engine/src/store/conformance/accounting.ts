import type { AgentAccount } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { account, cell, createAgentAccount, createClaim, createSkillUse, HOUR, NOON } from './accounts-kit.ts'
import { event } from './event-kit.ts'
import { type StoreLab, useLab, value } from './lab.ts'

const DAY = 24 * HOUR
const PAGE = { limit: 100 }
const status = {
  shipped: 'functional',
  stubs: 0,
  checks: [],
  behaviour_verified: null,
  follow_ups: [],
} as const

export function describeAccounting(lab: StoreLab): void {
  describe('session accounts', () => {
    const bench = useLab(lab)
    const open = async () => (await bench.open()).store

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
      agents: [createAgentAccount(plain), createAgentAccount(plain, flagged)],
      claims: [createClaim(plain, 0), createClaim(plain, 1, { ts: NOON + 1 })],
      skills: [createSkillUse(plain, 't1')],
      cells: [cell('2026-09-14'), cell('2026-09-15', { agent_id: 'a', skill: 'tidy' })],
    })

    it('return the last account of each session as stored, identified by its fingerprint', async () => {
      const { accounts } = await open()
      const other = account('one', { source: 'hermes', from: 'log', last_at: null, project: null })
      value(await accounts.put([account('one'), other, account('two')]))
      value(await accounts.put([whole]))
      expect(value(await accounts.get({ source: 'codex', id: 'one' }))).toEqual(whole)
      expect(value(await accounts.get({ source: 'hermes', id: 'one' }))).toEqual(other)
      expect(value(await accounts.get({ source: 'hermes', id: 'two' }))).toBeNull()
      const fingerprints = value(await accounts.fingerprints('codex'))
      expect([...fingerprints]).toEqual([
        ['one', { id: 'one', fingerprint: '1', from: 'session' }],
        ['two', { id: 'two', fingerprint: '1', from: 'session' }],
      ])
      expect(value(await accounts.fingerprints('nobody')).size).toBe(0)
    })

    it('list every account of a long history', async () => {
      const { accounts } = await open()
      const many = Array.from({ length: 2_500 }, (_, n) => account(`s${n}`, { fingerprint: `${n}` }))
      value(await accounts.put(many))
      const fingerprints = value(await accounts.fingerprints('codex'))
      expect(fingerprints.size).toBe(2_500)
      expect(fingerprints.get('s2499')?.fingerprint).toBe('2499')
    })

    it('commit with marks that can be read like any other', async () => {
      const store = await open()
      value(await store.accounts.put([], { 'review: log': '7' }))
      value(await store.append([], { other: '1' }))
      value(await store.accounts.put([plain], { 'review: log': '9' }))
      expect(value(await store.marks(['review: log', 'other']))).toEqual({ 'review: log': '9', other: '1' })
    })

    it('list agents newest first, and working agents only on request', async () => {
      const { accounts } = await open()
      const late = account('late', { project: 'shop' })
      const rows = [
        createAgentAccount(late, { agent_id: 'b', last_at: NOON + 2, outcome: 'partial', model: 'sonnet' }),
        createAgentAccount(late, { agent_id: 'c', last_at: NOON + 5 * DAY, finished: false }),
        createAgentAccount(late, { agent_id: 'd', last_at: null, subagent_type: 'builder' }),
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

    it('split a list into pages that together are the list, each with the total', async () => {
      const { accounts } = await open()
      const at = (n: number) => (n % 9 === 0 ? null : NOON - (n % 5) * 7 * DAY - n)
      const agents = Array.from({ length: 100 }, (_, n) =>
        createAgentAccount(plain, { agent_id: `a${n}`, last_at: at(n) }),
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

    it('list follow-ups and flagged items of finished agents', async () => {
      const { accounts } = await open()
      const working = createAgentAccount(plain, { ...flagged, agent_id: 'w', finished: false })
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

    it('filter claims by tier, check, model and whether they were measured', async () => {
      const { accounts } = await open()
      const estimate = { quantity: 'duration', said: 1, took: null, evidence: null } as const
      const failed = { verdict: 'fails', says: 'It says 11.', evidence: null } as const
      const holding = { ...failed, verdict: 'holds' } as const
      const claims = [
        createClaim(plain, 0, { check: failed }),
        createClaim(plain, 1, { ts: NOON + 1, evidence_tier: 'ESTIMATE-HTC', estimate }),
        createClaim(plain, 2, {
          ts: NOON + 2,
          evidence_tier: 'ESTIMATE-HTC',
          estimate: { ...estimate, took: 3 },
          check: failed,
        }),
        createClaim(plain, 3, { ts: NOON + 2, model: null, evidence_tier: 'FROM-JOURNAL', check: holding }),
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

    it('sum up the uses of each skill in a span, and still list skills used before it', async () => {
      const { accounts } = await open()
      const skills = [
        createSkillUse(plain, '1', { duration_ms: 100 }),
        createSkillUse(plain, '2', {
          ts: NOON + 1,
          duration_ms: 100,
          success: false,
          reason: 'a test failed',
        }),
        createSkillUse(plain, '3', { ts: NOON + 2, duration_ms: 10_000, success: null }),
        createSkillUse(plain, '4', { ts: NOON - 40 * DAY, skill: 'old', duration_ms: null }),
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

    it('sum up costs by every grouping, with a session once per row', async () => {
      const { accounts } = await open()
      const agents = [createAgentAccount(plain), createAgentAccount(plain, flagged)]
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
      // A day that begins before the span is not part of it.
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

    it('count how agents ended by kind, and in total', async () => {
      const { accounts } = await open()
      const agents = [
        createAgentAccount(plain),
        createAgentAccount(plain, flagged),
        createAgentAccount(plain, { agent_id: 'b', subagent_type: 'builder', outcome: 'fail' }),
        createAgentAccount(plain, {
          agent_id: 'w',
          subagent_type: 'builder',
          outcome: 'partial',
          finished: false,
        }),
      ]
      value(await accounts.put([{ ...whole, agents }, account('empty', { last_at: null })]))
      const ended = { functional: 0, partial: 0, scaffolding: 0, fail: 0, stopped: 0, lost: 0 }
      const none = { ...ended, none: 0, flagged: 0 }
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
        outside_micro_usd: 0,
        outside_unknown: 1,
      }
      expect(value(await accounts.totals({}))).toEqual({ ...totals, sessions: 2, outside_unknown: 2 })
      expect(value(await accounts.totals({ since: 0 }))).toEqual(totals)
      expect(value(await accounts.totals({ session: 'one' }))).toEqual(totals)
      expect(value(await accounts.totals({ project: 'shop' }))).toMatchObject({ sessions: 0, agents: 0 })
    })

    it('report zero outside spending, rather than unknown, for a session whose last day is after the span', async () => {
      const { accounts } = await open()
      const outside = { cost_micro_usd: 70, models: [{ model: 'opus', cost_micro_usd: 70 }] }
      const cells = [cell('2026-09-14', { cost_micro_usd: 20 }), cell('2026-09-15', { cost_micro_usd: 30 })]
      value(await accounts.put([account('reports', { cells, outside }), account('silent', { cells })]))
      const rows = async (query: object) =>
        value(await accounts.costs({ by: 'session', ...query }))
          .map((row) => ({
            name: row.name,
            outside: row.outside_micro_usd,
            unknown: row.outside_unknown,
          }))
          .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      const silent = { name: 'codex/silent', outside: 0, unknown: 1 }
      expect(await rows({})).toEqual([{ name: 'codex/reports', outside: 70, unknown: 0 }, silent])
      const until = new Date(2026, 8, 15).getTime()
      expect(await rows({ until })).toEqual([{ name: 'codex/reports', outside: 0, unknown: 0 }, silent])
      expect(await rows({ since: until })).toEqual([
        { name: 'codex/reports', outside: 70, unknown: 0 },
        silent,
      ])
    })

    it('count stopped and lost agents separately from those that left a marker', async () => {
      const { accounts } = await open()
      const agents = [
        createAgentAccount(plain, { agent_id: 'a', subagent_type: 'builder', outcome: 'stopped' }),
        createAgentAccount(plain, { agent_id: 'b', subagent_type: 'builder', outcome: 'lost' }),
        createAgentAccount(plain, { agent_id: 'c', subagent_type: 'builder', outcome: 'functional' }),
      ]
      value(await accounts.put([{ ...whole, agents }]))
      expect(value(await accounts.outcomes({}))).toMatchObject([
        { type: 'builder', agents: 3, functional: 1, stopped: 1, lost: 1, none: 0 },
      ])
      expect(value(await accounts.totals({}))).toMatchObject({ agents: 3, marked: 1, functional: 1 })
    })

    it('store journal lines, with the last write of each line winning', async () => {
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

    it('survive reopening and retention, are not part of the log, and are in backups', async () => {
      const opened = await bench.open()
      value(await opened.store.append([event(1)]))
      value(await opened.store.accounts.put([whole]))
      value(await opened.store.rebuild({ check: false }))
      value(await opened.store.retain({ before: Number.MAX_SAFE_INTEGER }))
      const again = await bench.reopen(opened)
      const file = bench.backupFile(again)
      value(await again.store.backup(file))
      for (const { accounts } of [again.store, await bench.restore(file)]) {
        expect(value(await accounts.get({ source: 'codex', id: 'one' }))).toEqual(whole)
        expect(value(await accounts.totals({}))).toMatchObject({ sessions: 1, agents: 2 })
      }
    })

    it('are removed completely with a forgotten session and do not come back', async () => {
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
