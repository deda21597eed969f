import { DatabaseSync } from 'node:sqlite'
import type { Account } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type Book,
  checkChanges,
  checkLarge,
  checkSums,
  checkTimes,
  SUM_TABLES,
} from '../../accounts/sums.test-kit.ts'
import { account, agentOf, cell, claimOf, useOf } from '../../conformance/accounts-kit.ts'
import { ForgottenSessions } from '../../forgotten-sessions.ts'
import type { Threaded } from '../beside-log.ts'
import { migrations } from '../migrations.ts'
import { Statements } from '../statements.ts'
import { accountReads, accountWrites, dropNames, forgetAccount } from './index.ts'
import { writeAccounts } from './store.ts'
import { accountsOf } from './threaded.ts'

const open: DatabaseSync[] = []
afterEach(() => {
  for (const db of open.splice(0)) db.close()
})

function inMemory(): DatabaseSync {
  for (const before of open.splice(0)) before.close()
  const db = new DatabaseSync(':memory:')
  open.push(db)
  db.exec(migrations.find((each) => each.includes('CREATE TABLE accounts')) ?? '')
  return db
}

/** What threads do, at once. */
async function book(): Promise<Book> {
  const db = inMemory()
  const handlers = { ...accountReads(() => db), ...accountWrites(() => db) }
  const call = (method: keyof typeof handlers, args: readonly unknown[]) => {
    const handle = handlers[method] as (job: unknown, ...args: readonly unknown[]) => unknown
    return Promise.resolve(success(handle({ part: () => undefined }, ...args)))
  }
  const threaded = { ask: call, order: call } as unknown as Threaded
  const nobody = new ForgottenSessions({ key: new Uint8Array(32), hashes: [] })
  return {
    accounts: accountsOf(threaded, nobody, () => undefined),
    remove: async ({ source, session_id: id }) => forgetAccount(db, { source, id }),
    counts: async () => {
      dropNames(db)
      return Object.fromEntries(
        SUM_TABLES.map((name) => [
          name,
          Number(db.prepare(`SELECT count(*) AS n FROM account_${name}`).get()?.n),
        ]),
      )
    },
  }
}

describe('what accounts add up to', () => {
  it('is what the last accounts of each session are, in whatever order and how often they came', () =>
    checkSums(book, 80))

  it('is the same as if only the last accounts had ever come, and nothing once all are gone', () =>
    checkChanges(book, 25))

  it('holds numbers that are too large to be added up exactly', async () => checkLarge(await book()))

  it('tells how long skills took to the millisecond, and to within a tenth where there are very many uses', async () =>
    checkTimes(await book()))

  it('takes a moment only for a session of ten thousand rows, and next to nothing where little of it changed', () => {
    const statements = new Statements(inMemory())
    const put = (one: Account) => writeAccounts(statements, (writes) => writes.put(one))
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
    const first = took(() => put(long))
    const again = took(() => put({ ...long, claims: [...long.claims, claimOf(of, 2_500)] }))
    expect(first).toBeLessThan(2_000)
    expect(again).toBeLessThan(1_000)
  })
})
