import { randomUUID } from 'node:crypto'
import type { Account, CostGroup } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { usePostgres } from '../../../../e2e/setup/shared-servers.ts'
import { anyAccount } from './accounts/any-account.test-kit.ts'
import {
  type Book,
  checkChanges,
  checkLarge,
  checkSums,
  checkTimes,
  expectFromScratch,
  SUM_TABLES,
} from './accounts/sums.test-kit.ts'
import type { Accounts } from './accounts-port.ts'
import {
  account,
  cell,
  createAgentAccount,
  createClaim,
  createSkillUse,
  NOON,
} from './conformance/accounts-kit.ts'
import { value } from './conformance/lab.ts'
import { ForgottenSessions } from './forgotten-sessions.ts'
import { createAccounts, forgetAccount } from './postgres/accounts/index.ts'
import { type Database, openDatabase } from './postgres/database.ts'
import { beginForgetting, forgottenIn } from './postgres/forget.ts'
import { migrate } from './postgres/migrations.ts'

const schema = `test_${randomUUID().replaceAll('-', '')}`
const url = usePostgres()
const [database, another] = [0, 1].map(() => openDatabase(url, schema)) as [Database, Database]

beforeAll(() => migrate(database))
afterAll(async () => {
  await database.run(`DROP SCHEMA ${schema} CASCADE`)
  for (const each of [database, another]) await each.close()
})

const accountsIn = async (of: Database): Promise<Accounts> =>
  createAccounts(of, new ForgottenSessions(await forgottenIn(of)), async (work) => success(await work()))

const remove = ({ source, session_id: id }: Account) =>
  database.transaction((connection) => forgetAccount(connection, { source, id }))

/** Empties and returns the same tables. */
async function book(): Promise<Book> {
  await database.run(
    `TRUNCATE accounts, account_agents, account_claims, account_followups, account_uses, account_journal, forgotten, forgetting,
       ${SUM_TABLES.map((name) => `account_${name}`).join(', ')}`,
  )
  return {
    accounts: await accountsIn(database),
    remove,
    counts: async () => {
      // Accounts that do not exist are removed as well, and with them the unused names.
      await remove(account('nobody'))
      const counts: [string, number][] = []
      for (const name of SUM_TABLES) {
        const row = await database.row(`SELECT count(*) AS n FROM account_${name}`)
        counts.push([name, Number(row?.n)])
      }
      return Object.fromEntries(counts)
    },
  }
}

const GROUPS: readonly CostGroup[] = ['day', 'source', 'project', 'model', 'agent', 'skill', 'session']

describe('account sums in PostgreSQL', () => {
  it('equal the last account of each session, in whatever order and however often accounts arrive', () =>
    checkSums(book, 15))

  it('are the same as if only the last accounts had ever arrived, and empty once all are gone', () =>
    checkChanges(book, 6))

  it('hold numbers that are too large to add exactly', async () => checkLarge(await book()))

  it('report skill durations to the millisecond, and within a tenth for very many uses', async () =>
    checkTimes(await book()))

  it('are right when several processes write the same sessions and others forget some', async () => {
    const { counts } = await book()
    const writers = await Promise.all([database, another, database, another].map(accountsIn))
    const stories = fc.sample(fc.array(anyAccount, { minLength: 1, maxLength: 4 }), { numRuns: 60, seed: 7 })
    await Promise.all(
      writers.map(async (accounts, n) => {
        for (const [at, batch] of stories.entries()) {
          if (at % writers.length !== n) continue
          value(await accounts.put(batch, { [`mark ${at % 3}`]: String(at), [`mark ${n}`]: String(at) }))
          const first = batch[0]
          if (at % 10 === 0 && first !== undefined) await remove(first)
        }
      }),
    )
    const [accounts] = writers as [Accounts]
    const left: Account[] = []
    for (const source of ['codex', 'hermes'])
      for (const id of ['one', 'two', 'three']) {
        const one = value(await accounts.get({ source, id }))
        if (one !== null) left.push(one)
      }
    expect(left.length).toBeGreaterThan(0)
    for (const by of GROUPS)
      for (const filter of [{}, { source: 'codex' }, { since: NOON - 3_600_000 }])
        await expectFromScratch(accounts, left, filter, { by, splitByModel: by === 'day' })
    const counted = await counts()
    const fresh = await book()
    value(await fresh.accounts.put(left))
    expect(counted).toEqual(await fresh.counts())
  })

  it('contain no account of a session that another process began to forget', async () => {
    const { accounts: late } = await book()
    await beginForgetting(another, [{ source: 'codex', id: 'one' }])
    const line = { journal: 'agents', source: 'codex', session_id: 'one', line: 'a', mark: '1' } as const
    value(await late.put([account('one', { cells: [cell('2026-09-15')] }), account('two')]))
    value(await late.journal([line, { ...line, session_id: 'two' }]))
    expect([...value(await late.fingerprints('codex')).keys()]).toEqual(['two'])
    expect(value(await late.journaled(['one', 'two'].map((id) => ({ source: 'codex', id }))))).toHaveLength(1)
    expect(value(await late.totals({}))).toMatchObject({ sessions: 1, cost_micro_usd: 0 })
  })

  it('accept names and texts of any length and with any characters', async () => {
    const { accounts } = await book()
    const odd = Array.from({ length: 9_000 }, (_, n) =>
      String.fromCodePoint(0x4e00 + ((n * 7_919) % 20_000)),
    ).join('')
    const one = account(odd, { project: odd, title: 'a\0b' })
    const whole = {
      ...one,
      agents: [createAgentAccount(one, { agent_id: odd, subagent_type: odd, description: '\0\ud800' })],
      claims: [createClaim(one, 0, { value: 'nothing \0 here' })],
      skills: [createSkillUse(one, 't', { skill: odd })],
      cells: [cell('2026-09-15', { agent_id: odd, skill: 'a\0b' })],
    }
    const line = { journal: 'claims', source: 'codex', session_id: odd, line: odd, mark: '1' } as const
    for (const time of ['first', 'again']) value(await accounts.put([{ ...whole, fingerprint: time }]))
    value(await accounts.journal([line, line]))
    expect(value(await accounts.get({ source: 'codex', id: odd }))).toEqual({
      ...whole,
      fingerprint: 'again',
    })
    expect(value(await accounts.agents({ limit: 9, session: odd.slice(0, 3), agent: odd })).total).toBe(1)
    expect(value(await accounts.skillUses({ limit: 9, skill: odd, project: odd })).total).toBe(1)
    expect(value(await accounts.skills({ session: odd }))).toMatchObject([{ skill: odd, uses: 1 }])
    expect(value(await accounts.journaled([{ source: 'codex', id: odd }]))).toEqual([line])
  })

  it('store all accounts with their marks, or none', async () => {
    const { accounts } = await book()
    const broken = { ...account('three'), skills: [createSkillUse(account('three'), 't', { ts: 1.5 })] }
    await expect(accounts.put([account('one'), broken], { put: '1' })).rejects.toThrow()
    expect(value(await accounts.fingerprints('codex')).size).toBe(0)
    expect(await database.rows(`SELECT value FROM marks WHERE name = 'put'`)).toEqual([])
  })
})
