import { DatabaseSync } from 'node:sqlite'
import type { Account, CostGroup, CostRow } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { account, agentOf, cell, claimOf, useOf } from '../../conformance/accounts-kit.ts'
import { migrations } from '../migrations.ts'
import { Statements } from '../statements.ts'
import { aModel, anyAccount, anyMoment, aProject, aSource } from './any-account.test-kit.ts'
import { readCosts } from './cost-rows.ts'
import { costsOf } from './costs.ts'
import { dropNames } from './forget.ts'
import { agentsIn, claimsIn, costsFromScratch, totalsFromScratch, usesIn } from './from-scratch.test-kit.ts'
import { AccountWrites } from './put.ts'
import { agentRows, claimRows, useRows } from './rows.ts'
import { skillsOf } from './skills.ts'
import { outcomesOf, totalsOf } from './totals.ts'

const TABLES = [
  'agents_sums',
  'claims_sums',
  'followups_sums',
  'uses_sums',
  'skills',
  'cost_sums',
  'costs',
  'names',
]

/** A ledger's accounts alone, in memory. */
function book() {
  const db = new DatabaseSync(':memory:')
  db.exec(migrations.find((each) => each.includes('CREATE TABLE accounts')) ?? '')
  const statements = new Statements(db)
  const write = (work: (writes: AccountWrites) => void) => {
    const writes = new AccountWrites(statements)
    work(writes)
    writes.finish()
  }
  return {
    db,
    statements,
    put: (accounts: readonly Account[]) =>
      write((writes) => {
        for (const each of accounts) writes.put(each)
      }),
    remove: ({ source, session_id }: Account) => write((writes) => void writes.remove(source, session_id)),
  }
}

const rowsIn = (db: DatabaseSync) =>
  Object.fromEntries(
    TABLES.map((name) => [name, db.prepare(`SELECT count(*) AS n FROM account_${name}`).get()?.n]),
  )

const lastOfEach = (accounts: readonly Account[]): Account[] => [
  ...new Map(accounts.map((each) => [`${each.source}/${each.session_id}`, each])).values(),
]

const anyFilter = fc
  .record({
    since: fc.option(anyMoment, { nil: undefined }),
    until: fc.option(anyMoment, { nil: undefined }),
    source: fc.option(aSource, { nil: undefined }),
    project: fc.option(aProject, { nil: undefined }),
    session: fc.option(fc.constantFrom('one', 'nobody'), { nil: undefined, freq: 4 }),
  })
  .map((filter) => ({ ...filter, project: filter.project === null ? '–' : filter.project }))
const anyGroup = fc.constantFrom<CostGroup[]>(
  'day',
  'source',
  'project',
  'model',
  'agent',
  'skill',
  'session',
)

const byName = <R extends { readonly name: string; readonly model: string | null }>(rows: readonly R[]) =>
  rows.toSorted((a, b) => (`${a.name} ${a.model}` < `${b.name} ${b.model}` ? -1 : 1))

