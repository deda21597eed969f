import { setTimeout } from 'node:timers/promises'
import type { Job } from '@panoptes/engine/threads'
import { breathe } from '../breathe.ts'
import type { Connection, Database } from './database.ts'

/** What only one process at a time does with a ledger. The server frees them however the process ends. */
export const LOCKS = {
  migrate: 0x506e7074,
  job: 0x506e7075,
  checkpoint: 0x506e7076,
  accounts: 0x506e7077,
  lead: 0x506e7079,
  hub: 0x506e707a,
  transcripts: 0x506e7078,
  telling: 0x506e707b,
} as const

const AGAIN_MS = 100

async function take({ row }: Connection, lock: number, schema: string): Promise<boolean> {
  const found = await row('SELECT pg_try_advisory_lock($1, hashtext($2)) AS taken', [lock, schema])
  return found?.taken === true
}

export async function release({ run }: Connection, lock: number, schema: string): Promise<void> {
  // A connection that broke has released it.
  await run('SELECT pg_advisory_unlock($1, hashtext($2))', [lock, schema]).catch(() => undefined)
}

/** Long jobs change the same tables, so they take turns, whoever does them. All is done on the connection that has the lock. */
export function alone<T>(
  database: Database,
  job: Job,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  return database.patiently(async (connection) => {
    while (!(await take(connection, LOCKS.job, database.schema))) {
      await setTimeout(AGAIN_MS)
      await breathe(job)
    }
    try {
      return await work(connection)
    } finally {
      await release(connection, LOCKS.job, database.schema)
    }
  })
}

/** Does it unless somebody else is at it. */
export function unlessTaken(
  database: Database,
  lock: number,
  work: (connection: Connection) => Promise<void>,
): Promise<void> {
  return database.patiently(async (connection) => {
    if (!(await take(connection, lock, database.schema))) return
    try {
      await work(connection)
    } finally {
      await release(connection, lock, database.schema)
    }
  })
}
