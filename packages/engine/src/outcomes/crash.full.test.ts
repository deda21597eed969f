import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { openStore, tempFolder, value } from './outcomes.test-kit.ts'
import { asked, homeIn, replied } from './outcomes-home.test-kit.ts'

const CHILD = fileURLToPath(new URL('./crash.child.ts', import.meta.url))
const SESSIONS = 300

/** Returns whether the process was still reading when its time was up. */
async function readUntilKilled(folder: string, afterMs: number): Promise<boolean> {
  const child = spawn(process.execPath, [CHILD, folder, String(afterMs)], { stdio: 'inherit' })
  const [, signal] = await once(child, 'exit')
  return signal === 'SIGKILL'
}

it('has every journal line exactly once, wherever the process was killed', async () => {
  const folder = tempFolder()
  const { transcript, journal, open } = homeIn(folder)
  for (let n = 0; n < SESSIONS; n += 1)
    transcript(`s${n}`, [asked('go'), replied('m', 'It took 5 s [REAL: wc -l], then 7 s [REAL: wc -l]')])
  let killed = 0
  for (const ms of [10, 40, 80, 160]) if (await readUntilKilled(folder, ms)) killed += 1
  expect(killed).toBeGreaterThan(0)
  const store = await openStore(join(folder, 'ledger.db'))
  const review = await open(store)
  value(await review.refresh())
  const names = (rows: readonly Record<string, unknown>[]) => rows.map(({ session_id }) => session_id).sort()
  const all = Array.from({ length: SESSIONS }, (_, n) => `s${n}`).sort()
  expect(names(journal('agent-toolstats'))).toEqual(all)
  expect(names(journal('numeric-claims'))).toEqual(all.flatMap((id) => [id, id]))
  expect(value(await review.overview({}))).toMatchObject({ agents: SESSIONS, claims: 2 * SESSIONS })
})
