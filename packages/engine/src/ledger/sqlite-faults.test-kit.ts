import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Failure, Result } from '@panoptes/schema'
import { afterEach, beforeEach } from 'vitest'
import { events } from './conformance/kit.ts'
import { value } from './conformance/lab.ts'
import { type Ledger, openSqliteLedger } from './index.ts'

export const CHILD = fileURLToPath(new URL('./sqlite-faults.child.ts', import.meta.url))

let home = ''
let file = ''
const open: Ledger[] = []

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'panoptes-faults-'))
  file = join(home, 'ledger.db')
})

afterEach(async () => {
  for (const ledger of open.splice(0)) await ledger.close()
  rmSync(home, { recursive: true, force: true })
})

/** The folder of one test, and where the ledger is in it. */
export const lab = (): { readonly home: string; readonly file: string } => ({ home, file })

/** It is closed when the test is over. */
export function closing(ledger: Ledger): Ledger {
  open.push(ledger)
  return ledger
}

export const opened = async (path = file): Promise<Ledger> => closing(value(await openSqliteLedger(path)))

/** A closed ledger with this many events in it. */
export async function ledgerOf(count: number): Promise<void> {
  const ledger = value(await openSqliteLedger(file))
  value(await ledger.append(events(count)))
  await ledger.close()
}

export async function refused(path = file): Promise<Failure> {
  const result: Result<Ledger> = await openSqliteLedger(path)
  if (!result.ok) return result
  await result.value.close()
  throw new Error('it was opened')
}

/** What a scene in a process of its own says in the end. */
export function child(prefix: readonly string[], ...args: readonly string[]): Record<string, unknown> {
  const [command = '', ...rest] = [...prefix, process.execPath, CHILD, ...args]
  const ran = spawnSync(command, rest, { encoding: 'utf8', timeout: 60_000 })
  const line = ran.stdout.trim().split('\n').at(-1)
  if (!line) throw new Error(`${command}: ${ran.error?.message ?? ran.stderr}`)
  return JSON.parse(line) as Record<string, unknown>
}
