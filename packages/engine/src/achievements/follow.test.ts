import { openSqliteStore } from '@panoptes/engine/store'
import { success } from '@panoptes/schema/result'
import { expect, it, onTestFinished, vi } from 'vitest'
import { ALL, tempHome, unwrap } from './achievements.test-kit.ts'
import { openAchievements } from './open.ts'

it('counts what was just read without reading once more', async () => {
  const home = tempHome()
  const store = unwrap(await openSqliteStore(home.storeFile))
  let hear: (source: string) => void = () => undefined
  const refresh = vi.fn(async () => success(null))
  const achievements = openAchievements({
    achievementStore: store.achievementStore,
    forgotten: unwrap(await store.forgetting.forgotten()),
    sessions: {
      refresh,
      onRead: (hearer) => {
        hear = hearer
        return () => undefined
      },
    },
    folder: home.files,
    env: home.env,
    zone: 'UTC',
  })
  onTestFinished(async () => {
    await achievements.close()
    await store.close()
  })
  const unfollow = achievements.follow()
  hear('claude-code')
  await expect.poll(() => achievements.status(ALL).run_count, { timeout: 5_000 }).toBe(1)
  unwrap(await achievements.settled(ALL))
  expect(refresh).not.toHaveBeenCalled()
  expect(unwrap(await achievements.get(ALL, { wait: false })).scan_meta.mode).toBe('full')
  unfollow()
  achievements.rescan(ALL, { full: false })
  unwrap(await achievements.settled(ALL))
  expect(refresh).toHaveBeenCalledOnce()
})
