import { setTimeout } from 'node:timers/promises'
import type { Job } from '@panoptes/engine/worker-rpc'
import { yieldToAppends } from '../yield-to-appends.ts'
import type { Connection, Database } from './database.ts'

/**
 * Locks for work that only one process at a time may do with a store. The server releases them however the
 * process ends.
 */
export const LOCKS = {
  migrate: 0x506e7074,
  job: 0x506e7075,
  checkpoint: 0x506e7076,
  accounts: 0x506e7077,
  lead: 0x506e7079,
  hub: 0x506e707a,
  transcripts: 0x506e7078,
  telling: 0x506e707b,
  copies: 0x506e707c,
} as const

const AGAIN_MS = 100

async function take({ row }: Connection, lock: number, schema: string): Promise<boolean> {
  const found = await row('SELECT pg_try_advisory_lock($1, hashtext($2)) AS taken', [lock, schema])
  return found?.taken === true
}

export async function release({ run }: Connection, lock: number, schema: string): Promise<void> {
  // A broken connection has already released the lock.
  await run('SELECT pg_advisory_unlock($1, hashtext($2))', [lock, schema]).catch(() => undefined)
}

/**
 * Runs long jobs one after another, whichever process starts them, because they change the same tables. All
 * work runs on the connection that holds the lock.
 */
export function runExclusively<T>(
  database: Database,
  job: Job,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  return database.withoutTimeout(async (connection) => {
    while (!(await take(connection, LOCKS.job, database.schema))) {
      await setTimeout(AGAIN_MS)
      await yieldToAppends(job)
    }
    try {
      return await work(connection)
    } finally {
      await release(connection, LOCKS.job, database.schema)
    }
  })
}

/** Runs the work unless another process holds the lock. */
export function runUnlessLocked(
  database: Database,
  lock: number,
  work: (connection: Connection) => Promise<void>,
): Promise<void> {
  return database.withoutTimeout(async (connection) => {
    if (!(await take(connection, lock, database.schema))) return
    try {
      await work(connection)
    } finally {
      await release(connection, lock, database.schema)
    }
  })
}
