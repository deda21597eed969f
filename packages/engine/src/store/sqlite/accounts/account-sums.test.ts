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
import {
  account,
  cell,
  createAgentAccount,
  createClaim,
  createSkillUse,
} from '../../conformance/accounts-kit.ts'
import { ForgottenSessions } from '../../forgotten-sessions.ts'
import { migrations } from '../migrations.ts'
import { Statements } from '../statements.ts'
import type { Threaded } from '../worker-client.ts'
import { accountReads, accountWrites, dropNames, forgetAccount } from './index.ts'
import { writeAccounts } from './store.ts'
import { createAccounts } from './worker-client.ts'

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

/** Runs without threads what the store runs on its threads. */
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
    accounts: createAccounts(threaded, nobody, () => undefined),
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

describe('account sums', () => {
  it('equal the last account of each session, in whatever order and however often accounts arrive', () =>
    checkSums(book, 80))

  it('are the same as if only the last accounts had ever arrived, and empty once all are gone', () =>
    checkChanges(book, 25))

  it('hold numbers that are too large to add exactly', async () => checkLarge(await book()))

  it('report skill durations to the millisecond, and within a tenth for very many uses', async () =>
    checkTimes(await book()))

  it('take a moment for a session of ten thousand rows, and almost no time when little of it changed', () => {
    const statements = new Statements(inMemory())
    const put = (one: Account) => writeAccounts(statements, (writes) => writes.put(one))
    const of = account('long')
    const thousands = <T>(row: (n: number) => T) => Array.from({ length: 2_500 }, (_, n) => row(n))
    const long = {
      ...of,
      agents: thousands((n) =>
        createAgentAccount(of, { agent_id: `a${n}`, subagent_type: `type ${n % 20}` }),
      ),
      claims: thousands((n) => createClaim(of, n)),
      skills: thousands((n) => createSkillUse(of, `t${n}`, { skill: `skill ${n % 50}` })),
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
    const again = took(() => put({ ...long, claims: [...long.claims, createClaim(of, 2_500)] }))
    expect(first).toBeLessThan(2_000)
    expect(again).toBeLessThan(1_000)
  })
})
