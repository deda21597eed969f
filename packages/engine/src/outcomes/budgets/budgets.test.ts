import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EventStore, openSqliteStore } from '@panoptes/engine/store'
import type { Account, Budget, CostCell, Result, StoredEvent } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Budgets, createBudgets } from './budgets.ts'
import { budgetLevel, currentPeriod } from './state.ts'

const unwrap = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.message)
  return result.value
}
/** This day is a Wednesday, in the middle of a week and of a month. */
const NOON = new Date(2026, 8, 16, 12).getTime()
const USD = 1_000_000

let folder = ''
let store: EventStore
let now = NOON
const open = new Set<Budgets>()
beforeEach(async () => {
  now = NOON
  folder = await mkdtemp(join(tmpdir(), 'panoptes-budgets-'))
  store = unwrap(await openSqliteStore(join(folder, 'ledger.db')))
})
afterEach(async () => {
  for (const budgets of open) await budgets.stop()
  open.clear()
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

const budgetsWith = (limits: readonly Budget[], command: string | null = null): Budgets => {
  const made = createBudgets({
    accounts: store.accounts,
    append: (events) => store.append(events),
    rules: { limits: [...limits], warn_at: 0.8, command },
    now: () => now,
    host: 'here',
  })
  open.add(made)
  made.follow()
  return made
}
const cell = (day: string, usd: number, more: Partial<CostCell> = {}): CostCell => ({
  day,
  agent_id: 'main',
  model: 'opus',
  skill: null,
  replies: 1,
  tokens_in: 0,
  tokens_out: 0,
  cache_read: 0,
  cache_write: 0,
  cost_micro_usd: Math.round(usd * USD),
  usage_unknown: 0,
  cost_unknown: 0,
  saved_micro_usd: 0,
  ...more,
})
const spend = async (id: string, cells: readonly CostCell[], more: Partial<Account> = {}) =>
  unwrap(
    await store.accounts.put([
      {
        source: 'codex',
        session_id: id,
        fingerprint: JSON.stringify(cells),
        from: 'session',
        title: null,
        project: 'notes',
        last_at: now,
        agents: [],
        claims: [],
        skills: [],
        cells: [...cells],
        ...more,
      },
    ]),
  )
const told = async (): Promise<readonly StoredEvent[]> =>
  unwrap(await store.read({ after: 0, limit: 100 }, { kinds: ['budget'] })).rows.map(({ json }) =>
    JSON.parse(json),
  )
const levels = async () => (await told()).map(({ budget, level }) => [budget, level])
const look = async (budgets: Budgets) => {
  budgets.afterChange()
  await budgets.settled()
}

describe('budget', () => {
  it('is near from exactly 80 % and over at exactly 100 %', () => {
    const at = (micro: number) => budgetLevel(micro, 25 * USD, 0.8)
    expect([at(0), at(20 * USD - 1), at(20 * USD), at(25 * USD - 1), at(25 * USD), at(99 * USD)]).toEqual([
      'under',
      'under',
      'near',
      'near',
      'over',
      'over',
    ])
    expect(budgetLevel(0, 1, 0)).toBe('under')
    expect(budgetLevel(7, 10, 0.7)).toBe('near')
  })

  it("covers a day, a week from Monday or a month in this computer's time zone", () => {
    const first = (per: Budget['per'], at = NOON) => currentPeriod(per, at).first
    expect([first('day'), first('week'), first('month')]).toEqual(['2026-09-16', '2026-09-14', '2026-09-01'])
    const monday = new Date(2026, 8, 14).getTime()
    expect([first('week', monday), first('week', monday - 1)]).toEqual(['2026-09-14', '2026-09-07'])
    expect(first('day', new Date(2026, 8, 17).getTime() - 1)).toBe('2026-09-16')
    expect(currentPeriod('month', new Date(2026, 11, 31, 23, 59).getTime()).until).toBe(
      new Date(2027, 0, 1).getTime(),
    )
  })

  it('counts the spending of its period, project and agent, and unpriced replies', async () => {
    await spend('a', [
      cell('2026-09-16', 3),
      cell('2026-09-15', 4),
      cell('2026-09-13', 8),
      cell('2026-08-31', 16),
    ])
    await spend('b', [cell('2026-09-16', 1, { cost_unknown: 2, usage_unknown: 3 })], {
      project: 'shop',
      source: 'hermes',
    })
    const states = unwrap(
      await budgetsWith([
        { per: 'day', usd: 5 },
        { per: 'week', usd: 100 },
        { per: 'month', usd: 100 },
        { per: 'day', usd: 10, project: 'shop' },
        { per: 'week', usd: 7, source: 'codex', project: 'notes' },
      ]).states(),
    )
    expect(
      states.map(({ name, spent_micro_usd, cost_unknown, level }) => [
        name,
        spent_micro_usd / USD,
        cost_unknown,
        level,
      ]),
    ).toEqual([
      ['Today', 4, 5, 'near'],
      ['This week', 8, 5, 'under'],
      ['This month', 16, 5, 'under'],
      ['shop, day', 1, 5, 'under'],
      ['notes, codex, week', 7, 0, 'over'],
    ])
  })

  it("for a session reports today's most expensive session, including its earlier days", async () => {
    await spend('old', [cell('2026-09-10', 90)])
    await spend('long', [cell('2026-09-15', 5), cell('2026-09-16', 1)])
    await spend('short', [cell('2026-09-16', 2)])
    const [state] = unwrap(await budgetsWith([{ per: 'session', usd: 10 }]).states())
    expect(state).toMatchObject({ name: 'Any session', spent_micro_usd: 6 * USD, level: 'under' })
    expect(state?.evidence).toMatchObject({ source: 'codex', session_id: 'long' })
    const none = unwrap(await budgetsWith([{ per: 'session', usd: 10, project: 'nowhere' }]).states())
    expect(none).toMatchObject([{ spent_micro_usd: 0, evidence: null, level: 'under' }])
  })
})

describe('budget alerts', () => {
  it('fire once per level and period, also after a restart', async () => {
    const limits: readonly Budget[] = [{ per: 'day', usd: 10 }]
    const budgets = budgetsWith(limits)
    await spend('a', [cell('2026-09-16', 7.9)])
    await look(budgets)
    expect(await levels()).toEqual([])
    await spend('a', [cell('2026-09-16', 8)])
    await look(budgets)
    await look(budgets)
    expect(await levels()).toEqual([['Today', 'near']])
    await spend('a', [cell('2026-09-16', 9)])
    await look(budgetsWith(limits))
    expect(await levels()).toEqual([['Today', 'near']])
    await spend('b', [cell('2026-09-16', 1)])
    await look(budgetsWith(limits))
    expect(await levels()).toEqual([
      ['Today', 'near'],
      ['Today', 'over'],
    ])
    expect((await told())[1]).toMatchObject({
      source: 'panoptes',
      spent_usd: 10,
      limit_usd: 10,
      from_hook: true,
    })
    now = new Date(2026, 8, 17, 9).getTime()
    await spend('c', [cell('2026-09-17', 8)])
    await look(budgets)
    expect((await levels()).at(-1)).toEqual(['Today', 'near'])
    expect(await told()).toHaveLength(3)
  })

  it('fire once for each session over budget, without naming it', async () => {
    const budgets = budgetsWith([{ per: 'session', usd: 10 }])
    await spend('yesterday', [cell('2026-09-15', 50)])
    await spend('one-session', [cell('2026-09-15', 9), cell('2026-09-16', 2)])
    await spend('other-session', [cell('2026-09-16', 8.5)])
    await look(budgets)
    await look(budgets)
    expect((await levels()).sort()).toEqual([
      ['Any session', 'near'],
      ['Any session', 'over'],
    ])
    expect(JSON.stringify(await told())).not.toContain('one-session')
    await spend('other-session', [cell('2026-09-16', 10)])
    await look(budgets)
    expect(await told()).toHaveLength(3)
  })

  it('fire only while alerts are followed, not for a query', async () => {
    await spend('a', [cell('2026-09-16', 100)])
    const asking = createBudgets({
      accounts: store.accounts,
      append: (events) => store.append(events),
      rules: { limits: [{ per: 'day', usd: 10 }], warn_at: 0.8, command: null },
      now: () => now,
    })
    await look(asking)
    expect(unwrap(await asking.states())).toMatchObject([{ level: 'over' }])
    await asking.stop()
    expect(await told()).toEqual([])
  })

  it('show no agent at work', async () => {
    await spend('a', [cell('2026-09-16', 100)])
    await look(budgetsWith([{ per: 'day', usd: 10 }]))
    expect(unwrap(await store.agents({ limit: 10 })).value).toEqual([])
  })

  it('run the configured command once, with the details in its input', async () => {
    const file = join(folder, 'told')
    const command = `printf '%s|%s|%s|%s|' "$PANOPTES_BUDGET" "$PANOPTES_LEVEL" "$PANOPTES_SPENT" "$PANOPTES_LIMIT" >>'${file}'; cat >>'${file}'`
    const limits: readonly Budget[] = [{ per: 'week', usd: 10, project: "it's $(touch x)" }]
    await spend('a', [cell('2026-09-16', 12.5)], { project: "it's $(touch x)" })
    await look(budgetsWith(limits, command))
    await expect.poll(() => readFile(file, 'utf8').catch(() => '')).toContain('\n')
    const text = await readFile(file, 'utf8')
    expect(text).toMatch(/^it's \$\(touch x\), week\|over\|12\.50\|10\.00\|\{/)
    expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({ event: 'budget', level: 'over' })
    await look(budgetsWith(limits, command))
    for (const budgets of open) await budgets.stop()
    expect((await readFile(file, 'utf8')).match(/over\|/g)).toHaveLength(1)
  })
})
