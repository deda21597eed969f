import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { openLedger, tempFolder, value } from './review.test-kit.ts'
import { asked, homeIn, replied } from './review-home.test-kit.ts'

const CHILD = fileURLToPath(new URL('./killed.child.ts', import.meta.url))
const SESSIONS = 300

/** Ends the process so many milliseconds after it began to read; says whether it was still at it. */
async function killAfter(folder: string, ms: number): Promise<boolean> {
  const child = spawn(process.execPath, [CHILD, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  await Promise.race([once(child.stdout, 'data'), ended])
  const timer = setTimeout(() => child.kill('SIGKILL'), ms)
  const [, signal] = await ended
  clearTimeout(timer)
  return signal === 'SIGKILL'
}

it('has every line once in the journals, wherever the process was killed', async () => {
  const folder = tempFolder()
  const { transcript, journal, open } = homeIn(folder)
  for (let n = 0; n < SESSIONS; n += 1)
    transcript(`s${n}`, [asked('go'), replied('m', 'It took 5 s [REAL: wc -l], then 7 s [REAL: wc -l]')])
  let killed = 0
  for (const ms of [10, 40, 80, 160]) if (await killAfter(folder, ms)) killed += 1
  expect(killed).toBeGreaterThan(0)
  const ledger = await openLedger(join(folder, 'ledger.db'))
  const review = await open(ledger)
  value(await review.refresh())
  const names = (rows: readonly Record<string, unknown>[]) => rows.map(({ session_id }) => session_id).sort()
  const all = Array.from({ length: SESSIONS }, (_, n) => `s${n}`).sort()
  expect(names(journal('agent-toolstats'))).toEqual(all)
  expect(names(journal('numeric-claims'))).toEqual(all.flatMap((id) => [id, id]))
  expect(value(await review.overview({}))).toMatchObject({ agents: SESSIONS, claims: 2 * SESSIONS })
})
