import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { usePostgres } from '../../../../e2e/setup/shared-servers.ts'

const url = usePostgres()
/** Two seconds, plus slack for a busy machine. */
const SOON_MS = 10_000
const CHILD = fileURLToPath(new URL('./postgres-lead.child.ts', import.meta.url))
let schema = ''
let children: One[] = []

interface One {
  readonly process: ChildProcess
  readonly isReady: () => boolean
  readonly leads: () => boolean
  /** Returns when it last began to lead. */
  readonly since: () => number
}

function start(): One {
  const child = spawn(process.execPath, [CHILD, url, schema], { stdio: ['ignore', 'pipe', 'inherit'] })
  const state = { ready: false, leads: false, at: 0 }
  createInterface({ input: child.stdout }).on('line', (line) => {
    const report: { readonly ready?: true; readonly leads?: boolean; readonly at: number } = JSON.parse(line)
    if (report.ready) state.ready = true
    if (report.leads === undefined) return
    state.leads = report.leads
    if (report.leads) state.at = report.at
  })
  const one = {
    process: child,
    isReady: () => state.ready,
    leads: () => state.leads && child.exitCode === null && child.signalCode === null,
    since: () => state.at,
  }
  children.push(one)
  return one
}

async function sql(text: string, values: readonly unknown[] = []) {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(text, [...values])
  } finally {
    await client.end()
  }
}

const leaders = () => children.filter((child) => child.leads())
const theLeader = async (): Promise<One> => {
  await expect.poll(() => leaders().length, { timeout: 30_000, interval: 20 }).toBe(1)
  const [leader] = leaders()
  if (!leader) throw new Error('nobody leads')
  return leader
}

beforeEach(() => {
  schema = `lead_${randomUUID().replaceAll('-', '')}`
  children = []
})

afterEach(async () => {
  for (const { process: child } of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const over = once(child, 'exit')
    child.kill('SIGKILL')
    await over
  }
  await sql(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
})

describe('leader election between processes', () => {
  it('elects exactly one, and another within two seconds when it is killed', async () => {
    for (let n = 0; n < 4; n += 1) start()
    await expect.poll(() => children.every((child) => child.isReady()), { timeout: 30_000 }).toBe(true)
    for (let left = 4; left > 1; left -= 1) {
      const leader = await theLeader()
      // Nobody else may begin to lead.
      await setTimeout(600)
      expect(leaders()).toEqual([leader])
      const over = once(leader.process, 'exit')
      const killed = Date.now()
      leader.process.kill('SIGKILL')
      await over
      const next = await theLeader()
      expect(next).not.toBe(leader)
      expect(next.since() - killed).toBeLessThan(SOON_MS)
    }
  })

  it('stops a leader that loses its connection before another takes over', async () => {
    // Several processes run, because one of them may be delayed for longer than the one that lost its
    // connection stays away.
    for (let n = 0; n < 4; n += 1) start()
    await expect.poll(() => children.every((child) => child.isReady()), { timeout: 30_000 }).toBe(true)
    const leader = await theLeader()
    const cut = Date.now()
    await sql(
      `SELECT pg_terminate_backend(l.pid) FROM pg_locks l
       WHERE l.locktype = 'advisory' AND l.objid = (hashtext($1)::bigint & 4294967295)::oid AND l.granted`,
      [`${schema}/judge`],
    )
    await expect.poll(() => leader.leads(), { timeout: 30_000, interval: 10 }).toBe(false)
    const next = await theLeader()
    expect(next).not.toBe(leader)
    expect(next.since() - cut).toBeLessThan(SOON_MS)
  })

  it('hands over when a leader is asked to end', async () => {
    for (let n = 0; n < 2; n += 1) start()
    const leader = await theLeader()
    await expect.poll(() => children.every((child) => child.isReady()), { timeout: 30_000 }).toBe(true)
    const over = once(leader.process, 'exit')
    leader.process.kill('SIGTERM')
    expect((await over)[0]).toBe(0)
    expect(await theLeader()).not.toBe(leader)
  })
})