describe('what accounts add up to', () => {
  it('is what the last accounts of each session are, in whatever order and how often they came', () => {
    const story = fc.array(fc.array(anyAccount, { maxLength: 4 }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(
        story,
        fc.array(anyFilter, { minLength: 3, maxLength: 3 }),
        anyGroup,
        fc.boolean(),
        aModel,
        (batches, filters, by, splitByModel, model) => {
          const { db, statements, put } = book()
          for (const batch of batches) put(batch)
          const all = lastOfEach(batches.flat())
          for (const filter of [{}, ...filters]) {
            const query = { ...filter, by, splitByModel, model: model ?? undefined }
            const shown = readCosts(costsOf(statements, query), query).map((row: CostRow) => ({
              name: row.name,
              model: row.model,
              sessions: row.sessions,
              cost_micro_usd: row.cost_micro_usd,
              cost_unknown: row.cost_unknown,
              tokens_in: row.tokens_in,
              replies: row.replies,
            }))
            expect(byName(shown)).toEqual(byName(costsFromScratch(all, query)))
            expect(totalsOf(statements, filter)).toEqual(totalsFromScratch(all, filter))
            const agents = agentsIn(all, filter)
            expect(outcomesOf(statements, filter).reduce((sum, row) => sum + row.agents, 0)).toBe(
              agents.length,
            )
            const uses = usesIn(all, filter)
            expect(skillsOf(statements, filter).reduce((sum, row) => sum + row.uses, 0)).toBe(uses.length)
            const ever = usesIn(all, { ...filter, since: undefined, until: undefined })
            for (const { skill, all_uses, last_used, p50_ms, p95_ms } of skillsOf(statements, filter)) {
              const took = uses
                .filter((use) => use.skill === skill)
                .flatMap(({ duration_ms }) => duration_ms ?? [])
                .sort((a, b) => a - b)
              const rank = (share: number) => took[Math.ceil(share * took.length) - 1] ?? null
              expect([p50_ms, p95_ms]).toEqual([rank(0.5), rank(0.95)])
              const own = ever.filter((use) => use.skill === skill)
              expect({ all_uses, last_used }).toEqual({
                all_uses: own.length,
                last_used: Math.max(...own.map(({ ts }) => ts)),
              })
            }
            const page = { ...filter, limit: 2, offset: 1 }
            for (const [listed, times] of [
              [agentRows(statements, page), agents.map(({ last_at }) => last_at ?? -1)],
              [claimRows(statements, page), claimsIn(all, filter).map(({ ts }) => ts)],
              [useRows(statements, page), uses.map(({ ts }) => ts)],
            ] as const) {
              expect(listed.total).toBe(times.length)
              const newest = times.toSorted((a, b) => b - a).slice(1, 3)
              expect(listed.docs.map((doc) => JSON.parse(doc).ts ?? JSON.parse(doc).last_at ?? -1)).toEqual(
                newest,
              )
            }
          }
          db.close()
        },
      ),
      { numRuns: 80 },
    )
  })

  it('is the same as if only the last accounts had ever come, and nothing once all are gone', () => {
    fc.assert(
      fc.property(fc.array(anyAccount, { minLength: 1, maxLength: 12 }), (accounts) => {
        const [changed, fresh] = [book(), book()]
        for (const each of accounts) changed.put([each, each])
        fresh.put(lastOfEach(accounts))
        dropNames(changed.db)
        expect(rowsIn(changed.db)).toEqual(rowsIn(fresh.db))
        for (const each of accounts) changed.remove(each)
        dropNames(changed.db)
        expect(rowsIn(changed.db)).toEqual(Object.fromEntries(TABLES.map((name) => [name, 0])))
        for (const { db } of [changed, fresh]) db.close()
      }),
      { numRuns: 25 },
    )
  })

  it('holds numbers that are too large to be added up exactly', () => {
    const { statements, put } = book()
    const cells = Array.from({ length: 3 }, () => cell('2026-09-15', { tokens_in: Number.MAX_SAFE_INTEGER }))
    put(Array.from({ length: 2_000 }, (_, n) => account(`s${n}`, { cells })))
    const [row] = readCosts(costsOf(statements, { by: 'source' }), { by: 'source' })
    expect(Number(row?.tokens_in) / (6_000 * Number.MAX_SAFE_INTEGER)).toBeCloseTo(1)
  })

  it('tells how long skills took to the millisecond, and to within a tenth where there are very many uses', () => {
    const { statements, put } = book()
    for (let n = 0; n < 11; n += 1) {
      const of = account(`s${n}`)
      const many = Array.from({ length: 1_000 }, (_, m) =>
        useOf(of, `m${m}`, { skill: 'many', duration_ms: 3_000 }),
      )
      put([{ ...of, skills: [...many, useOf(of, 'f', { skill: 'few', duration_ms: 5_000 + n })] }])
    }
    const [many, few] = skillsOf(statements, {})
    expect(few).toMatchObject({ skill: 'few', uses: 11, p50_ms: 5_005, p95_ms: 5_010 })
    expect(Math.abs(Number(many?.p50_ms) / 3_000 - 1)).toBeLessThan(0.1)
    expect(skillsOf(statements, { session: 's3' })).toMatchObject([
      { skill: 'many', uses: 1_000 },
      { skill: 'few', p50_ms: 5_003, p95_ms: 5_003 },
    ])
  })

  it('takes a moment only for a session of ten thousand rows, and next to nothing where little of it changed', () => {
    const { put } = book()
    const of = account('long')
    const thousands = <T>(row: (n: number) => T) => Array.from({ length: 2_500 }, (_, n) => row(n))
    const long = {
      ...of,
      agents: thousands((n) => agentOf(of, { agent_id: `a${n}`, subagent_type: `type ${n % 20}` })),
      claims: thousands((n) => claimOf(of, n)),
      skills: thousands((n) => useOf(of, `t${n}`, { skill: `skill ${n % 50}` })),
      cells: thousands((n) =>
        cell(`2026-09-${10 + (n % 20)}`, { agent_id: `a${n}`, skill: `skill ${n % 50}` }),
      ),
    }
    const took = (work: () => void) => {
      const before = process.cpuUsage()
      work()
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1_000
    }
    const first = took(() => put([long]))
    const again = took(() => put([{ ...long, claims: [...long.claims, claimOf(of, 2_500)] }]))
    expect(first).toBeLessThan(2_000)
    expect(again).toBeLessThan(1_000)
  })
})
