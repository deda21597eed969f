import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { watching } from '../conformance/expect-changes.ts'
import { FileStore } from './file-store.ts'
import { openCodeSource } from './index.ts'
import { makeStore, tempHome } from './opencode.test-kit.ts'
import { storageIn } from './places.ts'
import { watchHome } from './watch.ts'

const put = (home: string, ...path: string[]) => {
  const file = join(storageIn(home), ...path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '{}')
}

it('reports created, changed and removed files without a database, and a database once it exists', async () => {
  const home = join(tempHome(), 'later')
  const files = new FileStore(storageIn(home))
  const expectChange = watching((changed) => watchHome(home, files, changed, 10), 80)
  await expectChange('a store', () => put(home, 'session', 'p', 'ses_a.json'))
  await expectChange('a message', () => put(home, 'message', 'ses_a', 'msg_1.json'))
  await expectChange('a session', () => put(home, 'session', 'q', 'ses_b.json'))
  await expectChange('one that goes', () => rmSync(join(storageIn(home), 'session', 'p', 'ses_a.json')))
  await expectChange('a database', () => makeStore(home))
})

it('reports through the source until its watch ends', async () => {
  const home = tempHome()
  const changed = vi.fn()
  const end = openCodeSource(home).watch(changed)
  onTestFinished(end)
  let n = 0
  await vi.waitFor(
    () => {
      if (changed.mock.calls.length === 0) put(home, 'session', 'p', `ses_${n++}.json`)
      expect(changed).toHaveBeenCalled()
    },
    { timeout: 30_000, interval: 200 },
  )
  end()
})
