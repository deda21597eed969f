import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { makeState, tempHome } from './hermes.test-kit.ts'
import { hermesSource } from './index.ts'

it('tells of a commit, of a home and of a profile that are made later', async () => {
  const home = join(tempHome(), 'later')
  const changed = vi.fn()
  const end = hermesSource(home).watch(changed)
  onTestFinished(end)
  const told = async (what: string, work: () => void) => {
    // Let what went before settle: it may be told twice.
    await vi.waitFor(async () => {
      changed.mockClear()
      await new Promise((done) => setTimeout(done, 900))
      expect(changed).not.toHaveBeenCalled()
    }, 10_000)
    work()
    await vi.waitFor(() => expect(changed, what).toHaveBeenCalled(), { timeout: 5_000, interval: 20 })
  }
  await told('a home', () => makeState(home, { journal: 'wal' }).session({ id: 'a' }))
  const profile = makeState(home, { profile: 'work', journal: 'wal' })
  await told('a commit', () => profile.session({ id: 'b' }))
  await told('a profile', () => makeState(home, { profile: 'play' }).session({ id: 'c' }))
})
