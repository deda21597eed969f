import type { Account, CostGroup, CostRow } from '@panoptes/schema'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { AccountFilter, Accounts } from '../accounts-port.ts'
import { account, cell, createSkillUse } from '../conformance/accounts-kit.ts'
import { value } from '../conformance/lab.ts'
import { aModel, anyAccount, anyMoment, aProject, aSource } from './any-account.test-kit.ts'
import { agentsIn, claimsIn, costsFromScratch, totalsFromScratch, usesIn } from './reference-sums.test-kit.ts'

/** Provides only the accounts of a store. */
export interface Book {
  readonly accounts: Accounts
  readonly remove: (account: Account) => Promise<unknown>
  /** Counts the rows of each table of sums and names, without unused ones. */
  readonly counts: () => Promise<Readonly<Record<string, number>>>
}

export const SUM_TABLES = [
  'agents_sums',
  'claims_sums',
  'followups_sums',
  'uses_sums',
  'skills',
  'cost_sums',
  'costs',
  'names',
] as const

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

/**
 * Checks that the sums equal those of each session's last account, in whatever order and however often
 * accounts arrived.
 */
export const checkSums = (open: () => Promise<Book>, runs: number): Promise<void> =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(anyAccount, { maxLength: 4 }), { minLength: 1, maxLength: 6 }),
      fc.array(anyFilter, { minLength: 3, maxLength: 3 }),
      anyGroup,
      fc.boolean(),
      aModel,
      async (batches, filters, by, splitByModel, model) => {
        const { accounts } = await open()
        for (const batch of batches) value(await accounts.put(batch))
        const all = lastOfEach(batches.flat())
        for (const filter of [{}, ...filters])
          await expectFromScratch(accounts, all, filter, { by, splitByModel, model: model ?? undefined })
      },
    ),
    { numRuns: runs },
  )

/** Checks every answer against one that is computed from all of these accounts. */
export async function expectFromScratch(
  accounts: Accounts,
  all: readonly Account[],
  filter: AccountFilter,
  costs: { readonly by: CostGroup; readonly splitByModel: boolean; readonly model?: string | undefined },
): Promise<void> {
  const query = { ...filter, ...costs }
  const shown = value(await accounts.costs(query)).map((row: CostRow) => ({
    name: row.name,
    model: row.model,
    sessions: row.sessions,
    cost_micro_usd: row.cost_micro_usd,
    cost_unknown: row.cost_unknown,
    tokens_in: row.tokens_in,
    replies: row.replies,
    ...('outside_micro_usd' in row && {
      outside_micro_usd: row.outside_micro_usd,
      outside_unknown: row.outside_unknown,
    }),
  }))
  expect(byName(shown)).toEqual(byName(costsFromScratch(all, query)))
  expect(value(await accounts.totals(filter))).toEqual(totalsFromScratch(all, filter))
  const agents = agentsIn(all, filter)
  const outcomes = value(await accounts.outcomes(filter))
  expect(outcomes.reduce((sum, row) => sum + row.agents, 0)).toBe(agents.length)
  const uses = usesIn(all, filter)
  await expectSkills(accounts, all, filter)
  const page = { ...filter, limit: 2, offset: 1 }
  const listed = [
    [value(await accounts.agents(page)), agents.map(({ last_at }) => last_at ?? -1)],
    [value(await accounts.claims(page)), claimsIn(all, filter).map(({ ts }) => ts)],
    [value(await accounts.skillUses(page)), uses.map(({ ts }) => ts)],
  ] as const
  for (const [{ total, rows }, times] of listed) {
    expect(total).toBe(times.length)
    const newest = times.toSorted((a, b) => b - a).slice(1, 3)
    expect(rows.map((row) => ('ts' in row ? row.ts : (row.last_at ?? -1)))).toEqual(newest)
  }
}

async function expectSkills(
  accounts: Accounts,
  all: readonly Account[],
  filter: AccountFilter,
): Promise<void> {
  const uses = usesIn(all, filter)
  const ever = usesIn(all, { ...filter, since: undefined, until: undefined })
  const skills = value(await accounts.skills(filter))
  expect(skills.reduce((sum, row) => sum + row.uses, 0)).toBe(uses.length)
  for (const { skill, all_uses, last_used, p50_ms, p95_ms } of skills) {
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
}

/**
 * Checks that the tables are the same as if only the last accounts had ever arrived, and empty once all
 * accounts are gone.
 */
export const checkChanges = (open: () => Promise<Book>, runs: number): Promise<void> =>
  fc.assert(
    fc.asyncProperty(fc.array(anyAccount, { minLength: 1, maxLength: 12 }), async (accounts) => {
      const fresh = await open()
      value(await fresh.accounts.put(lastOfEach(accounts)))
      const counted = await fresh.counts()
      const changed = await open()
      for (const each of accounts) value(await changed.accounts.put([each, each]))
      expect(await changed.counts()).toEqual(counted)
      for (const each of accounts) await changed.remove(each)
      expect(await changed.counts()).toEqual(Object.fromEntries(SUM_TABLES.map((name) => [name, 0])))
    }),
    { numRuns: runs },
  )

/** Checks that sums hold numbers that are too large to add exactly. */
export async function checkLarge({ accounts }: Book): Promise<void> {
  const cells = Array.from({ length: 3 }, () => cell('2026-09-15', { tokens_in: Number.MAX_SAFE_INTEGER }))
  value(await accounts.put(Array.from({ length: 2_000 }, (_, n) => account(`s${n}`, { cells }))))
  const [row] = value(await accounts.costs({ by: 'source' }))
  expect(Number(row?.tokens_in) / (6_000 * Number.MAX_SAFE_INTEGER)).toBeCloseTo(1)
}

/**
 * Checks that durations of skills are exact to the millisecond, and within a tenth when there are very many
 * uses.
 */
export async function checkTimes({ accounts }: Book): Promise<void> {
  for (let n = 0; n < 11; n += 1) {
    const of = account(`s${n}`)
    const many = Array.from({ length: 1_000 }, (_, m) =>
      createSkillUse(of, `m${m}`, { skill: 'many', duration_ms: 3_000 }),
    )
    const few = createSkillUse(of, 'f', { skill: 'few', duration_ms: 5_000 + n })
    value(await accounts.put([{ ...of, skills: [...many, few] }]))
  }
  const [many, few] = value(await accounts.skills({}))
  expect(few).toMatchObject({ skill: 'few', uses: 11, p50_ms: 5_005, p95_ms: 5_010 })
  expect(Math.abs(Number(many?.p50_ms) / 3_000 - 1)).toBeLessThan(0.1)
  expect(value(await accounts.skills({ session: 's3' }))).toMatchObject([
    { skill: 'many', uses: 1_000 },
    { skill: 'few', p50_ms: 5_003, p95_ms: 5_003 },
  ])
}
