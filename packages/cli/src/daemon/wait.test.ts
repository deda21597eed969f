import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHome, resolvePaths } from '@panoptes/engine/home'
import { lockStore } from '@panoptes/engine/store'
import { expect, it } from 'vitest'
import { waitForOther } from './wait.ts'

it('waits for a command that holds the store until it finishes or the time is up', async () => {
  const home = mkdtempSync(join(tmpdir(), 'panoptes-wait-'))
  const paths = resolvePaths({ PANOPTES_HOME: home })
  await createHome(paths)
  const held = lockStore(paths.store)
  if (!held.ok) throw new Error(held.message)
  expect(await waitForOther(paths, 300)).toBe('held')
  setTimeout(held.value.release, 200)
  expect(await waitForOther(paths, 15_000)).toBe('free')
  const again = lockStore(paths.store)
  expect(again.ok).toBe(true)
  if (again.ok) again.value.release()
  rmSync(home, { recursive: true, force: true })
})
