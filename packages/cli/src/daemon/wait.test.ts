import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHome, resolvePaths } from '@panoptes/engine/home'
import { lockLedger } from '@panoptes/engine/ledger'
import { expect, it } from 'vitest'
import { waitForOther } from './wait.ts'

it('a command that has the ledger is waited for, until it lets go or for as long as is bearable', async () => {
  const home = mkdtempSync(join(tmpdir(), 'panoptes-wait-'))
  const paths = resolvePaths({ PANOPTES_HOME: home })
  await createHome(paths)
  const held = lockLedger(paths.ledger)
  if (!held.ok) throw new Error(held.message)
  expect(await waitForOther(paths, 300)).toBe('held')
  setTimeout(held.value.release, 200)
  expect(await waitForOther(paths, 15_000)).toBe('free')
  const again = lockLedger(paths.ledger)
  expect(again.ok).toBe(true)
  if (again.ok) again.value.release()
  rmSync(home, { recursive: true, force: true })
})
