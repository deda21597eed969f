import { join } from 'node:path'
import { it } from 'vitest'
import { watching } from '../conformance/expect-changes.ts'
import { makeState, tempHome } from './hermes.test-kit.ts'
import { watchHome } from './watch.ts'

it('reports a commit, and a home and a profile that are created later', async () => {
  const home = join(tempHome(), 'later')
  const expectChange = watching((changed) => watchHome(home, changed, 30), 300)
  await expectChange('a home', () => makeState(home, { journal: 'wal' }).session({ id: 'a' }))
  const profile = makeState(home, { profile: 'work', journal: 'wal' })
  await expectChange('a commit', () => profile.session({ id: 'b' }))
  await expectChange('a profile', () => makeState(home, { profile: 'play' }).session({ id: 'c' }))
})
